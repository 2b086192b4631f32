"""What a benchmark hands over: figures, each for one goal, and the verdict on it."""

from __future__ import annotations

import json
import math
import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

REACHED, MISSED, NOT_MEASURED = "reached", "missed", "not measured"


@dataclass(frozen=True)
class Goal:
    """What is to be held. `key` is `script.figure`; `unit` follows the number in a sentence.

    `better` is "low" if the limit is the most that is allowed, "high" if it is the least.
    `short` figures are in the README. `absent` says why there is nothing to measure yet.
    """

    key: str
    what: str
    limit: float
    unit: str = "of Numba's time"
    better: str = "low"
    short: bool = False
    absent: str = ""

    @property
    def script(self) -> str:
        """The benchmark that measures it."""
        return self.key.partition(".")[0]

    @property
    def words(self) -> str:
        """The goal as a phrase."""
        if self.limit == 0:
            return "none"
        return (
            f"at {'most' if self.better == 'low' else 'least'} {self.limit:g} {self.unit}".strip()
        )

    def holds(self, value: float) -> bool:
        """True if a value is within the limit."""
        return value <= self.limit if self.better == "low" else value >= self.limit


@dataclass(frozen=True)
class Figure:
    """What was measured for a goal: by medians of interleaved rounds, and by their minima.

    A figure that is no time has its value in `median` alone. `where` names what decides, such as
    the slowest kernel. `instructions` is the same figure by counts instead of seconds, in words.
    Without a value `why` says what kept it from being measured. `refused` is how many programs are
    not in it since they do not compile: with any, no goal is reached.
    """

    key: str
    median: float | None = None
    minimum: float | None = None
    where: str = ""
    instructions: str = ""
    why: str = ""
    refused: int = 0

    def __post_init__(self) -> None:
        for value in self.values:
            if not math.isfinite(value):
                raise ValueError(f"{self.key} is {value}")
        if not self.values and not self.why:
            raise ValueError(f"{self.key} has neither a value nor a reason")

    @property
    def values(self) -> list[float]:
        """The values that there are."""
        return [value for value in (self.median, self.minimum) if value is not None]


def verdict(goal: Goal, figure: Figure) -> str:
    """Reached if medians and minima both are within the limit: one of them may be luck."""
    if not figure.values:
        return NOT_MEASURED
    held = all(goal.holds(value) for value in figure.values)
    return REACHED if held and not figure.refused else MISSED


def beside(
    key: str, ours: Sequence[float], theirs: Sequence[float] | None, reference: str = "Numba"
) -> Figure:
    """Our time as a multiple of a reference's; of one that is not installed there are no times."""
    if not theirs:
        return Figure(key, why=f"{reference} is not installed")
    return Figure(key, statistics.median(ours) / statistics.median(theirs), min(ours) / min(theirs))


def worst(figures: Mapping[str, Figure]) -> Figure:
    """Of figures by name, in all of which less is better, the one with the largest median, with
    its name; what does not compile counts as refused."""
    refused = sum(one.refused for one in figures.values())
    measured = {name: one for name, one in figures.items() if one.values}
    if not measured:
        return next(iter(figures.values()))
    name = max(measured, key=lambda name: measured[name].median or 0.0)
    one = measured[name]
    return Figure(one.key, one.median, one.minimum, name, one.instructions, refused=refused)


def spread(
    key: str,
    parts: Mapping[str, tuple[float, float]],
    kind: str = "mean",
    better: str = "low",
    by_counts: str = "",
    why: str = "Numba is not installed",
) -> Figure:
    """One figure of many ratios by name, each by medians and by minima.

    `kind` is "mean" (the geometric one, and the worst by minima is named) or "worst".
    """
    if not parts:
        return Figure(key, why=why)
    extreme = max if better == "low" else min
    both = [[part[k] for part in parts.values()] for k in (0, 1)]
    named = extreme(parts, key=lambda name: parts[name][1])
    median, minimum = map(statistics.geometric_mean if kind == "mean" else extreme, both)
    where = f"worst: {named} {parts[named][1]:.2f}" if kind == "mean" else named
    return Figure(key, median, minimum, f"of {len(parts)}; {where}", by_counts)


def write(path: Path, figures: Iterable[Figure]) -> None:
    """Write figures to a file."""
    path.write_text(json.dumps([asdict(one) for one in figures], indent=1), encoding="utf-8")


def read(path: Path) -> list[Figure]:
    """The figures of a file."""
    return [Figure(**one) for one in json.loads(path.read_text(encoding="utf-8"))]
