"""What it costs to be watched: compile time with and without observers.

    python benchmarks/observers.py [--rounds N] [--quick] [--figures FILE]

Each function is compiled from source to machine code, again and again, in turn by
`bare`    a loop over the passes, in which no observer could be attached
`off`     the pass manager with no observer
`pass`    a trace of every pass
`rewrite` a trace of every rewrite
The ratios are those to `bare`, of processor time: the median of those within each round, and that
of the minima.  Functions of the library are compiled in each run.
"""

from __future__ import annotations

import gc
import statistics
from collections.abc import Callable, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import programs
from collected.figures import Figure
from harness import hand_over, interleaved, parsed, parser, show

import cutaway
from cutaway import api
from cutaway.compiling import compiler
from cutaway.dispatch import binding
from cutaway.inspection.recording.recorder import Recorder
from cutaway.ir.editing import Editor
from cutaway.stages.observers import Observer
from cutaway.stages.pipeline import Pipeline
from cutaway.stages.runner import PassManager
from cutaway.stages.unit import CompileUnit


def helper(x, y):
    return x * y + 1


def caller(x, y):
    return helper(x, y) + helper(y, x)


def scaled(a, x, y):
    b = np.empty_like(a)
    for i in range(len(a)):
        b[i] = a[i] * x + y
    return b.sum(), b


FUNCTIONS = {
    "add": (programs.add, (1, 2)),
    "loop": (programs.loop, (10,)),
    "sum": (programs.total, (np.zeros(3),)),
    "array function": (scaled, (np.zeros(3), 2.0, 3.0)),
    "nested calls": (caller, (1, 2)),
    "mandelbrot": (programs.mandelbrot, (np.zeros((2, 2)), -2.0, 1.0, -1.0, 1.0, 5)),
}
WATCHED = ("off", "pass", "rewrite")


class BareManager(PassManager):
    """Runs passes, and that is all."""

    def __init__(
        self, unit: CompileUnit, pipeline: Pipeline, observers: Sequence[Observer]
    ) -> None:
        self.unit = unit
        self.pipeline = unit.pipeline = pipeline
        self.position = 0

    def step(self, before: Callable[[], object] | None = None) -> Any:
        step = self.pipeline.passes[self.position]
        if before is not None:
            before()
        step.run(self.unit)
        self.unit.level = step.gives
        self.unit.done |= {step.name}
        self.position += 1


_BARE_UNIT = {
    "recording": False,
    "recording_rewrites": False,
    "timing_llvm": False,
    "editor": lambda unit: Editor(unit.fn),
}


@contextmanager
def bare():
    """While this is entered, the pass manager has no hooks, and units ask for none."""
    before = {name: CompileUnit.__dict__[name] for name in _BARE_UNIT}
    compiler.PassManager = BareManager
    for name, value in _BARE_UNIT.items():
        setattr(CompileUnit, name, value)
    try:
        yield
    finally:
        compiler.PassManager = PassManager
        for name, value in before.items():
            setattr(CompileUnit, name, value)


def compiled(function: Any, args: tuple[Any, ...], observers: tuple[Observer, ...]) -> None:
    """Compile a function for arguments; nothing of it is kept."""
    half = api.half_of(function)
    unit = compiler.new_unit(half, binding.call_types(half, args))
    with compiler.unpublished(half, unit):
        compiler.compile_unit(unit, half.pipeline, observers)


def compiled_bare(function: Any, args: tuple[Any, ...]) -> None:
    """The same with no hooks."""
    with bare():
        compiled(function, args, ())


def main() -> None:
    """Measure all functions in interleaved rounds."""
    global helper
    options = parsed(parser("What it costs to be watched.", 40, 12))
    helper = cutaway.jit(helper)
    compiler._restored = lambda *args: False  # what a trace does not take from the disk either
    compiler._keep = lambda *args: None
    rows = []
    medians: dict[str, list[float]] = {name: [] for name in WATCHED}
    minima: dict[str, list[float]] = {name: [] for name in WATCHED}
    for name, (function, args) in FUNCTIONS.items():
        seconds = interleaved(_runs(function, args), options.rounds, before=gc.collect)
        for how in WATCHED:
            ratios = [a / b for a, b in zip(seconds[how], seconds["bare"], strict=True)]
            medians[how].append(statistics.median(ratios) - 1)
            minima[how].append(min(seconds[how]) / min(seconds["bare"]) - 1)
        bare = seconds["bare"]
        cells = [_cell(medians[how][-1], minima[how][-1]) for how in WATCHED]
        rows.append((name, f"{statistics.median(bare) * 1e3:.2f} ({min(bare) * 1e3:.2f})", *cells))
    mean = statistics.mean
    rows.append(("mean", "", *(_cell(mean(medians[how]), mean(minima[how])) for how in WATCHED)))
    columns = ("", "bare ms (min)", "off (by min)", "pass (by min)", "rewrite (by min)")
    show("Cost of observers: processor time beyond that of a bare loop", columns, rows)
    figures = [
        Figure(f"observers.{how}", mean(medians[how]) * 100, mean(minima[how]) * 100)
        for how in WATCHED
    ]
    hand_over(figures, options)


def _runs(function: Any, args: tuple[Any, ...]) -> dict[str, Callable[[], None]]:
    runs = {
        "bare": lambda: compiled_bare(function, args),
        "off": lambda: compiled(function, args, ()),
        "pass": lambda: compiled(function, args, (Recorder(),)),
        "rewrite": lambda: compiled(function, args, (Recorder(level="rewrite"),)),
    }
    for run in runs.values():
        run()
    return runs


def _cell(median: float, minimum: float) -> str:
    return f"{median:+.1%} ({minimum:+.1%})"


if __name__ == "__main__":
    main()
