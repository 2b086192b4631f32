"""The real compiler, followed level by level."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

import cutaway
from cutaway.errors import TypingError

pytestmark = pytest.mark.sampled(fast=4)

LEVELS = ("source", "bytecode", "cfg", "ir", "ssa", "typed", "arrayexpr", "llvm", "llvm_opt", "asm")


@cutaway.jit
def square(x):
    """A function that another one calls."""
    return x * x


@cutaway.jit
def sum_of_squares(a, n):
    """A loop over an array with a call in it."""
    total = 0.0
    for i in range(n):
        total += square(a[i])
    return total


DATA = np.arange(5.0)


@pytest.fixture(scope="module")
def compilation():
    """The record of one compilation."""
    return sum_of_squares.trace(DATA, 5)


def test_all_levels_are_reached(compilation) -> None:
    assert compilation.levels == LEVELS


@pytest.mark.parametrize("level", LEVELS)
def test_each_level_is_text_runs_and_is_well_formed(compilation, level) -> None:
    view = compilation.at(level)
    assert view.text.strip()
    assert view.verify() == ()
    assert view.run(DATA, 5) == 30.0


@pytest.mark.parametrize("level", ["cfg", "ir", "ssa", "typed", "llvm", "llvm_opt"])
def test_levels_with_control_flow_have_a_graph(compilation, level) -> None:
    source = compilation.at(level).graph().source
    assert source.startswith("digraph")
    assert "->" in source


def test_the_pass_that_inferred_types_says_what_it_found(compilation) -> None:
    infer = next(p for p in compilation.passes if p.name == "infer_types")
    assert any("total" in str(event) for event in infer.rewrites)


def test_a_python_function_need_not_be_decorated_to_be_traced() -> None:
    assert cutaway.trace(lambda x: x + 1, 2).at("typed").run(41) == 42


def test_types_stand_for_arguments() -> None:
    c = square.trace(cutaway.types.float32)
    assert c.signature == "square(float32)"


def test_a_program_that_cannot_be_compiled_shows_the_levels_before() -> None:
    c = cutaway.trace(lambda x: x + "text", 2)
    assert isinstance(c.error, TypingError)
    assert c.at("ssa").verify() == ()


def test_the_stepper_goes_through_all_levels_and_back() -> None:
    s = cutaway.step(sum_of_squares, DATA, 5)
    s.run_until("asm")
    assert s.finished
    s.run_until("build_ir")
    assert s.current.run(DATA, 5) == 30.0
    s.run_until("llvm_opt")
    assert s.current.run(DATA, 5) == 30.0


@cutaway.jit
def factorial(n):
    """A function that calls itself."""
    return 1 if n < 2 else n * factorial(n - 1)


def test_every_pass_is_verified_by_execution(monkeypatch) -> None:
    monkeypatch.setenv("CUTAWAY_VERIFY", "execute")
    assert factorial(5) == 120
    assert cutaway.jit(sum_of_squares.py_func)(DATA, 5) == 30.0


def loaded_after(program: str) -> set[str]:
    """The modules that a program in a process of its own has loaded at its end."""
    shown = "(name for name, module in sys.modules.items() if type(module) is type(sys))"
    code = f"{program}\nimport sys; print(*{shown})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_nothing_that_draws_is_loaded_before_something_is_drawn() -> None:
    program = "import cutaway\nassert cutaway.jit(lambda x: x + 1)(41) == 42"
    loaded = loaded_after(program)
    assert loaded.isdisjoint({"rich", "graphviz", "cutaway.inspection.trace"})
    assert "llvmlite" not in loaded_after("import cutaway")
