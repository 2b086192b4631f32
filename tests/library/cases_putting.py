"""Rows of the case table: what is stored at positions, and where masks are true."""

from __future__ import annotations

import numpy as np

from library.rows import row
from library.values import TABLE

BYTES = np.arange(12, dtype="u1").reshape(3, 4)
COLUMNS = np.asfortranarray(BYTES * 1.5)
THREE = np.array([7, 8, 9])

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
]
