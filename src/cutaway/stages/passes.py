"""Passes, and the rows of the tables about them in `stages/catalog.py`."""

from __future__ import annotations

import re
from collections.abc import Callable
from types import ModuleType
from typing import TYPE_CHECKING, Any

from cutaway.foundation.dataclass import dataclass
from cutaway.ir.levels import Level

if TYPE_CHECKING:
    from cutaway.stages.unit import CompileUnit


# Whether a pass may change a unit.
Condition = Callable[["CompileUnit"], bool]


@dataclass(frozen=True, slots=True)
class Own:
    """The function `run` of a module of the package, which is executed when the pass first applies
    to a unit (`stages/conditions.py`)."""

    module: ModuleType
    applies: Condition | None = None

    def __call__(self, unit: CompileUnit) -> None:
        if self.applies is None or self.applies(unit):
            self.module.run(unit)


@dataclass(frozen=True, slots=True)
class Pass:
    """One step of the compiler.

    `name` is the word used everywhere: file, dump header, command line, docs.  `run` changes the
    unit: a function, or `Own` of a module.  `reads` is the level that the pass needs; the level
    that it leaves is never a lower one.  `stage` is the chapter it belongs to.  A pass that is not
    `required` only makes the code better or easier to read, and may be left out.  A program that
    has reached a later level, up to `keeps`, stays at it.
    """

    name: str
    run: Callable[[CompileUnit], None]
    reads: Level
    gives: Level
    stage: str
    required: bool = True
    keeps: Level | None = None

    @property
    def is_own(self) -> bool:
        """True for an unchanged pass of the package."""
        return isinstance(self.run, Own)

    @property
    def function(self) -> Any:
        """The function that the pass runs."""
        return self.run.module.run if isinstance(self.run, Own) else self.run

    @property
    def summary(self) -> str:
        """The first line of the docstring of the pass's module, or of its function."""
        function = self.function
        is_modules = function.__name__ == "run"
        doc = function.__globals__.get("__doc__") if is_modules else function.__doc__
        return re.sub(r" \(stage \w+\)\.$", "", (doc or "").strip().partition("\n")[0])


@dataclass(frozen=True, slots=True)
class Order:
    """If both are present, pass `before` runs before pass `after`, for this reason."""

    before: str
    after: str
    reason: str


@dataclass(frozen=True, slots=True)
class Need:
    """A pipeline with pass `by` must have pass `needed` before it, for this reason."""

    by: str
    needed: str
    reason: str
