"""Rows of the case table: isclose and the rest of its area."""

from __future__ import annotations

import numpy as np

from corpus.library.rows import row
from corpus.library.values import COMPLEX, MANY, NAN_LINE, SMALL, TABLE

ROWS = [
    row(lambda a, b: np.isclose(a, b), NAN_LINE, NAN_LINE),
    row(lambda a, b: np.isclose(a, b, equal_nan=True), NAN_LINE, NAN_LINE),
    row(lambda a: np.isclose(a, 1.0), MANY),
    row(lambda: np.isclose(1.0, 1.0 + 1e-9)),
    row(lambda a, b: np.allclose(a, b), MANY, MANY + 1e-10),
    row(lambda a, b: np.allclose(a, b, rtol=1e-20, atol=0), MANY, MANY + 1e-10),
    row(lambda a, b: np.array_equal(a, b), TABLE, TABLE),
    row(lambda a, b: np.array_equal(a, b, equal_nan=True), NAN_LINE, NAN_LINE),
    row(lambda a, b: np.array_equal(a, b), TABLE, SMALL),
    row(lambda a, b: np.isclose(a, b), COMPLEX, COMPLEX),
    row(lambda a, b: np.isclose(a, b), np.array([np.inf, -np.inf]), np.inf),
    row(lambda a, b: np.array_equiv(a, b), TABLE, TABLE.copy()),
    row(lambda a, b: np.array_equiv(a, b), np.ones((3, 1)), np.ones(4)),
    row(lambda a, b: np.array_equiv(a, b), TABLE, SMALL),
    row(lambda a: np.array_equiv(a, 1), np.ones((2, 0, 3))),
    row(lambda a: np.array_equiv(a, 1.0), np.ones((2, 3))),
    row(lambda a, b: np.array_equiv(a, b), NAN_LINE, NAN_LINE),
    row(lambda: np.array_equiv(2, 2.0)),
    # integers and floats are compared as floats
    row(
        lambda a, b: (np.array_equal(a, b), np.array_equiv(a, b)),
        *(np.array([2**63 - 2]), np.array([2.0**63])),
    ),
    row(
        lambda a, b: (np.array_equal(a, b), np.array_equiv(a, b)),
        *(np.array([2**53 + 1]), np.array([2.0**53 + 0j])),
    ),
    row(lambda a, b: np.array_equal(a, b), np.array([2**63 - 2]), np.array([2**63 - 2], np.uint64)),
]
