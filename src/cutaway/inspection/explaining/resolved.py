"""The resolution of each op of a typed function, as a table: `c.at("typed").resolutions`.

    line 4: `a[i]`: getitem(array(float64, 1d, C), int64) returns float64
    line 4: `f(s)`: f, compiled for (float64) returns float64

Ops are in the order of the program.
"""

from __future__ import annotations

from collections.abc import Iterator

from cutaway.foundation.dataclass import dataclass
from cutaway.foundation.source import source_line
from cutaway.inspection.showing.displayed import Displayed
from cutaway.ir import nodes
from cutaway.ir.nodes import Op
from cutaway.ir.printer import op_text
from cutaway.ir.traversal import definitions, walk
from cutaway.stages.unit import CompileUnit
from cutaway.typing import types
from cutaway.typing.errors.wording import source_of
from cutaway.typing.inference.callees import kind_of
from cutaway.typing.inference.resolutions import (
    Chosen,
    CompiledCall,
    MadeTuple,
    OneOf,
    Resolved,
)
from cutaway.typing.overloads.candidates import rule_name
from cutaway.typing.overloads.resolution import Resolution
from cutaway.typing.types import Type


@dataclass(frozen=True, slots=True)
class ResolvedOp:
    """One op: its line and source, the operator or function, the overload chosen for its argument
    types, and the result type."""

    line: int
    source: str
    function: str
    chosen: str
    gives: str


@dataclass(frozen=True, eq=False)
class ResolvedOps(Displayed):
    """The ops of a function that use an overload or a call, in the order of the program."""

    function: str
    rows: tuple[ResolvedOp, ...]

    def in_line(self, line: int) -> tuple[ResolvedOp, ...]:
        """Return the ops of one line of the source."""
        return tuple(row for row in self.rows if row.line == line)

    def __iter__(self) -> Iterator[ResolvedOp]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def __str__(self) -> str:
        lines = [f"{self.function}:"]
        for row in self.rows:
            gives = f" returns {row.gives}" if row.gives else ""
            lines.append(f"  line {row.line}: `{row.source}`: {row.chosen}{gives}")
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"<{len(self)} resolved operations of {self.function}>"


def resolved_ops(unit: CompileUnit) -> ResolvedOps:
    """Build the table of a unit whose types are known."""
    rows: dict[ResolvedOp, None] = {}  # each once: versioned loops repeat ops
    for op in walk(unit.fn):
        resolved = unit.resolutions.get(op.id)
        words = "" if resolved is None else _words(resolved, _function(op, unit))
        if words and not _is_plain(op, unit):
            gives = next((str(unit.types[name]) for name in definitions(op)), "")
            row = ResolvedOp(op.loc.line, _source(op), _function(op, unit), words, gives)
            rows[row] = None
    argtypes = ", ".join(map(str, unit.argtypes or ()))
    return ResolvedOps(f"{unit.name}({argtypes})", tuple(rows))


def _is_plain(op: Op, unit: CompileUnit) -> bool:
    """True if an op branches on a bool, which needs no call."""
    return isinstance(op, nodes.Branch) and unit.types[op.cond] is types.boolean


def _source(op: Op) -> str:
    """Return the source of an op; for a loop, its first line."""
    if op.loc.end_line > op.loc.line:
        return source_line(op.loc.filename, op.loc.line).strip()
    return source_of(op) or op_text(op)


def _function(op: Op, unit: CompileUnit) -> str:
    match op:
        case nodes.Call(func=func):
            target = unit.types[func]
            return kind_of(target).name(target)
        case nodes.Unary() | nodes.Binary() | nodes.Inplace():
            return op.op.symbol
        case nodes.GetAttr() | nodes.SetAttr() | nodes.DelAttr():
            return f".{op.attr}"
    return _WORDS[type(op)]


_WORDS: dict[type[Op], str] = {
    nodes.GetItem: "getitem",
    nodes.StaticGetItem: "getitem",
    nodes.SetItem: "setitem",
    nodes.StaticSetItem: "setitem",
    nodes.GetIter: "iter",
    nodes.ListAppend: "append",
    nodes.IterNext: "next",
    nodes.Branch: "bool",
    nodes.Unpack: "unpack",
}


def _words(resolved: Resolved, function: str) -> str:
    """Return the chosen overload in words; empty for fields, constants and bound methods."""
    match resolved:
        case Chosen(resolution=found):
            return _overload(found)
        case CompiledCall(_, call):
            return f"{function}, compiled for {_given(call.arguments.types)}"
        case OneOf(functions):
            return " or ".join(_words(each, "a function") for each in functions)
        case MadeTuple(cls, call):
            return f"a new {cls.__name__}{_given(call.arguments.types)}"
    return ""


def _overload(resolution: Resolution) -> str:
    argtypes = _given(resolution.signature.args)
    if resolution.implementation is not None:
        return f"{resolution.implementation.__name__}{argtypes} in Python"
    return f"{rule_name(resolution.overload)}{argtypes}"


def _given(args: tuple[Type, ...]) -> str:
    return f"({types.shortened(', '.join(map(str, args)))})"
