"""Rows of the case table: interp and polyval."""

from __future__ import annotations

import numpy as np

from corpus.library.rows import row
from corpus.library.values import EMPTY, MANY, SMALL, TABLE, WEIGHTS, WIDE

ROWS = [
    row(lambda a, b: np.interp(2.5, a, b), np.arange(4.0), np.arange(4) ** 2),
    row(lambda a, b, c: np.interp(a, b, c), WIDE[:3, :4] * 5, np.arange(4.0), WEIGHTS[:4]),
    row(
        lambda a, b, c: np.interp(a, b, c, left=-1, right=9),
        np.array([-1, 5, 2, np.nan]),
        np.arange(4.0),
        WEIGHTS[:4],
    ),
    row(lambda a, b, c: np.interp(a, b, c), MANY, EMPTY, EMPTY),
    row(lambda a, b, c: np.interp(a, b, c), MANY, WEIGHTS, WEIGHTS[:2]),
    row(lambda a: np.polyval(a, 2.0), SMALL),
    row(lambda a, b: np.polyval(a, b), SMALL, WEIGHTS),
    row(lambda a, b: np.polyval(a, b), SMALL[:3], TABLE),
    row(lambda x, a, b: np.interp(x, a, b, period=4), TABLE, SMALL * 0.7, SMALL),
    row(
        lambda x, xp, fp: (np.interp(x, xp, fp), np.interp(x, xp, fp, 1j, 2, period=0.4)),
        MANY[:50],
        np.sort(MANY[50:60]),
        MANY[60:70] + 1j * MANY[70:80],
    ),
    row(lambda x, xp, fp: np.interp(x, xp, fp, left=1j), np.nan, SMALL[:1], SMALL[:1] * 1j),
    row(lambda x, p: np.interp(x, p, p, period=1.0), 0.5, np.zeros(0)),
]
