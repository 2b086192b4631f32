"""Rows of the case table: what is stored at positions, and where masks are true."""

from __future__ import annotations

import numpy as np

from corpus.library.rows import row
from corpus.library.values import TABLE

BYTES = np.arange(12, dtype="u1").reshape(3, 4)
COLUMNS = np.asfortranarray(BYTES * 1.5)
THREE = np.array([7, 8, 9])
NONE = np.array([], bool)


def flattened(a, values):
    a.flat = values
    return a


def shifted_flat(a):
    a[1:].flat = a[:-1]
    return a


def turned_flat(a):
    a.T.flat = a
    return a


def stored(a, k, v):
    a[k] = v
    return a


def stored_of_itself(a, k):
    a[k] = a[1:4]
    return a


def stored_by_itself(a):
    a[a] = a[::-1]
    return a


ROWS = [
    row(lambda a, k, v: np.put(a, k, v), BYTES, np.array([0, -1, 5, 1]), THREE),
    row(lambda a, k, v: a.put(k, v, "wrap"), COLUMNS, np.array([[0, 99], [-30, 1]]), 2.5),
    row(lambda a, k, v: np.put(a, k, v, mode="clip"), COLUMNS, 99, THREE),
    row(lambda a, k, v: np.put(a, k, v), BYTES, np.array([0, 99]), THREE),
    row(lambda a, k, v: np.put(a, k, v), COLUMNS, np.array([0, 99]), THREE),
    row(lambda a, k, v: np.put(a, k, v), BYTES[:0], np.array([0]), THREE),
    row(lambda a, k, v: np.put(a, k, v), BYTES, 3, np.array([300.7])),
    row(lambda a, k, v: np.put(a, k, v), BYTES, 3, 300),
    row(lambda a, k, v: np.put_along_axis(a, k, v, 1), BYTES, np.array([[0], [1], [-1]]), 5),
    row(
        lambda a, k, v: np.put_along_axis(a, k, v, 0), COLUMNS, np.array([[0, 1, 2, 0]]), THREE[:1]
    ),
    row(lambda a, k, v: np.put_along_axis(a, k, v, 1), BYTES, np.array([[0], [7], [1]]), 5),
    row(lambda a, k, v: np.put_along_axis(a, k, v, 1), BYTES[:1], np.array([[0], [1]]), 5),
    row(lambda a, k, v: np.put_along_axis(a, k, v, None), BYTES, np.array([0, 9]), THREE[:2]),
    row(lambda a, k, v: np.put_along_axis(a, k, v, 1), BYTES, np.array([0, 9]), THREE[:2]),
    row(lambda a, m, v: np.place(a, m, v), COLUMNS, COLUMNS > 3, THREE),
    row(lambda a, m, v: np.place(a, m, v), BYTES, BYTES.ravel() % 3, 4),
    row(lambda a, m, v: np.place(a, m, v), COLUMNS, COLUMNS > 3, THREE[:0]),
    row(lambda a, m, v: np.place(a, m, v), BYTES, np.array([True]), 4),
    row(lambda a, m, v: np.putmask(a, m, v), BYTES * 2.0, BYTES > 3, THREE),
    row(lambda a, m, v: np.putmask(a, m, v), COLUMNS, BYTES > 3, COLUMNS * 2),
    row(lambda a, m, v: np.putmask(a, m, v), BYTES, np.array([True]), 4),
    row(lambda a, b: np.copyto(a, b), COLUMNS, THREE[:1]),
    row(lambda a, b, m: np.copyto(a, b, where=m), COLUMNS, TABLE[:1, :1], COLUMNS > 3),
    row(lambda a, b, m: np.copyto(a, b, "unsafe", m), BYTES, -1.5, BYTES[0] > 1),
    row(lambda a, b, m: np.copyto(a, b, where=m), COLUMNS, 1, np.array([True, False])),
    row(lambda a, b, m: np.copyto(a, b, where=m), COLUMNS, 1, False),
    row(lambda a, k, v: np.put(a, k, v), BYTES[:0], np.array([0]), -1),
    row(lambda a, k, v: np.put(a, k, v), BYTES, np.array([], int), -1),
    row(flattened, COLUMNS, THREE),
    row(flattened, COLUMNS, 2.5),
    row(flattened, BYTES, np.arange(300, 312)),
    row(flattened, BYTES, -1),
    row(flattened, BYTES[:, ::-2], (1, 2)),
    row(flattened, BYTES, THREE[:0]),
    row(shifted_flat, np.arange(6.0)),
    row(turned_flat, BYTES * 1.0),
    # A mask with an axis of length 0 fits any axis, and chooses nothing.
    row(stored, np.arange(4), NONE, 5),
    row(stored, np.arange(4), NONE, THREE),
    row(stored, np.arange(4), NONE, THREE[:1].reshape(1, 1)),
    row(stored, np.arange(4), NONE, np.zeros((2, 0))),
    row(stored, BYTES, np.zeros((3, 0), bool), THREE),
    row(stored, BYTES, np.zeros((0, 5), bool), 1),
    row(stored, BYTES, BYTES > 2, THREE.reshape(1, 3)),
    row(stored, np.arange(4), np.zeros(0, int), np.zeros((2, 0))),
    row(stored, BYTES, np.zeros(0, int), np.zeros((2, 0, 4))),
    # The line that is written to, its values and its indices in one memory.
    row(stored_of_itself, np.arange(5), np.array([4, -5, 2])),
    row(stored_by_itself, np.array([3, -4, 2, 2])),
    row(stored, np.arange(5.0)[::-2], np.array([0, -1, 3]), 1),
    row(stored, np.arange(5.0)[::-2], np.array([0, -1, 2], np.int8), np.arange(6.0)[::2]),
    # Leading axes of length one are left out.
    row(stored, BYTES * 1, slice(1, None), np.ones((1, 1, 2, 4))),
    row(stored, BYTES * 1.5, 0, BYTES[:1]),
    row(stored, BYTES * 1, 0, BYTES[None]),
    row(lambda a, k: (np.put_along_axis(a, k, 5.0, 0), a), TABLE[0] * 1.5, np.array([2, 0], "u8")),
    row(lambda a, k: (np.put_along_axis(a, k, 5.0, 1), a), TABLE * 1.5, np.array([[2, 0]], "u8")),
]
