"""How fast compiled kernels run, beside the reference; and what bounds checks cost.

python benchmarks/kernels.py [rounds]
"""

from __future__ import annotations

import statistics
import sys

import numba
from harness import interleaved, ratio, show

import cutaway
from programs import kernels


def main(rounds: int = 41) -> None:
    """Time every kernel in interleaved rounds of one process."""
    rows = []
    speed, checks = [], []
    for function, arguments in kernels():
        compiled = {
            "cutaway": cutaway.jit(function),
            "unchecked": cutaway.jit(boundscheck=False)(function),
            "numba": numba.njit(function),
        }
        runs = {name: lambda f=f: f(*arguments) for name, f in compiled.items()}
        for run in runs.values():
            run()
        seconds = interleaved(runs, rounds)
        faster = 1 / ratio(seconds["cutaway"], seconds["numba"])
        cost = ratio(seconds["cutaway"], seconds["unchecked"])
        speed.append(faster)
        checks.append(cost)
        cells = [f"{statistics.median(s) * 1e6:.1f} ({min(s) * 1e6:.1f})" for s in seconds.values()]
        rows.append((function.__name__, *cells, faster, cost))
    means = statistics.geometric_mean(speed), statistics.geometric_mean(checks)
    rows.append(("geometric mean", "", "", "", *means))
    columns = (
        "kernel",
        "cutaway us (min)",
        "unchecked",
        "numba",
        "times as fast as numba",
        "cost of checks",
    )
    show("Kernels: median and minimum of interleaved runs", columns, rows)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
