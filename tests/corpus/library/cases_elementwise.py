"""Rows of the case table: maximum and the rest of its area."""

from __future__ import annotations

import numpy as np

from corpus.library.rows import row
from corpus.library.values import COMPLEX, NAN_TABLE, SMALL, TABLE

ROWS = [
    row(lambda a, b: np.maximum(a, b), TABLE, 2),
    row(lambda a, b: np.minimum(a, b), NAN_TABLE, TABLE),
    row(lambda a, b: np.maximum(a, b), 2, 3.5),
    row(lambda a: np.isnan(a), NAN_TABLE),
    row(lambda a: np.isnan(a), COMPLEX),
    row(lambda a: np.isfinite(a), TABLE),
    row(lambda a: np.isinf(a), NAN_TABLE.T),
    row(lambda a: np.nan_to_num(a), np.array([np.nan, np.inf, -np.inf, 1])),
    row(
        lambda a: np.nan_to_num(a, nan=3, posinf=5.0), np.array([np.nan, np.inf, -np.inf, 1], "f4")
    ),
    row(lambda a: np.nan_to_num(a), COMPLEX),
    row(lambda a: np.nan_to_num(a), TABLE),
    row(lambda a: np.round(a), NAN_TABLE * 9),
    row(lambda a: np.round(a, 1), NAN_TABLE.T),
    row(lambda a, n: np.around(a, n), NAN_TABLE.astype("f4") * 99, -1),
    row(lambda a: a.round(2) + a.round(), NAN_TABLE),
    row(lambda a: a.round(-1), TABLE * 7),
    row(lambda a: np.round(a, -400), TABLE.astype("u1")),
    row(lambda a, n: np.round(a, n), TABLE, 1 << 31),
    row(lambda a, n: np.round(a, n), NAN_TABLE, 1 << 31),
    row(lambda x: np.round(x, 2), 2.675),
    row(lambda n: np.round(n, -2), 1250),
    row(lambda a: np.round(a, -400), np.array(7)),
    row(lambda a: np.nan_to_num(a, copy=False, nan=2), NAN_TABLE.T),
    row(lambda a: np.nan_to_num(a), -np.inf),
    row(lambda a: np.nan_to_num(a, posinf=3), complex(np.inf, np.nan)),
    row(lambda a: np.nan_to_num(a, copy=False), SMALL),
    row(lambda a, b: (np.round(a, b), a.round(b)), np.array([1.256 - 7.5j, 2e9 + 1j]), 1),
]
