"""Rows of the case table: arange and the rest of its area."""

from __future__ import annotations

import numpy as np

from corpus.library.rows import row

PAIRS = np.array([[1.0, 2.0], [3.0, 5.0], [2.0, 9.0]])

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
    row(lambda a, b: np.linspace(a, b, 5), PAIRS[0], PAIRS[1]),
    row(lambda a, b: np.linspace(a, b, 5, axis=-1, retstep=True), PAIRS, PAIRS[0].astype("f4") * 3),
    row(lambda a, b: np.linspace(a, b, 4, False, dtype=int), PAIRS * 3.7 - 20, 10),
    row(lambda a, b, k: np.linspace(a, b, 4, dtype="f4", axis=k), PAIRS.T, PAIRS.T * 2.5, -2),
    row(lambda a, b: np.linspace(a, b, 0), PAIRS, 1),
    row(lambda a, b: np.linspace(a, b, -1), PAIRS, 1),
    row(lambda a, b: np.linspace(a, b, 4), PAIRS, PAIRS.T),
    row(lambda a, b, k: np.linspace(a, b, 4, axis=k), PAIRS, PAIRS, 5),
    row(lambda a: np.linspace(0.0, a, 4), np.array([5e-324, 2.0])),
    row(lambda a, b: np.linspace(a, b, 5, dtype=complex), 1, 2),
    row(lambda a, b: np.linspace(a, b, 5), 1j, 2.5),
    row(lambda a, b: np.logspace(a, b, 4, axis=1), PAIRS[0], PAIRS[1]),
    row(lambda a, b: np.logspace(a, b, 4, base=[2, 3], axis=-1), 1, 2),
    row(lambda a, b: np.logspace(a, b, 4, base=2, dtype=int), 0, 3),
    row(lambda a, b: np.geomspace(a, b, 5, axis=-1), -PAIRS, -1000),
    row(lambda a, b: np.geomspace(a, b, 4, dtype=int), 1, 1000),
    row(lambda a, b: np.geomspace(a, b, 4), 1j, 8j),
    row(lambda a, b: np.geomspace(a, b, 4), PAIRS, 0),
    row(lambda a: np.geomspace(a, -3, 6), np.nan),
    row(lambda a: np.geomspace(-3, a, 6), np.nan),
    row(lambda a: np.geomspace(-2, a, 4), -16.0, close=True),
    # beyond int64
    row(lambda a: np.arange(a, a + np.uint64(4), dtype=np.uint64), np.uint64(2**63)),
    row(lambda a: np.arange(a, a + np.uint64(9), np.uint64(3), np.uint64), np.uint64(2**63 + 5)),
    row(lambda a: np.arange(a, a + np.uint64(9), 2, dtype=np.uint64), np.uint64(2**63 + 5)),
    row(lambda a: np.arange(a, 256, dtype=np.uint8), np.uint64(253)),
    row(lambda x, y: np.arange(x, y, dtype=np.complex64), 0, 3),
    row(lambda x, y: np.arange(x, y, 0.3, dtype=complex), 0.1, 3),
    row(lambda x: np.arange(x, dtype=np.complex64), 3.5),
]
