"""Rows of the case table: var and the rest of its area."""

from __future__ import annotations

import numpy as np

from library.rows import row
from library.values import (
    BOX,
    BYTES,
    COMPLEX,
    EMPTY,
    INTEGERS,
    MANY,
    SMALL,
    TABLE,
    WEIGHTS,
    WIDE,
)

ROWS = [
    row(lambda a: np.var(a), WIDE),
    row(lambda a: a.std(), WIDE.T),
    row(lambda a: np.var(a, axis=0), WIDE),
    row(lambda a: np.var(a, 1), WIDE),
    row(lambda a: np.std(a, axis=-1, ddof=1), BOX),
    row(lambda a: np.var(a), INTEGERS),
    row(lambda a: np.var(a, 0), TABLE),
    row(lambda a: np.var(a), MANY.astype("f4")),
    row(lambda a: np.var(*(a,)), WIDE),
    row(lambda a: np.std(*(a, 0)), WIDE),
    row(lambda a: np.std(a), MANY.astype("f4")),
    row(lambda a: np.var(a), COMPLEX[np.isfinite(COMPLEX)]),
    row(lambda a: np.var(a, ddof=2), MANY[:2]),
    row(lambda a: np.std(a, 0), MANY),
    row(lambda a: np.var(a), EMPTY),
    row(lambda a: np.std(a), TABLE > 0),
    row(lambda a: np.var(a, axis=0), WIDE.T),
    row(lambda a: np.var(a, 0), BOX[:, ::2]),
    row(lambda a: np.ptp(a), TABLE),
    row(lambda a: np.ptp(a, axis=0), TABLE),
    row(lambda a: np.ptp(a), BYTES),
    row(lambda a: np.average(a), TABLE),
    row(lambda a, b: np.average(a, weights=b), SMALL, WEIGHTS),
    row(lambda a: np.average(a, axis=0), WIDE),
    row(lambda a, b: np.average(a, weights=b), SMALL, WEIGHTS * 0),
    row(lambda a: np.cov(a), np.round(WIDE[:3] * 8), close=True),
    row(lambda a: np.corrcoef(a), np.round(WIDE[:3] * 8), close=True),
    row(lambda a: np.average(a, 1, returned=True, keepdims=True), WIDE),
    row(lambda a: np.average(a, 1, a[0], True), WIDE),
    row(lambda a: np.average(a, axis=(0, 1), weights=a + 1), WIDE.T),
    row(lambda a: np.average(a, 0, a[0]), WIDE),
    row(lambda a: np.std(a, correction=1), WIDE),
    row(lambda a: np.var(a, 0, mean=a.mean(0, keepdims=True)), WIDE),
    row(lambda a: np.cov(a, rowvar=False, ddof=0), np.round(WIDE[:, :3] * 8), close=True),
    row(lambda a: np.cov(a[0], a[1], fweights=a[2]), np.round(WIDE[:3] * 8), close=True),
    row(lambda a: np.cov(a, aweights=a[1], bias=True), np.round(WIDE[:3] * 8), close=True),
    row(lambda a: np.corrcoef(a, a[:2], rowvar=True), np.round(WIDE[:3] * 8), close=True),
    row(lambda a: np.mean(a, 0, np.float64), np.array(2)),
    row(lambda a: np.mean(a, -1, where=True), np.array(2.5)),
    row(lambda a: np.var(a, 0, np.float32), np.array(2)),
    row(lambda a: np.std(a, -1, np.float64), np.array(2)),
]
