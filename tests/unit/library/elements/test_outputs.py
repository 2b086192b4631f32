"""Ufuncs that store in arrays that are there: operators in place, `out`, `where`, `dtype`."""

from __future__ import annotations

import operator
import sys
from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pytest

import corpora
import cutaway
from library.elements.operands import same_bits

pytestmark = pytest.mark.sampled(test=4, others=12, fast=24)

SYMBOLS = ("+", "-", "*", "/", "//", "%", "**", "&", "|", "^", "<<", ">>")
LETTERS = "?bBhHiIlLfdFD"
PYTHON = (2, 2.5, 1j)
TABLE = np.arange(6.0).reshape(2, 3)
LINE = np.array([1.0, 2.0, 4.0])
WHOLE = np.arange(6, dtype=np.int32).reshape(2, 3)
ZEROS = np.zeros((2, 3))
SECONDS = np.array([1, -5, 1 << 40], "m8[s]")
DAYS = np.array(["2000-02-29", "1969-12-31", "1600-01-01"], "M8[D]")
MONTHS = np.array(["2000-03", "1969-12", "1599-12"], "M8[M]")
NAT = np.array(["NaT", 1, "NaT"], "m8[ms]")

Program = Callable[..., Any]


def outcome(program: Program, args: tuple[Any, ...]) -> tuple[Any, list[Any]]:
    """The result, or the words of the error, and the arguments after that."""
    own = [arg.copy() if isinstance(arg, np.ndarray) else arg for arg in args]
    try:
        with np.errstate(all="ignore"):
            return program(*own), own
    except cutaway.errors.CutawayError as error:
        return error.message, []
    except (TypeError, ValueError, OverflowError) as error:
        return str(error), []


def agree(first: Any, second: Any) -> bool:  # Any: results
    if isinstance(first, str) or isinstance(second, str):
        return type(first) is type(second) and first == second
    return same_bits(first, second)


def check(program: Program, *args: Any) -> None:
    expected, given = outcome(program, args)
    found, left = outcome(cutaway.jit(program), args)
    assert agree(expected, found), (expected, found)
    assert all(map(same_bits, given, left)), (given, left)


def in_place(symbol: str) -> Program:
    names: dict[str, Any] = {}
    exec(f"def update(a, b):\n    a {symbol}= b\n    return a\n", names)
    program: Program = names["update"]
    return program


PAIRS = list(product(SYMBOLS, LETTERS, (*LETTERS, *PYTHON)))


@pytest.mark.part
@pytest.mark.parametrize(("symbol", "letter", "other"), corpora.sample(90, PAIRS))
def test_an_operator_in_place_gives_what_numpy_gives_or_refuses(symbol, letter, other):
    operand = np.array([1, 2, 1], other) if isinstance(other, str) else other
    check(in_place(symbol), np.array([1, 2, 3], letter), operand)


@pytest.mark.parametrize(
    ("target", "operand"),
    [
        (TABLE, LINE),
        (TABLE, TABLE[:, :1]),
        (TABLE, TABLE[:, :2]),
        (LINE, TABLE[0, :1]),
        (LINE[:1], LINE),
        (LINE, LINE[:2]),
        (np.zeros((3, 1)), np.zeros((3, 4))),
        (np.array(2.0), np.array(3.0)),
        (2.0, LINE),
        (1, WHOLE),
    ],
)
def test_shapes_fit_in_place_or_are_refused_in_the_same_words(target, operand):
    check(in_place("+"), target, operand)


def shifted(a: Any) -> Any:
    a[1:] += a[:-1]
    a[:-1] *= a[1:]
    a[::-1] -= a
    return a


def taken_in(a: Any, b: Any) -> Any:
    a += a[::-1] * b
    return a


def test_what_shares_memory_is_read_before_it_is_written():
    check(shifted, np.arange(9.0))
    check(taken_in, LINE, LINE + 1)


POWERS: list[Program] = [
    lambda a: a**2,
    lambda a: a**-1,
    lambda a: a**0.5,
    lambda a: a**0,
    lambda a: a**1,
    lambda a: a**3,
    lambda a: a**2.0,
    lambda a: 2**a,
]


@pytest.mark.parametrize("letter", "?bBiIlfdFD")
def test_powers_by_constants_are_those_of_numpy(letter):
    values = [0, 1, 1] if letter in "?B" else [0, 1, 3]
    array = np.array(values, letter)
    if letter in "fd":
        array = np.array([0.0, -0.0, -np.inf, np.nan, 2.5, -1.5], letter)
    for program in POWERS:
        check(program, array)


OUTPUTS: list[tuple[Program, tuple[Any, ...]]] = [
    (lambda a, b, o: np.add(a, b, o), (TABLE, LINE, ZEROS)),
    (lambda a, b, o: np.add(a, b, out=o), (TABLE, LINE, ZEROS)),
    (lambda a, b, o: np.add(a, b, out=(o,)), (TABLE, LINE, ZEROS)),
    (lambda a, b, o: np.add(a, b, out=o, where=a > 2), (TABLE, LINE, ZEROS)),
    (lambda a, b: np.add(a, b, where=True), (TABLE, LINE)),
    (lambda a, b: np.add(a, b, dtype=np.float32), (TABLE, LINE)),
    (lambda a, b: np.add(a, b, dtype=np.int64), (TABLE, LINE)),
    (lambda a, b: np.add(a, b, dtype=np.int64, casting="unsafe"), (TABLE, LINE)),
    (lambda a, b, o: np.add(a, b, out=o, casting="unsafe"), (TABLE, LINE, WHOLE)),
    (lambda a, b, o: np.add(a, b, out=o), (TABLE, LINE, WHOLE)),
    (lambda a, b: np.add(a, b, casting="no"), (TABLE, WHOLE)),
    (lambda a, o: np.sqrt(a, out=o), (WHOLE, ZEROS)),
    (lambda a, o: np.exp(a, o), (WHOLE, ZEROS)),
    (lambda a, o: np.exp(a, out=o, where=a > 1), (WHOLE, ZEROS)),
    (lambda a, o, p: np.divmod(a, 2, o, p), (TABLE, ZEROS, ZEROS)),
    (lambda a, p: np.divmod(a, 2, out=(a, p)), (TABLE, ZEROS)),
    (lambda a, b: np.add(a, b, out=a[:, :1]), (TABLE, TABLE)),
    (lambda a, b: np.add(a[:, :2], b, out=a), (TABLE, TABLE)),
    (lambda a, b: np.add(b, 1, out=a), (TABLE, LINE)),
    (lambda a: np.add(a[1:], a[:-1], out=a[1:]), (LINE,)),
    (lambda a: np.modf(a), (TABLE / 4,)),
    (lambda a: np.frexp(a), (TABLE,)),
    (lambda a: divmod(a, 2.5), (TABLE,)),
]


@pytest.mark.parametrize(("program", "args"), OUTPUTS)
def test_keywords_of_ufuncs_mean_what_they_mean_in_numpy(program, args):
    check(program, *args)


CHOICES: list[tuple[Program, tuple[Any, ...]]] = [
    (lambda a: np.where(a > 2, a, 0), (TABLE,)),
    (lambda a: np.where(a > 2, 1, 0), (TABLE,)),
    (lambda a: np.where(True, 1, 2.5), (TABLE,)),
    (lambda a: np.where(a, a, 0.5), (WHOLE,)),
    (lambda a, b: np.where(a, b[0], b), (TABLE, WHOLE)),
    (lambda a: a.astype(np.int8), (TABLE,)),
    (lambda a: a.T.astype(np.complex64), (TABLE,)),
    (lambda a: a[::-1, ::2].astype(np.bool_), (TABLE,)),
]


@pytest.mark.parametrize(("program", "args"), CHOICES)
def test_choices_and_conversions_are_those_of_numpy(program, args):
    check(program, *args)


COMPARED: list[Program] = [operator.lt, operator.le, operator.eq, operator.ne, operator.ge]


@pytest.mark.parametrize("program", COMPARED)
@pytest.mark.parametrize("number", [300, -1, 7, -(1 << 63)])
def test_integers_are_compared_by_their_values(program, number):
    def f(a: Any, b: Any) -> Any:
        return program(a, b)

    for letter in "bBHIlL":
        check(f, np.array([0, 7, 127], letter), number)
    for letter in "bhil":
        check(f, np.array([1 << 63, 7], "L"), np.array([-1, 7], letter))
        check(f, np.array([-1, 7], letter), np.array([1 << 63, 7], "L"))
    check(f, np.array([1, 0], "?"), np.array([0, 1 << 63], "L"))


TIMES: list[tuple[Program, tuple[Any, ...]]] = [
    (lambda a, b: a + b, (SECONDS, NAT)),
    (lambda a, b: a < b, (SECONDS, NAT)),
    (lambda a, b: a // b, (SECONDS, NAT)),
    (lambda a, b: np.divmod(a, b), (SECONDS, NAT)),
    (lambda a, b: a - b, (DAYS, MONTHS)),
    (lambda a, b: np.maximum(a, b), (DAYS, MONTHS)),
    (lambda a, b: a + b, (DAYS, SECONDS)),
    (lambda a, b: a + b, (DAYS, np.arange(3))),
    (lambda a, b: a * b, (SECONDS, np.arange(3, dtype=np.int16))),
    (lambda a, b: a * b, (SECONDS, 2.5)),
    (lambda a: a + 1, (SECONDS,)),
    (lambda a, b: a + b, (DAYS, DAYS)),
    (lambda a, b: a * b, (SECONDS, NAT)),
]


@pytest.mark.parametrize(("program", "args"), TIMES)
def test_times_of_several_units_are_computed_in_the_finest(program, args):
    check(program, *args)


def test_an_output_has_as_many_owners_as_before():
    f = cutaway.jit(lambda a, o: np.add(a, 1, out=o))
    array, output = np.ones(10), np.zeros(10)
    f(array, output)
    before = sys.getrefcount(output)
    for _ in range(20):
        f(array, output)
    assert sys.getrefcount(output) == before
