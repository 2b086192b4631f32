"""Remarks about optimizations, done and missed, by our passes and LLVM's, per source line.

c.remarks
line 5   done    LoopUnroll     the loop is unrolled: 8 iterations per round
line 5   missed  LoopVectorize  the loop is not vectorized: sums of floats in another order ...
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any

from cutaway.foundation.dataclass import dataclass, field, replace
from cutaway.foundation.source import is_our_file, source_line, span_text
from cutaway.inspection.hints.llvm_loops import LlvmLoop, loops_in
from cutaway.inspection.linking.user_places import CallSites, UserFunction
from cutaway.inspection.llvm.child import ALL_KINDS
from cutaway.inspection.llvm.history import REMARK, HistoryReader, LlvmHistory, State
from cutaway.inspection.llvm.places import Place, Places
from cutaway.inspection.llvm.remark_words import (
    CALLS,
    CARRIED,
    EXITS,
    MEMORY,
    NOISE,
    VECTOR,
    Culprit,
    in_the_way,
    in_words,
    plain,
)
from cutaway.inspection.llvm.run import run_llvm
from cutaway.inspection.llvm.text import lines_of
from cutaway.inspection.parallel.source import loops_of
from cutaway.inspection.showing.displayed import Displayed
from cutaway.ir.function import is_temporary, user_name
from cutaway.lowering.slow_loops import SLOW
from cutaway.stages.unit import CompileUnit

_PARTS = re.compile(r"^remark: (.*?):(\d+):(\d+): (.*)$", re.S)
_KINDS = {"passed": "done", "missed": "missed", "note": "note"}
_SAID_AS_NOTE = "loop not vectorized"  # gives the reason of a missed optimization
_IN_PTX = ("machine instructions", "instructions of PTX")
_ACCESSED = re.compile(r"same as accessed at .*?:(\d+):(\d+)")
_CALLED = re.compile(r"'([^']*)' not inlined into")
_THE_LOOP = re.compile(r"^the loop\b")


@dataclass(frozen=True, slots=True)
class Remark:
    """One optimization that was done or missed.

    `kind` is `"done"`, `"missed"` or `"note"`. `line` is in the user's function, 0 if there is
    none; `inner` is the location in an inlined function. `message` is in the user's terms, `raw` is
    LLVM's own text, or the rule of our pass. `count` is the number of times that it was reported.
    `remedy` names a kind of cure, `cure` is an assertion or an option that may help, and `culprits`
    are the obstacles: `hint` tries cures when it is read. `topic` is the subject of one of our
    decisions.
    """

    pass_name: str
    kind: str
    message: str
    raw: str
    line: int = 0
    column: int = 0
    function: str = ""
    inner: str = ""
    count: int = 1
    remedy: str = ""
    cure: str = ""
    culprits: tuple[Culprit, ...] = ()
    topic: str = ""
    advice: Callable[[], str] | None = field(default=None, compare=False, repr=False)

    @property
    def subject(self) -> str:
        """The subject of the remark, if the message begins with one."""
        if self.topic:
            return self.topic
        subject, colon, _ = self.message.partition(": ")
        return subject if colon else ""

    @property
    def reason(self) -> str:
        """The message without its subject."""
        return self.message[len(self.subject) :].removeprefix(": ") or self.message

    @property
    def hint(self) -> str:
        """The cure that helps, as tried on the arguments of the trace; empty if there is none."""
        return "" if self.advice is None else self.advice()

    def __str__(self) -> str:
        where = f"line {self.line}" if self.line else "function"
        times = f" ({self.count} times)" if self.count > 1 else ""
        inner = f" [{self.inner}]" if self.inner else ""
        text = f"{where:9} {self.kind:7} {self.pass_name:14} {self.message}{times}{inner}"
        hint = self.hint
        return f"{text}\n{'':33}hint: {hint}" if hint else text


@dataclass(frozen=True, eq=False)
class Remarks(Displayed):
    """The remarks about one compilation, by line.  `error` is the reason why LLVM's are missing.

    Hints are tried when they are first read or shown: `untried` says how many were not.
    """

    rows: tuple[Remark, ...]
    error: str = ""
    filename: str = ""
    left: Callable[[], str] | None = None
    words: Callable[[int], str] | None = None

    def at(self, line: int) -> tuple[Remark, ...]:
        """Return the remarks about a line of the source."""
        return tuple(row for row in self.rows if row.line == line)

    def of(self, kind: str) -> tuple[Remark, ...]:
        """Return the remarks of a kind: `"done"`, `"missed"` or `"note"`."""
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
        if self.untried:
            lines.append(self.untried)
        return "\n".join(lines) or "no remarks"

    def __repr__(self) -> str:
        return f"<{len(self.rows)} remarks>"

    @property
    def untried(self) -> str:
        """A sentence on how many hints were not tried, and why; empty if all were."""
        return "" if self.left is None else self.left()

    def to_dict(self) -> dict[str, Any]:
        """Return the remarks as JSON."""
        rows = [{name: getattr(row, name) for name in _SHOWN} for row in self.rows]
        facts = {"error": self.error, "file": self.filename, "untried": self.untried}
        return {"remarks": rows, **facts}

    def with_decisions(self, decisions: Iterable[tuple[str, Any]]) -> Remarks:
        """Add the decisions of our own passes: pairs of a pass and a decision."""
        return self.with_rows(_of_decision(name, decision) for name, decision in decisions)

    def with_rows(self, rows: Iterable[Remark]) -> Remarks:
        """Add rows to these remarks."""
        return Remarks(_sorted((*rows, *self.rows)), self.error, self.filename)

    def words_of(self, number: int) -> str:
        """Return the hint for a remark without measured times."""
        return self.rows[number].hint if self.words is None else self.words(number)

    def with_hints(
        self,
        advice: Callable[[int], str],
        left: Callable[[], str],
        words: Callable[[int], str],
    ) -> Remarks:
        """Add functions that compute the hint of a remark by its number, the sentence on untried
        hints, and the hint without times."""
        rows = tuple(
            replace(row, advice=partial(advice, k)) if row.advice is None else row
            for k, row in enumerate(self.rows)
        )
        return Remarks(rows, self.error, self.filename, left, words)


_SHOWN = (
    *("pass_name", "kind", "message", "raw", "line", "column", "function", "inner", "hint"),
    "count",
)


@dataclass(frozen=True, slots=True)
class Observed:
    """The output of one run of LLVM: its history and its remarks."""

    history: LlvmHistory
    remarks: Remarks


def remarks_of(unit: CompileUnit) -> Remarks:
    """The remarks of LLVM's optimizer alone, by which edits are judged: without kinds, and without
    the passes that our words do not name."""
    output = run_llvm(unit.llvm, unit.plan, changes=False)
    rows = _RemarkReader(unit, ()).rows({"passed": output.remarks.get(ALL_KINDS, [])})
    return Remarks(_sorted(rows), output.error)


def observed(unit: CompileUnit) -> Observed:
    """Let LLVM optimize a unit's module again, in a separate process, and collect its reports."""
    output = run_llvm(unit.llvm, unit.plan)
    reader = HistoryReader()
    history = reader.read(output.changes, output.seconds, output.error or output.late)
    rows = _RemarkReader(unit, reader.remarks).rows(output.remarks)
    filename = unit.pyfunc.__code__.co_filename
    return Observed(history, Remarks(_sorted(_told_apart(rows)), output.error, filename))


class _RemarkReader:
    """A parser of LLVM's printed remarks, whose line numbers are keys of the module's locations."""

    def __init__(self, unit: CompileUnit, said: Iterable[tuple[str, str, str, State]]) -> None:
        self.is_of_gpu = bool(unit.target.machine.triple)
        self.user = UserFunction(unit)
        loops = loops_of(unit.pyfunc)
        self.heads = {loop.line for loop in loops}
        self.counters = {name for loop in loops for name in loop.targets}
        self.places = Places(unit.llvm)
        self.calls = CallSites(list(lines_of(unit.llvm)), self.places, self.user)
        # From location and message to the pass, its target, and the state before it.
        self.passes: dict[str, tuple[str, str, State]] = {}
        for text, *more in said:
            self.passes.setdefault(text, tuple(more))

    def rows(self, remarks: dict[str, list[str]]) -> list[Remark]:
        """Return the relevant remarks, each once."""
        groups: dict[Remark, list[Remark]] = {}  # ignores LLVM's text, which has costs
        for kind, texts in remarks.items():
            for text in texts:
                row = self._row(_KINDS[kind], text)
                if row is not None and not (row.pass_name == "Inliner" and row.inner):
                    groups.setdefault(replace(row, raw=""), []).append(row)
        return [replace(rows[0], count=len(rows)) for rows in groups.values()]

    def _row(self, kind: str, text: str) -> Remark | None:
        parts = _PARTS.match(text)
        if parts is None or NOISE.search(parts[4]):
            return None
        message, _, more = parts[4].partition("\n")
        chain = self.places.chain(f"!{int(parts[2]) - 1}")
        words = in_words(message)
        if words is None or self._is_unseen(message, chain):
            return None
        key = self._unkeyed(parts, message, chain)
        name, target, state = self.passes.get(key, (words.pass_name, "", {}))
        if self.is_of_gpu and words.pass_name == VECTOR and kind != "done":
            return None  # a GPU thread works with one value at a time
        function = chain[-1].function if chain else target.rpartition(" in ")[2].strip("()")
        row = Remark(
            name or words.pass_name,
            "missed" if message.startswith(_SAID_AS_NOTE) else kind,
            words.sentence.replace(*_IN_PTX) if self.is_of_gpu else words.sentence,
            message,
            function=function.removesuffix(".entry").partition("$")[0],
            remedy="" if self.is_of_gpu else words.remedy,
        )
        return self._explained(self._placed(row, chain), target, state, more)

    def _is_unseen(self, message: str, chain: tuple[Place, ...]) -> bool:
        """True if a remark is about the entry point, which is not a user function, or about a loop
        that rarely runs."""
        into_entry = f"into '{self.user.entry}'" in message
        names = (message, *(place.function for place in chain))
        return into_entry or any(SLOW in name for name in names)

    def _explained(self, row: Remark, target: str, state: State, more: str) -> Remark:
        """Add the obstacles to a remark."""
        if row.pass_name == "Inliner":
            return self._of_callee(row)
        culprits: tuple[Culprit, ...] = ()
        if row.remedy == MEMORY and (match := _ACCESSED.search(more)):
            place = self.places.chain(f"!{int(match[1]) - 1}")
            full = self.calls.extended(place, place[0].function) if place else ()
            if full and self.user.owns(full[0].filename, full[0].line):
                culprits = (self._culprit("writes", (full[0].line, full[0].column)),)
        elif row.remedy in (EXITS, CALLS, CARRIED) and row.line:
            lines = state.get(target.rpartition(" in ")[2].strip("()"), ())
            loops = [one for one in loops_in(lines) if (row.line, row.column) in one.heads]
            culprits = tuple(self._culprits(loops[0])) if loops else ()
        if not culprits:
            return row
        message = in_the_way(row.message, culprits)
        return replace(row, message=message, culprits=culprits)

    def _culprits(self, loop: LlvmLoop) -> Iterator[Culprit]:
        yield from (self._culprit("raises", place) for place in loop.raising)
        own = set(loop.heads) | set(loop.raising)
        for place in loop.leaving:
            if place not in own and place[0] not in self.heads:
                yield self._culprit("leaves", place)
        for name, place in loop.calls:
            if not name.startswith("llvm."):
                yield replace(self._culprit("calls", place), name=plain(name))
        variables = (self.user.variable(name.strip('"')) for name in loop.phis)
        named = (user_name(name) for name in variables if name and not is_temporary(name))
        for name in dict.fromkeys(named):
            if name not in self.counters:
                yield Culprit("carries", name)

    def _culprit(self, does: str, place: tuple[int, int]) -> Culprit:
        loc = self.user.span(*place)
        return Culprit(does, " ".join(span_text(loc).split()), loc.line, loc.col)

    def _of_callee(self, row: Remark) -> Remark:
        """Rename the callee in a remark about a call that was not inlined: users do not know the
        library's functions by name and cannot decorate them."""
        match = _CALLED.search(row.raw)
        if match is None or not is_our_file(self.places.file_of(match[1])):
            return row
        what = span_text(self.user.span(row.line, row.column)) if row.line else ""
        shown = f" for `{' '.join(what.split())}`" if what else ""
        message = re.sub(r"^`[^`]*`", f"the library's function{shown}", row.message)
        return replace(row, message=message, remedy="")

    def _placed(self, row: Remark, chain: tuple[Place, ...]) -> Remark:
        if not chain:
            return row
        full = self.calls.extended(chain, chain[0].function)
        if not full or not self.user.owns(full[0].filename, full[0].line):
            return replace(row, inner=str(chain[-1]))
        inner = str(chain[-1]) if len(full) > 1 else ""
        return replace(row, line=full[0].line, column=full[0].column, inner=inner)

    def _unkeyed(self, parts: re.Match[str], message: str, chain: tuple[Place, ...]) -> str:
        """Return the remark as it was printed among the changes, with real line numbers."""
        line = chain[-1].line if chain else int(parts[2])
        return f"{REMARK}{parts[1]}:{line}:{parts[3]}: {message}"


def _told_apart(rows: Sequence[Remark]) -> Iterator[Remark]:
    """Yield the rows, with "one loop of this line" for `the loop` if a line has both vectorized and
    other loops."""
    outcomes: dict[int, set[str]] = {}
    for row in rows:
        if row.pass_name == VECTOR and row.kind in ("done", "missed"):
            outcomes.setdefault(row.line, set()).add(row.kind)
    for row in rows:
        if row.pass_name == VECTOR and len(outcomes.get(row.line, ())) > 1 and row.line:
            row = replace(row, message=_THE_LOOP.sub("one loop of this line", row.message))
        yield row


def _sorted(rows: Iterable[Remark]) -> tuple[Remark, ...]:
    order = {"done": 0, "missed": 1, "note": 2}
    return tuple(
        sorted(rows, key=lambda row: (not row.line, row.line, order.get(row.kind, 3), row.column))
    )


def _of_decision(name: str, decision: Any) -> Remark:
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
        cure=decision.cure,
        topic=str(decision.subject),
    )
