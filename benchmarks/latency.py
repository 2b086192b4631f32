"""How long it takes until something runs: import, first and second compilation.

    python benchmarks/latency.py [rounds]

Each measurement is a fresh process, the two compilers in turn.  `first`: the first compilation
in the process, after the import.  `second`: of the same function for another signature.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
from pathlib import Path

from harness import ratio, show

HERE = Path(__file__).parent

PROBE = """
import json, sys
from time import perf_counter as now
import numpy as np
sys.path.insert(0, {here!r})
started = now()
import {module} as compiler
jit = compiler.{decorator}
imported = now() - started
import programs
def helper(x, y):
    return x * y + 1
def caller(x, y):
    return helper(x, y) + helper(y, x)
programs.helper = helper
calls = {{
    "add": (programs.add, (1, 2), (1.5, 2)),
    "loop": (programs.loop, (10,), (np.int32(10),)),
    "sum": (programs.total, (np.zeros(3),), (np.zeros(3, np.float32),)),
    "mandelbrot": (
        programs.mandelbrot,
        (np.zeros((2, 2)), -2.0, 1.0, -1.0, 1.0, 5),
        (np.zeros((2, 2), np.int64), -2.0, 1.0, -1.0, 1.0, 5),
    ),
    "nested calls": (caller, (1, 2), (1.5, 2)),
    "vectorize": (programs.add, ["float64(float64, float64)"], ["float32(float32, float32)"]),
    "guvectorize": (
        programs.store_dot,
        ["void(float64[:], float64[:], float64[:])"],
        ["void(float32[:], float32[:], float32[:])"],
    ),
}}
function, first, second = calls[{what!r}]
if function is caller:
    helper = jit(helper)
compiled = jit(function)
if {what!r} == "vectorize":
    compiled = lambda signature: compiler.vectorize([signature])(function)
elif {what!r} == "guvectorize":
    compiled = lambda signature: compiler.guvectorize([signature], "(n),(n)->()")(function)
started = now()
compiled(*first)
middle = now()
compiled(*second)
ended = now()
print(json.dumps([imported, middle - started, ended - middle]))
"""
MODULES = {"cutaway": "jit", "numba": "njit"}
WHAT = ("add", "loop", "sum", "mandelbrot", "nested calls", "vectorize", "guvectorize")


def probe(module: str, what: str) -> list[float]:
    """Seconds of the import, the first and the second compilation in a fresh process."""
    script = PROBE.format(here=str(HERE), module=module, decorator=MODULES[module], what=what)
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    return json.loads(done.stdout)


def main(rounds: int = 7) -> None:
    """Measure everything in interleaved rounds."""
    rows = []
    imports: dict[str, list[float]] = {name: [] for name in MODULES}
    for what in WHAT:
        found: dict[str, list[list[float]]] = {name: [] for name in MODULES}
        for name in MODULES:
            probe(name, what)  # so that files are in memory and bytecode is cached
        for _ in range(rounds):
            for name in MODULES:
                found[name].append(probe(name, what))
        for name in MODULES:
            imports[name] += [f[0] for f in found[name]]
        for label, k in (("first", 1), ("second", 2)):
            rows.append(_row(f"{what}, {label}", {n: [f[k] for f in found[n]] for n in MODULES}))
    rows.insert(0, _row("import beyond NumPy", imports))
    columns = ("", "cutaway ms (min)", "numba ms (min)", "of numba")
    show("Latency: median and minimum over fresh processes", columns, rows)


def _row(label: str, seconds: dict[str, list[float]]) -> tuple[object, ...]:
    cells = [f"{statistics.median(s) * 1e3:.1f} ({min(s) * 1e3:.1f})" for s in seconds.values()]
    return (label, *cells, ratio(seconds["cutaway"], seconds["numba"]))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
