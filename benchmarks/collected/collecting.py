"""Runs benchmarks in turn and collects their figures; what fails is a row with a reason."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from time import perf_counter

from collected import counting, machine
from collected.figures import Figure, Goal, read
from collected.tables import Stored, figure_of, row_of

BENCHMARKS = Path(__file__).parents[1]
LONGEST_REASON = 160  # characters


@dataclass(frozen=True)
class Script:
    """A benchmark: seconds after which it is given up, and if it counts instructions."""

    name: str
    limit: float = 1800.0
    counts: bool = False


# What is short and exact first: its figures are there if a run is cut off.
SCRIPTS = {
    one.name: one
    for one in (
        Script("dispatch", counts=True),
        Script("latency"),
        Script("caching"),
        Script("observers"),
        Script("long_functions"),
        Script("extensions"),
        Script("ptx"),
        Script("kernels", limit=5400.0, counts=True),
        Script("idioms"),
        Script("containers"),
        Script("parallel"),
        Script("vector_math"),
        Script("arrays", limit=3600.0),
        Script("numpy_library", limit=5400.0),
        Script("battery"),
    )
}


def collect(
    scripts: Iterable[Script],
    goals: Mapping[str, Goal],
    quick: bool = False,
    folder: Path = BENCHMARKS,
    tell: Callable[[str], object] = print,
) -> Stored:
    """Run benchmarks and put their figures together, a row for each goal."""
    figures, runs = {}, {}
    tool, why = counting.tool()
    for script in scripts:
        tell(f"--- {script.name}")
        before, started = machine.load(), perf_counter()
        found = figures_of(script, goals, quick, folder)
        figures |= found
        runs[script.name] = {
            "revision": machine.revision(),
            "quick": quick,
            "seconds": round(perf_counter() - started, 1),
            "load": [before, machine.load()],
            "counted_by": (tool or why) if script.counts else "",
        }
    rows = [row_of(goal, figures.get(key) or left_out(goal)) for key, goal in goals.items()]
    return {"machine": machine.machine(), "runs": runs, "rows": rows}


def left_out(goal: Goal) -> Figure:
    """The figure of a goal whose benchmark did not run."""
    return Figure(goal.key, why=goal.absent or "its benchmark was not run")


def figures_of(
    script: Script, goals: Mapping[str, Goal], quick: bool, folder: Path
) -> dict[str, Figure]:
    """The figures of one benchmark by key; where it fails, each says why."""
    found, why = run(script, quick, folder)
    own = {key: goal for key, goal in goals.items() if goal.script == script.name}
    figures = {one.key: one for one in found}
    if strange := figures.keys() - own.keys():
        why = f"{script.name} has figures without a goal: {', '.join(sorted(strange))}"
        figures = {}
    for key, goal in own.items():
        reason = goal.absent or why or f"{script.name} did not say"
        figures.setdefault(key, Figure(key, why=reason))
        figures[key] = replace(figures[key], why=without_paths(figures[key].why))
    return figures


def run(script: Script, quick: bool, folder: Path) -> tuple[list[Figure], str]:
    """What a benchmark hands over, and why it is not all."""
    with tempfile.TemporaryDirectory(prefix="figures") as made:
        target, errors = Path(made) / "figures.json", Path(made) / "errors"
        command = [sys.executable, str(folder / f"{script.name}.py"), "--figures", str(target)]
        command += ["--quick"] if quick else []
        command += ["--instructions"] if script.counts else []
        with errors.open("wb") as told:
            process = subprocess.Popen(command, stderr=told, start_new_session=True)
            try:
                code = process.wait(script.limit)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)  # with the processes that it started
                process.wait()
                return [], f"took more than {script.limit:g} s"
            except BaseException:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
                raise
        said = errors.read_text(encoding="utf-8", errors="replace").strip()
        if code:
            reason = said.rpartition("\n")[2] or "it said nothing"
            return [], reason if code > 0 else f"died of signal {-code}"
        try:
            return read(target) if target.exists() else [], ""
        except (ValueError, TypeError) as error:
            return [], f"what it handed over cannot be read: {error}"


def without_paths(text: str) -> str:
    """A reason that is short, without addresses, and with files named without their folders."""
    text = re.sub(r"\w+://\S+", "an address", text)
    return re.sub(r"(?<![\w.:/])/(?:[^\s/'\"]+/)+", "", text)[:LONGEST_REASON]


def merged(old: Stored | None, new: Stored, goals: Mapping[str, Goal]) -> Stored:
    """New figures beside stored ones of benchmarks that did not run now.

    Raises ValueError if they are of another machine.
    """
    if old is None:
        return new
    if old["machine"] != new["machine"]:
        raise ValueError("the stored figures are of another machine, or of other versions")
    before = {row["key"]: row for row in old["rows"]}
    rows = []
    for row in new["rows"]:
        goal = goals[row["key"]]
        kept = goal.script not in new["runs"] and goal.key in before
        rows.append(row_of(goal, figure_of(before[goal.key])) if kept else row)
    every = old["runs"] | new["runs"]
    order = dict.fromkeys(goal.script for goal in goals.values())
    runs = {name: every[name] for name in order if name in every}
    return {"machine": new["machine"], "runs": runs, "rows": rows}


def told_again(old: Stored, goals: Mapping[str, Goal]) -> Stored:
    """Stored figures with the goals and verdicts of now."""
    before = {row["key"]: row for row in old["rows"]}
    rows = [
        row_of(goal, figure_of(before[key]) if key in before else left_out(goal))
        for key, goal in goals.items()
    ]
    return {"machine": old["machine"], "runs": old["runs"], "rows": rows}
