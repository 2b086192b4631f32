"""The modules that a first program runs, of each of ten programs: `make bless` writes the table."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.sampled(others=100, fast=0)

TABLE = Path(__file__).with_name("first_programs.txt")
PROGRAMS = {
    "only import": "import cutaway",
    "only decorate": "f = cutaway.jit(lambda a, b: a + b)",
    "a + b": "f = cutaway.jit(lambda a, b: a + b); f(1, 2)",
    "floats": "f = cutaway.jit(lambda x: x * 2.0 - 1.0); f(0.5)",
    "branch": "f = cutaway.jit(lambda x: x if x > 0 else -x); f(3)",
    "math": "import math; f = cutaway.jit(lambda x: math.sqrt(x)); f(3.0)",
    "loop": """
@cutaway.jit
def f(n):
    s = 0
    for i in range(n):
        s += i * i
    return s
f(10)""",
    "items": """
@cutaway.jit
def f(a):
    s = 0.0
    for i in range(len(a)):
        s += a[i]
    return s
f(np.ones(4))""",
    "sum": "f = cutaway.jit(lambda a: a.sum()); f(np.ones(4))",
    "a * x + y": "f = cutaway.jit(lambda a, x, y: a * x + y); f(2.0, np.ones(4), np.ones(4))",
}
SHOW = """
from cutaway.foundation.loading import has_run
import sys
print(*sorted(name for name in sys.modules if name.startswith("cutaway.") and has_run(name)))
"""


def modules_of(program: str) -> list[str]:
    text = f"import numpy as np, cutaway\n{program}\n{SHOW}"
    environment = {**os.environ, "CUTAWAY_LIBRARY_CACHE": "0"}
    done = subprocess.run(
        [sys.executable, "-c", text], capture_output=True, text=True, check=True, env=environment
    )
    return [name.removeprefix("cutaway.") for name in done.stdout.split()]


def table() -> str:
    """What each program runs that the one before it in the table does not, and how many in all."""
    lines, before = [], set()
    for name, program in PROGRAMS.items():
        modules = modules_of(program)
        lines.append(f"{name}: {len(modules)}")
        lines += [f"    {module}" for module in modules if module not in before]
        before |= set(modules)
    return "\n".join(lines) + "\n"


def test_a_first_program_runs_the_modules_that_it_needs():
    now = table()
    if os.environ.get("CUTAWAY_BLESS"):
        TABLE.write_text(now)
    assert now == TABLE.read_text()
