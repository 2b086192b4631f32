"""Polynomials within loops beside NumPy's own loops: time for an element, and how often as fast.

python benchmarks/vector_math.py [--rounds N] [--only NAME ...]

Each function is compiled twice, with `vector_math` and without, and runs in turn with NumPy.
"alone" is the function of an array into another one; "fused" is `f(a) * b + a`, for which NumPy
makes arrays.  A ratio above 1 says that polynomials are faster. Sizes are numbers of elements.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from statistics import median
from typing import Any

import numpy as np
from harness import interleaved, slices

import cutaway
from cutaway.library.polynomials.table import ROWS

SIZES = (1_000, 100_000, 1_000_000)
DTYPES = (np.float64, np.float32)


def main() -> None:
    """Print a table in Markdown."""
    parser = argparse.ArgumentParser(description="Polynomials beside NumPy's loops.")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--only", nargs="*", default=sorted(ROWS))
    options = parser.parse_args()
    sizes = " | ".join(f"{kind} {size:,}" for kind in ("alone", "fused") for size in SIZES)
    print("ns for an element with polynomials (NumPy / that, same code without them / that)\n")
    print(f"| function | {sizes} |")
    print("|---|" + "---|" * (2 * len(SIZES)))
    for dtype in DTYPES:
        for name in options.only:
            cells = cells_of(name, dtype, options.rounds)
            print(f"| {name} {dtype.__name__} | {' | '.join(cells)} |", flush=True)


def cells_of(name: str, dtype: Any, rounds: int) -> Iterator[str]:  # Any: a dtype
    """The cells of one row."""
    for program in (alone(name), fused(name)):
        ways = {
            "vectors": cutaway.jit(vector_math=True)(program),
            "loops": cutaway.jit(program),
            "numpy": program,
        }
        for size in SIZES:
            yield cell(ways, arguments(dtype, size), size, rounds)


def arguments(dtype: Any, size: int) -> tuple[Any, ...]:  # Any: a dtype, arrays
    """Two arrays of numbers that all functions take, and one for results."""
    rng = np.random.default_rng(size)
    a, b = rng.uniform(0.01, 0.99, (2, size)).astype(dtype)
    return a, b, np.empty(size, dtype)


def cell(ways: dict[str, Callable[..., object]], args: Any, size: int, rounds: int) -> str:
    """The time of the first way, and how many times as long the others take."""
    runs = {}
    for way, function in ways.items():
        function(*args)
        runs[way] = slices(lambda function=function: function(*args))
    seconds = interleaved(runs, rounds)
    each = {way: median(seconds[way]) / runs[way].count / size for way in runs}
    ours = each["vectors"]
    return f"{ours * 1e9:.2f} ({each['numpy'] / ours:.2f}, {each['loops'] / ours:.2f})"


def alone(name: str) -> Callable[..., object]:
    """The function of an array, into another."""
    function = getattr(np, name)
    if ROWS[name].arity == 1:
        return lambda a, b, out: function(a, out)
    return lambda a, b, out: function(a, b, out)


def fused(name: str) -> Callable[..., object]:
    """An expression with the function in it."""
    function = getattr(np, name)

    def of_one(a: Any, b: Any, out: Any) -> None:  # Any: arrays
        out[:] = function(a) * b + a

    def of_two(a: Any, b: Any, out: Any) -> None:  # Any: arrays
        out[:] = function(a, b) * b + a

    return of_one if ROWS[name].arity == 1 else of_two


if __name__ == "__main__":
    main()
