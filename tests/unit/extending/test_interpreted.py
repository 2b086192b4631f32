"""The interpreter, the inspection and the dispatcher's explanations, with extension types."""

from __future__ import annotations

import operator

import pytest

import cutaway
from cutaway import types
from cutaway.errors import CutawayError, InterpreterError
from cutaway.extending import overload, overload_attribute, overload_method
from extending.point import Point, PointType, make_point, point_type

pytestmark = pytest.mark.sampled(fast=6)


def manhattan(p):
    """Is for compiled code alone."""
    raise NotImplementedError("only compiled code calls it")


@overload(manhattan)
def type_manhattan(p):
    if p is point_type:
        return lambda p: abs(p.x) + abs(p.y)


@overload_attribute(PointType, "swapped_sum")
def swapped_sum(p):
    return lambda p: p.y - p.x


@overload_method(PointType, "moved")
def moved(p, by, times=1):
    def moved(p, by, times=1):
        return p.x + by * times

    return moved


@overload(operator.matmul)
def matmul(a, b):
    if a is point_type and b is point_type:
        return lambda a, b: a.x * b.x + a.y * b.y


@overload(operator.getitem)
def getitem(p, k):
    if p is point_type and isinstance(k, types.Integer):
        return lambda p, k: p.x if k == 0 else p.y


PROGRAMS = {
    "members": lambda p: p.x * 2 + p.y,
    "stub": lambda p: manhattan(p) + 1,
    "attribute": lambda p: p.swapped_sum * 2,
    "method": lambda p: p.moved(3.0) + p.moved(1.0, times=2),
    "operator": lambda p: p @ p,
    "item": lambda p: p[0] + p[1],
}
LEVELS = ("ir", "ssa", "typed")


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("program", PROGRAMS)
def test_a_level_runs(program, level):
    f = cutaway.jit(PROGRAMS[program])
    p = Point(3.0, -4.0)
    expected = f(p)
    c = f.trace(p)
    if level != "typed" and program not in ("members",):
        with pytest.raises(Exception):  # noqa: B017, PT011  Python cannot: there are no types yet
            c.at(level).run(p)
        return
    assert c.at(level).run(p) == expected


def test_an_intrinsic_cannot_be_interpreted_and_says_so():
    f = cutaway.jit(lambda p: make_point(p.x, p.y))
    p = Point(1.0, 2.0)
    c = f.trace(p)
    with pytest.raises((InterpreterError, NotImplementedError), match="make_point"):
        c.at("typed").run(p)


def test_inspection():
    f = cutaway.jit(lambda p, q: manhattan(p) + q.x)
    p = Point(1.0, 2.0)
    f(p, p)
    c = f.trace(p, p)
    for level in c.levels:
        assert c.at(level).text
    assert "Point" in c.at("typed").text
    assert (
        "Point" in f.explain_dispatch(p, p).text
        if hasattr(f.explain_dispatch(p, p), "text")
        else "Point" in str(f.explain_dispatch(p, p))
    )
    assert "define" in next(iter(f.inspect_llvm().values()))
    assert str(f.specializations)


def test_why():
    def f(p):
        s = manhattan(p)
        return s

    c = cutaway.jit(f).trace(Point(1.0, 2.0))
    assert "manhattan" in str(c.why("s"))
    assert str(c.why_not("s", "int64"))


def test_a_dump_of_a_failed_call_names_the_extension_type():
    f = cutaway.jit(lambda p: p.nothing)
    with pytest.raises(CutawayError, match="Point"):
        f(Point(1.0, 2.0))


def test_explaining_a_call_that_does_not_fit():
    f = cutaway.jit("float64(float64)")(lambda x: x)
    assert "Point" in str(f.explain_dispatch(Point(1.0, 2.0)))


def test_verification_by_execution(monkeypatch):
    monkeypatch.setenv("CUTAWAY_VERIFY", "execute")
    for program in PROGRAMS.values():
        f = cutaway.jit(program)
        assert isinstance(f(Point(3.0, -4.0)), float)
