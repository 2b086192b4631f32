"""Operators of extension types, by `overload` of the functions of `operator`."""

from __future__ import annotations

import operator

import pytest

import cutaway
from cutaway import types
from cutaway.errors import TypingError
from cutaway.extending import overload, overload_method
from extending.point import Point, PointType, make_point, point_type


def both(a, b):
    return a is point_type and b is point_type


@overload(operator.add)
def add(a, b):
    if both(a, b):
        return lambda a, b: make_point(a.x + b.x, a.y + b.y)


@overload(operator.sub)
def sub(a, b):
    if both(a, b):
        return lambda a, b: make_point(a.x - b.x, a.y - b.y)


@overload(operator.mul)
def mul(a, b):
    if a is point_type and isinstance(b, types.Number):
        return lambda a, b: make_point(a.x * b, a.y * b)
    if b is point_type and isinstance(a, types.Number):
        return lambda a, b: make_point(b.x * a, b.y * a)


@overload(operator.eq)
def eq(a, b):
    if both(a, b):
        return lambda a, b: a.x == b.x and a.y == b.y


@overload(operator.lt)
def lt(a, b):
    if both(a, b):
        return lambda a, b: a.x < b.x


@overload(operator.contains)
def contains(a, b):
    if a is point_type and isinstance(b, types.Number):
        return lambda a, b: a.x == b or a.y == b


@overload(operator.neg)
def neg(a):
    if a is point_type:
        return lambda a: make_point(-a.x, -a.y)


@overload(abs)
def absolute(a):
    if a is point_type:
        return lambda a: (a.x * a.x + a.y * a.y) ** 0.5


@overload(len)
def length(a):
    if a is point_type:
        return lambda a: 2


@overload(bool)
def truth(a):
    if a is point_type:
        return lambda a: a.x != 0 or a.y != 0


@overload(operator.getitem)
def getitem(a, k):
    if a is point_type and isinstance(k, types.Integer):

        def item(a, k):
            if k == 0:
                return a.x
            if k == 1:
                return a.y
            raise IndexError("a point has two")

        return item


P, Q = Point(3.0, -4.0), Point(1.0, 2.0)


def run(function, *args):
    return cutaway.jit(function)(*args)


def test_arithmetic():
    assert run(lambda p, q: p + q, P, Q) == Point(4.0, -2.0)
    assert run(lambda p, q: (p - q) * 2, P, Q) == Point(4.0, -12.0)
    assert run(lambda p, q: 2 * p + -q, P, Q) == Point(5.0, -10.0)
    assert run(lambda p: abs(p), P) == 5.0


def test_comparisons_and_what_they_fall_back_to():
    assert run(lambda p, q: (p == q, p != q, p < q), P, Q) == (False, True, False)
    assert run(lambda p, q: (p == p, p != p), P, Q) == (True, False)


def test_a_comparison_the_other_way_round():
    assert run(lambda p, q: p > q, P, Q) is True


def test_membership():
    assert run(lambda p, x: (x in p, x not in p), P, 3) == (True, False)
    assert run(lambda p, x: (x in p, x not in p), P, 7.5) == (False, True)
    assert run(lambda p, x: operator.contains(p, x), P, -4.0) is True
    assert run(lambda x: (x in (1, 2), x not in range(3)), 2) == (True, False)


def test_operators_in_place_fall_back_to_the_plain_ones():
    def f(p, q):
        p += q
        p *= 2.0
        p -= q
        return p

    assert run(f, P, Q) == Point(7.0, -6.0)


def test_an_operator_in_place_of_its_own_comes_first():
    @overload(operator.iadd)
    def iadd(a, b):
        if a is point_type and isinstance(b, types.Integer):
            return lambda a, b: make_point(a.x + b, a.y + b)

    def f(p):
        p += 1
        return p

    assert run(f, P) == Point(4.0, -3.0)


def test_truth():
    def f(p):
        if p:
            return 1
        return 0

    assert run(f, P) == 1
    assert run(f, Point(0.0, 0.0)) == 0
    assert run(lambda p: not p, P) is False
    assert run(lambda p, n: bool(p) and n > 0, P, 3) is True
    assert run(lambda p: 1 if p and True else 2, P) == 1

    def loop(p, q):
        n = 0
        while p:
            p -= q
            n += 1
        return n

    assert run(loop, Point(3.0, 6.0), Q) == 3


def test_items_and_length():
    assert run(lambda p: (len(p), p[0], p[1]), P) == (2, 3.0, -4.0)
    assert run(lambda p, k: p[k], P, 1) == -4.0
    with pytest.raises(IndexError, match="a point has two"):
        run(lambda p, k: p[k], P, 2)


def test_a_value_that_is_called():
    @overload_method(PointType, "__call__")
    def call(p, x, scale=1):
        return lambda p, x, scale=1: (p.x + p.y * x) * scale

    assert run(lambda p: (p(2.0), p(1, scale=2.0)), P) == (-5.0, -2.0)
    with pytest.raises(TypingError, match="__call__"):
        run(lambda p: p(), P)


def test_loops_and_unpacking_of_what_has_no_code_for_them():
    def loop(p):
        for x in p:
            return x

    def unpack(p):
        x, y = p
        return x

    with pytest.raises(TypingError, match="Point cannot be iterated over"):
        run(loop, P)
    with pytest.raises(TypingError, match="Point cannot be unpacked"):
        run(unpack, P)


def test_an_operator_that_nobody_gave():
    with pytest.raises(TypingError, match="Point"):
        run(lambda p, q: p ^ q, P, Q)
    with pytest.raises(TypingError, match="Point"):
        run(lambda p: ~p, P)
    with pytest.raises(TypingError, match="Point"):
        run(lambda p, q: p in q, P, Q)


def test_texts_are_what_a_class_says():
    @overload_method(PointType, "__repr__")
    def representation(p):
        return lambda p: "a point"

    assert run(lambda p: (str(p), repr(p)), P) == ("a point", "a point")

    @overload_method(PointType, "__str__")
    def text(p):
        return lambda p: "point"

    assert run(lambda p: (str(p), repr(p), str(), str(object="x")), P) == (  # noqa: UP018
        *("point", "a point", "", "x"),
    )
