"""One line slid along another one: `convolve correlate`."""

from __future__ import annotations

import numpy as np

from cutaway.library.numpy_products import dot_kind, dot_lines
from cutaway.library.numpy_typing import is_array, numpy, private
from cutaway.typing import types


@private
def _margin(mode, longer, shorter):  # type: ignore[no-untyped-def]
    """Where the result begins in the full one, and its length."""
    if mode == "full":
        return 0, longer + shorter - 1
    if mode == "same":
        return (shorter - 1) // 2, longer
    if mode == "valid":
        return shorter - 1, longer - shorter + 1
    raise ValueError(f"mode must be one of 'valid', 'same', or 'full' (got {mode!r})")


def _is_mode(mode):  # type: ignore[no-untyped-def]
    return isinstance(mode, str | types.String | types.Choice | types.Str | types.Omitted)


@private
def _slide(out, longer, reversed_, start, zero):  # type: ignore[no-untyped-def]
    """At each place the product of the shorter line, turned round, with what it lies on."""
    size, width = len(longer), len(reversed_)
    for n in range(len(out)):
        first = n + start - width + 1
        low, high = max(first, 0), min(first + width, size)
        out[n] = dot_lines(longer[low:high], reversed_[low - first : high - first], zero)


@numpy(np.convolve)
def _convolve(a, v, mode="full"):  # type: ignore[no-untyped-def]
    if not is_array(a) or not is_array(v) or a.ndim != 1 or v.ndim != 1 or not _is_mode(mode):
        return None
    dtype, zero, _ = dot_kind(a, v)

    def convolve(a, v, mode="full"):  # type: ignore[no-untyped-def]
        if len(a) == 0:
            raise ValueError("a cannot be empty")
        if len(v) == 0:
            raise ValueError("v cannot be empty")
        start, count = _margin(mode, max(len(a), len(v)), min(len(a), len(v)))
        out = np.empty(count, dtype)
        if len(a) >= len(v):
            _slide(out, a, v[::-1].copy(), start, zero)
        else:
            _slide(out, v, a[::-1].copy(), start, zero)
        return out

    return convolve


@numpy(np.correlate)
def _correlate(a, v, mode="valid"):  # type: ignore[no-untyped-def]
    if not is_array(a) or not is_array(v) or a.ndim != 1 or v.ndim != 1 or not _is_mode(mode):
        return None
    dtype, zero, _ = dot_kind(a, v)
    if dtype.kind == "c":
        return None

    def correlate(a, v, mode="valid"):  # type: ignore[no-untyped-def]
        if len(a) == 0:
            raise ValueError("first array argument cannot be empty")
        if len(v) == 0:
            raise ValueError("second array argument cannot be empty")
        start, count = _margin(mode, max(len(a), len(v)), min(len(a), len(v)))
        out = np.empty(count, dtype)
        if len(a) >= len(v):
            _slide(out, a, v.copy(), start, zero)
        else:
            _slide(out, v, a.copy(), start, zero)
            out[...] = out[::-1].copy()
        return out

    return correlate
