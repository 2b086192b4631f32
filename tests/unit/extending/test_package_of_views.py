"""A package of views that find their arrays by pointers: items, loops, methods, constants."""

from __future__ import annotations

import sys

import pytest

import cutaway
from cutaway.errors import ExtensionError, TypingError
from extending.views import Lists

pytestmark = pytest.mark.sampled(fast=6)


def lists():
    return Lists([0, 3, 3, 5], [1.0, 2.0, 3.0, 4.0, 5.5])


def test_loops_over_lists():
    @cutaway.jit
    def total(given):
        found = 0.0
        for k, one in enumerate(given):
            for x in one:
                found = 2 * found + k * x
        for one, other in zip(given, given[1:]):
            found += len(one) - len(other)
        return found

    expected = 0.0
    for k, one in enumerate(lists().tolist()):
        for x in one:
            expected = 2 * expected + k * x
    assert total(lists()) == expected + 1


def test_items_and_slices():
    f = cutaway.jit(lambda given, k: (len(given), given[k].sum(), given[1:], given.ndim))
    count, total, rest, ndim = f(lists(), 2)
    assert (count, total, ndim) == (3, 9.5, 2)
    assert type(rest) is Lists and rest.tolist() == [[], [4.0, 5.5]]
    again = cutaway.jit(lambda given: given[:1])(rest)
    assert again.tolist() == [[]]
    with pytest.raises(IndexError, match="no such list"):
        f(lists(), 3)
    with pytest.raises(TypingError, match="slices without a step"):
        cutaway.jit(lambda given: given[::2])(lists())


def test_methods_that_templates_tell():
    f = cutaway.jit(lambda given: (given.total(0), given.total(), given.times_3(1.5)))
    assert f(lists()) == (6.0, 15.5, 4.5)
    assert cutaway.jit(lambda given: given.times_5(2.0))(lists()) == 10.0
    with pytest.raises(TypingError, match="total takes the number"):
        cutaway.jit(lambda given: given.total(1.5))(lists())
    with pytest.raises(TypingError, match="times_3"):
        cutaway.jit(lambda given: given.times_3())(lists())
    with pytest.raises(TypingError, match="other"):
        cutaway.jit(lambda given: given.other)(lists())
    with pytest.raises(ExtensionError, match="invalid literal"):
        cutaway.jit(lambda given: given.times_x(1.0))(lists())


GLOBAL = lists()


def test_lists_of_the_program():
    @cutaway.jit
    def f():
        found = 0.0
        for one in GLOBAL:
            found += one.sum()
        return found, GLOBAL[2:]

    total, rest = f()
    assert total == 15.5 and rest.tolist() == [[4.0, 5.5]] and rest.lookup is GLOBAL.lookup


def test_objects_in_views_are_not_lost_and_not_kept():
    given = lists()
    f = cutaway.jit(lambda given: given[1:])
    f(given)
    before = sys.getrefcount(given.lookup), sys.getrefcount(given.lookup.pointers)
    for _ in range(10):
        assert f(given).lookup is given.lookup
    assert (sys.getrefcount(given.lookup), sys.getrefcount(given.lookup.pointers)) == before


def test_an_object_that_lacks_what_a_view_needs():
    given = lists()
    del given.lookup.pointers
    with pytest.raises(AttributeError, match="pointers"):
        cutaway.jit(lambda given: len(given))(given)
    del given.lookup
    with pytest.raises(AttributeError, match="lookup"):
        cutaway.jit(lambda given: len(given))(given)
