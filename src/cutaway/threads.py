"""The number of threads of parallel loops, and the size of their chunks.

Each of these functions works in compiled code too, except `parallel_chunksize`, which is a context
manager.  A thread's settings hold for the parallel loops that it begins itself.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator
from contextlib import contextmanager
from typing import SupportsIndex

from cutaway import config
from cutaway.runtime import _runtime  # pyright: ignore[reportAttributeAccessIssue]

# Compiled code has the same messages: its numbers are integers of 64 bits.
OUT_OF_RANGE = "the number of threads must be between 1 and {}, not {}"
NEGATIVE_CHUNK = "the size of chunks must be 0 or more, not {}"
LAYER = "cutaway"


def _most() -> int:
    """Return the largest number of threads: NUM_THREADS, else the number of usable cores."""
    wanted = config.NUM_THREADS
    if wanted and wanted != _runtime.most_threads():
        _runtime.set_most_threads(wanted)
    return _runtime.most_threads()


def _integer(number: SupportsIndex, what: str) -> int:
    try:
        return operator.index(number)
    except TypeError:
        raise TypeError(f"{what} must be an integer, not {type(number).__name__}") from None


def set_num_threads(n: int) -> None:
    """Run parallel loops that this thread begins on `n` threads, its own included.

    It holds for this thread until it is set again.  The largest number is the setting `NUM_THREADS`
    (`CUTAWAY_NUM_THREADS` or `NUMBA_NUM_THREADS` in the environment), else the number of cores that
    the process may use.

    Raises TypeError for anything but an integer, and ValueError for less than 1 or more than that.
    """
    count, most = _integer(n, "the number of threads"), _most()
    if not 1 <= count <= most:
        raise ValueError(OUT_OF_RANGE.format(most, count))
    _runtime.set_thread_count(count)


def get_num_threads() -> int:
    """Return the number of threads of parallel loops that this thread begins, its own included."""
    _most()
    return _runtime.thread_count()


def get_thread_id() -> int:
    """Return the number of this thread in the parallel loop that it works on, from 0 to one less
    than `get_num_threads()`: 0 for the one that began the loop, and outside of any.

    In a nested loop it is the number in the inner one.
    """
    return _runtime.thread_id()


def set_parallel_chunksize(n: int) -> int:
    """Divide parallel loops that this thread begins into chunks of about `n` iterations; 0 leaves
    their size to Cutaway.  Returns the size before.

    If that would be fewer chunks than threads, there is still one for each; and there are never
    more than 1024.

    Raises TypeError for anything but an integer, and ValueError for one less than 0.
    """
    size = _integer(n, "the size of chunks")
    if size < 0:
        raise ValueError(NEGATIVE_CHUNK.format(size))
    before = _runtime.chunk_size()
    _runtime.set_chunk_size(min(size, 2**63 - 1))
    return before


def get_parallel_chunksize() -> int:
    """Return the last argument of `set_parallel_chunksize` on this thread; 0 at first."""
    return _runtime.chunk_size()


@contextmanager
def parallel_chunksize(n: int) -> Iterator[None]:
    """Set the chunk size for the duration of a `with` block, as `set_parallel_chunksize` does.

    Raises TypeError for anything but an integer, and ValueError for one less than 0.
    """
    before = set_parallel_chunksize(n)
    try:
        yield
    finally:
        set_parallel_chunksize(before)


def threading_layer() -> str:
    """Return the implementation of parallel loops: always "cutaway", its own thread pool.

    It is the only one.  Any number of Python threads may begin loops at the same time,
    loops may be nested, and a process with loops may be forked.
    """
    return LAYER
