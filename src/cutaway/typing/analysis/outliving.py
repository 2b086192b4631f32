"""Escape analysis of iterators: the state of those that may outlive the function is on the heap.

    for i, x in enumerate(a): ...          only used here: on the stack
    return (x * x for x in range(n))       the generator's frame refers to it: on the heap

An iterator does not escape if every use of it, and of values derived from it, reads items or makes
values that do not escape either.  One that is merged with another in a phi does: a loop may carry
it to an iteration that creates the next one.
"""

from __future__ import annotations

from collections.abc import Mapping

from cutaway.ir import nodes
from cutaway.ir.function import Function
from cutaway.ir.nodes import Op
from cutaway.ir.traversal import definitions, use_table, uses, walk
from cutaway.typing.inference.resolutions import Chosen, CompiledCall, OneOf, Resolutions, Resolved
from cutaway.typing.types import BufferType, Record, String, Type
from cutaway.typing.types.structure import cells, owners, represented

Types = Mapping[str, Type]

# Ops whose operands only their own results can refer to afterward.
_PASSING_ON = (
    *(nodes.Incref, nodes.Decref, nodes.Del, nodes.Copy, nodes.Cast, nodes.GetIter),
    *(nodes.IterNext, nodes.BuildTuple, nodes.Unpack, nodes.UnpackStar, nodes.StaticGetItem),
    *(nodes.GetItem, nodes.GetAttr, nodes.MakeFunction, nodes.Binary, nodes.Unary, nodes.Call),
    *(nodes.SetItem, nodes.StaticSetItem),  # items are never iterators
)


def outliving_iterators(fn: Function, table: Types, resolutions: Resolutions) -> set[str]:
    """Return the results of ops that create iterators which may outlive the function."""
    makers = [
        name
        for op in walk(fn)
        if isinstance(op, nodes.GetIter | nodes.GetAttr | nodes.Call)
        for name in definitions(op)
        if cells(table[name])
    ]
    users = use_table(fn) if makers else {}
    return {name for name in makers if not _stays(name, users, table, resolutions)}


def _stays(name: str, users: Mapping[str, list[Op]], table: Types, made: Resolutions) -> bool:
    seen, waiting = {name}, [name]
    while waiting:
        for op in users.get(waiting.pop(), ()):
            if not isinstance(op, _PASSING_ON) or _is_handed_on(op, table, made.get(op.id)):
                return False
            further = [one for one in definitions(op) if cells(table[one]) and one not in seen]
            waiting += further
            seen.update(further)
    return True


def _is_handed_on(op: Op, table: Types, resolved: Resolved | None) -> bool:
    """True if separately compiled code, which gets an op's operands, may keep them."""
    match resolved:
        case CompiledCall() | OneOf():
            pass
        case Chosen(resolution=resolution) if resolution.implementation is not None:
            pass
        case _:
            names = (*uses(op), *definitions(op))
            return any(represented(table[name]) is not None for name in names)
    return any(_may_hold(table[name]) for name in definitions(op))


def _may_hold(ty: Type) -> bool:
    """True if a value, or memory that it owns, may contain an iterator."""
    if isinstance(ty, BufferType | String | Record) or not owners(ty):
        return False
    inner = ty.inner_types
    return not inner or any(map(_may_hold, inner))
