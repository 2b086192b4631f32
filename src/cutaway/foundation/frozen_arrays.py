"""Computes the memory of a global array that is embedded in compiled code."""

from __future__ import annotations

from typing import Any

import numpy as np

LARGEST_GAPS = 1 << 20  # bytes of gaps in a frozen array that are allowed beyond its own size


def frozen(value: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return the frozen form of a global array: the array with its strides, or one that is
    C-contiguous where its items lie so far apart that the code would be mostly gaps (ledger:
    packed-globals)."""
    return value if memory_size(value) <= 2 * value.nbytes + LARGEST_GAPS else value.copy("C")


def memory_size(value: np.ndarray[Any, Any]) -> int:
    """Return the number of bytes from the first byte of an array to its last, in memory."""
    if value.size == 0:
        return 0
    reach = sum((n - 1) * abs(step) for n, step in zip(value.shape, value.strides, strict=True))
    return reach + value.itemsize


def memory_of(value: np.ndarray[Any, Any]) -> tuple[bytearray, int]:
    """Return a copy of the memory that a frozen array spans, with zeros between its items, and the
    byte offset of the first item in it."""
    memory, first = bytearray(memory_size(value)), 0
    if memory:
        # Where a stride is negative, the first item is not the lowest in memory.
        first = sum((1 - n) * step for n, step in zip(value.shape, value.strides) if step < 0)
        # Along an axis with stride 0 all items are the same one.
        once = value[tuple(slice(None) if step else slice(1) for step in value.strides)]
        np.ndarray(once.shape, value.dtype, memory, first, value.strides)[...] = once
    return memory, first
