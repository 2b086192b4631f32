"""Rows of the case table: lists and tuples that are constants: written out, or global."""

from __future__ import annotations

import numpy as np

from corpus.library.rows import row
from corpus.library.values import BOX, SMALL, TABLE

AXES = ([1, 2], [0, 1])
ORDER = [1, 0]
WEIGHTS = [0.5, 0.25, 2.0]
NESTED = [[1, 2], [3, 4]]
NOTHING: list[float] = []
CUBE = np.arange(60.0).reshape(3, 4, 5)


def axes_in_a_variable(a, b):
    last = [2]
    axes = ([1, 2], last + [0])  # noqa: RUF005  one more that is computed
    pair = ([1, 2], [0, 1])
    return np.tensordot(a, b, axes=pair), len(axes)


def turned_by(order):
    def turned(a):
        return np.transpose(a, order)

    return turned


def weighted(x):
    total = 0.0
    for weight in WEIGHTS:
        total += weight * x
    return total, WEIGHTS[1], WEIGHTS[int(x)], len(NOTHING), max(WEIGHTS)


def lists_are_places(a, n):
    i = [0, n]
    a[i] += 1
    a[:, [n, 0]] *= 2
    a[(0, n), 1:] -= 3
    part = a[[n, 0]]
    a[0] = 7
    part[0] = 5
    return part, a[i] * 2


def list_is_a_mask(a):
    a[[True, False, True]] += 1
    return a


def exchanged(a):
    a[[0, 1]] = a[[1, 0]]
    a[:, ORDER] = a[:, :2]
    return a


ROWS = [
    row(
        lambda a, b: np.tensordot(a, b, axes=([1, 2], [0, 1])),
        CUBE,
        CUBE[0, :, :, None] + BOX[0, 0],
    ),
    row(lambda a, b: np.tensordot(a, b, axes=[[0], [0]]), TABLE, TABLE),
    row(lambda a, b: np.tensordot(a, b, AXES), CUBE, CUBE[0]),
    row(axes_in_a_variable, CUBE, CUBE[0]),
    row(turned_by([1, 0]), TABLE),
    row(turned_by((1, 0)), TABLE),
    row(lambda a: np.transpose(a, ORDER), TABLE),
    row(lambda a: np.flip(a, [0, -1]), CUBE),
    row(lambda a: np.moveaxis(a, [0, 1], [-1, 0]), CUBE),
    row(lambda a: np.expand_dims(a, [0, 2]), TABLE),
    row(lambda a: np.tile(a, [2, 1]), TABLE),
    row(lambda a: np.broadcast_to(a, [2, 4]), TABLE[0]),
    row(lambda a: np.broadcast_to(a, [4, 2]), TABLE[0]),
    row(lambda a: np.array(NESTED) @ np.array(WEIGHTS[:2]) * a, 2.0),
    row(weighted, 2.0),
    row(lists_are_places, TABLE * 1.0, 1),
    row(lists_are_places, TABLE * 1.0, 2),
    row(list_is_a_mask, TABLE * 1.0),
    row(exchanged, TABLE * 1.0),
    row(lambda a: a[ORDER], SMALL),
]
