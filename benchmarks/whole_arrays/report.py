"""Tables, sums and verdicts from measured rows."""

from __future__ import annotations

import re
import statistics
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from collected.figures import MISSED, REACHED, Figure, Goal
from collected.goals import GOALS
from collected.tables import markdown

from whole_arrays.measuring import Key, Row
from whole_arrays.table import ALL, BY_HAND, FUNCTIONS, KERNELS

COMPILERS = ("numba", "jax", "cutaway")
OTHERS = ("numpy", "numba", "jax")
SLOWER = 0.95  # what is less than that times as fast is slower: the rest is noise

Rows = dict[Key, Row]


@dataclass(frozen=True)
class Held:
    """What Cutaway reaches of a goal; a kernel that it refuses reaches nothing."""

    key: str  # of the goal in `collected/goals.py`
    what: str
    rows: Rows
    value: float | None

    @property
    def goal(self) -> Goal:
        """The goal itself."""
        return GOALS[self.key]

    @property
    def compiled(self) -> int:
        """How many of the kernels Cutaway runs, with the right result."""
        return sum("cutaway" in row.median for row in self.rows.values())

    @property
    def is_reached(self) -> bool:
        """True if all kernels are compiled, and the value is within the limit."""
        within = self.value is not None and self.goal.holds(self.value)
        return within and self.compiled == len(self.rows)

    @property
    def of_all(self) -> str:
        """In how many kernels the value was reached."""
        return f"in {self.compiled} of {len(self.rows)} kernels"

    def verdict(self, by_minima: Held) -> str:
        """A line: what was reached, in how many kernels, and whether that is enough."""
        answer = REACHED if self.is_reached else MISSED
        values = f"{number(self.value)} (by minima {number(by_minima.value)})"
        return f"{values} {self.what}, {self.of_all} (goal: {self.goal.words}): {answer}"


def of(rows: Rows, groups: Iterable[str]) -> Rows:
    """The rows of some groups."""
    return {key: row for key, row in rows.items() if key[0] in groups}


def speed(row: Row, way: str, beside: str = "numpy") -> float | None:
    """How many times as fast as another way."""
    if way not in row.median or beside not in row.median:
        return None
    return row.median[beside] / row.median[way]


def of_best(row: Row) -> float | None:
    """Cutaway's speed as a share of the best of the others'."""
    best = min((row.median[way] for way in OTHERS if way in row.median), default=None)
    if best is None or "cutaway" not in row.median:
        return None
    return best / row.median["cutaway"]


def best_speed(row: Row) -> float | None:
    """The best of the others beside NumPy."""
    speeds = [speed(row, way) for way in OTHERS if way in row.median]
    return max((s for s in speeds if s is not None), default=None)


def number(value: float | None, digits: int = 3) -> str:
    """A number with few digits, or a dash."""
    if value is None:
        return "-"
    return f"{value:.{digits}g}" if value < 10**digits else f"{value:.0f}"


def micro(row: Row, way: str) -> str:
    """Median and minimum in microseconds; or in a word why there is none."""
    if way in row.median:
        return f"{number(row.median[way] * 1e6)} ({number(row.minimum[way] * 1e6)})"
    return re.split(":| in | with ", row.problems[way])[0] if way in row.problems else "-"


def notes(row: Row) -> str:
    """The problems of a row, short enough for a table."""
    said = (f"{way} {problem}" for way, problem in row.problems.items())
    return "; ".join(text if len(text) < 90 else text[:87] + "..." for text in said)


def kernels_table(rows: Rows) -> str:
    """Every kernel with its times, beside NumPy and beside the best."""
    columns = ["kernel", "n", "NumPy us (min)", "Numba", "JAX", "Cutaway"]
    columns += ["Numba x", "JAX x", "Cutaway x", "of best", "bits"]
    columns += ["first call s: Numba", "JAX", "Cutaway", "notes"]
    lines = []
    for (group, name), row in of(rows, KERNELS).items():
        times = [micro(row, way) for way in (*OTHERS, "cutaway")]
        speeds = [number(speed(row, way)) for way in COMPILERS]
        bits = "-" if row.bitwise is None else "same" if row.bitwise else "other"
        first = [number(row.first_call.get(way), 2) for way in COMPILERS]
        size = str(ALL[group, name].size)
        best = number(of_best(row))
        lines.append([f"{group}: {name}", size, *times, *speeds, best, bits, *first, notes(row)])
    return markdown(columns, lines, numbers=True)


def pairs_table(rows: Rows, groups: Iterable[str], ways: tuple[str, ...]) -> str:
    """Kernels in some ways, the last of which is Cutaway; its speed beside each of the others."""
    columns = ["kernel", "n", *(f"{way} us (min)" for way in ways)]
    columns += [*(f"x {way}" for way in ways[:-1]), "bits", "notes"]
    lines = []
    for (group, name), row in of(rows, groups).items():
        bits = "-" if row.bitwise is None else "same" if row.bitwise else "other"
        times = [micro(row, way) for way in ways]
        speeds = [number(speed(row, "cutaway", way)) for way in ways[:-1]]
        lines.append([name, str(ALL[group, name].size), *times, *speeds, bits, notes(row)])
    return markdown(columns, lines, numbers=True)


def known(rows: Rows, value: Callable[[Row], float | None]) -> list[float]:
    """The values of the rows that have one."""
    return [found for found in map(value, rows.values()) if found is not None]


def mean(values: list[float]) -> float | None:
    """The geometric mean."""
    return statistics.geometric_mean(values) if values else None


def sums(rows: Rows) -> dict[str, dict[str, float | None]]:
    """For each compiler, and for the best of the others, what its kernels come to."""
    rows = of(rows, KERNELS)
    made = {}
    for way in (*COMPILERS, "best of NumPy, Numba, JAX"):
        is_way = way in COMPILERS
        speeds = known(rows, (lambda row, w=way: speed(row, w)) if is_way else best_speed)
        first = known(rows, lambda row, w=way: row.first_call.get(w))
        made[way] = {
            "kernels": len(speeds),
            "mean": mean(speeds),
            "median": statistics.median(speeds) if speeds else None,
            "slower": sum(s < SLOWER for s in speeds),
            "first_call": statistics.median(first) if first else None,
        }
    return made


def sums_table(rows: Rows) -> str:
    """The sums, as a table."""
    columns = ["", "kernels", "geometric mean", "median", "slower than NumPy", "first call s"]
    return markdown(
        columns,
        (
            [
                way,
                f"{each['kernels']} of {len(of(rows, KERNELS))}",
                number(each["mean"]),
                number(each["median"]),
                str(each["slower"]),
                number(each["first_call"], 2),
            ]
            for way, each in sums(rows).items()
        ),
        numbers=True,
    )


def groups_table(rows: Rows) -> str:
    """Geometric means beside NumPy, group by group."""
    lines = []
    for group in KERNELS:
        own = of(rows, [group])
        if own:
            values = [known(own, lambda row, w=way: speed(row, w)) for way in COMPILERS]
            cells = [f"{number(mean(v))} ({len(v)})" for v in values]
            lines.append([f"{group} ({len(own)})", *cells, number(mean(known(own, best_speed)))])
    return markdown(
        ["group", "Numba x (kernels)", "JAX x", "Cutaway x", "best of three x"], lines, True
    )


def worst(values: list[float]) -> float | None:
    """The least of some values."""
    return min(values, default=None)


def goals(rows: Rows) -> list[Held]:
    """The goals, with what was reached."""
    kernels, pairs, functions = (of(rows, groups) for groups in (KERNELS, BY_HAND, FUNCTIONS))
    own = sums(rows)["cutaway"]
    beside_best = worst(known(kernels, of_best))
    longest = max(known(functions, lambda row: speed(row, "numpy", "cutaway")), default=None)
    beside_loops = worst(known(pairs, lambda row: speed(row, "cutaway", "loop")))
    return [
        Held("arrays.numpy", "times NumPy, geometric mean", kernels, own["mean"]),
        Held("arrays.slower", "slower than NumPy", kernels, own["slower"]),
        Held("arrays.best", "of the best of the others, worst", kernels, beside_best),
        Held("arrays.first_call", "s for the first call, median", kernels, own["first_call"]),
        Held("arrays.loop", "of a loop by hand, worst", pairs, beside_loops),
        Held("arrays.function", "of NumPy's time for a function, worst", functions, longest),
    ]


def by_minima(rows: Rows) -> Rows:
    """The rows with minima in the place of medians."""
    return {key: replace(row, median=row.minimum) for key, row in rows.items()}


def verdicts(rows: Rows) -> str:
    """What the goals are and if they are reached, a line for each."""
    both = zip(goals(rows), goals(by_minima(rows)))
    return "\n".join(f"- {held.verdict(least)}" for held, least in both if held.rows)


def figures(rows: Rows) -> list[Figure]:
    """The same as figures; that of a goal whose kernels are not all compiled says so."""
    made = []
    for held, least in zip(goals(rows), goals(by_minima(rows))):
        if held.value is None:
            made.append(Figure(held.key, why="no kernel of it ran"))
        else:
            where = deciding(held.key, held.rows)
            refused = len(held.rows) - held.compiled
            told = f"{where}{held.of_all}"
            made.append(Figure(held.key, held.value, least.value, told, refused=refused))
    return made


def deciding(key: str, rows: Rows) -> str:
    """The name of the kernel that a worst case is about."""
    values: dict[str, Callable[[Row], float | None]] = {
        "arrays.best": of_best,
        "arrays.loop": lambda row: speed(row, "cutaway", "loop"),
        "arrays.function": lambda row: speed(row, "cutaway"),
    }
    if key not in values:
        return ""
    found = {k[1]: value for k, row in rows.items() if (value := values[key](row)) is not None}
    return f"{min(found, key=found.__getitem__)}; "


def below(rows: Rows) -> str:
    """The kernels that keep a goal from being reached, by name and from the worst."""
    kernels, pairs, functions = (of(rows, groups) for groups in (KERNELS, BY_HAND, FUNCTIONS))
    named = [
        ("slower than NumPy", kernels, lambda row: speed(row, "cutaway"), SLOWER),
        ("below 0.8 of the best of the others", kernels, of_best, 0.8),
        ("below 0.9 of a loop", pairs, lambda row: speed(row, "cutaway", "loop"), 0.9),
        ("functions longer than NumPy's", functions, lambda row: speed(row, "cutaway"), 1 / 1.05),
    ]
    lines = []
    for what, some, value, limit in named:
        found = sorted((v, key[1]) for key, row in some.items() if (v := value(row)) is not None)
        told = ", ".join(f"{name} {number(v)}" for v, name in found if v < limit)
        if told:
            lines.append(f"- {what}: {told}")
    refused = [key[1] for key, row in rows.items() if "cutaway" not in row.median]
    return "\n".join([*lines, f"- not run by Cutaway: {', '.join(refused) or 'none'}"])
