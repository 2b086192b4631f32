"""`hasattr`, and `getattr` with a default, which types decide."""

from __future__ import annotations

from collections import namedtuple

import numpy as np
import pytest

import cutaway
from cutaway.errors import TypingError

Point = namedtuple("Point", "x y")


def has_both(x):
    return hasattr(x, "real"), hasattr(x, "x"), hasattr(x, "nothing")


def by_attribute(x):
    if hasattr(x, "shape"):
        return x.shape[0]
    return x


def with_default(x):
    return getattr(x, "ndim", -1), getattr(x, "y", "none")


VALUES = (1, 2.5, 1j, np.zeros((2, 3)), Point(1, 2.5))


@pytest.mark.parametrize("function", [has_both, with_default])
@pytest.mark.parametrize("value", VALUES, ids=lambda value: type(value).__name__)
def test_types_have_attributes_as_in_python(function, value):
    assert cutaway.njit(function)(value) == function(value)


def test_a_branch_is_decided_by_an_attribute():
    compiled = cutaway.njit(by_attribute)
    assert (compiled(np.zeros((2, 3))), compiled(7)) == (2, 7)


def test_modules_are_asked_too():
    @cutaway.njit
    def f():
        return hasattr(np, "sin"), hasattr(np, "sinus")

    assert f() == (True, False)


def test_a_default_may_be_anything():
    @cutaway.njit
    def default():
        return 12345

    @cutaway.njit
    def called():
        return getattr(np.ones(1), "nothing", default)()

    @cutaway.njit
    def passed(x, y):
        return getattr(x, "nothing", y)

    assert called() == 12345
    for x, y in ((1, None), ((1, 2), "text"), (np.ones(1), (3, 4))):
        assert passed(x, y) == y


def test_what_only_python_knows_is_refused():
    @cutaway.njit
    def f(x):
        return hasattr(x, "__hash__")

    with pytest.raises(TypingError, match="hasattr does not accept"):
        f(1)
    with pytest.raises(TypingError, match="hasattr does not accept"):
        cutaway.njit(lambda name: hasattr(np, name))("sin")
