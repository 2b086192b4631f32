"""Rows of the case table: bartlett and the rest of its area."""

from __future__ import annotations

import numpy as np

from corpus.library.rows import row
from corpus.library.values import COMPLEX, MANY, NAN_TABLE, SMALL

ROWS = [
    row(lambda a: (np.bartlett(a), np.blackman(a), np.hamming(a), np.hanning(a)), 12),
    row(lambda a: (np.bartlett(a), np.blackman(a), np.hamming(a), np.hanning(a)), 1),
    row(lambda a: (np.bartlett(a), np.blackman(a), np.hamming(a), np.hanning(a)), 0),
    row(lambda a: np.hanning(a), 4.5),
    row(lambda a: np.kaiser(a, 14.0), 51),
    row(lambda a: np.kaiser(a, 3), 1),
    row(lambda a: np.i0(a), 40 * MANY),
    row(lambda a: np.i0(a), (40 * MANY).astype("f")),
    row(lambda a: np.i0(a), SMALL),
    row(lambda a: np.i0(a), 2),
    row(lambda a: np.sinc(a), NAN_TABLE.T),
    row(lambda a: np.sinc(a), SMALL),
    row(lambda a: np.sinc(a), COMPLEX.astype("F")),
    row(lambda a: np.sinc(a), 0.5),
]
