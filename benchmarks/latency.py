"""How long it takes until something runs: import, first and second compilation.

    python benchmarks/latency.py [--rounds N] [--quick] [--figures FILE]

Each measurement is a fresh process, the two compilers in turn.  `first`: the first compilation
in the process, after the import.  `second`: of the same function for another signature.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
from pathlib import Path

from collected.figures import Figure, beside
from collected.goals import GOALS
from harness import hand_over, is_installed, parsed, parser, ratio, show

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
    "update": (
        programs.update,
        (2.0, np.zeros(3), np.zeros(3)),
        (np.float32(2.0), np.zeros(3, np.float32), np.zeros(3, np.float32)),
    ),
    "reductions": (programs.reductions, (np.zeros(3),), (np.zeros(3, np.float32),)),
    "expression": (
        programs.expression,
        (np.zeros(3), np.zeros(3)),
        (np.zeros(3, np.float32), np.zeros(3, np.float32)),
    ),
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
WHAT = ("add", "loop", "sum", "update", "reductions", "expression", "mandelbrot")
WHAT += ("nested calls", "vectorize", "guvectorize")


def probe(module: str, what: str) -> list[float]:
    """Seconds of the import, the first and the second compilation in a fresh process."""
    script = PROBE.format(here=str(HERE), module=module, decorator=MODULES[module], what=what)
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    return json.loads(done.stdout)


def main() -> None:
    """Measure everything in interleaved rounds."""
    options = parsed(parser("How long it takes until something runs.", 7, 3))
    modules = [name for name in MODULES if is_installed(name)]
    figures, rows = {}, []
    imports: dict[str, list[float]] = {name: [] for name in modules}
    for what in WHAT[:6] if options.quick else WHAT:
        found: dict[str, list[list[float]]] = {name: [] for name in modules}
        for name in modules:
            probe(name, what)  # so that files are in memory and bytecode is cached
        for _ in range(options.rounds):
            for name in modules:
                found[name].append(probe(name, what))
        for name in modules:
            imports[name] += [f[0] for f in found[name]]
        for label, k in (("first", 1), ("second", 2)):
            seconds = {n: [f[k] for f in found[n]] for n in modules}
            rows.append(_row(f"{what}, {label}", seconds))
            figures[f"latency.{label}_{what}"] = seconds
    rows.insert(0, _row("import beyond NumPy", imports))
    columns = ("", *(f"{name} ms (min)" for name in modules), "of numba")
    show("Latency: median and minimum over fresh processes", columns, rows)
    figures = {"latency.import": imports, **figures}
    hand_over((_figure(key, each) for key, each in figures.items() if key in GOALS), options)


def _figure(key: str, seconds: dict[str, list[float]]) -> Figure:
    return beside(key, seconds["cutaway"], seconds.get("numba"))


def _row(label: str, seconds: dict[str, list[float]]) -> tuple[object, ...]:
    cells = [f"{statistics.median(s) * 1e3:.1f} ({min(s) * 1e3:.1f})" for s in seconds.values()]
    compared = ratio(seconds["cutaway"], seconds["numba"]) if "numba" in seconds else "-"
    return (label, *cells, compared)


if __name__ == "__main__":
    main()
