"""Answers to why a loop is parallel, and why another one is not.

c.why_not_parallel(10)

`for k in range(3):` runs on one thread [sums.py:10]
  because it goes over `range`, whose iterations run one after the other; ...
  tried: line 10: for k in prange(3):
    it works: with the arguments of the trace it gives what Python gives
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from cutaway.errors import PipelineError
from cutaway.foundation.dataclass import dataclass
from cutaway.inspection.parallel.nests import OPERATORS, Plain
from cutaway.inspection.parallel.words import (
    ALONE,
    ARRAY,
    DIFFERENT,
    FUSED,
    INNER,
    PARALLEL,
    REFUSED,
    UNKNOWN,
    WARNED,
    WORKS,
)
from cutaway.inspection.showing.displayed import Displayed

LEVELS = (1, 2, 3, 4)  # of the text about all loops
Lines = Iterator[tuple[int, str, int]]  # depth, sentence, and a line of the source or 0

SCHEDULES = {
    "static": "as many equal parts as there are threads",
    "dynamic": "chunks of it, several for each thread, which takes the next when it is done",
}
_FOUND = {
    WORKS: "it works: run in another order, it gives what Python gives",
    ALONE: "it works, on one thread",
    UNKNOWN: "it can be compiled, and was not run",
    REFUSED: "it is refused",
    WARNED: "it may be wrong",
    DIFFERENT: "it gives something else than Python",
}


@dataclass(frozen=True, eq=False)
class Answer(Displayed):
    """Sentences about the loops with the indices `numbers` in `facts`."""

    facts: Mapping[str, Any]
    numbers: tuple[int, ...]

    @property
    def function(self) -> str:
        """The function with the types of its arguments."""
        return str(self.facts["function"])

    @property
    def loops(self) -> tuple[Plain, ...]:
        """The loops in question."""
        return tuple(self.facts["loops"][k] for k in self.numbers)

    def to_dict(self) -> Plain:
        """Return the answer as plain data."""
        return {"function": self.function, "loops": [dict(row) for row in self.loops]}

    def lines(self) -> Lines:
        """Yield the depth, sentence and source line of each line of the text."""
        raise NotImplementedError

    def _whole(self, row: Plain) -> list[Plain]:
        """Return the parallel loop that a loop was fused into."""
        rows, seen = [row], {row["line"]}
        while rows and rows[0]["verdict"] == FUSED:
            into = rows[0]["into"]
            found = (one for one in self.facts["loops"] if one["line"] == into)
            rows = [] if into in seen else list(found)
            seen.add(into)
        return rows[:1]

    def _outer(self, row: Plain) -> Plain:
        """Return the parallel loop around a loop."""
        return next(
            one
            for one in self.facts["loops"]
            if one["verdict"] == PARALLEL and one["line"] <= row["line"] <= one["end"]
        )

    def __str__(self) -> str:
        text = [f"{self.function}:"]
        for depth, sentence, line in self.lines():
            where = f" [{self.facts['file']}:{line}]" if line else ""
            text.append(f"{'  ' * (depth + 1)}{sentence}{where}")
        return "\n".join(text)

    def __repr__(self) -> str:
        return f"<the parallel loops of {self.function}>"


class WhyParallel(Answer):
    """The answer to why loops are parallel: `loops` are those in question, each with its `verdict`,
    the pass that decided it (`by`) and the facts about its nest."""

    @property
    def parallel(self) -> bool:
        """True if all of them are divided among threads, or run inside such a loop."""
        return all(row["verdict"] in (PARALLEL, INNER, FUSED) for row in self.loops)

    def lines(self) -> Lines:
        """Depth, sentence and place of each line of the text."""
        for row in self.loops:
            if row["verdict"] == INNER:
                yield 0, f"`{row['text']}` is a part of a parallel loop", row["line"]
                yield 1, f"because {row['reason']}", 0
                yield from _parallel(self._outer(row), 1)
            elif row["verdict"] == PARALLEL:
                yield from _parallel(row, 0)
            elif row["verdict"] == FUSED:
                yield 0, f"`{row['text']}` is parallel: {row['reason']}", row["line"]
                yield from (line for one in self._whole(row) for line in _parallel(one, 1))
            else:
                yield 0, f"`{row['text']}` is not parallel", row["line"]
                yield 1, f"because {row['reason']}", 0


class WhyNotParallel(Answer):
    """The answer to why loops are not parallel: `loops` are those in question, each with its
    `verdict`, `reason`, `hint`, and the edits `tried`."""

    @property
    def parallel(self) -> bool:
        """True if all of them are divided among threads."""
        return all(row["verdict"] in (PARALLEL, FUSED) for row in self.loops)

    def lines(self) -> Lines:
        """Depth, sentence and place of each line of the text."""
        for row in self.loops:
            if row["verdict"] in (PARALLEL, FUSED):
                yield 0, f"`{row['text']}` is parallel", row["line"]
                if row["reason"]:
                    yield 1, f"because {row['reason']}", 0
                continue
            does = (
                "is run by one thread at a time" if row["verdict"] == INNER else "is not parallel"
            )
            yield 0, f"`{row['text']}` {does}", row["line"]
            by = f" ({row['by']})" if row["by"] else ""
            yield 1, f"because {row['reason']}{by}", 0
            if row["hint"]:
                yield 1, f"hint: {row['hint']}", 0
            for one in row["tried"]:
                yield 1, f"tried: {one['text']}", 0
                between = ", " if one["verdict"] == WORKS else ": "
                said = f"{between}{one['words']}" if one["words"] else ""
                yield 2, f"{_FOUND[one['verdict']]}{said}", one["line"]
                if one["hint"]:
                    yield 2, f"hint: {one['hint']}", 0


def _parallel(row: Plain, depth: int) -> Lines:
    """Describe a parallel loop."""
    nest = row["nest"]
    versions = f", in {row['versions']} versions of it" if row["versions"] > 1 else ""
    yield depth, f"`{row['text']}` is parallel{versions}", row["line"]
    reason = f": {row['reason']}" if row["reason"] else ""
    yield depth + 1, f"{row['by']} made it so{reason}", 0
    yield depth + 1, bounds_text(nest), 0
    for store in nest["stores"]:
        mark = "" if store["apart"] else "nobody proved that it is apart: "
        yield depth + 1, f"`{store['text']}`: {mark}{store['why']}", store["line"]
    for one in nest["reductions"]:
        yield depth + 1, reduction_text(one), 0
    if not nest["reductions"]:
        yield depth + 1, "its iterations change no variable that they have in common", 0
    yield depth + 1, f"schedule {nest['schedule']}: {SCHEDULES.get(nest['schedule'], '')}", 0
    yield depth + 2, f"because {nest['why']}", 0
    yield depth + 1, COST, 0


def bounds_text(nest: Plain) -> str:
    """Describe the iteration space of a nest."""
    said = []
    for one in nest["indices"]:
        by = "" if one["step"] == "1" else f" by {one['step']}"
        said.append(f"`{one['name']}` goes from {one['start']} to below {one['stop']}{by}")
    return ", ".join(said)


def reduction_text(one: Plain) -> str:
    """Describe the reduction of a variable."""
    what = f"`{one['name']}`"
    if one["operator"] == "last":
        return f"{what} is, after the loop, what the last iteration leaves"
    stem = one["operator"].partition(".")[0]
    how = OPERATORS.get(stem, stem)
    return (
        f"{what} is a reduction by `{stem}` ({how}): each part has one of its own, and"
        " these are combined in the order of the parts"
    )


COST = (
    "what an iteration takes is estimated when the loop is entered: a loop that is estimated to"
    " take less than 2 microseconds stays on one thread"
)


def loops_in(facts: Plain | None) -> Plain:
    """Return the facts of a record; raises PipelineError if it has none."""
    if facts is None:
        raise PipelineError(
            "nothing is recorded of parallel loops",
            hint="the function has no loops, or is compiled without parallel=True",
        )
    return facts


def meant(facts: Mapping[str, Any], line: int | None) -> tuple[int, ...]:
    """Return the indices of the loops that begin in a line, or else of the innermost one around it.

    Raises PipelineError if there is none.
    """
    rows = facts["loops"]
    if line is None and rows:
        return tuple(range(len(rows)))
    indices = [k for k, row in enumerate(rows) if row["line"] == line]
    if not indices:
        around = [k for k, row in enumerate(rows) if row["line"] <= (line or 0) <= row["end"]]
        indices = around[-1:]
    if not indices:
        lines = ", ".join(str(row["line"]) for row in rows)
        where = f"line {line} of " if line is not None else ""
        raise PipelineError(
            f"there is no loop in {where}{facts['function']}",
            hint=f"loops are in line {lines}" if lines else "it has none",
        )
    return tuple(indices)


# --- everything at once ---------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class ParallelLoops(Displayed):
    """The verdict on each loop of a function: `loops` as plain data, `summary` in a line.

    The text has four levels: verdicts; the stores of iterations; costs and the decisions of passes;
    captured variables.
    """

    facts: Mapping[str, Any]
    level: int = 1

    @property
    def function(self) -> str:
        """The function with the types of its arguments."""
        return str(self.facts["function"])

    @property
    def loops(self) -> tuple[Plain, ...]:
        """The loops, in the order of their lines."""
        return tuple(self.facts["loops"])

    @property
    def summary(self) -> str:
        """The summary in one line."""
        rows = self.loops
        count = len(rows)
        if not count:
            return "it has no loops"
        parallel = sum(row["verdict"] in (PARALLEL, FUSED) for row in rows)
        inner = sum(row["verdict"] == INNER for row in rows)
        said = f"{parallel} of {count} loop{'s' * (count != 1)} {'is' if parallel < 2 else 'are'}"
        return f"{said} parallel" + (f", {inner} run within {_them(parallel)}" if inner else "")

    def to_dict(self) -> Plain:
        """Return the loops and the summary as plain data."""
        return {"summary": self.summary, **self.facts}

    def lines(self) -> Iterator[tuple[int, str, str, str]]:
        """Yield the depth, position, sentence and verdict of each line of the text."""
        for row in self.loops:
            depth, where = row["depth"], f"{row['line']}"
            yield depth, where, row["text"], _verdict(row)
            for sentence in self._about(row):
                yield depth + 1, "", sentence, ""

    def _about(self, row: Plain) -> Iterator[str]:
        nest = row["nest"]
        if row["verdict"] != PARALLEL or nest is None:
            if row["verdict"] != INNER or self.level > 1:
                yield row["reason"]
            if row["hint"]:
                yield f"hint: {row['hint']}"
        else:
            yield bounds_text(nest)
            yield from map(reduction_text, nest["reductions"])
            if self.level > 1:
                yield f"schedule {nest['schedule']}: {nest['why']}"
                for store in nest["stores"]:
                    yield f"`{store['text']}` (line {store['line']}): {store['why']}"
            if self.level > 2:
                yield COST
        if self.level > 2:
            for note in row["notes"]:
                yield f"line {note['line']}, {note['by']}: {note['text']}"
        if self.level > 3 and nest is not None:
            yield f"made by {row['by']}" + (f": {row['reason']}" if row["reason"] else "")
            shared = ", ".join(f"{one['name']}: {one['type']}" for one in nest["shared"])
            yield f"taken from outside: {shared or 'nothing'}"

    def __str__(self) -> str:
        text = [f"parallel loops of {self.function} in {self.facts['file']}: {self.summary}"]
        width = max((len(str(row["line"])) for row in self.loops), default=1)
        for depth, where, sentence, verdict in self.lines():
            mark = f"   # {verdict}" if verdict else ""
            text.append(f"  {where:>{width}}  {'    ' * depth}{sentence}{mark}")
        return "\n".join(text)

    def __repr__(self) -> str:
        return f"<the loops of {self.function}: {self.summary}>"


def _them(count: int) -> str:
    return "it" if count == 1 else "them"


def _verdict(row: Plain) -> str:
    if row["verdict"] == PARALLEL:
        return f"parallel, {row['nest']['schedule']}"
    if row["verdict"] == INNER:
        return "runs within the parallel loop"
    if row["verdict"] in (REFUSED, FUSED):
        return str(row["verdict"])
    return "one thread" if row["kind"] == ARRAY else "not divided"
