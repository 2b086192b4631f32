"""What calls do, compared; and copies of arguments."""

from __future__ import annotations

import numpy as np
import pytest

from cutaway.inspection.witness.copies import fresh
from cutaway.inspection.witness.outcomes import Tolerance, compare, perform


def difference(one, other, args=(), tolerance=None):
    """In words, where two functions differ."""
    rest = () if tolerance is None else (tolerance,)
    found = compare(perform(one, args), perform(other, args), *rest)
    return None if found is None else str(found)


@pytest.mark.parametrize(
    ("one", "other", "words"),
    [
        (1, 1, None),
        (1.5, 2.5, "result: 1.5 in Python, 2.5 here"),
        (float("nan"), float("nan"), None),
        (0.0, -0.0, "result: 0.0 in Python, -0.0 here"),
        (1, 1.0, "result: 1 (int) in Python, 1.0 (float) here"),
        (True, 1, "result: True (bool) in Python, 1 (int) here"),
        ((1, 2), (1, 3), "result[1]: 2 in Python, 3 here"),
        ((1, 2), (1,), "result: 2 items in Python, 1 items here"),
        ((1, 2), [1, 2], "result: a tuple in Python, a list here"),
        ((1, 2.0, 5), (1.0, 2.0, 6), "result[2]: 5 in Python, 6 here"),
        (np.arange(3), np.arange(3), None),
        (
            np.array([[1.0, 2.0], [3.0, 4.0]]),
            np.array([[1.0, 2.0], [3.5, 4.5]]),
            "result[1, 0]: 3.0 in Python, 3.5 (and 1 more) here",
        ),
        (np.zeros(2), np.zeros(3), "shape of result: (2,) in Python, (3,) here"),
        (np.zeros(2), np.zeros(2, "f4"), "dtype of result: float64 in Python, float32 here"),
        (np.array([np.nan, 1]), np.array([np.nan, 1]), None),
        (complex(1, np.nan), complex(1, np.nan), None),
        (1 + 2j, 1 + 3j, "result: (1+2j) in Python, (1+3j) here"),
        (np.datetime64("NaT", "s"), np.datetime64("NaT", "s"), None),
        ("a", "b", "result: 'a' in Python, 'b' here"),
        (None, 0, "result: None in Python, 0 here"),
    ],
)
def test_results_that_differ_are_told_in_words(one, other, words):
    assert difference(lambda: one, lambda: other) == words


def raises(error):
    def function(*args):
        raise error

    return function


def test_exceptions_are_compared_by_class_and_words():
    left = raises(ValueError("one"))
    assert difference(left, raises(ValueError("one"))) is None
    assert difference(left, raises(ValueError("two"))) == (
        "message of ValueError: 'one' in Python, 'two' here"
    )
    assert difference(left, raises(KeyError("one"))) == (
        "outcome: raises ValueError: one in Python, raises KeyError: 'one' here"
    )
    assert difference(left, lambda: 3) == (
        "outcome: raises ValueError: one in Python, returns 3 here"
    )
    assert difference(lambda: 1 // 0, lambda: 1 % 0) is None


def test_the_line_of_an_exception_counts():
    def one():
        raise ValueError

    def other():
        raise ValueError

    found = compare(perform(one, (), __file__), perform(other, (), __file__))
    line = one.__code__.co_firstlineno + 1
    assert str(found) == f"place of ValueError: line {line} in Python, line {line + 3} here"


def test_what_is_left_in_arguments_counts():
    def one(a):
        a[1] = 5

    def other(a):
        a[1] = 6

    a = np.zeros(3)
    assert difference(one, other, (a,)) == "argument 0[1]: 5.0 in Python, 6.0 here"
    assert not a.any()


def test_what_is_printed_counts():
    words = "line 2 of the output: 'b' in Python, 'c' here"
    assert difference(lambda: print("a\nb"), lambda: print("a\nc")) == words


def test_whose_memory_a_result_shows_counts():
    words = "memory of the result: that of argument 0 in Python, its own here"
    assert difference(lambda a: a[1:], lambda a: a[1:].copy(), (np.zeros(3),)) == words


def test_a_tolerance_is_in_units_of_the_last_place():
    near = float(np.nextafter(1.0, 2.0))
    assert difference(lambda: 1.0, lambda: near) is not None
    assert difference(lambda: 1.0, lambda: near, tolerance=Tolerance(ulps=1)) is None
    assert difference(lambda: 1.0, lambda: 1.0 + 1e-15, tolerance=Tolerance(ulps=2)) is not None
    assert difference(lambda: 0.0, lambda: -0.0, tolerance=Tolerance(zero_signs=False)) is None


# --- copies -------------------------------------------------------------------------------------


def test_copies_of_arrays_that_overlap_overlap():
    a = np.arange(10.0)
    evens, odds, backward, middle = fresh((a[::2], a[1::2], a[::-1], (a[3:6],)))
    evens[2] = 40.0
    odds[1] = 30.0
    assert middle[0].tolist() == [30.0, 40.0, 5.0]
    assert backward[5] == 40.0
    assert a.tolist() == list(range(10))


def test_copies_of_views_of_one_array_lie_as_these_do():
    a = np.arange(10.0)
    low, high = fresh((a[:4], a[6:]))
    distance = [b.__array_interface__["data"][0] for b in (low, high)]
    assert distance[1] - distance[0] == 48


@pytest.mark.parametrize(
    "array",
    [
        np.arange(6.0)[::-2],
        np.arange(6, dtype="i2").reshape(2, 3).T,
        np.zeros((0, 3)),
        np.array(3.5),
        np.broadcast_to(np.float64(2), (4,)),
        np.frombuffer(b"x" + bytes(16), "f8", 2, 1),
        np.array(["ab", "c"]),
        np.zeros(2, [("a", "i4"), ("b", "f8")]),
    ],
)
def test_a_copy_of_an_array_has_its_strides_and_flags(array):
    (made,) = fresh((array,))
    assert made is not array
    assert (made.strides, made.dtype, made.shape) == (array.strides, array.dtype, array.shape)
    assert made.flags.writeable == array.flags.writeable
    assert made.flags.aligned == array.flags.aligned
    assert made.tolist() == array.tolist()


def test_the_bits_of_nan_are_copied():
    bits = np.array([0x7FF8000000000123, 0x7FF0000000000001], np.uint64)
    assert fresh((bits.view(np.float64),))[0].view(np.uint64).tolist() == bits.tolist()


def test_what_is_passed_twice_is_one_object_in_the_copies():
    a = np.zeros(2)
    one, other = fresh((a, (a,)))
    assert one is other[0]
    assert fresh((np.int64(3), "text", None, 2.5)) == (3, "text", None, 2.5)
