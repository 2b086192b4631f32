"""How fast loops run and compile, beside the reference and beside C.

python benchmarks/kernels.py [--only NAME ...] [--rounds N] [--without-numba] [--json FILE]
                             [--quick] [--instructions] [--figures FILE]

The kernels are in `loops/`, each in Python and in C (`gcc -O3 -march=native`, with and without
contraction of products and sums). All ways of one kernel run in interleaved rounds of one process.
"unchecked" is ours without checks of indices. Compile times are those of first calls of fresh
dispatchers, the least of several rounds. Sizes are bytes of machine code of the function alone:
without the entry that Python calls, constants and debug data.
"""

from __future__ import annotations

import argparse
import copy
import gc
import json
import shutil
import statistics
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import numpy as np
from collected import code_size
from collected.counting import ARCHITECTURE, Counter, Counts, counted
from collected.figures import Figure, spread
from collected.goals import GOALS
from harness import counting_parser, hand_over, is_installed, parsed, show
from loops.in_c import ROUNDING, call_of, library
from loops.kernel import Kernel
from loops.table import KERNELS

import cutaway

LEAST = 3e-4  # seconds in one timing: shorter calls are repeated
COMPILED = 3  # times that each kernel is compiled by each compiler
HURRIED = 4  # with --quick each kernel after so many
COUNTED = 5  # instructions are counted in each kernel after so many, with --quick

Row = dict[str, Any]  # what was measured of a kernel, as JSON has it
Makers = dict[str, Callable[..., Any]]


def main() -> None:
    """Measure what is asked for, and print the tables."""
    options = arguments()
    kernels = [KERNELS[name] for name in options.only or list(KERNELS)[:: step(options)]]
    makers = compilers(options)
    if options.counting:
        count(kernels, makers, Counter(options.counting))
        return
    in_c = libraries(kernels)
    for jit in makers.values():  # what is loaded once is no kernel's
        jit(warming)(np.zeros(3))
    rounds = 1 if options.quick else COMPILED
    rows = {one.name: measured(one, makers, in_c, options.rounds, rounds) for one in kernels}
    counts = instructions(options, kernels)
    for name, row in rows.items():
        row["instructions"] = {
            way: counts.numbers[label]
            for way in row["calls"]
            if (label := f"{name}: {way}") in counts.numbers
        }
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1), encoding="utf-8")
    report(rows)
    hand_over(figures(rows), options)


def warming(a):
    total = 0.0
    for x in a:
        total += x
    return total


def arguments() -> argparse.Namespace:
    """What the command line says."""
    words = counting_parser("Loops beside Numba and C.", 15, 7)
    words.add_argument("--only", nargs="+", metavar="NAME", choices=list(KERNELS))
    words.add_argument("--without-numba", action="store_true")
    words.add_argument("--json", type=Path, metavar="FILE", help="where all numbers go")
    return parsed(words)


def step(options: argparse.Namespace) -> int:
    """With --quick not every kernel is measured."""
    return HURRIED if options.quick else 1


def compilers(options: argparse.Namespace) -> Makers:
    """The ways that compile, by name."""
    makers: Makers = {"cutaway": cutaway.jit, "unchecked": cutaway.jit(boundscheck=False)}
    if not options.without_numba and is_installed("numba"):
        import numba

        makers["numba"] = numba.njit
    return makers


def libraries(kernels: list[Kernel], *flags: str) -> dict[str, Any]:
    """The kernels in C, by the way in which they are compiled; none without a compiler."""
    if shutil.which("gcc") is None:
        return {}
    return {
        "C": library(kernels, (*ROUNDING, *flags)),
        "C, contracted": library(kernels, flags),
    }


# --- one kernel -----------------------------------------------------------------------------------


def measured(
    kernel: Kernel, makers: Makers, in_c: dict[str, Any], rounds: int, compilations: int
) -> Row:
    """Seconds of compilations and of calls in each way, sizes of code, if all results are those
    of C, and why ways are left out."""
    given = kernel.make(np.random.default_rng(3))
    compiling, dispatchers, problems = compiled(kernel, makers, given, compilations)
    calls, kept = {}, {}
    for way, f in dispatchers.items():
        args = copy.deepcopy(given)
        kept[way] = (f(*args), *args)
        calls[way] = lambda f=f, args=args: f(*args)
    for way, of_all in in_c.items():
        args = copy.deepcopy(given)
        calls[way] = call_of(kernel, of_all, args)
        kept[way] = (calls[way](), *args)
    expected = kept.get("C") or (kernel.function(*(own := copy.deepcopy(given))), *own)
    right = all(same(expected, kept[way]) for way in dispatchers)
    sizes = {way: size_of(kernel, way, f, given) for way, f in dispatchers.items()}
    sizes |= {way: code_size.in_library(of_all, kernel.name) for way, of_all in in_c.items()}
    seconds = timed(calls, rounds)
    found = {"compiling": compiling, "calls": seconds, "right": right, "sizes": sizes}
    return {**found, "problems": problems}


def compiled(
    kernel: Kernel, makers: Makers, given: tuple[Any, ...], rounds: int
) -> tuple[dict[str, list[float]], dict[str, Any], dict[str, str]]:
    """Seconds of first calls by each compiler, in turn, and its last dispatcher; and of those
    that cannot compile or run it, why."""
    seconds: dict[str, list[float]] = {way: [] for way in makers}
    dispatchers, problems = {}, {}
    for _ in range(rounds):
        for way, jit in makers.items():
            args = copy.deepcopy(given)
            started = process_time()
            try:
                f = jit(kernel.function)
                f(*args)
            except Exception as error:  # noqa: BLE001  what a compiler cannot do is a row
                problems[way] = f"{type(error).__name__}: {str(error).strip()[:120]}"
                continue
            seconds[way].append(process_time() - started)
            dispatchers[way] = f
    for way in problems:
        del seconds[way]
    return seconds, {way: dispatchers[way] for way in seconds}, problems


def size_of(kernel: Kernel, way: str, dispatcher: Any, given: tuple[Any, ...]) -> int | None:
    """Bytes of machine code of a compiled kernel."""
    if way == "numba":
        return code_size.of_numba(dispatcher)
    return code_size.of_ours(dispatcher, copy.deepcopy(given))


def same(expected: tuple[Any, ...], found: tuple[Any, ...]) -> bool:
    """True if what two ways returned and left in arrays is the same, but for last bits."""
    return all(
        one is None or np.allclose(one, other, 1e-5, 1e-9) for one, other in zip(expected, found)
    )


def timed(calls: dict[str, Callable[[], Any]], rounds: int) -> dict[str, list[float]]:
    """Seconds of the processor's time of one call in each way, in interleaved rounds."""
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
            started = process_time()
            for _ in range(counts[way]):
                call()
            seconds[way].append((process_time() - started) / counts[way])
    gc.enable()
    return seconds


# --- instructions ---------------------------------------------------------------------------------


def instructions(options: argparse.Namespace, kernels: list[Kernel]) -> Counts:
    """The instructions of a call of each kernel in each way, where they are asked for."""
    if not options.instructions:
        return Counts()
    some = [one.name for one in kernels[:: COUNTED if options.quick else 1]]
    counts = counted(__file__, ["--only", *some, *["--without-numba"] * options.without_numba])
    if counts.why:
        print(f"Instructions are not counted: {counts.why}")
    return counts


def count(kernels: list[Kernel], makers: Makers, counter: Counter) -> None:
    """Count the second call of each kernel in each way: the first one compiles."""
    in_c = libraries(kernels, f"-march={ARCHITECTURE}")
    for kernel in kernels:
        given = kernel.make(np.random.default_rng(3))
        _, dispatchers, _ = compiled(kernel, makers, given, 1)
        own = {way: (f, copy.deepcopy(given)) for way, f in dispatchers.items()}
        runs = {way: lambda f=f, args=args: f(*args) for way, (f, args) in own.items()}
        kept = copy.deepcopy(given)  # as long as C reads it
        runs |= {way: call_of(kernel, of_all, kept) for way, of_all in in_c.items()}
        for way, run in runs.items():
            run()
            counter.count(f"{kernel.name}: {way}", run)


# --- the tables -----------------------------------------------------------------------------------


def report(rows: dict[str, Row]) -> None:
    """Print the tables."""
    found = ratios(rows)
    show_ratios(rows, found)
    sized, ways = [], ("cutaway", "unchecked", "numba", "C", "C, contracted")
    for name, row in rows.items():
        for way, problem in row["problems"].items():
            print(f"{name} by {way}: {problem}")
        cells = [row["compiling"].get(way) for way in ("cutaway", "unchecked", "numba")]
        milliseconds = [f"{min(one) * 1e3:.1f}" if one else "-" for one in cells]
        bytes_of = [str(row["sizes"].get(way) or "-") for way in ways]
        thousands = [one and f"{one / 1e3:.4g}" for one in map(row["instructions"].get, ways)]
        sized.append((name, *milliseconds, *bytes_of, *(one or "-" for one in thousands)))
    short = ("ours", "unch.", "Numba", "C", "contr.")
    columns = (*(f"ms {way}" for way in short[:3]), *(f"B {way}" for way in short))
    columns += tuple(f"ki {way}" for way in short)
    title = "Loops: ms to compile, bytes of code, thousands of instructions in a call"
    show(title, ("kernel", *columns), sized)


def show_ratios(rows: dict[str, Row], found: dict[str, dict[str, tuple[float, float]]]) -> None:
    """Print how the times of each kernel compare, by minima."""
    shown = []
    for name, row in rows.items():
        ours = row["calls"].get("cutaway")
        parts = (found[key].get(name) for key in found)
        cells = [part[1] if part else "-" for part in parts]
        times = f"{statistics.median(ours) * 1e6:.1f} ({min(ours) * 1e6:.1f})" if ours else "-"
        shown.append((name, times, *cells, row["right"]))
    minima = {key: [part[1] for part in parts.values()] for key, parts in found.items()}
    means = [statistics.geometric_mean(one) if one else "-" for one in minima.values()]
    shown.append(("geometric mean", "", *means, ""))
    high = {"numba", "unchecked", "C", "C, contracted"}
    worst = [(min if key in high else max)(one) if one else "-" for key, one in minima.items()]
    shown.append(("worst", "", *worst, ""))
    columns = ("kernel", "us (min)", "x Numba", "unch. x Numba", "x C", "x C, contracted")
    columns += ("checks", "compiling", "right")
    show("Loops: ratios of minima of interleaved runs", columns, shown)


def ratios(rows: dict[str, Row]) -> dict[str, dict[str, tuple[float, float]]]:
    """What is compared, by kernel: each ratio of medians, and that of minima."""
    pairs = {
        "numba": ("numba", "cutaway"),
        "unchecked": ("numba", "unchecked"),
        "C": ("C", "cutaway"),
        "C, contracted": ("C, contracted", "cutaway"),
        "checks": ("cutaway", "unchecked"),
        "compiling": ("cutaway", "numba"),
    }
    found: dict[str, dict[str, tuple[float, float]]] = {}
    for key, (one, other) in pairs.items():
        found[key] = {
            name: tuple(of(times[one]) / of(times[other]) for of in (statistics.median, min))
            for name, row in rows.items()
            if {one, other} <= (times := row["compiling" if key == "compiling" else "calls"]).keys()
        }
    return found


def figures(rows: dict[str, Row]) -> list[Figure]:
    """What is to be held."""
    found = ratios(rows)
    of_c = {name: (1 / a, 1 / b) for name, (a, b) in found["C"].items()}
    checks = spread("kernels.checks", found["checks"], by_counts=by_counts(rows, "unchecked"))
    above = sum(part > GOALS["kernels.checks"].limit for _, part in found["checks"].values())
    wrong = [name for name, row in rows.items() if not row["right"]]
    refused = sum("cutaway" in row["problems"] for row in rows.values())
    made = [
        spread("kernels.numba", found["numba"], "mean", "high", by_counts(rows, "numba", True)),
        spread("kernels.numba_worst", found["numba"], "worst", "high"),
        spread("kernels.c", of_c, by_counts=by_counts(rows, "C"), why="gcc is not installed"),
        replace(checks, where=f"{checks.where}; {above} above the goal"),
        spread("kernels.compiling", found["compiling"]),
        spread("kernels.compiling_worst", found["compiling"], "worst"),
        Figure("kernels.wrong", len(wrong), where=", ".join(wrong) or f"of {len(rows)}"),
    ]
    return [replace(one, refused=refused) for one in made]


def by_counts(rows: dict[str, Row], way: str, high: bool = False) -> str:
    """A geometric mean of instructions in words: ours beside a way's, or the other way round."""
    parts = [
        counts[way] / counts["cutaway"] if high else counts["cutaway"] / counts[way]
        for row in rows.values()
        if {way, "cutaway"} <= (counts := row["instructions"]).keys()
    ]
    return f"{statistics.geometric_mean(parts):.3g} ({len(parts)} loops)" if parts else ""


if __name__ == "__main__":
    main()
