"""Kernels that combine the elements of an array to one: a tree in each block, then one of blocks.

    thread 0..255: strided elements, one after another             (in a register)
    128, 64, 32 threads: with the value of the thread at that distance    (in shared memory)
    16, 8, 4, 2, 1: the same among the threads of a warp             (by shuffles)

The number of blocks depends on the number of elements alone, so that the same elements are combined
in the same order on each GPU.
"""

from __future__ import annotations

from types import FunctionType
from typing import Any

import numpy as np

from cutaway.cuda.ufuncs.texts import Names, function_of
from cutaway.gpu import words

THREADS = 256  # of a block
_OF_THREAD = 8  # the fewest elements of a thread, with several blocks
_MOST_BLOCKS = 1024  # as many as one block combines quickly, and enough to fill a GPU

_TEXT = """\
def {kernel}(values, results{parameters}):
    thread, size = cuda.threadIdx.x, np.uint64(values.size)
    place = np.uint64(cuda.grid(1))
    shared = cuda.shared.array({threads}, dtype)
    if place < size:
        total = values[place]
        place += np.uint64(cuda.gridsize(1))
        while place < size:
            total = convert({combine}(total, values[place]))
            place += np.uint64(cuda.gridsize(1))
        shared[thread] = total
    cuda.syncthreads()
    count = min(values.size - cuda.blockIdx.x * {threads}, {threads})
    width = {half}
    while width >= 32:
        if thread < width and thread + width < count:
            shared[thread] = convert({combine}(shared[thread], shared[thread + width]))
        cuda.syncthreads()
        width //= 2
    if thread < 32:
        total = shared[min(thread, count - 1)]
        while width > 0:
            other = cuda.shfl_down_sync(0xFFFFFFFF, total, width)
            if thread + width < count:
                total = convert({combine}(total, other))
            width //= 2
        if thread == 0:
            results[cuda.blockIdx.x] = {result}
"""


def blocks_for(count: int) -> int:
    """Return the number of blocks that combine `count` elements."""
    return min(-(-count // (THREADS * _OF_THREAD)), _MOST_BLOCKS)


def tree_kernel(combine: Any, name: str, dtype: np.dtype[Any], has_initial: bool) -> FunctionType:
    """Make the kernel around a function of two elements, which leaves one result per block."""
    called, kernel = _named(name, "reduction")
    result = f"convert({called}(initial, total))" if has_initial else "total"
    text = _TEXT.format(
        kernel=kernel,
        combine=called,
        threads=THREADS,
        half=THREADS // 2,
        result=result,
        parameters=", initial" if has_initial else "",
    )
    space = {"cuda": words, "np": np, "dtype": dtype, "convert": dtype.type, called: combine}
    return function_of(kernel, text.splitlines(), space)


_FOLD = """\
def {kernel}({parameters}values, results):
    total, first = {begin}
    for k in range(first, values.shape[0]):
        total = convert({combine}(total, values[k]))
    results[0] = total
"""


def fold(combine: Any, name: str, dtype: np.dtype[Any], has_initial: bool) -> FunctionType:
    """Make a function of a part of an array that combines its elements in sequence."""
    called, kernel = _named(name, "fold")
    text = _FOLD.format(
        kernel=kernel,
        combine=called,
        parameters="initial, " if has_initial else "",
        begin="initial, 0" if has_initial else "values[0], 1",
    )
    return function_of(kernel, text.splitlines(), {"convert": dtype.type, called: combine})


def _named(name: str, what: str) -> tuple[str, str]:
    """Return names for a function and for the text around it."""
    names = Names()
    for taken in _OWN_NAMES:
        names(taken)
    return names(name), names(f"{name}_{what}")


_OWN_NAMES = (
    *("values", "results", "initial", "thread", "size", "place", "shared", "total", "count"),
    *("width", "other", "first", "k", "cuda", "np", "dtype", "convert", "min", "range"),
)
