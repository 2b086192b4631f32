"""Resolutions: what each op of a typed function was resolved to.

    $0.1 = a + b               Chosen: operator.add(int64, int64) -> int64
    $0.2 = call f(x=$0.1)      CompiledCall: f(int64)
    $0.3 = getattr(p, 'x')     Field: 0

Inference leaves one for each op that needs one, by the op's id (`unit.resolutions`); later passes,
the lowering and what explains calls read it.  `resolving.py` makes it from final types, for ops
that a pass puts in and for IR that no inference has gone through.
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


@dataclass(frozen=True, slots=True)
class Chosen:
    """The overload that answers a question; `owner` is the type whose method is called, where one
    is: its value is the first argument."""

    question: Question
    resolution: Resolution
    owner: Type | None = None


@dataclass(frozen=True, slots=True)
class CompiledCall:
    """A call of a function that is compiled, as its compiled form takes it: `carried` are the
    values that an inner function carries along and passes after the arguments."""

    function: Any
    call: Call
    carried: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class OneOf:
    """A call of a value that is one of several functions, each resolved by itself."""

    functions: tuple[Resolved, ...]


@dataclass(frozen=True, slots=True)
class MadeTuple:
    """A call of a class of named tuples."""

    cls: Any
    call: Call


@dataclass(frozen=True, slots=True)
class Held:
    """An attribute of a module or class, known when compiling."""

    value: Any


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a named tuple."""

    position: int


@dataclass(frozen=True, slots=True)
class Bound:
    """A method, bound to its owner: the call of it is resolved."""


Resolved = Chosen | CompiledCall | OneOf | MadeTuple | Held | Field | Bound
Resolutions = dict[int, Resolved]  # by the ids of ops

BOUND = Bound()

_ASKING = (
    *(nodes.Call, nodes.GetAttr, nodes.Unary, nodes.Binary, nodes.Inplace, nodes.GetItem),
    *(nodes.SetItem, nodes.StaticSetItem, nodes.SetAttr, nodes.DelAttr, nodes.GetIter),
    *(nodes.IterNext, nodes.Branch, nodes.Element, nodes.ListAppend),
)


def needs_resolution(op: Op, table: Mapping[str, Type]) -> bool:
    """True if an op is to have a resolution: one that is executed and works by overloads, or calls.
    Items of tuples are taken by their types."""
    if is_never_executed(op, table):
        return False
    if isinstance(op, nodes.StaticGetItem | nodes.Unpack):
        return not isinstance(table[op.value], Tuple)
    return isinstance(op, _ASKING)


def is_never_executed(op: Op, table: Mapping[str, Type]) -> bool:
    """True if an op works on a variable that never has a value: an item of an empty tuple, or what
    an operation gives that always raises."""
    if isinstance(op, nodes.Phi | nodes.Copy | nodes.Cast | nodes.Return | nodes.Branch):
        return False
    return any(table.get(name) is types.undefined for name in required(op))


def unresolved(fn: Function, table: Mapping[str, Type], resolutions: Resolutions) -> Iterator[Op]:
    """The ops that are to have a resolution and have none."""
    for op in walk(fn):
        if op.id not in resolutions and needs_resolution(op, table):
            yield op
