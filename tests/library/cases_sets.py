"""Rows of the case table: unique and the rest of its area."""

from __future__ import annotations

import numpy as np

from library.rows import row
from library.values import BYTES, COMPLEX, EMPTY, INTEGERS, LONG, NAN_LINE, NAN_TABLE, SMALL, TABLE

ROWS = [
    row(lambda a: np.unique(a), INTEGERS),
    row(lambda a: np.unique(a), BYTES),
    row(lambda a: np.unique(a), np.array([7, -128, 127, 7], "i1")),
    row(lambda a: np.unique(a), np.array([2**64 - 1, 2**64 - 5, 2**64 - 1], "u8")),
    row(lambda a: np.unique(a), np.array([2**63 - 1, -(2**63), 0, 0])),
    row(lambda a: np.unique(a), NAN_LINE),
    row(lambda a: np.unique(a), TABLE.T),
    row(lambda a: np.unique(a), COMPLEX),
    row(lambda a: np.unique(a), EMPTY),
    row(lambda a, b: np.isin(a, b), TABLE, SMALL),
    row(lambda a: np.isin(3, a), SMALL),
    row(lambda a, b: np.isin(a, b), NAN_TABLE, NAN_LINE),
    row(lambda a, b: np.intersect1d(a, b), INTEGERS, SMALL),
    row(lambda a, b: np.union1d(a, b), INTEGERS, SMALL * 1.5),
    row(lambda a, b: np.setdiff1d(a, b), INTEGERS, SMALL),
    row(lambda a, b: np.setxor1d(a, b), INTEGERS, SMALL),
    row(lambda a, b: np.union1d(a, b), NAN_LINE, NAN_TABLE),
    row(lambda a, b: np.intersect1d(a, b), TABLE, NAN_LINE),
    row(lambda a, b: np.setdiff1d(a, b), NAN_LINE, NAN_LINE[:20]),
    row(lambda a, b: np.setxor1d(a, b), EMPTY, SMALL),
    row(lambda a, b: np.setdiff1d(a, b), BYTES, SMALL),
    row(lambda a: np.unique(a, return_counts=True), SMALL),
    row(lambda a: np.unique(a, return_index=True), TABLE),
    row(lambda a: np.unique(a, return_inverse=True), TABLE),
    row(lambda a: np.unique(a, True, True, True), INTEGERS),
    row(lambda a: np.unique(a, return_index=True, return_counts=True), NAN_LINE),
    row(lambda a: np.unique(a, return_inverse=True), EMPTY),
    row(lambda a: np.unique(a, return_counts=False), SMALL),
    row(lambda a: np.unique(a, True, False, True), LONG),
    row(lambda a: np.unique(a, axis=0), TABLE % 2),
    row(lambda a: np.unique(a, True, True, True, -1), TABLE % 2),
    row(lambda a: np.unique(a, return_counts=True, equal_nan=False), NAN_LINE),
    row(lambda a: np.unique(a), TABLE.astype("m8[s]")),
    row(lambda a: np.unique_all(a), TABLE),
    row(lambda a: np.unique_counts(a), NAN_TABLE),
    row(lambda a: np.unique_inverse(a), COMPLEX),
    row(lambda a: np.sort(np.unique_values(a)), SMALL),
    row(lambda a, b: np.isin(a, b, invert=True, kind="sort"), TABLE, SMALL),
    row(lambda a, b: np.isin(a, b), LONG.astype("u8") << np.uint64(23), LONG[:40] << 23),
    row(lambda a: np.isin(a, (2, 3), kind="table"), TABLE.astype("i1")),
    row(lambda a, b: np.intersect1d(a, b, return_indices=True), INTEGERS, SMALL),
    row(lambda a, b: np.intersect1d(a, b, True, True), TABLE[0, ::-1], SMALL[:1]),
    row(lambda a, b: np.setxor1d(a, b, assume_unique=True), TABLE[0], SMALL[:1]),
    row(lambda a: np.unique(np.broadcast_to(a, (2, 40))), INTEGERS),
    row(lambda a: np.unique(np.frombuffer(a, np.int64)), INTEGERS.tobytes()),
]
