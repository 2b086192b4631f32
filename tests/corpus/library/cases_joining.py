"""Rows of the case table: concatenate and the rest of its area."""

from __future__ import annotations

import numpy as np

from corpus.library.rows import row
from corpus.library.values import BOX, EMPTY, INTEGERS, NAN_TABLE, SMALL, TABLE, WIDE

ROWS = [
    row(lambda a, b: np.concatenate((a, b)), INTEGERS, SMALL * 0.5),
    row(lambda a, b: np.concatenate((a, b, a)), TABLE, TABLE[:1]),
    row(lambda a, b: np.concatenate((a, b), 1), TABLE, NAN_TABLE.T.copy().T),
    row(lambda a, b: np.concatenate((a, b), axis=None), TABLE, SMALL),
    row(lambda a, b: np.concatenate((a, b), 1), TABLE, TABLE[:2]),
    row(lambda a, b: np.concatenate((a, b)), INTEGERS.astype("i1"), np.zeros(2, "u1")),
    row(lambda a, b: np.concatenate((a, b), 7), TABLE, TABLE),
    row(lambda a, b: np.concatenate((a, a, b)), BOX, BOX[:1]),
    row(lambda a: np.concatenate((a,)), EMPTY),
    row(lambda a, b: np.stack((a, b)), SMALL, SMALL),
    row(lambda a, b: np.stack((a, b), -1), TABLE, NAN_TABLE),
    row(lambda a, b: np.stack((a, b)), SMALL, INTEGERS),
    row(lambda a, b: np.vstack((a, b)), SMALL, SMALL),
    row(lambda a, b: np.vstack((a, b)), TABLE, TABLE),
    row(lambda a, b: np.hstack((a, b)), SMALL, SMALL),
    row(lambda a, b: np.hstack((a, b)), TABLE, TABLE),
    row(lambda a, b: np.dstack((a, b)), TABLE, TABLE),
    row(lambda a, b: np.dstack((a, b)), SMALL, SMALL),
    row(lambda a, b: np.column_stack((a, b, a)), SMALL, SMALL * 0.5),
    row(lambda a, b: np.append(a, b), TABLE, SMALL),
    row(lambda a: np.append(a, 3), SMALL),
    row(lambda a, b: np.append(a, b, 0), TABLE, TABLE),
    row(lambda a: np.insert(a, 2, 9), SMALL),
    row(lambda a, b: np.insert(a, -1, b), SMALL, SMALL[:2]),
    row(lambda a: np.insert(a, 99, 1), SMALL),
    row(lambda a: np.delete(a, 1), SMALL),
    row(lambda a, b: np.delete(a, b), SMALL, np.array([1, -1, 1])),
    row(lambda a: np.delete(a, 77), SMALL),
    row(lambda a: np.tile(a, 3), TABLE),
    row(lambda a: np.tile(a, 2), SMALL),
    row(lambda a: np.delete(a, slice(2, 5)), SMALL),
    row(lambda a: np.delete(a, slice(None, None, 3)), SMALL),
    row(lambda a: np.delete(a, slice(5, None, -2)), SMALL),
    row(lambda a: np.delete(a, slice(1, 3)), TABLE),
    row(lambda a: np.insert(a, slice(1, 4), 99), SMALL),
    row(lambda a: np.insert(a, slice(None, None, 5), 9), SMALL),
    row(lambda a: np.insert(a, slice(6, 2, -2), 9), SMALL),
]
PLACES = (
    (1, 3),
    (3, 1),
    (1, 1, 1),
    (-1, 0),
    (4, 4),
    (9, 1),
    (2,),
    (-9,),
    np.array([1, 3]),
    np.array([9]),
)
ROWS += [
    row(program, np.arange(4), places)
    for places in PLACES
    for program in (
        lambda a, places: np.insert(a, places, 9),
        lambda a, places: np.insert(a, places, np.arange(2.0)),
    )
]
ROWS += [
    row(lambda a: np.insert(a, (1, 2), 300), np.zeros((3, 1), "u1")),
    row(lambda x: np.array(((1, 2), (3, x))), 4.5),
    row(lambda x: np.array((((1,), (2,)), ((3,), (x,)))), True),
    row(lambda x: np.array(((1, 2), (3, x)), np.uint8), 300),
    row(lambda x: np.asarray(((1, 2), (3, x)), np.float32), 2),
    row(lambda: np.array(())),
    row(lambda: np.array(((), ()))),
    row(lambda a: np.concatenate((a, a), 1, dtype="f4"), WIDE),
    row(lambda a: np.concatenate((a, a), None, dtype="i1", casting="unsafe"), TABLE),
    row(lambda a, b: np.stack((a, a), 1, b), TABLE, np.zeros((3, 2, 4))),
    row(lambda a: (np.vstack((a, a), dtype="f8"), np.hstack((a, a), casting="no")), TABLE),
    row(lambda a: np.insert(a, -1, a[:, 0], axis=1), TABLE),
    row(lambda a: np.insert(a, 2, 9, axis=0), WIDE.T),
    row(lambda a: (np.delete(a, (0, -1), axis=1), np.delete(a, a[:, 0] > 0, 0)), TABLE),
    row(lambda a: np.delete(a, slice(0, 2), 1), TABLE.T),
    row(lambda a: np.delete(a, 7, axis=0), TABLE),
    row(lambda a, k: np.delete(a, k), SMALL, np.array([2, 0], "u8")),
    row(lambda a: (np.insert(a, np.array(1), 9), np.insert(a, a > 3, 7)), SMALL),
    row(
        lambda a: (np.insert(a, [0, 2], [7, 8, 9], axis=0), np.insert(a, [3], [[1], [2]], 1)), TABLE
    ),
    row(
        lambda a: (np.insert(a, [0, 2], [[7], [8], [9]], 1), np.insert(a, (1, 1), 5, axis=0)),
        TABLE.T,
    ),
    row(lambda a: np.insert(a, [0, 2], [7, 8, 9], axis=1), TABLE),
    row(lambda a: np.insert(a, [9], 1, axis=1), TABLE),
    row(lambda a: (np.delete(a, []), np.delete(a, (), axis=0)), TABLE),
    row(lambda a, b: (np.stack((a, b)), np.stack((b, a), axis=1)), np.array(4.0), np.array(2)),
]
