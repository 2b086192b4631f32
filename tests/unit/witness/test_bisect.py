"""The first pass, rewrite and value that are wrong."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import numpy as np
import pytest

import cutaway
import warm
from cutaway.foundation.dataclass import replace
from cutaway.inspection.witness.reproducer import script
from cutaway.ir import nodes
from cutaway.stages.catalog import PASSES
from witness.wrong_passes import operands_exchanged

pytestmark = pytest.mark.sampled(test=2, others=8, fast=0)

REAL = {step.name: step for step in PASSES}


def running(a, n):
    s = 0.0
    for i in range(n):
        s += a[i] - 2.5
        a[i] = s
    return s


@pytest.fixture(scope="module")
def found():
    wrong = replace(REAL["simplify"], run=operands_exchanged)
    pipeline = cutaway.pipelines.nopython.replace("simplify", wrong)
    args = (np.arange(5.0), 4)
    return cutaway.jit(pipeline=pipeline)(running).trace(*args).bisect(*args)


def test_it_ends_at_the_pass_the_rewrite_and_the_value(found):
    assert not found.ok
    assert (found.pass_name, found.level, found.rule) == ("simplify", "ssa", "exchange")
    assert found.note == "`a - b` is `b - a`"
    assert "wrong_passes.py" in found.origin
    assert found.value.what == "`a[i] - 2.5`"
    assert (found.value.expected, found.value.found) == ("np.float64(-2.5)", "np.float64(2.5)")
    assert found.line == running.__code__.co_firstlineno + 3


def test_it_shrinks_the_arguments(found):
    array, n = found.smaller
    assert array.shape == (1,)
    assert n == 1


def test_it_says_so_in_words(found):
    text = str(found)
    assert "wrong from pass simplify on (ssa)" in text
    assert "s += a[i] - 2.5" in text
    assert "simplify" in found._repr_mimebundle_()["text/html"]
    assert found.to_dict()["value"]["line"] == found.line


@pytest.mark.slow
def test_its_script_shows_the_fault(found, tmp_path):
    script = tmp_path / "shows.py"
    found.reproducer(script)
    root = Path(__file__).parents[3]
    where = os.pathsep.join(str(root / part) for part in ("src", "tests", "tests/unit"))
    done = warm.run(
        [sys.executable, str(script)],
        env={**os.environ, "PYTHONPATH": where},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1, done.stderr
    assert "wrong from pass simplify on" in done.stdout


def test_its_script_makes_arrays_that_overlap():
    memory = np.arange(6.0)
    a, b = memory[4:0:-1], memory[:3]
    f = cutaway.jit(lambda a, b: a[0] + b[0])
    text = script(f.trace(a, b), (a, b), "", "")
    space = {"np": np}
    lines = [line for line in text.splitlines() if line.startswith(("memory", "args"))]
    exec("\n".join(lines), space)
    made = space["args"]
    assert [one.tolist() for one in made] == [a.tolist(), b.tolist()]
    assert [one.strides for one in made] == [a.strides, b.strides]
    assert np.shares_memory(*made)


def test_a_sound_compilation_is_said_to_be_sound():
    args = (np.arange(5.0), 4)
    found = cutaway.jit(running).trace(*args).bisect(*args)
    assert found.ok
    assert str(found).endswith("does what Python does, for these arguments")
    assert found.smaller is found.arguments


def test_a_pass_that_raises_is_the_one_that_is_wrong():
    def raises(unit):
        raise AssertionError("lost")

    wrong = replace(REAL["refcounts"], run=raises)
    f = cutaway.jit(pipeline=cutaway.pipelines.nopython.replace("refcounts", wrong))(running)
    found = f.trace(np.arange(5.0), 4).bisect(np.arange(5.0), 4)
    assert found.pass_name == "refcounts"
    assert "lost" in found.difference


def test_machine_code_that_does_not_end_is_found():
    def endless(unit):
        REAL["lower_llvm"].run(unit)
        unit.done |= {"lower_llvm"}
        lines = unit.llvm.splitlines()
        add = next(k for k, line in enumerate(lines) if " = add i64 " in line and ", 1," in line)
        lines[add] = lines[add].replace(", 1,", ", 0,")
        unit.llvm = "\n".join(lines)

    def count(n):
        s = 0
        for i in range(n):
            s += i ^ n
        return s

    wrong = replace(REAL["lower_llvm"], run=endless)
    f = cutaway.jit(pipeline=cutaway.pipelines.nopython.replace("lower_llvm", wrong))(count)
    found = f.trace(5).bisect(5, seconds=1)
    assert found.pass_name == "lower_llvm"
    assert "had not ended after 1 seconds" in found.difference


def test_a_fault_in_a_function_that_is_called_is_found_there():
    wrong = replace(REAL["simplify"], run=operands_exchanged)
    pipeline = cutaway.pipelines.nopython.replace("simplify", wrong)

    @cutaway.jit(pipeline=pipeline)
    def inner(x, y):
        return x - y

    def outer(a):
        s = 0.0
        for x in a:
            s += inner(x, 2.0)
        return s

    args = (np.array([2.0, 5.0]),)
    found = cutaway.jit(outer).trace(*args).bisect(*args)
    assert (found.pass_name, found.rule) == ("simplify", "exchange")
    assert found.compilation.name.endswith("inner")
    assert "called by   " in str(found)


def test_where_a_later_pass_stumbles_the_one_that_spoiled_it_is_named():
    def spoils(unit):
        REAL["build_ir"].run(unit)
        entry = unit.fn.entry
        position = next(k for k, op in enumerate(entry.ops) if hasattr(op, "index"))
        entry.ops[position] = nodes.replace(entry.ops[position], result=None)

    wrong = replace(REAL["build_ir"], run=spoils)
    f = cutaway.jit(pipeline=cutaway.pipelines.nopython.replace("build_ir", wrong))(running)
    args = (np.arange(5.0), 4)
    found = f.trace(*args).bisect(*args)
    assert found.pass_name == "build_ir"
