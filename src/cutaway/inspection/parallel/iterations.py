"""The measured assignment of parallel loops' iterations to threads.

print(c.iterations(points, center))

line 8  for i in prange(len(points)):    dynamic, 16 pieces, 0.48 ms
  0 ..10000  0000000000000000000011111111111111111111
  thread 0   ████████████████████  98% at work, 8 pieces
  thread 1   ·███████████████████  95% at work, 8 pieces
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import prod
from pathlib import Path
from typing import Any

from cutaway.foundation.dataclass import dataclass
from cutaway.inspection.parallel.nests import Plain
from cutaway.inspection.parallel.picture import svg
from cutaway.inspection.showing.displayed import Displayed
from cutaway.runtime import LEAST_WORK

_WIDTH = 40  # characters of a line of iterations or times
_ROWS = 12  # lines of iterations in two dimensions
_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"


@dataclass(frozen=True, eq=False)
class Iterations(Displayed):
    """The parallel loops of one run: `regions` are the executions of loops, with their pieces and
    the thread and the time of each; times are microseconds since the first loop."""

    facts: Mapping[str, Any]

    @property
    def function(self) -> str:
        """The function with the types of its arguments."""
        return str(self.facts["function"])

    @property
    def threads(self) -> int:
        """The number of threads available to the loops."""
        return int(self.facts["threads"])

    @property
    def regions(self) -> tuple[Plain, ...]:
        """The executions of parallel loops, in the order of their starts."""
        return tuple(self.facts["regions"])

    @property
    def shown(self) -> tuple[Plain, ...]:
        """The longest execution of each loop; `runs` counts its executions."""
        by_loop: dict[tuple[str, int, str], list[Plain]] = {}
        for region in self.regions:
            key = (region["function"], region["line"], region["text"])
            by_loop.setdefault(key, []).append(region)
        return tuple(
            {**max(runs, key=lambda one: one["end"] - one["begin"]), "runs": _runs(runs)}
            for runs in by_loop.values()
        )

    def to_dict(self) -> Plain:
        """Return the measurements as plain data."""
        return dict(self.facts)

    def svg(self) -> str:
        """Draw the iteration space of each loop with its pieces in the colors of their threads, and
        a time line for each thread."""
        regions = [
            {**one, "title": region_title(one), "words": region_words(one)} for one in self.shown
        ]
        return svg(self.head, regions)

    def save_svg(self, path: str | Path) -> Path:
        """Write the drawing to a file and return its path."""
        target = Path(path)
        target.write_text(self.svg(), encoding="utf-8")
        return target

    @property
    def head(self) -> str:
        """A summary of the run in one line."""
        threads = f"{self.threads} thread{'s' * (self.threads != 1)}"
        ended = f", which ended with {self.facts['error']}" if self.facts["error"] else ""
        lost = f"; {self.facts['lost']} pieces more were not kept" if self.facts["lost"] else ""
        sampled = ", with sample arguments" if self.facts["sampled"] else ""
        took = duration(self.facts["seconds"] * 1e6)
        return f"{self.function}: {took} on up to {threads}{sampled}{ended}{lost}"

    def lines(self) -> Iterator[tuple[str, str]]:
        """Yield the kind and the text of each line."""
        yield "head", self.head
        if not self.regions:
            yield "note", "no parallel loop was run"
        for region in self.shown:
            yield "loop", f"{region_title(region)}: {region_words(region)}"
            if region["parts"] > 1:
                yield from (("places", line) for line in _places(region))
                yield from (("time", line) for line in _times(region))

    def __str__(self) -> str:
        margins = {"head": "", "note": "  ", "loop": "  ", "places": "    ", "time": "    "}
        return "\n".join(f"{margins[kind]}{text}" for kind, text in self.lines())

    def __repr__(self) -> str:
        return f"<{self.head}>"

    def _repr_mimebundle_(self, **_: object) -> dict[str, str]:
        return {"text/plain": str(self), "image/svg+xml": self.svg()}


def _runs(regions: list[Plain]) -> int:
    """Count the executions; a record holds only the longest of each loop, with their number."""
    return sum(region.get("runs", 1) for region in regions)


def duration(microseconds: float) -> str:
    """Format a time with a fitting unit."""
    for limit, factor, unit in ((1e3, 1.0, "µs"), (1e6, 1e-3, "ms")):
        if microseconds < limit:
            return f"{microseconds * factor:.3g} {unit}"
    return f"{microseconds * 1e-6:.3g} s"


def region_title(region: Plain) -> str:
    """Return the loop of a region, with its line."""
    where = f"line {region['line']}  " if region["line"] else ""
    return f"{where}{region['text'].removesuffix(':')}"


def region_words(region: Plain) -> str:
    """Describe the execution of a loop."""
    places = " x ".join(map(str, region["sizes"]))
    runs = f", {region['runs']} times" if region["runs"] > 1 else ""
    if region["parts"] == 1:
        work = region["cost"] * prod(region["sizes"])
        little = f"estimated to take {duration(work / 1e3)}, too little for two threads"
        why = little if work < LEAST_WORK else "there is one thread, or one iteration"
        return f"{places} iterations{runs}, undivided: {why}"
    runs += " (the longest is shown)" if runs else ""
    took = duration(region["end"] - region["begin"])
    used = len({piece["thread"] for piece in region["pieces"]})
    threads = f"{used} thread{'s' * (used != 1)}"
    work = sum(piece["end"] - piece["begin"] for piece in region["pieces"]) * 1e3
    each = f"{work / max(prod(region['sizes']), 1):.3g} ns an iteration"
    estimate = f" (estimated: {region['cost']:.3g})" if region["cost"] else ""
    return (
        f"{places} iterations, {region['schedule']}, {region['parts']} pieces on {threads},"
        f" {took}{runs}, {each}{estimate}"
    )


# --- as text --------------------------------------------------------------------------------------


def _places(region: Plain) -> Iterator[str]:
    """Yield the lines of iterations, each iteration as the number of its thread."""
    rows, columns = _axes(region)
    height = min(rows, _ROWS)
    width = min(columns, _WIDTH)
    for k in range(height):
        row = _middle(k, height, rows)
        text = "".join(_at(region, row, _middle(n, width, columns)) for n in range(width))
        label = f"{row:>9} " if rows > 1 else f"0..{columns:<6} "
        yield f"{label} {text}"


def _axes(region: Plain) -> tuple[int, int]:
    """Return the two sizes that are drawn: axes beyond two are cut at their first index."""
    sizes = region["sizes"]
    return (sizes[0], sizes[1]) if len(sizes) > 1 else (1, sizes[0])


def _middle(k: int, cells: int, size: int) -> int:
    return (2 * k + 1) * size // (2 * cells)


def _at(region: Plain, row: int, column: int) -> str:
    """Return the thread that ran an iteration, as a digit or letter."""
    place = (column,) if len(region["sizes"]) == 1 else (row, column)
    place += (0,) * (len(region["sizes"]) - len(place))
    for piece in region["pieces"]:
        inside = zip(piece["bounds"], place, strict=True)
        if all(low <= one < high for (low, high), one in inside):
            return _DIGITS[piece["thread"] % len(_DIGITS)]
    return "."  # skipped, since an earlier piece raised


def _times(region: Plain) -> Iterator[str]:
    """Yield a line for each thread that shows when it worked."""
    begin, end = region["begin"], region["end"]
    span = max(end - begin, 1e-9)
    for thread in sorted({piece["thread"] for piece in region["pieces"]}):
        own = [piece for piece in region["pieces"] if piece["thread"] == thread]
        work = sum(piece["end"] - piece["begin"] for piece in own)
        cells = ""
        for k in range(_WIDTH):
            low, high = begin + span * k / _WIDTH, begin + span * (k + 1) / _WIDTH
            part = sum(max(0.0, min(p["end"], high) - max(p["begin"], low)) for p in own)
            cells += "█" if 2 * part >= high - low else "▒" if part else "·"
        count = f"{len(own)} piece{'s' * (len(own) != 1)}"
        yield f"thread {thread:<3} {cells}  {work / span:.0%} at work, {count}"
