"""What generators cost: loops that take their values beside the same loops written by hand.

    python benchmarks/generators.py [--rounds N] [--quick]

Where Numba is installed, its generators are measured as well; it has no generator expressions.
"""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Any

import numpy as np
from harness import interleaved, is_installed, parsed, parser, ratio, show

import cutaway

SIZE = 300_000

Function = Callable[..., Any]


def sum_of_squares(a, b):
    return sum(x * x for x in a if x > 0.5)


def sum_of_squares_by_hand(a, b):
    s = 0.0
    for x in a:
        if x > 0.5:
            s = s + x * x
    return s


def largest(a, b):
    return max(a[k] - b[k] for k in range(len(a)))


def largest_by_hand(a, b):
    best = a[0] - b[0]
    for k in range(1, len(a)):
        if a[k] - b[k] > best:
            best = a[k] - b[k]
    return best


def is_sorted(a, b):
    return all(b[k] <= b[k + 1] + 1000 for k in range(len(b) - 1))


def is_sorted_by_hand(a, b):
    for k in range(len(b) - 1):
        if not b[k] <= b[k + 1] + 1000:
            return False
    return True


def selected(b):
    for k in range(len(b)):
        if b[k] % 3:
            yield b[k]


def one_yield(a, b):
    s = 0
    for x in selected(b):
        s += x * x
    return s


def one_yield_by_hand(a, b):
    s = 0
    for k in range(len(b)):
        if b[k] % 3:
            s += b[k] * b[k]
    return s


def both_ends(n):
    low, high = 0, n - 1
    while low < high:
        yield low
        yield high
        low += 1
        high -= 1


def two_yields(a, b):
    s = 0.0
    for k in both_ends(len(a)):
        s += a[k]
    return s


def two_yields_by_hand(a, b):
    s = 0.0
    low, high = 0, len(a) - 1
    while low < high:
        s += a[low]
        s += a[high]
        low += 1
        high -= 1
    return s


def fibonacci(n):
    x, y = 0, 1
    while x < n:
        yield x
        x, y = y, x + y


def short_ones(a, b):
    s = 0
    for k in range(3000):
        for x in fibonacci(b[k]):
            s += x
    return s


def short_ones_by_hand(a, b):
    s = 0
    for k in range(3000):
        n = b[k]
        x, y = 0, 1
        while x < n:
            s += x
            x, y = y, x + y
    return s


GENERATORS = (selected, both_ends, fibonacci)
PAIRS: tuple[tuple[Function, Function], ...] = (
    (sum_of_squares, sum_of_squares_by_hand),
    (largest, largest_by_hand),
    (is_sorted, is_sorted_by_hand),
    (one_yield, one_yield_by_hand),
    (two_yields, two_yields_by_hand),
    (short_ones, short_ones_by_hand),
)


def compiled(function: Any, jit: Function) -> Any:  # Any: functions
    """A function that takes the values of compiled generators."""
    names = {**function.__globals__, **{one.__name__: jit(one) for one in GENERATORS}}
    return jit(FunctionType(function.__code__, names, function.__name__))


def main() -> None:
    """Measure and print."""
    options = parsed(parser(str(__doc__), rounds=61, quick=11))
    random = np.random.default_rng(1)
    args = random.random(SIZE), random.integers(1, 1000, SIZE)
    rows = []
    for fused, plain in PAIRS:
        kinds = {"fused": compiled(fused, cutaway.jit), "by hand": cutaway.jit(plain)}
        called = set(fused.__code__.co_names)
        if is_installed("numba") and any(one.__name__ in called for one in GENERATORS):
            import numba  # noqa: PLC0415  an extra

            kinds["numba"] = compiled(fused, numba.njit)
        runs = {name: lambda f=one: f(*args) for name, one in kinds.items()}
        for run in runs.values():
            run()
        seconds = interleaved(runs, options.rounds)
        by_hand, fast = seconds["by hand"], seconds["fused"]
        numba_by = f"{ratio(seconds['numba'], fast):.2f}" if "numba" in seconds else ""
        least = min(fast) / min(by_hand)
        rows.append((fused.__name__, f"{ratio(fast, by_hand):.3f}", f"{least:.3f}", numba_by))
    columns = ("loop", "median", "minima", "Numba by ours")
    show("Time with a generator by time without it", columns, rows)
    show_objects(options.rounds)


def upward(n):
    k = 0
    while k < n:
        yield k
        k += 1


@cutaway.jit
def counted(n):
    k = 0
    while k < n:
        yield k
        k += 1


@cutaway.jit
def taken_apart(n):
    values = counted(n)
    s = next(values, 0)
    for x in values:
        s += x
    return s


def show_objects(rounds: int) -> None:
    """Generators that are objects: what an item and what the object costs."""
    count, makers = 3000, {"compiled": counted, "Python": upward}
    if is_installed("numba"):
        import numba  # noqa: PLC0415  an extra

        makers["numba"] = numba.njit(upward)
    items = {name: lambda f=one: sum(f(count)) for name, one in makers.items()}
    items["compiled, by compiled code"] = lambda: taken_apart(count)
    objects = {name: lambda f=one: [f(1) for _ in range(100)] for name, one in makers.items()}
    for run in (*items.values(), *objects.values()):
        run()
    of_items, of_objects = interleaved(items, rounds), interleaved(objects, rounds)
    rows = [
        (
            name,
            f"{min(found) / count * 1e9:.1f}",
            f"{min(of_objects[name]) / 100 * 1e9:.0f}" if name in of_objects else "",
        )
        for name, found in of_items.items()
    ]
    show("Nanoseconds, minima", ("generator", "an item", "a call"), rows)


if __name__ == "__main__":
    main()
