"""What parameters of NumPy's functions take: the annotations of bodies, and their registration."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from cutaway.errors import TypingError
from cutaway.extending.bodies import Takes, body, static
from cutaway.extending.registry import method
from cutaway.library.arrays.kit.dtypes import float_or
from cutaway.library.arrays.kit.typers import (
    OPTIONS,
    are_elements,
    element,
    flag,
    has_real_elements,
    is_array,
    is_everywhere,
    is_integral,
    is_integral_or_default,
    is_number,
    is_real,
    is_shape,
    left_out,
    private,
    said,
)
from cutaway.typing import types
from cutaway.typing.overloads.resolution import MISSING
from cutaway.typing.types import Array, Tuple

F = TypeVar("F", bound=Callable[..., Any])


def numpy(function: Any, *methods: str, also: tuple[Any, ...] = ()) -> Callable[[F], F]:
    """Register a body for a function of NumPy, and for methods of arrays that do the same; `also`
    are other functions of NumPy that do."""
    keys = (function, *also, *(method(Array, name) for name in methods))
    return body(*keys, **OPTIONS)


def _or_none(fits: Callable[[Any], Any]) -> Callable[[Any], bool]:
    return lambda argument: left_out(argument) or bool(fits(argument))


def _is_dtype(argument: Any) -> bool:
    return isinstance(argument, types.Class | types.DType | types.String)


def _is_axes(argument: Any) -> bool:
    return _is_some_axes(argument) and not isinstance(argument, types.ListDisplay)


def _is_some_axes(argument: Any) -> bool:
    return is_integral(argument) or (is_shape(argument) and len(argument.items) > 0)


Numbers = Takes("an array of numbers", is_array)
Lines = Takes("an array of numbers with an axis or more", lambda a: is_array(a) and a.ndim > 0)
Elements = Takes("an array", lambda argument: isinstance(argument, Array))
Integers = Takes(
    "an array of integers", lambda argument: is_array(argument) and is_integral(argument.dtype)
)
Integer = Takes("an int", is_integral)
Constant = Takes("an int", is_integral, by_value=True)
Axis = Takes("an int or None", _or_none(is_integral_or_default), by_value=True)
Axes = Takes("an int, a tuple of ints, or None", _or_none(_is_axes), by_value=True)
SomeAxes = Takes("an int, some ints, or None", _or_none(_is_some_axes), by_value=True)
Dtype = Takes("a dtype or None", _or_none(_is_dtype))
NumberDtype = Takes("a dtype of numbers", lambda dtype: float_or(dtype) is not None)
Output = Takes("an array or None", _or_none(is_array))
Flag = Takes("a constant bool", lambda argument: flag(argument) is not None, by_value=True)
Real = Takes("a real number", is_real)
Mask = Takes(
    "an array of bools, or a bool",
    lambda argument: is_everywhere(argument) or is_array(argument) or argument is types.boolean,
    by_value=True,
)
Operands = Takes("an array of numbers, or a number", are_elements)
RealOrNone = Takes("a real number or None", _or_none(is_real))
Operand = Takes(
    "an array of numbers, a number, or None",
    lambda argument: left_out(argument) or is_array(argument) or is_number(argument),
)
Initial = Takes(
    "a number, a time, or None",
    lambda ty: left_out(ty) or is_number(ty) or isinstance(ty, types.DateTime | types.TimeDelta),
)
NumberOrNone = Takes("a number, or None", _or_none(is_number))


def _is_any_shape(argument: Any) -> bool:
    return is_shape(argument) or is_integral(argument)


def _is_order(argument: Any) -> bool:
    return left_out(argument) or said(argument) in ("C", "F", "A", "K")


Number = Takes("a number", is_number)
AnyElements = Takes("an array, or a number", lambda one: isinstance(one, Array) or is_number(one))
IntegerOrNone = Takes("an int or None", is_integral_or_default)
Sizes = Takes("an int, or a tuple of ints", _is_any_shape)
SizesOrNone = Takes("an int, a tuple of ints, or None", _or_none(_is_any_shape))
Order = Takes("'C', 'F', 'A' or 'K'", _is_order)
Text = Takes("a text of the program", lambda argument: isinstance(said(argument), str))
Nothing = Takes("None", left_out)
Anything = Takes("anything", lambda argument: True)


@static
def is_several(argument: Any) -> bool:
    """True if an argument is a tuple, or a list that is written out."""
    return isinstance(argument, Tuple)


@private
def as_tuple(sizes):
    """A number alone, or several, as a tuple."""
    return tuple(sizes) if is_several(sizes) else (sizes,)


def _has_integers(argument: Any) -> bool:
    return isinstance(argument, Array) and isinstance(argument.dtype, types.Integer)


def _is_word(argument: Any) -> bool:
    return isinstance(argument, types.String | types.Choice | types.Str)


def _is_real_line(argument: Any) -> bool:
    return _is_line(argument) and has_real_elements(argument)


def _is_numbers_or_tuple(argument: Any) -> bool:
    several = isinstance(argument, Tuple) and all(map(is_number, argument.items))
    return several or are_elements(argument)


def _is_counts(argument: Any) -> bool:
    return is_integral(argument) or (_is_line(argument) and is_integral(argument.dtype))


def _is_line(argument: Any) -> bool:
    return isinstance(argument, Array) and argument.ndim == 1


Places = Takes("an int or an array of ints", lambda argument: is_integral(element(argument)))
Indices = Takes("an array of ints", _has_integers)
Target = Takes("an array or None", _or_none(lambda argument: isinstance(argument, Array)))
Mode = Takes("'raise', 'wrap' or 'clip'", _is_word)
Word = Takes("a text", _is_word)
Reals = Takes("a real number or an array of such", has_real_elements)
Line = Takes("a line of numbers", lambda a: is_array(a) and a.ndim == 1)
Tables = Takes("an array of numbers with two axes or more", lambda a: is_array(a) and a.ndim > 1)
RealLine = Takes("a line of real numbers", _is_real_line)
Truth = Takes("a bool", _or_none(is_integral))
Ints = Takes("a tuple of ints", is_shape)
IntsOrNone = Takes("a tuple of ints, or None", _or_none(is_shape))
RowsOrColumns = Takes("'C' or 'F'", lambda argument: said(argument) in ("C", "F"))
NumbersOrTuple = Takes("a number, some in a tuple, or an array of such", _is_numbers_or_tuple)
Values = Takes("a value or an array", lambda argument: not isinstance(argument, Tuple))
Counts = Takes("an int or a line of ints", _is_counts)


@static
def require_usual(device: Any, like: Any) -> None:
    """Raise TypingError for another device, and for an array to be like that is not NumPy's."""
    name = getattr(device, "value", device)
    if name not in (None, "cpu", MISSING) and not left_out(device):
        raise TypingError(f"there is no device {name!r} here", hint="leave out `device`")
    if not left_out(like):
        raise TypingError(
            "`like` is for arrays of other libraries, which are not compiled", hint="leave it out"
        )
