"""Transforms along one axis: `fft ifft rfft irfft hfft ihfft`, with `fftfreq rfftfreq fftshift
ifftshift`."""

from __future__ import annotations

from typing import Any

import numpy as np

from cutaway.errors import TypingError
from cutaway.extending.bodies import Takes, refuse, static
from cutaway.library.arrays.kit.axes import axis_of
from cutaway.library.arrays.kit.dtypes import element_dtype
from cutaway.library.arrays.kit.lines import lines_along
from cutaway.library.arrays.kit.shapes import replaced
from cutaway.library.arrays.kit.stacks import require_loop, stacked_into
from cutaway.library.arrays.kit.takes import (
    Integer,
    IntegerOrNone,
    Lines,
    Nothing,
    Numbers,
    Output,
    Real,
    SomeAxes,
    numpy,
)
from cutaway.library.arrays.kit.typers import (
    flag,
    is_complex,
    left_out,
    private,
    said,
)
from cutaway.library.linalg.kinds import in_dtype
from cutaway.lowering.arrays.loops import ufunc_of

# A norm names the transforms that are divided by the number of points: direct or inverse ones.
_SWAPPED = {"backward": "forward", "ortho": "ortho", "forward": "backward"}

Norm = Takes(
    "the name of a norm, as a constant, or None",
    lambda norm: left_out(norm) or isinstance(said(norm), str),
)


@static
def divided(norm: Any, forward: Any) -> str:
    """The norm of a transform of this direction in terms of a forward transform."""
    name = "backward" if left_out(norm) else said(norm)
    if name not in _SWAPPED:
        raise TypingError(f'Invalid norm value {name}; should be "backward", "ortho" or "forward".')
    return str(name) if flag(forward) else _SWAPPED[name]


@static
def result_dtype(a: Any, is_real: Any) -> np.dtype[Any]:
    """The dtype of a transform's result, real or complex."""
    dtype = element_dtype(a)
    if flag(is_real):
        return np.result_type(np.zeros(0, dtype).real.dtype, 1.0)
    return np.result_type(dtype, 1j)


@static
def _loop_for(name: Any, a: Any, norm: Any, dtype: Any) -> str:
    """The loop that NumPy selects for the result's dtype, which may have another precision."""
    ufunc = ufunc_of(f"numpy.fft.{said(name)}..")
    if ufunc is None:
        require_loop(f"numpy.fft.{said(name)}.Dd.D")
    factor = int if said(norm) == "backward" else result_dtype(a, True)
    given, scale, gives = ufunc.resolve_dtypes((element_dtype(a), factor, dtype.value))
    loop = f"numpy.fft.{said(name)}.{given.char}{scale.char}.{gives.char}"
    require_loop(loop)
    return loop


@static
def _dtype_of_loop(loop: Any) -> np.dtype[Any]:
    return np.dtype(said(loop).rpartition(".")[2])


@private
def size_along(a, axis):
    """The length of an axis. Raises IndexError if it is out of range."""
    if not -a.ndim <= axis < a.ndim:
        raise IndexError("tuple index out of range")
    return a.shape[axis]


@private
def _count(a, n, axis, twice):
    """The number of points, as given or the array's."""
    if n is not None:
        return int(n)
    size = size_along(a, axis)
    return (size - 1) * 2 if twice else size


@private
def _factor(n, norm, dtype):
    """The scale factor of a transform of `n` points."""
    cast = dtype.type
    if norm == "backward":
        return cast(1)
    if norm == "ortho":
        return cast(cast(1) / np.sqrt(cast(n)))
    return cast(cast(1) / cast(n))


@private
def _transformed(a, n, axis, even, odd, norm, dtype):
    """The transform by the loop for even or for odd counts, in a dtype."""
    if n < 1:
        raise ValueError(f"Invalid number of FFT data points ({n}) specified.")
    place, part = axis_of(a, axis), result_dtype(a, True)
    of_even, of_odd = _loop_for(even, a, norm, dtype), _loop_for(odd, a, norm, dtype)
    size = n // 2 + 1 if even != odd else n
    result = np.empty(replaced(a.shape, place, size), _dtype_of_loop(of_even))
    lines, points = lines_along(result, place), lines_along(a, place)
    if a.shape[place] == 0:  # NumPy's loop for `irfft` would still read an element
        result[...] = 0
    elif even != odd and n % 2 == 1:
        stacked_into(of_odd, lines, points, _factor(n, norm, part))
    else:
        stacked_into(of_even, lines, points, _factor(n, norm, part))
    return in_dtype(result, dtype)


@static
def check_output(name: Any, out: Any, a: Any, given: Any) -> None:
    """Refuse an output that cannot hold results of a dtype."""
    if out.readonly:
        raise TypingError("output array is read-only", hint="pass a writeable array")
    if out.ndim != a.ndim:
        raise TypingError("output array has wrong shape.")
    found = element_dtype(out)
    if not np.can_cast(given.value, found, "same_kind"):
        raise TypingError(
            f"Cannot cast ufunc '{said(name)}' output from {given.value!r} to {found!r} with"
            " casting rule 'same_kind'"
        )


def _register(function: Any, even: str, odd: str, forward: bool) -> None:
    """Register a transform by its loops for even and odd counts."""
    name, of_real, to_real = function.__name__, even != odd, even == "irfft"

    @numpy(function)
    def transform(
        a: Lines,
        n: IntegerOrNone = None,
        axis: IntegerOrNone = -1,
        norm: Norm = None,
        out: Output = None,
    ):
        if of_real and is_complex(a):
            refuse(f"np.fft.{name} takes real numbers", "use np.fft.fft")
        count, division = _count(a, n, axis, to_real), divided(norm, forward)
        if out is None:
            return _transformed(a, count, axis, even, odd, division, result_dtype(a, to_real))
        check_output(name, out, a, result_dtype(a, to_real))
        result = _transformed(a, count, axis, even, odd, division, element_dtype(out))
        if out.shape[axis] != result.shape[axis]:
            raise ValueError("output array has wrong shape.")
        out[...] = result
        return out


_register(np.fft.fft, "fft", "fft", True)
_register(np.fft.ifft, "ifft", "ifft", False)
_register(np.fft.rfft, "rfft_n_even", "rfft_n_odd", True)
_register(np.fft.irfft, "irfft", "irfft", False)


# --- Hermitian-symmetric inputs ---------------------------------------------------------------


@numpy(np.fft.hfft)
def hfft(
    a: Lines,
    n: IntegerOrNone = None,
    axis: IntegerOrNone = -1,
    norm: Norm = None,
    out: Output = None,
):
    count = _count(a, n, axis, True)
    return np.fft.irfft(np.conjugate(a), count, axis, divided(norm, False), out)


@numpy(np.fft.ihfft)
def ihfft(
    a: Lines,
    n: IntegerOrNone = None,
    axis: IntegerOrNone = -1,
    norm: Norm = None,
    out: Output = None,
):
    count = _count(a, n, axis, False)
    result = np.fft.rfft(a, count, axis, divided(norm, False), out)
    if out is None:
        return np.conjugate(result)
    out[...] = np.conjugate(out)
    return out


# --- frequencies and shifts -------------------------------------------------------------------


@private
def _step(n, d):
    if n * d == 0:
        raise ZeroDivisionError("float division by zero")
    return 1.0 / (n * d)


@numpy(np.fft.fftfreq)
def fftfreq(n: Integer, d: Real = 1.0, device: Nothing = None):
    step = _step(n, d)
    out = np.empty(n, np.int64)
    positive = (n - 1) // 2 + 1
    for k in range(n):
        out[k] = k if k < positive else k - n
    return out * step


@numpy(np.fft.rfftfreq)
def rfftfreq(n: Integer, d: Real = 1.0, device: Nothing = None):
    return np.arange(0, n // 2 + 1) * _step(n, d)


@private
def _rolled(x, sign, axis):
    if not -x.ndim <= axis < x.ndim:  # NumPy's error is that of indexing the shape
        raise IndexError("tuple index out of range")
    return np.roll(x, sign * (x.shape[axis_of(x, axis)] // 2), axis)


def _register_shift(function: Any, sign: int) -> None:
    @numpy(function)
    def shift(x: Numbers, axes: SomeAxes = None):
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
