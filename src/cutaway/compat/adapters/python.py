"""Facts about Python itself that Numba modules define."""

from __future__ import annotations

import inspect
import operator
import struct
import sys
from collections.abc import Callable
from typing import Any

__all__ = (
    "BINOPS_TO_OPERATORS INPLACE_BINOPS_TO_OPERATORS MACHINE_BITS OPERATORS_TO_BUILTINS PYVERSION"
    " UNARY_BUITINS_TO_OPERATORS pysignature"
).split()

PYVERSION = sys.version_info[:2]
MACHINE_BITS = 8 * struct.calcsize("P")
pysignature = inspect.signature

_BINARY = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "//": operator.floordiv,
    "/": operator.truediv,
    "%": operator.mod,
    "**": operator.pow,
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
    "<<": operator.lshift,
    ">>": operator.rshift,
    "@": operator.matmul,
}
_COMPARISONS = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "is": operator.is_,
    "is not": operator.is_not,
    "in": operator.contains,
}
Function = Callable[..., Any]
BINOPS_TO_OPERATORS: dict[str, Function] = _BINARY | _COMPARISONS  # type: ignore[assignment]
INPLACE_BINOPS_TO_OPERATORS: dict[str, Function] = {
    f"{sign}=": getattr(operator, f"i{function.__name__.strip('_')}")
    for sign, function in _BINARY.items()
}
UNARY_BUITINS_TO_OPERATORS: dict[str, Function] = {
    "+": operator.pos,
    "-": operator.neg,
    "~": operator.invert,
    "not": operator.not_,
    "is_true": operator.truth,
}
OPERATORS_TO_BUILTINS = {
    function: sign
    for table in (UNARY_BUITINS_TO_OPERATORS, INPLACE_BINOPS_TO_OPERATORS, BINOPS_TO_OPERATORS)
    for sign, function in table.items()
}
