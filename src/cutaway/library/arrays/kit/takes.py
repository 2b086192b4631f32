"""What parameters of NumPy's functions take: the annotations of bodies, and their registration."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from cutaway.extending.bodies import Takes, body
from cutaway.library.arrays.kit.typers import (
    OPTIONS,
    element,
    flag,
    is_array,
    is_everywhere,
    is_integral,
    is_integral_or_default,
    is_real,
    is_shape,
    left_out,
    said,
)
from cutaway.typing import types
from cutaway.typing.types import Array, Tuple

F = TypeVar("F", bound=Callable[..., Any])


def numpy(function: Any, *methods: str) -> Callable[[F], F]:
    """Register a body for a function of NumPy, and for methods of arrays that do the same."""
    return body(function, Array, *methods, **OPTIONS)


def _or_none(fits: Callable[[Any], Any]) -> Callable[[Any], bool]:
    return lambda argument: left_out(argument) or bool(fits(argument))


def _is_dtype(argument: Any) -> bool:
    return isinstance(argument, types.Class | types.DType | types.String)


def _is_axes(argument: Any) -> bool:
    return is_integral(argument) or (is_shape(argument) and len(argument.items) > 0)


Numbers = Takes("an array of numbers", is_array)
Elements = Takes("an array", lambda argument: isinstance(argument, Array))
Axis = Takes("an int or None", _or_none(is_integral_or_default), by_value=True)
Axes = Takes("an int, a tuple of ints, or None", _or_none(_is_axes), by_value=True)
Dtype = Takes("a dtype or None", _or_none(_is_dtype))
Output = Takes("an array or None", _or_none(is_array))
Flag = Takes("a constant bool", lambda argument: flag(argument) is not None, by_value=True)
Real = Takes("a real number", is_real)
Mask = Takes(
    "an array of bools, or a bool",
    lambda argument: is_everywhere(argument) or is_array(argument) or argument is types.boolean,
    by_value=True,
)
Shape = Takes("a tuple of ints", lambda argument: isinstance(argument, Tuple))
Index = Takes(
    "an int", lambda one: is_integral_or_default(one) and not left_out(one), by_value=True
)
Number = Takes("a real number or None", _or_none(is_real))
Points = Takes(
    "an array of numbers, or a number", lambda one: is_array(one) or types.is_number(element(one))
)
Integer = Takes("an int", lambda one: is_integral_or_default(one) and not left_out(one))
Text = Takes("a string, as a constant", lambda one: isinstance(said(one), str))
