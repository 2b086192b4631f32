"""Rows of the case table: sort and the rest of its area."""

from __future__ import annotations

import numpy as np

from corpus.library.rows import row
from corpus.library.values import BOX, COMPLEX, INTEGERS, LONG, MANY, NAN_LINE, NAN_TABLE, TABLE

ROWS = [
    row(lambda a: np.sort(a), NAN_LINE),
    row(lambda a: np.sort(a), COMPLEX),
    row(lambda a: np.sort(a), INTEGERS),
    row(lambda a: np.sort(a, axis=0), NAN_TABLE),
    row(lambda a: np.sort(a, None), NAN_TABLE),
    row(lambda a: np.sort(a), TABLE.T),
    row(lambda a: np.argsort(a, kind="stable"), INTEGERS),
    row(lambda a: np.argsort(a, axis=0), NAN_TABLE),
    row(lambda a: a.argsort(), COMPLEX),
    row(lambda a: np.argsort(a, None), NAN_LINE[::-2]),
    row(lambda a: np.partition(a, 3)[3], NAN_LINE),
    row(lambda a: np.sort(a, 5), TABLE),
    row(lambda a: np.sort(a), MANY < 0.5),
    row(lambda a: np.argsort(a, kind="stable"), LONG % 50),
    row(lambda a: np.sort(a), MANY.astype("f4")),
    row(lambda a: np.partition(a, 5), np.zeros((3, 0))),
    row(lambda a: np.argsort(a, kind="stable"), np.arange(3000) * 7 % 1000 - 500),
    row(lambda a: np.argsort(a, kind="stable"), np.arange(3000) * 7 % 100 - 50.0),
    row(lambda a: np.argsort(a, kind="stable"), (np.arange(900) % 100).astype("u1")),
    row(lambda a: np.sort(a, kind="heapsort"), NAN_TABLE.T),
    row(lambda a: np.sort(a, 0, stable=True), TABLE[:, ::-2]),
    row(lambda a: np.sort(a), TABLE.astype("M8[D]")),
    row(lambda a: np.argsort(a), LONG % 50),
    row(lambda a: np.partition(a, (1, -1), 0), NAN_TABLE),
    row(lambda a: np.partition(a, 9), TABLE),
    row(lambda a: np.argpartition(a, 5), LONG % 50),
    row(lambda a: a.argpartition(1, axis=0), TABLE.T),
    row(lambda a: np.lexsort((a[0], a[1] > 0)), TABLE),
    row(lambda a: np.lexsort(a, 0), BOX),
    row(lambda a: (a.sort(0), a.partition(1, -1), a), TABLE),
]
