"""The `cmath` module: registers the functions of `complex_functions`, which are in Python.

They compute in float64 and complex128: a number of another type is converted first.
"""

from __future__ import annotations

import cmath
from types import FunctionType
from typing import Any

import numpy as np

from cutaway.extending.overloads import overload, register_jitable
from cutaway.library.math import complex_functions
from cutaway.typing import types
from cutaway.typing.types import Complex, Omitted, Type


def double(x):
    """A number as a float, or as a complex where it is one."""
    return complex(x) if isinstance(x, complex | np.complexfloating) else float(x)


@overload(double)
def _double(x):
    return (lambda x: complex(x)) if isinstance(x, Complex) else (lambda x: float(x))


def _is_number(given: Any) -> bool:
    is_default = isinstance(given, Omitted) or not isinstance(given, Type)
    return is_default or types.is_number(given)


def _is_double(given: Any) -> bool:
    return not isinstance(given, Type) or given in (types.float64, types.complex128)


def _register_of_one(function: Any, implementation: FunctionType) -> None:
    @overload(function)
    def of_one(z):
        if not _is_number(z):
            return None
        return implementation if _is_double(z) else (lambda z: implementation(double(z)))


for _name, _value in vars(complex_functions).items():
    if isinstance(_value, FunctionType):
        register_jitable(_value)  # they call each other
        if hasattr(cmath, _name) and _value.__code__.co_argcount == 1:
            _register_of_one(getattr(cmath, _name), _value)


@overload(cmath.rect)
def _rect(r, phi):
    if not types.is_real(r) or not types.is_real(phi):
        return None
    return lambda r, phi: complex_functions.rect(float(r), float(phi))


@overload(cmath.log)
def _log_base(z, base):
    if not _is_number(z) or not _is_number(base):
        return None
    return lambda z, base: complex_functions.log_base(double(z), double(base))


@overload(cmath.isclose)
def _isclose(a, b, rel_tol=1e-09, abs_tol=0.0):
    if not all(map(_is_number, (a, b, rel_tol, abs_tol))):
        return None
    return lambda a, b, rel_tol=1e-09, abs_tol=0.0: complex_functions.isclose(
        double(a), double(b), double(rel_tol), double(abs_tol)
    )
