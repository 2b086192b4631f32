"""Rows of the case table: histogram."""

from __future__ import annotations

import numpy as np

from corpus.library.rows import row
from corpus.library.values import BYTES, EMPTY, INTEGERS, LONG, MANY, NAN_LINE, SMALL, WEIGHTS

ROWS = [
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
    row(lambda a: np.histogram(a, 20), np.arange(4000.0) % 777),
    row(lambda a: np.histogram(a, 30, (0.0, 1.0)), MANY),
    row(lambda a: np.histogram(a, 10, (0.0, 1.0)), np.arange(2000) / 1000 - 0.5),
    row(lambda a: np.histogram(a, 10, (1e9, 1e9 + 1e-5)), 1e9 + MANY * 1e-5),
    row(lambda a: np.histogram(a, 50), BYTES),
    row(lambda a: np.histogram(a), LONG),
    row(lambda a: np.histogram(a, 3, (0.0, 1.0)), NAN_LINE),
    row(lambda a: np.histogram(a, 3, (0.0, np.inf)), NAN_LINE),
    row(lambda a: np.histogram(a, density=True), MANY),
    row(lambda a: np.histogram(a, 4, density=False), INTEGERS),
    row(lambda a: np.histogram(a, 4, None, True), MANY.astype("f4")),
    row(lambda a, b: np.histogram(a, b, density=True), MANY, np.array([0.1, 0.3, 0.5, 0.9])),
    row(lambda a, w: np.histogram(a, 5, weights=w), SMALL, WEIGHTS),
    row(lambda a, w: np.histogram(a, 5, weights=w), SMALL, SMALL),
    row(lambda a, w: np.histogram(a, 5, weights=w, density=True), SMALL, WEIGHTS, close=True),
    row(lambda a, w: np.histogram(a, 5, weights=w), SMALL, WEIGHTS + 1j),
    row(lambda a, w: np.histogram(a, 5, weights=w), SMALL, WEIGHTS.astype("f4")),
    row(lambda a, w: np.histogram(a, 5, weights=w), SMALL, MANY),
    row(lambda a, b, w: np.histogram(a, b, weights=w), SMALL, np.array([0, 2, 4]), SMALL),
    row(lambda a, b, w: np.histogram(a, b, weights=w), SMALL, np.array([0.5, 2, 4]), SMALL / 8),
    row(lambda a: np.histogram(a, 7, (0.1, 0.77)), MANY[:300].astype("f4")),
    row(lambda a, b: np.histogram(a, b), INTEGERS, np.array([0, 0.5, 2.5, 7], "f")),
    row(lambda a, b: np.histogram(a, b), MANY[:50] * 9, np.array([0, 1, 3, 9])),
]
