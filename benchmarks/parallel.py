"""How fast parallel loops run and compile, beside our own serial code, the reference and C.

python benchmarks/parallel.py [--only NAME ...] [--rounds N] [--threads N] [--quick]
                              [--json FILE] [--figures FILE]

The loops are in `loops/parallel.py`, in Python and in C (`gcc -O3 -march=native -fopenmp`). Each
way has a process of its own, since the reference has one kind of threads per process; they run in
turn, in interleaved rounds, and the others sleep. Times are of the clock on the wall: what counts
is when the last thread is done, so the machine has to be quiet. Compile times are those of first
calls of fresh dispatchers, by the processor's time. A region is a loop of n elements.
"""

from __future__ import annotations

import argparse
import copy
import gc
import json
import multiprocessing
import os
import shutil
import statistics
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from time import perf_counter, process_time, sleep
from typing import Any

import numpy as np
from collected.figures import Figure, beside, spread
from harness import hand_over, is_installed, parsed, parser, ratio, show
from loops import parallel
from loops.in_c import ROUNDING, call_of, library
from loops.kernel import Kernel

OURS, SERIAL, IN_C = "cutaway", "serial", "C"
LAYERS = {"omp": "numba, omp", "workqueue": "numba, workqueue"}
SIZES = (1, 1_000, 100_000, 1_000_000)  # of loops whose regions are timed
LEAST = 2e-3  # seconds in one timing
PAUSE = 0.01  # seconds for threads of another process to fall asleep
COMPILED = 3  # times that each kernel is compiled

Times = dict[str, list[float]]  # seconds by way


def main() -> None:
    """Measure what is asked for, and print the tables."""
    options = arguments()
    ways = [Way(name, options.threads) for name in names()]
    try:
        compiling = {name: compile_times(ways, name, options) for name in options.only}
        calls = {name: timed(ways, name, None, options.rounds) for name in options.only}
        wrong = [name for name in options.only if not agree(ways, name)]
        regions = {n: timed(ways, "elements", n, options.rounds) for n in SIZES}
    finally:
        for way in ways:
            way.stop()
    if options.json:
        rows = {"compiling": compiling, "calls": calls, "wrong": wrong}
        options.json.write_text(json.dumps({**rows, "regions": regions}, indent=1), "utf-8")
    report(calls, compiling, regions, wrong)
    hand_over(figures(calls, compiling, regions, wrong), options)


def arguments() -> argparse.Namespace:
    """What the command line says."""
    words = parser("Parallel loops beside serial ones, Numba and C.", 15, 3)
    words.add_argument("--only", nargs="+", metavar="NAME", choices=list(parallel.KERNELS))
    words.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    words.add_argument("--json", type=Path, metavar="FILE", help="where all numbers go")
    options = parsed(words)
    options.only = options.only or list(parallel.KERNELS)
    return options


def names() -> list[str]:
    """The ways that there are on this machine."""
    layers = list(LAYERS.values()) if is_installed("numba") else []
    return [OURS, SERIAL, *layers, *([IN_C] if shutil.which("gcc") else [])]


# --- the ways -------------------------------------------------------------------------------------


class Way:
    """A process that compiles and runs all kernels in one way."""

    def __init__(self, name: str, threads: int) -> None:
        self.name, self.threads = name, threads
        self.deadly: set[str] = set()  # kernels that it has died of
        self.start()

    def start(self) -> None:
        """Begin the process."""
        context = multiprocessing.get_context("spawn")
        self.line, far = context.Pipe()
        arguments = (far, self.name, self.threads)
        self.process = context.Process(target=work, args=arguments, daemon=True)
        self.process.start()
        far.close()

    def ask(self, *question: Any) -> Any:
        """What the process answers; None where it cannot, or dies of it: then there is a new
        one, which is not asked about this kernel again."""
        if question[1] in self.deadly:
            return None
        try:
            self.line.send(question)
            return self.line.recv()
        except (EOFError, OSError):
            self.stop()
            self.deadly.add(question[1])
            print(f"{self.name} died of {question}: {self.process.exitcode}")
            self.start()
            return None

    def stop(self) -> None:
        """End the process."""
        self.line.close()
        self.process.join(5)
        if self.process.is_alive():
            self.process.kill()


def work(line: Connection, name: str, threads: int) -> None:
    """Answer questions until nobody asks: what a process of one way does."""
    make = maker(name, threads)
    ready: dict[str, tuple[Callable[[], Any], tuple[Any, ...]]] = {}
    gc.disable()
    while True:
        try:
            what, kernel, *rest = line.recv()
        except EOFError:
            return
        one = parallel.ELEMENTS if kernel == "elements" else parallel.KERNELS[kernel]
        try:
            if what == "compile":
                answer = first_call(make, one)
            elif what == "result":
                given = one.make(np.random.default_rng(3))
                make(one, given)()
                answer = [value for value in given if isinstance(value, np.ndarray)]
            else:
                answer = seconds_of(make, one, ready, *rest)
        except Exception as error:  # noqa: BLE001  what a compiler cannot do is a gap in the table
            answer = None
            print(f"{name}: {kernel}: {type(error).__name__}: {str(error)[:200]}")
        line.send(answer)


def maker(name: str, threads: int) -> Callable[[Kernel, tuple[Any, ...]], Callable[[], Any]]:
    """What makes a call without arguments of a kernel and arguments."""
    if name == IN_C:
        os.environ["OMP_NUM_THREADS"] = str(threads)
        kernels = [*parallel.KERNELS.values(), parallel.ELEMENTS]
        in_c = library(kernels, (*ROUNDING, "-fopenmp"))
        return lambda kernel, given: call_of(kernel, in_c, given)
    jit = compiler(name, threads)

    def made(kernel: Kernel, given: tuple[Any, ...]) -> Callable[[], Any]:
        dispatcher = jit(kernel.function)
        return partial(dispatcher, *given)

    return made


def compiler(name: str, threads: int) -> Callable[..., Any]:
    """The decorator of a way."""
    if name in (OURS, SERIAL):
        import cutaway

        parallel.prange = cutaway.prange
        cutaway.config.NUM_THREADS = threads
        return cutaway.jit(parallel=name == OURS)
    import numba

    (numba.config.THREADING_LAYER,) = (layer for layer, way in LAYERS.items() if way == name)
    numba.config.NUMBA_NUM_THREADS = threads
    parallel.prange = numba.prange
    return numba.njit(parallel=True)


def first_call(
    make: Callable[[Kernel, tuple[Any, ...]], Callable[[], Any]], kernel: Kernel
) -> float:
    """Seconds of the processor for a first call, without those that the loop itself takes."""
    given = kernel.make(np.random.default_rng(3))
    call = make(kernel, given)
    started = process_time()
    call()
    between = process_time()
    call()
    return max(2 * between - started - process_time(), 1e-9)


def seconds_of(
    make: Callable[[Kernel, tuple[Any, ...]], Callable[[], Any]],
    kernel: Kernel,
    ready: dict[str, tuple[Callable[[], Any], tuple[Any, ...]]],
    size: int | None,
) -> float:
    """Seconds of one call, for a loop of a size; the first time it is compiled before."""
    key = f"{kernel.name} {size}"
    if key not in ready:
        given = kernel.make(np.random.default_rng(3))
        if size is not None:
            given = (*given[:-1], size)
        call = make(kernel, given)
        call()
        ready[key] = call, copy.copy(given)
    call, _ = ready[key]
    call()  # wakes the threads, as a program does that has more to do
    started, count = perf_counter(), 0
    while (spent := perf_counter() - started) < LEAST or not count:
        for _ in range(100 if spent < LEAST / 10 and size is not None else 1):
            call()
            count += 1
    return (perf_counter() - started) / count


# --- measuring ------------------------------------------------------------------------------------


def timed(ways: Sequence[Way], kernel: str, size: int | None, rounds: int) -> Times:
    """Seconds of calls in each way, in interleaved rounds."""
    seconds: Times = {}
    for turn in range(rounds + 1):  # the first compiles
        for way in ways if turn % 2 else reversed(ways):
            found = way.ask("time", kernel, size)
            if found is not None and turn:
                seconds.setdefault(way.name, []).append(found)
            sleep(PAUSE)
    return seconds


def compile_times(ways: Sequence[Way], kernel: str, options: argparse.Namespace) -> Times:
    """Seconds of compilations in each way that compiles, in turn; the first of a process loads
    what it needs, and is left out."""
    seconds: Times = {}
    for turn in range(2 if options.quick else COMPILED + 1):
        for way in ways:
            found = way.ask("compile", kernel) if way.name not in (IN_C, SERIAL) else None
            if found is not None and turn:
                seconds.setdefault(way.name, []).append(found)
    return seconds


def agree(ways: Sequence[Way], kernel: str) -> bool:
    """True if all ways leave the same in the arrays, but for last bits."""
    found = [answer for way in ways if (answer := way.ask("result", kernel)) is not None]
    return all(
        np.allclose(one, other, 1e-6, 1e-9)
        for answer in found[1:]
        for one, other in zip(found[0], answer, strict=True)
    )


# --- reports --------------------------------------------------------------------------------------


def best_layer(times: Mapping[str, list[float]]) -> list[float] | None:
    """The times of the reference's kind of threads that is the fastest here."""
    found = [times[way] for way in LAYERS.values() if way in times]
    return min(found, key=statistics.median, default=None)


def report(
    calls: Mapping[str, Times],
    compiling: Mapping[str, Times],
    regions: Mapping[int, Times],
    wrong: Sequence[str],
) -> None:
    """Print the tables."""
    ways = names()
    columns = ("loop", *(f"{way}, ms" for way in ways), "speed-up", "beside numba", "beside C")
    rows = []
    for name, times in calls.items():
        cells = [1e3 * statistics.median(times[way]) if way in times else "-" for way in ways]
        pairs = ((SERIAL, times.get(SERIAL)), ("", best_layer(times)), (IN_C, times.get(IN_C)))
        beside_ours = [ratio(other, times[OURS]) if other else "-" for _, other in pairs]
        rows.append((name + (" (wrong)" if name in wrong else ""), *cells, *beside_ours))
    show("Parallel loops: times, and how many times as fast ours are", columns, rows)
    columns = ("elements", *(f"{way}, us" for way in ways), "of numba's time")
    rows = []
    for size, times in regions.items():
        cells = [1e6 * statistics.median(times[way]) if way in times else "-" for way in ways]
        best = best_layer(times)
        rows.append((f"{size:,}", *cells, ratio(times[OURS], best) if best else "-"))
    show("A region of so many elements", columns, rows)
    ways = [way for way in ways if way not in (IN_C, SERIAL)]
    rows = [
        (name, *(1e3 * min(times[way]) if way in times else "-" for way in ways))
        for name, times in compiling.items()
    ]
    show("Compiling", ("loop", *(f"{way}, ms" for way in ways)), rows)


def figures(
    calls: Mapping[str, Times],
    compiling: Mapping[str, Times],
    regions: Mapping[int, Times],
    wrong: Sequence[str],
) -> list[Figure]:
    """The figures that are to be held."""
    fast = {
        name: (ratio(best, times[OURS]), min(best) / min(times[OURS]))
        for name, times in calls.items()
        if OURS in times and (best := best_layer(times))
    }
    made = {
        name: (ratio(times[OURS], best), min(times[OURS]) / min(best))
        for name, times in compiling.items()
        if OURS in times and (best := best_layer(times))
    }
    return [
        beside("parallel.region", regions[1][OURS], best_layer(regions[1])),
        beside("parallel.short", regions[1][OURS], regions[1].get(SERIAL), "serial code"),
        spread("parallel.numba", fast, better="high"),
        spread("parallel.numba_worst", fast, "worst", "high"),
        spread("parallel.compiling", made),
        Figure("parallel.wrong", len(wrong), where=", ".join(wrong) or f"of {len(calls)}"),
    ]


if __name__ == "__main__":
    main()
