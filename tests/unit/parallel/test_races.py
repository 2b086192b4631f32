"""Races between iterations of parallel loops: what the compiler says, what a check finds."""

from __future__ import annotations

import copy
import pickle
import warnings

import numpy as np
import pytest

import cutaway
from corpus.races import CASES, Case
from cutaway import prange
from cutaway.errors import OptionError, RaceError, RaceWarning, UnsupportedError
from cutaway.inspection.witness.copies import fresh
from parallel.race_packages import push

pytestmark = pytest.mark.sampled(test=4, others=12)

FINE = [name for name, one in CASES.items() if one.verdict == "fine" and one.kind == ""]


def verdict_of(one: Case) -> tuple[str, list[str]]:
    """What compilation says: fine, warn or error, and the texts."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            cutaway.jit(one.function, parallel=True)(*fresh(one.args))
        except UnsupportedError as error:
            return "error", [str(error)]
    return ("warn" if caught else "fine"), [str(warning.message) for warning in caught]


@pytest.mark.parametrize("name", CASES)
def test_the_compiler_says(name):
    verdict, texts = verdict_of(CASES[name])
    assert verdict == CASES[name].verdict, texts
    assert len(texts) <= 2  # of a loop that is compiled twice one


@pytest.mark.parametrize("name", CASES)
def test_the_check_finds(name):
    one = CASES[name]
    before = copy.deepcopy(one.args)
    report = cutaway.check_races(one.function, *one.args)
    assert not report.unchecked
    assert bool(report) == (one.kind not in ("", "same value"))
    found = report.same_values if one.kind == "same value" else report.conflicts
    assert [conflict.kind for conflict in found[:1]] == ([one.kind] if one.kind else [])
    assert one.kind in str(report)
    for conflict in (*report.conflicts, *report.same_values):
        assert conflict.iterations[0] != conflict.iterations[1]
        assert all(loc.filename == one.function.__code__.co_filename for loc in conflict.locs)
    for held, was in zip(one.args, before, strict=True):
        assert np.array_equal(held, was)  # it works on copies


@pytest.mark.parametrize("name", FINE)
def test_what_is_fine_gives_the_serial_result_on_any_number_of_threads(name):
    one = CASES[name]
    args = fresh(one.args)
    wanted = one.function(*args)
    compiled = cutaway.jit(one.function, parallel=True)
    for threads in (1, 2, 4):
        with cutaway.config.using(NUM_THREADS=4):
            before = cutaway.get_num_threads()
            cutaway.set_num_threads(threads)
            own = fresh(one.args)
            found = compiled(*own)
            cutaway.set_num_threads(before)
        if wanted is not None:
            assert np.allclose(found, wanted, rtol=1e-12)
        assert all(map(same_bits, own, args))


def same_bits(one, other):
    return one.tobytes() == other.tobytes() if isinstance(one, np.ndarray) else one == other


# --- the report ---------------------------------------------------------------------------------


def test_a_report_names_the_element_the_iterations_and_both_lines():
    one = CASES["jacobi"]
    (conflict,) = cutaway.check_races(one.function, np.zeros(8)).conflicts
    line = one.function.__code__.co_firstlineno + 3
    assert conflict.name == "a"
    first, second = conflict.iterations
    assert second[0] == first[0] + 1
    assert conflict.element in (f"a[{first[0]}]", f"a[{second[0]}]")
    assert {loc.line for loc in conflict.locs} == {line}
    assert conflict.loop.line == line - 1
    assert sorted(conflict.writes) == [False, True]
    text = str(conflict)
    assert "a[i] = (a[i - 1] + a[i + 1]) / 2" in text
    assert f"i = {first[0]}" in text
    assert "hint: read from a copy" in text


def test_a_report_can_be_pickled():
    report = cutaway.check_races(CASES["hist"].function, *CASES["hist"].args)
    assert pickle.loads(pickle.dumps(report)) == report
    assert repr(report) == "<RaceReport: 1 conflict between iterations>"


def test_what_was_not_looked_into_is_said():
    def raising(a):
        for i in prange(len(a)):
            if a[i] > 2:
                raise ValueError("too large")
            a[i] = 1.0

    report = cutaway.check_races(raising, np.arange(5.0))
    assert not report
    assert "ValueError: too large" in report.unchecked[0]
    assert "in what was looked into" in str(report)

    def long(a):
        for i in prange(len(a)):
            for k in range(1_000_000_000):
                a[i] += k

    report = cutaway.check_races(long, np.zeros(3), seconds=0.2)
    assert "0.2 seconds" in report.unchecked[0]

    def serial(a):
        return a[0]

    assert str(cutaway.check_races(serial, np.zeros(3))) == "no parallel loop was run"


@cutaway.jit(parallel=True)
def shifting(a):
    for i in prange(len(a) - 1):
        push(a[i : i + 2], 0, -1.0)


@cutaway.jit
def calling(a):
    shifting(a)


def test_a_loop_in_a_function_that_is_called_is_looked_at():
    report = cutaway.check_races(calling, np.ones((4, 3)))
    assert not report
    assert report.loops == 1

    @cutaway.jit(parallel=True)
    def overlapping(a):
        for i in prange(len(a) - 1):
            push(a, i, -1.0)
            push(a, i + 1, -2.0)

    def outer(a):
        overlapping(a)

    report = cutaway.check_races(outer, np.ones((4, 3)))
    assert {loc.filename for one in report.conflicts for loc in one.locs} == {
        push.py_func.__code__.co_filename
    }


def test_writes_by_library_functions_are_seen():
    def adding(a, b):
        for i in prange(len(a)):
            np.add(a, i, b)

    def filling(a, b):
        for i in prange(3):
            a[i:].fill(i)

    def sorting(a, b):
        for i in prange(3):
            b[i : i + 2].sort()

    def selecting(a, b):
        for i in prange(3):
            b[b > i] = 0.5

    for function in (adding, filling, sorting, selecting):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            assert cutaway.check_races(function, np.arange(6.0), np.arange(6.0)[::-1])


def test_memory_of_an_iteration_is_its_own():
    def own(a, out):
        for i in prange(len(a)):
            row = np.empty(100)
            row[:] = a[i]
            for k in range(100):
                row[k] += k
            out[i] = row.sum()

    assert not cutaway.check_races(own, np.arange(30.0), np.zeros(30))


def test_views_of_other_layouts_are_compared_by_their_bytes():
    def by_views(a, b):
        for i in prange(len(b)):
            b[i] = a[i]

    a = np.zeros(40, np.uint8)
    report = cutaway.check_races(by_views, a[:10], a.view(np.float32)[:10])
    assert report.conflicts[0].kind == "read-write"
    assert not cutaway.check_races(by_views, a[:10], a.view(np.float32)[3:10])
    z = np.arange(20.0)
    assert not cutaway.check_races(by_views, z[::2], z[1::2])
    assert cutaway.check_races(by_views, z[::-1], z)


def test_buffers_are_looked_at():
    def halved(b):
        for i in prange(4):
            b[i // 2] = i

    for buffer in (bytearray(8), memoryview(bytearray(8)), np.zeros(8, np.uint8)):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            (conflict,) = cutaway.check_races(halved, buffer).conflicts
        assert conflict.kind == "write-write"


# --- the option ---------------------------------------------------------------------------------


def test_the_option_checks_the_first_call_with_a_signature():
    @cutaway.jit(parallel="check")
    def scatter(a, idx, plus=1):
        for i in prange(len(idx)):
            a[idx[i]] = i + plus

    a = np.zeros(4)
    with pytest.warns(RaceWarning, match="may store in the same element of `a`"):
        scatter(a, np.arange(4))
    assert list(a) == [1, 2, 3, 4]
    scatter(a, np.zeros(4, np.int64))  # a signature that was looked at
    b = np.zeros(4, np.float32)
    for _ in range(2):
        with pytest.raises(RaceError, match="scatter conflict") as caught:
            scatter(b, np.array([1, 1]))
        assert caught.value.report.conflicts[0].element == "a[1]"
        assert "a[idx[i]] = i + plus" in str(caught.value)
        assert not b.any()
    again = pickle.loads(pickle.dumps(caught.value))
    assert again.report == caught.value.report
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        scatter(b, idx=np.array([1, 2]), plus=3)
    assert list(b) == [0, 3, 4, 0]


def test_the_option_says_what_it_cannot_check():
    with pytest.raises(OptionError, match="signatures have none"):
        cutaway.jit("void(float64[:])", parallel="check")(lambda a: None)

    @cutaway.jit(parallel="check")
    def raising(a):
        for i in prange(len(a)):
            if a[i] > 2:
                raise ValueError("too large")

    with pytest.warns(RaceWarning, match="not all of raising was checked"):
        with pytest.raises(ValueError, match="too large"):
            raising(np.arange(5.0))


def test_races_can_be_allowed():
    allowed = {"races": "allowed"}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for name in ("hogwild", "shift", "hist", "same2"):
            cutaway.jit(CASES[name].function, parallel=allowed)(*fresh(CASES[name].args))
    with pytest.raises(OptionError, match="races must be 'allowed' or 'check', not 'yes'"):
        cutaway.jit(CASES["hist"].function, parallel={"races": "yes"})
    off = cutaway.jit(CASES["shift"].function, parallel={"races": "check", "prange": False})
    off(np.zeros(4))
