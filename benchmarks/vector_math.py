"""Polynomials within loops beside NumPy's own loops: time for an element, and how often as fast.

python benchmarks/vector_math.py [--rounds N] [--only NAME ...] [--quick] [--figures FILE]

Each function is compiled twice, with `vector_math` and without, and runs in turn with NumPy.
"alone" is the function of an array into another one; "fused" is `f(a) * b + a`, for which NumPy
makes arrays.  A ratio above 1 says that polynomials are faster. Sizes are numbers of elements.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from statistics import median
from typing import Any

import numpy as np
from collected.figures import Figure
from harness import hand_over, interleaved, parsed, parser, slices

import cutaway
from cutaway.library.polynomials.table import ROWS

SIZES = (1_000, 100_000, 1_000_000)
DTYPES = (np.float64, np.float32)
HELD = ("exp", "log", "tanh", "sin", "cos")  # the functions that a goal is for
HELD_SIZE = 100_000  # of float64, alone


def main() -> None:
    """Print a table in Markdown."""
    words = parser("Polynomials beside NumPy's loops.", 9, 5)
    words.add_argument("--only", nargs="*", choices=sorted(ROWS))
    options = parsed(words)
    names = options.only or (HELD if options.quick else sorted(ROWS))
    sizes = " | ".join(f"{kind} {size:,}" for kind in ("alone", "fused") for size in SIZES)
    print("ns for an element with polynomials (NumPy / that, same code without them / that)\n")
    print(f"| function | {sizes} |")
    print("|---|" + "---|" * (2 * len(SIZES)))
    held: dict[str, list[float]] = {}
    for dtype in DTYPES[:1] if options.quick else DTYPES:
        for name in names:
            cells = cells_of(name, dtype, options.rounds, held)
            print(f"| {name} {dtype.__name__} | {' | '.join(cells)} |", flush=True)
    if held:
        hand_over([figure(held)], options)


def figure(held: dict[str, list[float]]) -> Figure:
    """The slowest of the functions that a goal is for."""
    name = max(held, key=lambda name: median(held[name]))
    return Figure("vector_math.element", median(held[name]) * 1e9, min(held[name]) * 1e9, name)


def cells_of(name: str, dtype: Any, rounds: int, held: dict[str, list[float]]) -> Iterator[str]:
    """The cells of one row; seconds for an element go to `held`.  (Any: a dtype.)"""
    for kind, program in (("alone", alone(name)), ("fused", fused(name))):
        ways = {
            "vectors": cutaway.jit(vector_math=True)(program),
            "loops": cutaway.jit(program),
            "numpy": program,
        }
        for size in SIZES:
            seconds = measured(ways, arguments(dtype, size), size, rounds)
            yield cell(seconds)
            if (kind, dtype, size) == ("alone", np.float64, HELD_SIZE) and name in HELD:
                held[name] = seconds["vectors"]


def arguments(dtype: Any, size: int) -> tuple[Any, ...]:  # Any: a dtype, arrays
    """Two arrays of numbers that all functions take, and one for results."""
    rng = np.random.default_rng(size)
    a, b = rng.uniform(0.01, 0.99, (2, size)).astype(dtype)
    return a, b, np.empty(size, dtype)


def measured(
    ways: dict[str, Callable[..., object]], args: Any, size: int, rounds: int
) -> dict[str, list[float]]:
    """Seconds for an element in each way, in interleaved rounds.  (Any: arrays.)"""
    runs = {}
    for way, function in ways.items():
        function(*args)
        runs[way] = slices(lambda function=function: function(*args))
    seconds = interleaved(runs, rounds)
    return {way: [one / runs[way].count / size for one in seconds[way]] for way in runs}


def cell(seconds: dict[str, list[float]]) -> str:
    """The time of the first way, and how many times as long the others take."""
    each = {way: median(found) for way, found in seconds.items()}
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
