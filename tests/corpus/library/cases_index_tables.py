"""Rows of the case table: indices and the rest of its area."""

from __future__ import annotations

import numpy as np

from corpus.library.rows import row
from corpus.library.values import BOX, BYTES, EMPTY, SMALL, TABLE


def filled(a, value):
    np.fill_diagonal(a, value)
    return a


def wrapped(a, value):
    np.fill_diagonal(a, value, wrap=True)
    return a


ROWS = [
    row(lambda: np.indices((2, 3))),
    row(lambda: np.indices((4,), np.float32)),
    row(lambda: np.indices((2, 3), sparse=True)),
    row(lambda a: np.indices(a.shape), EMPTY.reshape(2, 0)),
    row(lambda: (np.diag_indices(3), np.diag_indices(2, 3))),
    row(lambda a: np.diag_indices_from(a), TABLE[:, :3]),
    row(lambda a: np.diag_indices_from(a), TABLE),
    row(lambda a: np.diag_indices_from(a), SMALL),
    row(filled, TABLE, 7),
    row(filled, BOX[:, :2, :2], SMALL[:2]),
    row(filled, SMALL, 7),
    row(filled, np.zeros((9, 2)), 2.5),
    row(wrapped, np.zeros((9, 2)), SMALL[:3]),
    row(lambda a: (np.tril_indices(3, a), np.triu_indices(3, a)), 1),
    row(lambda a: (np.tril_indices(3, a, 5), np.triu_indices(3, k=a, m=2)), -1),
    row(lambda a: (np.tril_indices_from(a), np.triu_indices_from(a, 1)), TABLE),
    row(lambda a: (np.tril_indices(2, a, 4), np.triu_indices(2, a, 4)), -(2**40)),
    row(lambda n: np.tril_indices(n), 2**62),
    row(lambda n: np.triu_indices(3, 0, n), 2**62),
    row(lambda a: np.tril_indices_from(a), BOX),
    row(lambda: np.mask_indices(3, np.triu, 1)),
    row(lambda a: np.unravel_index(a, (3, 4)), 7),
    row(lambda a: np.unravel_index(a, (3, 4), order="F"), 7),
    row(lambda a: np.unravel_index(a, (2, 3, 2)), SMALL.reshape(3, 4).T),
    row(lambda a: np.unravel_index(a, 12), 12),
    row(lambda a: np.unravel_index(a, (3, 4)), -BYTES),
    row(lambda a, b: np.ravel_multi_index((a, b), (3, 4)), 2, 1),
    row(lambda a, b: np.ravel_multi_index((a, b), (3, 4)), 3, 1),
    row(lambda a, b: np.ravel_multi_index((a, b), (3, 4), mode="wrap"), 9, -9),
    row(
        lambda a, b: np.ravel_multi_index((a, b), (3, 4), ("clip", "raise"), "F"),
        SMALL,
        SMALL[:3, None] % 4,
    ),
    row(lambda a: np.ravel_multi_index(a, (6, 6)), SMALL.reshape(2, 6)),
    row(lambda a, b: np.ravel_multi_index((a, b), (3, 4)), SMALL, SMALL),
    row(lambda a, b: np.ravel_multi_index((a, b), (3, 4)), np.array(2), np.array(1)),
    # elements of an array are converted, items of a list have to fit
    row(
        lambda a, v: np.fill_diagonal(a, v), np.zeros((3, 3), np.uint16), np.array([-1.5, 70000.0])
    ),
    row(lambda a: np.fill_diagonal(a, [-1.5, 70000.0]), np.zeros((3, 3), np.uint16)),
    row(lambda a: np.fill_diagonal(a, (1, 2)), np.zeros((3, 3), np.uint16)),
    row(lambda i, j: np.ravel_multi_index((i, j), (-1, 5)), np.zeros(0, int), np.zeros(0, int)),
    row(lambda i, j: np.ravel_multi_index((i, j), (2, 0)), np.array([1]), np.array([1])),
    row(lambda i, j: np.ravel_multi_index((i, j), (0, 5)), 1, 2),
]
