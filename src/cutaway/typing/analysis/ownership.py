"""Ownership: the variables that own a reference to memory, and those that only borrow one.

A variable borrows if the memory outlives it anyway: arguments (the caller holds them),
constants, and values extracted from or built of borrowed ones.  It owns the result of a call,
and any view, tuple, iterator or merge with an owned part that it may outlive.  Between its
definition and its `decref` an owned variable stands for exactly one reference.  An iterator that
may outlive the function (typing/analysis/outliving.py) owns its state.

Some calls only combine their arguments or extract parts, as operators do: `zip(a, b)`,
`operator.getitem(a, s)`, the class of a named tuple.  Ownership of their results follows the rules
of operators.  An operator, item or attribute that is implemented by a Python function or by an
extension returns an owned reference, as a call does.
"""

from __future__ import annotations

import operator
from collections.abc import Collection, Iterable, Mapping

from cutaway.ir import nodes
from cutaway.ir.effects import Effect
from cutaway.ir.function import Function
from cutaway.ir.liveness import Liveness, liveness
from cutaway.ir.nodes import Op
from cutaway.ir.operators import BINARY, INPLACE, UNARY
from cutaway.ir.traversal import definitions, effects, regions, uses, walk
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
from cutaway.typing.types import Array, Integer, Record, Str, Tuple, Type
from cutaway.typing.types.arrays import Flat, NdIter
from cutaway.typing.types.containers import Container, Dict, DictView, List, opens
from cutaway.typing.types.functions import BoundMethod
from cutaway.typing.types.interning import BY_CLASS
from cutaway.typing.types.iterators import Iterator
from cutaway.typing.types.structure import Compound, cells, owners

Types = Mapping[str, Type]

_MAKERS = (
    *(nodes.NewArray, nodes.Apart, nodes.Caught, nodes.RunObjects),
    *(nodes.MakeList, nodes.BuildSet, nodes.BuildDict),
)
_SHARING = frozenset(
    (enumerate, list, reversed, sum, tuple, zip, operator.getitem)
    + tuple(row.function for rows in (BINARY, INPLACE, UNARY) for row in rows.values())
)


def holds_memory(ty: Type) -> bool:
    """True if a value of the type contains an array, or another owner of memory."""
    return bool(owners(ty))


def owned_variables(fn: Function, table: Types, resolutions: Resolutions) -> set[str]:
    """Return the variables that own a reference: the least fixed point."""
    candidates = [
        op for op in walk(fn) for name in definitions(op)[:1] if holds_memory(table[name])
    ]
    outliving = outliving_iterators(fn, table, resolutions)
    owned = {
        definitions(op)[0]
        for op in candidates
        if _is_new(op, resolutions) or (isinstance(op, nodes.Cast) and _opens(op, table))
    }
    # The state of all other iterators is on the stack.
    owned = {name for name in owned if owners(table[name]) != cells(table[name])} | outliving
    owned |= {name for name in _carried(fn) if holds_memory(table[name])}
    while _spread(candidates, owned):
        pass
    # An iterator that owns its state cannot borrow.
    sharing = [op for op in candidates if definitions(op)[0] not in outliving]
    return owned - _lent(fn, table, resolutions, sharing, owned)


def _opens(op: nodes.Cast, table: Types) -> bool:
    return opens(table[op.value], table[op.result])


def _spread(candidates: Iterable[Op], owned: set[str]) -> bool:
    """Add the results of ops with an owned operand, in one sweep; False if none is new."""
    before = len(owned)
    owned.update(definitions(op)[0] for op in candidates if _owns(op, owned))
    return len(owned) > before


def _lent(
    fn: Function, table: Types, resolutions: Resolutions, candidates: Iterable[Op], owned: set[str]
) -> set[str]:
    """Return the parts that can borrow from an owned variable, since it outlives them.

    `for x in np.nditer(a)`: the iterator owns `a` as long as the loop runs, and each `x` is a view.
    `items.append` of a list is the list itself.  An item of a container is a part of it until an op
    may remove it: `table[i][j]` counts no references of `table[i]`.
    """
    sources: dict[str, str] = {}
    items: set[str] = set()
    top = {id(op) for block in fn.blocks.values() for op in block.ops}
    for op in candidates:
        name = definitions(op)[0]
        owners_used = [one for one in dict.fromkeys(uses(op)) if one in owned]
        shared = id(op) in top and not op.REGIONS and shares(op, resolutions)
        if shared and name in owned and len(owners_used) == 1 and _is_frozen(table[owners_used[0]]):
            sources[name] = owners_used[0]
        elif name in owned and id(op) in top and (source := _container_read(op, table)):
            sources[name] = source
            items.add(name)
    live = liveness(fn, _needed) if sources else None
    removing = {
        id(op)
        for block in fn.blocks.values()
        for op in block.ops
        if items and may_remove(op, table)
    }
    while live is not None and (outlived := _outlived(fn, live, sources, items, owned, removing)):
        for name in outlived:
            del sources[name]
        items -= outlived
    return set(sources)


def _container_read(op: Op, table: Types) -> str | None:
    """Return the list or dict whose item an op reads, or its iterator; None for any other op."""
    match op:
        case nodes.GetItem(_, value, index) if isinstance(table[value], List):
            return value if isinstance(table[index], Integer) else None
        case nodes.StaticGetItem(_, value, index) if isinstance(table[value], List):
            return value if isinstance(index, int) else None
        case nodes.GetItem(_, value) | nodes.StaticGetItem(_, value):
            return value if isinstance(table[value], Dict) else None
        case nodes.IterNext(iterator=value):
            source = table[value]
            is_of_one = isinstance(source, Iterator) and isinstance(
                source.source, Container | DictView
            )
            return value if is_of_one else None
    return None


def may_remove(op: Op, table: Types) -> bool:
    """True if an op may remove an item that owns memory from a container."""
    if isinstance(op, nodes.Suspend):  # what runs meanwhile may do anything
        return True
    if Effect.WRITES not in effects(op) or isinstance(op, nodes.LIFETIMES):
        return False
    if isinstance(op, nodes.IterNext) and _container_read(op, table):
        return False
    return any(may_hold_items(table[name]) for name in uses(op))


def may_hold_items(ty: Type) -> bool:
    """True if a value may lead to a container with items that own memory."""
    match ty:
        case Container(contents=contents):
            return any(map(holds_memory, contents))
        case DictView(dict=held) | BoundMethod(held=held) | Iterator(held=held):
            return may_hold_items(held)
        case Tuple(items=items):
            return any(map(may_hold_items, items))
    return holds_memory(ty) and not isinstance(ty, Array | Str)


def _outlived(
    fn: Function,
    live: Liveness,
    sources: Mapping[str, str],
    items: Collection[str],
    owned: Collection[str],
    removing: Collection[int],
) -> set[str]:
    """Return the borrowing variables that need a reference of their own: they, or variables that
    borrow from them, are used after the owner is dead, or an item after it may be removed."""
    ways = {name: _way(name, sources) for name in sources}
    outlived: set[str] = set()
    for block in fn.blocks.values():
        if block.label not in live.out:
            continue
        current = set(live.out[block.label])
        # A variable that is live at the end may be used by a phi there, or in a handler.
        at_end = ways.keys() & current
        outlived |= {
            last
            for last, owner in map(ways.__getitem__, at_end)
            if owner in owned and owner not in current
        }
        for op in reversed(block.ops):
            used = () if isinstance(op, nodes.Phi) else _needed(op)
            after = current.union(used)
            borrowed = [ways[name] for name in used if name in ways]
            outlived |= {last for last, owner in borrowed if owner in owned and owner not in after}
            if id(op) in removing:
                for name in after.difference(definitions(op)) & ways.keys():
                    outlived |= _items_on_way(name, sources, items)
            current.difference_update(definitions(op))
            current.update(used)
    return outlived


def _way(name: str, sources: Mapping[str, str]) -> tuple[str, str]:
    """Return the owner that a variable borrows from in the end, after the last borrower on the
    path to it."""
    source = sources[name]
    return (name, source) if source not in sources else _way(source, sources)


def _items_on_way(name: str, sources: Mapping[str, str], items: Collection[str]) -> set[str]:
    """Return the items of containers that a variable borrows from, itself included."""
    on_way = set()
    while name in sources:
        on_way |= {name} & set(items)
        name = sources[name]
    return on_way


def _needed(op: Op) -> tuple[str, ...]:
    """Return the uses of an op, except those of `Del` and of reference counting."""
    return () if isinstance(op, nodes.LIFETIMES) else uses(op)


def _is_frozen(ty: Type) -> bool:
    """True if a value of the type refers to the same memory throughout its life."""
    match ty:
        case Array() | Record() | NdIter() | Flat() | Str() | Container() | DictView():
            return True  # an item of a container is a reference of its own
        case Tuple(items=items):
            return all(not holds_memory(item) or _is_frozen(item) for item in items)
        case BoundMethod() | Iterator():
            return _is_frozen(ty.held)
    return False


def _carried(fn: Function) -> Iterable[str]:
    """Yield the variables that regions carry: each iteration, and finally the op's results, take
    over a reference."""
    for op in walk(fn):
        if op.REGIONS:
            yield from definitions(op)
            for region in regions(op):
                yield from region.carried


def _owns(op: Op, owned: set[str]) -> bool:
    if isinstance(op, nodes.Arg | nodes.Const | nodes.Global | nodes.FreeVar | nodes.Undef):
        return False
    if isinstance(op, nodes.Line):  # its array outlives the iteration
        return False
    return any(name in owned for name in uses(op))


def shares(op: Op, resolutions: Resolutions) -> bool:
    """True if an op with an owned result needs an incref for it (most calls return a new
    reference)."""
    return not isinstance(op, nodes.Phi) and not _is_new(op, resolutions)


def _is_new(op: Op, resolutions: Resolutions) -> bool:
    """True if the result of an op is a new reference."""
    if op.REGIONS or isinstance(op, _MAKERS):
        return True
    if isinstance(op, nodes.Extend):
        return False  # it is the same container
    return brings_reference(resolutions.get(op.id), isinstance(op, nodes.Call))


def brings_reference(resolved: Resolved | None, called: bool) -> bool:
    """True if a result is a new reference, by the resolution of its op; `called` is true for a
    call."""
    if not isinstance(resolved, Chosen):
        # For one of several functions the lowering makes it one.
        return isinstance(resolved, CompiledCall | OneOf)
    is_call = called and (resolved.owner is not None or not _is_sharing(resolved.question.function))
    return is_new_reference(resolved.resolution, is_call)


def answer_is_new(function: object, resolution: Resolution) -> bool:
    """True if the result of a function that an extension calls is a new reference; an attribute's
    name stands for the function that reads it."""
    asked = isinstance(function, str) or function in (iterate, advance)
    return is_new_reference(resolution, not asked and not _is_sharing(function))


def is_new_reference(resolution: Resolution, is_call: bool) -> bool:
    """True if a result is a new reference, as that of most calls."""
    overload = resolution.overload
    if is_call and not overload.shares:
        return True
    return resolution.implementation is not None or overload.gives_new_reference


def _is_sharing(function: object) -> bool:
    """True if the result of a function borrows from its arguments."""
    cls = BY_CLASS.get(id(function))
    return function in _SHARING or (cls is not None and issubclass(cls, Compound))
