"""How fast loops run and compile, beside the reference and beside C.

python benchmarks/kernels.py [--only NAME ...] [--rounds N] [--without-numba] [--json FILE]

The kernels are in `loops/`, each in Python and in C (`gcc -O3 -march=native`, with and without
contraction of products and sums). All ways of one kernel run in interleaved rounds of one process.
"""

from __future__ import annotations

import argparse
import copy
import gc
import json
import statistics
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
from harness import show
from loops.in_c import ROUNDING, call_of, library
from loops.kernel import Kernel
from loops.table import KERNELS

import cutaway

LEAST = 3e-4  # seconds in one timing: shorter calls are repeated
ROUNDS = 15


def main() -> None:
    """Measure what is asked for, and print the table."""
    options = arguments()
    kernels = [KERNELS[name] for name in options.only or KERNELS]
    in_c = {"C": library(kernels, ROUNDING), "C, contracted": library(kernels, ())}
    makers = {"cutaway": cutaway.jit, "unchecked": cutaway.jit(boundscheck=False)}
    if not options.without_numba:
        import numba

        makers["numba"] = numba.njit
    for jit in makers.values():  # what is loaded once is no kernel's
        jit(warming)(np.zeros(3))
    rows = {one.name: measured(one, makers, in_c, options.rounds) for one in kernels}
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1), encoding="utf-8")
    report(rows)


def warming(a):
    total = 0.0
    for x in a:
        total += x
    return total


def arguments() -> argparse.Namespace:
    """What the command line says."""
    parser = argparse.ArgumentParser(description="Loops beside Numba and C.")
    parser.add_argument("--only", nargs="+", metavar="NAME", choices=list(KERNELS))
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--without-numba", action="store_true")
    parser.add_argument("--json", type=Path, metavar="FILE", help="where all numbers go")
    return parser.parse_args()


def measured(
    kernel: Kernel, makers: dict[str, Callable[..., Any]], in_c: dict[str, Any], rounds: int
) -> dict[str, Any]:
    """Seconds of compilations and of calls in each way; whether all results are those of C."""
    given = kernel.make(np.random.default_rng(3))
    calls: dict[str, Callable[[], Any]] = {}
    compiling, kept = {}, {}
    for way, jit in makers.items():
        kept[way] = copy.deepcopy(given)
        f = jit(kernel.function)
        started = perf_counter()
        first = f(*kept[way])
        compiling[way] = perf_counter() - started
        kept[way] = (first, *kept[way])
        calls[way] = lambda f=f, args=kept[way][1:]: f(*args)
    for way, compiled in in_c.items():
        args = copy.deepcopy(given)
        calls[way] = call_of(kernel, compiled, args)
        kept[way] = (calls[way](), *args)
    right = all(same(kept["C"], kept[way]) for way in makers)
    return {"compiling": compiling, "calls": timed(calls, rounds), "right": right}


def same(expected: tuple[Any, ...], found: tuple[Any, ...]) -> bool:
    """True if what two ways returned and left in arrays is the same, but for last bits."""
    return all(
        one is None or np.allclose(one, other, 1e-5, 1e-9) for one, other in zip(expected, found)
    )


def timed(calls: dict[str, Callable[[], Any]], rounds: int) -> dict[str, list[float]]:
    """Seconds of one call in each way, in interleaved rounds."""
    counts = {}
    for way, call in calls.items():
        started = perf_counter()
        call()
        counts[way] = max(1, int(LEAST / max(perf_counter() - started, 1e-7)))
    seconds: dict[str, list[float]] = {way: [] for way in calls}
    gc.disable()
    for turn in range(rounds):
        for way in list(calls) if turn % 2 else list(reversed(calls)):
            call = calls[way]
            started = perf_counter()
            for _ in range(counts[way]):
                call()
            seconds[way].append((perf_counter() - started) / counts[way])
    gc.enable()
    return seconds


def report(rows: dict[str, dict[str, Any]]) -> None:
    """Print the table, and the figures that are to be held."""
    shown, found = [], {"numba": [], "C": [], "C, contracted": [], "checks": [], "compiling": []}
    for name, row in rows.items():
        least = {way: min(seconds) for way, seconds in row["calls"].items()}
        ours = least["cutaway"]
        parts = {way: least[way] / ours for way in ("numba", "C", "C, contracted") if way in least}
        parts["checks"] = ours / least["unchecked"]
        if "numba" in row["compiling"]:
            parts["compiling"] = row["compiling"]["cutaway"] / row["compiling"]["numba"]
        for key, part in parts.items():
            found[key].append(part)
        middle = statistics.median(row["calls"]["cutaway"])
        cells = [parts.get(key, "-") for key in found]
        shown.append((name, f"{middle * 1e6:.1f} ({ours * 1e6:.1f})", *cells, row["right"]))
    means = [statistics.geometric_mean(one) if one else "-" for one in found.values()]
    shown.append(("geometric mean", "", *means, ""))
    worst = [min(one) if key in ("numba", "C") else max(one) for key, one in found.items() if one]
    shown.append(("worst", "", *worst, ""))
    columns = ("kernel", "us (min)", "x Numba", "x C", "x C, contracted", "checks", "compiling")
    show("Loops: ratios of minima of interleaved runs", (*columns, "right"), shown)


if __name__ == "__main__":
    main()
