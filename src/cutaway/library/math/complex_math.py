"""The `cmath` module: registers the functions of `complex_functions`, which are in Python."""

from __future__ import annotations

import cmath
from collections.abc import Callable
from types import FunctionType

from cutaway.extending.registry import implemented
from cutaway.library.math import complex_functions
from cutaway.typing import types
from cutaway.typing.overloads.resolution import REQUIRED, Arguments
from cutaway.typing.types import Complex, Omitted, Type


def _in_double(ty: Type) -> Type:
    """The functions compute in float64 and complex128."""
    if isinstance(ty, Complex):
        return types.complex128
    return types.float64 if types.is_real(ty) else ty


def _numbers(arguments: Arguments) -> bool:
    return all(types.is_number(ty) or isinstance(ty, Omitted) for ty in arguments.types)


def _reals(arguments: Arguments) -> bool:
    return all(map(types.is_real, arguments.types))


def _anything(arguments: Arguments) -> bool:
    return True


def _register(name: str, fits: Callable[[Arguments], bool] = _numbers) -> None:
    function = getattr(complex_functions, name)
    implemented(getattr(cmath, name), fits, function.__defaults__, _in_double)(function)


for _name, _value in vars(complex_functions).items():
    if isinstance(_value, FunctionType):
        implemented(_value, _anything)(_value)  # they call each other
        if hasattr(cmath, _name) and _name not in ("isclose", "rect"):
            _register(_name)
_register("rect", _reals)
implemented(cmath.log, _numbers, convert=_in_double)(complex_functions.log_base)
implemented(cmath.isclose, _numbers, (REQUIRED, REQUIRED, 1e-09, 0.0), _in_double)(
    complex_functions.isclose
)
