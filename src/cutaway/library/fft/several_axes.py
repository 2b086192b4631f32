"""Transforms along several axes, one after the other: `fftn ifftn rfftn irfftn`, and with two axes
`fft2 ifft2 rfft2 irfft2`."""

from __future__ import annotations

from typing import Any

import numpy as np

from cutaway.errors import TypingError
from cutaway.library.arrays.kit.typers import is_array, is_shape, left_out, numpy, private
from cutaway.library.fft.transforms import check_output, norm_of, result_dtype
from cutaway.typing import types
from cutaway.typing.types import Tuple

# For each of these whether it goes forward, is of or to real numbers, and has two axes by default.
_ROWS = {
    np.fft.fft2: (True, False, True),
    np.fft.ifft2: (False, False, True),
    np.fft.rfft2: (True, True, True),
    np.fft.irfft2: (False, True, True),
    np.fft.fftn: (True, False, False),
    np.fft.ifftn: (False, False, False),
    np.fft.rfftn: (True, True, False),
    np.fft.irfftn: (False, True, False),
}


def _axes_of(a: Any, s: Any, axes: Any, two: bool) -> tuple[int, ...] | None:
    """The axes where they are constants; none for those that are an argument; None for what is not
    a tuple of integers."""
    if isinstance(axes, tuple) or (isinstance(axes, types.Omitted) and axes.value is not None):
        return (-2, -1)
    if left_out(axes):
        return tuple(range(-len(s.items) if isinstance(s, Tuple) else -a.ndim, 0))
    return () if is_shape(axes) and len(axes.items) else None


@private
def _size_of(a, axis):
    if not -a.ndim <= axis < a.ndim:
        raise IndexError(f"index {axis} is out of bounds for axis 0 with size {a.ndim}")
    return a.shape[axis]


def _sized(s: Any, halves: bool) -> Any:
    """A function of an array, the counts that were given, the axes, and the place of one: the count
    of points along it."""

    def given(a, s, axes, k):
        return _size_of(a, axes[k]) if s[k] == -1 else s[k]

    def own(a, s, axes, k):
        return _size_of(a, axes[k])

    def with_last_twice(a, s, axes, k):
        size = _size_of(a, axes[k])
        return (size - 1) * 2 if k == len(axes) - 1 else size

    return private(given if not left_out(s) else with_last_twice if halves else own)


def _all_along(forward: bool, real: bool, size: Any, name: str) -> Any:
    """A function of an array, the counts of points, and axes: all transforms."""
    last = np.fft.rfft if real else np.fft.fft if forward else np.fft.ifft
    inner = np.fft.fft if forward else np.fft.ifft

    def last_first(a, s, axes):
        end = len(axes) - 1
        x = last(a, size(a, s, axes, end), axes[end], name)
        for k in range(end - 1, -1, -1):
            x = inner(x, size(a, s, axes, k), axes[k], name)
        return x

    def last_at_end(a, s, axes):
        end = len(axes) - 1
        x = np.fft.ifft(a, size(a, s, axes, 0), axes[0], name)
        for k in range(1, end):
            x = np.fft.ifft(x, size(a, s, axes, k), axes[k], name)
        return np.fft.irfft(x, size(a, s, axes, end), axes[end], name)

    def last_alone(a, s, axes):
        return np.fft.irfft(a, size(a, s, axes, 0), axes[0], name)

    if forward or not real:
        return private(last_first), None
    return private(last_at_end), private(last_alone)


def _register(function: Any) -> None:
    forward, real, two = _ROWS[function]

    def typer(a, s=None, axes=None, norm=None, out=None):
        name = norm_of(norm)
        if not is_array(a) or not a.ndim or name is None or not (left_out(s) or is_shape(s)):
            return None
        places = _axes_of(a, s, axes, two)
        if places is None:
            return None
        count = len(places) or len(axes.items)
        if not left_out(s) and len(s.items) != count:
            raise TypingError("Shape and axes have different lengths.")
        every, single = _all_along(forward, real, _sized(s, real and not forward), name)
        along = single if count == 1 and single else every

        def told(a, s, axes):
            return along(a, s, axes)

        def usual(a, s, axes):
            return along(a, s, places)

        return _in_parameters(private(usual if places else told), a, out, two, real and not forward)

    def typer_of_two(a, s=None, axes=(-2, -1), norm=None, out=None):
        return typer(a, s, axes, norm, out)

    numpy(function)(typer_of_two if two else typer)


def _in_parameters(transform: Any, a: Any, out: Any, two: bool, is_real: bool) -> Any:
    """The implementation, with NumPy's parameters."""

    def new(a, s=None, axes=None, norm=None, out=None):
        return transform(a, s, axes)

    def stored(a, s=None, axes=None, norm=None, out=None):
        result = transform(a, s, axes)
        if out.shape != result.shape:
            raise ValueError("output array has wrong shape.")
        out[...] = result
        return out

    def new_of_two(a, s=None, axes=(-2, -1), norm=None, out=None):
        return transform(a, s, axes)

    def stored_of_two(a, s=None, axes=(-2, -1), norm=None, out=None):
        result = transform(a, s, axes)
        if out.shape != result.shape:
            raise ValueError("output array has wrong shape.")
        out[...] = result
        return out

    if left_out(out):
        return new_of_two if two else new
    check_output("fft", out, a, result_dtype(a, is_real))
    return stored_of_two if two else stored


for _function in _ROWS:
    _register(_function)
