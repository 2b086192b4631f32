"""A package of objects with methods and operators, compiled and not."""

from __future__ import annotations

import pytest

import cutaway
from cutaway.errors import TypingError
from extending.vectors import XY, Polar, Vector

pytestmark = pytest.mark.sampled(fast=4)

VECTORS = [Vector(XY(3.0, 4.0)), Vector(Polar(2.0, 0.5)), Vector(XY(0.0, 0.0)), Vector(XY(1, 2.5))]


def attributes(v, w):
    return v.x, v.y, v.rho, w.azimuthal[0]


def methods(v, w):
    return v.dot(w), v.scale().x, w.scale(3.0).rho, v.scale(factor=0.5).y


def operators(v, w):
    total = v + w + -v
    return total.x, total.rho, v == w, v == v, (v if v else w).x  # noqa: PLR0124


def loops(v, w):
    total = Vector(XY(0.0, 0.0))
    for k in range(5):
        total = total + (v if k % 2 else w).scale(1.0 * k)
    return total.x, total.y


def kind_of(v):
    return type(v.azimuthal), *map(type, v.azimuthal)


@pytest.mark.parametrize("program", [attributes, methods, loops])
@pytest.mark.parametrize("second", range(len(VECTORS)))
def test_numbers_of_vectors(program, second):
    f = cutaway.jit(program)
    for v in VECTORS:
        if program is loops and kind_of(v) != kind_of(VECTORS[second]):
            continue  # a variable has one type
        found = f(v, VECTORS[second])
        assert found == pytest.approx(program(v, VECTORS[second]), rel=1e-13)


def test_operators_of_vectors():
    f = cutaway.jit(operators)
    for v in (VECTORS[0], VECTORS[2]):
        for w in (VECTORS[0], VECTORS[2]):
            assert f(v, w) == pytest.approx(operators(v, w))


def test_vectors_that_are_made_and_returned():
    f = cutaway.jit(lambda v, w: (v + w, Vector(Polar(1.0, 2.0)), -v))
    total, polar, minus = f(VECTORS[0], VECTORS[1])
    assert type(total) is Vector and type(total.azimuthal) is XY
    assert total == VECTORS[0] + VECTORS[1]
    assert polar.azimuthal == Polar(1.0, 2.0) and minus.azimuthal == XY(-3.0, -4.0)


def test_what_does_not_fit():
    with pytest.raises(TypingError, match="made of XY or Polar"):
        cutaway.jit(lambda x: Vector(x))((1.0, 2.0))
    with pytest.raises(TypingError, match="dot"):
        cutaway.jit(lambda v: v.dot(1.0))(VECTORS[0])
