"""Rows of the case table: dot and the rest of its area."""

from __future__ import annotations

import numpy as np

from corpus.library.rows import row
from corpus.library.values import BOX, COMPLEX, MANY, SMALL, TABLE

CUBE = np.arange(24).reshape(2, 3, 4)


def store_dot(a, b, out):
    np.dot(a, b, out)
    return out


def store_matmul(a, b, out):
    np.matmul(a, b, out=out)
    return out


ROWS = [
    row(lambda a, b: np.dot(a, b), CUBE, TABLE.T),
    row(lambda a, b: np.dot(a, b), BOX, BOX.transpose(0, 2, 1), close=True),
    row(lambda a, b: np.dot(a, b), TABLE, TABLE.T.astype("f")),
    row(lambda a, b: np.dot(a, b), CUBE, TABLE),
    row(store_dot, TABLE, TABLE.T, np.zeros((3, 3), int)),
    row(store_dot, TABLE, TABLE.T, np.zeros((3, 4), int)),
    row(lambda a, b: a @ b, BOX, BOX.transpose(0, 2, 1), close=True),
    row(lambda a, b: a @ b, CUBE, TABLE.T),
    row(lambda a, b: a @ b, SMALL[:3], CUBE),
    row(lambda a, b: a @ b, CUBE, np.ones((3, 4, 2))),
    row(lambda a, b: np.matmul(a, b), TABLE.astype("e"), TABLE.T.astype("e")),
    row(store_matmul, TABLE, TABLE.T, np.zeros((3, 3))),
    row(store_matmul, TABLE, TABLE.T, np.zeros((3, 4))),
    row(lambda a, b: np.vecdot(a, b), CUBE, TABLE),
    row(lambda a, b: np.vecdot(a, b, axis=0), TABLE, TABLE),
    row(lambda a, b: np.vecdot(a, b), TABLE * 1j, TABLE + 1j, close=True),
    row(lambda a, b: np.matvec(a, b), CUBE, SMALL[:4]),
    row(lambda a, b: np.vecmat(a, b), TABLE[:2, :3], CUBE),
    row(lambda a, b: np.inner(a, b), CUBE, TABLE),
    row(lambda a, b: np.inner(a, b), CUBE, CUBE),
    row(lambda a, b: np.vdot(a, b), CUBE, CUBE),
    row(lambda a, b: np.outer(a, b), 3, SMALL),
    row(lambda a, b: np.kron(a, b), CUBE, SMALL[:2]),
    row(lambda a, b: np.kron(a, b), TABLE, 2),
    row(lambda a, b: np.cross(a, b), CUBE, SMALL[:4]),
    row(lambda a, b: np.cross(a, b, axis=1), CUBE, CUBE[:1]),
    row(lambda a, b: np.cross(a, b, axisa=1, axisc=0), CUBE[:, :, :3], TABLE[0, :3] * 0.5),
    row(lambda a, b: np.tensordot(a, b), CUBE, CUBE[0]),
    row(lambda a, b: np.tensordot(a, b, ((0, 2), (1, 0))), CUBE, TABLE[:2].T),
    row(lambda a, b: np.tensordot(a, b, 0), SMALL, TABLE),
    row(lambda a, b: np.tensordot(a, b, 1), CUBE, TABLE),
    row(lambda a: np.trace(a, 1, 2, 0), CUBE),
    row(lambda a: a.trace(axis1=1, axis2=2, dtype=np.float64), BOX),
    row(lambda a: a.trace(axis1=1, axis2=1), BOX),
    row(lambda a, b: np.dot(a, b), SMALL, SMALL),
    row(lambda a, b: np.dot(a, b), TABLE, TABLE.T),
    row(lambda a, b: np.dot(a, b), TABLE, SMALL[:4]),
    row(lambda a, b: np.dot(a, b), SMALL[:3], TABLE),
    row(lambda a, b: np.dot(a, b), TABLE, TABLE),
    row(lambda a: np.dot(2, a), TABLE),
    row(lambda: np.dot(2, 3)),
    row(lambda a, b: a.dot(b), TABLE.astype("i1"), TABLE.T),
    row(lambda a, b: a @ b, TABLE, TABLE.T),
    row(lambda a, b: a @ b, TABLE, TABLE),
    row(lambda a, b: np.matmul(a, b), SMALL, SMALL),
    row(lambda a, b: np.dot(a, b), SMALL > 2, SMALL > 4),
    row(lambda a, b: np.vdot(a, b), np.array([1 + 2j, 3]), np.array([2j, 1])),
    row(lambda a, b: np.vdot(a, b), TABLE, TABLE),
    row(lambda a, b: np.vdot(a, b), TABLE, SMALL),
    row(lambda a, b: np.inner(a, b), TABLE, TABLE),
    row(lambda a, b: np.inner(a, b), SMALL, SMALL),
    row(lambda a, b: np.outer(a, b), TABLE, SMALL),
    row(lambda a, b: np.kron(a, b), SMALL[:3], SMALL[:2]),
    row(lambda a, b: np.kron(a, b), TABLE, TABLE.T),
    row(lambda a, b: np.cross(a, b), SMALL[:3], SMALL[3:6]),
    row(lambda a, b: np.cross(a, b), TABLE[:, :3], TABLE[:, 1:]),
    row(lambda a: np.trace(a), TABLE),
    row(lambda a: a.trace(1), TABLE.astype("i1")),
    row(lambda a: np.trace(a, -2), TABLE),
    row(lambda a: np.trace(a), TABLE > 0),
    row(lambda a, b: (np.convolve(a, b), np.convolve(b, a, "valid")), MANY, MANY[:11]),
    row(lambda a, b: (np.correlate(a, b, "full"), np.convolve(a, b)), MANY[::-2], MANY[:6]),
    row(lambda a, b: (np.convolve(a, b[:12]), np.convolve(a, b[:3], "same")), MANY, MANY[500:]),
    row(lambda a, b: np.convolve(a, b), np.full(9, -0.0), np.ones(2, "f4")),
    row(lambda a, b: np.convolve(a, b), MANY[:99] + 1j, MANY[:7]),
    row(lambda a, b: np.convolve(a, b), SMALL, np.array([1, 2, 3])),
    row(lambda a, b: np.convolve(a, b, "same"), np.array([1, 2, 3, 4]), SMALL),
    row(lambda a, b: np.convolve(a, b, "same"), SMALL, np.array([1, 2, 3, 4])),
    row(lambda a, b: np.convolve(a, b, mode="valid"), SMALL, np.array([1, 2])),
    row(lambda a, b: np.convolve(a, b, "x"), SMALL, SMALL),
    row(lambda a, b: np.convolve(a, b), SMALL, SMALL[:0]),
    row(lambda a, b: np.correlate(a, b), SMALL, np.array([1, 2, 3])),
    *(
        row(lambda a, b, m: np.correlate(a, b, m), a, b, mode)
        for a in (COMPLEX, COMPLEX[::-2].astype("F"), SMALL)
        for b in (COMPLEX[:2] * 1j, COMPLEX[-3::-1])
        for mode in ("full", "same", "valid")
    ),
    row(lambda a, b: np.correlate(a, b, "same"), np.array([1, 2, 3, 4]), SMALL),
    row(lambda a, b: np.correlate(a, b, "same"), SMALL, np.array([1, 2, 3, 4])),
    row(lambda a, b: np.correlate(a, b, "full"), SMALL, np.array([1, 2, 5])),
    row(lambda a, b: np.correlate(a, b, "full"), np.array([1, 2, 5]), SMALL),
    row(lambda a, b: np.correlate(a, b, "same"), np.array([1, 2, 5]), SMALL),
    row(lambda a, b: (np.convolve(a, b), np.convolve(b, b), np.convolve(a, 2)), SMALL, np.array(3)),
    # a number counts as an array of its own dtype
    row(lambda a: np.kron(a, -1), np.array([1, 2], np.uint8)),
    row(lambda a: np.kron(2.5, a), np.array([1, 2], np.float32)),
]
