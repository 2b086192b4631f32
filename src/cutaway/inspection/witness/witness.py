"""Run the program after every pass on the user's own arguments.

    w = c.witness(a, 3)
    w.ok             true if no pass changed the outcome more than the ledger permits
    w.rows           for each pass a mark: equal, equal value, declared difference, different, ...
    w.legend         the meaning of the marks

The result holds for these arguments: it is evidence, not a proof for others.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from cutaway.errors import PipelineError, TypingError
from cutaway.foundation.dataclass import dataclass
from cutaway.inspection.recording.recording import Recording
from cutaway.inspection.showing.displayed import Displayed
from cutaway.inspection.witness.execution import sample_calls
from cutaway.inspection.witness.judge import Judge, Mark
from cutaway.inspection.witness.outcomes import shown
from cutaway.inspection.witness.runs import Limits
from cutaway.typing.overloads.parameters import parameters_of
from cutaway.typing.types import Literal, Omitted, pyobject
from cutaway.typing.types.conversions import Conversion, conversion
from cutaway.typing.values.typeof import typeof

EVIDENCE = "this is evidence for these arguments, not a proof for others"


@dataclass(frozen=True, slots=True)
class WitnessRow:
    """The verdict on one pass.

    `entries` are the ledger entries that permit a difference, `words` describe the difference from
    Python, or why it was not run.
    """

    name: str
    level: str
    mark: Mark
    entries: tuple[str, ...]
    words: str
    seconds: float

    @property
    def described(self) -> str:
        """The mark in words."""
        if self.mark is Mark.declared:
            return f"{self.mark.value}: {', '.join(self.entries)}"
        return self.mark.value


@dataclass(frozen=True, eq=False)
class Witness(Displayed):
    """A row for each pass, and Python's outcome."""

    function: str
    arguments: str
    python: str
    rows: tuple[WitnessRow, ...]
    executions: int
    sampled: bool

    @property
    def ok(self) -> bool:
        """True if no pass that ran changed the outcome, beyond the ledger."""
        return all(row.mark is not Mark.different for row in self.rows)

    @property
    def first_different(self) -> WitnessRow | None:
        """The first pass after which the outcome differs."""
        return next((row for row in self.rows if row.mark is Mark.different), None)

    @property
    def summary(self) -> str:
        """The summary in one line."""
        first = self.first_different
        if first is not None:
            return f"different from pass {first.name} on: {first.words}"
        tried = [row for row in self.rows if row.mark is not Mark.skipped]
        left_out = len(self.rows) - len(tried)
        skipped = f", {left_out} not run" if left_out else ""
        if not tried:
            return "nothing could be run: no result"
        declared = [row for row in tried if row.mark is Mark.declared]
        entries = ", ".join(dict.fromkeys(entry for row in declared for entry in row.entries))
        beyond = f" except for declared differences ({entries})" if entries else ""
        return f"no pass of {len(tried)} changed what it does{beyond}{skipped}; {EVIDENCE}"

    @property
    def legend(self) -> dict[str, str]:
        """The meaning of the marks in these rows."""
        return {mark.value: mark.meaning for mark in Mark if any(r.mark is mark for r in self.rows)}

    def __iter__(self) -> Iterator[WitnessRow]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def to_dict(self) -> dict[str, Any]:
        """Return the verdicts as plain data."""
        return {
            "function": self.function,
            "arguments": self.arguments,
            "sampled": self.sampled,
            "python": self.python,
            "ok": self.ok,
            "summary": self.summary,
            "legend": self.legend,
            "executions": self.executions,
            "rows": [
                {
                    "pass": row.name,
                    "level": row.level,
                    "mark": row.mark.value,
                    "entries": list(row.entries),
                    "words": row.words,
                    "seconds": row.seconds,
                }
                for row in self.rows
            ],
        }

    @property
    def news(self) -> tuple[str, ...]:
        """The words of each row, empty if equal to those of the row above."""
        above = ("", *(row.words for row in self.rows))
        return tuple(
            "" if row.words == said else row.words
            for row, said in zip(self.rows, above, strict=False)
        )

    def lines(self) -> Iterator[str]:
        """Yield the text, line by line."""
        yield self.head
        yield f"Python {self.python}"
        for row, words in zip(self.rows, self.news, strict=True):
            yield f"  {row.name:<16} {row.level:<9} {row.described}  {words}".rstrip()
        yield from (f"  {mark}: {meaning}" for mark, meaning in self.legend.items())
        yield self.summary

    @property
    def head(self) -> str:
        """The call that was tried."""
        sampled = ", with sample arguments" if self.sampled else ""
        return f"{self.function}({self.arguments}){sampled}"

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def __repr__(self) -> str:
        return f"<witness of {self.function}: {self.summary}>"


def witness(
    compilation: Recording, args: tuple[Any, ...], repeat: int = 1, seconds: float = 10.0
) -> Witness:
    """Run the program after each pass of a compilation on copies of arguments, and compare with
    Python.

    Raises PipelineError if the compilation is not for such arguments.
    """
    arguments, sampled = arguments_for(compilation, args)
    judge = Judge(compilation, arguments, Limits(repeat, seconds))
    rows = tuple(_rows(compilation, judge))
    outcomes = judge.python.outcomes
    return Witness(
        compilation.name,
        ", ".join(map(shown, arguments)),
        str(outcomes[0]) if outcomes else judge.python.failure or judge.python.skipped,
        rows,
        judge.executions,
        sampled,
    )


def _rows(compilation: Recording, judge: Judge) -> Iterator[WitnessRow]:
    for position, record in enumerate(compilation.passes):
        verdict = judge.verdict(position)
        level = (record.unit_after or record.unit_before).level.value
        words, seconds = verdict.words, verdict.seconds
        yield WitnessRow(record.name, level, verdict.mark, verdict.entries, words, seconds)


def arguments_for(compilation: Recording, args: tuple[Any, ...]) -> tuple[tuple[Any, ...], bool]:
    """Choose the arguments to try a compilation on; say whether they are samples.

    They are those passed, else those of the trace, else samples of the types. Raises PipelineError
    if they do not fit, or if there are none.
    """
    arguments = args or getattr(compilation, "arguments", None)
    argtypes = compilation.unit.argtypes or ()
    if arguments is None or not args and any(hasattr(value, "typecode") for value in arguments):
        samples = sample_calls(compilation.unit.pyfunc, argtypes) if argtypes else [()]
        if not samples:
            raise PipelineError(
                f"there are no sample arguments for {compilation.signature}",
                hint="pass arguments",
            )
        return samples[0], bool(argtypes)
    _check(compilation, tuple(arguments))
    return tuple(arguments), False


def _check(compilation: Recording, args: tuple[Any, ...]) -> None:
    """Raise PipelineError for other types: the code would reinterpret the bits."""
    hint = f"trace it again with these arguments; this trace is of {compilation.signature}"
    try:
        bound = parameters_of(compilation.unit.pyfunc, named=True).bind(args, _MISSING)
    except TypeError as error:
        raise PipelineError(str(error), hint=hint) from None
    for value, ty in zip(bound, compilation.unit.argtypes or (), strict=True):
        if isinstance(ty, Omitted) or value is _MISSING:
            fits = isinstance(ty, Omitted) and value is _MISSING
        elif isinstance(ty, Literal):
            fits = bool(value == ty.value)
        else:
            fits = _converts(value, ty)
        if not fits:
            what = "a default" if value is _MISSING else shown(value)
            raise PipelineError(f"the argument {what} is not of type {ty}", hint=hint)


def _converts(value: Any, ty: Any) -> bool:
    if ty is pyobject:
        return True
    try:
        actual = typeof(value)
    except TypingError:
        return False
    return actual is ty or conversion(actual, ty) not in (Conversion.NONE, Conversion.UNSAFE)


_MISSING = object()
