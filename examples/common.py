"""Shared parts of the examples: reading data, running and comparing."""

from __future__ import annotations

import csv
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from types import FunctionType
from typing import Any

import numpy as np

HERE = Path(__file__).parent
OUTPUT = HERE / "output"


def read_table(name: str) -> list[list[str]]:
    """The rows of a file in data/, without its header."""
    with (HERE / "data" / name).open(newline="") as file:
        return list(csv.reader(file))[1:]


def in_python(function: Any) -> FunctionType:
    """The Python function of a compiled one; its callees are not compiled either."""
    names = dict(function.py_func.__globals__)
    for name, value in names.items():
        if hasattr(value, "py_func"):
            names[name] = _copied(value.py_func, names)
    return _copied(function.py_func, names)


def _copied(plain: FunctionType, names: dict[str, Any]) -> FunctionType:
    return FunctionType(plain.__code__, names, plain.__name__, plain.__defaults__)


@dataclass(frozen=True)
class Result:
    """Seconds in Python, at the first compiled call, and at the next; and the largest
    difference between the results."""

    python: float
    first: float
    compiled: float
    difference: float


@dataclass(frozen=True)
class Example:
    """One program.  `run(python)` gives its result as an array, computed by the Python
    functions or by the compiled ones; `note` says something about it."""

    name: str
    what: str
    run: Callable[[bool], np.ndarray]
    tolerance: float = 0.0
    note: Callable[[], str] = lambda: ""

    def measure(self) -> Result:
        """Run the program in Python and compiled, and compare.

        Raises AssertionError where the results differ by more than the tolerance.
        """
        python, expected = _timed(lambda: self.run(True))
        first, found = _timed(lambda: self.run(False))
        compiled, _ = _timed(lambda: self.run(False))
        difference = float(np.max(np.abs(expected - found)))
        assert difference <= self.tolerance, f"{self.name} differs by {difference}"
        return Result(python, first, compiled, difference)


def _timed(run: Callable[[], np.ndarray]) -> tuple[float, np.ndarray]:
    started = perf_counter()
    result = run()
    return perf_counter() - started, result
