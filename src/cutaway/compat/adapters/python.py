"""What Numba's modules know of Python itself."""

from __future__ import annotations

import inspect
import operator
import struct
import sys
from collections.abc import Callable
from typing import Any

from cutaway.ir.operators import BINARY, INPLACE

__all__ = (
    "BINOPS_TO_OPERATORS INPLACE_BINOPS_TO_OPERATORS MACHINE_BITS OPERATORS_TO_BUILTINS PYVERSION"
    " UNARY_BUITINS_TO_OPERATORS pysignature"
).split()

PYVERSION = sys.version_info[:2]
MACHINE_BITS = 8 * struct.calcsize("P")
pysignature = inspect.signature

Function = Callable[..., Any]
BINOPS_TO_OPERATORS: dict[str, Function] = {
    **{sign: row.function for sign, row in BINARY.items() if sign != "not in"},
    "in": operator.contains,
}
INPLACE_BINOPS_TO_OPERATORS = {sign: row.function for sign, row in INPLACE.items()}
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
