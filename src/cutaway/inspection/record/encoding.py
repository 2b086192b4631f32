"""Records as JSON, and back.

Texts repeat themselves from pass to pass, so the JSON has a table of the strings and one of the
lines, and a state is described by its difference from the one before: `[start, removed, [lines]]`.
Equal records have equal bytes.
"""

from __future__ import annotations

import gzip
import io
import json
import types
import typing
import zlib
from collections.abc import Mapping, Sequence
from difflib import SequenceMatcher
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from cutaway.errors import RecordError
from cutaway.foundation.dataclass import fields
from cutaway.inspection.record import model
from cutaway.inspection.record.checking import check
from cutaway.inspection.record.model import Line, Plain, RecordData, Span, State

SCHEMA = "cutaway.record"
VERSION = 1

LARGEST = 1 << 29  # bytes of JSON that are read


# --- to JSON ------------------------------------------------------------------------------------


class _Table:
    """Numbers objects in the order in which they are first met."""

    def __init__(self) -> None:
        self.numbers: dict[Any, int] = {}

    def number(self, thing: Any) -> int:
        return self.numbers.setdefault(thing, len(self.numbers))


class _Encoder:
    def __init__(self) -> None:
        self.strings = _Table()
        self.lines = _Table()
        self.known: dict[int, int] = {}  # by the identity of a line: states share most lines

    def encoded(self, data: RecordData) -> dict[str, Plain]:
        functions = [self._function(function) for function in data.functions]
        return {
            "schema": SCHEMA,
            "version": VERSION,
            "made_with": dict(data.made_with),
            "times": [plain(row) for row in data.times],
            "functions": functions,
            "strings": list(self.strings.numbers),
            "lines": [list(row[:-2]) for row in self.lines.numbers],
            "guesses": [k for k, row in enumerate(self.lines.numbers) if row[-2]],
            "rare": [k for k, row in enumerate(self.lines.numbers) if row[-1]],
        }

    def _function(self, function: model.FunctionRecord) -> dict[str, Plain]:
        result = {
            f.name: plain(getattr(function, f.name)) for f in fields(function) if f.name != "states"
        }
        result["states"] = self._states(function.states)
        return result

    def _states(self, states: Sequence[State]) -> list[Plain]:
        result = []
        rows: list[int] = []
        for state in states:
            new = [self._number(line) for line in state.lines]
            result.append(
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
        return result

    def _number(self, line: Line) -> int:
        result = self.known.get(id(line))
        if result is None:
            result = self.known[id(line)] = self._line(line)
        return result

    def _line(self, line: Line) -> int:
        number = self.strings.number
        names = tuple(map(number, line.defines)), tuple(map(number, line.mentions))
        row = (number(line.text), *line.span, number(line.block), number(line.op), *names)
        return self.lines.number((*row, number(line.inner), line.near, line.rare))


def _edits(old: list[int], new: list[int]) -> list[Plain]:
    """Return the edits that turn the old rows into the new ones, from the front.

    Each edit has its start in the old rows, the count of removed rows, and the inserted rows.
    Common ends are cut off before the slow comparison.
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


def plain(value: Any) -> Plain:
    """Convert a part of a record to JSON values."""
    match value:
        case None | str() | int() | float() | bool():
            return value
        case tuple() | list():
            return [plain(item) for item in value]
        case dict():
            return {str(key): plain(item) for key, item in value.items()}
    return {f.name: plain(getattr(value, f.name)) for f in fields(value)}


def to_json(data: RecordData) -> dict[str, Plain]:
    """Convert a record to JSON values, as `schema.json` describes them."""
    return _Encoder().encoded(data)


def to_bytes(data: RecordData) -> bytes:
    """Return the content of a `.cutaway` file: JSON, compressed by gzip."""
    text = json.dumps(to_json(data), ensure_ascii=False, separators=(",", ":"), sort_keys=True)
    return gzip.compress(text.encode(errors=JSON_ESCAPES), mtime=0)


JSON_ESCAPES = "backslashreplace"  # a lone surrogate is written as JSON writes it: \\ud800


# --- from JSON ----------------------------------------------------------------------------------

_HINT = "`c.save(path)` writes a record, `cutaway.load(path)` reads it"
T = TypeVar("T")


def from_json(plain: Plain) -> RecordData:
    """Decode a record that `to_json` made.

    Unknown names are ignored: they were added without a new version. Raises RecordError for any
    other data, and for an unknown version.
    """
    if not isinstance(plain, dict) or plain.get("schema") != SCHEMA:
        raise RecordError("this is not the record of a compilation", hint=_HINT)
    if plain.get("version") != VERSION:
        raise _other_version(plain)
    try:
        data = _decoded(plain)
        check(data)
    except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
        raise RecordError(
            f"the record is damaged: {type(error).__name__}: {error}", hint="save it again"
        ) from None
    return data


def _other_version(plain: dict[str, Plain]) -> RecordError:
    maker_versions = plain.get("made_with")
    maker = (
        f"Cutaway {maker_versions.get('cutaway')}"
        if isinstance(maker_versions, dict)
        else "the Cutaway"
    )
    version = plain.get("version")
    newer = isinstance(version, int) and version > VERSION
    return RecordError(
        f"the record has version {version} of the format, and this Cutaway knows version {VERSION}",
        hint=f"{'update Cutaway, or ' if newer else ''}load it with {maker} that wrote it",
    )


def _decoded(plain: dict[str, Plain]) -> RecordData:
    strings = _typed(tuple[str, ...], plain["strings"], "strings")
    guesses = set(_typed(tuple[int, ...], plain.get("guesses", []), "guesses"))
    rare = set(_typed(tuple[int, ...], plain.get("rare", []), "rare"))
    lines = tuple(
        _line(row, strings, k in guesses, k in rare) for k, row in enumerate(plain["lines"])
    )
    functions = tuple(
        _part(model.FunctionRecord, row, "functions", states=_states(row["states"], lines))
        for row in plain["functions"]
    )
    if not functions:
        raise ValueError("it contains no function")
    times = _typed(tuple[model.Timed, ...], plain["times"], "times")
    return RecordData(_typed(Mapping[str, str], plain["made_with"], "made_with"), functions, times)


def _item(table: Sequence[T], position: Plain) -> T:
    if position < 0:  # Python would count it from the end
        raise IndexError(f"there is no position {position}")
    return table[position]


def _line(row: list[Plain], strings: Sequence[str], near: bool, rare: bool) -> Line:
    text, *span, block, op, defines, mentions, inner = row
    return Line(
        _item(strings, text),
        _typed(Span, span, "span"),
        _item(strings, block),
        _item(strings, op),
        tuple(_item(strings, k) for k in defines),
        tuple(_item(strings, k) for k in mentions),
        _item(strings, inner),
        near,
        rare,
    )


def _states(rows: list[Plain], lines: Sequence[Line]) -> tuple[State, ...]:
    result = []
    current: list[int] = []
    for row in rows:
        for start, removed, added in reversed(row["edits"]):
            if not 0 <= start <= start + removed <= len(current):
                raise IndexError(f"an edit reaches from {start} over {removed} lines")
            current[start : start + removed] = added
        text = tuple(_item(lines, k) for k in current)
        result.append(_part(State, row, "state", lines=text))
    return tuple(result)


@cache
def _hints(cls: type) -> dict[str, Any]:
    return typing.get_type_hints(cls)


def _part(cls: Any, row: Plain, name: str, **known: Any) -> Any:
    if not isinstance(row, dict):
        raise TypeError(f"{name} is not a row of {cls.__name__}")
    values = {
        field: _typed(hint, row[field], field)
        for field, hint in _hints(cls).items()
        if field not in known and field in row
    }
    return cls(**values, **known)


def _typed(hint: Any, value: Plain, name: str) -> Any:
    """Decode a JSON value as a field of this type; raises TypeError if it does not fit."""
    if hint is Any:
        return value
    if hint is float and type(value) is int:
        return float(value)
    if getattr(hint, "__module__", "") == model.__name__:
        return _part(hint, value, name)
    kind, inner = typing.get_origin(hint), typing.get_args(hint)
    if kind is types.UnionType:
        return None if value is None else _typed(inner[0], value, name)
    if kind is tuple and isinstance(value, list):
        if inner[-1] is Ellipsis:
            return tuple(_typed(inner[0], item, name) for item in value)
        return tuple(_typed(one, item, name) for one, item in zip(inner, value, strict=True))
    if kind is Mapping and isinstance(value, dict):
        return {key: _typed(inner[1], item, name) for key, item in value.items()}
    if type(value) is hint:
        return value
    raise TypeError(f"{name} is {str(value)[:40]!r}")


def from_bytes(content: bytes) -> RecordData:
    """Decode the content of a `.cutaway` file; raises RecordError if that fails."""
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(content)) as file:
            text = file.read(LARGEST + 1)
        if len(text) > LARGEST:
            raise RecordError(
                f"the record has more than {LARGEST >> 20} MiB",
                hint="trace a smaller function, or without rewrites",
            )
        return from_json(json.loads(text))
    except EOFError:
        raise RecordError("the record is truncated", hint="copy or save it again") from None
    except (OSError, ValueError, RecursionError, zlib.error) as error:
        raise RecordError(f"this is not the record of a compilation: {error}", hint=_HINT) from None


def read(path: str | Path) -> RecordData:
    """Read the record in a file; raises RecordError if that fails."""
    try:
        content = Path(path).read_bytes()
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise RecordError(f"{path} cannot be read: {reason}", hint=_HINT) from None
    return from_bytes(content)


def write(data: RecordData, path: str | Path) -> None:
    """Write a `.cutaway` file; raises RecordError if that fails."""
    try:
        Path(path).write_bytes(to_bytes(data))
    except OSError as error:
        raise RecordError(f"{path} cannot be written: {error.strerror}") from None
