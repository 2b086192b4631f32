"""Type inference, one propagation at a time.

c.typing                  all steps: c.typing[3].before, .after, .op, .graph()
walk = c.typing.walk()    forward and back through them
walk.run_until("s")       on to the next change of a variable
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from cutaway.errors import PipelineError
from cutaway.foundation.dataclass import dataclass
from cutaway.inspection.explaining.why import place
from cutaway.inspection.showing.displayed import Displayed, render
from cutaway.ir.function import Function, user_name
from cutaway.ir.nodes import Op
from cutaway.ir.printer import op_text
from cutaway.ir.traversal import walk
from cutaway.typing.inference.events import TypeEvent
from cutaway.typing.inference.steps import Step, steps_of
from cutaway.typing.types import Type

if TYPE_CHECKING:
    from cutaway.drawing.model import Graph
    from cutaway.inspection.recording.recording import PassRecord
    from cutaway.stages.unit import CompileUnit


@dataclass(frozen=True, eq=False)
class TypingStep(Displayed):
    """One propagation: the visited constraint, and its changes."""

    function: Function
    step: Step

    @property
    def number(self) -> int:
        """The number of the step, from 1."""
        return self.step.number

    @property
    def op(self) -> Op:
        """The op that was visited."""
        return self.step.op

    @property
    def inputs(self) -> tuple[tuple[str, Type], ...]:
        """The variables that the op reads, with their types then."""
        return self.step.inputs

    @property
    def changes(self) -> tuple[TypeEvent, ...]:
        """Each variable that changed, with its type before and after."""
        return self.step.events

    @property
    def before(self) -> dict[str, Type]:
        """The types of all variables before the step."""
        return dict(self.step.before)

    @property
    def after(self) -> dict[str, Type]:
        """The types of all variables after the step."""
        return self.step.after

    def graph(self) -> Any:
        """Return the constraint network after the step, its changes in red."""
        return render.drawing(self.network())

    def network(self) -> Graph:
        """Return the constraint network after the step, as data."""
        ops = list(walk(self.function))
        step = self.step
        return render.type_network(self.function.name, ops, step.after, step.changed, step.op)

    def __str__(self) -> str:
        changes = [(e.variable, "" if e.old is None else e.old, e.new) for e in self.changes]
        return step_text(self.number, op_text(self.op), place(self.op.loc), self.inputs, changes)

    __repr__ = __str__


def step_text(
    number: int,
    constraint: str,
    where: str,
    inputs: Iterable[tuple[str, object]],
    changes: Iterable[tuple[str, object, object]],
) -> str:
    """A step in words; `changes` are variables with their types before ("": none) and after."""
    lines = [f"step {number}: {constraint}"]
    lines[0] += f"  [{where}]" if where else ""
    lines += [f"  {name} :: {ty}" for name, ty in inputs]
    lines += [f"  {name}: {old or 'unknown'} -> {new}" for name, old, new in changes]
    return "\n".join(lines)


class TypingSteps(Displayed, Sequence[TypingStep]):
    """All steps of one inference, in order."""

    def __init__(
        self, function: Function, events: Sequence[TypeEvent], unit: CompileUnit | None = None
    ) -> None:
        self.function = function
        self.unit = unit
        self.steps = tuple(TypingStep(function, step) for step in steps_of(events))

    def __len__(self) -> int:
        return len(self.steps)

    def __getitem__(self, index: Any) -> Any:
        return self.steps[index]

    def __iter__(self) -> Iterator[TypingStep]:
        return iter(self.steps)

    def of(self, variable: str) -> tuple[TypingStep, ...]:
        """Return the steps that change a variable, by the compiler's name or the user's."""
        return tuple(s for s in self.steps if changes(s, variable))

    def graph(self) -> Any:
        """Return the constraint network with the types at the end."""
        return render.drawing(self.network())

    def network(self) -> Graph:
        """Return the constraint network at the end, as data."""
        table = self.steps[-1].after if self.steps else {}
        return render.type_network(self.function.name, list(walk(self.function)), table)

    def walk(self) -> TypingWalk:
        """Return a walk through the steps, starting before the first."""
        return TypingWalk(self)

    def __str__(self) -> str:
        return "\n".join(map(str, self.steps))

    def __repr__(self) -> str:
        return f"<{len(self)} steps of the inference of {self.function.name}>"


def changes(step: TypingStep, variable: str) -> bool:
    """True if a step changes a variable, by the compiler's name or the user's."""
    return any(variable in (name, user_name(name)) for name in step.step.changed)


class TypingWalk(Displayed):
    """A cursor on the steps of an inference: forward, back, on to a change of a variable."""

    def __init__(self, steps: TypingSteps) -> None:
        self.steps = steps
        self.position = 0

    @property
    def finished(self) -> bool:
        """True if the walk is at the end."""
        return self.position == len(self.steps)

    @property
    def upcoming(self) -> TypingStep | None:
        """The step that `next` takes; None at the end."""
        return None if self.finished else self.steps[self.position]

    @property
    def current(self) -> TypingStep | None:
        """The step that was taken last; None at the beginning."""
        return self.steps[self.position - 1] if self.position else None

    @property
    def types(self) -> dict[str, Type]:
        """The current types of all variables."""
        return self.current.after if self.current is not None else {}

    def next(self) -> TypingStep:
        """Take the next step and return it.  Raises PipelineError at the end."""
        if self.finished:
            raise PipelineError("inference has ended", hint="back() undoes the last step")
        self.position += 1
        assert self.current is not None
        return self.current

    def back(self) -> TypingStep | None:
        """Undo the last step and return the one before.  Raises PipelineError at the beginning."""
        if not self.position:
            raise PipelineError("no step has been taken yet", hint="next() takes the first one")
        self.position -= 1
        return self.current

    def run_until(self, variable: str) -> TypingStep:
        """Continue to the next step that changes a variable.

        Raises PipelineError, without moving, if there is none.
        """
        for position in range(self.position, len(self.steps)):
            if changes(self.steps[position], variable):
                self.position = position
                return self.next()
        raise PipelineError(f"the type of {variable!r} does not change after this step")

    def __str__(self) -> str:
        head = f"{self.position} of {len(self.steps)} steps of {self.steps.function.name}"
        return head if self.current is None else f"{head}\n{self.current}"

    __repr__ = __str__


def steps_in(record: PassRecord) -> TypingSteps:
    """Return the steps of a recorded pass that infers types."""
    events = [fact for fact in record.rewrites if isinstance(fact, TypeEvent)]
    return TypingSteps(record.unit_before.fn, events, record.unit_before)
