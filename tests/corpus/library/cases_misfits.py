"""Rows of the case table: numbers of Python's that an array of narrow integers cannot hold."""

from __future__ import annotations

import numpy as np

from corpus.library.rows import row

BYTES = np.array([4, 254], "u1")
SIGNED = np.array([4, 100], "i1")
LARGE = np.array([1, 2, 3], "u8")
BOOLS = np.array([True, False])
SINGLE = np.array(3, "u1")


def put_all(a, x):
    a[:] = x
    return a


def put_one(a, x):
    a[0] = x
    return a


def fill(a, x):
    a.fill(x)
    return a


def add(a, x):
    a += x
    return a


OF_ARRAY_AND_NUMBER = [
    lambda a, x: np.maximum(a, x),
    lambda a, x: np.minimum(x, a),
    lambda a, x: np.clip(a, x, 9),
    lambda a, x: np.clip(a, -3, x),
    lambda a, x: np.full_like(a, x),
    lambda a, x: np.insert(a, 0, x),
    lambda a, x: np.insert(a, slice(0, 2), x),
    lambda a, x: np.array((1, x), a.dtype),
    lambda a, x: np.arange(x, x + 2, 1, a.dtype),
    lambda a, x: np.searchsorted(a, x),
    lambda a, x: a.searchsorted(x, "right"),
    lambda a, x: np.digitize(x, a),
    lambda a, x: np.isin(x, a),
    lambda a, x: np.isclose(a, x),
    lambda a, x: np.polyval(a, x),
    lambda a, x: np.dot(a, x),
    lambda a, x: x in a,
    fill,
    put_all,
    add,
]
ROWS = [
    *(
        row(program, a, x)
        for program in OF_ARRAY_AND_NUMBER
        for a, x in ((BYTES, -2), (SIGNED, 300), (LARGE, -1), (BYTES, 7))
    ),
    row(lambda a, x, y: np.clip(a, x, y), BYTES, 2.5, 300),
    row(lambda a, x, y: np.clip(a, x, y), BYTES, 300.5, 300),
    row(lambda a, x, y: np.clip(a, x, y), BYTES, -(2**63), 2**63 - 1),
    row(lambda a, x, y: np.clip(a, x, y), BYTES, np.array([300, -9]), 2**40),
    row(lambda a, x: np.isclose(a, x), BOOLS, -(2**63)),
    row(lambda a, x: np.isclose(x, a), np.array([0.1, 7], "f4"), 0.1),
    row(lambda a, x: np.full(3, x, a.dtype), BYTES, -1.0),
    row(lambda a, x: np.dot(x, a), SINGLE, -1),
    row(lambda a, x: np.polyval(a, x), SIGNED, np.array(100, "i1")),
    *(
        row(put_one, np.zeros(2, dtype), x)
        for dtype in ("u1", "i4", "i8", "u8")
        for x in (-1.0, 255.9, 300.5, 2.0**31, -(2.0**31) - 1, 1e19, np.nan, np.inf)
    ),
]
