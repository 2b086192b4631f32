"""What a call costs, by the kind of its arguments and by its form.

    python benchmarks/dispatch.py [--rounds N] [--only WORDS ...] [--quick] [--instructions]
                                  [--figures FILE]

Four callables take turns in one process: a compiled function, the reference's, the same function in
Python, and a C function of the standard library that takes any argument (`callable` for one,
`operator.is_` for two).  The cost of an empty loop is taken off.  Times are medians of the
processor's time in nanoseconds, with the minimum in brackets.  Functions that only take an argument
return 1.  `--only`: rows whose names contain all the words.  `--instructions` counts instructions
in the rows with goals.
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
from dataclasses import dataclass, replace
from time import process_time
from typing import Any

import numpy as np
from collected.counting import Counter, Counts, counted
from collected.figures import Figure, beside, worst
from harness import counting_parser, hand_over, is_installed, parsed, show

import cutaway

if is_installed("numba"):
    import numba
else:
    numba = None

NUMBER = 10_000
COUNTED = 1_000  # calls whose instructions are counted
ONE_ARRAY, TEN_ARRAYS = "array 1d C", "10 arrays"


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

    `figure` is what the row is part of, where there is a goal for it.
    """

    what: str
    function: Callable[..., Any]
    call: str
    values: tuple[Any, ...] = ()
    figure: str = ""
    options: dict[str, Any] | None = None
    signature: str | None = None
    warm: tuple[Any, ...] = ()


def kind(what: str, value: Any, figure: str = "") -> Row:
    return Row(what, one, "f(a)", (value,), figure)


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
    kind("array 1d C", V, "array"),
    kind("array 1d A", V[::2], "arrays"),
    kind("array 2d C", M, "arrays"),
    kind("array 2d F", M.T, "arrays"),
    kind("array 2d A", M[:, ::2], "arrays"),
    kind("array 0d", np.array(1.0)),
    kind("array 6d", np.zeros((1,) * 6)),
    kind("array read-only", READ_ONLY),
    kind("array bool", V > 0),
    kind("array datetime64", np.zeros(3, "M8[s]")),
    kind("array structured", RECORDS),
    kind("array U5", np.array(["a", "bcdef"])),
    kind("record", RECORDS[0]),
    kind("empty tuple", ()),
    kind("tuple (int, float)", (1, 2.0), "tuple"),
    kind("tuple of 3 ints", (1, 2, 3), "tuple"),
    kind("tuple (array, array)", (V, V)),
    kind("nested ((1, 2), (3.0, array))", ((1, 2), (3.0, V))),
    kind("named tuple (int, float)", Point(1, 2.0)),
    kind("range", range(3)),
    kind("slice", slice(1, 2)),
    kind("str, ascii", "text", "str"),
    kind("str, not ascii", "tëxt", "str"),
    kind("bytes", b"bytes"),
    kind("bytearray", bytearray(b"bytes")),
    kind("memoryview", memoryview(b"bytes")),
    kind("array.array", array.array("d", [1.0, 2.0])),
    kind("IntEnum member", Color.red),
    kind("class np.float64", np.float64),
    Row("compiled function", one, "f(g)", figure="function"),
    Row("(int, int)", two, "f(1, 2)"),
    Row("(array, array)", two, "f(v, v)"),
    Row("(array, array, array)", three, "f(v, v, v)"),
    Row("10 ints", ten, "f(1, 2, 3, 4, 5, 6, 7, 8, 9, 10)"),
    Row("10 arrays", ten, "f(v, v, v, v, v, v, v, v, v, v)", figure="further_array"),
    Row("add(int, int)", add, "f(1, 2)", figure="add"),
    Row("add(float, float)", add, "f(1.0, 2.0)"),
    Row("f(a=1, b=2)", two, "f(a=1, b=2)", figure="keyword"),
    Row("f(1, b=2)", two, "f(1, b=2)", figure="keyword"),
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
        "python": lambda: row.function,
    }
    if numba:
        made["numba"] = lambda: compiled(row, numba.njit)
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
            found[name] = timer = timeit.Timer(row.call, timer=process_time, globals=space)
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
    empty = timeit.Timer("pass", timer=process_time)
    times: dict[str, list[float]] = {name: [] for name in taken}
    for _ in range(rounds):
        base = empty.timeit(number)
        for name, timer in taken.items():
            times[name].append((timer.timeit(number) - base) / number / calls * 1e9)
    return times


def main() -> None:
    """Print the table, the geometric mean of the ratios, and the figures to hold."""
    warnings.simplefilter("ignore")
    words = counting_parser("What a call costs.", 15, 5)
    words.add_argument("--only", nargs="+", default=[], metavar="WORDS")
    options = parsed(words)
    rows = [row for row in ROWS if all(word in row.what for word in options.only)]
    if options.counting:
        count(rows, Counter(options.counting))
        return
    found = {row.what: measure(row, options.rounds) for row in rows}
    shown(rows, found)
    only = ["--only", *options.only] if options.only else []
    counts = counted(__file__, only) if options.instructions else Counts()
    hand_over(figures(rows, found, counts), options)


def shown(rows: list[Row], found: dict[str, dict[str, list[float]]]) -> None:
    """Print the table."""
    table, ratios = [], []
    for row in rows:
        times = found[row.what]
        medians = {name: statistics.median(each) for name, each in times.items()}
        cells = [
            f"{medians[name]:.0f} ({min(times[name]):.0f})" if name in times else "-"
            for name in ("builtin", "python", "cutaway", "numba")
        ]
        of = [
            medians["cutaway"] / medians[name] if {"cutaway", name} <= set(times) else None
            for name in ("python", "numba")
        ]
        ratios += [of[1]] if of[1] else []
        table.append((row.what, *cells, *("-" if one is None else f"{one:.2f}" for one in of)))
    columns = ("call", "C builtin", "python", "cutaway", "numba", "of python", "of numba")
    show("Calls: ns, median and (minimum) of interleaved runs", columns, table)
    if ratios:
        mean = statistics.geometric_mean(ratios)
        print(f"{len(ratios)} rows, geometric mean {mean:.3f} of numba")


def count(rows: list[Row], counter: Counter) -> None:
    """Count the instructions of the calls that goals are for, by callables that are warm."""
    empty = timeit.Timer("pass")
    counter.count("empty", lambda: empty.timeit(COUNTED))
    for row in rows:
        for name, timer in timers(row).items() if row.figure else ():
            timer.timeit(100)
            counter.count(f"{row.what}: {name}", lambda timer=timer: timer.timeit(COUNTED))


def instructions(counts: Counts, what: str) -> dict[str, float]:
    """The instructions of a call in each way that was counted; ours first."""
    empty = counts.numbers.get("empty", 0)
    return {
        name: (counts.numbers[label] - empty) / COUNTED
        for name in ("cutaway", "numba", "python", "builtin")
        if (label := f"{what}: {name}") in counts.numbers
    }


def in_words(each: dict[str, float]) -> str:
    """Our instructions, and in brackets those of the others."""
    if "cutaway" not in each:
        return ""
    others = ", ".join(f"{name} {number:.0f}" for name, number in each.items() if name != "cutaway")
    return f"{each['cutaway']:.0f} ({others})"


def figures(
    rows: list[Row], found: dict[str, dict[str, list[float]]], counts: Counts
) -> list[Figure]:
    """What is to be held; only of rows that were measured."""
    parts: dict[str, dict[str, Figure]] = {}
    told = {row.what: in_words(instructions(counts, row.what)) for row in rows}
    for row in rows:
        if row.figure and row.figure != "further_array":
            one = figure(f"dispatch.{row.figure}", found[row.what], "numba", told[row.what])
            parts.setdefault(one.key, {})[row.what] = one
    made = [worst(each) if len(each) > 1 else next(iter(each.values())) for each in parts.values()]
    if "add(int, int)" in found:
        add = "add(int, int)"
        made.append(figure("dispatch.add_in_python", found[add], "python", told[add]))
    if {ONE_ARRAY, TEN_ARRAYS} <= set(found):
        made.append(further(found[ONE_ARRAY], found[TEN_ARRAYS], counts))
    returning = {
        what: each["cutaway"]
        for what, each in found.items()
        if "cutaway" in each and not what.startswith("raise")
    }
    if returning:
        slowest = max(returning, key=lambda what: statistics.median(returning[what]))
        times = returning[slowest]
        made.append(Figure("dispatch.longest", statistics.median(times), min(times), where=slowest))
    return made


def figure(key: str, times: dict[str, list[float]], way: str, instructions: str = "") -> Figure:
    """Our time beside that of another way."""
    if "cutaway" not in times:
        return Figure(key, why="it does not compile", refused=1)
    why = "Numba is not installed" if numba is None else f"{way} cannot make the call"
    one = beside(key, times["cutaway"], times.get(way))
    return replace(one, instructions=instructions) if one.values else Figure(key, why=why)


def further(first: dict[str, list[float]], tenth: dict[str, list[float]], counts: Counts) -> Figure:
    """What nine more arrays add to a call with one, beside what they add to the reference's."""
    if "numba" not in first:
        return Figure("dispatch.further_array", why="Numba is not installed")
    added = {
        way: [(of(tenth[way]) - of(first[way])) / 9 for of in (statistics.median, min)]
        for way in ("cutaway", "numba")
    }
    where = f"{added['cutaway'][0]:.1f} and {added['numba'][0]:.1f} ns"
    one, ten = (instructions(counts, what) for what in (ONE_ARRAY, TEN_ARRAYS))
    each = {way: (ten[way] - one[way]) / 9 for way in ("cutaway", "numba") if way in ten}
    parts = [ours / theirs for ours, theirs in zip(added["cutaway"], added["numba"], strict=True)]
    return Figure("dispatch.further_array", *parts, where, in_words(each))


if __name__ == "__main__":
    main()
