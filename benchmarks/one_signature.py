"""What a call would cost through an entry that knows one signature alone.

    python benchmarks/one_signature.py [rounds]

The entries are C written by hand (`one_signature.c`, built with gcc), the best
that an entry compiled for a signature could be.  `docs/dispatch.md` says what came of it.  Times
are the least of interleaved runs, in nanoseconds, with the cost of an empty loop taken off.
"""

from __future__ import annotations

import importlib.util
import subprocess
import sys
import sysconfig
import tempfile
import timeit
from pathlib import Path
from types import ModuleType

import numpy as np
from harness import show

import cutaway

NUMBER = 3000
SOURCE = Path(__file__).with_name("one_signature.c")


def built(folder: str) -> ModuleType:
    """The hand-written entries, as a module."""
    library = Path(folder) / "one_signature.so"
    include = [f"-I{sysconfig.get_path('include')}", f"-I{np.get_include()}"]
    options = ["-O3", "-std=gnu11", "-fwrapv", "-fPIC", "-shared"]
    subprocess.run(["gcc", *options, *include, str(SOURCE), "-o", str(library)], check=True)
    spec = importlib.util.spec_from_file_location("one_signature", library)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def add(a, b):
    return a + b


def one(a):
    return 1


def three(a, b, c):
    return 1


# what is called, with which arguments, and the entries that do the same
CALLS = [
    ("add(int, int)", add, "(a, b)", ("nothing", "add", "add_in_line")),
    ("an array", one, "(v)", ("nothing", "line")),
    ("3 arrays", three, "(v, v, v)", ("nothing", "three_lines")),
]


def main(rounds: int = 200) -> None:
    """Print a row for each callable."""
    with tempfile.TemporaryDirectory() as folder:
        entries = built(folder)
    timers: dict[tuple[str, str], timeit.Timer] = {}
    for what, function, arguments, names in CALLS:
        callables = {name: getattr(entries, name) for name in names}
        callables["the dispatcher"] = cutaway.jit(function)
        for name, callable_ in callables.items():
            space = {"f": callable_, "a": 1, "b": 2, "v": np.zeros(10)}
            timers[what, name] = timer = timeit.Timer(f"f{arguments}", globals=space)
            timer.timeit(10)
    empty, least, base = timeit.Timer("pass"), dict.fromkeys(timers, float("inf")), float("inf")
    for _ in range(rounds):
        base = min(base, empty.timeit(NUMBER))
        for key, timer in timers.items():
            least[key] = min(least[key], timer.timeit(NUMBER))
    rows = []
    for (what, name), seconds in least.items():
        ours = least[what, "the dispatcher"] - base
        taken = (seconds - base) / NUMBER * 1e9
        rows.append((what, name, f"{taken:.1f}", f"{(seconds - base) / ours:.2f}"))
    show("Calls: ns", ("call", "entry", "least", "of the dispatcher"), rows)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
