"""Rows of the case table: ndindex and ndenumerate."""

from __future__ import annotations

import numpy as np

from library.rows import row
from library.values import TABLE


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


ROWS = [
    row(places, 2, 3),
    row(places, 0, 3),
    row(elements, TABLE),
]
