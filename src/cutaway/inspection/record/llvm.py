"""LLVM's own passes, its remarks, and the cost of each line, for the record."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from cutaway.inspection.linking.lines import UserFunction
from cutaway.inspection.llvm.text import TextLine, lines_of
from cutaway.inspection.record import model
from cutaway.inspection.record.model import Line, Span, span_of
from cutaway.ir.levels import Level

if TYPE_CHECKING:
    from cutaway.inspection.recording.recording import Recording

_PLACE = re.compile(r"\s*; (\d+):(\d+)$")

# Stores a state of LLVM IR, from lines and a title; returns its position.
Keep = Callable[[tuple[Line, ...], str], int]


def llvm_steps(compilation: Recording, keep: Keep) -> Iterator[model.LlvmStep]:
    """Yield each pass of LLVM that changed the text, with the state after it."""
    history = compilation.llvm_history
    user = UserFunction(compilation.at(Level.llvm).unit)
    known: dict[tuple[str, str], Line] = {}  # by text and block
    for step in history.passes:
        if step.changed:
            state = keep(tuple(_lines(history.text(step.number), user, known)), step.name)
            yield model.LlvmStep(step.name, step.target, state, step.summary)


def _lines(text: str, user: UserFunction, known: dict[tuple[str, str], Line]) -> Iterator[Line]:
    for row in lines_of(text):
        key = (row.text, row.block)
        if key not in known:
            known[key] = _line(row, user)
        yield known[key]


def _line(row: TextLine, user: UserFunction) -> Line:
    match = _PLACE.search(row.text)
    variable = user.variable(row.result) if row.result else ""
    return Line(
        row.text[: match.start()] if match else row.text,
        _span(user, match, variable),
        row.block,
        f"%{row.result}" if row.result else "",
        (variable,) if variable else (),
        row.names,
    )


def _span(user: UserFunction, match: re.Match[str] | None, variable: str) -> Span:
    if match is None:
        return model.NOWHERE
    return span_of(user.span(int(match[1]), int(match[2]), variable))


def remarks_of(compilation: Recording) -> Iterator[model.Decision]:
    """Yield the remarks, done and missed, with the hints that help but without their measured
    times, which vary."""
    remarks = compilation.remarks
    for number, row in enumerate(remarks):
        where = (row.line, row.column, row.line, row.column) if row.line else model.NOWHERE
        hint = remarks.words_of(number)
        yield model.Decision(row.pass_name, row.subject, row.kind, row.reason, where, hint)
    if remarks.untried:
        yield model.Decision("hints", "hints", "note", remarks.untried)


def costs_of(compilation: Recording) -> Iterator[model.Cost]:
    """Yield the cost of each source line."""
    for row in compilation.cost:
        yield model.Cost(row.line, row.ops, row.llvm, row.machine, row.vectors, row.rare)
