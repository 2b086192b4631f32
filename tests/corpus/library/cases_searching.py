"""Rows of the case table: searchsorted and the rest of its area."""

from __future__ import annotations

import numpy as np

from corpus.library.rows import row
from corpus.library.values import INTEGERS, NAN_LINE, NAN_TABLE, SMALL, SORTED, TABLE

ROWS = [
    row(lambda a, b: np.searchsorted(a, b), SORTED, 0.3),
    row(lambda a, b: np.searchsorted(a, b, side="right"), np.sort(INTEGERS), INTEGERS),
    row(lambda a, b: (a.searchsorted(b), a.searchsorted(b, "right")), SORTED, SORTED),
    row(lambda a, b: (a.searchsorted(b), a.searchsorted(b, "right")), SORTED[::3], SORTED[::-1]),
    row(lambda a, b: a.searchsorted(b), SORTED, NAN_TABLE),
    row(lambda a, b: np.searchsorted(a, b, "x"), SORTED, 1.0),
    row(lambda a, b: np.searchsorted(a, b, "right"), SORTED, np.nan),
    row(lambda a, b: np.digitize(a, b), NAN_TABLE, np.array([0.2, 0.4, 0.6])),
    row(lambda a, b: np.digitize(a, b), NAN_TABLE, np.array([0.6, 0.4, 0.2])),
    row(lambda a, b: np.digitize(a, b, True), 0.4, np.array([0.6, 0.4, 0.2])),
    row(lambda a, b: np.digitize(a, b), NAN_TABLE, np.array([0.6, 0.4, 0.9])),
    row(lambda a: np.nonzero(a), TABLE),
    row(lambda a: np.nonzero(a), TABLE.T),
    row(lambda a: a.nonzero(), NAN_LINE),
    row(lambda a: np.argwhere(a), TABLE),
    row(lambda a: np.flatnonzero(a), TABLE.T),
    row(lambda a: np.count_nonzero(a), TABLE),
    row(lambda a: np.count_nonzero(a, axis=1), TABLE),
    row(lambda a: np.count_nonzero(a, 0), INTEGERS),
    row(lambda a: np.count_nonzero(a, keepdims=True), TABLE),
    row(lambda a: np.count_nonzero(a[::2, ::3], axis=0, keepdims=True), NAN_TABLE),
    row(lambda a: np.count_nonzero(a, axis=-1, keepdims=True), TABLE.T),
    row(lambda a: np.count_nonzero(a > 2), 5),
    row(lambda a: np.nonzero(a), np.zeros((0, 3))),
    row(lambda a: np.count_nonzero(a, axis=0), np.array(2.5)),
    row(lambda a, v: np.searchsorted(a, v, "right", np.argsort(a)), SMALL, TABLE),
    row(lambda a: a.searchsorted(2, sorter=a[:3]), SMALL),
    row(lambda a, b: np.count_nonzero(a, b, keepdims=True), TABLE, -1),
]
