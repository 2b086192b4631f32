"""Rows of the case table: bincount and the rest of its area."""

from __future__ import annotations

import numpy as np

from corpus.library.rows import row
from corpus.library.values import BYTES, NAN_LINE, SMALL, WEIGHTS

ROWS = [
    row(lambda a: np.bincount(a), SMALL),
    row(lambda a, b: np.bincount(a, b), SMALL, WEIGHTS),
    row(lambda a: np.bincount(a, minlength=20), SMALL),
    row(lambda a: np.bincount(a), -SMALL),
    row(lambda a: np.bincount(a, minlength=-1), SMALL),
    row(lambda a, b: np.bincount(a, b), SMALL, NAN_LINE),
    row(lambda a: np.bincount(a), SMALL[:0]),
    row(lambda a: np.bincount(a), BYTES),
    row(lambda a: np.bincount(a), SMALL > 1),
    row(lambda a, b: np.bincount(a, b), SMALL > 1, WEIGHTS),
    row(lambda a: np.bincount(a), SMALL.astype(np.uint64)),
    row(lambda a: np.bincount(a), np.array([1, 1 << 63], np.uint64)),
    row(lambda a: np.count_nonzero(a, axis=(0, 1)), np.arange(6).reshape(2, 3)),
    row(lambda a: np.count_nonzero(a, axis=(0, -1), keepdims=True), np.arange(6).reshape(2, 3)),
    row(lambda a: np.count_nonzero(a, axis=()), np.arange(6).reshape(2, 3)),
]
