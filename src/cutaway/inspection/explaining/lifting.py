"""Explain which loops of a function in object mode run with types, and why others do not.

    print(f.why_not_lifted(9))

    the loop at line 9 runs as objects
      `xs`: a value of type list cannot be passed to a compiled function [x.py:9]
        hint: numbers, strings, None, enums, tuples, ranges, slices, arrays, ... can be passed

A loop's types are known when it runs; before, only whether its shape allows lifting.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from cutaway.errors import CutawayError, PipelineError
from cutaway.foundation.dataclass import dataclass, replace
from cutaway.foundation.source import short_file
from cutaway.inspection.showing.displayed import Displayed
from cutaway.ir.decisions import DONE, MISSED, Decision
from cutaway.ir.lifted import Attempt, TriedLoop

if TYPE_CHECKING:
    from cutaway.typing.types import Type


@dataclass(frozen=True, eq=False)
class LoopRuns(Displayed):
    """A loop of a function in object mode, from `line` to `last_line`, and whether it was lifted.

    `reason` says why its shape does not allow it to run with types; empty if it does. `signatures`
    are the types with which it has run, `attempts` the failed compilations.
    """

    line: int
    last_line: int
    reason: str
    hint: str
    signatures: tuple[tuple[Type, ...], ...]
    attempts: tuple[Attempt, ...]
    names: tuple[str, ...]

    @property
    def is_lifted(self) -> bool:
        """True if it has run with types."""
        return bool(self.signatures)

    @property
    def verdict(self) -> str:
        """The state of the loop: `lifted`, `objects`, or `not run`."""
        if self.signatures:
            return "lifted"
        return "objects" if self.reason or self.attempts else "not run"

    def __str__(self) -> str:
        return "\n".join(_story(self))

    __repr__ = __str__


class LiftedLoops(tuple[LoopRuns, ...], Displayed):  # a tuple that is drawn
    """The loops of a function in object mode, in the order of their lines."""

    def __str__(self) -> str:
        return "\n".join(map(str, self)) or "no loop is lifted"

    __repr__ = __str__


def loops_of(tried: Iterable[TriedLoop], others: Iterable[TriedLoop] = ()) -> LiftedLoops:
    """Return the loops of a compilation, with the runs of the same loops in `others`."""
    known = {(one.first_line, one.decision.subject, k): one for k, one in enumerate(others)}
    rows = []
    for k, one in enumerate(tried):
        again = known.get((one.first_line, one.decision.subject, k))
        rows.append(_runs(one, [one] if again in (None, one) else [one, again]))
    return LiftedLoops(rows)


def _runs(one: TriedLoop, all_of_it: list[TriedLoop | None]) -> LoopRuns:
    signatures: dict[tuple[Type, ...], None] = {}
    attempts: dict[Any, Attempt] = {}
    names: tuple[str, ...] = ()
    for tried in all_of_it:
        if tried is None or tried.lifted is None or tried.lifted.lifting is None:
            continue
        for half in list(tried.lifted.lifting.halves.values()):
            signatures.update(dict.fromkeys(half.by_types))
            attempts.update(half.attempts)
            names = names or tuple(map(tried.lifted.shown, half.body.params))
    missed = one.decision.verdict == MISSED
    return LoopRuns(
        one.decision.loc.line,
        one.last_line,
        one.decision.reason if missed else "",
        one.decision.hint,
        tuple(signatures),
        tuple(attempts.values()),
        names,
    )


def decided(decision: Decision, loops: LiftedLoops) -> Decision:
    """Add the outcome of a loop's runs to the decision to try it with types."""
    outcome = next((one for one in loops if one.line == decision.loc.line), None)
    if decision.verdict == MISSED or outcome is None or outcome.verdict == "not run":
        return decision
    first, *details = (line.strip() for line in _story(outcome))
    reason = "; ".join([first.partition(decision.subject)[2].strip(": "), *details[:1]])
    return replace(decision, verdict=DONE if outcome.is_lifted else MISSED, reason=reason)


def at_line(loops: LiftedLoops, line: int | None) -> LiftedLoops | LoopRuns:
    """Return the loop that begins in a line, or else the innermost one around it; all loops for
    None.

    Raises PipelineError if there is none.
    """
    if line is None:
        return loops
    for one in loops:
        if one.line == line:
            return one
    around = [one for one in loops if one.line <= line <= one.last_line]
    if not around:
        lines = ", ".join(str(one.line) for one in loops)
        raise PipelineError(
            f"there is no loop at line {line}",
            hint=f"there are loops at lines {lines}" if loops else "the function has no loops",
        )
    return max(around, key=lambda one: one.line)


def _story(runs: LoopRuns) -> Iterator[str]:
    subject = f"the loop at line {runs.line}"
    if runs.reason:
        yield f"{subject} is not lifted: {runs.reason}"
        if runs.hint:
            yield f"  hint: {runs.hint}"
        return
    if runs.signatures:
        yield f"{subject} is lifted: it runs with types"
        for signature in runs.signatures:
            yield f"  {_shown(runs.names, signature)}"
    elif runs.attempts:
        yield f"{subject} runs as objects"
    else:
        yield f"{subject} has not run yet: its types are those of its first run"
        yield "  hint: call the function, and ask again"
    for attempt in runs.attempts:
        types = "" if attempt.types is None else f"with {_shown(runs.names, attempt.types)}: "
        yield from _error_lines(attempt.error, types)


def _shown(names: tuple[str, ...], types: tuple[Any, ...]) -> str:
    if len(names) != len(types):
        return "(" + ", ".join(map(str, types)) + ")"
    return ", ".join(f"{name} {ty}" for name, ty in zip(names, types, strict=True)) or "no values"


def _error_lines(error: CutawayError, before: str) -> Iterator[str]:
    place = f" [{short_file(error.loc.filename)}:{error.loc.line}]" if error.loc else ""
    yield f"  {before}{error.message}{place}"
    if error.hint:
        yield f"    hint: {error.hint}"
