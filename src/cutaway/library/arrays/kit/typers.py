"""Predicates on argument types for typers, and their registration."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from cutaway.extending.bodies import static, take_by_value
from cutaway.extending.overloads import register_jitable
from cutaway.typing import types
from cutaway.typing.overloads.resolution import Arguments
from cutaway.typing.types import Array, Type

T = TypeVar("T", bound=Callable[..., Any])

# Implementations divide as NumPy does. Bounds checks stay on: they cost less than unchecked indices
# that may be negative.
OPTIONS = {"boundscheck": True, "error_model": "numpy", "overflow": "wrap"}


def private(function: T) -> T:
    """Make a Python function of the library callable from implementations."""
    if function.__annotations__:
        take_by_value(function)
    registered: T = register_jitable(**OPTIONS)(function)
    return registered


def left_out(argument: Any) -> bool:
    """True if an argument is None or was not given."""
    omitted = isinstance(argument, types.Omitted) and argument.value is None
    return argument is None or argument is types.none or omitted


def flag(argument: Any) -> bool | None:
    """The truth of an argument; None if it is not known at compile time."""
    if isinstance(argument, types.Literal):
        return bool(argument.literal_value)
    if isinstance(argument, types.Omitted):
        return bool(argument.value)
    if argument is types.none:
        return False
    return None if isinstance(argument, Type) else bool(argument)


def said(argument: Any) -> Any:
    """The value of a constant argument; None for others."""
    if isinstance(argument, types.Literal):
        return argument.literal_value
    if isinstance(argument, types.Omitted | types.String):
        return argument.value
    return None if isinstance(argument, Type) else argument


@static
def is_everywhere(where: Any) -> bool:
    """True if a mask is NumPy's default, which selects all elements."""
    if where is True or left_out(where):
        return True
    if isinstance(where, types.Omitted):
        return bool(where.value)
    return isinstance(where, types.Literal) and where.literal_value is True


@static
def is_array(argument: Any) -> bool:
    """True if an argument is an array of numbers."""
    return isinstance(argument, Array) and types.is_number(argument.dtype)


def are_alike(*arrays: Any) -> bool:
    """True if all arguments are arrays whose elements can be joined in one array: numbers, or
    elements of one type."""
    kinds = {one.dtype for one in arrays if isinstance(one, Array)}
    if not kinds or not all(isinstance(one, Array) for one in arrays):
        return False
    return len(kinds) == 1 or all(map(types.is_number, kinds))


@static
def is_in_columns(argument: Array) -> bool:
    """True if an array's type guarantees Fortran order."""
    return argument.layout == "F"


@static
def is_in_rows(argument: Array) -> bool:
    """True if an array's type guarantees C order."""
    return argument.layout == "C"


@static
def is_constant(argument: Any) -> bool:
    """True if an argument is known at compile time."""
    return isinstance(argument, types.Literal | types.Omitted)


@static
def has_order(argument: Any) -> bool:
    """True if an argument, or its elements, are integers or floats."""
    return types.is_real(element(argument)) and not isinstance(element(argument), types.Boolean)


@static
def is_complex(argument: Any) -> bool:
    """True if an argument is complex, or an array of complex numbers."""
    return isinstance(element(argument), types.Complex)


def is_number(argument: Any) -> bool:
    """True if an argument is a number."""
    return isinstance(argument, Type) and types.is_number(argument)


def is_real(argument: Any) -> bool:
    """True if an argument is a real number."""
    return isinstance(argument, Type) and types.is_real(argument)


def is_integral(argument: Any) -> bool:
    """True if an argument is a bool or an integer."""
    return isinstance(argument, Type) and types.is_integral(argument)


def is_integral_or_default(argument: Any) -> bool:
    """True if an argument is an integer or was omitted."""
    return not isinstance(argument, Type) or left_out(argument) or _is_default_or_integral(argument)


def _is_default_or_integral(argument: Type) -> bool:
    return isinstance(argument, types.Omitted) or types.is_integral(argument)


def is_shape(argument: Any) -> bool:
    """True if an argument is a tuple of integers."""
    return isinstance(argument, types.Tuple) and all(map(is_integral, argument.items))


def are_elements(*arguments: Any) -> bool:
    """True if all arguments are arrays of numbers or numbers."""
    return all(is_array(one) or is_number(one) for one in arguments)


@static
def dimensions(argument: Any) -> int:
    """The number of dimensions of an argument; 0 for a number."""
    return argument.ndim if isinstance(argument, Array) else 0


def has_real_elements(*arguments: Any) -> bool:
    """True if all arguments are real numbers or arrays of them."""
    return are_elements(*arguments) and all(types.is_real(element(one)) for one in arguments)


def element(argument: Any) -> Any:
    """The element type of an array, or the type of the number itself."""
    if isinstance(argument, types.Literal):
        return argument.literal_type
    return argument.dtype if isinstance(argument, Array) else argument


def array_alone(arguments: Arguments) -> Array | None:
    """The type of the only argument if it is an array, else None."""
    ty = arguments.types[0] if len(arguments) == 1 else None
    return ty if isinstance(ty, Array) else None
