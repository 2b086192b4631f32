"""Rows of the case table: lists and tuples where NumPy takes arrays."""

from __future__ import annotations

import numpy as np

from corpus.library.rows import row
from corpus.library.values import SMALL, TABLE, WIDE


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


def of_its_own(a):
    """A variable of a comprehension is none of the function."""
    x = 3.0
    both = np.array([x for x in a if x > 0]), np.array([[x + k for x in a] for k in range(2)])
    return both, x, np.array([x * k for k in range(2)])


def used_as_a_list(a):
    items = [2 * x for x in a]
    total = 0.0
    for x in items:
        total += x
    return len(items), items[0], items[-1], sum(items), max(items), total


def made_in_a_loop(a):
    out = np.zeros(3)
    for k in range(3):
        out[k] = np.sum([x * k for x in a])
    return out


def grid(m, n):
    return np.array([[[i * 10.0 + j, k] for k in range(2) for j in range(n)] for i in range(m)])


COMPREHENSIONS = [
    row(lambda a: np.array([x * x for x in a]), SMALL),
    row(lambda a: np.array([x for x in a if x > 0 if x < 3]), SMALL),
    row(lambda a: np.array([x if x > 0 else -x for x in a], dtype=np.float32), SMALL),
    row(lambda a, b: np.array([x * y for x, y in zip(a, b)]), SMALL, SMALL[::-1]),  # noqa: B905
    row(lambda a: np.array([k * x for k, x in enumerate(a)]), SMALL),
    row(lambda a: np.array([x + y for x in a for y in a if x < y]), SMALL),
    row(lambda a: np.array([line for line in a]), WIDE.T),  # noqa: C416
    row(lambda a: np.array([line.sum() for line in a]), WIDE),
    row(lambda a: np.array([(x, 2.0) for x in a]), SMALL),
    row(lambda a: np.array([np.array([x, x + 1]) for x in a]), SMALL),
    row(lambda n: np.array([[j for j in range(i)] for i in range(n)]), 3),  # noqa: C416
    row(lambda n: np.array([[j for j in range(i + 1)] for i in range(n)]), 1),  # noqa: C416
    row(lambda n: np.array([complex(i, 1) for i in range(n)]), 20),
    row(lambda a: np.sum([x * x for x in a]), SMALL),
    row(lambda a: [x for x in a][99], SMALL),  # noqa: C416
    row(lambda a: np.array([x for x in [y + 1 for y in a]]), SMALL),  # noqa: C416
    row(lambda: np.array([x for x in ()])),  # noqa: C416
    row(lambda a: np.array([2.0 * x for x in a]), np.empty(0)),
    row(grid, 2, 3),
    row(grid, 2, 1),
    row(of_its_own, SMALL),
    row(used_as_a_list, SMALL),
    row(made_in_a_loop, SMALL),
]

NUMBERS = [
    row(lambda x: (np.sum(x), np.mean(x), np.max(x), np.min(x), np.ptp(x), np.prod(x)), 2.5),
    row(lambda x: (np.sum(x), np.any(x), np.all(x), np.max(x), np.argmax(x), np.median(x)), True),
    row(lambda x: (np.std(x), np.var(x), np.median(x), np.percentile(x, 50), np.average(x)), 2.5),
    row(lambda x: (np.sum(x, axis=0), np.mean(x, dtype=np.float32), np.sum(x, None)), 7),
    row(lambda a: (np.sum(a[0]), np.max(a[1]), np.mean(a[2])), np.arange(4, dtype=np.int16)),
    row(lambda x: (np.cumsum(x), np.cumprod(x), np.unique(x), np.repeat(x, 3)), 2j),
    row(lambda x: (np.nansum(x), np.nanmax(x), np.nanmean(x), np.nancumsum(x)), 2.5),
    row(lambda x: (np.shape(x), np.ndim(x), np.size(x)), 2.5),
    row(lambda x: (np.expand_dims(x, 0), np.transpose(x), np.roll(x, 1), np.squeeze(x, ())), 2.5),
    row(lambda x: (np.argsort(x), np.flatnonzero(x), np.flip(x), np.linalg.norm(x)), -2.5),
    row(lambda: (np.max(3), np.sum(2.5), np.any(False))),
    row(lambda x: np.sort(x), 2.5),
    row(lambda x: np.sum(x, axis=1), 2.5),
    row(lambda x: np.nonzero(x), 2.5),
    row(lambda x: np.where(x), 2.5),
]

# Constants stay constants where a call is made with arrays.
CONSTANTS = [
    row(lambda x: np.sum([[1.0, 2.0], [3.0, x]], axis=1, keepdims=True), 2.5),
    row(lambda x: np.linalg.norm([[1.0, 2.0], [3.0, x]], ord="fro"), 2.5, close=True),
    row(lambda x: np.sort([[1.0, 4.0], [3.0, x]], axis=0, kind="stable"), 2.5),
    row(lambda x: np.unique([1.0, x], return_counts=True), 2.5),
    row(lambda x: np.max([[1, 2], [3, x]], keepdims=True, axis=-1), 5),
]

ROWS = [
    *COMPREHENSIONS,
    *NUMBERS,
    *CONSTANTS,
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
