"""The table of figures, whole and as the README has it, both made of the same stored data."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from collected.figures import MISSED, NOT_MEASURED, REACHED, Figure, Goal, verdict
from collected.goals import GOALS, SECTIONS

Stored = dict[str, Any]  # JSON: machine, runs, rows
BEGIN, END = "<!-- figures: begin -->", "<!-- figures: end -->"
HERE = "benchmarks/results/table.md"
OWN_LOAD = 1.6  # the most that benchmarks alone come to


def figure_of(row: Mapping[str, Any]) -> Figure:
    """The figure in a stored row."""
    names = ("key", "median", "minimum", "where", "instructions", "why", "refused")
    return Figure(**{name: row[name] for name in names})


def row_of(goal: Goal, figure: Figure) -> Stored:
    """A row as it is stored."""
    return {
        "key": goal.key,
        "what": goal.what,
        "goal": {"limit": goal.limit, "better": goal.better, "unit": goal.unit},
        "median": rounded(figure.median),
        "minimum": rounded(figure.minimum),
        "verdict": verdict(goal, figure),
        "where": figure.where,
        "instructions": figure.instructions,
        "why": figure.why,
        "refused": figure.refused,
    }


def rounded(value: float | None) -> float | None:
    """A value with six digits."""
    return None if value is None else float(f"{value:.6g}")


def number(goal: Goal, value: float) -> str:
    """A value with three digits, or as many as it takes not to look reached where it is missed."""
    for digits in range(3, 7):
        text = f"{value:.{digits}g}" if abs(value) < 10**digits else f"{value:.0f}"
        if goal.holds(float(text)) == goal.holds(value):
            return text
    return repr(value)


def measured(goal: Goal, figure: Figure) -> str:
    """The measured value, that of minima in brackets; or why there is none."""
    if not figure.values:
        return f"not measured: {figure.why}"
    median, *minimum = (number(goal, value) for value in figure.values)
    return f"{median} ({minimum[0]})" if minimum else median


def markdown(columns: Sequence[str], rows: Iterable[Sequence[str]], numbers: bool = False) -> str:
    """A table; one of numbers has all columns but the first to the right."""
    rule = ["---", *["---:" if numbers else "---"] * (len(columns) - 1)]
    cells = [[cell.replace("|", "\\|") for cell in row] for row in rows]
    lines = [columns, rule, *cells]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def whole(stored: Stored) -> str:
    """The page with all figures."""
    rows = {row["key"]: row for row in stored["rows"]}
    counted = count(rows.values())
    parts = [
        "# The figures that are held",
        f"Written by `make bench`. {counted[REACHED]} goals are reached, {counted[MISSED]} missed,"
        f" {counted[NOT_MEASURED]} not measured. Each value is that of medians of interleaved"
        " rounds, in brackets that of their minima; a goal is reached if both are within it."
        f" {told_of_counts(stored)}",
        told_of_machine(stored),
    ]
    columns = ("figure", "goal", "measured (by minima)", "verdict", "by instructions", "where")
    for title, goals in SECTIONS.items():
        parts += [f"## {title}", markdown(columns, (full_row(goal, rows) for goal in goals))]
    parts += ["## Runs", runs_table(stored)]
    return "\n\n".join(parts) + "\n"


def full_row(goal: Goal, rows: Mapping[str, Stored]) -> list[str]:
    """A row of the page."""
    row = rows[goal.key]
    cells = [goal.what, goal.words, measured(goal, figure_of(row)), row["verdict"]]
    return [*cells, row["instructions"], row["where"]]


def count(rows: Iterable[Stored]) -> dict[str, int]:
    """How many rows there are of each verdict."""
    found = dict.fromkeys((REACHED, MISSED, NOT_MEASURED), 0)
    for row in rows:
        found[row["verdict"]] += 1
    return found


def told_of_counts(stored: Stored) -> str:
    """What counted instructions, as a sentence."""
    tools = {run["counted_by"] for run in stored["runs"].values() if run["counted_by"]}
    told = {
        "perf": "Instructions were counted by the processor.",
        "callgrind": "Instructions were counted by valgrind's callgrind, in code for x86-64-v3.",
    }
    return " ".join(told.get(tool, f"Not counted: {tool}.") for tool in sorted(tools)) or (
        "Instructions were not counted."
    )


def told_of_machine(stored: Stored) -> str:
    """The machine, its load, and which benchmarks ran in quick mode, as a paragraph."""
    of = stored["machine"]
    versions = ", ".join(f"{name} {of[name]}" for name in ("numpy", "llvmlite", "numba", "jax"))
    quick = [name for name, run in stored["runs"].items() if run["quick"]]
    hurried = f" In quick mode, with fewer rows and rounds: {', '.join(quick)}." if quick else ""
    return (
        f"Measured on {of['processor']} (`{of['processor to LLVM']}` to LLVM), {of['cores']} cores,"
        f" {of['system']}, Python {of['python']}, {versions}, gcc {of['gcc']}."
        f" {told_of_load(stored)}{hurried}"
    )


def told_of_load(stored: Stored) -> str:
    """How busy the machine was, as a sentence; the benchmarks themselves keep one core busy."""
    loads = [load for run in stored["runs"].values() for load in run["load"]]
    if not loads:
        return "Nothing ran."
    told = f"load {min(loads):.1f} to {max(loads):.1f}, of which the benchmarks are about 1"
    if max(loads) > OWN_LOAD:
        return f"The machine was shared with other work: {told}."
    return f"Nothing else ran: {told}."


def runs_table(stored: Stored) -> str:
    """When and how long each benchmark ran."""
    rows = [
        (
            name,
            run["revision"],
            "quick" if run["quick"] else "whole",
            f"{run['seconds']:.0f}",
            " to ".join(f"{load:.2f}" for load in run["load"]),
        )
        for name, run in stored["runs"].items()
    ]
    return markdown(("benchmark", "revision", "mode", "seconds", "load"), rows)


def short(stored: Stored) -> str:
    """The table of the README, with a sentence below."""
    rows = {row["key"]: row for row in stored["rows"]}
    cells = [
        (goal.what, goal.words, measured(goal, figure_of(rows[goal.key])), rows[key]["verdict"])
        for key, goal in GOALS.items()
        if goal.short
    ]
    counted = count(rows.values())
    table = markdown(("figure", "goal", "measured (by minima)", "verdict"), cells)
    return (
        f"{table}\n\n{told_of_machine(stored)} [All {len(rows)} figures]({HERE}):"
        f" {counted[REACHED]} reached, {counted[MISSED]} missed,"
        f" {counted[NOT_MEASURED]} not measured."
    )


def between_marks(page: str, text: str) -> str:
    """A page with the text between its two marks replaced.

    Raises ValueError if it has no marks.
    """
    head, begin, rest = page.partition(BEGIN)
    _, end, tail = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"no {BEGIN} and {END}")
    return f"{head}{begin}\n{text}\n{end}{tail}"
