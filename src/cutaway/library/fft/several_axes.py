"""Transforms along several axes, one after the other: `fftn ifftn rfftn irfftn`, and with two axes
`fft2 ifft2 rfft2 irfft2`."""

from __future__ import annotations

from typing import Any

import numpy as np

from cutaway.errors import TypingError
from cutaway.extending.bodies import Takes, static
from cutaway.library.arrays.kit.takes import IntsOrNone, Lines, Output, numpy
from cutaway.library.arrays.kit.typers import is_shape, left_out, private, said
from cutaway.library.fft.transforms import Norm, check_output, result_dtype
from cutaway.typing.types import Omitted, Tuple

Axes = Takes(
    "a tuple of ints or None",
    lambda axes: left_out(axes) or (is_shape(axes) and bool(axes.items)) or _is_pair(axes),
)


def _is_pair(axes: Any) -> bool:
    return isinstance(axes, Omitted) and isinstance(said(axes), tuple)


@static
def _count_of(a: Any, s: Any, axes: Any) -> int:
    """The number of axes that transforms run along."""
    if _is_pair(axes):
        count = 2
    elif left_out(axes):
        return len(s.items) if isinstance(s, Tuple) else int(a.ndim)
    else:
        count = len(axes.items)
    if isinstance(s, Tuple) and len(s.items) != count:
        raise TypingError("Shape and axes have different lengths.")
    return count


@private
def _size(a, s, axis, k, twice):
    """The number of points along the k-th of the axes."""
    if s is not None and s[k] != -1:
        return s[k]
    if not -a.ndim <= axis < a.ndim:
        raise IndexError(f"index {axis} is out of bounds for axis 0 with size {a.ndim}")
    return (a.shape[axis] - 1) * 2 if s is None and twice else a.shape[axis]


@private
def _axis(axes, k, count):
    """The k-th of the axes, by default of the last ones."""
    return k - count if axes is None else axes[k]


def _register(function: Any, last: Any, inner: Any) -> None:
    """Register a transform by those along the last axis and along the others."""
    to_real, usual = last is np.fft.irfft, (-2, -1) if function.__name__[-1] == "2" else None

    @private
    def transform(a, s, axes, norm, count):
        end = count - 1
        outer = _axis(axes, end, count)
        x = last(a, _size(a, s, outer, end, False), outer, norm)
        for k in range(end - 1, -1, -1):
            axis = _axis(axes, k, count)
            x = inner(x, _size(a, s, axis, k, False), axis, norm)
        return x

    @private
    def transform_to_real(a, s, axes, norm, count):
        first = _axis(axes, 0, count)
        x = inner(a, _size(a, s, first, 0, False), first, norm)
        for k in range(1, count - 1):
            axis = _axis(axes, k, count)
            x = inner(x, _size(a, s, axis, k, False), axis, norm)
        outer = _axis(axes, count - 1, count)
        return last(x, _size(a, s, outer, count - 1, True), outer, norm)

    @numpy(function)
    def along_axes(
        a: Lines, s: IntsOrNone = None, axes: Axes = usual, norm: Norm = None, out: Output = None
    ):
        count = _count_of(a, s, axes)
        if to_real and count == 1:
            axis = _axis(axes, 0, 1)
            result = last(a, _size(a, s, axis, 0, True), axis, norm)
        elif to_real:
            result = transform_to_real(a, s, axes, norm, count)
        else:
            result = transform(a, s, axes, norm, count)
        if out is None:
            return result
        check_output("fft", out, a, result_dtype(a, to_real))
        if out.shape != result.shape:
            raise ValueError("output array has wrong shape.")
        out[...] = result
        return out


for _ending in "2n":
    for _name, _inner in (("fft", "fft"), ("ifft", "ifft"), ("rfft", "fft"), ("irfft", "ifft")):
        _register(getattr(np.fft, _name + _ending), getattr(np.fft, _name), getattr(np.fft, _inner))
