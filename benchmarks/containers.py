"""How fast lists, dicts and sets are: beside CPython, Numba, and C++ at -O3.

    python benchmarks/containers.py [--only NAME ...] [--rounds N] [--quick] [--figures FILE]
        [--write FILE]

The programs are in `container_programs.py`. All ways of one run in interleaved rounds of one
process. C++ has `std::vector` and abseil's `flat_hash_map`; programs that are not written in C++,
and all where there is no g++ or no abseil, have no such time. `--write` leaves the table as text.
"""

from __future__ import annotations

import builtins
import copy
import ctypes
import inspect
import json
import math
import shutil
import statistics
import subprocess
import sys
import tempfile
import textwrap
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from collected import machine
from collected.figures import Figure, spread
from container_programs import PROGRAMS, Program
from harness import hand_over, interleaved, is_installed, parsed, parser, show, slices

import cutaway

CROSSING = ("compile", "take", "return", "change")  # what only a compiled function has to do
HURRIED = 3  # with --quick each program after so many
Seconds = dict[str, list[float]]
WAYS = ("ours", "CPython", "Numba", "C++")


def main() -> None:
    """Measure what is asked for, and print the tables."""
    words = parser("Lists, dicts and sets beside CPython, Numba and C++.", 9, 3)
    words.add_argument("--only", nargs="+", metavar="NAME", choices=list(PROGRAMS))
    words.add_argument("--write", type=Path, metavar="FILE", help="where the table goes, as text")
    options = parsed(words)
    chosen = options.only or list(PROGRAMS)[:: HURRIED if options.quick else 1]
    compiled, why = in_cpp([PROGRAMS[name] for name in chosen])
    rows = {name: measured(PROGRAMS[name], compiled, options.rounds) for name in chosen}
    if not options.only:
        rows |= compilations(options.rounds)
    lines = report(rows, why)
    if options.write:
        options.write.write_text(lines, encoding="utf-8")
    hand_over(figures(rows), options)


# --- the other ways -------------------------------------------------------------------------------


def in_cpp(programs: Sequence[Program]) -> tuple[ctypes.CDLL | None, str]:
    """The programs that are written in C++, as a library; None and why where there is none."""
    if shutil.which("g++") is None:
        return None, "g++ is not installed"
    folder = Path(tempfile.mkdtemp(prefix="containers"))
    source, target = folder / "containers.cpp", folder / "containers.so"
    parts = [CPP_HEAD]
    for one in programs:
        if one.cpp:
            returns = "double" if "double s" in one.cpp or "vector<double> v" in one.cpp else "long"
            parts.append(f"{returns} {cpp_name(one)}({parameters(one)}) {{ {one.cpp} }}\n")
    source.write_text("".join(parts) + "}\n", encoding="utf-8")
    flags = ["-O3", "-DNDEBUG", "-march=native", "-std=c++17", "-fPIC", "-shared", "-w"]
    parts = [f"-labsl_{part}" for part in ("raw_hash_set", "hash", "city", "low_level_hash")]
    done = subprocess.run(
        ["g++", *flags, "-o", target, source, *parts], capture_output=True, text=True
    )
    if done.returncode:
        return None, done.stderr.splitlines()[0]
    return ctypes.CDLL(str(target)), ""


CPP_HEAD = """#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>
#include <algorithm>
#include <vector>
typedef absl::flat_hash_map<long, long> Table;
extern "C" {
"""


def cpp_name(one: Program) -> str:
    """The name of a program's function in C++."""
    return "run_" + "".join(letter if letter.isalnum() else "_" for letter in one.name)


def parameters(one: Program) -> str:
    """The parameters of a program's function in C++."""
    kinds = {"f": "double", "i": "long"}
    args = one.make(np.random.default_rng(3))
    return ", ".join(
        f"{kinds[arg.dtype.kind]} *p{k}, long n{k}" if isinstance(arg, np.ndarray)
        else f"{'double' if isinstance(arg, float) else 'long'} p{k}"
        for k, arg in enumerate(args)
    )  # fmt: skip


def cpp_call(one: Program, compiled: ctypes.CDLL, args: tuple[Any, ...]) -> Callable[[], Any]:
    """A function without arguments that calls the one in C++."""
    function = getattr(compiled, cpp_name(one))
    is_double = "double s" in one.cpp or "vector<double> v" in one.cpp
    function.restype = ctypes.c_double if is_double else ctypes.c_long
    words: list[Any] = []
    for arg in args:
        if isinstance(arg, np.ndarray):
            words += [ctypes.c_void_p(arg.ctypes.data), ctypes.c_long(arg.size)]
        else:
            words.append(ctypes.c_double(arg) if isinstance(arg, float) else ctypes.c_long(arg))
    return lambda kept=args: function(*words)  # C++ reads their memory


def in_numba(one: Program) -> Callable[..., Any] | None:
    """A program as Numba compiles it; None where it does not."""
    if one.numba is None or not is_installed("numba"):
        return None
    import numba
    from numba import types
    from numba.typed import Dict

    text = textwrap.dedent(inspect.getsource(one.function))
    for before, after in one.numba:
        text = text.replace(before, after)
    scope = {**vars(types), **vars(builtins), "Dict": Dict, "np": np, "float": float, "int": int}
    exec(compile(text[text.index("def ") :], one.name, "exec"), scope)  # noqa: S102
    return numba.njit(scope[one.function.__name__])


# --- measuring ------------------------------------------------------------------------------------


def measured(one: Program, compiled: ctypes.CDLL | None, rounds: int) -> tuple[Seconds, str]:
    """Seconds of an operation in each way, and in words what is wrong with ours."""
    ways = {"ours": cutaway.jit(one.function), "CPython": one.function, "Numba": in_numba(one)}
    expected = one.function(*copy.deepcopy(one.make(np.random.default_rng(3))))
    runs, problem = {}, ""
    warnings.simplefilter("ignore")
    for way, function in ways.items():
        args = one.make(np.random.default_rng(3))
        if function is None:
            continue
        try:
            found = function(*copy.deepcopy(args))
        except Exception as error:  # noqa: BLE001  what a compiler cannot do is a row
            problem = problem or f"{way}: {type(error).__name__}"
            continue
        if way == "ours" and found != expected:
            problem = "wrong"
        runs[way] = slices(lambda function=function, args=args: function(*args), 2e-3)
    if compiled is not None and one.cpp:
        call = cpp_call(one, compiled, one.make(np.random.default_rng(3)))
        if not math.isclose(call(), expected, rel_tol=1e-9):
            problem = problem or "C++: another result"
        runs["C++"] = slices(call, 2e-3)
    seconds = interleaved(runs, rounds)
    scale = {way: 1 / (runs[way].count * one.operations) for way in runs}
    return {way: [s * scale[way] for s in seconds[way]] for way in runs}, problem


COMPILING = """
import json, sys
from time import process_time as now
module = __import__(sys.argv[1])
if sys.argv[1] == "numba":
    from numba import int64, float64, njit as jit
    from numba.typed import Dict
else:
    from cutaway import jit
def loop(n):
    total = 0
    for k in range(n):
        total += k
    return total
{functions}
if sys.argv[2] != "alone":
    jit(loop)(3)
seconds = []
for function in (first, second):
    started = now()
    jit(function)(3)
    seconds.append(now() - started)
print(json.dumps(seconds))
"""
PAIR = """
def first(n):
    d = {int}
    for k in range(n):
        d[k] = d.get(k, 0) + 1
    return len(d)
def second(n):
    d = {float}
    for k in range(n):
        d[k] = d.get(k, 0.0) + 0.5
    return len(d)
"""
EMPTY = {
    "cutaway": {"int": "{}", "float": "{}"},
    "numba": {"int": "Dict.empty(int64, int64)", "float": "Dict.empty(int64, float64)"},
}


def compilations(rounds: int) -> dict[str, tuple[Seconds, str]]:
    """Seconds of compiling the first and the second function with a dict, in fresh processes."""
    rows: dict[str, tuple[Seconds, str]] = {}
    for when in ("alone", "after a loop"):
        found: dict[str, list[list[float]]] = {}
        for turn in range(rounds + 1):
            for module, words in EMPTY.items():
                if not is_installed(module):
                    continue
                script = COMPILING.format(functions=PAIR.format(**words))
                command = [sys.executable, "-c", script, module, when]
                done = subprocess.run(command, capture_output=True, text=True, check=True)
                if turn:  # the first one fills caches of files
                    way = "ours" if module == "cutaway" else "Numba"
                    found.setdefault(way, []).append(json.loads(done.stdout))
        for k, label in enumerate(("first", "second")):
            seconds = {way: [one[k] for one in each] for way, each in found.items()}
            rows[f"compile the {label} dict, {when}"] = (seconds, "")
    return rows


# --- what comes of it -----------------------------------------------------------------------------


def ratios(rows: dict[str, tuple[Seconds, str]], way: str) -> dict[str, tuple[float, float]]:
    """The time of another way as a multiple of ours, by medians and by minima."""
    return {
        name: tuple(of(seconds[way]) / of(seconds["ours"]) for of in (statistics.median, min))
        for name, (seconds, _) in rows.items()
        if {way, "ours"} <= seconds.keys()
        and not name.startswith("compile" if way == "Numba" else CROSSING)
    }


def report(rows: dict[str, tuple[Seconds, str]], why: str) -> str:
    """Print times and ratios; return them as text."""
    shown = []
    for name, (seconds, problem) in rows.items():
        scale = 1e3 if name.startswith("compile") else 1e9
        least = {way: min(each) for way, each in seconds.items()}
        times = [f"{least[way] * scale:.3g}" if way in least else "-" for way in WAYS]
        others = [
            f"{least[way] / least['ours']:.2f}" if {way, "ours"} <= least.keys() else "-"
            for way in WAYS[1:]
        ]
        shown.append((name, *times, *others, problem))
    columns = ("program", *WAYS, *(f"x {way}" for way in WAYS[1:]), "")
    show(
        "Containers: ns an operation (compile: ms), others' time by ours, by minima", columns, shown
    )
    if why:
        print(f"No times of C++: {why}")
    described = ", ".join(f"{key} {value}" for key, value in machine.machine().items())
    lines = ["# Lists, dicts and sets", "", "Written by `benchmarks/containers.py`. Least times of"]
    lines += [
        "interleaved rounds: ns an operation, ms to compile; then the others' time by ours.",
        "",
    ]
    lines += [f"Measured on {described}.", *([f"No times of C++: {why}."] if why else []), ""]
    lines += ["| " + " | ".join(columns) + " |", "| --- |" + " ---: |" * (len(columns) - 1)]
    lines += ["| " + " | ".join(row) + " |" for row in shown]
    return "\n".join(lines) + "\n"


def figures(rows: dict[str, tuple[Seconds, str]]) -> list[Figure]:
    """The figures to hold."""

    def nanoseconds(key: str, name: str) -> Figure:
        seconds = rows.get(name, ({}, ""))[0].get("ours")
        if not seconds:
            return Figure(key, why=f"`{name}` was not measured")
        return Figure(key, statistics.median(seconds) * 1e9, min(seconds) * 1e9)

    wrong = [name for name, (_, problem) in rows.items() if problem == "wrong"]
    of_cpp = {name: (1 / a, 1 / b) for name, (a, b) in ratios(rows, "C++").items()}
    return [
        spread("containers.numba", ratios(rows, "Numba"), "mean", "high"),
        spread("containers.python_worst", ratios(rows, "CPython"), "worst", "high"),
        spread("containers.cpp", of_cpp, why="there is no g++ or no abseil"),
        nanoseconds("containers.count_small", "count, 1e3 keys"),
        nanoseconds("containers.count_large", "count, 1e6 keys"),
        nanoseconds("containers.iterate", "iterate"),
        nanoseconds("containers.append", "append"),
        nanoseconds("containers.argument", "take_floats"),
        nanoseconds("containers.result", "return_floats"),
        Figure("containers.wrong", len(wrong), where=", ".join(wrong) or f"of {len(rows)}"),
    ]


if __name__ == "__main__":
    main()
