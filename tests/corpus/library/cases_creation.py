"""Rows of the case table: zeros and the rest of its area."""

from __future__ import annotations

import numpy as np

from corpus.library.rows import row
from corpus.library.values import TABLE, WIDE

ROWS = [
    row(lambda n: np.zeros(n), 3),
    row(lambda: np.zeros((2, 3), np.int16)),
    row(lambda: np.ones((2, 0))),
    row(lambda: np.ones(2, bool)),
    row(lambda: np.empty((0, 4)).shape),
    row(lambda: np.full((2, 2), 1.5)),
    row(lambda: np.full(2, 3, np.complex64)),
    row(lambda a: np.zeros_like(a), TABLE),
    row(lambda a: np.empty_like(a).shape, WIDE),
    row(lambda a: np.ones_like(a, np.int8), WIDE.T),
    row(lambda n: np.zeros(n), -1),
    row(lambda a, b: np.full_like(a, b), TABLE, np.arange(4.0)),
    row(lambda: np.full_like(2.5, 2)),
    row(lambda: np.zeros_like(3)),
    row(lambda: np.ones_like(2.5)),
    row(lambda a: np.full_like(a, a), TABLE),
    row(
        lambda: (np.zeros((2, 3), order="F"), np.ones(4, "i1", "F"), np.full((2, 2), 1, order="F"))
    ),
    row(lambda a: (np.zeros_like(a, order="F"), np.ones_like(a, shape=(2, 2))), TABLE),
    row(lambda a: (np.full_like(a, 2, "f4", shape=3), np.full((3, 4), a[0], device="cpu")), TABLE),
]
