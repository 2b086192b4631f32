"""Short loops over arrays are functions of their own: made once, wherever they stand."""

from __future__ import annotations

import textwrap
import traceback

import numpy as np
import pytest

import cutaway
from caching.processes import run, write
from cutaway.caching import array_loops
from cutaway.lowering import linked
from cutaway.lowering.arrays import apart


@pytest.fixture
def made(monkeypatch):
    """The names of the functions that machine code is made of, with nothing known or kept."""
    names: list[str] = []
    link = linked.link

    def noted(callee):
        names.append(callee.symbol.partition("$")[0])
        link(callee)

    monkeypatch.setattr(linked, "link", noted)
    monkeypatch.setattr(array_loops, "_REMEMBERED", {})
    monkeypatch.setenv("CUTAWAY_LIBRARY_CACHE", "0")
    return names


A = np.linspace(-3.0, 5.0, 11)
GIVEN = {
    "max": (lambda a: np.max(a), (A.astype(np.int64),)),
    "std": (lambda a: np.std(a), (A,)),
    "clip": (lambda a: np.clip(a, -1.0, 2.5), (A,)),
    "where": (lambda a, b: np.where(a > 0.0, a, b), (A, A[::-1])),
    "any": (lambda a: np.any(a > 4.9), (A,)),
    "columns": (lambda a: np.sum(a, axis=0), (A[:10].reshape(2, 5),)),
    "rows": (lambda a: np.sum(a, axis=1, keepdims=True), (np.asfortranarray(A[:9].reshape(3, 3)),)),
    "broadcast": (lambda a, b: a[:, np.newaxis] + b, (A, A[:3])),
    "number": (lambda a, x: a * x, (A.astype(np.float32), 2)),
    "empty": (lambda a: a + a, (A[:0],)),
    "strided": (lambda a: -a, (A[::-2],)),
    "by NumPy": (lambda a: np.exp(a), (A,)),
}


@pytest.mark.parametrize("name", GIVEN)
def test_a_loop_is_made_once_for_the_same_types(name, made):
    function, given = GIVEN[name]
    expected = function(*given)
    counts = []
    for _ in range(2):
        found = cutaway.njit(function)(*given)
        np.testing.assert_array_equal(found, expected)
        assert np.asarray(found).dtype == np.asarray(expected).dtype
        counts.append(made.count("array_loop"))
    assert 0 < counts[0] == counts[1]


def test_other_types_are_another_loop(made):
    for dtype in (np.int64, np.uint32, np.int16):
        numbers = abs(A).astype(dtype)
        assert cutaway.njit(lambda a: np.max(a))(numbers) == numbers.max()
    assert made.count("array_loop") == 3


def test_a_loop_within_a_loop_stays_there(made):
    @cutaway.njit
    def f(a):
        total = 0.0
        for k in range(3):
            total += np.max(a + k)
        return total

    assert f(A) == f.py_func(A)
    assert "array_loop" not in made


def test_what_is_stored_overlaps_as_in_numpy(made):
    def shifted(a):
        a[1:] = a[:-1] * 2.0

    ours, numpys = A.copy(), A.copy()
    cutaway.njit(shifted)(ours)
    shifted(numpys)
    np.testing.assert_array_equal(ours, numpys)
    assert made.count("array_loop") == 1


def smallest(a):
    return np.min(
        a)  # fmt: skip


def largest(a):
    return np.max(a)


@pytest.mark.parametrize("function", [smallest, largest], ids=["min", "max"])
def test_it_raises_in_the_line_of_the_program(function):
    with pytest.raises(ValueError) as wanted:
        function(A[:0])
    with pytest.raises(ValueError) as caught:
        cutaway.njit(function)(A[:0])
    assert str(caught.value) == str(wanted.value)
    frames = traceback.extract_tb(caught.tb)
    assert [frame.name for frame in frames][-1] == function.__name__
    assert frames[-1].lineno == function.__code__.co_firstlineno + 1


def test_shapes_that_do_not_fit_are_told(made):
    f = cutaway.njit(lambda a, b: a + b)
    for sizes in ((2, 3), (4, 5)):
        with pytest.raises(ValueError, match=f"\\({sizes[0]},\\) \\({sizes[1]},\\)"):
            f(A[: sizes[0]], A[: sizes[1]])


def test_it_is_seen_in_the_code_of_its_program(made):
    f = cutaway.njit(lambda a: a * 3.0)
    f(A)
    (text,) = f.inspect_llvm().values()
    assert "define internal i32 @array_loop$" in text and "fmul double" in text
    (assembly,) = f.inspect_asm().values()
    assert "vmulpd" in assembly or "mulpd" in assembly or "fmul" in assembly


def test_a_recorded_program_has_it_in_place():
    text = str(cutaway.trace(lambda a: a * 3.0, A).at("llvm"))
    assert "@array_loop" not in text and "fmul double" in text


PROGRAM = """
    from cutaway.compiling import compiler
    from cutaway.lowering import linked
    names = []
    link = linked.link
    def noted(callee):
        names.append(callee.symbol.partition("$")[0])
        link(callee)
    linked.link = noted
    @jit(CACHE)
    def f(a):
        a[a.size // 2:] += 1.0
        return np.std(a), np.max(a), np.clip(a, 0.5, 2.0).sum()
    result = [float(x) for x in f(np.arange(9.0))]
    try:
        f(np.zeros(0))
        error = ""
    except ValueError as caught:
        error = str(caught)
    tell(f, result=result, error=error, made=names,
         wanted=[float(x) for x in f.py_func(np.arange(9.0))])
"""


@pytest.mark.parametrize("options", ["", "cache=True"])
def test_a_second_process_makes_none(options, tmp_path):
    program = write(tmp_path, textwrap.dedent(PROGRAM).replace("CACHE", options))
    first, second = run(program, tmp_path / "home"), run(program, tmp_path / "home")
    assert "array_loop" in first["made"] and not second["made"]
    assert first["result"] == second["result"] == first["wanted"]
    assert "zero-size array to reduction operation maximum" in first["error"]
    assert first["error"] == second["error"]
    assert second["hits"] == [1 if options else 0]


def test_each_loop_raises_what_is_its_own(made, monkeypatch):
    # Objects that are gone leave their addresses to others: a name must not be made of one.
    monkeypatch.setattr(apart, "id", lambda thing: 1, raising=False)
    programs = [
        cutaway.njit(lambda a, b: a + b),
        cutaway.njit(lambda a, b: (a + b) * 2),
        cutaway.njit(lambda a, b: np.maximum(a, b)),
        cutaway.njit(lambda a, b: np.where(a > 1, a, b)),
    ]
    shapes = [((2,), (3,)), ((2, 3), (4,)), ((1, 5), (2, 4)), ((3, 1, 4), (2, 3))]
    calls = []
    for first, second in shapes:
        for program in programs:
            a, b = np.ones(first), np.ones(second)
            calls.append((program, a, b))
            with pytest.raises(ValueError):
                program(a, b)
    for program, a, b in calls:  # when all of them have been made
        with pytest.raises(ValueError) as wanted:
            program.py_func(a, b)
        with pytest.raises(ValueError) as caught:
            program(a, b)
        assert str(caught.value) == str(wanted.value)
    tables = [callee.table.symbol for callee in array_loops._REMEMBERED.values()]
    assert len(tables) == len(set(tables)) >= len(shapes)
