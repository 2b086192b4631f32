"""Rows of the case table: bincount and the rest of its area."""

from __future__ import annotations

import numpy as np

from library.rows import row
from library.values import BYTES, EMPTY, INTEGERS, MANY, NAN_LINE, SMALL, WEIGHTS

ROWS = [
    row(lambda a: np.bincount(a), SMALL),
    row(lambda a, b: np.bincount(a, b), SMALL, WEIGHTS),
    row(lambda a: np.bincount(a, minlength=20), SMALL),
    row(lambda a: np.bincount(a), -SMALL),
    row(lambda a: np.bincount(a, minlength=-1), SMALL),
    row(lambda a, b: np.bincount(a, b), SMALL, NAN_LINE),
    row(lambda a: np.bincount(a), SMALL[:0]),
    row(lambda a: np.bincount(a), BYTES),
    row(lambda a: np.histogram(a), MANY[:100]),
    row(lambda a: np.histogram(a, 5), INTEGERS),
    row(lambda a: np.histogram(a, bins=4, range=(0, 2)), INTEGERS),
    row(lambda a, b: np.histogram(a, b), MANY[:100], np.array([0.1, 0.3, 0.5, 0.9])),
    row(lambda a, b: np.histogram(a, b), INTEGERS, np.array([1, 4, 2])),
    row(lambda a: np.histogram(a), NAN_LINE),
    row(lambda a: np.histogram(a, 0), INTEGERS),
    row(lambda a: np.histogram(a), EMPTY),
    row(lambda a: np.histogram(a), np.ones(4)),
    row(lambda a: np.histogram(a, 7), MANY[:30].astype("f4")),
    row(lambda a: np.histogram(a, 3, (2, 1)), INTEGERS),
    row(lambda a, b: np.histogram(a, b), INTEGERS, np.array([1, 4, 5.0])),
    row(lambda a: np.histogram(a, 7), MANY[:300].astype("f4")),
]
