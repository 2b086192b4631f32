"""What `try` costs: loops with it beside those without it, and exceptions that are handled.

    python benchmarks/handlers.py [--rounds N] [--quick]

No iteration raises in the first table, so that it shows the price of a handler that waits.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from harness import interleaved, parsed, parser, ratio, show

import cutaway

SIZE = 300_000


@cutaway.jit
def doubled(x):
    if x < 0:
        raise ValueError("less than zero")
    return x * 2


def sums(a, b):
    s = 0.0
    for k in range(len(a)):
        s += a[k]
    return s


def sums_guarded(a, b):
    s = 0.0
    for k in range(len(a)):
        try:
            s += a[k]
        except IndexError:
            s -= 1
    return s


def quotients(a, b):
    s = 0
    for k in range(len(b)):
        s += 1_000_000 // b[k]
    return s


def quotients_guarded(a, b):
    s = 0
    for k in range(len(b)):
        try:
            s += 1_000_000 // b[k]
        except ZeroDivisionError:
            s -= 1
    return s


def stores(a, b):
    for k in range(1, len(a)):
        a[k] = a[k - 1] * 0.5 + 1


def stores_guarded(a, b):
    for k in range(1, len(a)):
        try:
            a[k] = a[k - 1] * 0.5 + 1
        except IndexError:
            a[0] = 1


def gathers(a, b):
    s = 0.0
    for k in range(len(b)):
        s += a[b[k]]
    return s


def gathers_guarded(a, b):
    s = 0.0
    for k in range(len(b)):
        try:
            s += a[b[k]]
        except IndexError:
            s -= 1
    return s


def calls(a, b):
    s = 0.0
    for k in range(len(a)):
        s += doubled(a[k])
    return s


def calls_guarded(a, b):
    s = 0.0
    for k in range(len(a)):
        try:
            s += doubled(a[k])
        except ValueError:
            s -= 1
    return s


def around(a, b):
    s = 0.0
    try:
        for k in range(len(a)):
            s += a[k]
    except IndexError:
        s -= 1
    return s


def cleaned_up(a, b):
    s = 0.0
    for k in range(len(a)):
        try:
            s += a[k]
        finally:
            s += 1
    return s


def cleaned_up_by_hand(a, b):
    s = 0.0
    for k in range(len(a)):
        s += a[k]
        s += 1
    return s


PAIRS: tuple[tuple[Callable[..., Any], Callable[..., Any]], ...] = (
    (sums_guarded, sums),
    (quotients_guarded, quotients),
    (stores_guarded, stores),
    (gathers_guarded, gathers),
    (calls_guarded, calls),
    (around, sums),
    (cleaned_up, cleaned_up_by_hand),
)


def caught(n):
    s = 0
    for k in range(n):
        try:
            s += 1 // (k - k)
        except ZeroDivisionError:
            s += 1
    return s


def main() -> None:
    """Measure and print."""
    options = parsed(parser(str(__doc__), rounds=61, quick=11))
    random = np.random.default_rng(1)
    args = random.random(SIZE), random.integers(1, 1000, SIZE)
    rows = []
    for guarded, plain in PAIRS:
        with_it, without = cutaway.jit(guarded), cutaway.jit(plain)
        with_it(*args), without(*args)
        runs = {"with": lambda f=with_it: f(*args), "without": lambda f=without: f(*args)}
        seconds = interleaved(runs, options.rounds)
        medians = ratio(seconds["with"], seconds["without"])
        least = min(seconds["with"]) / min(seconds["without"])
        rows.append((guarded.__name__, f"{medians:.3f}", f"{least:.3f}"))
    show("Time with `try` by time without it", ("loop", "median", "minima"), rows)

    compiled, count = cutaway.jit(caught), 2000
    compiled(count)
    runs = {"compiled": lambda: compiled(count), "Python": lambda: caught(count)}
    seconds = interleaved(runs, options.rounds)
    cells = [(name, f"{min(found) / count * 1e6:.2f}") for name, found in seconds.items()]
    show("An exception that is handled, in microseconds", ("by", "minimum"), cells)


if __name__ == "__main__":
    main()
