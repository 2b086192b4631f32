"""Items of arrays that ops read and write: which array, by which axes, along which of them."""

from __future__ import annotations

from collections.abc import Mapping

from cutaway.ir import nodes
from cutaway.ir.induction import LinearValues
from cutaway.ir.nodes import Op
from cutaway.typing.types import Array, Type

ItemOp = nodes.GetItem | nodes.SetItem


def array_of(op: ItemOp) -> str:
    """The array whose item an op reads or writes."""
    return op.value if isinstance(op, nodes.GetItem) else op.target


def axes_of(op: ItemOp, definitions: Mapping[str, Op]) -> tuple[str, ...]:
    """The variables of an index, an axis each."""
    maker = definitions.get(op.index)
    return maker.items if isinstance(maker, nodes.BuildTuple) else (op.index,)


def is_checked(op: Op) -> bool:
    """True for an access that compares an index with a size."""
    return isinstance(op, ItemOp) and not {"check", "below"}.isdisjoint(op.bounds)


def is_proved(op: ItemOp) -> bool:
    """True if each index is known to be within its axis, or is taken to be."""
    return bool(op.bounds) and all(word in ("proved", "unchecked") for word in op.bounds)


def is_element(op: ItemOp, ty: Type, definitions: Mapping[str, Op]) -> bool:
    """True for an element of an array without holes."""
    if not isinstance(ty, Array) or ty.layout not in "CF":
        return False
    return len(op.bounds) == len(axes_of(op, definitions)) == ty.ndim


def steps_of(op: ItemOp, ty: Array, variable: str, values: LinearValues) -> tuple[int, list[int]]:
    """How far an element moves as a variable counts up by 1: along the axis that lies together in
    memory, and along each of the others."""
    axes = axes_of(op, values.definitions)
    steps = [dict(values.affine(one).terms).get(variable, 0) for one in axes]
    return steps.pop(0 if ty.layout == "F" else -1), steps
