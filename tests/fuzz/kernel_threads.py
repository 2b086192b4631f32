"""Kernels in Python alone: one thread of the system for each of a block, blocks one by one.

    run(function, grid, block, args)

Slow, and knows nothing of the compiler: what the words of `cutaway.gpu.words` mean is written here
once more, from their documentation.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any
from unittest import mock

import numpy as np

from cutaway.gpu import words

WARP = 32


class _Block:
    """What the threads of a block share."""

    def __init__(self, size: int) -> None:
        self.barrier = threading.Barrier(size)
        self.values: list[Any] = [None] * size
        self.arrays: dict[int, Any] = {}
        self.lock = threading.Lock()
        warps = range(-(-size // WARP))
        self.warps = [threading.Barrier(min(WARP, size - WARP * k)) for k in warps]


class _Thread:
    """One thread of a kernel, as `words.Thread` has it."""

    def __init__(self, block: _Block, place: int, at: int, grid: int) -> None:
        self.block, self.place, self.at, self.grid = block, place, at, grid
        self.lane = place % WARP
        self.arrays = 0

    def index(self, of: str) -> tuple[int, int, int]:
        size = len(self.block.values)
        found = {
            "threadIdx": self.place,
            "blockIdx": self.at,
            "blockDim": size,
            "gridDim": self.grid,
        }[of]
        return found, 1 if of.endswith("Dim") else 0, 1 if of.endswith("Dim") else 0

    def do(self, function: Any, *args: Any) -> Any:
        name = function.__qualname__
        if name.startswith("atomic."):
            with self.block.lock:
                return _changed(name[7:], *args)
        return _MEANINGS[name](self, *args)

    # --- all threads together -------------------------------------------------------------------

    def together(self, value: Any) -> list[Any]:
        """The values of all threads of the block."""
        self.block.values[self.place] = value
        self.block.barrier.wait(20)
        found = list(self.block.values)
        self.block.barrier.wait(20)
        return found

    def in_warp(self, value: Any) -> list[Any]:
        """The values of all threads of the warp."""
        barrier, first = self.block.warps[self.place // WARP], self.place - self.lane
        self.block.values[self.place] = value
        barrier.wait(20)
        found = self.block.values[first : first + WARP]
        barrier.wait(20)
        return found

    def shared(self, shape: Any, dtype: Any) -> Any:
        self.arrays += 1
        with self.block.lock:
            return self.block.arrays.setdefault(self.arrays, np.zeros(shape, dtype))


def _changed(name: str, array: Any, index: Any, value: Any) -> Any:
    old = array[index]
    new = {
        "add": lambda: old + value,
        "sub": lambda: old - value,
        "max": lambda: max(old, value),
        "min": lambda: min(old, value),
    }[name]()
    array[index] = new
    return old


def _shuffled(thread: _Thread, value: Any, lane: int) -> Any:
    found = thread.in_warp(value)
    return found[lane] if 0 <= lane < WARP else value


_MEANINGS: dict[str, Callable[..., Any]] = {
    "grid": lambda t, n: t.at * len(t.block.values) + t.place,
    "gridsize": lambda t, n: t.grid * len(t.block.values),
    "syncthreads": lambda t: t.together(None) and None,
    "syncthreads_count": lambda t, v: sum(map(bool, t.together(v))),
    "syncthreads_and": lambda t, v: int(all(t.together(v))),
    "syncthreads_or": lambda t, v: int(any(t.together(v))),
    "shfl_sync": lambda t, mask, v, lane: _shuffled(t, v, lane % WARP),
    "shfl_up_sync": lambda t, mask, v, delta: _shuffled(t, v, t.lane - delta),
    "shfl_down_sync": lambda t, mask, v, delta: _shuffled(t, v, t.lane + delta),
    "shfl_xor_sync": lambda t, mask, v, bits: _shuffled(t, v, t.lane ^ bits),
    "all_sync": lambda t, mask, v: all(t.in_warp(v)),
    "any_sync": lambda t, mask, v: any(t.in_warp(v)),
    "ballot_sync": lambda t, mask, v: sum(1 << k for k, one in enumerate(t.in_warp(v)) if one),
    "popc": lambda t, v: (int(v) & (2**64 - 1)).bit_count(),
    "clz": lambda t, v: 64 - (int(v) & (2**64 - 1)).bit_length(),
    "ffs": lambda t, v: (int(v) & -int(v) & (2**64 - 1)).bit_length(),
    "fma": lambda t, a, b, c: a * b + c,
    "selp": lambda t, c, a, b: a if c else b,
    "shared.array": lambda t, shape, dtype: t.shared(shape, dtype),
    "local.array": lambda t, shape, dtype: np.zeros(shape, dtype),
}


class _Running:
    """In the place of `words.RUNNING`: the last one is that of the system's thread."""

    def __init__(self) -> None:
        self.own = threading.local()

    def __getitem__(self, place: int) -> _Thread:
        thread: _Thread = self.own.thread
        return thread

    def __bool__(self) -> bool:
        return hasattr(self.own, "thread")


def run(function: Callable[..., Any], grid: int, block: int, args: tuple[Any, ...]) -> None:
    """Run a kernel's function; raises what the first of its threads raises."""
    running, failed = _Running(), []

    def thread(of: _Block, place: int, at: int) -> None:
        running.own.thread = _Thread(of, place, at, grid)
        try:
            with np.errstate(all="ignore"):
                function(*args)
        except Exception as error:  # noqa: BLE001  of what was made up
            failed.append(error)
            of.barrier.abort()
            for barrier in of.warps:
                barrier.abort()

    with mock.patch.object(words, "RUNNING", running):
        for at in range(grid):
            shared = _Block(block)
            threads = [
                threading.Thread(target=thread, args=(shared, place, at), daemon=True)
                for place in range(block)
            ]
            for one in threads:
                one.start()
            for one in threads:
                one.join()
    for error in failed:
        if not isinstance(error, threading.BrokenBarrierError):
            raise error
    if failed:
        raise failed[0]
