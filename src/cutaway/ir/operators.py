"""The operators of the language, one row each, which IR ops refer to instead of a string code.

`function` is Python's own (`operator.add`): the interpreter calls it, the typing context and the
library are keyed by it.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from cutaway.foundation.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Operator:
    """One operator, with its properties everywhere.

    `symbol` is its spelling in source and in the text form, `in_place` the function of `+=`,
    `ufunc` its NumPy name, and `level` its precedence.  `integers` and `floats` are LLVM's
    instructions or predicates; order predicates of integers lack the letter of the sign.  A
    comparison has its negation, and the one with its sides exchanged.
    """

    symbol: str
    function: Callable[..., Any]
    in_place: Callable[..., Any] | None = None
    ufunc: str = ""
    level: int = 0
    integers: str = ""
    floats: str = ""
    opposite: str = ""
    mirrored: str = ""


def _contains(item: Any, container: Any) -> bool:
    return item in container


def _not_contains(item: Any, container: Any) -> bool:
    return item not in container


def _compares(
    symbol: str, function: Callable[..., Any], ufunc: str, predicate: str, others: tuple[str, str]
) -> Operator:
    floats = "une" if predicate == "ne" else f"o{predicate}"
    return Operator(symbol, function, None, ufunc, 1, predicate, floats, *others)


UNARY = {
    row.symbol: row
    for row in (
        Operator("-", operator.neg, None, "negative", 8),
        Operator("+", operator.pos, None, "positive"),
        Operator("~", operator.invert, None, "invert", 8),
        Operator("not", operator.not_),
        Operator("bool", bool),
    )
}

BINARY = {
    row.symbol: row
    for row in (
        Operator("+", operator.add, operator.iadd, "add", 6, "add", "fadd"),
        Operator("-", operator.sub, operator.isub, "subtract", 6, "sub", "fsub"),
        Operator("*", operator.mul, operator.imul, "multiply", 7, "mul", "fmul"),
        Operator("/", operator.truediv, operator.itruediv, "divide", 7, "", "fdiv"),
        Operator("//", operator.floordiv, operator.ifloordiv, "floor_divide", 7),
        Operator("%", operator.mod, operator.imod, "remainder", 7),
        Operator("**", operator.pow, operator.ipow, "power", 9),
        Operator("@", operator.matmul, operator.imatmul),
        Operator("<<", operator.lshift, operator.ilshift, "left_shift", 5),
        Operator(">>", operator.rshift, operator.irshift, "right_shift", 5),
        Operator("&", operator.and_, operator.iand, "bitwise_and", 4, "and"),
        Operator("|", operator.or_, operator.ior, "bitwise_or", 2, "or"),
        Operator("^", operator.xor, operator.ixor, "bitwise_xor", 3, "xor"),
        _compares("==", operator.eq, "equal", "eq", ("!=", "==")),
        _compares("!=", operator.ne, "not_equal", "ne", ("==", "!=")),
        _compares("<", operator.lt, "less", "lt", (">=", ">")),
        _compares("<=", operator.le, "less_equal", "le", (">", ">=")),
        _compares(">", operator.gt, "greater", "gt", ("<=", "<")),
        _compares(">=", operator.ge, "greater_equal", "ge", ("<", "<=")),
        Operator("is", operator.is_),
        Operator("is not", operator.is_not),
        Operator("in", _contains),
        Operator("not in", _not_contains),
    )
}
COMPARISONS = {row.symbol: row for row in BINARY.values() if row.mirrored}
OPPOSITE = {row.symbol: row.opposite for row in COMPARISONS.values()}
MIRRORED = {row.symbol: row.mirrored for row in COMPARISONS.values()}
INPLACE = {
    f"{row.symbol}=": Operator(f"{row.symbol}=", row.in_place)
    for row in BINARY.values()
    if row.in_place is not None
}


def binary_of_inplace(row: Operator) -> Operator:
    """Return the binary operator that an in-place one falls back to: `+=` to `+`."""
    return BINARY[row.symbol[:-1]]


_CONVERSIONS: dict[str, Callable[[Any], Any]] = {
    "": lambda value: value,
    "s": str,
    "r": repr,
    "a": ascii,
}


def formatted(value: Any, conversion: str, spec: str) -> str:
    """Return the text that `{value!conversion:spec}` of an f-string writes."""
    return format(_CONVERSIONS[conversion](value), spec)
