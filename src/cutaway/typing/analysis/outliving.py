"""Which iterators another place may hold when the function ends: their state is in counted memory.

    for i, x in enumerate(a): ...          gone through here and nowhere else: on the stack
    return (x * x for x in range(n))       the generator's frame has it: in memory of its own

An iterator stays if all that is done with it, and with what is made of it, takes items or makes
values that stay as well.  One that meets another in a phi does not: a loop may carry it on to a run
that makes the next one.
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

# Nothing but their own results can hold what they use.
_PASSING_ON = (
    *(nodes.Incref, nodes.Decref, nodes.Del, nodes.Copy, nodes.Cast, nodes.GetIter),
    *(nodes.IterNext, nodes.BuildTuple, nodes.Unpack, nodes.UnpackStar, nodes.StaticGetItem),
    *(nodes.GetItem, nodes.GetAttr, nodes.MakeFunction, nodes.Binary, nodes.Unary, nodes.Call),
    *(nodes.SetItem, nodes.StaticSetItem),  # of items, which no iterator is
)


def outliving_iterators(fn: Function, table: Types, resolutions: Resolutions) -> set[str]:
    """The results of ops that make such iterators."""
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
    """True if code of its own, which gets what an op uses, can keep it."""
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
    """True if an iterator may be in a value, or in memory that it owns."""
    if isinstance(ty, BufferType | String | Record) or not owners(ty):
        return False
    inner = ty.inner_types
    return not inner or any(map(_may_hold, inner))
