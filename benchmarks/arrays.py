"""How fast whole-array NumPy code runs: beside NumPy, Numba, JAX, and loops written by hand.

python benchmarks/arrays.py [--rounds N] [--only GROUP_OR_NAME ...] [--quick] [--json FILE]
                            [--without numba jax] [--figures FILE]

Kernels are in `whole_arrays/`, by groups. All run on one core, with BLAS on one thread and JAX in
double precision. What a compiler cannot do is a row with its reason. A Markdown report is printed.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import json
import platform
import sys
from dataclasses import asdict, replace
from pathlib import Path
from time import perf_counter

from collected.figures import write
from whole_arrays import report
from whole_arrays.measuring import Key, Plan, Row, measurements
from whole_arrays.table import BY_HAND, FUNCTIONS, KERNELS, QUICK, WAYS, chosen

PACKAGES = ("numpy", "numba", "jax", "llvmlite")
HURRY = Plan(rounds=7, seconds=0.4, patience=20.0)


def main() -> None:
    """Measure what is asked for, print the report, and write the numbers down."""
    options = arguments()
    plan = HURRY if options.quick else Plan()
    if options.rounds:
        plan = replace(plan, rounds=options.rounds)
    plan = replace(plan, without=tuple(options.without))
    keys = chosen(options.only)
    if options.quick and not options.only:
        keys = [key for key in keys if key[1] in QUICK or key[0] not in KERNELS]
    started = perf_counter()
    rows = measured(keys, plan)
    if options.json:
        options.json.write_text(json.dumps(plain(rows, plan), indent=1), encoding="utf-8")
    if options.figures:
        write(options.figures, report.figures(rows))
    print(text(rows))
    print(f"\n{len(rows)} kernels in {perf_counter() - started:.0f} s; {versions()}")


def arguments() -> argparse.Namespace:
    """What the command line says."""
    parser = argparse.ArgumentParser(description="Whole-array code beside NumPy, Numba and JAX.")
    parser.add_argument("--rounds", type=int, help="rounds of timings, 25 without it")
    parser.add_argument("--only", nargs="+", default=[], metavar="GROUP_OR_NAME")
    parser.add_argument("--quick", action="store_true", help="fewer kernels and rounds")
    parser.add_argument("--json", type=Path, metavar="FILE", help="where all numbers go")
    parser.add_argument("--figures", type=Path, metavar="FILE", help="where its figures go")
    parser.add_argument("--without", nargs="+", default=[], choices=["numba", "jax", "cutaway"])
    options = parser.parse_args()
    known = {word for key in chosen([]) for word in key}
    if unknown := set(options.only) - known:
        parser.error(f"no kernel or group is called {', '.join(sorted(unknown))}")
    return options


def measured(keys: list[Key], plan: Plan) -> report.Rows:
    """The rows, in the order of the keys; each is told when it comes."""
    rows: dict[Key, Row] = {}
    for key, row in measurements(keys, plan):
        rows[key] = row
        times = [f"{way} {seconds * 1e6:.1f} us" for way, seconds in row.median.items()]
        told = ", ".join([*times, *(f"{way} {why}" for way, why in row.problems.items())])
        print(f"[{len(rows)}/{len(keys)}] {' '.join(key)}: {told}", file=sys.stderr, flush=True)
    return {key: rows[key] for key in keys}


def text(rows: report.Rows) -> str:
    """The report: the tables, the sums, and the verdicts."""
    parts = []
    if report.of(rows, KERNELS):
        parts += ["## Kernels", report.kernels_table(rows)]
        parts += ["## By groups", report.groups_table(rows), "## Sums", report.sums_table(rows)]
    if report.of(rows, BY_HAND):
        parts.append("## Expressions beside the same as loops by hand")
        parts.append(report.pairs_table(rows, BY_HAND, WAYS["by_hand"]))
    if report.of(rows, FUNCTIONS):
        parts.append("## Functions beside NumPy")
        parts.append(report.pairs_table(rows, FUNCTIONS, WAYS["functions"]))
    return "\n\n".join([*parts, "## Goals", report.verdicts(rows), report.below(rows)])


def versions() -> str:
    """What was compared, in a line."""
    found = []
    for package in PACKAGES:
        try:
            found.append(f"{package} {importlib.metadata.version(package)}")
        except importlib.metadata.PackageNotFoundError:
            found.append(f"no {package}")
    return f"Python {platform.python_version()}, {', '.join(found)}, {platform.machine()}"


def plain(rows: report.Rows, plan: Plan) -> dict:
    """Everything, as JSON has it."""
    return {
        "versions": versions(),
        "plan": asdict(plan),
        "sums": report.sums(rows),
        "goals": [
            {"key": held.key, "value": held.value, "reached": held.is_reached}
            for held in report.goals(rows)
            if held.rows
        ],
        "rows": [{"group": key[0], "name": key[1], **asdict(row)} for key, row in rows.items()],
    }


if __name__ == "__main__":
    main()
