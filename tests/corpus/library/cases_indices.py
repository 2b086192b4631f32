"""Rows of the case table: ndindex and ndenumerate."""

from __future__ import annotations

import numpy as np

from corpus.library.rows import row
from corpus.library.values import TABLE


def places(n, m):
    total = 0
    for i, k in np.ndindex(n, m):
        total = total * 7 + i * m + k
    return total


def elements(a):
    total = 0.0
    for place, x in np.ndenumerate(a):
        total = total * 0.5 + x * (place[0] + 2 * place[1])
    return total


def cut_out(a, rows, columns):
    a[np.ix_(rows, columns)] += 1
    return a[np.ix_(rows, columns)]


def parts_of_flat(a, k):
    a.flat[1:5] = k
    a.flat[k] = 2.5
    return a.flat[::-2], a.flat[k], a.flat[(a > 1).ravel()]


PAIR = np.array([0, -1])

ROWS = [
    row(cut_out, TABLE * 1.5, PAIR, np.array([True, False, True])),
    row(lambda a, k: np.ix_(k, a, k)[1], TABLE[0] > 0, PAIR),
    row(parts_of_flat, TABLE * 1.5, PAIR),
    row(parts_of_flat, (TABLE * 1.5).T, PAIR + 1),
    row(parts_of_flat, TABLE * 1.5, np.array([99, 1])),
    row(lambda a, m: a.flat[m], TABLE, np.array([True])),
    row(lambda m: (np.nonzero(m), np.flatnonzero(m)), TABLE.T > 1),
    row(lambda a: a[np.nonzero(a > 1)], TABLE),
    row(places, 2, 3),
    row(places, 0, 3),
    row(elements, TABLE),
    # a mask of no elements chooses nothing
    row(lambda a, m: a.flat[m], np.arange(4.0), np.zeros(0, bool)),
    row(lambda a, m: a.flat[m], np.arange(4.0), np.zeros(3, bool)),
]
