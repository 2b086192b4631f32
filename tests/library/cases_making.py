"""Rows of the case table: eye and the rest of its area."""

from __future__ import annotations

import numpy as np

from library.rows import row
from library.values import NAN_LINE, SMALL, TABLE

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
    row(lambda: np.logspace(0, 2, 5)),
    row(lambda: np.logspace(1, 3, 4, base=2)),
    row(lambda a, b: np.full_like(a, b), TABLE, np.arange(4.0)),
    row(lambda: np.full_like(2.5, 2)),
    row(lambda: np.zeros_like(3)),
    row(lambda: np.ones_like(2.5)),
    row(lambda a: np.full_like(a, a), TABLE),
    row(lambda: np.asarray(2.5)),
    row(lambda: np.geomspace(1, 1000, 4), close=True),
    row(lambda: np.geomspace(-2.0, -32, 5), close=True),
    row(lambda: np.geomspace(3, 4, 7, endpoint=False), close=True),
    row(lambda: np.geomspace(0, 4)),
    row(lambda: np.geomspace(2.0, 4.0, 1)),
    row(lambda: np.linspace(0, 10, 7, dtype=np.int64)),
    row(lambda: np.linspace(-5, 5, 4, dtype=np.int32)),
    row(lambda: np.linspace(0, 1, 7, dtype=np.float32)),
    row(lambda: np.linspace(0, 1, 7, retstep=True)),
    row(lambda: np.linspace(0, 1, 7, endpoint=False, retstep=True)),
    row(lambda: np.linspace(0, 1, 1, retstep=True)),
    row(lambda: np.linspace(0, 1, -1, retstep=True)),
]
