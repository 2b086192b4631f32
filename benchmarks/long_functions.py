"""How compile time grows with the length of a function, in CPU seconds.

python benchmarks/long_functions.py [--rounds N] [--quick] [--figures FILE] [--json FILE]

Three kinds of long functions, each in sizes that double.  `growth` is the exponent over the last
two doublings: 1 where four times the code takes four times the time.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from time import process_time

from collected.figures import Figure
from harness import hand_over, parsed, parser, show

import cutaway


def ifs(count: int) -> str:
    """An `if` after another."""
    lines = "".join(f"    if x > {k}:\n        y += {k % 7 + 1}\n" for k in range(count))
    return f"def f(x):\n    y = 0\n{lines}    return y\n"


def assignments(count: int) -> str:
    """Statements of one block."""
    lines = "".join(f"    y = y * 3 + {k}\n" for k in range(count))
    return f"def f(x):\n    y = x\n{lines}    return y\n"


def loops(count: int) -> str:
    """A loop over an array after another."""
    lines = "".join(f"    for i in range(len(x)):\n        y += x[i] * {k}\n" for k in range(count))
    return f"def f(x):\n    y = 0.0\n{lines}    return y\n"


KINDS: dict[str, tuple[Callable[[int], str], str, tuple[int, ...]]] = {
    "ifs": (ifs, "(int64,)", (125, 250, 500, 1000)),
    "assignments": (assignments, "(int64,)", (375, 750, 1500, 3000)),
    "loops": (loops, "(float64[::1],)", (10, 20, 40, 80)),
}


def compiled(source: str, signature: str, rounds: int = 1) -> float:
    """The least CPU seconds of a compilation."""
    best = math.inf
    for _ in range(rounds):
        space: dict[str, Callable[..., object]] = {}
        exec(source, space)
        f = cutaway.jit(space["f"])
        started = process_time()
        f.compile(signature)
        best = min(best, process_time() - started)
    return best


def main() -> None:
    """Compile all, and print the table."""
    words = parser("Compile time by the length of a function.", 3, 2)
    words.add_argument("--json", type=Path, metavar="FILE", help="where all numbers go")
    options = parsed(words)
    compiled(ifs(3), "(int64,)")  # what is loaded once
    shown, found, grown = [], {}, {}
    for name, (source, signature, sizes) in KINDS.items():
        seconds = [compiled(source(size), signature, options.rounds) for size in sizes]
        found[name] = dict(zip(sizes, seconds, strict=True))
        grown[name] = growth = math.log2(seconds[-1] / seconds[-3]) / 2
        cells = [f"{size}: {took:.2f}" for size, took in zip(sizes, seconds, strict=True)]
        shown.append((name, *cells, growth))
    show("CPU seconds to compile", ("kind", "", "", "", "", "growth"), shown)
    if options.json:
        options.json.write_text(json.dumps(found, indent=1), encoding="utf-8")
    most = max(grown, key=grown.__getitem__)
    hand_over([Figure("long_functions.growth", grown[most], where=most)], options)


if __name__ == "__main__":
    main()
