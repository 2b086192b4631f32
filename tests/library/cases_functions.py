"""Rows of the case table: isclose and the rest of its area."""

from __future__ import annotations

import numpy as np

from library.rows import row
from library.values import COMPLEX, EMPTY, MANY, NAN_LINE, SMALL, TABLE, WEIGHTS, WIDE

ROWS = [
    row(lambda z: complex(z), np.complex64(1.1 + 2j)),
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
    row(lambda a, b: np.interp(2.5, a, b), np.arange(4.0), np.arange(4) ** 2),
    row(lambda a, b, c: np.interp(a, b, c), WIDE[:3, :4] * 5, np.arange(4.0), WEIGHTS[:4]),
    row(
        lambda a, b, c: np.interp(a, b, c, left=-1, right=9),
        np.array([-1, 5, 2, np.nan]),
        np.arange(4.0),
        WEIGHTS[:4],
    ),
    row(lambda a, b, c: np.interp(a, b, c), MANY, EMPTY, EMPTY),
    row(lambda a, b, c: np.interp(a, b, c), MANY, WEIGHTS, WEIGHTS[:2]),
    row(lambda a: np.polyval(a, 2.0), SMALL),
    row(lambda a, b: np.polyval(a, b), SMALL, WEIGHTS),
    row(lambda a, b: np.polyval(a, b), SMALL[:3], TABLE),
]
