"""Why two parallel loops are one, and why two others are not.

c.why_not_fused(5, 7)

the parallel loops of lines 5 and 7 stay two
  because nothing proves that axis 0 of `u` and of `c` have the same size (fuse_parfors)
    `s = np.sum(u)` [sums.py:5]
    `v = c - s` [sums.py:7]
  hint: write `assert u.shape == c.shape` before them
  tried: in front of line 5: assert u.shape == c.shape
    they are one loop then, and it gives what Python gives
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cutaway.errors import PipelineError
from cutaway.foundation.dataclass import dataclass
from cutaway.inspection.parallel.answers import Answer, Lines
from cutaway.inspection.parallel.nests import Plain
from cutaway.inspection.parallel.words import (
    DIFFERENT,
    FUSED,
    PARALLEL,
    REFUSED,
    UNKNOWN,
    USELESS,
    WORKS,
)
from cutaway.ir.decisions import DONE

_FOUND = {
    WORKS: "they are one loop then, and it gives what Python gives",
    UNKNOWN: "they are one loop then; it was not run",
    USELESS: "they stay two all the same",
    REFUSED: "it is refused",
    DIFFERENT: "it gives something else than Python",
}


@dataclass(frozen=True, eq=False)
class LoopFusion(Answer):
    """The answer to why two parallel loops are fused or not: `pair` is what was decided about them,
    None where no pass compared them."""

    pair: Plain | None
    asked: tuple[int, int]

    @property
    def fused(self) -> bool:
        """True if they are one loop."""
        return self.pair is not None and self.pair["verdict"] == DONE

    def to_dict(self) -> Plain:
        """The answer as plain data."""
        return {"function": self.function, "lines": list(self.asked), "pair": self.pair}

    def lines(self) -> Lines:
        """Depth, sentence and place of each line of the text."""
        first, second = self.asked
        what = f"the parallel loops of lines {first} and {second}"
        if self.pair is None:
            yield 0, f"{what} stay two", 0
            yield 1, "because nothing compared them: they do not follow each other, or one of", 0
            yield 1, "them does more than to read and write elements", 0
            return
        pair = self.pair
        yield 0, f"{what} are one" if self.fused else f"{what} stay two", 0
        yield 1, f"because {pair['reason']} ({pair['by']})", 0
        for line, source in zip(pair["lines"], pair["sources"], strict=True):
            yield 2, f"`{source}`", line
        if pair["hint"] and not pair["tried"]:
            yield 1, f"hint, not tried: {pair['hint']}", 0
        for one in pair["tried"]:
            between = ", " if one["verdict"] == WORKS else ": "
            words = f"{between}{one['words']}" if one["words"] else ""
            yield 1, f"tried: {one['text']}", 0
            yield 2, f"{_FOUND.get(one['verdict'], one['verdict'])}{words}", one["line"]


def pair_of(facts: Mapping[str, Any], first: int, second: int) -> Plain | None:  # Any: plain data
    """What was decided about the parallel loops of two lines; None where nothing was.

    Raises PipelineError if there is no parallel loop in one of them.
    """
    known = {row["line"] for row in facts["loops"] if row["verdict"] in (PARALLEL, FUSED)}
    for line in (first, second):
        if line not in known:
            there = ", ".join(map(str, sorted(known)))
            raise PipelineError(
                f"there is no parallel loop in line {line} of {facts['function']}",
                hint=f"there are in line {there}" if there else "it has none",
            )
    wanted = {first, second}
    found = [pair for pair in facts["fusions"] if set(pair["lines"]) == wanted]
    done = [pair for pair in found if pair["verdict"] == DONE]
    return (done or found or [None])[0]
