"""Which variables own a reference to memory, and which only borrow one.

A variable borrows when the memory outlives it anyway: arguments (the caller holds them),
constants, and what is taken out of or made of borrowed values.  It owns what a call gave it,
and any view, tuple, iterator or merge with an owned part.  Between its definition and its
`decref` an owned variable stands for exactly one reference.

Some calls only put together or take out what they are given, as operators do: `zip(a, b)`,
`operator.getitem(a, s)`, the class of a named tuple.  Their results are owned as those of
operators are.  An operator, item or attribute that a function in Python stands for, or the code of
an extension, gives what it owns, as a call does.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping

from cutaway.ir import nodes
from cutaway.ir.nodes import Op
from cutaway.ir.operators import BINARY, INPLACE, UNARY
from cutaway.ir.traversal import definitions, uses, walk
from cutaway.typing import types
from cutaway.typing.inference.answers import Answers
from cutaway.typing.types import Array, BoundMethod, Closure, Flat, Iterator, Optional, Tuple, Type
from cutaway.typing.types.buffers import Buffer
from cutaway.typing.types.kinds import MemInfoPointer
from cutaway.typing.types.representations import represented

Types = Mapping[str, Type]

_SHARING = frozenset(
    (enumerate, reversed, sum, tuple, zip, operator.getitem)
    + tuple(row.function for rows in (BINARY, INPLACE, UNARY) for row in rows.values())
)


def holds_memory(ty: Type) -> bool:
    """Whether a value of the type has an array, or another owner of memory, in it."""
    match ty:
        case Array() | types.Record() | types.Opaque() | types.Str() | Buffer():
            return True
        case MemInfoPointer():
            return True
        case Tuple(items=items):
            return any(map(holds_memory, items))
        case BoundMethod(owner=owner):
            return holds_memory(owner)
        case Closure(carried=carried) | types.Functions(carried=carried):
            return any(map(holds_memory, carried))
        case Optional(inner=inner):
            return holds_memory(inner)
        case Flat(array=array):
            return holds_memory(array)
        case Iterator(source=types.Enumerated(inner=inner)):
            return holds_memory(inner)
        case Iterator(source=types.Zipped(inner=several)):
            return any(map(holds_memory, several))
        case Iterator(source=source):
            return holds_memory(source)
    representation = represented(ty)
    return representation is not None and holds_memory(representation)


def owned_variables(answers: Answers) -> set[str]:
    """The variables of a function that own a reference, by iteration from none up."""
    fn, table = answers.fn, answers.types
    candidates = [
        op for op in walk(fn) for name in definitions(op)[:1] if holds_memory(table[name])
    ]
    owned = {definitions(op)[0] for op in candidates if _is_new(op, answers)}
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
    if isinstance(op, nodes.Arg | nodes.Const | nodes.Global | nodes.FreeVar | nodes.Undef):
        return False
    return any(name in owned for name in uses(op))


def shares(op: Op, answers: Answers) -> bool:
    """Whether an op with an owned result needs a new reference for it (most calls bring their
    own)."""
    return not isinstance(op, nodes.Phi) and not _is_new(op, answers)


def _is_new(op: Op, answers: Answers) -> bool:
    """Whether what an op gives brings a reference of its own."""
    if isinstance(op, nodes.Call) and not _is_sharing(op, answers.types):
        return True
    return isinstance(op, _ANSWERED) and answers.gives_new_reference(op)


_ANSWERED = (
    *(nodes.Call, nodes.Unary, nodes.Binary, nodes.Inplace, nodes.GetItem, nodes.StaticGetItem),
    *(nodes.GetAttr, nodes.GetIter, nodes.IterNext),
)


def _is_sharing(op: nodes.Call, table: Types) -> bool:
    return gives_shared(table[op.func])


def gives_shared(target: Type) -> bool:
    """Whether what a function gives is put together or taken out of what it is given.  Of a choice
    none is, as the lowering sees to."""
    if not isinstance(target, types.Function | types.Class):
        return False
    return types.is_named_tuple(target.value) or any(target.value is f for f in _SHARING)
