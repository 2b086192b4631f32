"""Timing that the benchmarks share: interleaved runs, median and minimum, ratios."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Mapping, Sequence
from time import perf_counter

from rich.console import Console
from rich.table import Table


def interleaved(
    runs: Mapping[str, Callable[[], object]],
    rounds: int,
    clock: Callable[[], float] = perf_counter,
    before: Callable[[], object] = int,
) -> dict[str, list[float]]:
    """Seconds of each of several functions, called in turn: drift of the machine hits all.

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
    Console(width=120).print(table)
