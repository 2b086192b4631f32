"""Rows of the case table: sums and the like, over several axes, and with axes that stay."""

from __future__ import annotations

import numpy as np

from library.rows import row
from library.values import BOX, BYTES, COMPLEX, EMPTY, INTEGERS, SMALL, TABLE, WIDE

ROWS = [
    row(lambda a: np.sum(a), WIDE),
    row(lambda a: np.sum(a=a, dtype=None, axis=1), WIDE),
    row(lambda a: np.mean(*(a, 1)), WIDE),
    row(lambda a: np.max(*(a,)), WIDE.T),
    row(lambda a, n: (np.min if n else np.std)(a), WIDE, 0),
    row(lambda a: a.sum(), BYTES),
    row(lambda a: np.mean(a, 1), INTEGERS.reshape(-1, 1)),
    row(lambda a: np.argmin(a), WIDE),
    row(lambda a: a.argmin(0), WIDE),
    row(lambda a: np.argmax(a, -1), TABLE),
    row(lambda a: a.argmax(), COMPLEX),
    row(lambda a: np.argmax(a), EMPTY),
    row(lambda a: np.amax(a), TABLE),
    row(lambda a: np.amin(a, 0), TABLE),
    row(lambda a: np.max(a), COMPLEX),
    row(lambda a: np.min(a, None, keepdims=False), WIDE),
    row(lambda a: np.sum(a, axis=0, keepdims=True), TABLE),
    row(lambda a: a.sum(axis=-1, keepdims=True), TABLE),
    row(lambda a: a.sum(keepdims=True), TABLE),
    row(lambda a: a.sum(axis=0, keepdims=False), TABLE),
    row(lambda a: np.sum(a, axis=0, keepdims=True), SMALL),
    row(lambda a: np.sum(a, 5, keepdims=True), TABLE),
    row(lambda a: np.sum(a, axis=(0, 1)), TABLE),
    row(lambda a: a.sum((0, 2)), BOX, close=True),
    row(lambda a: np.sum(a, (-1, 0), keepdims=True), BOX.astype("i4")),
    row(lambda a: np.sum(a, (0, 0)), TABLE),
    row(lambda a: np.sum(a, (0, 7)), TABLE),
    row(lambda a: np.prod(a, axis=1, keepdims=True), TABLE),
    row(lambda a: np.prod(a, axis=(0, 1)), TABLE),
    row(lambda a: a.max(axis=(1, 2)), BOX),
    row(lambda a: np.max(a, axis=1, keepdims=True), BOX.T),
    row(lambda a: np.min(a, keepdims=True), BYTES),
    row(lambda a: a.min(axis=(0, 1), keepdims=True), BOX),
    row(lambda a: np.max(a, keepdims=True), EMPTY),
    row(lambda a: np.any(a, axis=0, keepdims=True), TABLE),
    row(lambda a: np.all(a, axis=(0, 1)), TABLE),
    row(lambda a: a.all(1, keepdims=True), TABLE > 0),
    row(lambda a: np.mean(a, axis=0, keepdims=True), WIDE),
    row(lambda a: np.mean(a, axis=(0, 1)), TABLE),
    row(lambda a: a.mean(axis=(0, 2), keepdims=True), BOX.astype("f4"), close=True),
    row(lambda a: a.mean(keepdims=True), INTEGERS),
    row(lambda a: np.mean(a, 0, keepdims=True), COMPLEX),
    row(lambda a: np.var(a, 0, keepdims=True), WIDE),
    row(lambda a: a.std(keepdims=True, ddof=1), WIDE),
    row(lambda a: np.std(a, axis=-1, keepdims=True), BOX),
]
