"""Accesses to items of arrays: the array, the index variables, and the distance per iteration."""

from __future__ import annotations

from collections.abc import Mapping

from cutaway.ir import induction, nodes
from cutaway.ir.nodes import Op
from cutaway.typing.types import Array, Type

ItemOp = nodes.GetItem | nodes.SetItem


def array_of(op: ItemOp) -> str:
    """Return the array whose item an op reads or writes."""
    return op.value if isinstance(op, nodes.GetItem) else op.target


def axes_of(op: ItemOp, definitions: Mapping[str, Op]) -> tuple[str, ...]:
    """Return the variables of an index, one per axis."""
    maker = definitions.get(op.index)
    return maker.items if isinstance(maker, nodes.BuildTuple) else (op.index,)


def is_checked(op: Op) -> bool:
    """True for an access that compares an index with a size."""
    return isinstance(op, ItemOp) and not {"check", "below"}.isdisjoint(op.bounds)


def is_proved(op: ItemOp) -> bool:
    """True if each index is proved or assumed to be within its axis."""
    return bool(op.bounds) and all(word in ("proved", "unchecked") for word in op.bounds)


def is_element(op: ItemOp, ty: Type, definitions: Mapping[str, Op]) -> bool:
    """True for an access to one element of a contiguous array."""
    if not isinstance(ty, Array) or ty.layout not in "CF":
        return False
    return len(op.bounds) == len(axes_of(op, definitions)) == ty.ndim


def steps_of(
    op: ItemOp, ty: Array, variable: str, values: induction.LinearValues
) -> tuple[int, list[int]]:
    """Return the index steps of an access when a variable increases by 1: along the contiguous
    axis, and along each of the others."""
    axes = axes_of(op, values.definitions)
    steps = [dict(values.affine(one).terms).get(variable, 0) for one in axes]
    return steps.pop(0 if ty.layout == "F" else -1), steps
