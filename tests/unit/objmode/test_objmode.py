"""Blocks of `with objmode` do what Python does, in machine code and at every level."""

from __future__ import annotations

import copy
import gc
import sys
import traceback

import numpy as np
import pytest

import cutaway
from corpus.objmode.objmode_cases import CASES
from corpus.programs.cases import Case
from cutaway import njit, objmode
from cutaway.runtime import stats
from ir.test_replay import played

pytestmark = pytest.mark.sampled(test=3, others=9)

NAMES = [pytest.param(case, id=case.name) for case in CASES]
GENERATORS = ("a_generator_with_blocks", "a_loop_over_such_a_generator")


@pytest.mark.parametrize("case", NAMES)
def test_the_rewrites_make_what_the_pass_leaves(case):
    if case.name not in GENERATORS:
        args = case.calls[0]
        played(Case(case.function, (lambda: copy.deepcopy(args),)))


# --- memory and references ----------------------------------------------------------------------


def test_an_array_goes_in_and_out_as_the_same_object():
    @njit
    def f(a):
        with objmode(b="float64[::1]"):
            b = a
        return b

    a = np.arange(4.0)
    count = sys.getrefcount(a)
    assert f(a) is a
    for _ in range(100):
        f(a)
    assert sys.getrefcount(a) == count


def test_references_are_right_after_exceptions():
    @njit
    def f(a, n):
        b = a * 2
        s = 0.0
        for i in range(n):
            try:
                with objmode(c="float64[:]"):
                    c = b + a
                    if i % 2:
                        raise ValueError(i)
                s += c[0]
            except ValueError:
                s += b[0]
        return s

    a = np.ones(100)
    f(a, 10)
    count, (allocated, released) = sys.getrefcount(a), stats()
    live = allocated - released
    for _ in range(2000):
        f(a, 10)
    gc.collect()
    allocated, released = stats()
    assert sys.getrefcount(a) == count
    assert allocated - released == live


def test_what_a_block_keeps_lives_on():
    kept = []

    @njit
    def f(n):
        a = np.zeros(n)
        a[0] = 5
        with objmode():
            kept.append(a)
        return n

    f(10)
    f(10)
    gc.collect()
    first, second = kept
    assert first[0] == second[0] == 5
    assert not np.shares_memory(first, second)


CONSTANT = np.arange(5.0)
RECORDS = np.zeros(2, [("a", np.int64), ("b", np.float64)])


def test_a_constant_array_outlives_its_code():
    kept = []

    def make():
        @njit
        def f():
            a = CONSTANT
            t = (a, a)
            r = RECORDS[1]
            with objmode():
                kept.append(a)
                kept.append(t)
                kept.append(r)
            return 1

        f()

    make()
    gc.collect()
    assert kept[0].tolist() == list(range(5))
    assert kept[1][1].tolist() == kept[0].tolist()
    assert kept[2].tolist() == (0, 0.0)
    assert not kept[0].flags.writeable


def test_an_array_that_a_block_changes_is_read_again():
    state = {}

    @njit
    def f(a):
        with objmode():
            state["a"] = a
        b = a * 2 + 1
        with objmode():
            state["a"][:] = 100
        return b.sum() + a.sum()

    assert f(np.ones(3)) == 9 + 300


def test_what_a_block_gives_may_be_what_another_was_given():
    state = {}

    @njit
    def f(n):
        a = np.zeros(n)
        with objmode():
            state["a"] = a
        with objmode(b="float64[::1]"):
            b = state.pop("a")
        s = 0.0
        for i in range(n):
            a[i] = i
            b[i] += 1
            s += a[i]
        return s

    assert f(5) == 15.0


# --- tracebacks, inspection ---------------------------------------------------------------------


def test_a_traceback_has_the_lines_of_the_block():
    @njit
    def f(n):
        with objmode(y="float64"):
            z = n - 1
            y = 1 / z
        return y

    with pytest.raises(ZeroDivisionError) as raised:
        f(1)
    frames = traceback.extract_tb(raised.value.__traceback__)
    assert [frame.name for frame in frames][-1] == "f"
    assert frames[-1].line == "y = 1 / z"
    assert len(frames) == 2


def test_a_decision_says_what_goes_in_and_out():
    def f(a, k):
        with objmode(y="float64"):
            y = a.sum() + k
        return y

    c = cutaway.trace(f, np.ones(3), 4)
    text = str(c.remarks)
    assert "it runs as Python, is given `a` and `k`, and gives `y` as float64" in text.replace(
        "`a`, `k`", "`a` and `k`"
    )
    assert "run_objects(<block at line" in c.at("typed").text
    assert c.diff("build_ir", "lift_objmode")
    assert "run_objects" in str(c.at("ssa").graph("dataflow"))


def test_functions_without_blocks_are_left_alone():
    def f(a):
        return a + 1

    c = cutaway.trace(f, 3)
    assert c.at("build_ir").text == c.at("lift_objmode").text


# --- options ------------------------------------------------------------------------------------


def test_code_with_a_block_is_not_cached_and_says_why(tmp_path, monkeypatch):
    monkeypatch.setenv("CUTAWAY_CACHE_DIR", str(tmp_path))

    @njit(cache=True)
    def f(n):
        with objmode(y="int64"):
            y = n + 1
        return y

    assert f(3) == 4
    assert "runs as Python" in str(f.cache_info())


def test_it_is_a_context_manager_in_python():
    with cutaway.objmode(y="float64") as nothing:
        y = 3
    assert y == 3
    assert nothing is None
    with pytest.raises(TypeError):
        cutaway.objmode("float64")
    with pytest.raises(KeyError), objmode():
        raise KeyError


def test_signatures_work_with_blocks():
    @njit("float64(float64)")
    def f(x):
        with objmode(y="float64"):
            y = x + 1
        return y

    assert f(2) == 3.0


def test_a_block_prints_where_python_prints(capsys):
    @njit
    def f(n):
        with objmode():
            print("n is", n)

    f(4)
    assert capsys.readouterr().out == "n is 4\n"


def test_globals_are_those_of_now():
    space = {"objmode": objmode, "LIMIT": 1}
    exec(
        "def f(n):\n    with objmode(y='int64'):\n        y = n + LIMIT\n    return y + LIMIT",
        space,
    )
    f = njit(space["f"])
    assert f(1) == 3
    space["LIMIT"] = 10
    assert f(1) == 12
