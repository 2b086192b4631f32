"""Rows of the case table: the methods of ufuncs."""

from __future__ import annotations

import numpy as np

from corpus.library.rows import row
from corpus.library.values import (
    BOX,
    BYTES,
    COMPLEX,
    EMPTY,
    INTEGERS,
    MANY,
    NAN_TABLE,
    SMALL,
    TABLE,
    WIDE,
)

MASK = WIDE > 0.4
PLACES = np.array([0, 2, 2, -1, 0])
STARTS = np.array([0, 7, 3, 3, 29])


def subtracted(a):
    combine = np.subtract.reduce
    return combine(a), combine(a, 1)


def changed(a, places, b):
    np.add.at(a, places, b)
    return a


def changed_table(a, rows, columns, b):
    np.multiply.at(a, (rows, columns), b)
    return a


def changed_parts(a, b):
    np.maximum.at(a, slice(1, 3), b)
    np.add.at(a, (0, 1), 2.5)
    np.negative.at(a, slice(None, None, 2))
    np.sqrt.at(a, a > 0)
    return a


def stored(a, out):
    np.add.reduce(a, 1, None, out)
    return out


ROWS = [
    row(lambda a: np.add.reduce(a), WIDE),
    row(subtracted, WIDE),
    row(lambda a: np.add.reduce(a, axis=None), WIDE.T),
    row(lambda a: np.add.reduce(a, (0, 2), keepdims=True), BOX),
    row(lambda a: np.add.reduce(a, (1, -1)), np.asfortranarray(BOX)),
    row(lambda a: np.add.reduce(a, (1, 1)), BOX),
    row(lambda a: np.add.reduce(a, 3), BOX),
    row(lambda a: np.add.reduce(a, 1, np.float64), WIDE.astype("f4")),
    row(lambda a: np.add.reduce(a, None, "f8"), np.tile(WIDE.astype("f4"), (9, 3))),
    row(lambda a, m: np.add.reduce(a, where=m), WIDE, MASK),
    row(lambda a, m: np.add.reduce(a, None, where=m), WIDE, MASK),
    row(lambda a, m: np.add.reduce(a, 1, where=m, initial=2), WIDE, MASK),
    row(lambda a, m: np.maximum.reduce(a, 1, initial=0.5, where=m), WIDE, MASK[0]),
    row(lambda a, m: np.add.reduce(a, where=m), WIDE, MASK[0, :7]),
    row(lambda a: np.hypot.reduce(a, None), np.asfortranarray(BOX)),
    row(lambda a: np.hypot.reduce(a[::-1]), MANY),
    row(lambda a: np.logaddexp.reduce(a, 1), TABLE),
    row(lambda a: np.power.reduce(a), TABLE % 3),
    row(lambda a: np.bitwise_and.reduce(a), INTEGERS.astype("u2")),
    row(lambda a: np.logical_xor.reduce(a, 0), NAN_TABLE),
    row(lambda a: np.gcd.reduce(a), INTEGERS * 6),
    row(lambda a: np.subtract.reduce(a), EMPTY),
    row(lambda a: np.add.reduce(a), EMPTY),
    row(lambda a: np.add.reduce(a), np.array(2.5)),
    row(lambda a: np.multiply.reduce(a, 1), np.array(2.5)),
    row(lambda a: np.fmax.reduce(a, 1), NAN_TABLE),
    row(stored, WIDE, np.zeros(30)),
    row(lambda a: np.add.accumulate(a), WIDE),
    row(lambda a: np.hypot.accumulate(a, 1), WIDE[::2, ::-3]),
    row(lambda a: np.subtract.accumulate(a, -1), BOX),
    row(lambda a: np.multiply.accumulate(a), COMPLEX),
    row(lambda a: np.add.accumulate(a), BYTES),
    row(lambda a: np.add.accumulate(a, dtype=np.int8), BYTES),
    row(lambda a: np.maximum.accumulate(a, 2), TABLE),
    row(lambda a, o: np.add.accumulate(a, 0, None, o), TABLE, np.zeros((3, 4))),
    row(lambda a: np.multiply.accumulate(a), EMPTY),
    row(lambda a, s: np.add.reduceat(a, s), WIDE, STARTS),
    row(lambda a, s: np.subtract.reduceat(a, s, 1), WIDE, STARTS),
    row(lambda a, s: np.add.reduceat(a, s, -1, np.float32), WIDE, STARTS),
    row(lambda a, s: np.maximum.reduceat(a, s), WIDE, STARTS + 1),
    row(lambda a: np.add.reduceat(a, (0, 1, 0)), BYTES),
    row(lambda a, b: np.subtract.outer(a, b), WIDE, SMALL),
    row(lambda a: np.add.outer(a, 2), BYTES),
    row(lambda a: np.add.outer(2.5, a), BYTES),
    row(lambda a: np.divmod.outer(a, a[0] + 7), TABLE),
    row(changed, MANY, PLACES, 1.5),
    row(changed, MANY, PLACES, MANY[:5]),
    row(changed, MANY, PLACES, MANY[:4]),
    row(changed, MANY, PLACES + 999, 2.5),
    row(changed, BYTES, PLACES, 300),
    row(changed, INTEGERS, PLACES, 1.5),
    row(changed, WIDE, PLACES, WIDE[0]),
    row(changed, WIDE, PLACES, WIDE[:5]),
    row(changed, WIDE, PLACES, WIDE[:4]),
    row(changed, WIDE, MASK, 2.5),
    row(changed, WIDE, MASK[:3], 2.5),
    row(changed, MANY, 5, 2.5),
    row(changed, MANY, -1001, 2.5),
    row(changed_table, WIDE, PLACES, PLACES, MANY[:5]),
    row(changed_table, WIDE, PLACES, PLACES[:2], 2.0),
    row(changed_table, WIDE, PLACES, 40, 2.0),
    row(changed_parts, WIDE, WIDE[0]),
    row(changed_parts, WIDE, WIDE[0, :3]),
    row(lambda a, k: (np.add.at(a, k, 1), a), TABLE[0] * 1.5, np.array([2, 0], "u8")),
    row(lambda a, k: (np.add.at(a, (k, k), 1), a), TABLE * 1.5, np.array([2, 0], "u8")),
]
