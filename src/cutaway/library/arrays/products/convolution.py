"""One line slid along another one: `convolve correlate`."""

from __future__ import annotations

from typing import Any

import numpy as np

from cutaway.library.arrays.kit.typers import is_array, numpy, private
from cutaway.library.arrays.products.dots import dot_kind, dot_lines
from cutaway.typing import types


@private
def _margin(mode, longer, shorter):  # type: ignore[no-untyped-def]
    """The start of the result within the full one, and its length."""
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
def _slide(out, longer, shorter, start, zero):  # type: ignore[no-untyped-def]
    """At each place the product of the shorter line with what it lies on."""
    size, width = len(longer), len(shorter)
    for n in range(len(out)):
        first = n + start - width + 1
        low, high = max(first, 0), min(first + width, size)
        out[n] = dot_lines(longer[low:high], shorter[low - first : high - first], zero)


def _register_slide(function: Any, usual: str, names: tuple[str, str], step: int) -> None:
    """A function of NumPy that takes the line that slides with this step.  (Any: of NumPy.)"""
    first, second = (f"{name} cannot be empty" for name in names)

    @numpy(function)
    def slide(a, v, mode=usual):  # type: ignore[no-untyped-def]
        if not is_array(a) or not is_array(v) or a.ndim != 1 or v.ndim != 1 or not _is_mode(mode):
            return None
        dtype, zero, _ = dot_kind(a, v)
        if dtype.kind == "c" and step > 0:
            return None

        def implementation(a, v, mode=usual):  # type: ignore[no-untyped-def]
            if len(a) == 0:
                raise ValueError(first)
            if len(v) == 0:
                raise ValueError(second)
            start, count = _margin(mode, max(len(a), len(v)), min(len(a), len(v)))
            out = np.empty(count, dtype)
            if len(a) >= len(v):
                _slide(out, a, v[::step].copy(), start, zero)
                return out
            _slide(out, v, a[::step].copy(), start, zero)
            return out if step < 0 else out[::-1].copy()

        return implementation


_register_slide(np.convolve, "full", ("a", "v"), -1)
_register_slide(np.correlate, "valid", ("first array argument", "second array argument"), 1)
