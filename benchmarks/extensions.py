"""What a type of an extension costs: the tutorial's interval, here and in the reference.

    python benchmarks/extensions.py [--rounds N] [--quick] [--figures FILE]

The reference runs the very code of `examples/extending/interval.py`, with its own names imported.
A call takes an interval and gives a float, or gives an interval; the first call compiles.
"""

from __future__ import annotations

import statistics
import sys
from pathlib import Path
from time import process_time
from types import ModuleType
from typing import Any

import numba
from collected.figures import Figure, beside, worst
from harness import hand_over, interleaved, parsed, parser, ratio, show, slices

import cutaway

SOURCE = Path(__file__).parent.parent / "examples" / "extending" / "interval.py"
# What the reference has under other names, or not at all.
NAMES = (
    ("import cutaway\n", "import numba\nfrom numba.core import cgutils\n"),
    ("from cutaway import", "from numba import"),
    ("cutaway.jit", "numba.njit"),
    ("extending.cgutils", "cgutils"),
    (", fingerprint=()", ""),
)


def tutorial(reference: bool) -> ModuleType:
    """The tutorial as a module, for ours or for the reference."""
    text = SOURCE.read_text()
    if reference:
        for ours, theirs in NAMES:
            text = text.replace(ours, theirs)
    module = ModuleType("interval_of_the_reference" if reference else "interval")
    sys.modules[module.__name__] = module
    exec(compile(text, str(SOURCE), "exec"), module.__dict__)  # noqa: S102
    return module


def measured(module: ModuleType, jit: Any) -> dict[str, Any]:  # Any: a decorator; seconds, calls
    """Seconds of the processor's time of the first calls, and calls to be timed."""
    value = module.Interval(1.0, 2.5)
    width = jit(lambda interval: interval.hi - interval.lo)
    same = jit(lambda interval: interval)
    started = process_time()
    width(value)
    first = process_time()
    same(value)
    return {
        "first call": first - started,
        "second function": process_time() - first,
        "interval in, float out": lambda: width(value),
        "interval in, interval out": lambda: same(value),
    }


def main() -> None:
    """Print the table."""
    options = parsed(parser("What a type of an extension costs.", 200, 50))
    ours, theirs = (
        measured(tutorial(False), cutaway.jit),
        measured(tutorial(True), numba.njit),
    )
    rows, calls = [], {}
    for name in ("first call", "second function"):
        rows.append([name, ours[name] * 1e3, theirs[name] * 1e3, ours[name] / theirs[name], "ms"])
    for name in ("interval in, float out", "interval in, interval out"):
        runs = {"ours": slices(ours[name]), "theirs": slices(theirs[name])}
        seconds = interleaved(runs, options.rounds)
        each = {
            key: [s / runs[key].count * 1e9 for s in seconds[key]]  # type: ignore[attr-defined]
            for key in runs
        }
        found = [f"{statistics.median(each[k]):.0f} [{min(each[k]):.0f}]" for k in runs]
        rows.append([name, *found, ratio(each["ours"], each["theirs"]), "ns"])
        calls[name] = beside("extensions.call", each["ours"], each["theirs"])
    show("Types of extensions", ["", "ours", "reference", "ratio", "unit"], rows)
    once = {"extensions.first": "first call", "extensions.second": "second function"}
    figures = [Figure(key, ours[name] / theirs[name]) for key, name in once.items()]
    hand_over([*figures, worst(calls)], options)


if __name__ == "__main__":
    main()
