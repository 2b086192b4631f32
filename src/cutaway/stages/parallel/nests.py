"""Loops over `prange` nested directly in each other, as one nest of two or more dimensions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from cutaway.foundation.dataclass import dataclass
from cutaway.foundation.loops import prange
from cutaway.ir import nodes
from cutaway.ir.affine import Affine
from cutaway.ir.combining import ordered_places
from cutaway.ir.function import Function
from cutaway.ir.induction import LinearValues
from cutaway.ir.nodes import Block, Op
from cutaway.ir.regions import FrozenBlock, Region
from cutaway.ir.traversal import definitions, retarget, targets, uses
from cutaway.typing.analysis.items import axes_of, is_proved
from cutaway.typing.types import Array, Boolean, Float, Integer, Tuple, Type

_SIMPLE = (
    *(nodes.Const, nodes.Global, nodes.FreeVar, nodes.Copy, nodes.Cast, nodes.Phi, nodes.Jump),
    *(nodes.Branch, nodes.Yield, nodes.BuildTuple, nodes.GetIter, nodes.IterNext, nodes.GetAttr),
)
_QUICK = frozenset("+ - * & | ^ == != < <= > >=".split())
_SAFE = (abs, min, max, float, range, prange, len)
_NUMBERS = (Integer, Float, Boolean)


class Numbers:
    """Labels and ids for blocks of regions that their function does not have yet."""

    def __init__(self, fn: Function) -> None:
        self.fn, self.given = fn, 0

    def label(self) -> int:
        """Return an unused label."""
        self.given += 1
        return self.fn.new_label() + self.given - 1

    def id(self) -> int:
        """Return an unused id."""
        return self.fn.new_id()


@dataclass(frozen=True, slots=True)
class InnerLoop:
    """A loop that can be a further dimension: the ops that compute its bounds, which belong before
    the nest, the arguments of its range, and the region of the nest with it."""

    before: tuple[Op, ...]
    bounds: tuple[str, ...]
    region: Region


def inner_loop(
    region: Region,
    operators: Sequence[str],
    table: Mapping[str, Type],
    constants: Mapping[str, Any],
    values: Callable[[], LinearValues],  # needed by few loops
    new: Numbers,
) -> InnerLoop | None:
    """Return the loop nested directly in a region, if it can be a further dimension."""
    if ordered_places(operators):
        return None
    entry, *others = region.blocks
    blocks = {block.label: block for block in region.blocks}
    jump = entry.terminator
    head = blocks.get(jump.target) if isinstance(jump, nodes.Jump) else None
    if head is None or head is entry:
        return None
    phis = [op for op in head.ops if isinstance(op, nodes.Phi)]
    steps = [op for op in head.ops if isinstance(op, nodes.IterNext)]
    end = head.terminator
    if len(steps) != 1 or not isinstance(end, nodes.Branch) or len(head.ops) != len(phis) + 2:
        return None
    before = _bounds_of(entry, steps[0], region, table, constants)
    last = blocks[end.orelse]
    if before is None or not isinstance(last.terminator, nodes.Yield) or len(last.ops) != 1:
        return None
    carried = _carried(region, phis, last.terminator, entry.label)
    body = [block for block in others if block is not head and block is not last]
    if carried is None or not body or body[0].label != end.then:
        return None
    if not all(_is_safe(op, table, constants) for block in body for op in block.ops):
        return None
    ended = [one for block in body for one in ending(block, head.label, carried, new)]
    ops, bounds = before
    names = tuple(phi.result for phi in carried)
    if [table[name] for name in names] != [table[name] for name in region.carried]:
        return None
    indices = (*region.indices, steps[0].result)
    nest = Region.of(ended, indices, names, region.initial)
    return InnerLoop(ops, bounds, nest) if _writes_apart(nest, values()) else None


def _writes_apart(nest: Region, values: LinearValues) -> bool:
    """True if each point of the nest writes elements of its own, and reads no others of these
    arrays: a loop in the loop may rely on its order, which would not be kept."""
    ops = [op for block in nest.blocks for op in block.ops]
    own = {*nest.arguments, *(name for op in ops for name in definitions(op))}
    written: dict[str, list[Affine]] = {}
    for op in ops:
        if isinstance(op, nodes.SetItem):
            axes = [values.affine(axis) for axis in axes_of(op, values.definitions)]
            moving = [[name for name, _ in axis.terms if name in own] for axis in axes]
            if not all([index] in moving for index in nest.indices):
                return False
            if written.setdefault(op.target, axes) != axes:
                return False
    for op in ops:
        if isinstance(op, nodes.GetItem) and op.value in written:
            if [values.affine(axis) for axis in axes_of(op, values.definitions)] != written[
                op.value
            ]:
                return False
    return True


def _bounds_of(
    entry: FrozenBlock,
    step: nodes.IterNext,
    region: Region,
    table: Mapping[str, Type],
    constants: Mapping[str, Any],
) -> tuple[tuple[Op, ...], tuple[str, ...]] | None:
    """Return the loop-invariant ops in front of a loop, if all are, and the bounds that they
    compute."""
    *ops, range_call, start, _ = entry.ops if len(entry.ops) > 2 else (None,) * 3
    if not isinstance(start, nodes.GetIter) or start.result != step.iterator:
        return None
    if not isinstance(range_call, nodes.Call) or start.value != range_call.result:
        return None
    if constants.get(range_call.func) is not prange or range_call.keywords or range_call.star:
        return None
    if not set(region.arguments).isdisjoint(range_call.args):
        return None
    if len(range_call.args) == 3 and not constants.get(range_call.args[2]):
        return None
    for op in ops:
        if not isinstance(op, Op) or not set(region.arguments).isdisjoint(uses(op)):
            return None
        if not _is_free(op, table, constants):
            return None
    return tuple(op for op in ops if isinstance(op, Op)), range_call.args


def _is_free(op: Op, table: Mapping[str, Type], constants: Mapping[str, Any]) -> bool:
    """True for an op that can be executed though the loop has no iteration."""
    match op:
        case nodes.Const() | nodes.Global() | nodes.FreeVar() | nodes.Copy() | nodes.Cast():
            return True
        case nodes.GetAttr(_, value, "shape"):
            return isinstance(table[value], Array)
        case nodes.StaticGetItem(_, value, index):
            return isinstance(table[value], Tuple) and type(index) is int
        case nodes.Call(_, func, (value,)):
            return constants.get(func) is len and isinstance(table[value], Array)
    return _is_arithmetic(op, table)


def _is_arithmetic(op: Op, table: Mapping[str, Type]) -> bool:
    if not isinstance(op, nodes.Binary | nodes.Inplace):
        return isinstance(op, nodes.Unary) and isinstance(table[op.value], _NUMBERS)
    numbers = all(isinstance(table[name], _NUMBERS) for name in (op.lhs, op.rhs))
    return numbers and op.op.symbol.rstrip("=") in _QUICK | {"", "<", ">"}


def _is_safe(op: Op, table: Mapping[str, Type], constants: Mapping[str, Any]) -> bool:
    """True for an op that cannot raise."""
    match op:
        case nodes.GetItem(_, value):
            return is_proved(op) and isinstance(table[value], Array)
        case nodes.SetItem(target):
            return is_proved(op) and isinstance(table[target], Array)
        case nodes.StaticGetItem():
            return _is_free(op, table, constants)
        case nodes.Call(_, func, args):
            function = constants.get(func)
            known = isinstance(function, np.ufunc) or any(function is one for one in _SAFE)
            return known and all(isinstance(table[name], _NUMBERS) for name in args)
    if isinstance(op, nodes.Binary) and op.op.symbol in ("//", "%"):
        numbers = all(isinstance(table[name], _NUMBERS) for name in (op.lhs, op.rhs))
        return numbers and bool(constants.get(op.rhs))
    return isinstance(op, _SIMPLE) or _is_arithmetic(op, table)


def _carried(
    region: Region, phis: Sequence[nodes.Phi], end: nodes.Yield, entry: int
) -> list[nodes.Phi] | None:
    """Return the phis of the inner loop that are the variables of the outer one, in their order;
    None if there are others, or if something else uses these."""
    found = []
    for name, value in zip(region.carried, end.values, strict=True):
        phi = next((phi for phi in phis if phi.result == value), None)
        if phi is None or phi.values[phi.labels.index(entry)] != name:
            return None
        found.append(phi)
    lookers = [op for block in region.blocks for op in block.ops if op not in phis]
    if len(found) != len(phis) or any(set(region.carried) & set(uses(op)) for op in lookers):
        return None
    return found


def ending(
    block: Block | FrozenBlock, head: int, phis: Sequence[nodes.Phi], new: Numbers
) -> list[Block]:
    """Return a block of a loop's body whose back edges end in a yield."""
    end, ops = block.terminator, list(block.ops)
    if head not in targets(end):
        return [Block(block.label, ops)]
    values = tuple(phi.values[phi.labels.index(block.label)] for phi in phis)
    stop = nodes.Yield(values, loc=end.loc, id=new.id())
    if isinstance(end, nodes.Jump):
        return [Block(block.label, [*ops[:-1], stop])]
    label = new.label()
    branch = retarget(end, lambda one: label if one == head else one)
    return [Block(block.label, [*ops[:-1], branch]), Block(label, [stop])]
