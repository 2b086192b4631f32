"""Rows of the case table: arange and the rest of its area."""

from __future__ import annotations

import numpy as np

from library.rows import row

ROWS = [
    row(lambda n: np.arange(n), 5),
    row(lambda: np.arange(2, 11, 3)),
    row(lambda: np.arange(5, 0, -2)),
    row(lambda: np.arange(0.5, 3)),
    row(lambda: np.arange(1.0, 2.0, 0.1)),
    row(lambda: np.arange(3, dtype=np.float32)),
    row(lambda: np.arange(0, 1, 0)),
    row(lambda n: np.arange(0, n, 1, bool), 2),
    row(lambda n: np.arange(0, n, 1, bool), 3),
    row(lambda: np.linspace(1, 2, 5)),
    row(lambda: np.linspace(1, 1, 3)),
    row(lambda: np.logspace(0, 2, 5)),
    row(lambda: np.logspace(1, 3, 4, base=2)),
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
    row(lambda: (np.arange(4, dtype="f4", like=None), np.arange(1, 9, 3, device="cpu"))),
]
