"""Every loop of every ufunc with operands in memory of other kinds: read-only, unaligned, without
dimensions, and shared with the output.  How many a run takes is the corpus UFUNCS_MEMORY."""

from __future__ import annotations

from typing import Any
from zlib import crc32

import numpy as np
import pytest

import corpora
import cutaway
from library.elements.operands import ROWS, Row, same_bits, values
from library.elements.test_ufuncs import CLOSE, EITHER_ZERO

pytestmark = pytest.mark.sampled(others=6, fast=15)

TAKEN = list(dict.fromkeys(ROWS[k % len(ROWS)] for k in corpora.seeds("UFUNCS_MEMORY")))
COUNT = 700  # more than a block


def operands(row: Row) -> list[np.ndarray[Any, Any]]:
    random = np.random.default_rng(crc32("".join(row).encode()))
    given = [values(letter, COUNT, random) for letter in row.letters]
    if row.name == "power" and given[1].dtype.kind == "i":
        given[1] &= 7
    if "m" in row.letters or "M" in row.letters:  # counts whose sums and products fit
        given = [(x.view("i8") // (1 << 33)).view(x.dtype) for x in given if x.itemsize == 8]
    return given


def unaligned(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The same elements one byte beside where they belong."""
    memory = np.zeros(array.nbytes + 1, np.uint8)
    view = memory[1:].view(array.dtype)
    view[...] = array
    return view


def readonly(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    copy = array.copy()
    copy.flags.writeable = False
    return copy


def call(row: Row) -> Any:  # Any: a dispatcher
    function = row.function
    if function.nin == 1:
        return cutaway.jit(lambda a: function(a))
    return cutaway.jit(lambda a, b: function(a, b))


def into(row: Row) -> Any:  # Any: a dispatcher
    function = row.function
    if function.nin == 1:
        return cutaway.jit(lambda a, out: function(a, out=out))
    return cutaway.jit(lambda a, b, out: function(a, b, out=out))


def is_close(row: Row, result: Any, expected: Any) -> bool:  # Any: results
    """The same bits, as far as NumPy itself gives the same ones wherever operands lie."""
    if row.name in EITHER_ZERO:
        result, expected = result + 0, expected + 0
    if row.name in CLOSE and not same_bits(expected, result):
        finite = np.isfinite(expected) & np.isfinite(result)
        return bool(np.allclose(result[finite], expected[finite], rtol=1e-5, atol=1e-30))
    return same_bits(result, expected)


@pytest.mark.parametrize("row", TAKEN, ids=lambda row: f"{row.name}-{row.letters}")
def test_operands_may_lie_anywhere(row):
    tables = operands(row)
    f = call(row)
    with np.errstate(all="ignore"):
        expected = row.function(*tables)
        for place in (unaligned, readonly):
            assert is_close(row, f(*map(place, tables)), expected)
        first, *rest = tables
        mixed = (unaligned(first), *map(readonly, rest))
        assert is_close(row, f(*mixed), expected)


@pytest.mark.parametrize("row", TAKEN[::2], ids=lambda row: f"{row.name}-{row.letters}")
def test_an_array_without_dimensions_is_a_number(row):
    tables = [table[:1].reshape(()) for table in operands(row)]
    with np.errstate(all="ignore"):
        expected, result = row.function(*tables), call(row)(*tables)
    # A number is Python's where it leaves compiled code.
    pairs = zip(np.atleast_1d(result), np.atleast_1d(expected), strict=True)
    for number, wanted in pairs:
        assert is_close(row, np.array([number]).astype(wanted.dtype), np.array([wanted]))


@pytest.mark.parametrize("row", TAKEN[1::2], ids=lambda row: f"{row.name}-{row.letters}")
def test_the_output_may_share_memory_with_an_operand(row):
    tables = operands(row)
    if row.function.nout != 1:
        pytest.skip("two outputs")
    with np.errstate(all="ignore"):
        dtype = row.function(*tables).dtype
    places = [k for k, table in enumerate(tables) if table.dtype == dtype]
    if not places:
        pytest.skip("no operand of the output's dtype")
    g = into(row)
    for start, stop in ((1, None), (None, -1)):  # forward and backward
        results = []
        for way in (row.function, g):
            memory = [table.copy() for table in tables]
            out = memory[places[0]][start:stop]
            args = [m[: len(out)] if start else m[-len(out) :] for m in memory]
            with np.errstate(all="ignore"):
                way(*args, out=out) if way is row.function else way(*args, out)
            results.append(memory[places[0]])
        assert is_close(row, results[1], results[0])
