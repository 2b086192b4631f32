"""What a call costs: compiled functions that do next to nothing, a Python one, the reference.

    python benchmarks/dispatch.py [rounds]

The cost of an empty loop is taken off.
"""

from __future__ import annotations

import statistics
import sys
import timeit

import numba
import numpy as np
from harness import show

import cutaway


def nothing(a):
    return None


def add(a, b):
    return a + b


def size(a):
    return a.shape[0]


def sizes(a, b, c):
    return a.shape[0] + b.shape[0] + c.shape[0]


def first(t):
    return t[0]


VECTOR, MATRIX = np.zeros(10), np.zeros((3, 4))
CALLS = [
    ("f(1) gives None", nothing, "f(1)"),
    ("add(int, int)", add, "f(1, 2)"),
    ("add(float, float)", add, "f(1.0, 2.0)"),
    ("add(large ints)", add, "f(1099511627776, 1099511627776)"),
    ("keywords", add, "f(b=1, a=2)"),
    ("1-d array", size, "f(v)"),
    ("2-d array", size, "f(m)"),
    ("3 arrays", sizes, "f(v, v, v)"),
    ("tuple (int, float)", first, "f((1, 2.0))"),
]
NUMBER = 20_000


def main(rounds: int = 25) -> None:
    """Time each call in turn, in one process."""
    rows = []
    for what, function, call in CALLS:
        variants = {
            "python": function,
            "cutaway": cutaway.jit(function),
            "numba": numba.njit(function),
        }
        timers = {
            name: timeit.Timer(call, globals={"f": f, "v": VECTOR, "m": MATRIX})
            for name, f in variants.items()
        }
        empty = timeit.Timer("pass")
        nanoseconds: dict[str, list[float]] = {name: [] for name in variants}
        for timer in timers.values():
            timer.timeit(10)
        for _ in range(rounds):
            base = empty.timeit(NUMBER)
            for name, timer in timers.items():
                nanoseconds[name].append((timer.timeit(NUMBER) - base) / NUMBER * 1e9)
        medians = {name: statistics.median(s) for name, s in nanoseconds.items()}
        cells = [f"{medians[n]:.0f} ({min(nanoseconds[n]):.0f})" for n in variants]
        rows.append(
            (
                what,
                *cells,
                medians["cutaway"] / medians["python"],
                medians["cutaway"] / medians["numba"],
            )
        )
    columns = ("call", "python ns (min)", "cutaway", "numba", "of python", "of numba")
    show("Calls: median and minimum of interleaved runs", columns, rows)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
