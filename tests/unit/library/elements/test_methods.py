"""Methods of ufuncs give NumPy's bits, for all dtypes and layouts.

How many of them a run takes, and which, is the corpus METHODS of `tests/corpora.py`; `make ufuncs`
takes all.
"""

from __future__ import annotations

from functools import reduce
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np
import pytest

import corpora
import cutaway
from cutaway.library.arrays.elementwise.ufunc_reductions import is_reorderable
from cutaway.typing import types
from library.elements.operands import LAYOUTS, UFUNCS, same_bits, values
from library.elements.test_ufuncs import CLOSE, EITHER_ZERO

pytestmark = pytest.mark.sampled(test=2, others=12, fast=8)

LETTERS = "?bBhHiIlLfdFD"
METHODS = ("reduce", "accumulate", "reduceat", "outer", "at")
SHAPE = (13, 21)
PLACES = np.array([0, 5, 2, 2, 12, 7])


class Row(NamedTuple):
    """A method of a ufunc, and the letter of the dtype of its operands."""

    name: str
    method: str
    letter: str

    @property
    def function(self) -> Any:  # Any: a ufunc
        return UFUNCS[self.name]


def is_compiled(row: Row) -> bool:
    """True if NumPy has the method for the dtype, and computes in a dtype that is compiled."""
    function = row.function
    if function.nout != 1 or (function.nin == 1 and row.method != "at"):
        return False
    dtype, first = np.dtype(row.letter), row.method in ("outer", "at")
    given = (dtype,) * function.nin if first else (None, dtype)
    try:
        found = function.resolve_dtypes((*given, None), casting="unsafe", reduction=not first)
    except TypeError:
        return False
    # What an integer becomes of a float that it does not hold is any.
    narrows = row.method == "at" and not np.can_cast(found[-1], dtype, "same_kind")
    same = first or len(set(found)) == 1
    return same and not narrows and all(types.from_dtype(one) is not None for one in found)


ROWS = [
    row
    for name in sorted(UFUNCS)
    for method in METHODS
    for letter in LETTERS
    if is_compiled(row := Row(name, method, letter))
]
TAKEN = list(dict.fromkeys(ROWS[k * 37 % len(ROWS)] for k in corpora.seeds("METHODS")))


class OneByOne(NamedTuple):
    """A ufunc whose reductions take one element after another.

    NumPy's own loops of arctan2 and power for floats lose the accumulator on processors with
    AVX-512, where the reduced axis is the contiguous one: `np.arctan2.reduce(v)` is
    `np.arctan2(v[0], v[-1])` there, in NumPy 2.4 and 2.5.
    """

    function: Any  # a ufunc

    def reduce(self, a: Any, axis: int = 0) -> Any:  # Any: an array, its reduction
        if a.size == 0:
            return self.function.reduce(a, axis)
        dtype = self.function.resolve_dtypes((None, a.dtype, None), reduction=True)[0]
        return reduce(self.function, np.moveaxis(a.astype(dtype), axis, 0))

    def reduceat(self, a: Any, places: Any, axis: int = 0) -> Any:  # Any: arrays
        rows = np.moveaxis(a, axis, 0)
        ends = [*places[1:], len(rows)]
        parts = [rows[i : max(i + 1, end)] for i, end in zip(places, ends, strict=True)]
        return np.moveaxis(np.array([self.reduce(one) for one in parts]), 0, axis)


LOSES_THE_ACCUMULATOR = {"arctan2", "power", "float_power"}


def program(row: Row, function: Any) -> Any:  # Any: a ufunc or its stand-in, a function
    match row.method:
        case "reduce" if is_reorderable(row.function):
            return lambda a, b, places: (
                function.reduce(a),
                function.reduce(a, -1, keepdims=True),
                function.reduce(a, None),
            )
        case "reduce":
            return lambda a, b, places: (function.reduce(a), function.reduce(a, 1))
        case "accumulate":
            return lambda a, b, places: (function.accumulate(a), function.accumulate(a, axis=1))
        case "reduceat":
            return lambda a, b, places: (
                function.reduceat(a, places),
                function.reduceat(a, places, -1),
            )
        case "outer":
            return lambda a, b, places: (function.outer(a, b[0]), function.outer(b[:, 0], a))
    return changed_alone(function) if function.nin == 1 else changed(function)


def changed(function: Any) -> Any:  # Any: a ufunc, a function
    def at(a: Any, b: Any, places: Any) -> Any:
        function.at(a, (places, places), b[0, 0])
        function.at(a[0], places, b[0][: len(places)])
        function.at(a, slice(1, 3), b[1])
        return (a,)

    return at


def changed_alone(function: Any) -> Any:  # Any: a ufunc, a function
    def at(a: Any, b: Any, places: Any) -> Any:
        function.at(a, (places, 1))
        function.at(a[0], places)
        return (a,)

    return at


def outcome(call: Any, *args: Any) -> Any:  # Any: a result, or an error
    try:
        with np.errstate(all="ignore"):
            return call(*[arg.copy(order="K") for arg in args])
    except (TypeError, ValueError, IndexError) as error:
        return type(error), str(error)


def agrees(row: Row, layout: str, expected: Any, found: Any) -> bool:  # Any: results
    if isinstance(expected, tuple) and isinstance(expected[0], type):
        return bool(expected == found)
    return all(one_agrees(row, layout, a, b) for a, b in zip(expected, found, strict=True))


def one_agrees(row: Row, layout: str, expected: Any, found: Any) -> bool:  # Any: results
    if not isinstance(expected, np.ndarray):
        found = np.asarray(found).astype(expected.dtype)  # a number of Python's
    if row.name in (*EITHER_ZERO, "maximum", "minimum") and expected.dtype.kind in "fc":
        expected, found = expected + 0, found + 0
    if same_bits(expected, found):
        return True
    # As elements by themselves: NumPy's loops, and products of complex numbers, are so.
    if row.name in CLOSE or row.name in ("multiply", "divide") or layout != "C":
        return np.allclose(found, expected, rtol=1e-5, atol=1e-30, equal_nan=True)
    return False


@pytest.mark.parametrize("row", TAKEN, ids=lambda row: f"{row.name}-{row.method}-{row.letter}")
def test_a_method_gives_the_bits_that_numpy_gives(row):
    random = np.random.default_rng(crc32("".join(row).encode()))
    first, second = (values(row.letter, 273, random).reshape(SHAPE) for _ in range(2))
    if "power" in row.name and first.dtype.kind == "i":
        first, second = first & 7, second & 7
    if "shift" in row.name and first.dtype.kind in "iu":
        first, second = first & 3, second & 3
    call = program(row, row.function)
    reference = call
    if row.name in LOSES_THE_ACCUMULATOR and row.method in ("reduce", "reduceat"):
        reference = program(row, OneByOne(row.function))
    array = types.Array(types.element_type(first.dtype), 2, "A")
    f = cutaway.jit(call)
    f.compile((array, array, types.Array(types.int64, 1, "C")))
    f.disable_compile()
    for name, layout in LAYOUTS.items():
        a, b = layout(first), layout(second)
        if 0 in a.shape or name in ("row", "column", "single"):
            if row.method in ("reduceat", "at"):
                continue
        args = (a, b, PLACES)
        expected, found = outcome(reference, *args), outcome(f, *args)
        assert agrees(row, name, expected, found), (name, expected, found)
