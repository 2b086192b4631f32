"""Rows of the case table: angle and the rest of its area."""

from __future__ import annotations

import numpy as np

from corpus.library.rows import row
from corpus.library.values import BOX, BYTES, COMPLEX, SMALL, TABLE

ENDLESS = np.array([np.inf, -np.inf, np.nan, 1.0])


def set_parts(a, value):
    a[::2].imag = value
    a.real = a.imag
    return a


ROWS = [
    row(lambda a: np.angle(a), COMPLEX),
    row(lambda a: np.angle(a, deg=True), COMPLEX.astype("F")),
    row(lambda a: np.angle(a), BYTES),
    row(lambda a, b: np.angle(a, b), TABLE, True),
    row(lambda a: np.angle(a), -2.5),
    row(lambda a: np.real(a), COMPLEX),
    row(lambda a: np.imag(a), COMPLEX[::-2]),
    row(lambda a: np.imag(a), TABLE),
    row(lambda a: (np.real(a), np.imag(a)), 3),
    row(lambda a: np.iscomplex(a), COMPLEX),
    row(lambda a: np.isreal(a), COMPLEX),
    row(lambda a: np.isreal(a), TABLE),
    row(lambda a: (np.iscomplex(a), np.isreal(a)), 2j),
    row(lambda a: np.isposinf(a), ENDLESS),
    row(lambda a: np.isneginf(a), ENDLESS.reshape(2, 2).T),
    row(lambda a, b: np.isposinf(a, b), ENDLESS, np.zeros(4, bool)),
    row(lambda a: np.fix(a), -BOX),
    row(lambda a: np.fix(a), -2.5),
    row(lambda a: np.real_if_close(a), TABLE),
    row(lambda a: np.sort_complex(a), SMALL),
    row(lambda a: (a.conj(), a.conjugate()), COMPLEX),
    row(lambda a: (a.conj(), a.conjugate()), BYTES),
    row(set_parts, COMPLEX, SMALL[:10]),
    row(set_parts, COMPLEX[::-2].copy(), 2.5),
    row(set_parts, SMALL, 2),
]
