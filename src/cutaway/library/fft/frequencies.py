"""What goes with transforms: `fftfreq rfftfreq fftshift ifftshift`."""

from __future__ import annotations

from typing import Any

import numpy as np

from cutaway.extending.bodies import Takes
from cutaway.library.arrays.kit.axes import axis_of
from cutaway.library.arrays.kit.takes import Axes, Numbers, Real, numpy
from cutaway.library.arrays.kit.typers import is_integral, left_out, private

Count = Takes("an int", is_integral)
Nowhere = Takes("None", left_out)


@private
def _step(n, d):
    if n * d == 0:
        raise ZeroDivisionError("float division by zero")
    return 1.0 / (n * d)


@numpy(np.fft.fftfreq)
def fftfreq(n: Count, d: Real = 1.0, device: Nowhere = None):
    step = _step(n, d)
    out = np.empty(n, np.int64)
    positive = (n - 1) // 2 + 1
    for k in range(n):
        out[k] = k if k < positive else k - n
    return out * step


@numpy(np.fft.rfftfreq)
def rfftfreq(n: Count, d: Real = 1.0, device: Nowhere = None):
    return np.arange(0, n // 2 + 1) * _step(n, d)


@private
def _rolled(x, sign, axis):
    if not -x.ndim <= axis < x.ndim:  # NumPy takes it from the shape
        raise IndexError("tuple index out of range")
    return np.roll(x, sign * (x.shape[axis_of(x, axis)] // 2), axis)


def _register_shift(function: Any, sign: int) -> None:
    @numpy(function)
    def shift(x: Numbers, axes: Axes = None):
        if axes is None and x.ndim == 0:
            raise ValueError("not enough values to unpack (expected 2, got 0)")
        elif axes is None:
            out = _rolled(x, sign, 0)
            for k in range(1, x.ndim):
                out = _rolled(out, sign, k)
            return out
        elif isinstance(axes, tuple):
            out = _rolled(x, sign, axes[0])
            for k in range(1, len(axes)):
                out = _rolled(out, sign, axes[k])
            return out
        return _rolled(x, sign, axes)


_register_shift(np.fft.fftshift, 1)
_register_shift(np.fft.ifftshift, -1)
