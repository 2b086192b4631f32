"""What inference chose for each op: left on the unit, kept by passes, read by all behind it."""

from __future__ import annotations

import collections
import math
from typing import get_args

import numpy as np
import pytest

import cutaway
from cutaway import Pass, api, types
from cutaway.compiling import compiler
from cutaway.errors import PipelineError
from cutaway.inspection.showing.render import as_html
from cutaway.ir import nodes
from cutaway.ir.levels import Level
from cutaway.ir.operators import BINARY
from cutaway.ir.traversal import walk
from cutaway.stages.observers import Observer
from cutaway.typing.inference.resolutions import Resolved
from cutaway.typing.overloads.context import TypingContext

Point = collections.namedtuple("Point", "x y")


@cutaway.jit
def one_more(x):
    return x + 1


class Constants:
    table = np.array([2.5, 1.0])


@cutaway.jit
def scalar(n, x):
    for k in range(n):
        x = x * k - one_more(x)
    return x


@cutaway.jit
def every_kind(a, n):
    point = Point(a.size, n)
    function = one_more if n > 3 else math.floor
    total = 0.0
    for k in range(n):
        total += one_more(a[k]) + function(a[k])
    return total + a.sum() + point.x + Constants.table[0]


@cutaway.jit
def small(a, i):
    s = 0.0
    for k in range(i):
        s += a[k]
    return s * one_more(i)


def test_each_op_shows_the_overload_that_it_got():
    found = small.trace(np.ones(3), 2).at("typed").resolutions
    first = small.py_func.__code__.co_firstlineno
    assert [(row.source, row.chosen, row.gives) for row in found.in_line(first + 4)] == [
        ("a[k]", "getitem(array(float64, 1d, C), int64)", "float64"),
        ("s += a[k]", "add(float64, float64)", "float64"),
    ]
    assert f"line {first + 5}: `one_more(i)`: one_more, compiled for (int64) returns int64" in str(
        found
    )
    assert len(found) == len(list(found)) > 6
    assert repr(found).startswith("<") and "resolved operations of small" in repr(found)


def test_the_table_is_drawn():
    found = small.trace(np.ones(3), 2).at("typed").resolutions
    assert "one_more(i)" in as_html(found)


def test_before_types_are_known_nothing_is_resolved():
    with pytest.raises(PipelineError, match="no operation is resolved at level ssa"):
        _ = small.trace(np.ones(3), 2).at("ssa").resolutions


def test_there_is_a_kind_of_resolution_for_each_kind_of_op():
    unit = every_kind.trace(np.ones(3), 2).at("infer_types").unit
    assert {type(one) for one in unit.resolutions.values()} == set(get_args(Resolved))
    assert every_kind(np.full(5, 2.5), 5) == every_kind.py_func(np.full(5, 2.5), 5)


class Asked(Observer):
    """Which passes asked the typing context something."""

    def __init__(self, monkeypatch) -> None:
        self.passes: set[str] = set()
        self.running: list[str] = []
        for name in ("resolve", "resolve_attribute", "method_of"):
            monkeypatch.setattr(TypingContext, name, self.noted(getattr(TypingContext, name)))

    def noted(self, real):
        def ask(context, *rest):
            self.passes.add(self.running[-1])
            return real(context, *rest)

        return ask

    def before_pass(self, unit, step) -> None:
        self.running.append(step.name)

    def after_pass(self, unit, step, seconds) -> None:
        self.running.pop()


def test_nothing_is_asked_again_when_types_are_known(monkeypatch):
    half = api.half_of(scalar.py_func)
    unit = compiler.new_unit(half, (types.int64, types.float64))
    asked = Asked(monkeypatch)
    with compiler.unpublished(half, unit):
        compiler.compile_unit(unit, half.pipeline, (asked,))
    assert asked.passes == {"infer_types"}


def test_a_pass_of_a_users_need_not_know_of_it():
    def swap(unit):
        """Subtract where the program adds, under the same id."""
        for block in unit.fn.blocks.values():
            for position, op in enumerate(block.ops):
                if isinstance(op, nodes.Binary) and op.op.symbol == "+":
                    block.ops[position] = nodes.Binary(
                        op.result, BINARY["-"], op.rhs, op.lhs, loc=op.loc, id=op.id
                    )

    def add(a, b):
        return a + b

    level = Level.typed
    wrong = Pass("swap", swap, level, level, "5a rewrite typed", required=False)
    pipeline = cutaway.pipelines.nopython.insert_after("prune_unreachable", wrong)
    compiled = cutaway.jit(pipeline=pipeline)(add)
    assert compiled(1, 2.5) == 1.5
    found = compiled.trace(1, 2.5).at("typed").resolutions
    assert [row.chosen for row in found] == ["subtract(float64, float64)"]


def test_copies_of_ops_have_what_their_originals_have():
    unit = small.trace(np.ones(3), 2).at("bounds_checks").unit
    items = [op for op in walk(unit.fn) if isinstance(op, nodes.GetItem)]
    assert len(items) == 2, "the loop has two versions"
    one, other = (unit.resolutions[op.id] for op in items)
    assert one is other


def test_an_op_without_a_resolution_is_a_violation():
    level = small.trace(np.ones(3), 2).at("typed")
    op = next(op for op in walk(level.unit.fn) if isinstance(op, nodes.Call))
    del level.unit.resolutions[op.id]
    (problem,) = level.verify()
    assert problem.startswith("the effects of `")
