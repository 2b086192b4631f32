"""Explain which operations on whole arrays share a loop, and why others do not.

    c.why_not_fused(5)

    `d = a - b` is a loop of its own, and its result an array of 8 bytes per element [x.py:5]
      because line 6 may change `a`, which it is computed of, before line 9 uses the result
        `a[0] = 3.0` [x.py:6]
        `e * 2` [x.py:9]
      tried with the arguments of the trace, one array fewer is made with
        line 6 behind line 9

The facts are plain data, computed from the programs before and after `fuse_arrays` and from the
decisions of that pass: a record keeps them, and answers as the compilation does.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from cutaway.errors import PipelineError
from cutaway.foundation.dataclass import dataclass
from cutaway.foundation.source import Loc, short_file, span_text
from cutaway.inspection.showing.displayed import Displayed
from cutaway.ir import nodes
from cutaway.ir.decisions import MISSED, Decision
from cutaway.ir.elements import ArrayOp
from cutaway.ir.function import Function, is_temporary, user_name
from cutaway.ir.nodes import Op
from cutaway.ir.traversal import makers_of, operands, uses, walk, walk_block
from cutaway.ir.versioning import rare_blocks
from cutaway.stages.arrays.decisions import FUSED
from cutaway.typing.inference.questions import constants_of
from cutaway.typing.inference.resolutions import CompiledCall
from cutaway.typing.types import Array, Type
from cutaway.typing.types.elements import to_dtype

if TYPE_CHECKING:
    from cutaway.inspection.recording.recording import PassRecord, Recording
    from cutaway.stages.unit import CompileUnit

_LONGEST = 40  # characters of a part of a formula
_TEMPORARY = re.compile(r"\$[\w.]+")
_IS_ONE = re.compile(r"^[\w.]+(\([^()]*\)|\[[^\[\]]*\])?$")
_READS_NO_ELEMENT = (len, range, isinstance, type, np.shape, np.ndim, np.size)
_WHOLE = (nodes.Call, nodes.Binary, nodes.Unary, nodes.Inplace)

Plain = dict[str, Any]
# Tries edits that let an expression fuse; returns those that do, in words and as lines of source.
# The locations are those of a blocking write and of a later use, if these are the reason.
Try = Callable[[Op, tuple[Loc, ...]], list[Plain]]


# --- the facts ----------------------------------------------------------------------------------


def facts_of(compilation: Recording, attempt: Try | None = None) -> Plain | None:
    """Return the facts about a compilation's loops over arrays; None if no pass fused any.

    `parts` are the operations, `loops` the loops they ended up in.
    """
    record = next((one for one in compilation.records if one.name == FUSED), None)
    if record is None or record.unit_after is None:
        return None
    parts = _FusionParts(record, record.unit_after, attempt)
    return {
        "function": compilation.signature,
        "file": short_file(record.unit_after.fn.filename),
        "parts": parts.rows(),
        "loops": parts.loops(),
    }


class _FusionParts:
    """The operations on whole arrays before the pass, and the loops after it."""

    def __init__(self, record: PassRecord, after: CompileUnit, attempt: Try | None) -> None:
        self.before: CompileUnit = record.unit_before
        self.after = after
        self.attempt = attempt
        self.decisions = {d.loc: d for d in record.decisions}
        self.makers = makers_of(self.before.fn)
        self.constants = constants_of(self.before.fn)
        self.ops = [op for op in _usual(self.before.fn) if self._is_of_arrays(op)]
        self.left = {op.id: op for op in _usual(after.fn) if isinstance(op, ArrayOp)}
        steps = {one.id: op.id for op in self.left.values() for one in op.body.blocks[0].ops}
        # From the id of each operation before the pass to the loop that has it after.
        self.home = {op.id: home for op in self.ops if (home := self._home(op, steps))}

    def _is_of_arrays(self, op: Op) -> bool:
        if isinstance(op, ArrayOp):
            return True
        types = self.before.types
        function = self.constants.get(op.func) if isinstance(op, nodes.Call) else None
        if any(function is one for one in _READS_NO_ELEMENT):
            return False
        return isinstance(op, _WHOLE) and any(
            isinstance(types.get(name), Array) for name in operands(op)
        )

    def _home(self, op: Op, steps: Mapping[int, int]) -> int:
        if op.id in self.left:
            return op.id
        if not isinstance(op, ArrayOp):
            return 0
        own = [one.id for one in op.body.blocks[0].ops if isinstance(one, nodes.Element)]
        return next((steps[number] for number in own if number in steps), 0)

    def loops(self) -> list[Plain]:
        result = []
        for loop in self.left.values():
            inside = [op for op in self.ops if self.home.get(op.id) == loop.id]
            gone = [op for op in inside if op.id != loop.id]
            result.append(
                {
                    "line": loop.loc.line,
                    "text": self._loop_text(loop, inside),
                    "parts": [self.ops.index(op) for op in inside],
                    "bytes": sum(_bytes(self._type(op)) for op in gone),
                    "arrays": sum(bool(_bytes(self._type(op))) for op in gone),
                }
            )
        return result

    def _loop_text(self, loop: ArrayOp, inside: Sequence[Op]) -> str:
        """Return the formula of a loop, and the target of its results."""
        if len(inside) == 1 and not isinstance(inside[0], nodes.ArrayStore):
            return self._text(inside[0])
        match loop:
            case nodes.ArrayStore(expr=expr):
                target = source_of(loop.loc)
                return target if "=" in target else f"{target} = {self._readable(expr)}"
            case nodes.ArrayReduce():
                expr = loop.formula
            case _:
                expr = loop.expr
        name = loop.result
        text = self._readable(expr)
        return text if is_temporary(name) else f"{user_name(name)} = {text}"

    def _readable(self, formula: str) -> str:
        """Replace the temporaries in a formula by their source."""

        def source(match: re.Match[str]) -> str:
            maker = self.makers.get(match[0])
            if isinstance(maker, nodes.Phi):  # of a user variable
                return user_name(match[0][1:])
            text = "" if maker is None else source_of(maker.loc)
            if not text or len(text) > _LONGEST:
                return "..."
            return text if _IS_ONE.match(text) else f"({text})"

        return _TEMPORARY.sub(source, formula)

    def rows(self) -> list[Plain]:
        return [self._row(op) for op in self.ops]

    def _row(self, op: Op) -> Plain:
        home = self.home.get(op.id, 0)
        ty = self._type(op)
        name = getattr(op, "result", "") or getattr(op, "target", "")
        row: Plain = {
            "text": self._text(op),
            "name": self._owner(name) or self._receiver(op, home),
            "variable": name,
            "span": _span(op.loc),
            "type": str(ty) if isinstance(ty, Array) else "",
            "bytes": _bytes(ty),
            "line": self.left[home].loc.line if home else 0,
            "verdict": "apart" if not home else "loop" if home == op.id else "fused",
            "reason": "",
            "places": [],
            "fixes": [],
        }
        decision = self.decisions.get(op.loc)
        if not home:
            row["reason"] = self._why_apart(op)
        elif home == op.id and decision is not None and decision.verdict == MISSED:
            row["reason"] = decision.reason
            row["places"] = [
                {"span": _span(loc), "source": source_of(loc)} for loc in decision.places
            ]
            if self.attempt is not None:
                row["fixes"] = self.attempt(op, self._between(op, decision))
        elif home == op.id:
            row["reason"] = self._why_an_end(op)
        return row

    def _owner(self, name: str) -> str:
        """Return the user's variable that a variable is, or is a part of; empty without one."""
        while is_temporary(name):
            match self.makers.get(name):
                case nodes.GetItem(_, value, _) | nodes.StaticGetItem(_, value, _):
                    name = value
                case nodes.Copy(_, value) | nodes.Cast(_, value) | nodes.Apart(_, value):
                    name = value
                case _:
                    return ""
        return user_name(name)

    def _receiver(self, op: Op, home: int) -> str:
        """Return the variable to whose elements a result is assigned, or that is a part of it."""
        if home == op.id and isinstance(store := self.left[home], nodes.ArrayStore):
            return self._owner(store.target)
        result = getattr(op, "result", "")
        users = (one for one in _usual(self.before.fn) if result and result in uses(one))
        for one in users:
            if isinstance(one, nodes.SetItem | nodes.StaticSetItem) and one.value == result:
                return self._owner(one.target)
            if isinstance(one, nodes.GetItem | nodes.StaticGetItem) and one.value == result:
                if isinstance(self._type(one), Array) and not is_temporary(one.result):
                    return user_name(one.result)
        return ""

    def _between(self, op: Op, decision: Decision) -> tuple[Loc, ...]:
        """Return the write and the later use that keep an expression from fusing, if any."""
        name = getattr(op, "result", "")
        using = {one.loc for one in walk(self.before.fn) if name in operands(one)}
        writes = len(decision.places) == 2 and decision.places[0] not in using
        return decision.places if writes else ()

    def _type(self, op: Op) -> Type | None:
        return self.before.types.get(getattr(op, "result", ""))

    def _text(self, op: Op) -> str:
        text = source_of(op.loc) or getattr(op, "expr", type(op).__name__.lower())
        name = getattr(op, "result", "")
        is_named = isinstance(op, ArrayOp) and name and not is_temporary(name)
        return f"{user_name(name)} = {text}" if is_named else text

    def _why_apart(self, op: Op) -> str:
        resolved = self.before.resolutions.get(op.id)
        if isinstance(resolved, CompiledCall):
            return "it calls a compiled function, whose loops are its own"
        return "it is not element-wise: it takes and gives whole arrays"

    def _why_an_end(self, op: Op) -> str:
        """Return why a loop ends with an operation that has no decision."""
        match op:
            case nodes.ArrayReduce():
                return "a reduction has its result when all elements are done: its loop ends there"
            case nodes.ArrayStore():
                return "its elements are stored in an array that is there"
        if op.id in self.left and isinstance(self.left[op.id], nodes.ArrayStore):
            return "its elements are stored in an array that is there"
        used = [one for one in walk(self.after.fn) if getattr(op, "result", "") in uses(one)]
        if not [one for one in used if not isinstance(one, nodes.Del | nodes.Decref)]:
            return "nothing uses its result"
        return "its result leaves the function, which gives an array back"


def _bytes(ty: Type | None) -> int:
    """Return the bytes of an array's element."""
    return 0 if not isinstance(ty, Array) else to_dtype(ty.dtype).itemsize


def _span(loc: Loc) -> list[int]:
    return [loc.line, loc.col, loc.end_line, loc.end_col]


def source_of(loc: Loc) -> str:
    """Return the source of a span, on one line."""
    return span_text(loc).strip()


def _usual(fn: Function) -> Iterator[Op]:
    """Yield the ops of a function, without those in rarely run copies of loops."""
    rare = rare_blocks(fn)
    for label, block in fn.blocks.items():
        if label not in rare:
            yield from walk_block(block)


# --- the answers --------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Fusion(Displayed):
    """The answer to why operations on whole arrays share a loop or do not: `parts` are those that
    were asked for, each with its `verdict` ("fused", "loop", "apart"), `reason`, `places` and
    `fixes`; `loops` their loops."""

    facts: Mapping[str, Any]
    numbers: tuple[int, ...]
    of_loops: bool

    @property
    def function(self) -> str:
        """The function with the types of its arguments."""
        return str(self.facts["function"])

    @property
    def parts(self) -> tuple[Plain, ...]:
        """The operations in question."""
        return tuple(self.facts["parts"][k] for k in self.numbers)

    @property
    def loops(self) -> tuple[Plain, ...]:
        """The loops that compute them."""
        wanted = set(self.numbers)
        return tuple(loop for loop in self.facts["loops"] if wanted & set(loop["parts"]))

    @property
    def fused(self) -> bool:
        """True if each of them became a part of another operation's loop."""
        return all(part["verdict"] == "fused" for part in self.parts)

    def to_dict(self) -> Plain:
        """Return the answer as plain data."""
        head = {"function": self.function, "parts": list(self.parts)}
        return {**head, "loops": list(self.loops)}

    def lines(self) -> Iterator[tuple[int, str, str]]:
        """Yield the depth, sentence and location of each line of the text."""
        if not self.of_loops:
            for part in self.parts:
                yield from self._part(part)
            return
        for loop in self.loops:
            yield from self._loop(loop)
        for part in self.parts:
            if part["verdict"] == "apart":
                yield from self._part(part)

    def _place(self, line: int) -> str:
        return f"{self.facts['file']}:{line}" if line else ""

    def _part(self, part: Plain) -> Iterator[tuple[int, str, str]]:
        what, where = f"`{part['text']}`", self._place(part["span"][0])
        if part["verdict"] == "fused":
            nowhere = "; no array holds it" if part["bytes"] else ""
            yield 0, f"{what} is computed in the loop of line {part['line']}{nowhere}", where
            return
        if part["verdict"] == "apart":
            yield 0, f"{what} is no part of a loop over elements", where
            yield 1, f"because {part['reason']}", ""
            return
        held = f", and its result an array of {_counted(part['bytes'])} per element"
        number = next(k for k, one in enumerate(self.facts["parts"]) if one is part)
        inside = next(loop["parts"] for loop in self.facts["loops"] if number in loop["parts"])
        does = "is a loop of its own" if len(inside) == 1 else "ends a loop"
        yield 0, f"{what} {does}{held if part['bytes'] else ''}", where
        yield 1, f"because {part['reason']}", ""
        for place in part["places"]:
            yield 2, f"`{place['source']}`", self._place(place["span"][0])
        if part["fixes"]:
            yield 1, "tried with the arguments of the trace, one array fewer is made with", ""
        for fix in part["fixes"]:
            yield 2, fix["text"], ""

    def _loop(self, loop: Plain) -> Iterator[tuple[int, str, str]]:
        parts = [self.facts["parts"][k] for k in loop["parts"]]
        yield 0, f"one loop computes `{loop['text']}`", self._place(loop["line"])
        if not any(part["verdict"] == "fused" for part in parts):
            yield 1, "it is an operation of its own", ""
            return
        for part in parts:
            is_gone = part["verdict"] == "fused" and part["bytes"]
            nowhere = ", without an array for it" if is_gone else ""
            yield 1, f"`{part['text']}`{nowhere}", self._place(part["span"][0])
        if loop["arrays"]:
            arrays = "1 array is" if loop["arrays"] == 1 else f"{loop['arrays']} arrays are"
            yield 1, f"{arrays} not made: {_counted(loop['bytes'])} per element", ""

    def __str__(self) -> str:
        text = [f"{self.function}:"]
        for depth, sentence, where in self.lines():
            text.append(f"{'  ' * (depth + 1)}{sentence}{f' [{where}]' if where else ''}")
        return "\n".join(text)

    def __repr__(self) -> str:
        return f"<the loops over arrays in {self.function}>"


def _counted(count: int) -> str:
    return "1 byte" if count == 1 else f"{count} bytes"


def answer(facts: Mapping[str, Any] | None, what: int | str | None, of_loops: bool) -> Fusion:
    """Answer for a line, a variable, or the whole function.

    Raises PipelineError without operations on whole arrays.
    """
    if facts is None:
        raise PipelineError(
            "no loops over arrays were looked for", hint=f"a pipeline with the pass {FUSED} does"
        )
    numbers = tuple(k for k, part in enumerate(facts["parts"]) if _is_meant(part, what))
    if not numbers:
        where = f"line {what}" if isinstance(what, int) else f"{what!r}" if what else "it"
        raise PipelineError(
            f"there is no operation on whole arrays in {where} of {facts['function']}",
            hint=_known(facts["parts"], isinstance(what, str)),
        )
    return Fusion(facts, numbers, of_loops)


def _is_meant(part: Plain, what: int | str | None) -> bool:
    if not what:
        return part["verdict"] != "apart"
    if isinstance(what, str):
        return bool(part["name"] == what)
    return bool(part["span"][0] <= what <= part["span"][2])


def _known(parts: Iterable[Plain], names: bool) -> str:
    if names:
        known = dict.fromkeys(part["name"] for part in parts if part["name"])
        return f"variables that hold such results: {', '.join(known)}" if known else ""
    lines = sorted({part["span"][0] for part in parts})
    return f"they are in line {', '.join(map(str, lines))}" if lines else "it has none"
