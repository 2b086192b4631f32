"""Rows of the case table: generalized ufuncs that are told axes, a dtype, or to keep dimensions."""

from __future__ import annotations

import numpy as np

import cutaway
from corpus.library.rows import row
from corpus.library.values import BOX, TABLE, WIDE

CUBE = np.arange(24.0).reshape(2, 3, 4)


@cutaway.guvectorize(["(f8[:],f8[:],f8[:])", "(i8[:],i8[:],i8[:])"], "(n),(n)->()")
def dotted(a, b, out):
    total = 0
    for k in range(len(a)):
        total += a[k] * b[k]
    out[0] = total


@cutaway.guvectorize(["(f8[:],f8[:])"], "(n)->(n)")
def turned(a, out):
    for k in range(len(a)):
        out[k] = a[-1 - k]


ROWS = [
    row(lambda a: np.vecdot(a, a, axis=0, keepdims=True), TABLE),
    row(lambda a: np.vecdot(a, a, axes=[1, 1, 0], keepdims=True), CUBE),
    row(lambda a, out: np.vecdot(a, a, out, axes=[0, 0]), TABLE * 1.0, np.zeros(4)),
    row(lambda a, out: np.vecdot(a, a, out=out), TABLE * 1.0, np.zeros(3)),
    row(lambda a: np.vecdot(a[0], a[1], keepdims=True), TABLE),
    row(lambda a, b: np.matmul(a, b, axes=[(0, 1), (-2, -1), (0, 2)]), CUBE[:, :2], CUBE.T[:, :2]),
    row(lambda a: np.matmul(a, a, axes=[(1, 0), (0, 1), (1, 0)], dtype="f4"), TABLE),
    row(lambda a, b: np.matvec(a, b, axes=[(0, 1), 0, -1]), CUBE, CUBE[0, 0, :3]),
    row(lambda a: (dotted(a, a, axis=0), dotted(a, a, axes=[0, 0, 0], keepdims=True)), TABLE),
    row(lambda a, out: dotted(a, a, out, axis=1), BOX, np.zeros((2, 4)), close=True),
    row(lambda a: dotted(a[0], a[1], axis=0), TABLE),
    row(lambda a: (turned(a, axis=0), turned(a, axes=[0, 1])), WIDE[:3, :4]),
    row(lambda a, k: (np.tril(a, k), np.triu(a, k)), CUBE, 1),
    row(lambda a, k: (np.tril(a[0, 0], k), np.triu(a[0, 0], k), np.tril(a[:0])), CUBE, -1),
    row(lambda a, n: np.linalg.matrix_power(a, n), TABLE[:, :3], 5),
    row(lambda a, n: np.linalg.matrix_power(a, n), TABLE[:, :3] > 0, 0),
    row(lambda a, n: np.linalg.matrix_power(a, n), TABLE[:, :3], 1),
    row(lambda a: (np.insert(a, [1, 2], [5, 6]), np.delete(a, [0, 2])), TABLE[0]),
]
