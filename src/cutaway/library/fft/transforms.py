"""Transforms along one axis: `fft ifft rfft irfft hfft ihfft`."""

from __future__ import annotations

from typing import Any

import numpy as np

from cutaway.errors import TypingError
from cutaway.library.arrays.kit.axes import axis_of
from cutaway.library.arrays.kit.lines import lines_along
from cutaway.library.arrays.kit.shapes import replaced
from cutaway.library.arrays.kit.stacks import require_loop, stacked_into
from cutaway.library.arrays.kit.typers import (
    is_array,
    is_integral_or_default,
    left_out,
    numpy,
    private,
)
from cutaway.library.linalg.kinds import in_dtype
from cutaway.lowering.arrays.loops import ufunc_of
from cutaway.typing import types
from cutaway.typing.types import Array, Complex

# A norm says which way is divided by the count of points: a transform, or its inverse.
_SWAPPED = {"backward": "forward", "ortho": "ortho", "forward": "backward"}


def norm_of(norm: Any) -> str | None:
    """The name of a norm; empty for one that is not known when compiling.  Raises TypingError for a
    name that is none."""
    if left_out(norm):
        return "backward"
    if not isinstance(norm, str | types.String | types.Omitted):
        return None
    name = norm if isinstance(norm, str) else norm.value
    if name not in _SWAPPED:
        raise TypingError(f'Invalid norm value {name}; should be "backward", "ortho" or "forward".')
    return str(name)


def is_transform(a: Any, n: Any, axis: Any) -> bool:
    """True if these are an array, a count of points or None, and an axis."""
    return is_array(a) and a.ndim > 0 and is_integral_or_default(n) and is_integral_or_default(axis)


@private
def size_along(a, axis):
    """The length of an axis.  Raises IndexError where there is none."""
    if not -a.ndim <= axis < a.ndim:
        raise IndexError("tuple index out of range")
    return a.shape[axis]


def transformed(a: Array, loops: tuple[str, str], norm: str, forward: bool, out: Any) -> Any:
    """A function of an array, a count of points and an axis: the transform by one of two loops, for
    even counts and for odd ones; `out` is the dtype of the result."""
    divided = norm if forward else _SWAPPED[norm]
    part = np.result_type(np.zeros(0, types.to_dtype(a.dtype)).real.dtype, 1.0)
    even, odd = (_loop_for(one, a, int if divided == "backward" else part, out) for one in loops)
    cast, halves, has_two = part.type, loops[0] != loops[1], even != odd
    computed = np.dtype(even.rpartition(".")[2])

    def usual(n):
        return cast(1)

    def by_root(n):
        return cast(cast(1) / np.sqrt(cast(n)))

    def by_count(n):
        return cast(cast(1) / cast(n))

    factor = private({"backward": usual, "ortho": by_root, "forward": by_count}[divided])

    def transform(a, n, axis):
        if n < 1:
            raise ValueError(f"Invalid number of FFT data points ({n}) specified.")
        place = axis_of(a, axis)
        result = np.empty(replaced(a.shape, place, n // 2 + 1 if halves else n), computed)
        if a.shape[place] == 0:  # NumPy's loop for `irfft` would read an element all the same
            result[...] = 0
        elif has_two and n % 2:
            stacked_into(odd, lines_along(result, place), lines_along(a, place), factor(n))
        else:
            stacked_into(even, lines_along(result, place), lines_along(a, place), factor(n))
        return in_dtype(result, out)

    return private(transform)


def _loop_for(name: str, a: Array, factor: Any, out: Any) -> str:
    """The loop that NumPy takes for these types, which is not always that of their precision."""
    ufunc = ufunc_of(f"numpy.fft.{name}..")
    if ufunc is None:
        require_loop(f"numpy.fft.{name}.Dd.D")
    given, scale, gives = ufunc.resolve_dtypes((types.to_dtype(a.dtype), factor, out))
    loop = f"numpy.fft.{name}.{given.char}{scale.char}.{gives.char}"
    require_loop(loop)
    return loop


def result_dtype(a: Array, inverse_of_real: bool) -> np.dtype[Any]:
    """The dtype of a transform."""
    dtype = types.to_dtype(a.dtype)
    if inverse_of_real:
        return np.result_type(np.zeros(0, dtype).real.dtype, 1.0)
    return np.result_type(dtype, 1j)


def check_output(name: str, out: Any, a: Array, given: np.dtype[Any]) -> None:
    """Raise TypingError for an output that cannot hold results of a dtype."""
    if not isinstance(out, Array) or out.readonly:
        raise TypingError("output array is read-only", hint="pass a writeable array")
    if out.ndim != a.ndim:
        raise TypingError("output array has wrong shape.")
    found = types.to_dtype(out.dtype)
    if not np.can_cast(given, found, "same_kind"):
        raise TypingError(
            f"Cannot cast ufunc '{name}' output from {given!r} to {found!r} with casting rule"
            " 'same_kind'"
        )


@private
def store_transform(out, result, axis):
    """Store a result in an array of the caller's."""
    if out.shape[axis] != result.shape[axis]:
        raise ValueError("output array has wrong shape.")
    out[...] = result


def _counted(n: Any, halves: bool) -> Any:
    """A function of an array, the count of points that was given, and an axis: the count."""

    def given(a, n, axis):
        return int(n)

    def own(a, n, axis):
        return size_along(a, axis)

    def twice(a, n, axis):
        return (size_along(a, axis) - 1) * 2

    return private(given if not left_out(n) else twice if halves else own)


# A transform: its loops for even and odd counts, whether it goes forward, whether it is of or to
# real numbers.
_ROWS = {
    np.fft.fft: (("fft", "fft"), True, False),
    np.fft.ifft: (("ifft", "ifft"), False, False),
    np.fft.rfft: (("rfft_n_even", "rfft_n_odd"), True, True),
    np.fft.irfft: (("irfft", "irfft"), False, True),
}


def _register(function: Any) -> None:
    loops, forward, real = _ROWS[function]

    def typer(a, n=None, axis=-1, norm=None, out=None):
        name = norm_of(norm)
        if not is_transform(a, n, axis) or name is None:
            return None
        if isinstance(a.dtype, Complex) and real and forward:
            raise TypingError(
                f"np.fft.{function.__name__} takes real numbers, not {a}", hint="use np.fft.fft"
            )
        count, dtype = _counted(n, real and not forward), result_dtype(a, real and not forward)
        if not left_out(out):
            check_output(function.__name__, out, a, dtype)
            dtype = types.to_dtype(out.dtype)
        transform = transformed(a, loops, name, forward, dtype)

        def new(a, n=None, axis=-1, norm=None, out=None):
            return transform(a, count(a, n, axis), axis)

        def stored(a, n=None, axis=-1, norm=None, out=None):
            store_transform(out, transform(a, count(a, n, axis), axis), axis)
            return out

        return new if left_out(out) else stored

    numpy(function)(typer)


for _function in _ROWS:
    _register(_function)


# --- of what is its own mirror image ----------------------------------------------------------


@numpy(np.fft.hfft)
def _hfft(a, n=None, axis=-1, norm=None, out=None):
    name = norm_of(norm)
    if not is_transform(a, n, axis) or name is None:
        return None
    swapped, count = _SWAPPED[name], _counted(n, True)

    def new(a, n=None, axis=-1, norm=None, out=None):
        return np.fft.irfft(np.conjugate(a), count(a, n, axis), axis, swapped)

    def stored(a, n=None, axis=-1, norm=None, out=None):
        return np.fft.irfft(np.conjugate(a), count(a, n, axis), axis, swapped, out)

    return new if left_out(out) else stored


@numpy(np.fft.ihfft)
def _ihfft(a, n=None, axis=-1, norm=None, out=None):
    name = norm_of(norm)
    if not is_transform(a, n, axis) or name is None:
        return None
    swapped, count = _SWAPPED[name], _counted(n, False)

    def new(a, n=None, axis=-1, norm=None, out=None):
        return np.conjugate(np.fft.rfft(a, count(a, n, axis), axis, swapped))

    def stored(a, n=None, axis=-1, norm=None, out=None):
        np.fft.rfft(a, count(a, n, axis), axis, swapped, out)
        out[...] = np.conjugate(out)
        return out

    return new if left_out(out) else stored
