"""What the benchmarks share: interleaved runs, ratios, tables, and how figures are handed over."""

from __future__ import annotations

import argparse
import importlib.util
import resource
import statistics
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from time import perf_counter, process_time

from collected.figures import Figure, verdict, write
from collected.goals import GOALS
from collected.tables import measured
from rich.console import Console
from rich.table import Table


def parser(about: str, rounds: int, quick: int) -> argparse.ArgumentParser:
    """A parser of what all benchmarks understand: how many rounds, and where figures go.

    `quick` is the number of rounds with `--quick`, unless `--rounds` is given.
    """
    made = argparse.ArgumentParser(description=about)
    made.add_argument("--rounds", type=int, help=f"{rounds} without it, {quick} with --quick")
    made.add_argument("--quick", action="store_true", help="fewer rows and rounds")
    made.add_argument("--figures", type=Path, metavar="FILE", help="where its figures go, as JSON")
    made.set_defaults(usual=rounds, hurried=quick)
    return made


def counting_parser(about: str, rounds: int, quick: int) -> argparse.ArgumentParser:
    """The same for a benchmark that can count instructions."""
    made = parser(about, rounds, quick)
    made.add_argument("--instructions", action="store_true", help="count instructions as well")
    made.add_argument("--counting", type=Path, help=argparse.SUPPRESS)
    return made


def parsed(made: argparse.ArgumentParser) -> argparse.Namespace:
    """What the command line says, with a number of rounds."""
    options = made.parse_args()
    options.rounds = options.rounds or (options.hurried if options.quick else options.usual)
    return options


def hand_over(figures: Iterable[Figure], options: argparse.Namespace) -> None:
    """Print figures with their goals and verdicts, and write them where the options say."""
    order = list(GOALS)
    found = sorted(figures, key=lambda one: order.index(one.key))
    if options.figures:
        write(options.figures, found)
    rows = []
    for one in found:
        goal = GOALS[one.key]
        cells = (goal.words, measured(goal, one), verdict(goal, one), one.instructions, one.where)
        rows.append((goal.what, *cells))
    columns = ("figure", "goal", "measured (by minima)", "verdict", "by instructions", "where")
    show("Figures to hold", columns, rows)


def is_installed(package: str) -> bool:
    """True if a package could be imported; it is not."""
    return importlib.util.find_spec(package) is not None


def interleaved(
    runs: Mapping[str, Callable[[], object]],
    rounds: int,
    clock: Callable[[], float] = process_time,
    before: Callable[[], object] = int,
) -> dict[str, list[float]]:
    """Seconds of each of several functions, called in turn: drift of the machine hits all.

    They are seconds of the processor's time, which passes only while this process runs.
    `before` is called in front of each, out of the time.
    """
    seconds: dict[str, list[float]] = {name: [] for name in runs}
    for turn in range(rounds):
        order = list(runs) if turn % 2 else list(reversed(runs))
        for name in order:
            before()
            started = clock()
            runs[name]()
            seconds[name].append(clock() - started)
    return seconds


def with_children() -> float:
    """Seconds of the processor's time of this process and of those that it has run."""
    ran = resource.getrusage(resource.RUSAGE_CHILDREN)
    return process_time() + ran.ru_utime + ran.ru_stime


def slices(run: Callable[[], object], least: float = 2e-4) -> Callable[[], object]:
    """A function that calls `run` so often that one call of it can be timed."""
    started = perf_counter()
    run()
    count = max(1, int(least / max(perf_counter() - started, 1e-9)))

    def repeated() -> None:
        for _ in range(count):
            run()

    repeated.count = count  # type: ignore[attr-defined]
    return repeated


def ratio(ours: Sequence[float], theirs: Sequence[float]) -> float:
    """Ours as a multiple of theirs, by medians."""
    return statistics.median(ours) / statistics.median(theirs)


def show(title: str, columns: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """Print a table; numbers to the right."""
    table = Table(title=title)
    for k, column in enumerate(columns):
        table.add_column(column, justify="left" if k == 0 else "right")
    for row in rows:
        table.add_row(*[f"{v:.3g}" if isinstance(v, float) else str(v) for v in row])
    Console(width=160).print(table)
