"""How fast idioms of numerical programs run: loops beside Numba's, calls beside NumPy's.

python benchmarks/idioms.py [--only NAME ...] [--rounds N] [--quick] [--figures FILE]

The idioms are in `idiom_programs.py`. All ways of one run in interleaved rounds of one process.
Numba checks no indices here, which is what it does by default; we do. A result is right if it has
the bits that Python and NumPy compute. `--quick`: every third idiom.
"""

from __future__ import annotations

import copy
import statistics
from collections.abc import Callable
from typing import Any

import numpy as np
from collected.figures import Figure, spread
from harness import hand_over, interleaved, is_installed, parsed, parser, show, slices
from idiom_programs import CALLS, LOOPS, Idiom

import cutaway

HURRIED = 3  # with --quick each idiom after so many
Seconds = dict[str, list[float]]


def main() -> None:
    """Measure what is asked for, and print the tables."""
    words = parser("Idioms beside Numba and NumPy.", 25, 9)
    words.add_argument("--only", nargs="+", metavar="NAME", choices=[*LOOPS, *CALLS])
    options = parsed(words)
    step = HURRIED if options.quick else 1
    chosen = options.only or [*LOOPS, *CALLS][::step]
    rows = {name: measured(name, options.rounds) for name in chosen}
    report(rows)
    hand_over(figures(rows), options)


def measured(name: str, rounds: int) -> tuple[Seconds, str]:
    """Seconds of calls in each way, and in words what is wrong with ours."""
    idiom = LOOPS.get(name) or CALLS[name]
    ways: dict[str, Callable[..., Any]] = {"cutaway": cutaway.jit(idiom.function)}
    if name in CALLS:
        ways["numpy"] = idiom.function
    elif is_installed("numba"):
        import numba

        ways["numba"] = numba.njit(idiom.function)
    expected, runs, problem = result_of(idiom, idiom.function), {}, ""
    for way, function in ways.items():
        try:
            found = result_of(idiom, function)
        except Exception as error:  # noqa: BLE001  what a compiler cannot do is a row
            problem = problem or f"{way}: {type(error).__name__}"
            continue
        if way == "cutaway" and not same(expected, found):
            problem = "wrong"
        args = idiom.make(np.random.default_rng(3))
        runs[way] = slices(lambda function=function, args=args: function(*args))
    seconds = interleaved(runs, rounds)
    return {way: [one / runs[way].count for one in seconds[way]] for way in runs}, problem


def result_of(idiom: Idiom, function: Callable[..., Any]) -> tuple[Any, ...]:
    """What a way returns and leaves in its arguments."""
    args = copy.deepcopy(idiom.make(np.random.default_rng(3)))
    return (function(*args), *args)


def same(expected: tuple[Any, ...], found: tuple[Any, ...]) -> bool:
    """True if two results have the same bits, or both are NaN."""
    return all(
        one is None or isinstance(one, bytes) and one == other
        or np.array_equal(one, other, equal_nan=not isinstance(one, bytes))
        for one, other in zip(expected, found, strict=True)
    )  # fmt: skip


def ratios(rows: dict[str, tuple[Seconds, str]], way: str) -> dict[str, tuple[float, float]]:
    """The time of another way as a multiple of ours, by medians and by minima."""
    return {
        name: tuple(of(seconds[way]) / of(seconds["cutaway"]) for of in (statistics.median, min))
        for name, (seconds, _) in rows.items()
        if {way, "cutaway"} <= seconds.keys()
    }


def report(rows: dict[str, tuple[Seconds, str]]) -> None:
    """Print times and ratios."""
    shown = []
    numba, numpy = ratios(rows, "numba"), ratios(rows, "numpy")
    for name, (seconds, problem) in rows.items():
        times = [f"{min(seconds[way]) * 1e6:.2f}" if way in seconds else "-" for way in WAYS]
        ratio = numba.get(name) or numpy.get(name) or ("-", "-")
        shown.append((name, *times, *ratio, problem))
    columns = ("idiom", *(f"us {way}" for way in WAYS), "x (medians)", "x (minima)", "")
    show("Idioms: least times, and the other's time as a multiple of ours", columns, shown)


WAYS = ("cutaway", "numba", "numpy")


def figures(rows: dict[str, tuple[Seconds, str]]) -> list[Figure]:
    """What is to be held."""
    loops = ratios(rows, "numba")
    calls = {name: (1 / a, 1 / b) for name, (a, b) in ratios(rows, "numpy").items()}
    wrong = [name for name, (_, problem) in rows.items() if problem == "wrong"]
    slow = sum(minimum < 0.95 for _, minimum in loops.values())
    made = [
        spread("idioms.numba", loops, "mean", "high"),
        spread("idioms.numba_worst", loops, "worst", "high"),
        Figure("idioms.slower", slow, where=f"of {len(loops)}") if loops
        else Figure("idioms.slower", why="Numba is not installed"),
        spread("idioms.numpy_worst", calls, "worst", why="no call was measured"),
        Figure("idioms.wrong", len(wrong), where=", ".join(wrong) or f"of {len(rows)}"),
    ]  # fmt: skip
    return made


if __name__ == "__main__":
    main()
