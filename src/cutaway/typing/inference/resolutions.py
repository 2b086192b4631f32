"""Resolutions: the overload, function or field that each op of a typed function refers to.

    $0.1 = a + b               Chosen: operator.add(int64, int64) -> int64
    $0.2 = call f(x=$0.1)      CompiledCall: f(int64)
    $0.3 = getattr(p, 'x')     Field: 0

Inference stores one for each op that needs one, by the op's id (`unit.resolutions`); later passes,
the lowering and the explanation of calls read it.  `resolving.py` computes it from final types, for
ops that a pass inserts and for IR that was not inferred.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from cutaway.foundation.dataclass import dataclass
from cutaway.ir import nodes
from cutaway.ir.function import Function
from cutaway.ir.nodes import Op
from cutaway.ir.traversal import required, walk
from cutaway.typing import types
from cutaway.typing.inference.questions import Question
from cutaway.typing.overloads.resolution import Call, Resolution
from cutaway.typing.types import Tuple, Type
from cutaway.typing.types.texts import may_change


@dataclass(frozen=True, slots=True)
class Chosen:
    """The overload that answers a question; for a method call `owner` is the type of the first
    argument, whose method it is."""

    question: Question
    resolution: Resolution
    owner: Type | None = None


@dataclass(frozen=True, slots=True)
class CompiledCall:
    """A call of a compiled function, with the arguments of its compiled form: `carried` are the
    values of an inner function that are passed after the arguments."""

    function: Any
    call: Call
    carried: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class OneOf:
    """A call of one of several functions, each resolved by itself."""

    functions: tuple[Resolved, ...]


@dataclass(frozen=True, slots=True)
class MadeTuple:
    """A call of a named tuple's class."""

    cls: Any
    call: Call


@dataclass(frozen=True, slots=True)
class Held:
    """An attribute of a module or class, a constant at compile time."""

    value: Any


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a named tuple."""

    position: int


@dataclass(frozen=True, slots=True)
class Bound:
    """A method that is bound to its owner; only its call has a resolution with an overload."""


Resolved = Chosen | CompiledCall | OneOf | MadeTuple | Held | Field | Bound
Resolutions = dict[int, Resolved]  # by the ids of ops

BOUND = Bound()

_ASKING = (
    *(nodes.Call, nodes.GetAttr, nodes.Unary, nodes.Binary, nodes.Inplace, nodes.GetItem),
    *(nodes.SetItem, nodes.StaticSetItem, nodes.SetAttr, nodes.DelAttr, nodes.GetIter),
    *(nodes.IterNext, nodes.Branch, nodes.Element, nodes.ListAppend, nodes.DelItem),
)


def needs_resolution(op: Op, table: Mapping[str, Type]) -> bool:
    """True if an op needs a resolution: it may be executed, and it uses overloads or calls.  Items
    of tuples are read without one."""
    if is_never_executed(op, table):
        return False
    if isinstance(op, nodes.StaticGetItem | nodes.Unpack | nodes.UnpackStar):
        return not isinstance(table[op.value], Tuple)
    if isinstance(op, nodes.FormatValue):
        return may_change(table[op.value])
    if isinstance(op, nodes.Extend):
        return op.how.endswith("_update") or op.how == "list_extend"
    return isinstance(op, _ASKING)


def is_never_executed(op: Op, table: Mapping[str, Type]) -> bool:
    """True if an operand never has a value: an item of an empty tuple, or the result of an op that
    always raises."""
    if isinstance(op, nodes.Phi | nodes.Copy | nodes.Cast | nodes.Return | nodes.Branch):
        return False
    return any(table.get(name) is types.undefined for name in required(op))


def unresolved(fn: Function, table: Mapping[str, Type], resolutions: Resolutions) -> Iterator[Op]:
    """Yield the ops that need a resolution and have none."""
    for op in walk(fn):
        if op.id not in resolutions and needs_resolution(op, table):
            yield op
