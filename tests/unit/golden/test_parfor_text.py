"""The text of parallel loops for readers, and what the dumps about them write."""

from __future__ import annotations

import numpy as np
import pytest

import cutaway
from cutaway.compiling import compiler
from cutaway.dispatch.dispatcher import Half
from cutaway.inspection.showing.parfor_text import parfor_text
from cutaway.ir import nodes
from cutaway.ir.traversal import walk
from golden.tool import Golden, check, load


def compiled(case: Golden):
    half = Half(case.function(), case.flags)
    unit = compiler.new_unit(half, case.types)
    with compiler.unpublished(half, unit):
        compiler.compile_unit(unit, half.pipeline.until("push_constants"), ())
    return unit


@pytest.mark.parametrize("case", load("parfor_text"), ids=lambda case: case.title)
def test_golden(case):
    check(case, lambda case: parfor_text(compiled(case)))


def test_in_the_logistic_regression_no_size_is_compared():
    case = next(case for case in load("parfor_text") if "regression" in case.title)
    sizes = [op for op in walk(compiled(case).fn) if isinstance(op, nodes.SizesOf)]
    assert sizes and all(len(op.texts) == 1 for op in sizes)


@pytest.fixture
def dumped(monkeypatch, capsys):
    def run(setting):
        monkeypatch.setattr(cutaway.config, setting, True)

        @cutaway.jit(parallel=True)
        def f(a, b):
            t = a + b
            return t * 2.0, t.sum()

        f(np.ones(3), np.ones(3))
        return capsys.readouterr().out

    return run


def test_the_program_is_dumped_after_each_of_the_passes(dumped):
    text = dumped("DEBUG_ARRAY_OPT")
    assert text.count("PARALLEL, AFTER") == 9
    last = text.rpartition("PARALLEL, AFTER")[2]
    assert "---begin parfor 0---" in last and "begin parfor 1" not in last
    assert "LoopNest(index_variable=" in last and "init block:" in last


def test_what_was_converted_and_fused_is_counted(dumped):
    text = dumped("DEBUG_ARRAY_OPT_STATS")
    assert "3 made a parallel loop" in text and "2 fused" in text
    assert "not known to have the same sizes" in text
