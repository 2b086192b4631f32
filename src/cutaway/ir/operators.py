"""The operators of the language, one row each: what an IR op names instead of a string code.

`function` is Python's own (`operator.add`): the interpreter calls it, the typing context and
the library are keyed by it.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from cutaway.foundation.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Operator:
    """One operator.  `symbol` is its spelling in source and in the text form."""

    symbol: str
    function: Callable[..., Any]


def _contains(item: Any, container: Any) -> bool:
    return item in container


def _not_contains(item: Any, container: Any) -> bool:
    return item not in container


UNARY = {
    row.symbol: row
    for row in (
        Operator("-", operator.neg),
        Operator("+", operator.pos),
        Operator("~", operator.invert),
        Operator("not", operator.not_),
        Operator("bool", bool),
    )
}

BINARY = {
    row.symbol: row
    for row in (
        Operator("+", operator.add),
        Operator("-", operator.sub),
        Operator("*", operator.mul),
        Operator("/", operator.truediv),
        Operator("//", operator.floordiv),
        Operator("%", operator.mod),
        Operator("**", operator.pow),
        Operator("@", operator.matmul),
        Operator("<<", operator.lshift),
        Operator(">>", operator.rshift),
        Operator("&", operator.and_),
        Operator("|", operator.or_),
        Operator("^", operator.xor),
        Operator("==", operator.eq),
        Operator("!=", operator.ne),
        Operator("<", operator.lt),
        Operator("<=", operator.le),
        Operator(">", operator.gt),
        Operator(">=", operator.ge),
        Operator("is", operator.is_),
        Operator("is not", operator.is_not),
        Operator("in", _contains),
        Operator("not in", _not_contains),
    )
}

INPLACE = {
    row.symbol: row
    for row in (
        Operator("+=", operator.iadd),
        Operator("-=", operator.isub),
        Operator("*=", operator.imul),
        Operator("/=", operator.itruediv),
        Operator("//=", operator.ifloordiv),
        Operator("%=", operator.imod),
        Operator("**=", operator.ipow),
        Operator("@=", operator.imatmul),
        Operator("<<=", operator.ilshift),
        Operator(">>=", operator.irshift),
        Operator("&=", operator.iand),
        Operator("|=", operator.ior),
        Operator("^=", operator.ixor),
    )
}


def binary_of_inplace(row: Operator) -> Operator:
    """The binary operator that an in-place one falls back to: `+=` to `+`."""
    return BINARY[row.symbol[:-1]]


_CONVERSIONS: dict[str, Callable[[Any], Any]] = {
    "": lambda value: value,
    "s": str,
    "r": repr,
    "a": ascii,
}


def formatted(value: Any, conversion: str, spec: str) -> str:
    """The text that `{value!conversion:spec}` of an f-string writes."""
    return format(_CONVERSIONS[conversion](value), spec)
