"""The life of a user variable: `c.biography("s")`.

It is born at its first assignment in the source, splits into versions at `ssa`, gets types, is
renamed or replaced by passes, becomes LLVM values, and ends in registers. The record's `lives`
describe this; this module adds the changes by single rules and by LLVM's passes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cutaway.errors import PipelineError, did_you_mean
from cutaway.foundation.dataclass import dataclass
from cutaway.inspection.record.lives import life_of
from cutaway.inspection.record.model import (
    FunctionRecord,
    Line,
    PassEntry,
    Plain,
    Seen,
    Span,
    State,
)
from cutaway.inspection.showing.displayed import Displayed
from cutaway.ir.function import is_temporary, user_name

_OWN = "cutaway"
_STORE = r"\bSTORE_\w+(?: \d+)? '{}'"
_ASSIGNED = re.compile(r'^\s*%"?([^"\s=]+)"? = ')
_PASSING = re.compile(r"\.lcssa\d*(\.|$)")  # copies at the end of a loop (LCSSA), which come and go
_OF_LLVM = "LLVM "
_ENDS = ("merged", "replaced")  # events in our own IR after which no value is the variable
_LLVM_VALUE = re.compile(r'%"?([A-Za-z_][\w.@]*)"?')


@dataclass(frozen=True, slots=True)
class Version:
    """One version of the variable: its name, the op that defines it, the line, and its type."""

    name: str
    text: str
    span: Span
    type: str


@dataclass(frozen=True, slots=True)
class Event:
    """A change of the variable: when, and what. `kind` is that of the record's lives; it is empty
    for changes by a single rule or by a pass of LLVM."""

    when: str
    level: str
    what: str
    kind: str = ""


@dataclass(frozen=True, eq=False)
class Biography(Displayed):
    """The history of a user variable through all passes."""

    function: str
    name: str
    born: Span
    bytecode: tuple[str, ...]
    versions: tuple[Version, ...]
    events: tuple[Event, ...]
    llvm_names: tuple[str, ...]
    last_seen: str
    values: tuple[Seen, ...]

    def rows(self) -> Iterator[tuple[str, str]]:
        """Yield the rows of the table: a heading and a text."""
        if self.born[0]:
            yield "born", f"line {self.born[0]}, column {self.born[1] + 1}"
        yield from (("bytecode", text) for text in self.bytecode)
        for version in self.versions:
            line = f"  [line {version.span[0]}]" if version.span[0] else ""
            ty = f" :: {version.type}" if version.type else ""
            yield "version", f"{version.text}{ty}{line}"
        for event in self.events:
            if not event.when.startswith(_OF_LLVM):
                yield event.when, event.what
        yield "last seen", self.last_seen
        for seen in self.values:
            line = f"line {seen.span[0]}: " if seen.span[0] else ""
            some = ", ".join(seen.values)
            more = f", ... {seen.last}" if seen.count > len(seen.values) else ""
            yield "values", f"{line}{some}{more}"

    def to_dict(self) -> dict[str, Plain]:
        """Return the biography as plain data."""
        return {
            "function": self.function,
            "name": self.name,
            "born": list(self.born),
            "bytecode": list(self.bytecode),
            "versions": [
                {"name": v.name, "text": v.text, "span": list(v.span), "type": v.type}
                for v in self.versions
            ],
            "events": [
                {"when": e.when, "level": e.level, "what": e.what, "kind": e.kind}
                for e in self.events
            ],
            "llvm_names": list(self.llvm_names),
            "last_seen": self.last_seen,
            "values": [
                {"line": s.span[0], "count": s.count, "values": list(s.values), "last": s.last}
                for s in self.values
            ],
        }

    def __str__(self) -> str:
        lines = [f"{self.name} of {self.function}"]
        width = max((len(when) for when, _ in self.rows()), default=0)
        last = ""
        for when, what in self.rows():
            lines.append(f"  {'' if when == last else when:<{width}}  {what}")
            last = when
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"<biography of {self.name} in {self.function}>"


def variables_of(function: FunctionRecord) -> list[str]:
    """Return the user's variables, in the order of their first values."""
    own = [state for state in function.states if state.language == _OWN]
    names = (n for state in own[:1] for line in state.lines for n in line.defines)
    later = (n for state in own[1:] for line in state.lines for n in line.defines)
    return list(dict.fromkeys(user_name(n) for n in (*names, *later) if not is_temporary(n)))


def is_about(line: Line, name: str, language: str) -> bool:
    """True if a line defines or names a value of a user's variable."""
    if any(user_name(n) == name for n in (*line.defines, *line.mentions)):
        return True
    match language:
        case "python" | "bytecode":
            return re.search(rf"(?<![\w.]){re.escape(name)}(?!\w)", line.text) is not None
        case "llvm":
            return any(is_llvm_name(value, name) for value in _LLVM_VALUE.findall(line.text))
    return False


def is_llvm_name(text: str, name: str) -> bool:
    """True if a name in LLVM IR belongs to a user's variable: `s.2.14`, `arg.s`, `arg.s.data`."""
    return user_name(text.removeprefix("arg.")) == name


def biography_of(function: FunctionRecord, name: str) -> Biography:
    """Return the life of a variable; raises PipelineError if the function has none of that name."""
    known = variables_of(function)
    if name not in known:
        otherwise = (
            f"variables: {', '.join(known)}" if known else "the compilation reached no variable"
        )
        raise PipelineError(
            f"{function.name} has no variable {name!r}", hint=did_you_mean(name, known, otherwise)
        )
    return _VariableLife(function, name).told()


class _VariableLife:
    """A collector of the facts about one variable."""

    def __init__(self, function: FunctionRecord, name: str) -> None:
        self.function = function
        self.name = name

    def told(self) -> Biography:
        first = next(iter(self._defining(_OWN)), None)
        return Biography(
            self.function.signature,
            self.name,
            (0, 0, 0, 0) if first is None else first.span,
            tuple(self._bytecode()),
            tuple(self._versions()),
            tuple(self._events()),
            self._llvm_names(),
            self._last_seen(),
            self._values(),
        )

    def _values(self) -> tuple[Seen, ...]:
        """Return the observed values, once per line: several forms of a program were run."""
        seen = (one for one in self.function.values.seen if one.name == self.name)
        return tuple({(one.span[0], one.values): one for one in seen}.values())

    def _defining(self, language: str) -> Iterator[Line]:
        for state in self.function.states:
            if state.language == language:
                yield from (line for line in state.lines if self._defined(line))

    def _defined(self, line: Line) -> list[str]:
        return [name for name in line.defines if user_name(name) == self.name]

    def _bytecode(self) -> Iterator[str]:
        pattern = re.compile(_STORE.format(re.escape(self.name)))
        for state in self.function.states:
            if state.level == "bytecode":
                texts = (line.text for line in state.lines if pattern.search(line.text))
                yield from (" ".join(text.split()[-3:]) for text in texts)

    def _versions(self) -> Iterator[Version]:
        """Yield the versions after `ssa`, where all exist, or else in the first state in our own
        IR."""
        states = [state for state in self.function.states if state.language == _OWN]
        chosen = next((state for state in states if state.level == "ssa"), None)
        for state in (chosen,) if chosen else states[:1]:
            for line in state.lines:
                for name in self._defined(line):
                    yield Version(
                        name, _bare(line.text), line.span, self.function.types.get(name, "")
                    )

    # --- events ---------------------------------------------------------------------------------

    def _events(self) -> Iterator[Event]:
        life = life_of(self.function, self.name)
        for position, entry in enumerate(self.function.passes):
            if not entry.failed and entry.before != entry.after:
                yield from self._of_llvm(entry) if self._optimizes(entry) else self._of_rules(entry)
            level = self.function.states[entry.after].level
            for event in life:
                # The versions show their types.
                if event.position == position and event.kind != "typed":
                    yield Event(entry.name, level, event.text.replace("`", ""), event.kind)

    def _optimizes(self, entry: PassEntry) -> bool:
        """True if LLVM's passes were recorded and explain one of our passes."""
        levels = [self.function.states[k].level for k in (entry.before, entry.after)]
        return levels == ["llvm", "llvm_opt"] and bool(self.function.llvm)

    def _of_llvm(self, entry: PassEntry) -> Iterator[Event]:
        before = self.function.states[entry.before]
        for step in self.function.llvm:
            after = self.function.states[step.state]
            yield from self._changes(f"{_OF_LLVM}{step.name}", before, after, "")
            before = after

    def _of_rules(self, entry: PassEntry) -> Iterator[Event]:
        """Yield the changes by each rule of one of our passes, and by the pass itself."""
        states = self.function.states
        done, after = states[entry.before], states[entry.after]
        for rewrite in entry.rewrites:
            if rewrite.state >= 0:
                yield from self._changes(entry.name, done, states[rewrite.state], rewrite.rule)
                done = states[rewrite.state]
        if after.language == _OWN:
            yield from self._changes(entry.name, done, after, "")

    def _changes(self, when: str, before: State, after: State, rule: str) -> Iterator[Event]:
        if before.language != after.language:
            return
        by = f" by {rule}" if rule else ""
        if after.language == _OWN:
            changes = _of_ops(self._ops(before), self._ops(after))
        else:
            changes = _of_names(self._names(before), self._names(after))
        yield from (Event(when, after.level, what + by) for what in changes)

    def _ops(self, state: State) -> dict[str, Line]:
        """Return the operations that assign the variable, by their identities."""
        return {line.op or line.text: line for line in state.lines if self._defined(line)}

    def _names(self, state: State) -> list[str]:
        if state.language == _OWN:
            versions = [name for line in state.lines for name in self._defined(line)]
        else:
            matches = (_ASSIGNED.match(line.text) for line in state.lines)
            names = [match[1] for match in matches if match]
            versions = ["%" + name for name in names if is_llvm_name(name, self.name)]
            versions = [name for name in versions if not _PASSING.search(name)]
        return list(dict.fromkeys(versions))

    def _llvm_names(self) -> tuple[str, ...]:
        states = (state for state in self.function.states if state.language == "llvm")
        return tuple(dict.fromkeys(name for state in states for name in self._names(state)))

    def _last_seen(self) -> str:
        """Return the last pass after which something of the variable exists: an event holds for the
        following passes in the same language."""
        life = life_of(self.function, self.name)
        known = [event for event in life if event.kind != "gone"]
        if not known:
            return "nowhere"
        states, passes = self.function.states, self.function.passes
        language = states[passes[known[-1].position].after].language
        if language == _OWN and known[-1].kind in _ENDS:
            known = known[:-1] or known
            end = life[-1].position
        else:
            end = next((e.position for e in reversed(life) if e.kind == "gone"), len(passes))
        last = known[-1].position
        for position in range(last, end):
            state = states[passes[position].after]
            if not passes[position].failed and state.language == language:
                last = position
        return f"after {passes[last].name} ({states[passes[last].after].level})"


def _of_ops(old: dict[str, Line], new: dict[str, Line]) -> Iterator[str]:
    """Yield the changes of the operations that define a variable, matched by identity, else by the
    version that they define."""
    gone = {_made(line): line for op, line in old.items() if op not in new}
    for op, line in new.items():
        before = old.get(op) or gone.pop(_made(line), None)
        now, _, ty = _bare(line.text).partition("  :: ")
        if before is None:
            yield f"{now} created"
            continue
        was, _, known = _bare(before.text).partition("  :: ")
        if was != now:
            yield f"{was} becomes {now}"
        if ty != known:
            yield f"{_made(line)} is {ty or 'without a type'}"
    yield from (f"{_bare(line.text)} removed" for line in gone.values())


def _made(line: Line) -> str:
    return _bare(line.text).partition(" = ")[0]


def _of_names(old: list[str], new: list[str]) -> Iterator[str]:
    """Yield the changes of names in LLVM IR."""
    gone = ", ".join(name for name in old if name not in new)
    come = ", ".join(name for name in new if name not in old)
    if gone and come:
        yield f"{gone} becomes {come}"
    elif gone or come:
        yield f"{gone} removed" if gone else f"{come} created"


def _bare(text: str) -> str:
    return text.split(" ['")[0].strip()
