"""Rows of the case table: what lies at positions, and where conditions hold."""

from __future__ import annotations

import numpy as np

from corpus.library.rows import row
from corpus.library.values import BOX, EMPTY, MANY, SMALL, TABLE

CUBE = np.arange(24.0).reshape(2, 3, 4)
PLACES = np.array([[1, 0], [-1, 1]], "i2")

ROWS = [
    row(lambda a, k: np.take(a, k, 1), CUBE, PLACES),
    row(lambda a, k: a.take(k, axis=-1), CUBE.transpose(2, 0, 1), PLACES.astype("u1")[:1]),
    row(lambda a, k: np.take(a, k, 0, mode="wrap"), TABLE, np.array([7, -9, 2])),
    row(lambda a, k: np.take(a, k, 1, mode="clip"), TABLE, np.array([[7], [-9]])),
    row(lambda a, k: np.take(a, k, mode="wrap"), TABLE, 77),
    row(lambda a, k: np.take(a, k, mode="other"), TABLE, 1),
    row(lambda a, k: np.take(a, k, 2), CUBE, 2),
    row(lambda a, k: np.take(a, k, 2), CUBE, 9),
    row(lambda a, k, out: np.take(a, k, 0, out), TABLE, np.array([1, 1]), np.zeros((2, 3))),
    row(lambda a, k, out: np.take(a, k, 0, out), TABLE, np.array([1, 1]), np.zeros(3)),
    row(lambda a, k: np.take(a, k, 1), np.zeros((0, 3)), np.array([1, 9])),
    row(lambda a, k: np.take(a, k, 1), np.zeros((2, 0)), np.array([1, 9])),
    row(lambda a, k: np.take(a, k), TABLE, np.array([True, False])),
    row(lambda c, a: np.compress(c, a, 1), np.array([True, False, True]), TABLE),
    row(lambda c, a: np.compress(c, a), np.array([0, 2, 0, 1]), TABLE),
    row(lambda c, a: np.compress(c, a, axis=0), np.array([True] * 9), TABLE),
    row(lambda c, a: np.compress(c, a), TABLE > 0, TABLE),
    row(lambda a, k: np.take_along_axis(a, k, 0), TABLE, np.array([1])),
    row(lambda a, k: np.take_along_axis(a, k, None), TABLE, np.array([[1]])),
    row(lambda a, k: np.take_along_axis(a, k, 0), np.array(3.25), np.array([[1]])),
    row(lambda k, a, b: np.choose(k, (a, b)), np.array([0, 1, 1]), SMALL[:3], MANY[:3] * 0.5),
    row(lambda k, a, b: np.choose(k, (a, b, a)), np.array([0, 2, 3]), SMALL[:3], MANY[:3]),
    row(lambda k, a: k.choose(a, mode="wrap"), np.array([[0, -1, 9]]), TABLE.T.copy()[:3, :3]),
    row(lambda k, a: np.choose(k, a, mode="clip"), np.array([0, -1, 9]), SMALL),
    row(lambda k, a: np.choose(k, a), np.array([[0], [1]]), TABLE),
    row(lambda k, a: np.choose(k, (a, 2.5)), np.array([0, 1, 1]), SMALL[:2]),
    row(lambda k, a: np.choose(k, (a, a)), np.array([7]), EMPTY),
    row(lambda k, a: np.choose(k, (a, 2.5, 3)), np.array(1), SMALL[0]),
    row(lambda k, a: np.choose(k, (a,)), np.array([0, 0, 1]), SMALL[:3]),
    row(lambda k, a: np.choose(k, a), np.array([0, 1, 1]), TABLE[:, :2]),
    row(lambda k, a: np.choose(k, ()), np.array([0]), SMALL),
    row(
        lambda k, a, out: (np.choose(k, (a, a.T), out), out),
        TABLE[:2, :2] > 1,
        TABLE[:2, :2],
        BOX[0, :2, :2],
    ),
    row(lambda k, a, out: np.choose(k, (a, a), out=out), np.array([0, 1]), SMALL[:2], SMALL[:3]),
    row(lambda k, a: np.choose(k, a, mode="wrap"), 5, TABLE),
    row(lambda k, a: np.choose(k, (a, a[:3])), SMALL % 2, MANY[:4]),
    row(lambda k, a: np.choose(k, (a[:3], a[:1])), SMALL % 2, MANY[:4]),
    row(lambda k, a: np.choose(k, a), SMALL % 2, TABLE),
    row(lambda k, a, b: (np.choose(k, (a, a), b), b), np.array([0, 1]), MANY[:2], np.ones(2, "f")),
    row(lambda k, a, b: np.choose(k, (a, a), b), np.array([0, 1]), MANY[:2], np.ones((2, 1))),
    row(lambda k, a, b: (k.choose(a, out=b), b), np.array([0, 1]), SMALL[:2], np.ones(2)),
    row(lambda a, k: a[k], np.arange(4.0), np.array([], bool)),
    row(lambda a, k: (a[k, k], a[k, None], a[:, k]), np.ones((3, 2)), np.array([], bool)),
    row(lambda a, k: a[k], np.ones((3, 2)), np.zeros((0, 5), bool)),
    row(lambda a, k: np.exp(a[k % 2]), np.arange(4.0), np.array([1, 2, 3])),
    row(lambda a, k: (a[k + 1, k] + k).sum(), np.eye(4), np.array([1, 2, 0])),
    row(lambda a, k: a[k + 1] * 2.0, np.arange(4.0), np.array([1, 3, 0])),
    row(lambda a, k: np.take_along_axis(a, k, 0), TABLE[0] * 1.5, np.array([2, 0], "u8")),
    row(lambda a, b, c: np.choose(a, (b, c)), np.array([0, 1]), np.ones(1), np.ones(3)),
]
