"""Blocks of `with objmode` in parallel loops, without the GIL, in threads, deep in calls."""

from __future__ import annotations

import gc
import sys
import threading

import numpy as np
import pytest

import cutaway
from cutaway import njit, objmode, prange, vectorize
from cutaway.runtime import stats


def each(n, bad):
    out = np.zeros(n)
    for i in prange(n):
        x = i * 2.0
        with objmode(y="float64"):
            if i == bad:
                raise ValueError(int(i))
            y = float(sum(range(i))) + x
        out[i] = y
    return out


def test_blocks_run_in_parallel_loops():
    compiled = njit(parallel=True)(each)
    assert compiled(300, -1).tolist() == each(300, -1).tolist()


def test_an_exception_leaves_a_parallel_loop():
    compiled = njit(parallel=True)(each)
    for bad in (0, 17, 299):
        with pytest.raises(ValueError) as raised:
            compiled(300, bad)
        assert raised.value.args == (bad,)
    assert compiled(300, -1).tolist() == each(300, -1).tolist()


def test_errors_of_many_threads_leave_nothing_behind():
    @njit(parallel=True)
    def f(a, n):
        s = 0.0
        for i in prange(n):
            b = a + i
            with objmode(c="float64[:]"):
                c = b if i % 5 else None
            s += c[0]
        return s

    a = np.ones(3)
    for _ in range(3):
        with pytest.raises(TypeError, match="`c` is none"):
            f(a, 64)
    gc.collect()
    allocated, released = stats()
    live = allocated - released
    for _ in range(100):
        with pytest.raises(TypeError, match="`c` is none"):
            f(a, 64)
    gc.collect()
    allocated, released = stats()
    assert allocated - released == live
    alone = np.ones(3)
    assert sys.getrefcount(a) == sys.getrefcount(alone)


def test_arrays_go_in_and_out_in_parallel_loops():
    def f(a, n):
        s = np.zeros(n)
        for i in prange(n):
            row = a[i]
            with objmode(b="float64[:]"):
                b = np.sort(row)[::-1]
                row[0] = i
            s[i] = b[0]
        return s

    a, b = np.random.default_rng(1).random((2, 50, 4))
    b[:] = a
    assert f(a, 50).tolist() == njit(parallel=True)(f)(b, 50).tolist()
    assert (a == b).all()


@pytest.mark.parametrize("options", [{}, {"nogil": True}, {"parallel": True, "nogil": True}])
def test_threads_run_blocks_at_once(options):
    def f(n):
        s = 0.0
        for i in range(n):
            with objmode(y="float64", t="unicode_type"):
                y = float(len(str(i))) + s
                t = str(i)
            s = y + len(t)
            if i % 7 == 0:
                try:
                    with objmode(z="int64"):
                        z = int("x" if i % 2 else "3")
                    s += z
                except ValueError:
                    s -= 1
        return s

    compiled = njit(**options)(f)
    wanted, found, failed = f(200), [], []

    def work():
        try:
            for _ in range(20):
                found.append(compiled(200))
        except BaseException as error:  # noqa: BLE001  what any thread raises fails the test
            failed.append(error)

    threads = [threading.Thread(target=work) for _ in range(6)]
    before, _ = sys.getswitchinterval(), sys.setswitchinterval(1e-5)
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
    finally:
        sys.setswitchinterval(before)
    assert not failed
    assert found == [wanted] * 120


def test_other_threads_run_while_a_block_waits():
    event = threading.Event()

    @njit(nogil=True)
    def f():
        with objmode(ok="boolean"):
            ok = event.wait(20)
        return ok

    thread = threading.Timer(0.05, event.set)
    thread.start()
    assert f() is True
    thread.join()


def test_recursion_through_a_block_has_an_end():
    @njit
    def deep(n):
        with objmode(r="int64"):
            r = deep(n + 1)
        return r

    with pytest.raises(RecursionError):
        deep(0)
    with pytest.raises(RecursionError):
        deep(0)


def test_compiled_code_that_is_called_from_a_block_is_compiled_then():
    space = {}

    @njit
    def outer(n):
        with objmode(y="int64"):
            if "f" not in space:
                space["f"] = njit(lambda x: x + 5)
            y = space["f"](n)
        return y

    assert [outer(1), outer(2)] == [6, 7]


def test_blocks_in_kernels_of_ufuncs():
    @vectorize(["float64(float64)"])
    def plus(x):
        with objmode(y="float64"):
            y = x + len("ab")
        return y

    assert plus(np.arange(5.0)).tolist() == [2, 3, 4, 5, 6]


def test_a_function_with_a_block_is_called_by_others():
    @njit
    def inner(a):
        with objmode(b="float64[:]"):
            b = a[::-1]
        return b

    @njit
    def outer(a):
        return inner(a)[0] + inner(inner(a))[0]

    a = np.arange(3.0)
    assert outer(a) == 2.0
    count = sys.getrefcount(a)
    for _ in range(50):
        outer(a)
    assert sys.getrefcount(a) == count


def test_functions_that_are_dropped_leave_nothing_behind():
    def make():
        @njit
        def f(n):
            with objmode(y="int64"):
                y = n + 1
            return y

        assert f(1) == 2

    for _ in range(3):
        make()
    gc.collect()
    before = sys.getallocatedblocks()
    for _ in range(10):
        make()
    gc.collect()
    assert sys.getallocatedblocks() - before < 4000


def test_a_race_check_says_that_it_does_not_look_into_a_block():
    report = cutaway.check_races(each, 4, -1)
    assert not report
    assert "RunObjects" in str(report.unchecked) or "block" in str(report.unchecked)
