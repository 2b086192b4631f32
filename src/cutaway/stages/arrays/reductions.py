"""Calls that reduce a whole array to a number."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from cutaway.ir import nodes
from cutaway.ir.nodes import Op
from cutaway.stages.unit import CompileUnit
from cutaway.typing import types
from cutaway.typing.inference.resolutions import Chosen
from cutaway.typing.types import Array, Complex, Float, Type

_FUNCTIONS = {
    np.sum: "sum",
    np.prod: "prod",
    np.mean: "mean",
    np.min: "min",
    np.amin: "min",
    np.max: "max",
    np.amax: "max",
    np.any: "any",
    np.all: "all",
    np.count_nonzero: "count_nonzero",
}
_METHODS = ("sum", "prod", "mean", "min", "max", "any", "all")


def reduction_of(
    op: nodes.Call, unit: CompileUnit, before: Sequence[Op]
) -> tuple[str, str, Op | None] | None:
    """The name of a reduction, the variable that it reduces, and the op that takes the method, if
    it is one; None for any other call.  `before` are the ops before it."""
    resolved = unit.resolutions.get(op.id)
    if not isinstance(resolved, Chosen) or op.star is not None or op.keywords:
        return None
    function = resolved.question.function
    if resolved.owner is None:
        try:
            name = _FUNCTIONS.get(function, "")
        except TypeError:  # not hashable
            return None
        return (name, op.args[0], None) if name and len(op.args) == 1 else None
    if not isinstance(resolved.owner, Array) or op.args or not isinstance(function, tuple):
        return None
    if function[1] not in _METHODS:
        return None
    for taken in reversed(before):
        if isinstance(taken, nodes.GetAttr) and taken.result == op.func:
            return function[1], taken.value, taken
    return None


def is_reduced(function: str, element: Type) -> bool:
    """True if elements of a type are combined as they are computed."""
    if function == "mean":
        return isinstance(element, Float | Complex)
    if function in ("min", "max"):
        return types.is_real(element)
    return types.is_number(element)
