"""Passes, and the rows of the tables about them in `stages/catalog.py`."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from cutaway.foundation.dataclass import dataclass
from cutaway.ir.levels import Level

if TYPE_CHECKING:
    from cutaway.stages.unit import CompileUnit


@dataclass(frozen=True, slots=True)
class Pass:
    """One step of the compiler.

    `name` is the word used everywhere: file, dump header, command line, docs.  `reads` is the
    level that the pass needs, `gives` the level that it leaves, never a lower one.  `stage` is
    the chapter it belongs to.  A pass that is not `required` only makes the code better or
    easier to read, and may be left out.  A program that has reached a later level, up to `keeps`,
    stays at it.
    """

    name: str
    run: Callable[[CompileUnit], None]
    reads: Level
    gives: Level
    stage: str
    required: bool = True
    keeps: Level | None = None

    @property
    def summary(self) -> str:
        """One line: what the docstring of the pass's module, or of its function, begins with."""
        if self.run.__name__ == "run":
            doc = getattr(self.run, "__globals__", {}).get("__doc__")
        else:
            doc = self.run.__doc__
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
