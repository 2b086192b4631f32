"""Rows of the case table: array_split and the rest of its area."""

from __future__ import annotations

import numpy as np

from corpus.library.rows import row
from corpus.library.values import BOX, EMPTY, SMALL, TABLE

ENDS = np.array([0, 0, 3, 0, 1, 0])


def in_two(a):
    x, y = np.array_split(a, 2)
    return x, y


def at_places(a):
    x, y, z = np.array_split(a, (1, -2), axis=-1)
    return x, y, z


def in_three_even(a):
    x, y, z = np.split(a, 3, 1 if a.ndim > 1 else 0)
    return x, y, z


def in_halves(a):
    x, y = np.hsplit(a, 2)
    z, w = np.vsplit(a, (1,))
    return x, y, z, w


def in_layers(a):
    x, y = np.dsplit(a, 2)
    return x, y


def one_by_one(a):
    x, y, z = np.unstack(a)
    return x, y, z


ROWS = [
    row(in_two, SMALL),
    row(in_two, TABLE),
    row(at_places, SMALL),
    row(at_places, TABLE),
    row(in_three_even, BOX),
    row(in_three_even, SMALL[:4]),
    row(in_halves, TABLE),
    row(in_halves, BOX),
    row(in_halves, SMALL),
    row(in_layers, BOX),
    row(in_layers, TABLE),
    row(one_by_one, TABLE),
    row(lambda a: np.array_split(a, 0), SMALL),
    row(lambda a: np.split(a, (1,), 7), SMALL),
    row(lambda a: np.trim_zeros(a), ENDS),
    row(lambda a: np.trim_zeros(a, "f"), ENDS),
    row(lambda a: np.trim_zeros(a, trim="B"), ENDS * 1j),
    row(lambda a: np.trim_zeros(a), np.outer(ENDS, ENDS)),
    row(lambda a: np.trim_zeros(a, axis=-1), np.outer(ENDS, ENDS)[::-1]),
    row(lambda a: np.trim_zeros(a), EMPTY),
    row(lambda a: np.array_split(a, 0, axis=1), np.ones(3)),
]
