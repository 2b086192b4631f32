"""How fast functions of NumPy are in compiled code, and compile, beside NumPy and the reference.

python benchmarks/numpy_library.py [--only NAME ...] [--rounds N] [--without-numba] [--json FILE]
                                   [--quick] [--figures FILE]

Each of the functions of `library_table.py` runs in a process of its own, with 10, 1,000 and
1,000,000 elements, BLAS on one thread; a call from Python is timed, so that NumPy's own overhead
for a call counts, and ours. Each compiler compiles it in a process of its own, too: `first` is the
first call after the import, with the library's cache on disk as a second process finds it;
`second` is the first call of a new dispatcher of the same function.  Last come kernels of
`vectorize` with one signature, each of which is compiled after another one in its process.
"""

from __future__ import annotations

import argparse
import copy
import gc
import importlib
import json
import os
import platform
import statistics
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import numpy as np
from collected.figures import Figure
from harness import hand_over, is_installed, parsed, parser, show
from library_table import CASES, KERNELS, SIZES, Case

WAYS = ("numpy", "cutaway", "numba")
LEAST = 4e-4  # seconds in one timing: shorter calls are repeated
SECONDS = 3.0  # for all rounds of one size
ONE_THREAD = {name: "1" for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")}
PATIENCE = 300
SLOWER = 1.05  # times NumPy's time, above which a function counts as slower
HURRIED = 8  # with --quick each function after so many


def main() -> None:
    """Run a process per function, and print the tables."""
    options = arguments()
    if options.kernels:
        print(json.dumps(kernel_times(options.way)))
        return
    if options.one:
        case = CASES[options.one]
        found = compile_times(case, options.way) if options.way else measured(case, options)
        print(json.dumps(found))
        return
    started = perf_counter()
    every = list(CASES)[:: HURRIED if options.quick else 1]
    results = {name: in_process(name, options) for name in options.only or every}
    kernels = {way: child("--kernels", "--way", way) for way in compilers(options)}
    if options.json:
        options.json.write_text(json.dumps(results, indent=1), encoding="utf-8")
    report(results)
    vectorized(kernels)
    print(f"{len(results)} functions in {perf_counter() - started:.0f} s; {platform.processor()}")
    hand_over(figures(results, kernels), options)


def arguments() -> argparse.Namespace:
    """What the command line says."""
    words = parser("Functions of NumPy in compiled code.", 25, 9)
    words.add_argument("--only", nargs="+", metavar="NAME", choices=list(CASES))
    words.add_argument("--without-numba", action="store_true")
    words.add_argument("--json", type=Path, metavar="FILE", help="where all numbers go")
    words.add_argument("--one", help=argparse.SUPPRESS)
    words.add_argument("--way", help=argparse.SUPPRESS)
    words.add_argument("--kernels", action="store_true", help=argparse.SUPPRESS)
    options = parsed(words)
    options.without_numba |= not is_installed("numba")
    return options


def in_process(name: str, options: argparse.Namespace) -> dict[str, Any]:
    """What processes of their own say of one function."""
    row = child("--one", name, "--rounds", str(options.rounds), *without(options))
    for way in compilers(options):
        for which, seconds in child("--one", name, "--way", way).items():
            row.setdefault(which, {})[way] = seconds
    return row


def compilers(options: argparse.Namespace) -> tuple[str, ...]:
    """The ways that compile."""
    return WAYS[1 : 2 if options.without_numba else 3]


def without(options: argparse.Namespace) -> list[str]:
    """What a process is told of what is left out."""
    return ["--without-numba"] if options.without_numba else []


def child(*words: str) -> dict[str, Any]:
    """Run this file in a process of its own, and read what it prints."""
    environment = {**os.environ, **ONE_THREAD}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # or every process would compile our modules
    command = [sys.executable, __file__, *words]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, env=environment, timeout=PATIENCE
        )
    except subprocess.TimeoutExpired:
        return {"problems": {"all": f"took more than {PATIENCE} s"}}
    if done.returncode:
        return {"problems": {"all": done.stderr.strip().rpartition("\n")[2][:200]}}
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


# --- in the process of one function ---------------------------------------------------------------


def compiler(way: str, decorator: str = "njit") -> Callable[..., Any] | None:
    """A decorator of a way; None where its package is not installed."""
    try:
        found: Callable[..., Any] = getattr(importlib.import_module(way), decorator)
    except ImportError:
        return None
    return found


def kernel_times(way: str) -> dict[str, float]:
    """Seconds that `vectorize` takes with one signature, the best of three times, after a kernel
    that is not counted."""
    vectorize, found = compiler(way, "vectorize"), {}
    if vectorize is None:
        return {}
    vectorize(["f8(f8)"])(lambda x: x)
    for name, (signature, kernel) in KERNELS.items():
        seconds = []
        for _ in range(3):
            started = process_time()
            vectorize([signature])(kernel)
            seconds.append(process_time() - started)
        found[name] = min(seconds)
    return found


def compile_times(case: Case, way: str) -> dict[str, float]:
    """Seconds of the first two compilations, each with its call; nothing where there is none."""
    jit, found = compiler(way), {}
    try:
        for which in ("first", "second") if jit else ():
            f, given = jit(case.function), copies(case.make(SIZES[0]))
            started = process_time()
            f(*given)
            found[which] = process_time() - started
    except Exception:  # noqa: BLE001  the process that runs it says why
        return {}
    return found


def measured(case: Case, options: argparse.Namespace) -> dict[str, Any]:
    """Times of calls, and whether results are NumPy's."""
    ways: dict[str, Callable[..., Any]] = {"numpy": case.function}
    row: dict[str, Any] = {"calls": {}, "problems": {}}
    small = case.make(SIZES[0])
    for way in compilers(options):
        if jit := compiler(way):
            try:
                ways[way] = jit(case.function)
                ways[way](*copies(small))
            except Exception as error:  # noqa: BLE001  what a compiler cannot do is a row
                del ways[way]
                row["problems"][way] = f"{type(error).__name__}: {str(error).strip()[:160]}"
    if "cutaway" in ways:
        expected = case.function(*copies(small))
        given = copies(small)  # before the call, since it seeds the random numbers
        row["right"] = bool(same(expected, ways["cutaway"](*given)))
    for size in SIZES:
        row["calls"][str(size)] = timed(case, ways, size, options.rounds)
    return row


def same(expected: Any, found: Any) -> bool:
    """True if two results are equal but for last bits."""
    if isinstance(expected, tuple):
        return all(same(a, b) for a, b in zip(expected, found, strict=True))
    return np.asarray(expected).shape == np.asarray(found).shape and np.allclose(
        expected, found, 1e-9, equal_nan=True
    )


def copies(given: tuple[Any, ...]) -> tuple[Any, ...]:
    """The arguments with arrays and random states of their own."""
    np.random.seed(7)
    return copy.deepcopy(given)


def timed(
    case: Case, ways: dict[str, Callable[..., Any]], size: int, rounds: int
) -> dict[str, list[float]]:
    """Seconds of the processor's time of one call in each way, in interleaved rounds; the same
    arguments for all."""
    given = copies(case.make(size))
    counts = {}
    for way, call in ways.items():
        call(*given)
        started = perf_counter()
        call(*given)
        counts[way] = max(1, int(LEAST / max(perf_counter() - started, 1e-8)))
    seconds: dict[str, list[float]] = {way: [] for way in ways}
    begun = perf_counter()
    gc.disable()
    for turn in range(rounds):
        for way in list(ways) if turn % 2 else list(reversed(ways)):
            call, count = ways[way], counts[way]
            started = process_time()
            for _ in range(count):
                call(*given)
            seconds[way].append((process_time() - started) / count)
        if turn >= 4 and perf_counter() - begun > SECONDS:
            break
    gc.enable()
    return seconds


# --- the tables -----------------------------------------------------------------------------------


def report(results: dict[str, dict[str, Any]]) -> None:
    """Print speeds, compile times and the figures that are to be held."""
    for size in SIZES:
        speeds(results, size)
    compilations(results)
    problems = [
        (name, way, words)
        for name, row in results.items()
        for way, words in row["problems"].items()
    ]
    show("What is not compiled", ("function", "by", "reason"), problems)
    wrong = [name for name, row in results.items() if row.get("right") is False]
    print(f"Results that are not NumPy's: {', '.join(wrong) or 'none'}")


def pairs(
    results: dict[str, dict[str, Any]], size: int, way: str
) -> dict[str, tuple[list[float], list[float]]]:
    """The seconds of a way, and ours, of each function that both have."""
    calls = {name: row["calls"][str(size)] for name, row in results.items() if "calls" in row}
    return {
        name: (row[way], row["cutaway"])
        for name, row in calls.items()
        if way in row and "cutaway" in row
    }


def speeds(results: dict[str, dict[str, Any]], size: int) -> None:
    """Print how many times as fast as NumPy and the reference the functions are."""
    rows = []
    faster: dict[str, list[float]] = {"numpy": [], "numba": []}
    for name, (_, ours) in pairs(results, size, "numpy").items():
        cells: list[object] = [name, f"{statistics.median(ours) * 1e6:.3g} ({min(ours) * 1e6:.3g})"]
        for way, found in faster.items():
            both = pairs(results, size, way).get(name)
            if both is None:
                cells += ["-", "-"]
                continue
            theirs = statistics.median(both[0]) / statistics.median(both[1])
            found.append(theirs)
            cells += [theirs, min(both[0]) / min(both[1])]
        rows.append(cells)
    means = [statistics.geometric_mean(one) if one else float("nan") for one in faster.values()]
    rows.append(["geometric mean", "", means[0], "", means[1], ""])
    columns = ("function", "us (min)", "x NumPy", "by min", "x Numba", "by min")
    show(f"{size} elements: medians of interleaved calls from Python", columns, rows)
    behind = [one for one in faster["numpy"] if one < 1 / SLOWER]
    print(f"More than 5 % slower than NumPy: {len(behind)} of {len(faster['numpy'])}\n")


def compilations(results: dict[str, dict[str, Any]]) -> None:
    """Print compile times beside the reference's."""
    rows = []
    for name, row in results.items():
        cells: list[object] = [name]
        for which in ("first", "second"):
            times = row.get(which, {})
            cells += [_milliseconds(times.get("cutaway")), _milliseconds(times.get("numba"))]
        rows.append(cells)
    show("Compile times, ms", ("function", "first", "Numba", "second", "Numba"), rows)


def figures(
    results: dict[str, dict[str, Any]], kernels: dict[str, dict[str, Any]]
) -> Iterator[Figure]:
    """What is to be held."""
    refused = sum("cutaway" in row["problems"] or "all" in row["problems"]
                  for row in results.values())  # fmt: skip
    yield slower(results, refused)
    for which in ("first", "second"):
        yield compiling(results, which)
    took = {name: found for name, found in kernels["cutaway"].items() if name in KERNELS}
    if took:
        longest = max(took, key=took.__getitem__)
        yield Figure("numpy_library.vectorize", took[longest] * 1e3, where=longest)
    wrong = [name for name, row in results.items() if row.get("right") is False]
    yield Figure("numpy_library.wrong", len(wrong), where=", ".join(wrong), refused=refused)


def slower(results: dict[str, dict[str, Any]], refused: int) -> Figure:
    """How many functions take more than NumPy's time at the largest size."""
    key, both = "numpy_library.slower", pairs(results, SIZES[-1], "numpy")
    if not both:
        return Figure(key, why="no function ran")
    counts, named = [], {}
    for of in (statistics.median, min):
        parts = {name: of(ours) / of(theirs) for name, (theirs, ours) in both.items()}
        behind = {name: part for name, part in parts.items() if part > SLOWER}
        counts.append(len(behind))
        named |= behind
    worst = sorted(named, key=named.__getitem__, reverse=True)[:5]
    where = ", ".join(f"{name} {named[name]:.2f}" for name in worst)
    return Figure(key, *counts, f"of {len(both)}; {where}" if where else "", refused=refused)


def compiling(results: dict[str, dict[str, Any]], which: str) -> Figure:
    """The median of compile times as parts of the reference's."""
    parts = {
        name: row[which]["cutaway"] / row[which]["numba"]
        for name, row in results.items()
        if {"cutaway", "numba"} <= set(row.get(which, {}))
    }
    if not parts:
        return Figure(f"numpy_library.{which}", why="Numba compiles none of them here")
    most = max(parts, key=parts.__getitem__)
    where = f"worst of {len(parts)}: {most} {parts[most]:.2f}"
    return Figure(f"numpy_library.{which}", statistics.median(parts.values()), where=where)


def _milliseconds(seconds: float | None) -> str:
    return f"{seconds * 1e3:.1f}" if seconds else "-"


def vectorized(kernels: dict[str, dict[str, float]]) -> None:
    """Print compile times of kernels with one signature."""
    ours, theirs = kernels["cutaway"], kernels.get("numba", {})
    for way, found in kernels.items():
        if problem := found.pop("problems", None):
            print(f"vectorize by {way}: {problem['all']}")
    rows = [
        (name, signature, _milliseconds(ours.get(name)), _milliseconds(theirs.get(name)))
        for name, (signature, _) in KERNELS.items()
    ]
    show("vectorize with one signature, ms", ("kernel", "signature", "ours", "Numba"), rows)
    slow = [name for name, seconds in ours.items() if seconds > 0.015]
    print(f"More than 15 ms: {', '.join(slow) or 'none'}")


if __name__ == "__main__":
    main()
