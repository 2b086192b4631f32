"""How fast functions of NumPy run in compiled code, beside the reference.

python benchmarks/library.py [rounds]
"""

from __future__ import annotations

import statistics
import sys

import numba
import numpy as np
from harness import interleaved, ratio, show

import cutaway

RANDOM = np.random.default_rng(5)
SIZE = 100_000
X, Y = RANDOM.random(SIZE), RANDOM.random(SIZE)
TRUTH = X > 0.5
COUNTS = RANDOM.integers(0, 1000, SIZE)
SORTED = np.sort(X)
TABLE = RANDOM.random((300, 300))

CASES = {
    "where": (lambda c, x, y: np.where(c, x, y), (TRUTH, X, Y)),
    "clip": (lambda x: np.clip(x, 0.25, 0.75), (X,)),
    "sort": (lambda x: np.sort(x), (X,)),
    "sort integers": (lambda x: np.sort(x), (COUNTS,)),
    "argsort": (lambda x: np.argsort(x), (X,)),
    "searchsorted": (lambda s, x: np.searchsorted(s, x), (SORTED, X)),
    "unique": (lambda x: np.unique(x), (COUNTS,)),
    "bincount": (lambda x: np.bincount(x), (COUNTS,)),
    "histogram": (lambda x: np.histogram(x, 50, (0.0, 1.0)), (X,)),
    "cumsum": (lambda x: np.cumsum(x), (X,)),
    "diff": (lambda x: np.diff(x), (X,)),
    "nonzero": (lambda c: np.nonzero(c), (TRUTH,)),
    "median": (lambda x: np.median(x), (X,)),
    "percentile": (lambda x: np.percentile(x, 30.0), (X,)),
    "var": (lambda x: np.var(x), (X,)),
    "argmax": (lambda x: np.argmax(x), (X,)),
    "concatenate": (lambda x, y: np.concatenate((x, y)), (X, Y)),
    "repeat": (lambda x: np.repeat(x, 3), (X,)),
    "roll": (lambda x: np.roll(x, 7), (X,)),
    "take": (lambda x, k: np.take(x, k), (X, COUNTS)),
    "interp": (lambda x, s, y: np.interp(x, s[::100], y[::100]), (X, SORTED, Y)),
    "nansum": (lambda x: np.nansum(x), (X,)),
    "outer": (lambda x, y: np.outer(x, y), (X[:300], Y[:300])),
    "triu": (lambda a: np.triu(a), (TABLE,)),
}


def main(rounds: int = 21) -> None:
    """Time every function in interleaved rounds of one process."""
    rows, speed = [], []
    for name, (function, arguments) in CASES.items():
        runs = {}
        for maker, jit in (("cutaway", cutaway.jit), ("numba", numba.njit)):
            compiled = jit(function)
            runs[maker] = lambda f=compiled, a=arguments: f(*a)
            runs[maker]()
        seconds = interleaved(runs, rounds)
        faster = 1 / ratio(seconds["cutaway"], seconds["numba"])
        speed.append(faster)
        cells = [f"{statistics.median(s) * 1e6:.1f} ({min(s) * 1e6:.1f})" for s in seconds.values()]
        rows.append((name, *cells, faster))
    rows.append(("geometric mean", "", "", statistics.geometric_mean(speed)))
    columns = ("function", "cutaway us (min)", "numba", "times as fast as numba")
    show("Functions of NumPy: median and minimum of interleaved runs", columns, rows)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
