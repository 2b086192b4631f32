"""`...` as an argument, members of enumerations by their names, classes that are asked for."""

from __future__ import annotations

import enum

import numpy as np
import pytest

import cutaway
from cutaway.errors import TypingError, UnsupportedError

TABLE = np.arange(6).reshape(2, 3)


class Color(enum.Enum):
    red = 1
    green = 2


def test_an_ellipsis_is_an_argument_and_a_result():
    item = cutaway.jit(lambda a, index: a[index])
    for index in (..., (..., 1), (0, ...), (slice(1), ..., None)):
        np.testing.assert_array_equal(item(TABLE, index), TABLE[index])
    same = cutaway.jit(lambda x, y: (x is y, x is not y, x))
    assert same(..., ...) == (True, False, ...)
    assert same(..., 1) == (False, True, ...)


def test_a_member_by_its_name():
    named = cutaway.jit(lambda c: (c is Color["red"], Color["green"]))
    assert named(Color.red) == (True, Color.green)
    with pytest.raises(TypingError, match="cannot be indexed"):
        cutaway.jit(lambda: Color["blue"])()


def test_classes_of_numpy_are_asked_for_where_the_answer_is_known():
    asked = cutaway.jit(lambda a: (isinstance(a, np.datetime64), isinstance(a, np.generic)))
    for value in (np.datetime64("2020"), np.timedelta64(1, "s"), TABLE, (1, 2), None):
        assert asked(value) == asked.py_func(value)
    with pytest.raises(TypingError, match="isinstance does not accept"):
        asked(1)


@pytest.mark.parametrize("cls", [np.generic, np.number, np.inexact], ids=lambda cls: cls.__name__)
def test_a_class_of_numpys_without_a_dtype_is_refused_in_words(cls):
    with pytest.raises((UnsupportedError, TypingError), match="shape"):
        cutaway.jit(lambda: cls.shape)()
