"""What compiled code prints of arrays, records and the like is Python's text."""

from __future__ import annotations

import numpy as np
import pytest

import cutaway

RECORDS = np.array([(1.0, 2), (3.5, 4)], [("x", "f8"), ("n", "i4")])
VALUES = [
    np.arange(6.0).reshape(2, 3).T[::-1],
    np.zeros((0, 3)),
    np.array(5),
    np.arange(2000),
    np.array([np.nan, 1e300, -0.0]),
    np.array([1 + 2j, 3]),
    np.array([1.5], np.float16),
    np.array(["2020", "NaT"], "M8[Y]"),
    np.array(["ab", "c"]),
    np.array([b"x"]),
    RECORDS,
]


def everything(a):
    print(a)
    print("a", a, 3, sep=", ", end="!\n")
    print(f"{a} {a!r}", [a, 1], (a,))
    print(str(a), repr(a), np.array_str(a), np.array_repr(a), np.array2string(a))
    print(a.dtype)


def temporaries(a):
    """The text of an array keeps it until it is printed."""
    print(str(a + 1))
    print(f"{a * 2}", repr(a - 1))
    b = a * 3
    text = f"<{b}>"
    b = a * 4
    print(text, np.full(a.shape, 7.0), b)


@pytest.mark.parametrize("value", VALUES, ids=lambda value: str(value.dtype))
def test_an_array_is_printed_as_numpy_does(value, capsys):
    with np.printoptions(precision=3, threshold=50):
        everything(value)
        expected = capsys.readouterr().out
        cutaway.jit(everything)(value)
    assert capsys.readouterr().out == expected


def test_the_text_of_an_array_keeps_it(capsys):
    temporaries(np.arange(3.0))
    expected = capsys.readouterr().out
    cutaway.jit(temporaries)(np.arange(3.0))
    assert capsys.readouterr().out == expected


@pytest.mark.parametrize(
    "value", [RECORDS[1], np.datetime64("2020-01-02"), np.timedelta64(3, "s"), 1 + 2j, (1, 2.5)]
)
def test_a_value_is_printed_as_python_does(value, capsys):
    def f(x):
        print(x, f"{x} {x!r}", [x])
        print(str(x))

    f(value)
    expected = capsys.readouterr().out
    cutaway.jit(f)(value)
    assert capsys.readouterr().out == expected
