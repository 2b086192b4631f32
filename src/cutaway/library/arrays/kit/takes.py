"""Annotations for the parameters of NumPy functions, and the registration of bodies."""

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
    """Register a body for a NumPy function, for equivalent functions `also`, and for array
    methods."""
    keys = (function, *also, *(method(Array, name) for name in methods))
    return body(*keys, **OPTIONS)


def _or_none(fits: Callable[[Any], Any]) -> Callable[[Any], bool]:
    return lambda ty: left_out(ty) or bool(fits(ty))


def _has_numbers(least: int, most: int | None = None) -> Callable[[Any], bool]:
    """The test for arrays of numbers with `least` to `most` axes."""
    return lambda ty: is_array(ty) and least <= ty.ndim <= (ty.ndim if most is None else most)


def _is_any_array(ty: Any) -> bool:
    return isinstance(ty, Array)


# --- arrays -----------------------------------------------------------------------------------


def _is_line_of(fits: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda ty: _is_any_array(ty) and ty.ndim == 1 and fits(ty.dtype)


Numbers = Takes("an array of numbers", is_array)
Lines = Takes("an array of numbers with an axis or more", _has_numbers(1))
Line = Takes("a line of numbers", _has_numbers(1, 1))
RealLine = Takes("a line of real numbers", _is_line_of(is_real))
Tables = Takes("an array of numbers with two axes or more", _has_numbers(2))
Integers = Takes("an array of integers", lambda ty: is_array(ty) and is_integral(ty.dtype))
Indices = Takes(
    "an array of ints", lambda ty: _is_any_array(ty) and isinstance(ty.dtype, types.Integer)
)
Elements = Takes("an array", _is_any_array)
Output = Takes("an array of numbers, or None", _or_none(is_array))
Target = Takes("an array or None", _or_none(_is_any_array))

# --- arrays and numbers -----------------------------------------------------------------------


def _is_mask(ty: Any) -> bool:
    return is_everywhere(ty) or is_array(ty) or ty is types.boolean


def _is_numbers_or_tuple(ty: Any) -> bool:
    several = isinstance(ty, Tuple) and all(map(is_number, ty.items))
    return several or are_elements(ty)


Operands = Takes("an array of numbers, or a number", are_elements)
Operand = Takes("an array of numbers, a number, or None", _or_none(are_elements))
Reals = Takes("a real number or an array of such", has_real_elements)
AnyElements = Takes("an array, or a number", lambda ty: _is_any_array(ty) or is_number(ty))
Values = Takes("a value or an array", lambda ty: not isinstance(ty, Tuple))
NumbersOrTuple = Takes("a number, some in a tuple, or an array of such", _is_numbers_or_tuple)
Places = Takes("an int or an array of ints", lambda ty: is_integral(element(ty)))
Counts = Takes(
    "an int or a line of ints", lambda ty: is_integral(ty) or _is_line_of(is_integral)(ty)
)
Mask = Takes("an array of bools, or a bool", _is_mask, by_value=True)

# --- numbers ----------------------------------------------------------------------------------


def _is_initial(ty: Any) -> bool:
    return is_number(ty) or isinstance(ty, types.Dated)


Number = Takes("a number", is_number)
NumberOrNone = Takes("a number, or None", _or_none(is_number))
Initial = Takes("a number, a time, or None", _or_none(_is_initial))
Real = Takes("a real number", is_real)
RealOrNone = Takes("a real number or None", _or_none(is_real))
Integer = Takes("an int", is_integral)
IntegerOrNone = Takes("an int or None", is_integral_or_default)
Truth = Takes("a bool", _or_none(is_integral))
Constant = Takes("an int", is_integral, by_value=True)
Flag = Takes("a constant bool", lambda ty: flag(ty) is not None, by_value=True)

# --- shapes and axes --------------------------------------------------------------------------


def _is_any_shape(ty: Any) -> bool:
    return is_shape(ty) or is_integral(ty)


def _is_some_axes(ty: Any) -> bool:
    return is_integral(ty) or (is_shape(ty) and len(ty.items) > 0)


def _is_axes(ty: Any) -> bool:
    return _is_some_axes(ty) and not isinstance(ty, types.ListDisplay)


Ints = Takes("a tuple of ints", is_shape)
IntsOrNone = Takes("a tuple of ints, or None", _or_none(is_shape))
Sizes = Takes("an int, or a tuple of ints", _is_any_shape)
SizesOrNone = Takes("an int, a tuple of ints, or None", _or_none(_is_any_shape))
Axis = Takes("an int or None", is_integral_or_default, by_value=True)
Axes = Takes("an int, a tuple of ints, or None", _or_none(_is_axes), by_value=True)
SomeAxes = Takes("an int, some ints, or None", _or_none(_is_some_axes), by_value=True)

# --- dtypes, words, and the rest --------------------------------------------------------------


def _is_dtype(ty: Any) -> bool:
    return isinstance(ty, types.Class | types.DType | types.String)


def _is_word(ty: Any) -> bool:
    return isinstance(ty, types.String | types.Choice | types.Str)


Dtype = Takes("a dtype or None", _or_none(_is_dtype))
NumberDtype = Takes("a dtype of numbers", lambda ty: float_or(ty) is not None)
Order = Takes("'C', 'F', 'A' or 'K'", _or_none(lambda ty: said(ty) in ("C", "F", "A", "K")))
RowsOrColumns = Takes("'C' or 'F'", lambda ty: said(ty) in ("C", "F"))
Mode = Takes("'raise', 'wrap' or 'clip'", _is_word)
Word = Takes("a text", _is_word)
Text = Takes("a text of the program", lambda ty: isinstance(said(ty), str))
Nothing = Takes("None", left_out)
Anything = Takes("anything", lambda ty: True)


@static
def is_several(argument: Any) -> bool:
    """True if an argument is a tuple or a list display."""
    return isinstance(argument, Tuple)


@private
def as_tuple(sizes):
    """A single number, or several, as a tuple."""
    return tuple(sizes) if is_several(sizes) else (sizes,)


@static
def require_usual(device: Any, like: Any) -> None:
    """Raise TypingError for devices other than the CPU, and for a `like` array."""
    name = getattr(device, "value", device)
    if name not in (None, "cpu", MISSING) and not left_out(device):
        raise TypingError(f"there is no device {name!r} here", hint="leave out `device`")
    if not left_out(like):
        raise TypingError(
            "`like` is for arrays of other libraries, which are not compiled", hint="leave it out"
        )
