"""Rows of the case table: gradient and the rest of its area."""

from __future__ import annotations

import numpy as np

from corpus.library.rows import row
from corpus.library.values import BOX, MANY, NAN_TABLE, SMALL, SORTED, TABLE, WEIGHTS

ROWS = [
    row(lambda a: np.gradient(a), MANY),
    row(lambda a: np.gradient(a, 2), TABLE),
    row(lambda a: np.gradient(a, 0.5, axis=-1), BOX),
    row(lambda a, b: np.gradient(a, b, edge_order=2), WEIGHTS, SORTED[:12]),
    row(lambda a, b: np.gradient(a, b, axis=1), NAN_TABLE.astype("f"), SORTED[:4]),
    row(lambda a, b: np.gradient(a, 2.0, b), TABLE.T, SMALL[:3]),
    row(lambda a: np.gradient(a, axis=(1, 0)), TABLE[::-1]),
    row(lambda a: np.gradient(a, edge_order=2), TABLE[:, :2]),
    row(lambda a: np.gradient(a, 1, 2, 3), TABLE),
    row(lambda a, b: np.gradient(a, edge_order=b), MANY, 3),
    row(lambda a: np.unwrap(a), 9 * MANY % 6),
    row(lambda a: np.unwrap(a, axis=0), 9 * BOX),
    row(lambda a: np.unwrap(a, period=5), SMALL),
    row(lambda a: np.unwrap(a, 2.5), (9 * NAN_TABLE).astype("f")),
    row(lambda a: np.unwrap(a, axis=3), SMALL),
]
