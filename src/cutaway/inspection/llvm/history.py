"""The history of a module: the result of each of LLVM's passes, in order.

    h = c.llvm_history
    h.passes[3]                 SROA on dist$1: 97 -> 84 lines
    h.passes[3].text            the function after the pass
    h.text(3)                   all functions after it; h.initial before the first one

A state is a table of functions; lines are shared between states. Instead of metadata numbers, which
change from pass to pass, a line ends with its source location, `; 5:9`, and its location in the
inlined function.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Iterator
from typing import Any

from cutaway.foundation.dataclass import dataclass, field, replace
from cutaway.foundation.lazy import cached_property
from cutaway.inspection.linking.lines import LinkedLine
from cutaway.inspection.llvm.pass_summaries import SUMMARIES
from cutaway.inspection.llvm.places import Places
from cutaway.inspection.llvm.run import run_llvm
from cutaway.inspection.llvm.text import TextLine, lines_of, without_metadata
from cutaway.inspection.showing.displayed import Displayed
from cutaway.lowering.slow_loops import is_part_of
from cutaway.targets.cpu.optimization import Plan

State = dict[str, tuple[str, ...]]  # the lines of each function


@dataclass(frozen=True, slots=True)
class LlvmPass:
    """One run of an LLVM pass that changed something.

    `target` names the IR that it ran on: `module`, a function, or `loop %B12 in dist$1`;
    `functions` are those whose text it changed, including removed ones, and `state` are all
    functions after it.
    """

    number: int
    name: str
    target: str
    functions: tuple[str, ...]
    state: State = field(repr=False, compare=False)
    removed: int = 0
    added: int = 0

    @property
    def function(self) -> str:
        """The function that it ran on; empty for a pass over the module."""
        if self.target == "module":
            return ""
        return self.target.rpartition(" in ")[2].strip("()")

    @property
    def changed(self) -> bool:
        """True if the text of a function changed; else metadata or attributes did."""
        return bool(self.functions)

    @property
    def text(self) -> str:
        """The functions that it changed, after the pass."""
        return _text({name: self.state[name] for name in self.functions if name in self.state})

    @property
    def summary(self) -> str:
        """The purpose of passes with this name, in one line."""
        return SUMMARIES.get(self.name, "")

    def __str__(self) -> str:
        what = f"-{self.removed} +{self.added} lines" if self.changed else "no instruction changed"
        return f"{self.name} on {self.target}: {what}"


@dataclass(frozen=True, eq=False)
class LlvmHistory(Displayed):
    """The passes that changed something, and the module before the first one.

    `unchanged` counts the runs that changed nothing, by pass. `error` says why the history is empty
    or incomplete.
    """

    initial_state: State
    passes: tuple[LlvmPass, ...]
    unchanged: dict[str, int]
    seconds: float = 0.0
    error: str = ""

    @cached_property
    def initial(self) -> str:
        """The functions of the module before the first pass."""
        return _text(self.initial_state)

    def text(self, number: int, function: str | None = None) -> str:
        """Return the functions after a pass, or one of them; -1 is the module before the first."""
        state = self.initial_state if number < 0 else self.passes[number].state
        return _text({k: v for k, v in state.items() if function in (None, k)})

    def before(self, number: int, function: str | None = None) -> str:
        """Return the functions before a pass."""
        return self.text(number - 1, function)

    def linked(self, number: int, function: str | None = None) -> tuple[LinkedLine, ...]:
        """Return the lines of `text` with their locations in the user's function."""
        own = {name for name in self.functions() if f"{name}{_ENTRY}" in self.initial_state}
        own |= {part for part in self.functions() for name in own if is_part_of(part, name)}
        own |= {f"{name}{_ENTRY}" for name in own}
        return tuple(_linked(line, own) for line in lines_of(self.text(number, function)))

    def functions(self) -> tuple[str, ...]:
        """Return all functions that existed at any time."""
        states = [self.initial_state, *(step.state for step in self.passes)]
        return tuple(dict.fromkeys(name for state in states for name in state))

    def __iter__(self) -> Iterator[LlvmPass]:
        return iter(self.passes)

    def __len__(self) -> int:
        return len(self.passes)

    def __str__(self) -> str:
        if self.error and not self.passes:
            return f"no history of LLVM's passes: {self.error}"
        idle = sum(self.unchanged.values())
        head = f"{len(self.passes)} passes of LLVM changed the module, {idle} did not"
        more = [f"incomplete: {self.error}"] if self.error else []
        return "\n".join([head, *(f"{step.number:4}  {step}" for step in self.passes), *more])

    def __repr__(self) -> str:
        return f"<{len(self.passes)} passes of LLVM>"

    def to_dict(self) -> dict[str, Any]:
        """Return the history as JSON, each state as its difference from the one before."""
        return _Packer(self).packed()

    @classmethod
    def from_dict(cls, packed: dict[str, Any]) -> LlvmHistory:
        """Read a history that `to_dict` wrote."""
        return _unpacked(packed)


_ENTRY = ".entry"  # the suffix of entry points, see `lowering/module.py`
_PLACE = re.compile(r"  ; (\d+):(\d+)(?: inside: (.*))?$")


def _linked(line: TextLine, own: set[str]) -> LinkedLine:
    row = LinkedLine(line.text, block=line.block, op=line.result, names=line.names)
    place = _PLACE.search(line.text)
    if place is None or not line.is_instruction:
        return row
    row = replace(row, is_instruction=True)
    if line.function not in own:
        return replace(row, inner=f"{place[1]}:{place[2]} in {line.function.partition('$')[0]}")
    at, column = int(place[1]), int(place[2])
    return replace(
        row, line=at, column=column, end_line=at, end_column=column, inner=place[3] or ""
    )


def _text(state: State) -> str:
    return "\n\n".join("\n".join(lines) for lines in state.values())


# --- reading LLVM's output ----------------------------------------------------------------------


def history(llvm_text: str, plan: Plan) -> LlvmHistory:
    """Optimize a module in a separate process and record each of LLVM's passes."""
    output = run_llvm(llvm_text, plan)
    return HistoryReader().read(output.changes, output.seconds, output.error or output.late)


_BANNER = re.compile(
    r"^\*\*\* IR Dump (?:At Start|After (.+?) on (.+?))( omitted because .*)? \*\*\*"
)
_GONE = re.compile(
    r"^\*\*\* IR (?:Deleted after|Pass) (\S+)(?: on (.+?))? ?(?:invalidated )?\*\*\*"
)
REMARK = "remark: "


class HistoryReader:
    """A reader of the lines that LLVM prints while it optimizes.

    `remarks` are the remarks between them, with the pass and the target that they belong to, and
    the state before the pass.
    """

    def __init__(self) -> None:
        self.remarks: list[tuple[str, str, str, State]] = []
        self._waiting: list[str] = []
        self._passes: list[LlvmPass] = []
        self._unchanged: dict[str, int] = {}
        self._initial: State | None = None
        self._state: State = {}
        self._shown: dict[str, str] = {}  # from a printed line to the stored one
        self._metadata = ""
        self._same: dict[tuple[str, ...], tuple[str, ...]] = {}

    def read(self, lines: Iterable[str], seconds: float = 0.0, error: str = "") -> LlvmHistory:
        """Read the lines of all passes."""
        name, target = "", ""
        dump: list[str] | None = None
        for line in lines:
            if line.startswith(REMARK):
                self._waiting.append(line)
            elif banner := _BANNER.match(line):
                self._end(name, target, dump)
                name, target = _short(banner[1] or ""), _target(banner[2] or "")
                dump = None if banner[3] else []
                self._count(name, target, is_idle=bool(banner[3]))
            elif gone := _GONE.match(line):  # its loop or function is gone
                self._end(name, target, dump)
                dump = None
                self._count(_short(gone[1]), _target(gone[2] or ""), is_idle=False)
            elif dump is not None:
                dump.append(line)
        self._end(name, target, dump)
        return LlvmHistory(
            self._initial or {}, tuple(self._passes), self._unchanged, seconds, error
        )

    def _count(self, name: str, target: str, is_idle: bool) -> None:
        self.remarks += [(remark, name, target, self._state) for remark in self._waiting]
        self._waiting = []
        if is_idle:
            self._unchanged[name] = self._unchanged.get(name, 0) + 1

    def _end(self, name: str, target: str, dump: list[str] | None) -> None:
        if dump is None:
            return
        state = self._functions("\n".join(dump))
        if self._initial is None:
            self._initial = self._state = state
            return
        self._passes.append(_step(len(self._passes), name, target, self._state, state))
        self._state = state

    def _functions(self, text: str) -> State:
        """Return the functions of a printed module, in stored form."""
        metadata = text[max(0, text.find("\n!")) :]
        if metadata != self._metadata:  # the numbers have new meanings
            self._metadata, self._shown = metadata, {}
        places = Places(metadata)
        state: dict[str, list[str]] = {}
        for line in lines_of(text):
            if line.part == "function":
                known = self._shown.get(line.text)
                if known is None:
                    known = self._shown[line.text] = _kept(line.text, places)
                state.setdefault(line.function, []).append(known)
        return {name: self._shared(tuple(lines)) for name, lines in state.items()}

    def _shared(self, lines: tuple[str, ...]) -> tuple[str, ...]:
        return self._same.setdefault(lines, lines)


def _kept(line: str, places: Places) -> str:
    text = _NUMBERED.sub("", without_metadata(line))
    chain = [place for place in places.of(line) if place.line]
    if not chain or line.startswith("define "):
        return _PREDECESSORS.sub("", text)
    place = f"{text}  ; {chain[0].line}:{chain[0].column}"
    return f"{place} inside: {chain[-1]}" if len(chain) > 1 else place


_NUMBERED = re.compile(r" #\d+(?= |$)")  # attributes, which are renumbered
_PREDECESSORS = re.compile(r"\s+; preds = .*$")


def _short(name: str) -> str:
    return name.partition("<")[0].removesuffix("Pass")


def _target(text: str) -> str:
    if text == "[module]":
        return "module"
    return text.replace(" in function ", " in ")


def _step(number: int, name: str, target: str, before: State, after: State) -> LlvmPass:
    functions = tuple(
        fn for fn in dict.fromkeys([*before, *after]) if before.get(fn) != after.get(fn)
    )
    removed = added = 0
    for fn in functions:
        for tag, i1, i2, j1, j2 in _changes(before.get(fn, ()), after.get(fn, ())):
            if tag != "equal":
                removed, added = removed + i2 - i1, added + j2 - j1
    return LlvmPass(number, name, target, functions, after, removed, added)


def _changes(
    before: tuple[str, ...], after: tuple[str, ...]
) -> list[tuple[str, int, int, int, int]]:
    """Compute the edits of lines; if both lists are long, their whole middle is one edit."""
    first = 0
    shortest = min(len(before), len(after))
    while first < shortest and before[first] == after[first]:
        first += 1
    last = 0
    while last < shortest - first and before[-1 - last] == after[-1 - last]:
        last += 1
    old, new = before[first : len(before) - last], after[first : len(after) - last]
    if len(old) * len(new) > _MOST_COMPARED:
        return [("replace", first, first + len(old), first, first + len(new))]
    opcodes = difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    return [
        (tag, i1 + first, i2 + first, j1 + first, j2 + first) for tag, i1, i2, j1, j2 in opcodes
    ]


_MOST_COMPARED = 1_000_000


# --- packing ------------------------------------------------------------------------------------


class _Packer:
    """A writer of histories with each line once, and each state as changes."""

    def __init__(self, shown: LlvmHistory) -> None:
        self._history = shown
        self._numbers: dict[str, int] = {}

    def packed(self) -> dict[str, Any]:
        shown = self._history
        initial = {name: self._ids(lines) for name, lines in shown.initial_state.items()}
        passes = []
        state = shown.initial_state
        for step in shown.passes:
            passes.append([step.name, step.target, self._delta(step, state)])
            state = step.state
        return {
            "lines": list(self._numbers),
            "initial": initial,
            "passes": passes,
            "unchanged": shown.unchanged,
            "seconds": shown.seconds,
            "error": shown.error,
        }

    def _ids(self, lines: Iterable[str]) -> list[int]:
        return [self._numbers.setdefault(line, len(self._numbers)) for line in lines]

    def _delta(self, step: LlvmPass, before: State) -> dict[str, Any]:
        """Return the replaced lines of each changed function; None for a removed one."""
        result: dict[str, Any] = {}
        for fn in step.functions:
            if fn not in step.state:
                result[fn] = None
                continue
            after = step.state[fn]
            result[fn] = [
                [i1, i2, self._ids(after[j1:j2])]
                for tag, i1, i2, j1, j2 in _changes(before.get(fn, ()), after)
                if tag != "equal"
            ]
        return result


def _unpacked(packed: dict[str, Any]) -> LlvmHistory:
    lines = packed["lines"]
    initial = {fn: tuple(lines[k] for k in ids) for fn, ids in packed["initial"].items()}
    state = initial
    passes: list[LlvmPass] = []
    for name, target, delta in packed["passes"]:
        after = dict(state)
        for fn, hunks in delta.items():
            if hunks is None:
                del after[fn]
                continue
            made = list(state.get(fn, ()))
            for i1, i2, ids in reversed(hunks):
                made[i1:i2] = [lines[k] for k in ids]
            after[fn] = tuple(made)
        passes.append(_step(len(passes), name, target, state, after))
        state = after
    return LlvmHistory(
        initial, tuple(passes), packed["unchanged"], packed["seconds"], packed["error"]
    )
