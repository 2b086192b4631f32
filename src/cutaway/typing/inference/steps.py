"""Inference as a sequence of steps: each is one visit of a constraint that changed a variable.

A step has the op that was visited, its inputs, and the types before and after.  A visit that
changes nothing is not a step.
"""

from __future__ import annotations

from collections.abc import Sequence

from cutaway.foundation.dataclass import dataclass
from cutaway.ir.nodes import Op
from cutaway.typing.inference.events import TypeEvent
from cutaway.typing.types import Type


@dataclass(frozen=True, slots=True)
class Step:
    """One propagation: `events` are the changes by one visit of `op`.  `before` and `after` are the
    types of all variables that had one."""

    number: int
    op: Op
    events: tuple[TypeEvent, ...]
    before: dict[str, Type]

    @property
    def after(self) -> dict[str, Type]:
        """The types after the step."""
        return {**self.before, **{event.variable: event.new for event in self.events}}

    @property
    def inputs(self) -> tuple[tuple[str, Type], ...]:
        """The operands of the op, with their types at the visit."""
        return self.events[0].causes

    @property
    def changed(self) -> tuple[str, ...]:
        """The variables that got another type."""
        return tuple(event.variable for event in self.events)

    def __str__(self) -> str:
        return "\n".join(map(str, self.events))


def steps_of(events: Sequence[TypeEvent]) -> tuple[Step, ...]:
    """Group the recorded events of one inference to steps."""
    steps: list[Step] = []
    table: dict[str, Type] = {}
    position = 0
    while position < len(events):
        first, end = position, position + 1
        while end < len(events) and _one_visit(events[first:end], events[end]):
            end += 1
        some = tuple(events[first:end])
        steps.append(Step(len(steps) + 1, some[0].op, some, dict(table)))
        table.update((event.variable, event.new) for event in some)
        position = end
    return tuple(steps)


def _one_visit(some: Sequence[TypeEvent], event: TypeEvent) -> bool:
    """True if an event belongs to the same visit: the same op, and another variable."""
    changed = {other.variable for other in some}
    return event.op is some[0].op and event.variable not in changed
