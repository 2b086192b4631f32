"""A record's answers about types and calls, in the same words as the live compilation's."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import PurePath

from cutaway.errors import PipelineError, did_you_mean
from cutaway.foundation.dataclass import dataclass
from cutaway.foundation.source import Loc
from cutaway.inspection.explaining.typing_steps import step_text
from cutaway.inspection.explaining.why import CallExplanation, explanation_text
from cutaway.inspection.record.model import FunctionRecord, Plain, Span, TypeStep
from cutaway.inspection.showing.displayed import Displayed
from cutaway.typing import types
from cutaway.typing.errors.wording import RESULT, quoted
from cutaway.typing.overloads.candidates import Site, Tried
from cutaway.typing.types.conversions import Conversion


def place_of(function: FunctionRecord, span: Span) -> str:
    """Format a location as `file.py:4`; empty if there is none."""
    return f"{function.source.file}:{span[0]}" if span[0] else ""


@dataclass(frozen=True, eq=False)
class Retold(Displayed):
    """The explanation of a variable's types, from a record; the same text as from a trace."""

    found: Mapping[str, Plain]

    @property
    def function(self) -> str:
        """The function with the types of its arguments."""
        return str(self.found["function"])

    @property
    def variable(self) -> str:
        """The explained variable, in source terms."""
        return str(self.found["variable"])

    @property
    def type(self) -> str:
        """The explained type; of several versions, that of the last."""
        return str(self.found["causes"][-1]["type"])

    def lines(self) -> Iterator[tuple[int, str, str]]:
        """Yield the depth, sentence and location of each line of the text."""
        waiting = [(0, cause) for cause in reversed(self.found["causes"])]
        while waiting:
            depth, cause = waiting.pop()
            yield depth, *_sentence(cause)
            waiting += [(depth + 1, below) for below in reversed(cause.get("causes", ()))]

    def to_dict(self) -> dict[str, Plain]:
        """Return the tree as plain data."""
        return dict(self.found)

    def __str__(self) -> str:
        return explanation_text(self.function, self.lines(), self.found.get("error"))

    def __repr__(self) -> str:
        return f"<why {quoted(self.variable)} is {self.type} in {self.function}>"


def _sentence(cause: Mapping[str, Plain]) -> tuple[str, str]:
    if "see" in cause:
        return str(cause["see"]), ""
    remark = f" ({cause['remark']})" if cause["remark"] else ""
    ty = types.shortened(str(cause["type"]))
    where = cause["span"]
    place = f"{PurePath(where['file']).name}:{where['line']}" if where["line"] else ""
    return f"{quoted(cause['what'])} is {ty}: {cause['rule']}{remark}", place


def why(function: FunctionRecord, name: str, line: int | None) -> Retold:
    """Return the recorded explanation of a variable; with a line, of the value assigned there.

    Raises PipelineError if there is none.
    """
    name = "" if name == RESULT else name
    explanation = function.explanations.get(name)
    if explanation is None:
        known = [known for known in function.explanations if known]
        otherwise = f"variables: {', '.join(known)}" if known else "no types were inferred"
        raise PipelineError(
            f"the record has no types of {name!r} in {function.name}",
            hint=did_you_mean(name, known, otherwise),
        )
    if line is None:
        return Retold(explanation)
    causes = [cause for cause in explanation["causes"] if cause["span"]["line"] == line]
    if not causes:
        lines = sorted({cause["span"]["line"] for cause in explanation["causes"]})
        raise PipelineError(
            f"the record has the types of {name!r} only at its assignments, not in line {line}",
            hint=f"they are assigned in line {', '.join(map(str, lines))}",
        )
    return Retold({**explanation, "causes": causes})


def why_call(function: FunctionRecord, line: int | None) -> CallExplanation:
    """Return the recorded call sites of a line, or all. Raises PipelineError if there are none."""
    rows = [] if function.calls is None else function.calls["sites"]
    sites = tuple(_site(row) for row in rows if line is None or row["span"]["line"] == line)
    if not sites:
        where = "" if line is None else f" in line {line}"
        raise PipelineError(f"the record has no call{where} of {function.name}")
    return CallExplanation(function.signature, sites)


def _site(row: Mapping[str, Plain]) -> Site:
    where = row["span"]
    loc = Loc(where["line"], where["column"], where["end_line"], where["end_column"], where["file"])
    tried = tuple(map(_tried, row["candidates"]))
    # Types are texts here, which suffices for display.
    return Site(row["source"], loc, row["function"], tuple(row["arguments"]), row["returns"], tried)


def _tried(row: Mapping[str, Plain]) -> Tried:
    kinds = tuple(
        Conversion[kind.upper()]
        for kind in row["conversions"]
        if kind.upper() in Conversion.__members__
    )
    return Tried(row["signature"], kinds, row["reason"])


@dataclass(frozen=True, eq=False)
class RetoldSteps(Displayed):
    """Type inference as it ran, one propagation per step."""

    function: FunctionRecord

    def __iter__(self) -> Iterator[TypeStep]:
        return iter(self.function.steps)

    def __len__(self) -> int:
        return len(self.function.steps)

    def __getitem__(self, index: int) -> TypeStep:
        return self.function.steps[index]

    def of(self, variable: str) -> tuple[TypeStep, ...]:
        """Return the steps that change a variable, by the compiler's name or the user's."""
        return tuple(
            step
            for step in self.function.steps
            if any(variable in (change.variable, change.name) for change in step.changes)
        )

    def text(self, step: TypeStep) -> str:
        """Format a step as a sentence."""
        where = place_of(self.function, step.span)
        changes = [(change.variable, change.old, change.new) for change in step.changes]
        return step_text(step.number, step.constraint, where, step.changes[0].causes, changes)

    def __str__(self) -> str:
        return "\n".join(map(self.text, self.function.steps))

    def __repr__(self) -> str:
        return f"<{len(self)} steps of the inference of {self.function.name}>"
