"""How long each construct of the battery takes to compile, and what compiles, beside Numba.

    python benchmarks/battery.py [--rounds N] [--quick] [--figures FILE]

Both compilers are in one process, warm from a first run of every construct, which also says
what each of them compiles and gives.  Then each construct that both compile is compiled by
fresh dispatchers, the two in turn, and the first call is timed; the median of three counts.
Both check bounds.  `--quick`: every fourth construct, timed once.
"""

from __future__ import annotations

import contextlib
import statistics
import sys
import warnings
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from time import process_time
from typing import Any

import numba
from collected.figures import Figure
from harness import hand_over, parsed, parser, ratio, show
from numba.core.errors import NumbaError

import cutaway
from cutaway.errors import CompileError

# This file has the name of the package that it measures, which is to be found first.
sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from corpus.battery.constructs import CONSTRUCTS, Construct  # noqa: E402
from corpus.battery.run import observed, prepared, with_output  # noqa: E402
from corpus.programs.compare import same  # noqa: E402

JIT = {"cutaway": cutaway.jit, "numba": numba.njit(boundscheck=True)}
REFUSAL = {"cutaway": CompileError, "numba": NumbaError}
# What a compiler makes of a construct: refused with an error of its own; failed with any other
# exception before anything was compiled; compiled, and gives what Python gives, an exception
# other than Python's outcome, or a value other than Python's outcome.
FATES = ("refused", "failed", "right", "other exception", "silently wrong")
COMPILED = FATES[2:]


@dataclass
class Timing:
    """Seconds of the first calls of one construct, by compiler."""

    construct: Construct
    seconds: dict[str, list[float]]

    @property
    def ratio(self) -> float:
        return ratio(self.seconds["cutaway"], self.seconds["numba"])


def fate(construct: Construct, name: str) -> str:
    """One of `FATES`."""
    made: list[Any] = []

    def recorded(function: Any) -> Any:
        made.append(JIT[name](function))
        return made[-1]

    found = observed(construct, recorded)
    compiled = bool(made) and bool(made[0].signatures)
    if not compiled:
        refused = found[0] == "raised" and issubclass(found[1], REFUSAL[name])
        return "refused" if refused else "failed"
    if same(found, observed(construct)):
        return "right"
    return "other exception" if found[0] == "raised" else "silently wrong"


def first_call(construct: Construct, name: str) -> float:
    """Seconds of the processor's time of the first call of a fresh dispatcher: compilation and a
    short run."""
    function, arguments = prepared(construct, JIT[name])
    started = process_time()
    with contextlib.suppress(Exception):  # it is the construct's own: this compiled before
        function(*arguments)
    return process_time() - started


def timed(construct: Construct, rounds: int) -> Timing:
    """First calls of both compilers in turn."""
    seconds: dict[str, list[float]] = {name: [] for name in JIT}
    for _ in range(rounds):
        for name in JIT:
            seconds[name].append(with_output(lambda: first_call(construct, name))[0])
    return Timing(construct, seconds)


def main() -> None:
    """Find out what compiles, time what both compile, print both tables."""
    warnings.simplefilter("ignore")
    options = parsed(parser("Compiling the constructs of the battery.", 3, 1))
    chosen = CONSTRUCTS[::4] if options.quick else CONSTRUCTS
    fates = {(c.name, name): fate(c, name) for c in chosen for name in JIT}
    both = [c for c in chosen if all(fates[c.name, name] in COMPILED for name in JIT)]
    timings = [timed(c, options.rounds) for c in both]
    _show_latency(timings, len(chosen) - len(both))
    _show_fates(chosen, fates)
    hand_over(_figures(timings, fates), options)


def _figures(timings: list[Timing], fates: dict[tuple[str, str], str]) -> list[Figure]:
    """What is to be held: compile time beside the reference, and no wrong values."""
    minima = [min(t.seconds["cutaway"]) / min(t.seconds["numba"]) for t in timings]
    longest = max(timings, key=lambda timing: timing.ratio)
    where = f"worst of {len(timings)}: {longest.construct.name} {longest.ratio:.2f}"
    permitted = {construct.name for construct in CONSTRUCTS if construct.ledger}
    wrong = [
        name
        for (name, way), fate in fates.items()
        if (way, fate) == ("cutaway", FATES[-1]) and name not in permitted
    ]
    ratios = [timing.ratio for timing in timings]
    middle = statistics.median
    return [
        Figure("battery.compiling", middle(ratios), middle(minima), where),
        Figure("battery.wrong", len(wrong), where=", ".join(wrong)),
    ]


def _show_latency(timings: list[Timing], skipped: int) -> None:
    sections: dict[str, list[Timing]] = {}
    for timing in timings:
        sections.setdefault(timing.construct.section, []).append(timing)
    rows = [_row(section, group) for section, group in sections.items()]
    rows.append(_row("all", timings))
    columns = ("section", "timed", "cutaway ms", "numba ms", "of numba", "min", "median", "max")
    show(
        "Compilation, first call: geometric means; ratios of medians",
        columns,
        rows,
    )
    print(f"{skipped} more are not timed: one of the two does not compile them\n")


def _row(label: str, group: list[Timing]) -> tuple[object, ...]:
    ratios = [t.ratio for t in group]
    means = [
        statistics.geometric_mean(statistics.median(t.seconds[name]) for t in group) * 1e3
        for name in JIT
    ]
    extremes = (min(ratios), statistics.median(ratios), max(ratios))
    return (label, len(group), *means, statistics.geometric_mean(ratios), *extremes)


def _show_fates(chosen: list[Construct], fates: dict[tuple[str, str], str]) -> None:
    rows = []
    for name in JIT:
        counts = Counter(fates[c.name, name] for c in chosen)
        compiled = sum(counts[kind] for kind in COMPILED)
        rows.append((name, len(chosen), compiled, *[counts[kind] for kind in FATES]))
    show("What becomes of the constructs", ("", "constructs", "compiled", *FATES), rows)
    for kind in FATES[1:2] + FATES[3:]:
        for name in JIT:
            found = [c.name for c in chosen if fates[c.name, name] == kind]
            if found:
                print(f"{name}, {kind}: {', '.join(found)}")


if __name__ == "__main__":
    main()
