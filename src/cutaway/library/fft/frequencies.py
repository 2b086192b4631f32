"""What goes with transforms: `fftfreq rfftfreq fftshift ifftshift`."""

from __future__ import annotations

from typing import Any

import numpy as np

from cutaway.library.arrays.kit.axes import axis_of
from cutaway.library.arrays.kit.typers import (
    is_array,
    is_integral,
    is_real,
    is_shape,
    left_out,
    numpy,
    private,
)
from cutaway.typing import types


@private
def _step(n, d):
    if n * d == 0:
        raise ZeroDivisionError("float division by zero")
    return 1.0 / (n * d)


def _is_spacing(n: Any, d: Any, device: Any) -> bool:
    given = not isinstance(d, types.Type) or isinstance(d, types.Omitted) or is_real(d)
    return is_integral(n) and given and left_out(device)


@numpy(np.fft.fftfreq)
def _fftfreq(n, d=1.0, device=None):
    def fftfreq(n, d=1.0, device=None):
        step = _step(n, d)
        out = np.empty(n, np.int64)
        positive = (n - 1) // 2 + 1
        for k in range(n):
            out[k] = k if k < positive else k - n
        return out * step

    return fftfreq if _is_spacing(n, d, device) else None


@numpy(np.fft.rfftfreq)
def _rfftfreq(n, d=1.0, device=None):
    def rfftfreq(n, d=1.0, device=None):
        return np.arange(0, n // 2 + 1) * _step(n, d)

    return rfftfreq if _is_spacing(n, d, device) else None


@private
def _rolled(x, sign, axis):
    if not -x.ndim <= axis < x.ndim:  # NumPy takes it from the shape
        raise IndexError("tuple index out of range")
    return np.roll(x, sign * (x.shape[axis_of(x, axis)] // 2), axis)


def _refuse_point(x, axes=None):
    raise ValueError("not enough values to unpack (expected 2, got 0)")


def _register_shift(function: Any, sign: int) -> None:
    def typer(x, axes=None):
        if not is_array(x):
            return None
        every = tuple(range(x.ndim))

        def several(x, axes):
            out = _rolled(x, sign, axes[0])
            for k in range(1, len(axes)):
                out = _rolled(out, sign, axes[k])
            return out

        along = private(several)
        if is_integral(axes):
            return lambda x, axes=None: _rolled(x, sign, axes)
        if left_out(axes):
            return (lambda x, axes=None: along(x, every)) if every else _refuse_point
        return (lambda x, axes=None: along(x, axes)) if is_shape(axes) and axes.items else None

    numpy(function)(typer)


_register_shift(np.fft.fftshift, 1)
_register_shift(np.fft.ifftshift, -1)
