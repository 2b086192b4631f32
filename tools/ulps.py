"""The largest errors of `library/polynomials`, measured: the table of `docs/vector_math.md`.

    python tools/ulps.py [COUNT] [NAME ...]

Beside the functions of NumPy for long doubles, which are off by a thousandth of a unit in the last
place of a double, so that many more places can be compared than with exact numbers.  Needs a
machine whose long doubles have 64 bits.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np

import cutaway
from cutaway.library.polynomials.table import ROWS

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from vector_math.places import in_domain, pairs, places  # noqa: E402  of the tests

Array = Any  # of NumPy


def main() -> None:
    """Print the table in Markdown."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    print("| function | float64: budget | measured | float32: budget | measured |")
    print("|---|---|---|---|---|")
    for name in sys.argv[2:] or sorted(ROWS):
        cells = []
        for dtype, budget in zip((np.float64, np.float32), ROWS[name].budgets, strict=True):
            cells += [str(budget), f"{largest(name, dtype, count):.3f}"]
        print(f"| `{name}` | {' | '.join(cells)} |", flush=True)


def largest(name: str, dtype: Any, count: int) -> float:
    """The largest distance of a function, in units in the last place."""
    function, rng = getattr(np, name), np.random.default_rng(count)
    with np.errstate(all="ignore"):
        if ROWS[name].arity == 1:
            args: tuple[Array, ...] = (in_domain(name, places(name, dtype, count, rng)),)
            found = cutaway.jit(lambda a: function(a), vector_math=True)(*args)
        else:
            args = pairs(name, dtype, count, rng)
            found = cutaway.jit(lambda a, b: function(a, b), vector_math=True)(*args)
        exact = function(*(arg.astype(np.longdouble) for arg in args))
        return float(distances(found, exact, dtype).max())


def distances(found: Array, exact: Array, dtype: Any) -> Array:
    """The distances of all elements; beyond the largest float stands the next power of two."""
    info = np.finfo(dtype)
    top = np.ldexp(np.longdouble(1), info.maxexp)
    exact = np.clip(exact, -top, top)
    given = np.clip(found.astype(np.longdouble), -top, top)
    exponents = np.clip(np.frexp(np.abs(exact))[1] - 1, info.minexp, info.maxexp - 1)
    return np.abs(given - exact) / np.ldexp(np.longdouble(1), exponents - info.nmant)


if __name__ == "__main__":
    main()
