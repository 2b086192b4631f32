"""Rows of the case table: where and the rest of its area."""

from __future__ import annotations

import numpy as np

from corpus.library.rows import row
from corpus.library.values import MANY, NAN_LINE, NAN_TABLE, SMALL, TABLE, WIDE

ROWS = [
    row(lambda a: np.clip(a, -1, 2), TABLE),
    row(lambda a: np.clip(a, 0.2, 0.5), NAN_TABLE),
    row(lambda a: np.clip(a > 1, False, True), TABLE),
    row(lambda a, b: np.clip(a, b[0], b[1]), TABLE, TABLE - 0.5),
    row(lambda a: a.clip(-1, None), TABLE.T),
    row(lambda a: np.clip(a, -0.0, 0.0) * 2 - a, NAN_TABLE - 0.5),
    row(lambda a: (a - 0.5).clip(np.nan, 0.2), NAN_TABLE),
    row(lambda a: np.clip(a, a_max=0.5, a_min=np.nan), NAN_TABLE.astype("f4")),
    row(lambda a, b: np.clip(a, b, None) + b, NAN_TABLE, NAN_TABLE.T.copy().T),
    row(lambda a: np.clip(a, -300, 300) + 1, TABLE.astype("i1")),
    row(lambda a: np.clip(a, 0.5, 2), TABLE > 0),
    row(lambda a: np.clip(a, None, 0.5), TABLE),
    row(lambda a, b, c: np.clip(a, b, c), NAN_TABLE, NAN_TABLE.T.copy().T * 0.5, 0.5),
    row(lambda: np.clip(5, 0, 3)),
    row(lambda a, b: np.take(a, b), TABLE, np.array([1, 5, -1])),
    row(lambda a, b: np.take(a, b), TABLE, np.array([[1, 50, -1]])),
    row(lambda a, b: a.take(b, axis=1), TABLE, np.array([1, -2])),
    row(lambda a, b: a.take(b, 0), TABLE, 1),
    row(lambda a: np.take(a, 3), TABLE),
    row(lambda a, b: np.take(a, b, 1), TABLE, np.array([7])),
    row(lambda a: np.repeat(a, 2), TABLE),
    row(lambda a, b: np.repeat(a, b), NAN_LINE[:3], np.array([1, 0, 3])),
    row(lambda a, b: np.repeat(a, b, axis=0), TABLE, np.array([1, 0, 3])),
    row(lambda a: np.repeat(a, -1), TABLE),
    row(lambda a, b: a.repeat(b), TABLE, np.array([1, 2])),
    row(lambda a: np.repeat(a, 3, 1), TABLE),
    row(lambda a: np.where(a), TABLE),
    row(lambda a, b: np.where(a, b, 3), True, 2),
    row(lambda c, a: np.extract(c, a), TABLE > 0, TABLE),
    row(lambda c, a: np.extract(c, a), SMALL > 2, MANY),
    row(lambda c, a: np.extract(c, a), SMALL > 2, MANY[:4]),
    row(lambda a, k: np.take_along_axis(a, k, 1), TABLE, np.argsort(TABLE, 1)),
    row(lambda a, k: np.take_along_axis(a, k, axis=0), TABLE, np.argsort(TABLE, 0)[:2]),
    row(lambda a, k: np.take_along_axis(a, k, 0), TABLE, np.array([[0, 2, -1, 1]])),
    row(lambda a, k: np.take_along_axis(a, k, 1), TABLE, np.array([[2]])),
    row(lambda a, k: np.take_along_axis(a, k, axis=None), TABLE, np.array([7, 2])),
    row(lambda a, k: np.take_along_axis(a, k, 0), SMALL, np.array([7, 2])),
    row(lambda a: np.take(a, -1, axis=0), np.array(2.5)),
    row(lambda a: np.repeat(a, 2, axis=0), np.array(2.5)),
    row(lambda a: np.take(a, 2, axis=0), SMALL),
    row(lambda a: np.take(a, 99, axis=-1), SMALL),
    row(lambda a: np.clip(a, min=1, max=3), TABLE),
    row(lambda a, b: a.clip(1, 3, out=b), WIDE, WIDE * 0),
    row(lambda a, b: np.round(a, 1, b), WIDE, WIDE * 0),
]
