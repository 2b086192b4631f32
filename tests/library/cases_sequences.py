"""Rows of the case table: lists and tuples where NumPy takes arrays."""

from __future__ import annotations

import numpy as np

from library.rows import row
from library.values import SMALL, TABLE, WIDE


def lists_in_loops(a):
    total = 0.0
    for x in [1, 2, 3]:
        total += x
    for x in [1, 2.5, a[0]]:
        total += x
    first, second = [a[1], 7]
    return total, first, second


def held(a):
    shape = [2, 3]
    out = np.zeros(shape)
    out[0] = [1, 2, 3]
    out[1:] = [[4, 5, a[0]]]
    return out, len(shape), shape[1], shape[-1:] == [3], 3 in shape


def kept_as_it_was(a):
    """A list has the values that its items had when it was written."""
    x = 1
    both = [x, 2]
    x = 5
    return np.array(both), np.array([x, (x := 7)]), x


ROWS = [
    row(lambda a: np.array([1, 2.5, a[0]]), SMALL),
    row(lambda: np.array([1, 2, 3])),
    row(lambda: np.array([True, False])),
    row(lambda: np.array([1, 2], dtype=np.float32)),
    row(lambda: np.array([])),
    row(lambda: np.array([[], []], dtype=np.int16)),
    row(lambda x: np.array([[x, 1], [2, 3j]]), 2.5),
    row(lambda x: np.array([x, 2]), np.float32(2.5)),
    row(lambda a: np.array([[a[0], a[1]], [a[1], a[0]]]), WIDE),
    row(lambda a, b: np.array([a, b]), SMALL, TABLE[:1, :3].astype("i2").ravel()),
    row(lambda a, b: np.array([a, b]), WIDE[:2], WIDE[:, :1]),
    row(lambda a, b: np.array([a, b]), WIDE, WIDE[:1]),
    row(lambda a: np.asarray([a, a], np.float32), SMALL),
    row(lambda a: np.array([*a.shape, 7]), WIDE),
    row(lambda a: np.array(list(a.shape) + [1] * 2), WIDE),  # noqa: RUF005
    row(lambda x: np.array([1, 2] if x > 0 else [3, 4]), 1),
    row(lambda x: np.array([2 if x > 0 else 3, 4]), 1),
    row(lambda a: np.concatenate([a, a]), SMALL),
    row(lambda a: np.concatenate([a, [0.5]]), SMALL),
    row(lambda a: np.stack([a, a + 1], axis=1), SMALL),
    row(lambda a: a.reshape([a.size, 1]), WIDE),
    row(lambda a: np.transpose(a, [1, 0]), WIDE),
    row(lambda a: np.sum([a, a], axis=0), SMALL),
    row(lambda: np.sum([[1, 2, 3], [4, 5, 6]], axis=1)),
    row(lambda: (np.mean([1, 2]), np.max((3.5, 2)), np.add.reduce([1, 2]))),
    row(lambda a: a + [1, 2, 3], TABLE[:, :3]),
    row(lambda a: [1, 2, 3] * a, TABLE[:, :3]),
    row(lambda a: np.maximum(a, (1, 2, 3)), TABLE[:, :3]),
    row(lambda a: np.where(a > 2, [1, 2, 3], 0), TABLE[:, :3]),
    row(lambda a: np.dot(a, [1, 2, 3]), TABLE[:, :3]),
    row(lambda x: np.interp(x, [1, 2, 3], [4.0, 5, 7]), 1.5),
    row(lambda a: a.searchsorted([1, 2]), np.arange(5.0)),
    row(lambda: ([1, 2] == [1, 2], [1, 2] == (1, 2), [1] + [2] < [1, 3], [4, 4].count(4))),
    row(lambda k: [1, 2, 3][k], 2),
    row(lambda k: [1, 2, 3][k], 3),
    row(lambda: tuple([1, 2.5])),  # noqa: C409
    row(lists_in_loops, SMALL),
    row(held, SMALL),
    row(kept_as_it_was, SMALL),
]
