"""Rows of the case table: packbits and the rest of its area."""

from __future__ import annotations

import numpy as np

from corpus.library.rows import row
from corpus.library.values import EMPTY, SMALL, TABLE

BITS = np.array([[3, 200], [255, 0]], np.uint8)

ROWS = [
    row(lambda a: np.packbits(a), SMALL),
    row(lambda a: np.packbits(a, axis=0, bitorder="little"), TABLE > 1),
    row(lambda a: np.packbits(a), EMPTY > 1),
    row(lambda a: np.unpackbits(a), BITS),
    row(lambda a: np.unpackbits(a, axis=-1, count=-3), BITS.T),
    row(lambda a: np.unpackbits(a, axis=0, count=20, bitorder="little"), BITS[::-1]),
    row(lambda a: np.unpackbits(a, count=-99), BITS),
]
