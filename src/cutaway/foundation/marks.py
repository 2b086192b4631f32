"""Functions that only mean something to the compiler; called from Python they do nothing."""

from __future__ import annotations

from typing import TypeVar

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
