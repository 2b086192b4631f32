"""What object mode costs: ordinary Python programs beside the interpreter and Numba's object mode.

    python benchmarks/object_mode.py [--rounds N] [--quick] [--pythons]

`jit(forceobj=True)` has calls of the C API where the interpreter has instructions that it adapts to
what they meet, so that it could be slower than what it replaces.  Each row is an ordinary function
that uses one feature many times, and that nobody tuned.  It is compared with the same function in
the interpreter that runs this file, and with Numba where that is installed.  What Numba does not
compile, or gets wrong, has no time.  First calls, which compile, are timed as well.

With `jit(forceobj=True)` both take loops out and compile them as machine numbers where they can.
That is not object mode, and integers may overflow.  So goals are set with `looplift=False`, which
leaves everything in object mode; with lifted loops both have columns of their own, and functions
with a loop over numbers among objects are a group.

`--pythons` also runs this file under the other Pythons that have a virtual environment in the
repository (`.venv*`), and puts their ratios side by side.  Only the Python that was started is
compared with Numba.

Everything that a function calls is left as it is, but for the function itself and for generators:
these are compiled too.
"""

from __future__ import annotations

import contextlib
import json
import statistics
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import process_time
from types import FunctionType
from typing import Any

import numpy as np
from harness import interleaved, is_installed, parsed, parser, ratio, show

import cutaway

Function = Callable[..., Any]
Pair = tuple[float, float]  # a ratio by medians and by minima

ARITHMETIC, ATTRIBUTES = "arithmetic and loops", "attributes and methods"
CALLS, CONTAINERS = "calls", "containers and strings"
MIXED = "a loop over numbers among objects"
GOALS = {ARITHMETIC: 1.0, ATTRIBUTES: 0.8, CALLS: 0.8, CONTAINERS: 0.8}  # times as fast as CPython
NUMBA_GOAL = 2.5  # times as fast as its object mode
COMPILING_GOAL = 0.25  # of its compile time
OURS, LIFTED = "ours", "ours, loops lifted"
SMALL = 3  # what a first call is given, so that it does little but compile


@dataclass(frozen=True)
class Kernel:
    """A program and its size, which takes the interpreter some milliseconds."""

    group: str
    function: Function
    size: int

    @property
    def name(self) -> str:
        return self.function.__name__


# --- arithmetic and loops -----------------------------------------------------------------------


def while_loop(n):
    k = s = 0
    while k < n:
        s += k & 7
        k += 1
    return s


def range_sum(n):
    s = 0
    for k in range(n):
        s += k
    return s


def float_loop(n):
    x = 0.3
    for _ in range(n):
        x = 3.7 * x * (1.0 - x)
    return x


def mixed_numbers(n):
    s = 0.0
    for k in range(n):
        s = s + k * 0.5 - k // 3
    return s


def comparisons(n):
    low, high = n // 4, n // 2
    count = 0
    for k in range(n):
        if low < k <= high and k != 1000:
            count += 1
        elif k == n - 1 or k >= n:
            count -= 1
    return count


def big_integers(n):
    x, y = 1, 1
    for k in range(n):
        x, y = y, x + y + k
        if y > 1 << 300:
            y = y % 1_000_003 + (x >> 200)
    return y


def comprehension(n):
    return len([k * k for k in range(n) if k % 3])


def sieve(n):
    prime = [True] * (n + 1)
    for k in range(2, n + 1):
        if prime[k]:
            for j in range(k * k, n + 1, k):
                prime[j] = False
    return sum(prime)


def nested_loops(n):
    s = 0
    for i in range(n):
        for j in range(i):
            s += i - j
    return s


def collatz(n):
    longest = 0
    for start in range(1, n):
        k, steps = start, 0
        while k != 1:
            k = k // 2 if k % 2 == 0 else 3 * k + 1
            steps += 1
        if steps > longest:
            longest = steps
    return longest


# --- attributes and methods ---------------------------------------------------------------------


class Point:
    """A point of the plane, without anything special."""

    def __init__(self, x, y):
        self.x = x
        self.y = y

    def shifted(self, by):
        return self.x + by

    @property
    def norm(self):
        return self.x + self.y


class Slotted:
    """A point without a dictionary."""

    __slots__ = ("x", "y")

    def __init__(self, x, y):
        self.x = x
        self.y = y


def attribute_reads(n):
    point = Point(1, 2)
    s = 0
    for _ in range(n):
        s += point.x + point.y
    return s


def attribute_writes(n):
    point = Point(1, 2)
    for k in range(n):
        point.x = k
        point.y = point.x
    return point.y


def method_calls(n):
    point = Point(1, 2)
    s = 0
    for k in range(n):
        s += point.shifted(k)
    return s


def properties(n):
    point = Point(1, 2)
    s = 0
    for _ in range(n):
        s += point.norm
    return s


def slots(n):
    point = Slotted(1, 2)
    for k in range(n):
        point.x = point.y + k
    return point.x


def instances(n):
    s = 0
    for k in range(n):
        s += Point(k, 1).x
    return s


# --- calls --------------------------------------------------------------------------------------


def increased(x, by=1):
    return x + by


def builtin_calls(n):
    items = [1, 2, 3]
    s = 0
    for k in range(n):
        if isinstance(k, int):
            s += abs(len(items) - k)
    return s


def function_calls(n):
    s = 0
    for k in range(n):
        s = increased(s, k)
    return s


def recursion(n):
    if n < 2:
        return n
    return recursion(n - 1) + recursion(n - 2)


def keyword_calls(n):
    s = 0
    for k in range(n):
        s = increased(x=s, by=k)
    return s


def closures(n):
    total = 0

    def add(k):
        nonlocal total
        total += k

    for k in range(n):
        add(k)
    return total


def lambda_keys(n):
    largest = 0
    for k in range(n):
        largest += max((k, 7, -k), key=lambda x: -x)
    return largest


# --- containers and strings ---------------------------------------------------------------------


def list_appends(n):
    items = []
    for k in range(n):
        items.append(k)
    return len(items)


def list_indices(n):
    items = [0] * 16
    for k in range(n):
        items[k & 15] = items[k - 1 & 15] + 1
    return items


def dict_counts(n):
    counts = {}
    for k in range(n):
        key = k % 17
        counts[key] = counts.get(key, 0) + 1
    return counts


def set_members(n):
    known = set(range(0, 100, 3))
    count = 0
    for k in range(n):
        if k % 100 in known:
            count += 1
    return count


def tuple_unpacking(n):
    pairs = [(k, k + 1) for k in range(100)]
    s = 0
    for _ in range(n):
        for x, y in pairs:
            x, y = y, x
            s += x - y
    return s


def string_building(n):
    text = ""
    for _ in range(n):
        text += "ab"
        text += "c"
    return len(text)


def f_strings(n):
    count = 0
    for k in range(n):
        count += len(f"{k} of {n}: {k:4d}")
    return count


def sorted_words(n):
    words = ["pear", "Fig", "apple", "Kiwi", "date", "Lime", "plum"]
    found = ""
    for _ in range(n):
        found = sorted(words, key=str.lower)[2]
    return found


def slicing(n):
    items = list(range(20))
    s = 0
    for k in range(n):
        part = items[k % 10 : 15]
        s += len(part) + part[-1]
    return s


def waiting_handler(n):
    s = 0
    for k in range(n):
        try:
            s += k
        except ValueError:
            s -= 1
    return s


def handled_exceptions(n):
    s = 0
    for k in range(n):
        try:
            s += 10 // (k % 4)
        except ZeroDivisionError:
            s -= 1
    return s


def upward(n):
    k = 0
    while k < n:
        yield k
        k += 1


def generator_items(n):
    s = 0
    for k in upward(n):
        s += k
    return s


def generator_expression(n):
    return sum(k * k for k in range(n) if k % 3)


class Counted:
    """A context manager that counts."""

    def __init__(self):
        self.count = 0

    def __enter__(self):
        self.count += 1
        return self

    def __exit__(self, *about):
        return None


def with_statements(n):
    counted = Counted()
    for _ in range(n):
        with counted as inside:
            inside.count += 1
    return counted.count


# --- a loop over numbers among objects ----------------------------------------------------------


class Log:
    """Keeps lines."""

    def __init__(self):
        self.lines = []

    def add(self, line):
        self.lines.append(line)


def summed_and_logged(n):
    log = Log()
    values = np.arange(float(n))
    total = 0.0
    for k in range(len(values)):
        total += values[k] * values[k]
    log.add(f"total: {total:.3f}")
    return log.lines


def rows_of_words(n):
    found = {}
    for word in ("one", "two", "three"):
        s = 0
        for k in range(n):
            s += k % 7
        found[word] = s
    return found


def many_short_loops(n):
    found = []
    for k in range(n):
        s = 0.0
        for j in range(20):
            s += j * 0.5
        found.append([s, k])
    return len(found)


# --- measuring ----------------------------------------------------------------------------------

GENERATORS = (upward,)
KERNELS = (
    Kernel(ARITHMETIC, while_loop, 40_000),
    Kernel(ARITHMETIC, range_sum, 80_000),
    Kernel(ARITHMETIC, float_loop, 50_000),
    Kernel(ARITHMETIC, mixed_numbers, 30_000),
    Kernel(ARITHMETIC, comparisons, 50_000),
    Kernel(ARITHMETIC, big_integers, 20_000),
    Kernel(ARITHMETIC, comprehension, 40_000),
    Kernel(ARITHMETIC, sieve, 30_000),
    Kernel(ARITHMETIC, nested_loops, 300),
    Kernel(ARITHMETIC, collatz, 500),
    Kernel(ATTRIBUTES, attribute_reads, 50_000),
    Kernel(ATTRIBUTES, attribute_writes, 50_000),
    Kernel(ATTRIBUTES, method_calls, 30_000),
    Kernel(ATTRIBUTES, properties, 30_000),
    Kernel(ATTRIBUTES, slots, 50_000),
    Kernel(ATTRIBUTES, instances, 10_000),
    Kernel(CALLS, builtin_calls, 30_000),
    Kernel(CALLS, function_calls, 40_000),
    Kernel(CALLS, recursion, 22),
    Kernel(CALLS, keyword_calls, 40_000),
    Kernel(CALLS, closures, 40_000),
    Kernel(CALLS, lambda_keys, 8_000),
    Kernel(CONTAINERS, list_appends, 60_000),
    Kernel(CONTAINERS, list_indices, 30_000),
    Kernel(CONTAINERS, dict_counts, 30_000),
    Kernel(CONTAINERS, set_members, 50_000),
    Kernel(CONTAINERS, tuple_unpacking, 500),
    Kernel(CONTAINERS, string_building, 20_000),
    Kernel(CONTAINERS, f_strings, 8_000),
    Kernel(CONTAINERS, sorted_words, 4_000),
    Kernel(CONTAINERS, slicing, 20_000),
    Kernel(CONTAINERS, waiting_handler, 80_000),
    Kernel(CONTAINERS, handled_exceptions, 10_000),
    Kernel(CONTAINERS, generator_items, 40_000),
    Kernel(CONTAINERS, generator_expression, 40_000),
    Kernel(CONTAINERS, with_statements, 15_000),
    Kernel(MIXED, summed_and_logged, 50_000),
    Kernel(MIXED, rows_of_words, 20_000),
    Kernel(MIXED, many_short_loops, 3_000),
)


@dataclass
class Measured:
    """Seconds of one kernel, by who runs it and by who compiles it."""

    kernel: Kernel
    running: dict[str, list[float]]
    compiling: dict[str, list[float]]
    failures: dict[str, str]  # why something of Numba's has no times

    def speed(self, than: str, ours_is: str = "ours") -> Pair | None:
        """How many times as fast as another."""
        ours, theirs = self.running.get(ours_is), self.running.get(than)
        if not ours:
            return None
        return (ratio(theirs, ours), min(theirs) / min(ours)) if theirs else None

    def compile_time(self, beside: str, ours_is: str = "ours") -> Pair | None:
        """As a multiple of another's."""
        ours, theirs = self.compiling.get(ours_is), self.compiling.get(beside)
        if not ours:
            return None
        return (ratio(ours, theirs), min(ours) / min(theirs)) if theirs else None


def compiled(function: Any, jit: Function) -> Any:  # Any: functions
    """A function that calls itself, and generators, as compiled ones."""
    names = dict(function.__globals__)
    for one in GENERATORS:
        if one.__name__ in function.__code__.co_names:
            names[one.__name__] = jit(one)
    copied = FunctionType(function.__code__, names, function.__name__)
    copied.__module__ = None  # type: ignore[assignment]  or Numba looks names up in this module
    made = names[function.__name__] = jit(copied)
    return made


def compilers() -> dict[str, Function]:
    """Decorators by name."""
    found = {OURS: cutaway.jit(forceobj=True, looplift=False), LIFTED: cutaway.jit(forceobj=True)}
    if is_installed("numba"):
        import numba  # noqa: PLC0415  an extra

        found["numba"] = numba.jit(forceobj=True, looplift=False)
        found["lifted"] = numba.jit(forceobj=True)
    return found


def failure(kernel: Kernel, jit: Function) -> str:
    """Why what a compiler makes of a kernel cannot be timed."""
    with contextlib.redirect_stderr(None):
        try:
            result = compiled(kernel.function, jit)(kernel.size)
        except Exception as error:  # noqa: BLE001  whatever it fails with
            return type(error).__name__
    return "" if result == kernel.function(kernel.size) else "other result"


def first_call(kernel: Kernel, jit: Function) -> float:
    """Seconds until a fresh function has run once."""
    started = process_time()
    compiled(kernel.function, jit)(SMALL)
    return process_time() - started


def measured(kernel: Kernel, jits: Mapping[str, Function], rounds: int) -> Measured:
    """Run and compile one kernel in all ways."""
    failures = {name: failure(kernel, jit) for name, jit in jits.items()}
    if failures[OURS]:
        raise AssertionError(f"{kernel.name}: {failures[OURS]}")
    able = {name: jit for name, jit in jits.items() if not failures[name]}
    functions = {name: compiled(kernel.function, jit) for name, jit in able.items()}
    functions["python"] = kernel.function
    runs = {name: lambda f=one: f(kernel.size) for name, one in functions.items()}
    for run in (*runs.values(), *runs.values()):
        run()  # the interpreter adapts its instructions meanwhile
    compiling = {name: lambda j=jit: first_call(kernel, j) for name, jit in able.items()}
    return Measured(
        kernel,
        interleaved(runs, rounds),
        interleaved(compiling, max(2, rounds // 6)),
        failures,
    )


# --- tables -------------------------------------------------------------------------------------


def short(number: float) -> str:
    return f"{number:.2f}" if number >= 0.095 else f"{number:.1g}"


def pair(found: Pair | None, lacking: str = "") -> str:
    """A ratio by medians and by minima."""
    return f"{short(found[0])} ({short(found[1])})" if found else lacking


def means(every: Iterable[Pair]) -> Pair:
    """The geometric means of ratios."""
    medians, minima = zip(*every, strict=True)
    return statistics.geometric_mean(medians), statistics.geometric_mean(minima)


def misses(found: Pair | None, goal: float, low: bool = False) -> bool:
    """True if medians or minima miss a goal: one of them may be luck."""
    if found is None:
        return False
    return max(found) > goal if low else min(found) < goal


def show_kernels(rows: Sequence[Measured]) -> None:
    """A row for each kernel."""
    cells = []
    for row in rows:
        python, numba = map(row.speed, ("python", "numba"))
        lifted = row.speed("python", LIFTED), row.speed("lifted", LIFTED)
        below = ["CPython"] * misses(python, GOALS.get(row.kernel.group, 0.0))
        below += ["Numba"] * misses(numba, NUMBA_GOAL)
        ours, theirs = (f"{min(row.running[name]) * 1e3:.2f}" for name in ("ours", "python"))
        why = [row.failures.get(name, "-") for name in ("numba", LIFTED, "lifted")]
        speeds = (pair(python), *map(pair, (numba, *lifted), why))
        cells.append((row.kernel.name, theirs, ours, *speeds, ", ".join(below)))
    lifted_columns = ("loops lifted, x CPython", "x Numba")
    columns = ("kernel", "Python ms", "ours ms", "x CPython", "x Numba", *lifted_columns)
    show("Times as fast, by medians (by minima)", (*columns, "below its goal beside"), cells)


def summary(
    label: str, goal: float, found: Mapping[str, Pair | None], low: bool = False
) -> tuple[object, ...]:
    """The mean and the worst of ratios."""
    ratios = {name: one for name, one in found.items() if one}
    limit = f"at {'most' if low else 'least'} {goal:g}"
    if not ratios:
        return (label, limit, "not measured", "", "", "")
    name = (max if low else min)(ratios, key=lambda name: ratios[name][1])
    mean = means(ratios.values())
    missed = sum(misses(one, goal, low) for one in ratios.values())
    verdict = "missed" if misses(mean, goal, low) else "reached"
    worst = f"{name} {pair(ratios[name])}"
    return (label, limit, pair(mean), verdict, worst, f"{missed} of {len(ratios)}")


def show_goals(rows: Sequence[Measured]) -> None:
    """Geometric means of groups with their goals."""
    cells = []
    for group, goal in GOALS.items():
        own = [row for row in rows if row.kernel.group == group]
        found = {row.kernel.name: row.speed("python") for row in own}
        cells.append(summary(f"{group}, x CPython", goal, found))
    for group in GOALS:
        own = [row for row in rows if row.kernel.group == group]
        found = {row.kernel.name: row.speed("numba") for row in own}
        cells.append(summary(f"{group}, x Numba", NUMBA_GOAL, found))
    found = {row.kernel.name: row.speed("numba") for row in rows}
    cells.append(summary("all, x Numba", NUMBA_GOAL, found))
    found = {row.kernel.name: row.speed("lifted", LIFTED) for row in rows}
    cells.append(summary("all, x Numba, loops lifted", 1.0, found))
    for name, ours, what in (("numba", OURS, ""), ("lifted", LIFTED, ", loops lifted")):
        found = {row.kernel.name: row.compile_time(name, ours) for row in rows}
        label = f"compiling, of Numba's time{what}"
        cells.append(summary(label, COMPILING_GOAL, found, low=True))
    columns = ("", "goal", "geometric mean", "verdict", "worst, by minima", "rows that miss it")
    show("Goals, by medians (by minima)", columns, cells)


def show_compiling(rows: Sequence[Measured]) -> None:
    """Milliseconds of first calls."""
    cells = []
    for row in rows:
        times = [
            f"{statistics.median(seconds) * 1e3:.1f} ({min(seconds) * 1e3:.1f})"
            if (seconds := row.compiling.get(name))
            else row.failures.get(name, "-")
            for name in (OURS, "numba", LIFTED, "lifted")
        ]
        ratios = pair(row.compile_time("numba")), pair(row.compile_time("lifted", LIFTED))
        cells.append((row.kernel.name, *times, *ratios))
    lifted = ("loops lifted: ours ms", "Numba ms")
    columns = ("kernel", "ours ms", "Numba ms", *lifted, "of Numba's", "of Numba's, lifted")
    show("First calls, which compile: medians (minima)", columns, cells)


# --- other Pythons ------------------------------------------------------------------------------

Ratios = dict[str, Pair]
VERSION = "import sys, cutaway, rich; print('%d.%d' % sys.version_info[:2])"


def this_version() -> str:
    """The version of the Python that runs this, as `VERSION` has it."""
    return f"{sys.version_info[0]}.{sys.version_info[1]}"


def others() -> dict[str, Path]:
    """Interpreters of other versions beside this file's repository, by version."""
    found = {}
    for path in sorted(Path(__file__).parents[1].glob(".venv*/bin/python")):
        done = subprocess.run([path, "-c", VERSION], capture_output=True, text=True)
        version = done.stdout.strip()
        if done.returncode == 0 and version != this_version():
            found.setdefault(version, path)
    return found


def ratios_under(python: Path, rounds: int) -> Ratios:
    """The ratios that this file finds when another Python runs it."""
    with tempfile.TemporaryDirectory(prefix="object_mode") as made:
        target = Path(made) / "ratios.json"
        command = [python, __file__, "--rounds", str(rounds), "--ratios", target]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        found: Ratios = json.loads(target.read_text(encoding="utf-8"))
    return found


def show_pythons(found: Mapping[str, Ratios]) -> None:
    """Ratios to CPython, a column for each version."""
    cells = []
    for group, goal in GOALS.items():
        names = [kernel.name for kernel in KERNELS if kernel.group == group]
        cells += [(name, *(pair(ratios[name]) for ratios in found.values())) for name in names]
        each = (means(ratios[name] for name in names) for ratios in found.values())
        cells.append((f"{group}, mean; goal {goal:g}", *map(pair, each)))
        worst = (min(names, key=lambda name: ratios[name][1]) for ratios in found.values())
        cells.append(("  worst, by minima", *worst))
    versions = [f"CPython {version}" for version in found]
    show("Times as fast as CPython, by medians (by minima)", ("kernel", *versions), cells)


def main() -> None:
    """Measure and print."""
    warnings.simplefilter("ignore")
    made = parser(str(__doc__), rounds=31, quick=7)
    made.add_argument("--pythons", action="store_true", help="other versions of Python as well")
    made.add_argument("--ratios", type=Path, metavar="FILE", help="where ratios go, as JSON")
    options = parsed(made)
    jits = compilers()
    for jit in jits.values():
        first_call(KERNELS[0], jit)  # what happens once in a process
    rows = [measured(kernel, jits, options.rounds) for kernel in KERNELS]
    speeds = ((row.kernel.name, row.speed("python")) for row in rows)
    ratios: Ratios = {name: found for name, found in speeds if found}
    if options.ratios:
        options.ratios.write_text(json.dumps(ratios), encoding="utf-8")
    show_kernels(rows)
    show_compiling(rows)
    show_goals(rows)
    if options.pythons:
        found = {version: ratios_under(path, options.rounds) for version, path in others().items()}
        show_pythons(dict(sorted({this_version(): ratios, **found}.items())))


if __name__ == "__main__":
    main()
