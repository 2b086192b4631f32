"""Ownership: the variables that own a reference to memory, and those that only borrow one.

A variable borrows when the memory outlives it anyway: arguments (the caller holds them),
constants, and what is taken out of or made of borrowed values.  It owns what a call gave it,
and any view, tuple, iterator or merge with an owned part.  Between its definition and its
`decref` an owned variable stands for exactly one reference.  An iterator that may outlive the
function (typing/analysis/outliving.py) owns its state.

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
from cutaway.ir.nodes import Op
from cutaway.ir.operators import BINARY, INPLACE, UNARY
from cutaway.ir.traversal import definitions, regions, uses, walk
from cutaway.typing.analysis.outliving import outliving_iterators
from cutaway.typing.inference.resolutions import (
    Chosen,
    CompiledCall,
    OneOf,
    Resolutions,
    Resolved,
)
from cutaway.typing.types import Type
from cutaway.typing.types.compound import Compound
from cutaway.typing.types.interning import BY_CLASS
from cutaway.typing.types.structure import cells, owners

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
    changed = True
    while changed:
        changed = False
        for op in candidates:
            name = definitions(op)[0]
            if name not in owned and _owns(op, owned):
                owned.add(name)
                changed = True
    return owned


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
    if called and (resolved.owner is not None or not _is_sharing(resolved.question.function)):
        return True
    overload = resolved.resolution.overload
    return resolved.resolution.implementation is not None or overload.gives_new_reference


def _is_sharing(function: object) -> bool:
    """True if the result of a function borrows from its arguments."""
    cls = BY_CLASS.get(id(function))
    return function in _SHARING or (cls is not None and issubclass(cls, Compound))
