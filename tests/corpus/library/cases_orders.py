"""Rows of the case table: reshape with an order and the rest of its area."""

from __future__ import annotations

import numpy as np

from corpus.library.rows import row
from corpus.library.values import BOX, EMPTY, NAN_LINE, SMALL, TABLE

ROWS = [
    row(lambda a: (np.reshape(a, (2, 6), order="F"), a.reshape(2, -1, order="A")), TABLE.T),
    row(lambda a: (np.stack((a, a), 2), np.stack((a, a.T.copy().T), 1)), BOX[::-1, :, ::2]),
    row(lambda a: (np.concatenate((a, a), 1), np.transpose(a, (2, 0, 1)).copy()), BOX[:, ::-1]),
    row(lambda a: (np.roll(a, 5, 1), np.roll(a, -1, 0), np.repeat(a, 3, 1)), BOX[:, ::-1]),
    row(lambda a: (np.diff(a, axis=1), np.diff(a, 2), np.diff(a.T)), BOX[::-1]),
    row(lambda a: (np.ones((7, 9)), np.full((3, 700), 2.5, "f4"), np.full(33, 1j)), SMALL),
    row(lambda a: (np.trapezoid(a, axis=0), np.ptp(a, axis=1), np.average(a, 0)), BOX),
    row(lambda a: np.reshape(a, 7, "F"), TABLE),
    row(lambda a: np.reshape(a, shape=(-1, 3), copy=True), BOX[::-1]),
    row(lambda a: (np.ravel(a, "F"), a.ravel("K"), a.flatten("A")), TABLE.T),
    row(lambda a: (a.copy("F"), np.copy(a, order="C")), TABLE),
    row(lambda a: np.resize(a, (3, 5)), TABLE),
    row(lambda a: np.resize(a, 4), EMPTY),
    row(lambda a: np.resize(a, (-1, 2)), TABLE),
    row(lambda a: np.rollaxis(a, 2), BOX),
    row(lambda a: np.rollaxis(a, 0, -1), BOX),
    row(lambda a: np.rollaxis(a, 1, 9), BOX),
    row(lambda a: np.matrix_transpose(a), BOX),
    row(lambda a: np.matrix_transpose(a), SMALL),
    row(lambda a: np.asanyarray(a, np.float32), TABLE),
    row(lambda a: np.asanyarray(a, order="F"), BOX),
    row(lambda a: np.asarray_chkfinite(a), TABLE),
    row(lambda a: np.asarray_chkfinite(a), NAN_LINE),
    row(lambda a: np.require(a, np.float32, ("F", "O")), TABLE),
    row(lambda a: np.require(a, requirements="CW"), TABLE.T),
]
