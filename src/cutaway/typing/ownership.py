"""Which variables own a reference to memory, and which only borrow one.

A variable borrows when the memory outlives it anyway: arguments (the caller holds them),
constants, and what is taken out of or made of borrowed values.  It owns what a call gave it,
and any view, tuple or merge with an owned part.  Between its definition and its `decref` an
owned variable stands for exactly one reference.
"""

from __future__ import annotations

from collections.abc import Mapping

from cutaway.ir import nodes
from cutaway.ir.function import Function
from cutaway.ir.nodes import Op
from cutaway.ir.traversal import definitions, uses, walk
from cutaway.typing.types import Array, BoundMethod, Closure, Flat, Optional, Tuple, Type


def holds_memory(ty: Type) -> bool:
    """Whether a value of the type has an array in it."""
    match ty:
        case Array():
            return True
        case Tuple(items=items):
            return any(map(holds_memory, items))
        case BoundMethod(owner=owner):
            return holds_memory(owner)
        case Closure(carried=carried):
            return any(map(holds_memory, carried))
        case Optional(inner=inner):
            return holds_memory(inner)
        case Flat(array=array):
            return holds_memory(array)
    return False


def owned_variables(fn: Function, types: Mapping[str, Type]) -> set[str]:
    """The variables that own a reference, by iteration from none up."""
    candidates = [
        op for op in walk(fn) for name in definitions(op)[:1] if holds_memory(types[name])
    ]
    owned: set[str] = set()
    changed = True
    while changed:
        changed = False
        for op in candidates:
            name = definitions(op)[0]
            if name not in owned and _owns(op, owned):
                owned.add(name)
                changed = True
    return owned


def _owns(op: Op, owned: set[str]) -> bool:
    if isinstance(op, nodes.Call):
        return True
    if isinstance(op, nodes.Arg | nodes.Const | nodes.Global | nodes.FreeVar | nodes.Undef):
        return False
    return any(name in owned for name in uses(op))


def shares(op: Op) -> bool:
    """Whether an op with an owned result needs a new reference for it (a call brings its own)."""
    return not isinstance(op, nodes.Call | nodes.Phi)
