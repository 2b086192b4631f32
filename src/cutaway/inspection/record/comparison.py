"""Two compilations side by side: of other types, options, machines or versions of Cutaway.

d = cutaway.diff(f.trace(1), f.trace(1.0)) or two files written by `save` print(d) the differences,
level by level d.at("typed") one level line by line
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from cutaway.errors import RecordError
from cutaway.foundation.dataclass import dataclass
from cutaway.inspection.record.code_beside import CodeBeside, code_beside
from cutaway.inspection.record.comparing import Diff, kind_of
from cutaway.inspection.record.model import FunctionRecord, Plain, State
from cutaway.inspection.record.points import levels_of
from cutaway.inspection.record.recorded import Record, RecordedPass, load
from cutaway.inspection.showing.displayed import Displayed

_COUNTED = {
    "cutaway": "ops",
    "llvm": "LLVM instructions",
    "gas": "instructions",
    "ptx": "instructions",
}
_NOT_CODE = {"block", "line", "define", "func"}


@dataclass(frozen=True, slots=True)
class Difference:
    """One row: its subject, and its value in each of the two."""

    subject: str
    left: str
    right: str
    note: str = ""

    @property
    def same(self) -> bool:
        """True if the two values are equal."""
        return self.left == self.right


@dataclass(frozen=True, eq=False)
class Comparison(Displayed):
    """Two compilations side by side."""

    left: Record
    right: Record

    @property
    def facts(self) -> tuple[Difference, ...]:
        """Function, types of the arguments and the result, options, versions."""
        return tuple(_facts(self.left, self.right))

    @property
    def passes(self) -> tuple[Difference, ...]:
        """The passes that ran in only one, or had another effect in it."""
        return tuple(row for row in _passes(self.left, self.right) if not row.same)

    @property
    def sizes(self) -> tuple[Difference, ...]:
        """The size of the program at each level that both have reached."""
        return tuple(_sizes(self.left.function, self.right.function))

    @property
    def times(self) -> tuple[Difference, ...]:
        """The time of each pass, and its ratio; the slowest ones first."""
        return tuple(_times(self.left, self.right))

    @property
    def same(self) -> bool:
        """True if both have the same programs at all levels."""
        rows = (*self.facts, *self.passes)
        return all(row.same for row in rows) and all(
            self.at(level).same for level in self._common()
        )

    def at(self, level: str) -> Diff:
        """Compare the two at a level, or after a pass; raises PipelineError if one lacks it."""
        return Diff(self.left.at(level), self.right.at(level), by_id=False)

    def code(self) -> CodeBeside:
        """The instructions of each source line in each of the two: those of a CPU, or of PTX.

        Raises RecordError if the sources differ, or one of the two has no code.
        """
        return code_beside(self.left.function, self.right.function)

    def _common(self) -> list[str]:
        return [level for level in self.left.levels if level in self.right.levels]

    def to_dict(self) -> dict[str, Plain]:
        """Return the comparison as plain data."""
        parts = {"facts": self.facts, "passes": self.passes, "sizes": self.sizes}
        result: dict[str, Plain] = {
            name: [[row.subject, row.left, row.right, row.note] for row in rows]
            for name, rows in {**parts, "times": self.times}.items()
        }
        result["levels"] = {level: self.at(level).to_dict() for level in self._common()}
        return result

    def sections(self) -> Iterator[tuple[str, tuple[Difference, ...]]]:
        """Yield the tables to show: a title and rows."""
        yield "compiled", tuple(row for row in self.facts if not row.same)
        yield "passes", self.passes
        yield "sizes", self.sizes
        yield "times", self.times[:8]

    def levels(self) -> Iterator[tuple[str, str]]:
        """Yield each common level, with the difference in words."""
        for level in self._common():
            yield level, self.at(level).summary

    def __str__(self) -> str:
        lines = [f"{self.left.signature} | {self.right.signature}"]
        for title, rows in self.sections():
            if rows:
                lines.append(f"{title}:")
                lines += [
                    f"  {row.subject}: {row.left or '-'} | {row.right or '-'}"
                    f"{f'  ({row.note})' if row.note else ''}"
                    for row in rows
                ]
        lines.append("levels:")
        lines += [f"  {level}: {words}" for level, words in self.levels()]
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"<{self.left.signature} beside {self.right.signature}>"


def _facts(a: Record, b: Record) -> Iterator[Difference]:
    yield Difference("function", a.name, b.name)
    count = max(len(a.function.arguments), len(b.function.arguments))
    for k in range(count):
        x, y = (r.function.arguments[k : k + 1] for r in (a, b))
        name = (x or y)[0].name
        yield Difference(f"argument {name}", x[0].type if x else "", y[0].type if y else "")
    yield Difference("returns", a.function.returns, b.function.returns)
    yield Difference("options", *_options(a.function.options, b.function.options))
    for key in dict.fromkeys([*a.data.made_with, *b.data.made_with]):
        yield Difference(key, *(str(r.data.made_with.get(key, "")) for r in (a, b)))
    yield Difference("error", *("" if r.error is None else r.error.message for r in (a, b)))


def _options(a: str, b: str) -> tuple[str, str]:
    """Return the differing options of two texts like `Flags(x=1, y=2)`."""
    left, right = (text.partition("(")[2].removesuffix(")").split(", ") for text in (a, b))
    return (
        ", ".join(part for part in left if part not in right),
        ", ".join(part for part in right if part not in left),
    )


def _effect(one: RecordedPass | None) -> str:
    if one is None:
        return ""
    if one.failed:
        return "failed"
    if not one.changed:
        return "no change"
    diff = one.diff()
    if diff.translates:
        return f"{diff.before.level} becomes {diff.after.level}"
    return diff.summary


def _passes(a: Record, b: Record) -> Iterator[Difference]:
    left, right = ({p.name: p for p in record.passes} for record in (a, b))
    for name in dict.fromkeys([*left, *right]):
        yield Difference(name, _effect(left.get(name)), _effect(right.get(name)))


def _sizes(a: FunctionRecord, b: FunctionRecord) -> Iterator[Difference]:
    left, right = levels_of(a), levels_of(b)
    for level in left:
        if level in right:
            x, y = a.states[left[level]], b.states[right[level]]
            what = _COUNTED.get(x.language, "lines")
            old, new = size_of(x), size_of(y)
            yield Difference(f"{level} ({what})", str(old), str(new), _ratio(old, new))


def size_of(state: State) -> int:
    """Return the size of a program: ops, instructions, or lines."""
    if state.language not in _COUNTED:
        return len(state.lines)
    return sum(1 for line in state.lines if _is_code(line.text, kind_of(line, state.language)))


def _is_code(text: str, kind: str) -> bool:
    return kind not in _NOT_CODE and text[:1].isspace() and bool(text.strip())


def _times(a: Record, b: Record) -> Iterator[Difference]:
    left, right = ({p.name: p.own_seconds for p in record.passes} for record in (a, b))
    both = [name for name in left if name in right]
    for name in sorted(both, key=lambda name: -left[name] - right[name]):
        x, y = left[name], right[name]
        yield Difference(name, f"{x * 1e3:.2f} ms", f"{y * 1e3:.2f} ms", _ratio(x, y))


def _ratio(old: float, new: float) -> str:
    if not old or old == new:
        return ""
    return f"{new / old:.2f}x"


def diff(left: Any, right: Any) -> Comparison:
    """Compare two compilations: results of `f.trace`, records, or paths of files."""
    return Comparison(_record(left), _record(right))


def _record(source: Any) -> Record:
    if isinstance(source, Record):
        return source
    if isinstance(source, str | Path):
        return load(source)
    result = getattr(source, "record", None)
    if not isinstance(result, Record):
        raise RecordError(
            f"{type(source).__name__} is not a compilation",
            hint="pass the result of `f.trace(*args)`, or the path of a record",
        )
    return result
