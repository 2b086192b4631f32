"""Rows of the case table: asarray and the rest of its area."""

from __future__ import annotations

import numpy as np

from library.rows import row
from library.values import SMALL, TABLE, WIDE

ROWS = [
    row(lambda z: complex(z), np.complex64(1.1 + 2j)),
    row(lambda a: np.asarray(a), TABLE),
    row(lambda a: np.asarray(a, np.float32), TABLE),
    row(lambda a: np.array(a), WIDE.T),
    row(lambda: np.array(((1, 2.5), (3, 4)))),
    row(lambda a: np.ascontiguousarray(a), WIDE.T),
    row(lambda a: np.asfortranarray(a), WIDE),
    row(lambda a: a.astype(np.int8), WIDE),
    row(lambda a: a.item(), SMALL[:1]),
    row(lambda a: a.item(), SMALL),
    row(lambda a: np.shape(a), WIDE),
    row(lambda a: np.ndim(a), WIDE),
    row(lambda a: np.size(a), WIDE),
    row(lambda: np.asarray(2.5)),
]
