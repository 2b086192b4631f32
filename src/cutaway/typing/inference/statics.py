"""Questions that code of the library asks about types, answered when it is compiled.

    if is_array(out):                    # one of the two sides is compiled
    made = np.empty(shape, result_dtype(a, b))

The answer is a constant: a bool decides branches, a dtype is that of a new array.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from cutaway.ir.constants import MISSING
from cutaway.typing.inference.literals import maybe_literal
from cutaway.typing.types import Omitted, Type

_STATIC = "answers about types"
_BY_VALUE = "parameters by value"


def mark_static(function: Any) -> None:
    """Let a function be asked about the types of arguments."""
    function.__dict__[_STATIC] = True


def is_static(function: Any) -> bool:
    """True for a function that is asked about types."""
    return _STATIC in getattr(function, "__dict__", ())


def static_answer(function: Any, types: Iterable[Type], constants: Iterable[Any]) -> Any:
    """The answer of a function for arguments of these types, of which some are constants."""
    return function(*map(seen_type, types, constants))


def seen_type(ty: Type, value: Any) -> Type:
    """The type of an argument as typers see it: a literal one where it is a constant, and a default
    as such."""
    if value is MISSING or isinstance(ty, Omitted):
        return ty
    return maybe_literal(value) or ty


def mark_by_value(function: Any, parameters: Iterable[int]) -> None:
    """Have a function compiled for the values of constants that are passed to these parameters."""
    function.__dict__[_BY_VALUE] = frozenset(parameters)


def by_value(function: Any) -> frozenset[int]:
    """The parameters for whose constants a function is compiled."""
    return function.__dict__.get(_BY_VALUE, frozenset())
