"""Each function of the library: as NumPy has it, its own Python, interpreted, and compiled."""

from __future__ import annotations

import re
import subprocess
import sys
import warnings
from types import FunctionType
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

import cutaway
from corpus.library.rows import Row, all_rows
from corpus.programs.compare import outcome, same
from cutaway.compiling.compiler import lower
from cutaway.extending.registry import CONTEXT
from cutaway.ir.interpreter import interpret
from cutaway.library import areas
from cutaway.typing.overloads.resolution import MISSING, Arguments, Call
from cutaway.typing.types import ListDisplay, Tuple
from cutaway.typing.values.coercion import coerce
from cutaway.typing.values.typeof import typeof, typeof_constant

pytestmark = pytest.mark.sampled(test=12, others=36, fast=200)

ROWS = [
    pytest.param(one, id=f"{area}-{k}")
    for area, rows in all_rows().items()
    for k, one in enumerate(rows)
]


@pytest.fixture(autouse=True)
def quiet():
    """NumPy warns of NaN and of what overflows."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        yield


def alike(row: Row, found: Any, expected: Any) -> bool:
    if same(found[1:2], expected[1:2]) and found[0] == expected[0]:
        return expected[0] == "returned" or same(found[2], expected[2])
    if not row.close or (found[0], expected[0]) != ("returned", "returned"):
        return all_alike(found[:2], expected[:2])
    return found[1].dtype == expected[1].dtype and np.allclose(found[1], expected[1], 1e-13, 0)


def all_alike(found: Any, expected: Any) -> bool:
    """Whether results differ only in which of many NaNs is there, or in the sign of a zero."""
    if isinstance(expected, tuple):
        pairs = zip(found, expected, strict=True)
        return (
            isinstance(found, tuple)
            and len(found) == len(expected)
            and all(all_alike(a, b) for a, b in pairs)
        )
    if isinstance(expected, np.ndarray):
        exact = isinstance(found, np.ndarray) and found.dtype == expected.dtype
        floats = expected.dtype.kind in "fc"
        return exact and np.array_equal(found, expected, equal_nan=floats)
    return same(found, expected)


def compiled(program: Any, *args: Any) -> Any:
    return cutaway.jit(program)(*args)


def interpreted(program: Any, *args: Any) -> Any:
    unit = lower(cutaway.jit(program).half, tuple(map(typeof, args)))
    return interpret(unit.fn, *args, types=unit.types, coerce=coerce)


def in_python(program: Any, *args: Any) -> Any:
    names = {**program.__globals__, "np": Implementations()}
    return FunctionType(program.__code__, names, closure=program.__closure__)(*args)


def type_in_a_program(value: Any) -> Any:
    """The type of an argument, as it is where a program has it."""
    if isinstance(value, list):
        return ListDisplay(tuple(map(type_in_a_program, value)))
    if type(value) is tuple:
        return Tuple(tuple(map(type_in_a_program, value)))
    constant = isinstance(value, str | type) or value is None or callable(value)
    return typeof_constant(value) if constant else typeof(value)


def is_plain(value: Any) -> bool:
    """True if a program that spells an argument knows its value."""
    if type(value) in (tuple, list):
        return len(value) > 0 and all(map(is_plain, value))
    return type(value) in (int, bool, str)


class Implementations:
    """NumPy, but for functions that the library has in Python: these are called themselves."""

    def __getattr__(self, name: str) -> Any:
        function = getattr(np, name)
        if not areas.has(function):
            return function
        return lambda *args, **named: self.call(function, args, named)

    def call(self, function: Any, args: tuple[Any, ...], named: dict[str, Any]) -> Any:
        given = (*args, *named.values())
        types = tuple(map(type_in_a_program, given))
        known = tuple(one if is_plain(one) else MISSING for one in given)
        call = Call(Arguments(types, known), tuple(named))
        found = CONTEXT.resolve(function, call)
        if found is None or found.implementation is None:
            return function(*args, **named)
        return found.implementation(*args, **named)


@pytest.mark.parametrize("way", [compiled, interpreted, in_python])
@pytest.mark.parametrize("row", ROWS)
def test_a_function_does_what_numpys_does(row, way):
    expected = outcome(row.program, row.arguments())
    found = outcome(lambda *args: way(row.program, *args), row.arguments())
    assert alike(row, found, expected), (found[:3], expected[:3])


# --- loading ---------------------------------------------------------------------------------


def test_one_area_is_loaded_without_the_others():
    program = """
import sys, numpy as np, cutaway
f = cutaway.jit(lambda a: np.cumsum(a))
f(np.arange(3))
from cutaway.library.areas import AREAS
print(*(area for area in AREAS if f"cutaway.library.{area}" in sys.modules))
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    # These come with the methods.
    new_arrays = {"arrays.creating.conversions", "arrays.creating.creation"}
    parts = {"arrays.layout.splitting"}  # sums along an axis go through memory part by part
    assert set(done.stdout.split()) - new_arrays - parts == {"arrays.statistics.cumulative"}


# --- random arrays ----------------------------------------------------------------------------

FLOATS = st.floats(allow_nan=True, allow_infinity=True, width=64)
LINES = arrays.arrays(np.float64, st.integers(0, 70), elements=FLOATS)
INTEGERS = arrays.arrays(np.int16, st.integers(0, 70), elements=st.integers(-9, 9))
FINITE = arrays.arrays(np.float64, st.integers(1, 40), elements=st.floats(-100, 100))

sort = cutaway.jit(lambda a: np.sort(a))
argsort = cutaway.jit(lambda a: np.argsort(a, kind="stable"))
unique = cutaway.jit(lambda a: np.unique(a))
median = cutaway.jit(lambda a: np.median(a))
histogram = cutaway.jit(lambda a, n: np.histogram(a, n))
quantile = cutaway.jit(lambda a, q: np.quantile(a, q))
searchsorted = cutaway.jit(lambda a, v: (np.searchsorted(a, v), np.searchsorted(a, v, "right")))


@settings(max_examples=200, deadline=None)
@given(st.one_of(LINES, INTEGERS))
def test_sorting_random_arrays_gives_what_numpy_gives(a):
    assert all_alike(sort(a), np.sort(a))
    assert all_alike(argsort(a), np.argsort(a, kind="stable"))
    assert all_alike(unique(a), np.unique(a))


@settings(max_examples=200, deadline=None)
@given(LINES, LINES)
def test_searching_sorted_random_arrays_gives_what_numpy_gives(a, v):
    a = np.sort(a)
    assert all_alike(searchsorted(a, v), (np.searchsorted(a, v), np.searchsorted(a, v, "right")))


@settings(max_examples=200, deadline=None)
@given(FINITE, st.integers(1, 20), st.floats(0, 1))
def test_statistics_of_random_arrays_are_numpys(a, n, q):
    try:
        expected = np.histogram(a, n)
    except ValueError as error:  # a range too small to be cut into bins
        with pytest.raises(ValueError, match=re.escape(str(error))):
            histogram(a, n)
    else:
        assert all_alike(histogram(a, n), expected)
    assert median(a) == np.median(a)
    assert quantile(a, q) == pytest.approx(np.quantile(a, q), rel=1e-12, abs=1e-12)
