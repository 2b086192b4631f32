"""Records as JSON, and back.

Texts repeat themselves from pass to pass, so the JSON has a table of the strings and one of the
lines, and a state is told by what differs from the one before: `[start, removed, [lines]]`.
The same record gives the same bytes.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Sequence
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any

from cutaway.dataclass import fields
from cutaway.errors import RecordError
from cutaway.inspection.record import model
from cutaway.inspection.record.model import Line, Plain, RecordData, State

SCHEMA = "cutaway.record"
VERSION = 1

# The classes of the fields that hold parts of a record; tuples of them where `many`.
_ONE = {
    "source": model.Source,
    "error": model.Failure,
    "values": model.Values,
}
_MANY = {
    "functions": model.FunctionRecord,
    "times": model.Timed,
    "arguments": model.Argument,
    "passes": model.PassEntry,
    "rewrites": model.Rewrite,
    "decisions": model.Decision,
    "remarks": model.Decision,
    "steps": model.TypeStep,
    "changes": model.TypeChange,
    "seen": model.Seen,
    "llvm": model.LlvmStep,
    "cost": model.Cost,
}


# --- to JSON ------------------------------------------------------------------------------------


class _Table:
    """Numbers for things, in the order in which they are first met."""

    def __init__(self) -> None:
        self.numbers: dict[Any, int] = {}

    def number(self, thing: Any) -> int:  # Any: hashable
        return self.numbers.setdefault(thing, len(self.numbers))


class _Encoder:
    def __init__(self) -> None:
        self.strings = _Table()
        self.lines = _Table()

    def encoded(self, data: RecordData) -> dict[str, Plain]:
        functions = [self._function(function) for function in data.functions]
        return {
            "schema": SCHEMA,
            "version": VERSION,
            "made_with": dict(data.made_with),
            "times": [plain(row) for row in data.times],
            "functions": functions,
            "strings": list(self.strings.numbers),
            "lines": [list(row) for row in self.lines.numbers],
        }

    def _function(self, function: model.FunctionRecord) -> dict[str, Plain]:
        found = {
            f.name: plain(getattr(function, f.name)) for f in fields(function) if f.name != "states"
        }
        found["states"] = self._states(function.states)
        return found

    def _states(self, states: Sequence[State]) -> list[Plain]:
        found = []
        rows: list[int] = []
        for state in states:
            new = [self._line(line) for line in state.lines]
            found.append(
                {
                    "level": state.level,
                    "language": state.language,
                    "title": state.title,
                    "whole": state.whole,
                    "graphs": dict(state.graphs),
                    "edits": _edits(rows, new),
                }
            )
            rows = new
        return found

    def _line(self, line: Line) -> int:
        number = self.strings.number
        names = tuple(map(number, line.defines)), tuple(map(number, line.mentions))
        row = (number(line.text), *line.span, number(line.block), number(line.op), *names)
        return self.lines.number((*row, number(line.inner)))


def _edits(old: list[int], new: list[int]) -> list[Plain]:
    """What is to be done with the old rows, from the front, to have the new ones.

    Each edit says where it begins in the old rows, how many are removed there, and what is put
    there.  Common ends are cut off before the slow comparison.
    """
    head = 0
    while head < min(len(old), len(new)) and old[head] == new[head]:
        head += 1
    tail = 0
    while tail < min(len(old), len(new)) - head and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    a, b = old[head : len(old) - tail], new[head : len(new) - tail]
    matcher = SequenceMatcher(None, a, b, autojunk=False)
    return [
        [head + i1, i2 - i1, b[j1:j2]]
        for tag, i1, i2, j1, j2 in matcher.get_opcodes()
        if tag != "equal"
    ]


def plain(value: Any) -> Plain:  # Any: a part of a record
    """A part of a record as what JSON can hold."""
    match value:
        case None | str() | int() | float() | bool():
            return value
        case tuple() | list():
            return [plain(item) for item in value]
        case dict():
            return {str(key): plain(item) for key, item in value.items()}
    return {f.name: plain(getattr(value, f.name)) for f in fields(value)}


def to_json(data: RecordData) -> dict[str, Plain]:
    """A record as what JSON can hold; `schema.json` describes it."""
    return _Encoder().encoded(data)


def to_bytes(data: RecordData) -> bytes:
    """The content of a `.cutaway` file: JSON, compressed by gzip."""
    text = json.dumps(to_json(data), ensure_ascii=False, separators=(",", ":"), sort_keys=True)
    return gzip.compress(text.encode(), mtime=0)


# --- from JSON ----------------------------------------------------------------------------------


def from_json(found: Plain) -> RecordData:
    """A record that `to_json` made.

    Raises RecordError for anything else, and for a version that is not known here.
    """
    if not isinstance(found, dict) or found.get("schema") != SCHEMA:
        raise RecordError(
            "this is not the record of a compilation", hint="`c.save(path)` makes one"
        )
    if found["version"] != VERSION:
        raise RecordError(
            f"the record has version {found['version']} of the format, and this Cutaway knows"
            f" version {VERSION}",
            hint="load it with the Cutaway that made it",
        )
    try:
        return _decoded(found)
    except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
        raise RecordError(f"the record is damaged: {type(error).__name__}: {error}") from None


def _decoded(found: dict[str, Plain]) -> RecordData:
    strings = found["strings"]
    lines = [_line(row, strings) for row in found["lines"]]
    functions = []
    for row in found["functions"]:
        states = _states(row["states"], lines)
        functions.append(_part(model.FunctionRecord, row, states=states))
    times = tuple(_part(model.Timed, row) for row in found["times"])
    return RecordData(found["made_with"], tuple(functions), times)


def _line(row: list[Plain], strings: list[str]) -> Line:
    text, line, column, end_line, end_column, block, op, defines, mentions, inner = row
    return Line(
        strings[text],
        (line, column, end_line, end_column),
        strings[block],
        strings[op],
        tuple(strings[k] for k in defines),
        tuple(strings[k] for k in mentions),
        strings[inner],
    )


def _states(rows: list[Plain], lines: list[Line]) -> tuple[State, ...]:
    found = []
    current: list[int] = []
    for row in rows:
        for start, removed, added in reversed(row["edits"]):
            current[start : start + removed] = added
        text = tuple(lines[k] for k in current)
        found.append(
            State(row["level"], row["language"], text, row["title"], row["whole"], row["graphs"])
        )
    return tuple(found)


def _part(cls: Callable[..., Any], row: dict[str, Plain], **known: Any) -> Any:
    # Any: a class of the model, and its fields
    given = {name: _value(name, value) for name, value in row.items() if name not in known}
    return cls(**given, **known)


def _value(name: str, value: Plain) -> Any:  # Any: a field of the model
    if isinstance(value, dict) and name in _ONE:
        return _part(_ONE[name], value)
    if isinstance(value, list) and name in _MANY and all(isinstance(v, dict) for v in value):
        return tuple(_part(_MANY[name], item) for item in value)
    if name in _PLAIN:
        return value
    return _tuples(value)


# Fields that hold nested plain data, as it came.
_PLAIN = ("explanations", "calls", "types", "made_with")


def _tuples(value: Plain) -> Any:  # Any: a field of the model
    return tuple(map(_tuples, value)) if isinstance(value, list) else value


def from_bytes(content: bytes) -> RecordData:
    """The record in the content of a `.cutaway` file; raises RecordError where there is none."""
    try:
        return from_json(json.loads(gzip.decompress(content)))
    except (OSError, EOFError, ValueError) as error:
        raise RecordError(
            f"this is not the record of a compilation: {error}", hint="`c.save(path)` makes one"
        ) from None


def read(path: str | Path) -> RecordData:
    """The record in a file; raises RecordError where it cannot be read."""
    try:
        content = Path(path).read_bytes()
    except OSError as error:
        raise RecordError(f"{path} cannot be read: {error.strerror}") from None
    return from_bytes(content)
