"""What a call costs, by the kind of its arguments and by its form.

    python benchmarks/dispatch.py [rounds] [words that the name of a row must contain]

Four callables take turns in one process: a compiled function, the reference's, the same function in
Python, and a C function of the standard library that takes any argument (`callable` for one,
`operator.is_` for two).  The cost of an empty loop is taken off.  Times are medians in nanoseconds,
with the minimum in brackets.  Functions that only take an argument return 1.
"""

from __future__ import annotations

import array
import enum
import operator
import statistics
import sys
import timeit
import warnings
from collections import namedtuple
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numba
import numpy as np
from harness import show

import cutaway

NUMBER = 10_000


def none():
    return 1


def one(a):
    return 1


def two(a, b):
    return 1


def three(a, b, c):
    return 1


def ten(a, b, c, d, e, f, g, h, i, j):
    return 1


def add(a, b):
    return a + b


def same(a):
    return a


def defaults(a=1, b=2, c=3):
    return 1


def star(*args):
    return 1


def nothing(a):
    return None


def pair(a):
    return a, a


def compare(a):
    return a > 0


def new_array(n):
    return np.empty(n)


def failing(a):
    raise ValueError


Point = namedtuple("Point", "x y")


class Color(enum.IntEnum):
    red = 1


RECORDS = np.zeros(3, [("x", "f8"), ("n", "i4")])
READ_ONLY = np.zeros(10)
READ_ONLY.flags.writeable = False
V, M = np.zeros(10), np.zeros((3, 4))
SCALARS = [np.dtype(letter).type(1) for letter in "bhilBHILfdFD?"]
# values of 26 types, the int last
TYPES = [*SCALARS[:3], *SCALARS[4:], V, M, M.T, M[:, ::2], V[::2], READ_ONLY, (1,), (1, 1), (1.0,)]
TYPES += [V.astype("f4"), V.astype("i8"), V.astype("i4"), None, 1j, 1]


@dataclass(frozen=True)
class Row:
    """A call: its name, the function, the arguments as an expression, and how to compile it.

    `goal` is the ratio to the reference that the project holds itself to, where there is one.
    """

    what: str
    function: Callable[..., Any]
    call: str
    values: tuple[Any, ...] = ()
    goal: float | None = None
    options: dict[str, Any] | None = None
    signature: str | None = None
    warm: tuple[Any, ...] = ()


def kind(what: str, value: Any, goal: float | None = None) -> Row:
    return Row(what, one, "f(a)", (value,), goal)


ROWS = [
    Row("no arguments", none, "f()"),
    kind("int", 1),
    kind("int 2**40", 2**40),
    kind("float", 1.0),
    kind("complex", 1j),
    kind("bool", True),
    kind("None", None),
    kind("np.int64", np.int64(1)),
    kind("np.float64", np.float64(1)),
    kind("np.complex128", np.complex128(1)),
    kind("np.bool_", np.bool_(True)),
    kind("np.datetime64", np.datetime64("2020-01-01", "D")),
    kind("np.dtype", np.dtype("f8")),
    kind("array 1d C", V, 0.15),
    kind("array 1d A", V[::2], 0.15),
    kind("array 2d C", M, 0.15),
    kind("array 2d F", M.T, 0.15),
    kind("array 2d A", M[:, ::2], 0.15),
    kind("array 0d", np.array(1.0)),
    kind("array 6d", np.zeros((1,) * 6)),
    kind("array read-only", READ_ONLY),
    kind("array bool", V > 0),
    kind("array datetime64", np.zeros(3, "M8[s]")),
    kind("array structured", RECORDS),
    kind("array U5", np.array(["a", "bcdef"])),
    kind("record", RECORDS[0]),
    kind("empty tuple", ()),
    kind("tuple (int, float)", (1, 2.0), 0.15),
    kind("tuple of 3 ints", (1, 2, 3), 0.15),
    kind("tuple (array, array)", (V, V)),
    kind("nested ((1, 2), (3.0, array))", ((1, 2), (3.0, V))),
    kind("named tuple (int, float)", Point(1, 2.0)),
    kind("range", range(3)),
    kind("slice", slice(1, 2)),
    kind("str, ascii", "text", 0.03),
    kind("str, not ascii", "tëxt", 0.03),
    kind("bytes", b"bytes"),
    kind("bytearray", bytearray(b"bytes")),
    kind("memoryview", memoryview(b"bytes")),
    kind("array.array", array.array("d", [1.0, 2.0])),
    kind("IntEnum member", Color.red),
    kind("class np.float64", np.float64),
    Row("compiled function", one, "f(g)", goal=0.02),
    Row("(int, int)", two, "f(1, 2)"),
    Row("(array, array)", two, "f(v, v)"),
    Row("(array, array, array)", three, "f(v, v, v)"),
    Row("10 ints", ten, "f(1, 2, 3, 4, 5, 6, 7, 8, 9, 10)"),
    Row("10 arrays", ten, "f(v, v, v, v, v, v, v, v, v, v)"),
    Row("add(int, int)", add, "f(1, 2)", goal=0.18),
    Row("add(float, float)", add, "f(1.0, 2.0)"),
    Row("f(a=1, b=2)", two, "f(a=1, b=2)", goal=0.12),
    Row("f(1, b=2)", two, "f(1, b=2)", goal=0.12),
    Row("1 default left out", defaults, "f(1, 2)"),
    Row("3 defaults left out", defaults, "f()"),
    Row("*args: none", star, "f()"),
    Row("*args: 1", star, "f(1)"),
    Row("*args: 3", star, "f(1, 2, 3)"),
    Row("26 types, the int last", one, "f(a)", (1,), warm=tuple(TYPES)),
    Row("6 types in turn", one, "f(a); f(b); f(c); f(d); f(e); f(g)", (1, 1.0, 1j, V, M, (1,))),
    Row("signature int64, an int", one, "f(1)", signature="int64(int64)"),
    Row("signature int64, a bool", one, "f(True)", signature="int64(int64)"),
    Row("signature float64, an int", one, "f(1)", signature="int64(float64)"),
    Row("nogil=True", one, "f(1)", options={"nogil": True}),
    Row("returns None", nothing, "f(1)"),
    Row("returns int", same, "f(1)"),
    Row("returns float", same, "f(1.0)"),
    Row("returns bool", compare, "f(1)"),
    Row("returns complex", same, "f(1j)"),
    Row("returns a tuple", pair, "f(1)"),
    Row("returns np.empty(3)", new_array, "f(3)"),
    Row("returns its array", same, "f(v)"),
    Row("raise and except", failing, "try: f(1)\nexcept ValueError: pass"),
]


def compiled(row: Row, jit: Callable[..., Any]) -> Any:
    options = row.options or {}
    function = jit(**options)(row.function) if options else None
    if row.signature:
        function = jit(row.signature, **options)(row.function)
    return function or jit(row.function)


def variants(row: Row) -> dict[str, Callable[[], Any]]:
    """What makes each of the callables."""
    made: dict[str, Callable[[], Any]] = {
        "cutaway": lambda: compiled(row, cutaway.jit),
        "numba": lambda: compiled(row, numba.njit),
        "python": lambda: row.function,
    }
    if row.call in ("f(a)", "f(1)", "f(v)", "f(1.0)", "f(g)"):
        made["builtin"] = lambda: callable
    elif row.function in (two, add) and "=" not in row.call:
        made["builtin"] = lambda: operator.is_
    return made


def timers(row: Row) -> dict[str, timeit.Timer]:
    """A timer for each of them that can make the call."""
    found = {}
    for name, make in variants(row).items():
        space = {"v": V, "m": M, **dict(zip("abcdeg", row.values))}
        if row.what == "compiled function":
            space["g"] = numba.njit(one) if name == "numba" else cutaway.jit(one)
        try:
            space["f"] = function = make()
            for value in row.warm:
                function(value)
            found[name] = timer = timeit.Timer(row.call, globals=space)
            timer.timeit(20)
        except Exception as error:  # this one cannot make the call: the row says so
            print(f"  {row.what}: {name}: {type(error).__name__}", file=sys.stderr)
            found.pop(name, None)
    return found


def measure(row: Row, rounds: int) -> dict[str, list[float]]:
    """Nanoseconds a call of each, round by round."""
    taken = timers(row)
    number = NUMBER // 10 if row.what.startswith("raise") else NUMBER
    calls = row.call.count("f(")
    empty = timeit.Timer("pass")
    times: dict[str, list[float]] = {name: [] for name in taken}
    for _ in range(rounds):
        base = empty.timeit(number)
        for name, timer in taken.items():
            times[name].append((timer.timeit(number) - base) / number / calls * 1e9)
    return times


def main(rounds: int = 15, *words: str) -> None:
    """Print the table, and the geometric mean of the ratios."""
    warnings.simplefilter("ignore")
    table, ratios = [], []
    for row in ROWS:
        if not all(word in row.what for word in words):
            continue
        times = measure(row, rounds)
        medians = {name: statistics.median(found) for name, found in times.items()}
        cells = [
            f"{medians[name]:.0f} ({min(times[name]):.0f})" if name in times else "-"
            for name in ("builtin", "python", "cutaway", "numba")
        ]
        of = [
            medians["cutaway"] / medians[name] if {"cutaway", name} <= set(times) else None
            for name in ("python", "numba")
        ]
        ratios += [of[1]] if of[1] else []
        shown = ["-" if ratio is None else f"{ratio:.2f}" for ratio in of]
        table.append((row.what, *cells, *shown, "" if row.goal is None else f"{row.goal:.2f}"))
    columns = ("call", "C builtin", "python", "cutaway", "numba", "of python", "of numba", "goal")
    show("Calls: ns, median and (minimum) of interleaved runs", columns, table)
    if ratios:
        mean = statistics.geometric_mean(ratios)
        print(f"{len(ratios)} rows, geometric mean {mean:.3f} of numba")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]), *sys.argv[2:])
