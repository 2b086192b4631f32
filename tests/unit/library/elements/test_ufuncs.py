"""Every loop of every ufunc gives NumPy's bits, for arrays of all layouts.

How many loops a run takes, and which, is the corpus UFUNCS of `tests/corpora.py`; `make ufuncs`
takes all.
"""

from __future__ import annotations

import re
from itertools import product
from typing import Any
from zlib import crc32

import numpy as np
import pytest

import corpora
import cutaway
from cutaway.library.elements.by_loop import BY_LOOP
from cutaway.typing import types
from library.elements.operands import LAYOUTS, ROWS, UFUNCS, Row, same_bits, tables, values

pytestmark = pytest.mark.sampled(fast=20)

TAKEN = list(dict.fromkeys(ROWS[k % len(ROWS)] for k in corpora.seeds("UFUNCS")))
# What NumPy's loop does depends on the layout, and so do its last bits.
CLOSE = {name for name, _ in BY_LOOP}
# NumPy takes one zero or the other, by their places.
EITHER_ZERO = {"fmax", "fmin"}


def compiled(row: Row) -> Any:  # Any: a dispatcher
    """The ufunc of two axes of any layout."""
    function = row.function
    letters = [np.dtype({"m": "m8[s]", "M": "M8[s]"}.get(x, x)) for x in row.letters]
    arrays = [types.Array(types.element_type(dtype), 2, "A") for dtype in letters]
    if function.nin == 1:
        return cutaway.jit(lambda a: function(a)), arrays
    return cutaway.jit(lambda a, b: function(a, b)), arrays


def operands(row: Row) -> list[np.ndarray[Any, Any]]:
    """Tables for the operands, without negative powers of integers."""
    random = np.random.default_rng(crc32("".join(row).encode()))
    given = tables(row.letters, random)
    if row.name == "power" and given[1].dtype.kind == "i":
        given[1] &= np.iinfo(given[1].dtype).max
    return given


def agrees(row: Row, layouts: tuple[str, ...], expected: Any, found: Any) -> bool:  # Any: results
    if row.name in EITHER_ZERO:
        expected, found = expected + 0, found + 0
    plain = all(layout == "C" for layout in layouts)
    if row.name in CLOSE and not plain and not same_bits(expected, found):
        # What is fused overflows elsewhere: an infinity may then be NaN.
        finite = np.isfinite(expected) | np.isfinite(found) | (np.dtype(row.letters[0]).kind != "c")
        return bool(np.allclose(found[finite], expected[finite], 1e-5, 1e-30, equal_nan=True))
    return same_bits(expected, found)


def _sooner(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Times, durations or integers so near 0 that their products fit; NaT stays."""
    if array.dtype.kind != "M":
        return array // (1 << 33)
    return (array.view("m8[s]") // (1 << 33)).view(array.dtype)


@pytest.mark.parametrize("row", TAKEN, ids=lambda row: f"{row.name}-{row.letters}")
def test_a_loop_gives_the_bits_that_numpy_gives(row):
    f, arrays = compiled(row)
    f.compile(tuple(arrays))
    f.disable_compile()
    tables_of_all = operands(row)
    with np.errstate(all="ignore"):
        for layouts in layouts_of(row):
            args = [LAYOUTS[name](x) for name, x in zip(layouts, tables_of_all, strict=True)]
            try:
                expected = row.function(*args)
            except OverflowError as error:  # of counts of units, from NumPy 2.5 on
                with pytest.raises(OverflowError, match=f"^{re.escape(str(error))}$"):
                    f(*args)
                args = [_sooner(arg) for arg in args]
                expected = row.function(*args)
            found = f(*args)
            assert agrees(row, layouts, expected, found), (layouts, args, expected, found)


def layouts_of(row: Row) -> list[tuple[str, ...]]:
    """Each layout with itself, with C order, and with one row or column."""
    if row.function.nin == 1:
        return [(name,) for name in LAYOUTS]
    pairs = [(name, name) for name in LAYOUTS]
    whole = ("C", "F", "strided", "reversed")
    pairs += [("C", name) for name in LAYOUTS if name != "empty"]
    pairs += [*product(whole[1:], ("C", "row", "column", "single")), ("row", "column")]
    if row.name != "power":
        return pairs
    # Of one exponent for many numbers NumPy makes a root or a product, but not always.
    return [pair for pair in pairs if pair[1] not in ("column", "single")]


# --- one number beside an array -------------------------------------------------------------------

NUMBERS = (
    *(0, 5, -1, 300, 1 << 40, 2.5, -0.0, 1j, True, np.int8(3), np.uint64(7)),
    *(np.float16(0.1), np.float32(2.5), np.uint8(200), np.complex64(1j)),
)
OF_TWO = [name for name, function in sorted(UFUNCS.items()) if function.nin == 2]
MIXED = list(product(OF_TWO, "?bBhHiIlLefdFD", range(len(NUMBERS)), (True, False)))


def outcome(call: Any) -> Any:  # Any: a result, or the words of an error
    try:
        with np.errstate(all="ignore"):
            return call()
    except cutaway.errors.CutawayError as error:
        return error.message
    except (TypeError, ValueError, OverflowError) as error:
        return str(error)


@pytest.mark.parametrize(("name", "letter", "place", "first"), corpora.sample(900, MIXED))
def test_a_number_beside_an_array_is_what_it_is_in_numpy(name, letter, place, first):
    function = UFUNCS[name]
    array = values(letter, 40, np.random.default_rng(place)).reshape(5, 8)
    if name == "power" and array.dtype.kind == "i":
        array = array & 7
    args = (NUMBERS[place], array) if first else (array, NUMBERS[place])
    expected = outcome(lambda: function(*args))
    f = cutaway.jit(lambda a, b: function(a, b))
    found = outcome(lambda: f(*args))
    if isinstance(expected, str) or isinstance(found, str):
        assert expected == found
    elif name in EITHER_ZERO:
        assert same_bits(expected + 0, found + 0)
    else:
        assert same_bits(expected, found)
