"""How calls scale with two threads, and what one costs, in a Python with or without the GIL.

    python benchmarks/threads.py [--batches N]

Each row is a callable.  `ns` is the time of a call of one thread, the loop included: the median of
batches.  Then two threads call at once, and those batches count all through which both were
running, which leaves out the time in which one waits for a core that somebody else has: how many
calls both make, beside one thread alone (goal: 1.8 times).  With the GIL they are hardly ever side
by side.
"""

from __future__ import annotations

import argparse
import bisect
import operator
import statistics
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import cutaway


@cutaway.jit
def add(a, b):
    return a + b


@cutaway.jit
def first(array, place):
    return array[place]


@cutaway.jit
def swap(a, b):
    return b, a


@cutaway.jit(forceobj=True)
def objects(a, b):
    return [a, b]


def in_python(a, b):
    return a + b


BATCH = 1000  # calls
WAITED = 8  # times as long as usual: it waited for a core, or for the GIL
ARRAY = np.arange(8.0)
ROWS: list[tuple[str, Callable[..., Any], tuple[Any, Any]]] = [
    ("add(1, 2)", add, (1, 2)),
    ("first(array, 3)", first, (ARRAY, 3)),
    ("swap(1, 2.5)", swap, (1, 2.5)),
    ("objects(1, 2)", objects, (1, 2)),
    ("the Python function", in_python, (1, 2)),
    ("operator.is_", operator.is_, (1, 2)),
]


def batches(
    function: Callable[..., Any], values: tuple[Any, Any], threads: int, count: int
) -> list[list[tuple[int, int]]]:
    """When each batch of calls began and ended, for each thread."""
    gate = threading.Barrier(threads)
    found: list[list[tuple[int, int]]] = [[(0, 0)] * count for _ in range(threads)]

    def work(mine: list[tuple[int, int]]) -> None:
        call, (a, b), now, times = function, values, time.perf_counter_ns, range(BATCH)
        gate.wait()
        for place in range(count):
            started = now()
            for _ in times:
                call(a, b)
            mine[place] = started, now()

    workers = [threading.Thread(target=work, args=(mine,)) for mine in found]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    return found


def running(found: list[tuple[int, int]], longest: int) -> list[tuple[int, int]]:
    """The batches within which the thread did not wait for a core."""
    return [(start, end) for start, end in found if end - start <= longest]


def beside(mine: list[tuple[int, int]], other: list[tuple[int, int]]) -> list[int]:
    """How long the batches took all through which the other thread was running, too."""
    starts = [start for start, _ in other]
    found = []
    for start, end in mine:
        place = bisect.bisect_right(starts, start) - 1
        at = start if place >= 0 and other[place][1] >= start else -1
        while 0 <= at < end and place < len(other) and other[place][0] - at < 1000:
            at = other[place][1]
            place += 1
        if at >= end:
            found.append(end - start)
    return found


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--batches", type=int, default=20_000)
    options = parser.parse_args()
    locked = getattr(sys, "_is_gil_enabled", lambda: True)()
    print(f"Python {sys.version.split()[0]}, {'with' if locked else 'without'} the GIL")
    for name, function, values in ROWS:
        function(*values)
        (alone,) = batches(function, values, 1, options.batches)
        usual = statistics.median(end - start for start, end in alone)
        longest = int(WAITED * usual)
        first, second = (
            running(one, longest) for one in batches(function, values, 2, options.batches)
        )
        both = beside(first, second) + beside(second, first)
        told = f"{name:22} {usual / BATCH:6.1f} ns"
        if len(both) < 50:
            print(f"{told}  2 threads: never side by side")
        else:
            speed = 2 * usual / statistics.median(both)
            print(f"{told}  2 threads: {speed:.2f} times, in {len(both)} batches side by side")


if __name__ == "__main__":
    main()
