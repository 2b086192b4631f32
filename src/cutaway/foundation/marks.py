"""Functions that have a meaning only for the compiler; called from Python they do nothing."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import Any, TypeVar

T = TypeVar("T")


def literally(value: T, /) -> T:
    """Return the value as a constant: the function is compiled anew for each value of the argument.

    A constant can determine types: as the index of a tuple whose items differ in type, or as a
    number of dimensions.  The argument is a parameter, or an expression that is already constant.
    """
    return value


def literal_unroll(items: T, /) -> T:
    """Return the tuple; the body of a `for` over it is compiled once for each item."""
    return items


def objmode(**declared: Any) -> AbstractContextManager[None]:
    """Run a block, `with objmode(y="float64[:]"):`, as Python code within compiled code.

    The keywords are the variables that the block assigns and that are read after it, with their
    types.
    """
    return nullcontext()
