"""Rows of the case table: einsum."""

from __future__ import annotations

import numpy as np

from corpus.library.rows import row
from corpus.library.values import BOX, COMPLEX, SMALL, TABLE, WIDE

FLOATS = TABLE * 1.5
HALVES = FLOATS.astype("e")
COMPLEXES = COMPLEX[8:].reshape(3, 4)


def store(a, b, out):
    np.einsum("ij,kj->ik", a, b, out=out)
    return out


def store_by_numbers(a, b, out):
    np.einsum(a, [0, 1], b, [2, 1], [0, 2], out=out)
    return out


ROWS = [
    row(lambda a: np.einsum("ij->ji", a), TABLE),
    row(lambda a: np.einsum("ba", a), TABLE),
    row(lambda a: np.einsum("ij->", a), TABLE),
    row(lambda a: np.einsum("ij->j", a), FLOATS, close=True),
    row(lambda a: np.einsum("ij->i", a), HALVES, close=True),
    row(lambda a: np.einsum("ii", a), TABLE[:, :3]),
    row(lambda a: np.einsum("ii", a), TABLE),
    row(lambda a: np.einsum("ii->i", a), TABLE[:, :3]),
    row(lambda a: np.einsum("...ij->...ji", a), BOX),
    row(lambda a: np.einsum("i...->...", a), BOX, close=True),
    row(lambda a: np.einsum("iij->j", a), BOX[:, :2]),
    row(lambda a: np.einsum("ij->i", a), TABLE > 0),
    row(lambda a, b: np.einsum("ij,jk->ik", a, b), TABLE, TABLE.T),
    row(lambda a, b: np.einsum("ij,jk", a, b), FLOATS, FLOATS.T, close=True),
    row(lambda a, b: np.einsum("ij,jk->ki", a, b), FLOATS, FLOATS.T, close=True),
    row(lambda a, b: np.einsum("ij,jk->ik", a, b), TABLE, TABLE),
    row(lambda a, b: np.einsum("i,i", a, b), SMALL, SMALL),
    row(lambda a, b: np.einsum("ij,ij->i", a, b), WIDE, WIDE, close=True),
    row(lambda a, b: np.einsum("ij,ij->", a, b), TABLE, TABLE[:, ::-1]),
    row(lambda a, b: np.einsum("ij,j->i", a, b), COMPLEXES, SMALL[:4], close=True),
    row(lambda a, b: np.einsum("bij,bkj->bik", a, b), BOX, BOX, close=True),
    row(lambda a, b: np.einsum("...ij,jk->...ik", a, b), BOX, FLOATS.T, close=True),
    row(lambda a, b: np.einsum("i,j->ij", a, b), SMALL, FLOATS[0]),
    row(lambda a, b: np.einsum("ij,j->ij", a, b), TABLE, SMALL[:1]),
    row(lambda a, b, c: np.einsum("i,ij,j", a, b, c), SMALL[:3], TABLE, SMALL[:4]),
    row(lambda a, b: np.einsum("ij,kj->ik", a, b, dtype=np.float64), TABLE, TABLE, close=True),
    row(lambda a, b: np.einsum("i , j", a, b, optimize=True), SMALL, SMALL),
    row(store, FLOATS, FLOATS, np.zeros((3, 3)), close=True),
    row(store, FLOATS, FLOATS, np.zeros((3, 4))),
    row(lambda a: np.einsum("ij->j", a), TABLE[:0]),
    row(lambda a: np.einsum("", a), np.array(7)),
    row(lambda a: np.einsum("ii->i", a), TABLE),
    row(lambda a: np.einsum("ij,i->j", a, a[:, 0][:2]), TABLE),
    row(lambda a, b: np.einsum("i,j->ij", a, b), np.array([-0.0, 1.0]), np.array([1.0, -0.0])),
    row(lambda a, b: np.einsum("i,i->i", a, b), np.array([-0.0, 1j]), np.array([1.0, -0.0])),
    row(lambda a, b: np.einsum(a, [0, 1], b, [1, 2]), TABLE, TABLE.T),
    row(lambda a, b: np.einsum(a, [0, 1], b, (1, 2), (2, 0)), FLOATS, FLOATS.T, close=True),
    row(lambda a, b: np.einsum(a, [0, 1], b, [2, 1], dtype="f8"), TABLE, TABLE, close=True),
    row(lambda a: (np.einsum(a, [51, 3]), np.einsum(a, [26, 25])), TABLE),
    row(lambda a: (np.einsum(a, [0, 1], []), np.einsum(a[0, 0], [])), TABLE),
    row(lambda a: np.einsum(a, [0, 0], [0], optimize=True), TABLE[:, :3]),
    row(store_by_numbers, FLOATS, FLOATS, np.zeros((3, 3)), close=True),
]
