"""The GPU-only library: the words of `cutaway.cuda`."""

from cutaway.foundation import loading
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
from cutaway.library.gpu.registry import GPU as GPU

loading.run(arrays, atomics, grid, launching, memory, numbers, powers, printing, runtime, waiting)
loading.run(warps)
