"""The differences between two points of a compilation.

Our own IR is matched by the identity that its operations keep from pass to pass, so that a moved
one is recognized; other levels are matched by text, without the numbers that LLVM renews in each
pass.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from difflib import SequenceMatcher

from cutaway.foundation.dataclass import dataclass
from cutaway.foundation.lazy import cached_property
from cutaway.inspection.llvm import ptx_text
from cutaway.inspection.record.model import Line, Plain
from cutaway.inspection.record.points import Point
from cutaway.inspection.showing.displayed import Displayed

KEPT, ADDED, REMOVED, CHANGED, MOVED = "kept", "added", "removed", "changed", "moved"
AROUND = 2  # unchanged lines shown around differences
ALIKE = 0.6  # similarity of two lines from which one has become the other
MANY_KINDS = 3  # of ops, above which a summary names only the most frequent
SMALL = 400  # lines, up to which two texts are compared exactly


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a comparison: its kind of change, and the line before and after."""

    kind: str
    old: Line | None
    new: Line | None

    @property
    def line(self) -> Line:
        """The line after the change; of a removed one, before it."""
        result = self.new or self.old
        assert result is not None
        return result


@dataclass(frozen=True, eq=False)
class Diff(Displayed):
    """The comparison of two points, line by line. `by_id`: ops are matched by identity, as within
    one compilation."""

    before: Point
    after: Point
    by_id: bool = True

    @property
    def translates(self) -> bool:
        """True if the two are in different languages, so that lines cannot be matched."""
        return _form(self.before) != _form(self.after)

    @property
    def title(self) -> str:
        """The two compared points."""
        return f"{_name(self.before)} -> {_name(self.after)}"

    @cached_property
    def rows(self) -> tuple[Row, ...]:
        """All lines in order, with unchanged ones."""
        return tuple(_rows(self.before, self.after, self.by_id))

    @property
    def changes(self) -> tuple[Row, ...]:
        """The lines that differ."""
        return tuple(row for row in self.rows if row.kind != KEPT)

    @property
    def same(self) -> bool:
        """True if nothing differs."""
        return not self.changes

    @property
    def counts(self) -> dict[str, int]:
        """The number of lines of each kind."""
        return dict(Counter(row.kind for row in self.rows))

    @cached_property
    def summary(self) -> str:
        """The difference in words: `3 dels removed, 1 phi added`."""
        if self.translates:
            return (
                f"{len(self.before.lines)} lines of {self.before.level} become"
                f" {len(self.after.lines)} lines of {self.after.level}"
            )
        return ", ".join(_words(self.changes, self.after.language)) or "nothing differs"

    def hunks(self, around: int = AROUND) -> Iterator[tuple[int, tuple[Row, ...]]]:
        """Yield each run of differing rows, with unchanged rows around it, and the number of
        unchanged rows omitted before it."""
        shown = _near(self.rows, around)
        skipped, run = 0, []
        for row, is_shown in zip(self.rows, shown):
            if is_shown:
                run.append(row)
                continue
            if run:
                yield skipped, tuple(run)
                skipped, run = 0, []
            skipped += 1
        if run:
            yield skipped, tuple(run)

    def to_dict(self) -> dict[str, Plain]:
        """Return the comparison as plain data."""
        return {
            "before": {"title": self.before.title, "level": self.before.level},
            "after": {"title": self.after.title, "level": self.after.level},
            "summary": self.summary,
            "rows": [
                {
                    "kind": row.kind,
                    "old": None if row.old is None else row.old.text,
                    "new": None if row.new is None else row.new.text,
                    "op": row.line.op,
                    "line": row.line.span[0],
                }
                for row in self.rows
            ],
        }

    def __str__(self) -> str:
        lines = [f"{self.title}: {self.summary}"]
        for skipped, rows in self.hunks():
            if skipped:
                lines.append(f"@@ {as_before(skipped)} @@")
            for row in rows:
                lines += [f"{sign} {text}".rstrip() for sign, text in signed(row)]
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"<{self.title}: {self.summary}>"


def as_before(count: int) -> str:
    """Return the text that replaces omitted lines."""
    return f"{_number(count, 'line')} as before"


def signed(row: Row) -> list[tuple[str, str]]:
    """Format a row as lines of text with signs: `-`, `+`, and `>` for a moved one."""
    old = "" if row.old is None else row.old.text
    new = "" if row.new is None else row.new.text
    match row.kind:
        case "added":
            return [("+", new)]
        case "removed":
            return [("-", old)]
        case "changed":
            return [("-", old), ("+", new)]
        case "moved":
            return [(">", new)]
    return [(" ", new)]


def _form(point: Point) -> str:
    """Return the language of a program; the control flow of bytecode has its own."""
    return "cfg" if point.level == "cfg" else point.language


def bare(text: str, language: str) -> str:
    """The readable part of a line: our own IR without the list of variables after it, PTX without
    tabs."""
    if language == "ptx":
        return ptx_text.spaced(text)
    return _NAME_LIST.sub("", text) if language == "cutaway" else text


def _name(point: Point) -> str:
    return point.title if point.title == point.level else f"{point.title} ({point.level})"


def _near(rows: Sequence[Row], around: int) -> list[bool]:
    shown = [False] * len(rows)
    for position, row in enumerate(rows):
        if row.kind != KEPT:
            first = max(0, position - around)
            shown[first : position + around + 1] = [True] * (
                min(len(rows), position + around + 1) - first
            )
    return shown


# --- matching -----------------------------------------------------------------------------------

_NAME_LIST = re.compile(r"\s+\[('[^\]]*)?\]$")  # the variables of an op, after it
_TYPES = re.compile(r"\s+:: .*$")
_METADATA = re.compile(r",? ?![\w.]+( !\d+)?|!\d+")
_LLVM_NAME = re.compile(r'%"?([\w$.@-]+?)"?(?=[\s,)\]:]|$)')
_NUMBERS = re.compile(r"(\.\d+|\.i|\.ph)+$|^\d+$")
_LABEL = re.compile(r'^"?([\w$.-]+?)"?:$')
_BESIDE = re.compile(r"^(!|attributes #|source_filename|target |declare |$)")  # not code
_COMMENT = re.compile(r"\s*;.*$")


def plain_text(line: Line, language: str) -> str:
    """Return the text of a line for comparison: without columns, and without LLVM's numbering."""
    text = line.text
    if language == "cutaway":
        text = _NAME_LIST.sub("", text)
    elif language == "llvm":
        text = _METADATA.sub("", _COMMENT.sub("", text))
        text = _LLVM_NAME.sub(lambda match: "%" + _NUMBERS.sub("", match[1]), text)
        text = _LABEL.sub(lambda match: _NUMBERS.sub("", match[1]) + ":", text)
    elif language == "ptx":
        text = ptx_text.unnumbered(text)
    return " ".join(text.split())


def _compared(point: Point) -> tuple[Line, ...]:
    """Return the lines to compare: of LLVM IR the code, without metadata and declarations."""
    if point.language == "ptx":
        return tuple(line for line in point.lines if not ptx_text.is_of_table(line.text))
    if point.language != "llvm":
        return point.lines
    return tuple(line for line in point.lines if not _BESIDE.match(_COMMENT.sub("", line.text)))


def _rows(before: Point, after: Point, by_id: bool) -> Iterator[Row]:
    old, new = _compared(before), _compared(after)
    if _form(before) != _form(after):
        yield from (Row(REMOVED, line, None) for line in old)
        yield from (Row(ADDED, None, line) for line in new)
        return
    language = before.language

    def text(line: Line) -> str:
        return plain_text(line, language)

    if by_id and language == "cutaway":
        yield from _by_op(old, new, text)
    else:
        yield from _by_text(old, new, text)


def _key(line: Line, text: str) -> str:
    return f"#{line.op}" if line.op and line.op != "0" else text


def _by_op(old: Sequence[Line], new: Sequence[Line], text: Callable[[Line], str]) -> Iterator[Row]:
    """Yield the rows of two programs in our own IR: the same op is kept, changed or moved."""
    a, b = [_key(line, text(line)) for line in old], [_key(line, text(line)) for line in new]
    # Ops in both, in another order; lines without an op cannot be matched so.
    elsewhere = {k: row for k, row in zip(a, old) if k.startswith("#")}
    there = set(b)
    for tag, i1, i2, j1, j2 in _opcodes(a, b):
        if tag == "equal":
            yield from (_row(x, y, text) for x, y in zip(old[i1:i2], new[j1:j2]))
            continue
        gone = zip(a[i1:i2], old[i1:i2])
        yield from (Row(REMOVED, x, None) for k, x in gone if k not in there or k[0] != "#")
        for key, line in zip(b[j1:j2], new[j1:j2]):
            was = elsewhere.get(key)
            yield Row(ADDED if was is None else MOVED, was, line)


def _by_text(
    old: Sequence[Line], new: Sequence[Line], text: Callable[[Line], str]
) -> Iterator[Row]:
    a, b = list(map(text, old)), list(map(text, new))
    for tag, i1, i2, j1, j2 in _opcodes(a, b):
        if tag == "equal":
            yield from (Row(KEPT, x, y) for x, y in zip(old[i1:i2], new[j1:j2]))
        else:
            yield from _paired(old[i1:i2], new[j1:j2], a[i1:i2], b[j1:j2])


def _row(old: Line, new: Line, text: Callable[[Line], str]) -> Row:
    return Row(KEPT if text(old) == text(new) else CHANGED, old, new)


def _paired(
    old: Sequence[Line], new: Sequence[Line], a: Sequence[str], b: Sequence[str]
) -> Iterator[Row]:
    """Yield pairs of replaced lines: a line and the next similar one."""
    i = 0
    for k, line in enumerate(new):
        match = next((m for m in range(i, min(len(old), i + 8)) if _alike(a[m], b[k])), None)
        if match is None:
            yield Row(ADDED, None, line)
            continue
        yield from (Row(REMOVED, gone, None) for gone in old[i:match])
        yield Row(CHANGED, old[match], line)
        i = match + 1
    yield from (Row(REMOVED, gone, None) for gone in old[i:])


def _alike(a: str, b: str) -> bool:
    matcher = SequenceMatcher(None, a, b, autojunk=False)
    return matcher.quick_ratio() >= ALIKE and matcher.ratio() >= ALIKE


def _opcodes(a: list[str], b: list[str]) -> list[tuple[str, int, int, int, int]]:
    long = len(a) + len(b) > SMALL
    return list(SequenceMatcher(None, a, b, autojunk=long).get_opcodes())


# --- in words -----------------------------------------------------------------------------------

_MADE_BY = re.compile(r"^(call|[a-z_]+(?=\())")
_WORD = re.compile(r"^[a-z_]+")
_LLVM_OP = re.compile(r"^(?:tail |musttail |notail )?([a-z]\w*)")


def kind_of(line: Line, language: str) -> str:
    """Return the kind of a line, in a word: `phi`, `call`, `block`, `op`, `line`."""
    text = plain_text(line, language)
    if language == "cutaway":
        if text.startswith("label "):
            return "block"
        _, equals, right = text.partition(" = ")
        match = _MADE_BY.match(right) if equals else _WORD.match(text)
        return match[0] if match and line.op else "op" if line.op else "line"
    if language == "llvm":
        if _LABEL.match(text):
            return "block"
        _, equals, right = text.partition(" = ")
        match = _LLVM_OP.match(right if equals and text.startswith("%") else text)
        return match[1] if match else "line"
    if language == "ptx":
        return "instruction" if ptx_text.INSTRUCTION.match(line.text) else "line"
    return "line" if language != "gas" or text.startswith(".") else "instruction"


def _words(rows: Sequence[Row], language: str) -> Iterator[str]:
    typed = [row for row in rows if row.kind == CHANGED and only_typed(row)]
    for kind in (REMOVED, ADDED, CHANGED, MOVED):
        some = [row for row in rows if row.kind == kind and row not in typed]
        if some:
            yield f"{_counted([kind_of(row.line, language) for row in some])} {kind}"
    if typed:
        yield f"{_number(len(typed), 'op')} {'gets its type' if len(typed) == 1 else 'get types'}"


def only_typed(row: Row) -> bool:
    """True if a changed op differs only by its new type."""
    assert row.old is not None and row.new is not None
    old, new = (_NAME_LIST.sub("", line.text) for line in (row.old, row.new))
    return "::" in new and "::" not in old and _TYPES.sub("", new).split() == old.split()


def _counted(kinds: Sequence[str]) -> str:
    counts = Counter(kinds).most_common()
    if len(counts) <= MANY_KINDS:
        texts = [_number(count, kind) for kind, count in counts]
        return f"{', '.join(texts[:-1])} and {texts[-1]}" if len(texts) > 1 else texts[0]
    named = ", ".join(_number(count, kind) for kind, count in counts[:MANY_KINDS])
    return f"{len(kinds)} lines ({named}, ...)"


def _number(count: int, word: str) -> str:
    if count == 1:
        return f"1 {word}"
    if word.endswith(("ch", "s", "x")):
        return f"{count} {word}es"
    return f"{count} {word[:-1]}ies" if word.endswith("y") else f"{count} {word}s"
