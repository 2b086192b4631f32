"""Rows of the case table: eye and the rest of its area."""

from __future__ import annotations

import numpy as np

from corpus.library.rows import row
from corpus.library.values import NAN_LINE, SMALL, TABLE

ROWS = [
    row(lambda: np.eye(3)),
    row(lambda: np.eye(3, 4, 1)),
    row(lambda: np.eye(3, k=-1, dtype=np.int32)),
    row(lambda: np.eye(3, dtype=int)),
    row(lambda: np.identity(2)),
    row(lambda: np.identity(2, np.int8)),
    row(lambda: np.tri(3)),
    row(lambda: np.tri(3, 5, -1)),
    row(lambda a: np.tril(a), TABLE),
    row(lambda a: np.triu(a, 1), TABLE),
    row(lambda a: np.tril(a, -1), TABLE),
    row(lambda a: np.vander(a), SMALL[:3]),
    row(lambda a: np.vander(a, 2, increasing=True), NAN_LINE[:2]),
    row(lambda a, b: np.meshgrid(a, b), SMALL, NAN_LINE),
    row(lambda a: np.meshgrid(a[0], a[1, :2], a[2, :3]), TABLE),
    row(lambda a: np.meshgrid(a[0], a[:, 1], indexing="ij", sparse=True), TABLE),
    row(lambda: (np.eye(3, order="F"), np.eye(2, 4, 1, "i1", device="cpu"), np.tri(2, like=None))),
]
