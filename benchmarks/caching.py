"""What a cache on disk saves: the first call of a function in a process that did not compile it.

    python benchmarks/caching.py [--rounds N] [--quick] [--figures FILE]

Each measurement is a fresh process, the candidates in turn, with caches that are warm.  Times are
medians in milliseconds, the minimum in brackets, and are counted after the imports.
`decoration`: `@jit(cache=True)` itself.  The rows on library functions compile functions that use
ten of them: the first compilation in a process, with and without the library on disk, and then the
second one, of another function that uses the same ten.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from collected.figures import Figure, beside
from harness import hand_over, is_installed, parsed, parser, ratio, show

CACHED = """
import json, sys
from time import perf_counter as now
import numpy as np
started = now()
import {module} as compiler
jit = compiler.{decorator}
imported = now()
@jit(cache=True)
def add(x, y):
    return x + y
decorated = now()
@jit(cache=True)
def total(a):
    s = 0.0
    for x in a:
        s += x
    return s
@jit(cache=True)
def update(a, x, y):
    out = np.empty(x.shape[0])
    for i in range(x.shape[0]):
        out[i] = a * x[i] + y[i]
    return out
a = np.ones(100)
begun = now()
add(1, 2)
first = now()
total(a)
second = now()
update(2.0, a, a)
third = now()
print(json.dumps({{"import": imported - started, "decoration": decorated - imported,
    "first call, add": first - begun, "next function, loop": second - first,
    "next function, new array": third - second, "all three": third - begun}}))
"""

TEN = """
import json, math
from time import perf_counter as now
import numpy as np
import {module} as compiler
jit = compiler.{decorator}
@jit
def small(x):
    return x + 1
small(1)
@jit
def one(a, n):
    return (np.sum(a), np.mean(a), np.prod(a), np.max(a), np.min(a), np.arange(n)[1],
            np.linspace(0.0, 1.0, n)[1], np.eye(n)[1, 1], np.all(a), np.any(a))
@jit
def other(a, n):
    s = np.any(a) + np.all(a) + np.eye(n)[0, 1] + np.linspace(0.0, 1.0, n)[2] + np.arange(n)[2]
    return s + np.min(a) + np.max(a) + np.prod(a) + np.mean(a) + np.sum(a)
a = np.ones(10)
begun = now()
one(a, 5)
first = now()
other(a, 5)
second = now()
print(json.dumps({{"first compile, ten library calls": first - begun,
    "second compile, the same ten": second - first}}))
"""

DECORATORS = {"cutaway": "jit", "numba": "njit"}


def measure(program: str, module: str, folder: Path, **settings: str) -> dict[str, float]:
    """The seconds that a program in a fresh process reports."""
    path = folder / f"{module}.py" if not settings else folder / f"{module}_without.py"
    path = path.with_name(f"run_{path.name}")
    path.write_text(program.format(module=module, decorator=DECORATORS[module]))
    environment = {**os.environ, "XDG_CACHE_HOME": str(folder), **settings}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    done = subprocess.run(
        [sys.executable, str(path)], capture_output=True, text=True, env=environment, check=True
    )
    found: dict[str, float] = json.loads(done.stdout)
    return found


def collect(
    program: str, runs: dict[str, tuple[str, dict[str, str]]], rounds: int
) -> dict[str, dict[str, list[float]]]:
    """The seconds of each run by what was measured; the first round only fills the caches."""
    seconds: dict[str, dict[str, list[float]]] = {name: {} for name in runs}
    with tempfile.TemporaryDirectory() as folder:
        for number in range(rounds + 1):
            for name, (module, settings) in runs.items():
                found = measure(program, module, Path(folder), **settings)
                for what, value in found.items() if number else ():
                    seconds[name].setdefault(what, []).append(value)
    return seconds


def table(title: str, seconds: dict[str, dict[str, list[float]]]) -> None:
    """One row for what was measured, one column for each run, then ratios of ours to the last."""
    names = list(seconds)
    rows = []
    for what in seconds[names[0]]:
        row: list[object] = [what]
        for name in names:
            times = seconds[name][what]
            row.append(f"{statistics.median(times) * 1e3:.2f} [{min(times) * 1e3:.2f}]")
        row += [ratio(seconds[name][what], seconds[names[-1]][what]) for name in names[:-1]]
        rows.append(row)
    ratios = [f"{name} / {names[-1]}" for name in names[:-1]]
    show(title, ["milliseconds", *names, *ratios], rows)


def main() -> None:
    """Measure and print both tables."""
    options = parsed(parser("What a cache on disk saves.", 7, 3))
    ours = {"cutaway": ("cutaway", {})}
    theirs = {"numba": ("numba", {})} if is_installed("numba") else {}
    cached = collect(CACHED, ours | theirs, options.rounds)
    table("cache=True, in a later process", cached)
    off = {"no library cache": ("cutaway", {"CUTAWAY_LIBRARY_CACHE": "0"})}
    ten = collect(TEN, ours | off | theirs, options.rounds)
    table("ten library calls", ten)
    hand_over(figures(cached, ten), options)


def figures(
    cached: dict[str, dict[str, list[float]]], ten: dict[str, dict[str, list[float]]]
) -> list[Figure]:
    """What is to be held."""
    first = cached["cutaway"]["first call, add"]
    made = [Figure("caching.first_call", statistics.median(first) * 1e3, min(first) * 1e3)]
    for key, seconds, what in (
        ("caching.beside", cached, "first call, add"),
        ("caching.first_ten", ten, "first compile, ten library calls"),
        ("caching.second_ten", ten, "second compile, the same ten"),
    ):
        made.append(beside(key, seconds["cutaway"][what], seconds.get("numba", {}).get(what)))
    return made


if __name__ == "__main__":
    main()
