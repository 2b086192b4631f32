"""Queries about types in library code, answered at compile time.

    if is_array(out):                    # one of the two sides is compiled
    made = np.empty(shape, result_dtype(a, b))

The result is a constant: a bool that decides branches, or the dtype of a new array.
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
    """Mark a function as a query about the types of its arguments."""
    function.__dict__[_STATIC] = True


def is_static(function: Any) -> bool:
    """True for a query about types."""
    return _STATIC in getattr(function, "__dict__", ())


def static_answer(function: Any, types: Iterable[Type], constants: Iterable[Any]) -> Any:
    """Return the result of a query for arguments of these types, some of which are constants."""
    return function(*map(seen_type, types, constants))


def seen_type(ty: Type, value: Any) -> Type:
    """Return the type of an argument that typers get: a literal type for a constant, `Omitted` for
    a default."""
    if value is MISSING or isinstance(ty, Omitted):
        return ty
    return maybe_literal(value) or ty


def mark_by_value(function: Any, parameters: Iterable[int]) -> None:
    """Mark a function to be compiled for the values of constants passed to these parameters."""
    function.__dict__[_BY_VALUE] = frozenset(parameters)


def by_value(function: Any) -> frozenset[int]:
    """Return the parameters for whose constant values a function is compiled."""
    return function.__dict__.get(_BY_VALUE, frozenset())
