"""Expresses values as `variable + constant`, as long as no machine integer can wrap between."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cutaway.ir import induction
from cutaway.ir.function import Function
from cutaway.ir.nodes import Op
from cutaway.ir.traversal import definitions, operands
from cutaway.typing import types
from cutaway.typing.inference.questions import constants_of
from cutaway.typing.types import Boolean, Integer, Type


def linear_values(
    fn: Function,
    table: Mapping[str, Type],
    constants: Mapping[str, Any] | None = None,
    makers: Mapping[str, Op] | None = None,
) -> induction.LinearValues:
    """Return the linear values of a function's variables; only int64 arithmetic is exact."""

    def is_exact(op: Op) -> bool:
        made = [table.get(name) for name in definitions(op)]
        return made == [types.int64] and all(_fits(table.get(name)) for name in operands(op))

    return induction.LinearValues(
        fn, constants_of(fn) if constants is None else constants, is_exact, makers
    )


def _fits(ty: Type | None) -> bool:
    """True if every value of a type is representable as an int64."""
    return isinstance(ty, Boolean) or (isinstance(ty, Integer) and ty != types.uint64)
