"""Real and imaginary parts as functions: `real imag angle iscomplex isreal real_if_close
sort_complex`, and the signs of what is infinite: `isposinf isneginf`; `fix`."""

from __future__ import annotations

from typing import Any

import numpy as np

from cutaway.errors import TypingError
from cutaway.extending.overloads import overload_method
from cutaway.library.arrays.kit.dtypes import element_dtype
from cutaway.library.arrays.kit.elements import single
from cutaway.library.arrays.kit.typers import (
    OPTIONS,
    are_elements,
    dimensions,
    element,
    flag,
    is_array,
    is_number,
    left_out,
    numpy,
    private,
)
from cutaway.typing import types
from cutaway.typing.types import Array

# --- parts ------------------------------------------------------------------------------------


def _is_complex(argument: Any) -> bool:
    return isinstance(element(argument), types.Complex)


@numpy(np.real)
def _real(val):
    return (lambda val: val.real) if are_elements(val) else None


@numpy(np.imag)
def _imag(val):
    if not are_elements(val):
        return None
    if not is_array(val) or _is_complex(val):
        return lambda val: val.imag
    # Of real numbers they are zeros, in an array that cannot be written to.
    return lambda val: np.broadcast_to(np.zeros_like(val), val.shape)


def _conjugated(a):
    """The method: of real numbers the array itself, where the function makes a new one."""
    if not is_array(a):
        return None
    return (lambda a: np.conjugate(a)) if _is_complex(a) else (lambda a: a)


for _name in ("conj", "conjugate"):
    overload_method(Array, _name, jit_options=OPTIONS)(_conjugated)


@numpy(np.angle, by_value=True)
def _angle(z, deg=False):
    if not are_elements(z):
        return None
    kind = element_dtype(z)
    zero = _ZEROS.get(kind.kind, kind.type(0))
    factor = _angle_dtype(kind).type(180 / np.pi)

    def of_complex(z):
        return np.arctan2(z.imag, z.real)

    def of_real(z):
        return np.arctan2(zero, z)

    angle = private(of_complex if kind.kind == "c" else of_real)
    if flag(deg) is None:
        return lambda z, deg=False: angle(z) * factor if deg else angle(z)
    return (
        (lambda z, deg=False: angle(z) * factor) if flag(deg) else (lambda z, deg=False: angle(z))
    )


# NumPy takes 0 for the imaginary part of what has none, which adapts to other numbers.
_ZEROS = {"b": np.int64(0), "i": np.int8(0), "u": np.uint8(0)}


def _angle_dtype(kind: np.dtype[Any]) -> np.dtype[Any]:
    one = np.zeros(1, kind)
    return np.arctan2(one.imag if kind.kind == "c" else 0, one.real).dtype


# --- kinds of numbers -------------------------------------------------------------------------


@numpy(np.iscomplex)
def _iscomplex(x):
    if not are_elements(x):
        return None
    if _is_complex(x):
        return (lambda x: x.imag != 0) if dimensions(x) else (lambda x: single(x).imag != 0)
    return (lambda x: np.zeros(x.shape, bool)) if dimensions(x) else (lambda x: False)


@numpy(np.isreal)
def _isreal(x):
    if not are_elements(x):
        return None
    if _is_complex(x):
        return (lambda x: x.imag == 0) if dimensions(x) else (lambda x: single(x).imag == 0)
    return (lambda x: np.ones(x.shape, bool)) if dimensions(x) else (lambda x: True)


@numpy(np.real_if_close)
def _real_if_close(a, tol=100):
    if _is_complex(a):
        raise TypingError(
            "whether the result of real_if_close is complex depends on the values",
            hint="write a.real where the imaginary parts are nothing but errors",
        )
    if is_array(a):
        return lambda a, tol=100: a
    return (lambda a, tol=100: np.asarray(a)) if is_number(a) else None


@numpy(np.sort_complex)
def _sort_complex(a):
    if not is_array(a) or not a.ndim:
        return None
    small = element_dtype(a).char in "bhBH"
    kind = element_dtype(a) if _is_complex(a) else np.dtype("F" if small else "D")
    return lambda a: np.sort(a).astype(kind)


# --- signs of what is infinite ----------------------------------------------------------------


def _register_infinite(function: Any, infinity: float) -> None:
    def is_that(x, out=None):
        if not are_elements(x) or not left_out(out) and not is_array(out):
            return None
        if _is_complex(x):
            raise TypingError(
                f"{function.__name__} of complex numbers is ambiguous",
                hint="ask about the real and the imaginary parts",
            )
        if not left_out(out):
            return lambda x, out=None: np.equal(x, infinity, out)
        if dimensions(x):
            return lambda x, out=None: x == infinity
        return lambda x, out=None: single(x) == infinity

    numpy(function)(is_that)


_register_infinite(np.isposinf, np.inf)
_register_infinite(np.isneginf, -np.inf)


@numpy(np.fix)
def _fix(x, out=None):
    if not are_elements(x) or _is_complex(x):
        return None
    if left_out(out):
        return lambda x, out=None: np.trunc(x)
    return (lambda x, out=None: np.trunc(x, out)) if isinstance(out, Array) else None
