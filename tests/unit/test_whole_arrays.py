"""The kernels of `benchmarks/arrays.py` run, and its rows survive what goes wrong.

Neither Numba nor JAX is needed, and nothing here measures time.
"""

from __future__ import annotations

import ast
import importlib
import sys
from pathlib import Path

import numpy as np
import pytest

pytestmark = pytest.mark.sampled(fast=12)

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
sys.path.append(str(BENCHMARKS))
measuring, report, table = (
    importlib.import_module(f"whole_arrays.{name}") for name in ("measuring", "report", "table")
)

KEYS = list(table.ALL)
KERNELS = list(table.ALL.values())
FILES = sorted((BENCHMARKS / "whole_arrays").glob("*.py"))
FIRST, SECOND = ("short", "rotate"), ("short", "short_slope")
TIMED = measuring.Row(
    median={"numpy": 4.0, "numba": 2.0, "jax": 8.0, "cutaway": 1.0},
    minimum={"numpy": 4.0, "numba": 2.0, "jax": 8.0, "cutaway": 0.5},
    first_call={"numpy": 0.0, "numba": 1.0, "jax": 0.1, "cutaway": 0.2},
)


def with_small_arguments(kernel):
    """The kernel's arguments and outcome in NumPy, at the size for tests."""
    arguments = kernel.make(kernel.small)
    result = kernel.function(*arguments)
    return arguments, measuring.outcome(kernel.changes, result, arguments)


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.name)
def test_a_kernel_runs_in_numpy_and_changes_what_it_says(kernel):
    arguments, results = with_small_arguments(kernel)
    assert results and all(np.all(np.isfinite(result)) for result in results)
    for k, before in enumerate(kernel.make(kernel.small)):
        assert np.array_equal(before, arguments[k]) == (k not in kernel.changes)


@pytest.mark.parametrize(
    "kernel", [k for k in KERNELS if k.loop is not None], ids=lambda kernel: kernel.name
)
def test_a_loop_by_hand_does_what_its_expression_does(kernel):
    _, expected = with_small_arguments(kernel)
    arguments = kernel.make(kernel.small)
    got = measuring.outcome(kernel.changes, kernel.loop(*arguments), arguments)
    assert measuring.difference(kernel, expected, got) == ""


def test_names_say_which_kernel():
    assert len(KEYS) == sum(len(each) for part in (table.KERNELS, table.BY_HAND, table.FUNCTIONS)
                            for each in part.values())  # fmt: skip
    assert {name for _, name in KEYS} >= table.QUICK
    assert table.chosen(["short"]) == [key for key in KEYS if key[0] == "short"]
    assert set(table.WAYS) == {group for group, _ in KEYS}


def test_each_twin_for_jax_stands_for_a_kernel():
    twins = ast.parse((BENCHMARKS / "whole_arrays" / "twins.py").read_text(encoding="utf-8"))
    names = {node.name for node in twins.body if isinstance(node, ast.FunctionDef)}
    in_place = {k.function.__name__ for k in KERNELS if k.changes}
    assert in_place <= names <= {k.function.__name__ for k in KERNELS}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_only_the_twins_need_a_package_that_may_not_be_there(path):
    imported = {
        name.split(".")[0]
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        for name in (
            [alias.name for alias in node.names] if isinstance(node, ast.Import)
            else [node.module or ""] if isinstance(node, ast.ImportFrom) else []
        )
    }  # fmt: skip
    assert not imported & {"numba", "jax"} or path.stem == "twins"


def test_a_refused_kernel_is_a_row_with_the_first_line_of_the_message(monkeypatch):
    def refuse(kernel):
        raise TypeError("no such thing [CA1]\n  File ...")

    monkeypatch.setitem(measuring.MAKERS, "cutaway", refuse)
    plan = measuring.Plan(rounds=1, seconds=0.0, without=("numba", "jax"))
    row = measuring.measured(FIRST, plan, {}, lambda *what: None)
    assert row.problems == {"cutaway": "refused: no such thing [CA1]"}
    assert set(row.median) == {"numpy"}


def test_a_wrong_result_is_no_time(monkeypatch):
    monkeypatch.setitem(measuring.MAKERS, "cutaway", lambda kernel: lambda m, v: m @ v + 1e-6)
    plan = measuring.Plan(rounds=1, seconds=0.0, without=("numba", "jax"))
    row = measuring.measured(FIRST, plan, {}, lambda *what: None)
    assert row.problems["cutaway"].startswith("wrong: differs in 3 of 3")
    assert row.bitwise is False and "cutaway" not in row.median


def test_what_takes_the_process_down_is_left_out_and_the_rest_goes_on(monkeypatch):
    def messages(jobs, plan):
        for key, problems in jobs:
            yield "doing", key, "numba"
            if key == FIRST and "numba" not in problems:
                yield "failed", "crashed with exit code -11"
                return
            yield "row", key, measuring.Row(problems=problems)

    monkeypatch.setattr(measuring, "messages", messages)
    rows = dict(measuring.measurements([FIRST, SECOND], measuring.Plan()))
    assert rows[FIRST].problems == {"numba": "crashed with exit code -11"}
    assert rows[SECOND].problems == {}


def test_what_fails_between_two_ways_is_a_row_of_its_own(monkeypatch):
    def messages(jobs, plan):
        yield "doing", jobs[0][0], measuring.ROUNDS
        yield "failed", "no answer in 45 s"

    monkeypatch.setattr(measuring, "messages", messages)
    rows = dict(measuring.measurements([FIRST, SECOND], measuring.Plan()))
    assert [row.problems for row in rows.values()] == [{"rounds": "no answer in 45 s"}] * 2


def test_goals_are_reached_only_when_all_kernels_run():
    reached = [goal.is_reached for goal in report.goals({FIRST: TIMED})[:4]]
    assert reached == [False, True, True, True]  # 4 times NumPy, and 6 is the goal
    refused = measuring.Row(problems={"cutaway": "refused: no"})
    goals = report.goals({FIRST: TIMED, SECOND: refused})[:4]
    assert not any(goal.is_reached for goal in goals)
    assert report.below({FIRST: TIMED, SECOND: refused}) == "- not run by Cutaway: short_slope"


def test_tables_tell_medians_minima_and_ratios():
    lines = report.kernels_table({FIRST: TIMED}).splitlines()
    assert "1000000 (500000) | 2 | 0.5 | 4 | 2 |" in lines[2]
    assert "(by minima 8) times NumPy" in report.verdicts({FIRST: TIMED})
