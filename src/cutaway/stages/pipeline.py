"""A pipeline: an immutable sequence of passes that is known to make sense.

Every change of a pipeline returns a new one, and each is checked when it is constructed: names are
known once, no pass reads a level that has not been reached or leaves one that does not come after
it, no pass lacks another one that it needs, and every row of the order table holds.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from cutaway.errors import PipelineError, did_you_mean
from cutaway.foundation.dataclass import dataclass, replace
from cutaway.ir.levels import Level
from cutaway.stages import catalog
from cutaway.stages.passes import Pass


@dataclass(frozen=True, slots=True)
class Pipeline:
    """Passes in the order they run, on a unit that has reached level `start`.

    A pipeline that starts above `source` is a fragment, for trying passes on IR that is
    already there: its order is checked, but required passes may be missing.

    Raises PipelineError for passes that do not fit.
    """

    passes: tuple[Pass, ...]
    start: Level = Level.source

    def __post_init__(self) -> None:
        _check_unique(self)
        object.__setattr__(self, "passes", tuple(_settled(self.passes, self.start)))
        _check_levels(self)
        _check_order(self)
        if self.start is Level.source:
            _check_required(self)

    @classmethod
    def parse(
        cls, text: str, start: Level = Level.source, extra: tuple[Pass, ...] = ()
    ) -> Pipeline:
        """Parse the text form, names joined by commas; `extra` are the user's own passes."""
        known = {p.name: p for p in (*catalog.PASSES, *extra)}
        names = [name.strip() for name in text.split(",") if name.strip()]
        return cls(tuple(_lookup(name, known) for name in names), start)

    def __str__(self) -> str:
        return ",".join(self.names)

    def __iter__(self) -> Iterator[Pass]:
        return iter(self.passes)

    def __len__(self) -> int:
        return len(self.passes)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the passes, in order."""
        return tuple(p.name for p in self.passes)

    @property
    def reaches(self) -> Level:
        """The level that a unit has at the end."""
        return self.passes[-1].gives if self.passes else self.start

    def position(self, name: str) -> int:
        """The position of the pass of that name."""
        _lookup(name, {p.name: p for p in self.passes})
        return self.names.index(name)

    def insert_before(self, name: str, *new: Pass) -> Pipeline:
        """The pipeline with passes added before one."""
        at = self.position(name)
        return Pipeline((*self.passes[:at], *new, *self.passes[at:]), self.start)

    def insert_after(self, name: str, *new: Pass) -> Pipeline:
        """The pipeline with passes added after one."""
        at = self.position(name) + 1
        return Pipeline((*self.passes[:at], *new, *self.passes[at:]), self.start)

    def replace(self, name: str, new: Pass) -> Pipeline:
        """The pipeline with one pass replaced by another, which may have the same name."""
        at = self.position(name)
        return Pipeline((*self.passes[:at], new, *self.passes[at + 1 :]), self.start)

    def without(self, *names: str) -> Pipeline:
        """The pipeline with passes left out, which must not be required."""
        gone = {self.position(name) for name in names}
        left = tuple(p for at, p in enumerate(self.passes) if at not in gone)
        return Pipeline(left, self.start)

    def until(self, goal: str | Level) -> Pipeline:
        """The beginning of the pipeline: through the pass of that name, or all of a level.

        A word that names both, like `ssa`, means the pass.
        """
        return Pipeline(self.passes[: self.end_of(goal)], self.start)

    def end_of(self, goal: str | Level) -> int:
        """The number of passes up to the end of a pass, or of a level."""
        if str(goal) in self.names and not isinstance(goal, Level):
            return self.position(str(goal)) + 1
        levels = {p.gives.value: at + 1 for at, p in enumerate(self.passes)}
        levels.setdefault(self.start.value, 0)
        word = goal.value if isinstance(goal, Level) else goal
        if word not in levels:
            raise _unknown("pass or level", word, (*self.names, *levels))
        return levels[word]


def _lookup(name: str, known: dict[str, Pass]) -> Pass:
    if name not in known:
        raise _unknown("pass", name, tuple(known))
    return known[name]


def _unknown(kind: str, name: str, known: tuple[str, ...]) -> PipelineError:
    hint = did_you_mean(name, known, f"there are: {', '.join(known)}")
    return PipelineError(f"there is no {kind} {name!r} here", hint=hint)


def _settled(passes: Iterable[Pass], reached: Level) -> Iterator[Pass]:
    """Yield the passes; those that keep the reached level are set to leave that one."""
    for one in passes:
        later = one.keeps is not None and reached.leads_to(one.keeps)
        if later and one.gives.comes_before(reached):
            one = replace(one, gives=reached)
        yield one
        reached = one.gives


def _check_unique(pipeline: Pipeline) -> None:
    names = pipeline.names
    for at, name in enumerate(names):
        if name in names[:at]:
            raise PipelineError(
                f"pass {name} is in the pipeline twice",
                hint="give the second one a name of its own",
            )


def _check_levels(pipeline: Pipeline) -> None:
    reached, by = pipeline.start, "the start"
    for p in pipeline.passes:
        if not p.reads.leads_to(reached):
            raise PipelineError(
                f"pass {p.name} reads level {p.reads.value}, but only {reached.value} is reached",
                hint=f"put it after a pass that gives {p.reads.value}",
            )
        if not reached.leads_to(p.gives):
            raise PipelineError(
                f"pass {p.name} gives level {p.gives.value}, which does not come after"
                f" {reached.value}, which {by} has reached",
                hint=f"put it before {by}" if by != "the start" else "",
            )
        if p.gives is not reached:
            reached, by = p.gives, p.name


def _check_order(pipeline: Pipeline) -> None:
    at = {name: k for k, name in enumerate(pipeline.names)}
    for row in catalog.ORDER:
        if at.get(row.before, -1) > at.get(row.after, len(at)):
            raise PipelineError(
                f"pass {row.before} must run before {row.after}: {row.reason}",
                hint=f"move {row.before} before {row.after}",
            )


def _check_required(pipeline: Pipeline) -> None:
    names = pipeline.names
    at = {name: k for k, name in enumerate(names)}
    missing = [
        row for row in catalog.NEEDS if row.by in at and at.get(row.needed, len(at)) > at[row.by]
    ]
    if missing:
        listed = ", ".join(dict.fromkeys(row.needed for row in missing))
        raise PipelineError(
            f"required passes are missing: {listed}",
            hint="see `cutaway passes`; a pass that replaces a required one keeps its name",
            notes=tuple(f"{row.by} needs {row.needed}: {row.reason}" for row in missing),
        )
