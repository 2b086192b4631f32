"""Functions that only mean something to the compiler; called from Python they do nothing."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import Any, TypeVar

T = TypeVar("T")


def literally(value: T, /) -> T:
    """The value, as a constant: the function is compiled anew for each value of the argument.

    What is made constant can then decide types: the index of a tuple whose items differ, the
    number of dimensions.  The argument is a parameter, or an expression that is constant already.
    """
    return value


def literal_unroll(items: T, /) -> T:
    """The tuple, to be iterated over by a `for` whose body is compiled for each item by itself."""
    return items


def objmode(**declared: Any) -> AbstractContextManager[None]:
    """`with objmode(y="float64[:]"):` is a block that runs as Python in compiled code.

    The keywords are the variables that the block assigns and that are read after it, with their
    types.
    """
    return nullcontext()
