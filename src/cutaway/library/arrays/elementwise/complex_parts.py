"""Real and imaginary parts as functions: `real imag angle iscomplex isreal real_if_close
sort_complex`; the signs of infinities: `isposinf isneginf`; `fix`."""

from __future__ import annotations

from typing import Any

import numpy as np

from cutaway.extending.bodies import body, refuse, static
from cutaway.extending.registry import method
from cutaway.library.arrays.kit.dtypes import element_dtype
from cutaway.library.arrays.kit.elements import single
from cutaway.library.arrays.kit.takes import Numbers, Operands, Output, Real, numpy
from cutaway.library.arrays.kit.typers import OPTIONS, dimensions, is_complex
from cutaway.typing.types import Array

# --- parts ------------------------------------------------------------------------------------


@numpy(np.real)
def real(val: Operands):
    """The real parts; of an array, a view."""
    return val.real


@numpy(np.imag)
def imag(val: Operands):
    """The imaginary parts; for real arrays a read-only array of zeros."""
    if not isinstance(val, np.ndarray) or is_complex(val):
        return val.imag
    return np.broadcast_to(np.zeros_like(val), val.shape)


@body(method(Array, "conj"), method(Array, "conjugate"), **OPTIONS)
def conjugated(a: Numbers):
    """The method `conj`: it returns real arrays themselves, `np.conjugate` a new one."""
    return np.conjugate(a) if is_complex(a) else a


@static
def _imaginary_dtype(z: Any) -> np.dtype[Any]:
    """The dtype of the weak zero that NumPy takes as the imaginary part of real numbers."""
    own = element_dtype(z)
    return np.dtype({"b": np.int64, "i": np.int8, "u": np.uint8}.get(own.kind, own))


@static
def _angle_dtype(z: Any) -> np.dtype[Any]:
    kind = element_dtype(z)
    one = np.zeros(1, kind)
    return np.arctan2(one.imag if kind.kind == "c" else 0, one.real).dtype


@numpy(np.angle)
def angle(z: Operands, deg: Real = False):
    """The angle of each number in the complex plane, in radians or degrees."""
    factor = _angle_dtype(z).type(180 / np.pi)
    if is_complex(z):
        radians = np.arctan2(z.imag, z.real)
    else:
        radians = np.arctan2(_imaginary_dtype(z).type(0), z)
    return radians * factor if deg else radians


# --- kinds of numbers -------------------------------------------------------------------------


@numpy(np.iscomplex)
def iscomplex(x: Operands):
    """Whether each number has a nonzero imaginary part."""
    if dimensions(x):
        return x.imag != 0 if is_complex(x) else np.zeros(x.shape, np.bool_)
    return single(x).imag != 0 if is_complex(x) else False


@numpy(np.isreal)
def isreal(x: Operands):
    """Whether each number has a zero imaginary part, or none."""
    if dimensions(x):
        return x.imag == 0 if is_complex(x) else np.ones(x.shape, np.bool_)
    return single(x).imag == 0 if is_complex(x) else True


@numpy(np.real_if_close)
def real_if_close(a: Operands, tol: Real = 100):
    """Real numbers unchanged, as an array; complex ones are refused."""
    if is_complex(a):
        refuse(
            "whether the result of real_if_close is complex depends on the values",
            "write a.real where the imaginary parts are nothing but errors",
        )
    return a if isinstance(a, np.ndarray) else np.asarray(a)


@static
def _complex_dtype(a: Any) -> np.dtype[Any]:
    """The complex dtype in which NumPy sorts an array."""
    dtype = element_dtype(a)
    return dtype if dtype.kind == "c" else np.dtype("F" if dtype.char in "bhBH" else "D")


@numpy(np.sort_complex)
def sort_complex(a: Numbers):
    """The elements as complex numbers, sorted."""
    if a.ndim == 0:
        refuse("a single number has no axis to sort along")
    return np.sort(a).astype(_complex_dtype(a))


# --- signs of infinities ----------------------------------------------------------------------


def _register_infinite(function: Any, infinity: float) -> None:
    ambiguous = f"{function.__name__} of complex numbers is ambiguous"

    @numpy(function)
    def is_that(x: Operands, out: Output = None):
        if is_complex(x):
            refuse(ambiguous, "ask about the real and the imaginary parts")
        if out is not None:
            return np.equal(x, infinity, out)
        return x == infinity if dimensions(x) else single(x) == infinity


_register_infinite(np.isposinf, np.inf)
_register_infinite(np.isneginf, -np.inf)


@numpy(np.fix)
def fix(x: Operands, out: Output = None):
    """Each real number rounded toward zero."""
    if is_complex(x):
        refuse("complex numbers are not rounded toward zero")
    return np.trunc(x) if out is None else np.trunc(x, out)
