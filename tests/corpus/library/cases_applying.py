"""Rows of the case table: apply_along_axis and the rest of its area."""

from __future__ import annotations

import numpy as np

from corpus.library.rows import row
from corpus.library.values import BOX, EMPTY, SMALL, TABLE

ROWS = [
    row(lambda a: np.apply_along_axis(np.sum, 0, a), TABLE),
    row(lambda a: np.apply_along_axis(lambda x: x[::-1] * 2, 1, a), BOX),
    row(lambda a: np.apply_along_axis(lambda x, k: np.outer(x, x) * k, 1, a, 3), TABLE),
    row(lambda a: np.apply_along_axis(np.max, 0, a), EMPTY.reshape(2, 0)),
    row(lambda a: np.apply_along_axis(np.max, 4, a), TABLE),
    row(lambda a: np.apply_over_axes(np.sum, a, (0, 2)), BOX),
    row(lambda a: np.apply_over_axes(np.max, a, -1), TABLE),
    row(lambda: np.fromfunction(lambda i, j: i * 10 - j, (3, 4))),
    row(lambda: np.fromfunction(lambda i, j: i == j, (3, 3), dtype=int)),
    row(lambda a: np.fromiter(range(a), np.float32), 5),
    row(lambda a: np.fromiter(a, int, 3), SMALL),
    row(lambda a: np.fromiter(a, int, count=30), SMALL),
    row(lambda a: np.block(a), TABLE),
    row(lambda a, b: np.broadcast_arrays(a, 3, b), TABLE, SMALL[:4]),
    row(lambda a, b: np.broadcast_arrays(a, b), TABLE, SMALL),
    # the words name the two arrays that do not fit
    row(lambda a, b, c: np.broadcast_arrays(a, b, c), np.ones(1), np.ones(2), np.ones((3, 3))),
    row(
        lambda a, b, c: np.broadcast_arrays(a, b, 2.5, c),
        *(np.ones((3, 1)), np.ones((1, 2)), np.ones((4, 4))),
    ),
]
