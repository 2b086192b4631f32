"""Ownership: the variables that own a reference to memory, and those that only borrow one.

A variable borrows when the memory outlives it anyway: arguments (the caller holds them),
constants, and what is taken out of or made of borrowed values.  It owns what a call gave it,
and any view, tuple, iterator or merge with an owned part that it may outlive.  Between its
definition and its `decref` an owned variable stands for exactly one reference.  An iterator that
may outlive the function (typing/analysis/outliving.py) owns its state.

Some calls only put together or take out what they are given, as operators do: `zip(a, b)`,
`operator.getitem(a, s)`, the class of a named tuple.  Their results are owned as those of
operators are.  An operator, item or attribute that a function in Python stands for, or the code of
an extension, gives what it owns, as a call does.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping

from cutaway.ir import nodes
from cutaway.ir.function import Function
from cutaway.ir.liveness import Liveness, liveness
from cutaway.ir.nodes import Op
from cutaway.ir.operators import BINARY, INPLACE, UNARY
from cutaway.ir.traversal import definitions, regions, uses, walk
from cutaway.typing.analysis.outliving import outliving_iterators
from cutaway.typing.inference.questions import advance, iterate
from cutaway.typing.inference.resolutions import (
    Chosen,
    CompiledCall,
    OneOf,
    Resolutions,
    Resolved,
)
from cutaway.typing.overloads.resolution import Resolution
from cutaway.typing.types import Array, Record, Tuple, Type
from cutaway.typing.types.arrays import Flat
from cutaway.typing.types.compound import Compound
from cutaway.typing.types.functions import BoundMethod
from cutaway.typing.types.interning import BY_CLASS
from cutaway.typing.types.iterators import Iterator
from cutaway.typing.types.structure import cells, owners
from cutaway.typing.types.walks import NdIter

Types = Mapping[str, Type]

_SHARING = frozenset(
    (enumerate, list, reversed, sum, tuple, zip, operator.getitem)
    + tuple(row.function for rows in (BINARY, INPLACE, UNARY) for row in rows.values())
)


def holds_memory(ty: Type) -> bool:
    """True if a value of the type has an array, or another owner of memory, in it."""
    return bool(owners(ty))


def owned_variables(fn: Function, table: Types, resolutions: Resolutions) -> set[str]:
    """The variables of a function that own a reference, by iteration from none up."""
    candidates = [
        op for op in walk(fn) for name in definitions(op)[:1] if holds_memory(table[name])
    ]
    outliving = outliving_iterators(fn, table, resolutions)
    owned = {definitions(op)[0] for op in candidates if _is_new(op, resolutions)}
    # The state of others is on the stack.
    owned = {name for name in owned if owners(table[name]) != cells(table[name])} | outliving
    owned |= {name for name in _carried(fn) if holds_memory(table[name])}
    while _spread(candidates, owned):
        pass
    # What owns state of its own cannot borrow.
    sharing = [op for op in candidates if definitions(op)[0] not in outliving]
    return owned - _lent(fn, table, resolutions, sharing, owned)


def _spread(candidates: Iterable[Op], owned: set[str]) -> bool:
    """Add what has an owned part, in one sweep; False where nothing is new."""
    before = len(owned)
    owned.update(definitions(op)[0] for op in candidates if _owns(op, owned))
    return len(owned) > before


def _lent(
    fn: Function, table: Types, resolutions: Resolutions, candidates: Iterable[Op], owned: set[str]
) -> set[str]:
    """The parts of an owned variable that it outlives: they borrow from it.

    `for x in np.nditer(a)`: the iterator owns `a` as long as the loop runs, and each `x` is a view.
    What can be given other contents, as a list, keeps nothing alive for others.
    """
    sources: dict[str, str] = {}
    top = {id(op) for block in fn.blocks.values() for op in block.ops}
    for op in candidates:
        name = definitions(op)[0]
        kept = [one for one in dict.fromkeys(uses(op)) if one in owned]
        shared = id(op) in top and not op.REGIONS and shares(op, resolutions)
        if shared and name in owned and len(kept) == 1 and _is_frozen(table[kept[0]]):
            sources[name] = kept[0]
    live = liveness(fn, _needed) if sources else None
    while live is not None and (kept := _outlived(fn, live, sources)):
        for name in kept:
            del sources[name]
    return set(sources)


def _outlived(fn: Function, live: Liveness, sources: Mapping[str, str]) -> set[str]:
    """The variables that need a reference: what is borrowed from them, or they, are used where
    that is not there any more which they borrow from."""
    ways = {name: _way(name, sources) for name in sources}
    found: set[str] = set()
    for block in fn.blocks.values():
        if block.label not in live.out:
            continue
        current = set(live.out[block.label])
        # What is live at the end may be taken by a phi there, or in a handler.
        found |= {ways[name][0] for name in ways.keys() & current if ways[name][1] not in current}
        for op in reversed(block.ops):
            used = () if isinstance(op, nodes.Phi) else _needed(op)
            after = current.union(used)
            found |= {ways[name][0] for name in used if name in ways and ways[name][1] not in after}
            current.difference_update(definitions(op))
            current.update(used)
    return found


def _way(name: str, sources: Mapping[str, str]) -> tuple[str, str]:
    """The last variable on the way to what a variable borrows from, and that."""
    source = sources[name]
    return (name, source) if source not in sources else _way(source, sources)


def _needed(op: Op) -> tuple[str, ...]:
    """What an op uses, but for those that end lives and count references."""
    return () if isinstance(op, nodes.Del | nodes.Incref | nodes.Decref) else uses(op)


def _is_frozen(ty: Type) -> bool:
    """True if a value of the type refers to the same memory all its life."""
    match ty:
        case Array() | Record() | NdIter() | Flat():
            return True
        case Tuple(items=items):
            return all(not holds_memory(item) or _is_frozen(item) for item in items)
        case BoundMethod() | Iterator():
            return _is_frozen(ty.held)
    return False


def _carried(fn: Function) -> Iterable[str]:
    """The variables that regions carry: each run, and the op's results at last, take over a
    reference."""
    for op in walk(fn):
        if op.REGIONS:
            yield from definitions(op)
            for region in regions(op):
                yield from region.carried


def _owns(op: Op, owned: set[str]) -> bool:
    if isinstance(op, nodes.Arg | nodes.Const | nodes.Global | nodes.FreeVar | nodes.Undef):
        return False
    if isinstance(op, nodes.Line):  # of an array that outlives the iteration
        return False
    return any(name in owned for name in uses(op))


def shares(op: Op, resolutions: Resolutions) -> bool:
    """True if an op with an owned result needs a new reference for it (most calls bring their
    own)."""
    return not isinstance(op, nodes.Phi) and not _is_new(op, resolutions)


def _is_new(op: Op, resolutions: Resolutions) -> bool:
    """True if the result of an op has a reference of its own."""
    if op.REGIONS or isinstance(op, nodes.NewArray | nodes.Apart | nodes.Caught | nodes.RunObjects):
        return True
    return brings_reference(resolutions.get(op.id), isinstance(op, nodes.Call))


def brings_reference(resolved: Resolved | None, called: bool) -> bool:
    """True if a result has a reference of its own, by what its op was resolved to; `called`
    says whether it is a call."""
    if not isinstance(resolved, Chosen):
        # Of one of several functions the lowering sees to it.
        return isinstance(resolved, CompiledCall | OneOf)
    is_call = called and (resolved.owner is not None or not _is_sharing(resolved.question.function))
    return is_new_reference(resolved.resolution, is_call)


def answer_is_new(function: object, resolution: Resolution) -> bool:
    """True if what a function gives has a reference of its own, where no op asks, but an extension;
    an attribute's name stands for the function that reads it."""
    asked = isinstance(function, str) or function in (iterate, advance)
    return is_new_reference(resolution, not asked and not _is_sharing(function))


def is_new_reference(resolution: Resolution, is_call: bool) -> bool:
    """True if a result has a reference of its own; most calls bring one."""
    overload = resolution.overload
    if is_call and not overload.shares:
        return True
    return resolution.implementation is not None or overload.gives_new_reference


def _is_sharing(function: object) -> bool:
    """True if the result of a function borrows from its arguments."""
    cls = BY_CLASS.get(id(function))
    return function in _SHARING or (cls is not None and issubclass(cls, Compound))
