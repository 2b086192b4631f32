"""What code for a GPU can call besides: the words of `cutaway.cuda`."""

from cutaway.library.gpu import (
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

_PARTS = (
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
assert all(_PARTS)  # imported for what they register
