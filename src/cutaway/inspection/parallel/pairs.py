"""Explain why two parallel loops are fused or not.

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
    """The answer to why two parallel loops are fused or not: `pair` is the decision about them,
    None if no pass compared them."""

    pair: Plain | None
    asked: tuple[int, int]

    @property
    def fused(self) -> bool:
        """True if they are fused."""
        return self.pair is not None and self.pair["verdict"] == DONE

    def to_dict(self) -> Plain:
        """Return the answer as plain data."""
        return {"function": self.function, "lines": list(self.asked), "pair": self.pair}

    def lines(self) -> Lines:
        """Depth, sentence and place of each line of the text."""
        first, second = self.asked
        what = f"the parallel loops of lines {first} and {second}"
        if self.pair is None:
            yield 0, f"{what} stay two", 0
            yield 1, f"because {self._apart()}", 0
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

    def _apart(self) -> str:
        """The reason why no pass compared them: `fuse_parfors` compares each parallel loop with the
        next one in its basic block."""
        first, second = sorted(self.asked)
        between = {row["line"] for row in _parallel(self.facts) if first < row["line"] < second}
        if between:
            return f"the parallel loop of line {max(between)} stands between them"
        return "they are in different basic blocks, and only loops of one block are compared"


def _parallel(facts: Mapping[str, Any]) -> list[Plain]:
    return [row for row in facts["loops"] if row["verdict"] in (PARALLEL, FUSED)]


def pair_of(facts: Mapping[str, Any], first: int, second: int) -> Plain | None:
    """Return the decision about the parallel loops of two lines; None if there is none.

    Raises PipelineError unless both have a parallel loop.
    """
    known = {row["line"] for row in _parallel(facts)}
    for line in (first, second):
        if line not in known:
            there = ", ".join(map(str, sorted(known)))
            raise PipelineError(
                f"there is no parallel loop in line {line} of {facts['function']}",
                hint=f"there are in line {there}" if there else "it has none",
            )
    # A fused loop has the line of its last part.
    became = {p["lines"][0]: p["lines"][1] for p in facts["fusions"] if p["verdict"] == DONE}
    ones, others = _chain(first, became), _chain(second, became)
    pairs = [
        pair
        for pair in facts["fusions"]
        for one, other in (pair["lines"], pair["lines"][::-1])
        if one in ones and other in others
    ]
    exact = [pair for pair in pairs if set(pair["lines"]) == {first, second}]
    done = [pair for pair in pairs if pair["verdict"] == DONE]
    return (done or exact or pairs or [None])[0]


def _chain(line: int, became: Mapping[int, int]) -> list[int]:
    chain = [line]
    while (following := became.get(chain[-1])) is not None and following not in chain:
        chain.append(following)
    return chain
