"""How calls scale with threads, and what one costs, in a Python with or without the GIL.

    python benchmarks/threads.py [--rounds N] [--calls N]

Each row is a callable that 1, 2, ... threads call at once, as many as there are cores and at most
8.  `ns` is the processor's time of a thread for a call, the loop included; `speed` how many calls
all threads make in a second beside one thread alone, by the clock; `alone` the same if each thread
had a core of its own, by the processor's time: on a machine with other work that is the figure to
hold (goal: 1.8 for two threads).  The best of the rounds counts.
"""

from __future__ import annotations

import argparse
import operator
import os
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


ARRAY = np.arange(8.0)
ROWS: list[tuple[str, Callable[..., Any], tuple[Any, Any]]] = [
    ("add(1, 2)", add, (1, 2)),
    ("first(array, 3)", first, (ARRAY, 3)),
    ("swap(1, 2.5)", swap, (1, 2.5)),
    ("objects(1, 2)", objects, (1, 2)),
    ("the Python function", in_python, (1, 2)),
    ("operator.is_", operator.is_, (1, 2)),
]


def each(function: Callable[..., Any], values: tuple[Any, Any], calls: int, threads: int):
    """Seconds of the clock, and of the processor for each thread."""
    gate, used = threading.Barrier(threads + 1), [0.0] * threads

    def work(number: int) -> None:
        call, (a, b) = function, values
        gate.wait()
        started = time.thread_time()
        for _ in range(calls):
            call(a, b)
        used[number] = time.thread_time() - started

    workers = [threading.Thread(target=work, args=(k,)) for k in range(threads)]
    for worker in workers:
        worker.start()
    gate.wait()
    started = time.perf_counter()
    for worker in workers:
        worker.join()
    return time.perf_counter() - started, sum(used) / threads


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--calls", type=int, default=300_000)
    options = parser.parse_args()
    locked = getattr(sys, "_is_gil_enabled", lambda: True)()
    print(f"Python {sys.version.split()[0]}, {'with' if locked else 'without'} the GIL")
    counts = [n for n in (1, 2, 4, 8) if n <= max(2, os.cpu_count() or 1)]
    for name, function, values in ROWS:
        function(*values)
        best: dict[int, tuple[float, float]] = {}
        for _ in range(options.rounds):
            for threads in counts:
                found = each(function, values, options.calls, threads)
                best[threads] = min(best.get(threads, found), found, key=lambda one: one[1])
        told = [f"{1e9 * best[1][1] / options.calls:6.1f} ns"]
        for threads in counts[1:]:
            speed, alone = (threads * a / b for a, b in zip(best[1], best[threads], strict=True))
            told.append(f"{threads} threads: speed {speed:.2f}, alone {alone:.2f}")
        print(f"{name:22}", *told, sep="  ")


if __name__ == "__main__":
    main()
