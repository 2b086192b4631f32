"""Rows of the case table: offsets, ranks, axes and sizes as extreme as integers are."""

from __future__ import annotations

import numpy as np

from library.rows import row
from library.values import BOX, TABLE

LARGEST, LEAST = 2**63 - 1, -(2**63)
LINE = np.array([5, 1, 4, 2, 3])
NOTHING = np.zeros(0)
OFFSETS = (LARGEST, 2**62, -(2**62), 2**31, 2, -2)

OF_OFFSET = [
    lambda a, k: np.eye(3, 4, k),
    lambda a, k: np.tri(3, 4, k),
    lambda a, k: np.tril(a, k),
    lambda a, k: np.triu(a, k),
    lambda a, k: np.roll(a, k),
    lambda a, k: np.roll(a, k, 1),
    lambda a, k: np.rot90(a, k),
    lambda a, k: np.take(a, k),
    lambda a, k: np.delete(a, k),
    lambda a, k: np.insert(a, k, 1),
]
ROWS = [
    *(row(program, TABLE, k) for program in OF_OFFSET for k in OFFSETS),
    row(lambda k: np.eye(3, 3, k), LEAST),
    row(lambda: np.tri(3, -1)),
    row(lambda: np.tri(-1, 3)),
    *(row(lambda a, k: np.partition(a, k), LINE, k) for k in (LARGEST, LEAST, -6, 5)),
    row(lambda a: np.partition(a, (3, 1)), LINE),
    row(lambda a: np.partition(a, 0, 0), TABLE),
    row(lambda a: np.partition(a, 11, None), TABLE),
    row(lambda a, k: np.repeat(a, k), NOTHING, -1),
    row(lambda a, k: np.repeat(a, k), LINE, -1),
    row(lambda a: np.take(a, 1), NOTHING),
    row(lambda a: np.diff(a, 9), LINE),
    *(row(lambda a, k: np.swapaxes(a, k, 0), BOX, k) for k in (3, -4)),
    row(lambda a: np.swapaxes(a, 0, 3), BOX),
    row(lambda a: np.moveaxis(a, 3, 0), BOX),
    row(lambda a: np.moveaxis(a, 0, 3), BOX),
    row(lambda a: np.average(a, 3), BOX),
    *(
        row(lambda a, shape: np.broadcast_to(a, shape), np.arange(3), shape)
        for shape in ((-1, 3), (2, 3), (2, -3), (3, 2))
    ),
    row(lambda a, shape: np.broadcast_to(a, shape), NOTHING, (LARGEST, 0)),
    row(lambda n: np.broadcast_to(1.5, (n,)), 3),
    row(lambda n: np.broadcast_to(1.5, n), LARGEST),
    row(lambda k: np.broadcast_shapes((k,), (1,)), -1),
    *(
        row(lambda a, n, m: a.reshape(n, m), a, n, m)
        for a in (NOTHING, LINE[:4])
        for n in (-1, 0, 2, 2**62)
        for m in (-1, 0, 2, 4)
    ),
    row(lambda a: a.reshape(-1), NOTHING),
    row(lambda a, n: a.reshape((n,)), LINE, 3),
    *(row(lambda a, n: np.tile(a, n), LINE, n) for n in (-1, 0, 2, LARGEST)),
    *(row(lambda a, n: np.tile(a, n), TABLE, n) for n in ((2, 1), (1, 2), (2, 0, 3), (2,))),
    row(lambda a: np.tile(a, (2, 2)), np.array(2.5)),
    row(lambda a: np.tile(a, 2), NOTHING),
    row(lambda: np.tile(5, (2, 3))),
]
SINGLES = [np.array(x) for x in (2.5, np.nan, 3)]
ROWS += [
    row(program, a)
    for a in SINGLES
    for program in (
        lambda a: np.isnan(a),
        lambda a: np.isinf(a),
        lambda a: np.clip(a, 1, 2),
        lambda a: a.clip(1, 2),
        lambda a: np.nan_to_num(a),
        lambda a: np.maximum(a, 1),
        lambda a: np.isclose(a, a),
        lambda a: np.digitize(a, np.arange(3.0)),
        lambda a: np.polyval(np.arange(3.0), a),
        lambda a: np.interp(a, np.arange(3.0), np.arange(3.0)),
        lambda a: np.dot(a, a),
        lambda a: np.where(a, a, 1),
    )
]
ROWS += [
    row(lambda a: np.vander(a), np.array([1, np.nan - 1j], "c8")),
    row(lambda a: np.vander(a, 1), np.array([np.inf])),
]
