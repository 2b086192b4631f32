"""Remarks about optimizations, done and missed, by our passes and LLVM's, per source line.

c.remarks
line 5   done    LoopUnroll     the loop is unrolled: 8 iterations per round
line 5   missed  LoopVectorize  the loop is not vectorized: sums of floats in another order ...
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from cutaway.foundation.dataclass import dataclass, replace
from cutaway.foundation.source import source_line
from cutaway.inspection.linking.user_places import CallSites, UserFunction
from cutaway.inspection.llvm.history import REMARK, HistoryReader, LlvmHistory
from cutaway.inspection.llvm.places import Place, Places
from cutaway.inspection.llvm.remark_words import NOISE, in_words
from cutaway.inspection.llvm.run import run_llvm
from cutaway.inspection.llvm.text import lines_of
from cutaway.inspection.showing.displayed import Displayed
from cutaway.stages.unit import CompileUnit

_PARTS = re.compile(r"^remark: (.*?):(\d+):(\d+): (.*)$")
_KINDS = {"passed": "done", "missed": "missed", "note": "note"}
_SAID_AS_NOTE = "loop not vectorized"  # the reason of what was missed
_VECTORIZES = "LoopVectorize"
_IN_PTX = ("machine instructions", "instructions of PTX")
_THE_LOOP = re.compile(r"^the loop\b")
_ON_PURPOSE = "explicitly disabled"


@dataclass(frozen=True, slots=True)
class Remark:
    """One optimization that was done or missed.

    `kind` is `"done"`, `"missed"` or `"note"`.  `line` is in the user's function, 0 if there is
    none; `inner` is the location in an inlined function.  `message` is in the user's terms, `raw`
    is LLVM's own text, or the rule of our pass.  `count` is the number of times that it was
    reported.
    """

    pass_name: str
    kind: str
    message: str
    raw: str
    line: int = 0
    column: int = 0
    function: str = ""
    inner: str = ""
    hint: str = ""
    count: int = 1

    def __str__(self) -> str:
        where = f"line {self.line}" if self.line else "function"
        times = f" ({self.count} times)" if self.count > 1 else ""
        inner = f" [{self.inner}]" if self.inner else ""
        text = f"{where:9} {self.kind:7} {self.pass_name:14} {self.message}{times}{inner}"
        return f"{text}\n{'':33}hint: {self.hint}" if self.hint else text


@dataclass(frozen=True, eq=False)
class Remarks(Displayed):
    """The remarks about one compilation, by line.  `error` is the reason why LLVM's are missing."""

    rows: tuple[Remark, ...]
    error: str = ""
    filename: str = ""

    def at(self, line: int) -> tuple[Remark, ...]:
        """The remarks about a line of the source."""
        return tuple(row for row in self.rows if row.line == line)

    def of(self, kind: str) -> tuple[Remark, ...]:
        """The remarks of a kind: `"done"`, `"missed"` or `"note"`."""
        return tuple(row for row in self.rows if row.kind == kind)

    def __iter__(self) -> Iterator[Remark]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def __str__(self) -> str:
        lines: list[str] = []
        shown = -1
        for row in self.rows:
            if row.line != shown:
                shown = row.line
                text = source_line(self.filename, shown).strip()
                lines += [f"{shown:4}  {text}".rstrip()] if shown else []
            lines.append(f"      {row}")
        if self.error:
            lines.append(f"no remarks from LLVM: {self.error}")
        return "\n".join(lines) or "no remarks"

    def __repr__(self) -> str:
        return f"<{len(self.rows)} remarks>"

    def to_dict(self) -> dict[str, Any]:  # Any: JSON
        """The remarks as JSON."""
        rows = [{name: getattr(row, name) for name in Remark.__slots__} for row in self.rows]
        return {"remarks": rows, "error": self.error, "file": self.filename}

    def with_decisions(self, decisions: Iterable[tuple[str, Any]]) -> Remarks:  # Any: a decision
        """These remarks and the decisions of our own passes: pairs of a pass and a decision."""
        return self.with_rows(_of_decision(name, decision) for name, decision in decisions)

    def with_rows(self, rows: Iterable[Remark]) -> Remarks:
        """These remarks and others."""
        return Remarks(_sorted((*rows, *self.rows)), self.error, self.filename)


@dataclass(frozen=True, slots=True)
class Observed:
    """The output of one run of LLVM: its history and its remarks."""

    history: LlvmHistory
    remarks: Remarks


def observed(unit: CompileUnit) -> Observed:
    """Let LLVM optimize a unit's module again, in a separate process, and collect its reports."""
    output = run_llvm(unit.llvm, unit.plan)
    reader = HistoryReader()
    history = reader.read(output.changes, output.seconds, output.error or output.late)
    rows = _Reader(unit, reader.remarks).rows(output.remarks)
    filename = unit.pyfunc.__code__.co_filename
    return Observed(history, Remarks(_sorted(_told_apart(rows)), output.error, filename))


class _Reader:
    """Makes remarks of what LLVM printed, whose lines are keys of the module's locations."""

    def __init__(self, unit: CompileUnit, said: Iterable[tuple[str, str, str]]) -> None:
        self.is_of_gpu = bool(unit.target.machine.triple)
        self.user = UserFunction(unit)
        self.places = Places(unit.llvm)
        self.calls = CallSites(list(lines_of(unit.llvm)), self.places, self.user)
        self.passes: dict[str, tuple[str, str]] = {}  # by place and message: the pass, its target
        for text, name, target in said:
            self.passes.setdefault(text, (name, target))

    def rows(self, remarks: dict[str, list[str]]) -> list[Remark]:
        """All relevant remarks, each once."""
        groups: dict[Remark, list[Remark]] = {}  # by all but how LLVM says it: costs, names
        for kind, texts in remarks.items():
            for text in texts:
                row = self._row(_KINDS[kind], text)
                if row is not None and not (row.pass_name == "Inliner" and row.inner):
                    groups.setdefault(replace(row, raw=""), []).append(row)
        return [replace(rows[0], count=len(rows)) for rows in groups.values()]

    def _row(self, kind: str, text: str) -> Remark | None:
        parts = _PARTS.match(text)
        if parts is None or NOISE.search(parts[4]) or self._is_ours(parts[4]):
            return None
        message = parts[4]
        chain = self.places.chain(f"!{int(parts[2]) - 1}")
        words = in_words(message)
        name, target = self.passes.get(self._unkeyed(parts, chain), (words.pass_name, ""))
        if self.is_of_gpu and words.pass_name == _VECTORIZES and kind != "done":
            return None  # of threads, each of which works with one value at a time
        if message.startswith(_SAID_AS_NOTE):
            kind = "note" if message.endswith(_ON_PURPOSE) else "missed"
        function = chain[-1].function if chain else target.rpartition(" in ")[2].strip("()")
        row = Remark(
            name or "LLVM",
            kind,
            words.sentence.replace(*_IN_PTX) if self.is_of_gpu else words.sentence,
            message,
            function=function.removesuffix(".entry").partition("$")[0],
            hint=words.hint,
        )
        return self._placed(row, chain)

    def _placed(self, row: Remark, chain: tuple[Place, ...]) -> Remark:
        if not chain:
            return row
        full = self.calls.extended(chain, chain[0].function)
        if not full or not self.user.owns(full[0].filename, full[0].line):
            return replace(row, inner=str(chain[-1]))
        inner = str(chain[-1]) if len(full) > 1 else ""
        return replace(row, line=full[0].line, column=full[0].column, inner=inner)

    def _is_ours(self, message: str) -> bool:
        """True if it is about the entry point, which is not a user function."""
        return f"into '{self.user.entry}'" in message

    def _unkeyed(self, parts: re.Match[str], chain: tuple[Place, ...]) -> str:
        """The remark as it was printed among the changes, where lines are lines."""
        line = chain[-1].line if chain else int(parts[2])
        return f"{REMARK}{parts[1]}:{line}:{parts[3]}: {parts[4]}"


def _told_apart(rows: Sequence[Remark]) -> Iterator[Remark]:
    """The rows; where one loop of a line is vectorized and another one is not, none is `the`
    loop."""
    outcomes: dict[int, set[str]] = {}
    for row in rows:
        if row.pass_name == _VECTORIZES and row.kind in ("done", "missed"):
            outcomes.setdefault(row.line, set()).add(row.kind)
    for row in rows:
        if row.pass_name == _VECTORIZES and len(outcomes.get(row.line, ())) > 1 and row.line:
            row = replace(row, message=_THE_LOOP.sub("one loop of this line", row.message))
        yield row


def _sorted(rows: Iterable[Remark]) -> tuple[Remark, ...]:
    order = {"done": 0, "missed": 1, "note": 2}
    return tuple(
        sorted(rows, key=lambda row: (not row.line, row.line, order.get(row.kind, 3), row.column))
    )


def _of_decision(name: str, decision: Any) -> Remark:  # Any: a record of one of our passes
    loc = decision.loc
    line, column = (loc.line, loc.col) if loc is not None else (0, 0)
    message = f"{decision.subject}: {decision.reason}" if decision.reason else str(decision.subject)
    return Remark(
        name,
        str(decision.verdict),
        message,
        str(decision.rule),
        line,
        column,
        hint=decision.hint or "",
    )
