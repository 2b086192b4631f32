"""What code for a GPU can call besides: the words of `cutaway.cuda`."""

from cutaway.library.gpu import (  # noqa: F401  for what they register
    arrays,
    atomics,
    grid,
    launching,
    memory,
    numbers,
    powers,
    printing,
    runtime,
    waiting,
    warps,
)
