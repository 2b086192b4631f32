"""The `cmath` module: registers the Python functions of `complex_functions`.

They compute in float64 and complex128; numbers of other types are converted first.
"""

from __future__ import annotations

import cmath
from types import FunctionType
from typing import Any

import numpy as np

from cutaway.extending.bodies import body
from cutaway.extending.overloads import overload, register_jitable
from cutaway.library.arrays.kit.takes import Number, Real
from cutaway.library.math import complex_functions
from cutaway.typing import types
from cutaway.typing.types import Complex


def double(x):
    """A number as a float, or as a complex if it is complex."""
    return complex(x) if isinstance(x, complex | np.complexfloating) else float(x)


@overload(double)
def _double(x):
    return (lambda x: complex(x)) if isinstance(x, Complex) else (lambda x: float(x))


def _register_of_one(function: Any, implementation: FunctionType) -> None:
    @overload(function)
    def of_one(z):
        if not types.is_number(z):
            return None
        return (
            implementation
            if z in (types.float64, types.complex128)
            else (lambda z: implementation(double(z)))
        )


for _name, _value in vars(complex_functions).items():
    if isinstance(_value, FunctionType):
        register_jitable(_value)  # they call each other
        if hasattr(cmath, _name) and _value.__code__.co_argcount == 1:
            _register_of_one(getattr(cmath, _name), _value)


@body(cmath.rect)
def _rect(r: Real, phi: Real):
    return complex_functions.rect(float(r), float(phi))


@overload(cmath.log)
def _log_base(z, base):
    if not types.is_number(z) or not types.is_number(base):
        return None
    return lambda z, base: complex_functions.log_base(double(z), double(base))


@body(cmath.isclose)
def _isclose(a: Number, b: Number, rel_tol: Number = 1e-09, abs_tol: Number = 0.0):
    return complex_functions.isclose(double(a), double(b), double(rel_tol), double(abs_tol))
