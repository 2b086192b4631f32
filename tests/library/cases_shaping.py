"""Rows of the case table: expand_dims and the rest of its area."""

from __future__ import annotations

import numpy as np

from library.rows import row
from library.values import BOX, EMPTY, SMALL, TABLE

ROWS = [
    row(lambda a: np.expand_dims(a, 1), TABLE),
    row(lambda a: np.expand_dims(a, -1), SMALL),
    row(lambda a: np.swapaxes(a, 0, -1), BOX),
    row(lambda a: np.moveaxis(a, 0, 2), BOX),
    row(lambda a: np.transpose(a, (1, 2, 0)), BOX),
    row(lambda a: a.transpose((1, 0)), TABLE),
    row(lambda a: np.transpose(a, (1, 1)), TABLE),
    row(lambda: np.atleast_1d(3.0)),
    row(lambda a: np.atleast_2d(a), SMALL),
    row(lambda a: np.atleast_3d(a), TABLE),
    row(lambda a: np.atleast_3d(a), SMALL),
    row(lambda a: np.diagonal(a), TABLE),
    row(lambda a: a.diagonal(1), TABLE),
    row(lambda a: np.diagonal(a, -9), TABLE),
    row(lambda a: np.diag(a), SMALL),
    row(lambda a: np.diag(a, -2), SMALL[:3]),
    row(lambda a: np.diag(a, 1), TABLE),
    row(lambda a: np.diagflat(a), TABLE),
    row(lambda a: np.flip(a), BOX),
    row(lambda a: np.flip(a), SMALL),
    row(lambda a: np.flip(a, 1), BOX),
    row(lambda a: np.flipud(a), TABLE),
    row(lambda a: np.fliplr(a), TABLE),
    row(lambda a: np.fliplr(a), EMPTY.reshape(0, 2)),
    row(lambda a: np.roll(a, 2), SMALL),
    row(lambda a: np.roll(a, -1), TABLE),
    row(lambda a: np.roll(a, 1, axis=0), TABLE),
    row(lambda a: np.rot90(a), TABLE),
    row(lambda a: np.rot90(a, 2), TABLE),
    row(lambda a: np.rot90(a, -1), TABLE),
    row(lambda a: np.squeeze(a, 0), TABLE[None]),
    row(lambda a: a.squeeze(-1), TABLE[..., None]),
    row(lambda a: np.squeeze(a, axis=1), TABLE),
    row(lambda a: np.squeeze(a, axis=0), SMALL[:1]),
    row(lambda a: np.squeeze(a, axis=4), TABLE),
    row(lambda a: (np.expand_dims(a, (0, -1)), np.expand_dims(a, (2, 0)).squeeze((0, 2))), TABLE),
    row(lambda a: (np.moveaxis(a, (0, 1), (-1, 0)), np.flip(a, (0, 2))), BOX),
    row(lambda a: (np.roll(a, 1, (0, 2)), np.roll(a, (1, -2), (0, 2))), BOX),
    row(lambda a: (np.rot90(a, 3, (1, 2)), np.rot90(a, axes=(2, 0))), BOX),
    row(lambda a: (np.diagonal(a, -1, 1, 2), a.diagonal(1, 2, 0)), BOX.transpose(2, 0, 1)),
    row(lambda a: np.flip(a, (0, 0)), BOX),
    row(lambda a: np.transpose(a.reshape(()), ()), SMALL[:1]),
    row(lambda a: (np.roll(a, np.array([1, 2])), np.roll(a, np.array([1, -3]), axis=1)), TABLE),
    row(lambda a: np.flip(a), np.array(4.0)),
    row(lambda a: np.flip(a, 0), np.array(4.0)),
    row(lambda a: np.flipud(a), np.array(4.0)),
    row(lambda a: np.fliplr(a), SMALL),
    row(lambda a: np.asanyarray(a, copy=True), TABLE.T),
]
