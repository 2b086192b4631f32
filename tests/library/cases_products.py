"""Rows of the case table: dot and the rest of its area."""

from __future__ import annotations

import numpy as np

from library.rows import row
from library.values import SMALL, TABLE

ROWS = [
    row(lambda a, b: np.dot(a, b), SMALL, SMALL),
    row(lambda a, b: np.dot(a, b), TABLE, TABLE.T),
    row(lambda a, b: np.dot(a, b), TABLE, SMALL[:4]),
    row(lambda a, b: np.dot(a, b), SMALL[:3], TABLE),
    row(lambda a, b: np.dot(a, b), TABLE, TABLE),
    row(lambda a: np.dot(2, a), TABLE),
    row(lambda: np.dot(2, 3)),
    row(lambda a, b: a.dot(b), TABLE.astype("i1"), TABLE.T),
    row(lambda a, b: a @ b, TABLE, TABLE.T),
    row(lambda a, b: a @ b, TABLE, TABLE),
    row(lambda a, b: np.matmul(a, b), SMALL, SMALL),
    row(lambda a, b: np.dot(a, b), SMALL > 2, SMALL > 4),
    row(lambda a, b: np.vdot(a, b), np.array([1 + 2j, 3]), np.array([2j, 1])),
    row(lambda a, b: np.vdot(a, b), TABLE, TABLE),
    row(lambda a, b: np.vdot(a, b), TABLE, SMALL),
    row(lambda a, b: np.inner(a, b), TABLE, TABLE),
    row(lambda a, b: np.inner(a, b), SMALL, SMALL),
    row(lambda a, b: np.outer(a, b), TABLE, SMALL),
    row(lambda a, b: np.kron(a, b), SMALL[:3], SMALL[:2]),
    row(lambda a, b: np.kron(a, b), TABLE, TABLE.T),
    row(lambda a, b: np.cross(a, b), SMALL[:3], SMALL[3:6]),
    row(lambda a, b: np.cross(a, b), TABLE[:, :3], TABLE[:, 1:]),
    row(lambda a: np.trace(a), TABLE),
    row(lambda a: a.trace(1), TABLE.astype("i1")),
    row(lambda a: np.trace(a, -2), TABLE),
    row(lambda a: np.trace(a), TABLE > 0),
    row(lambda a, b: np.convolve(a, b), SMALL, np.array([1, 2, 3])),
    row(lambda a, b: np.convolve(a, b, "same"), np.array([1, 2, 3, 4]), SMALL),
    row(lambda a, b: np.convolve(a, b, "same"), SMALL, np.array([1, 2, 3, 4])),
    row(lambda a, b: np.convolve(a, b, mode="valid"), SMALL, np.array([1, 2])),
    row(lambda a, b: np.convolve(a, b, "x"), SMALL, SMALL),
    row(lambda a, b: np.convolve(a, b), SMALL, SMALL[:0]),
    row(lambda a, b: np.correlate(a, b), SMALL, np.array([1, 2, 3])),
    row(lambda a, b: np.correlate(a, b, "same"), np.array([1, 2, 3, 4]), SMALL),
    row(lambda a, b: np.correlate(a, b, "same"), SMALL, np.array([1, 2, 3, 4])),
    row(lambda a, b: np.correlate(a, b, "full"), SMALL, np.array([1, 2, 5])),
    row(lambda a, b: np.correlate(a, b, "full"), np.array([1, 2, 5]), SMALL),
    row(lambda a, b: np.correlate(a, b, "same"), np.array([1, 2, 5]), SMALL),
]
