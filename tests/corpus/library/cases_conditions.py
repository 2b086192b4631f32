"""Rows of the case table: select and the rest of its area."""

from __future__ import annotations

import numpy as np

from corpus.library.rows import row
from corpus.library.values import BYTES, SMALL, TABLE, WEIGHTS

ROWS = [
    row(lambda a: np.select((a > 2, a < 1), (a, -a)), SMALL),
    row(lambda a, b: np.select((a > 2, a < 1), (a, b), 7.5), TABLE, WEIGHTS[:4]),
    row(lambda a, b: np.select((a > 2,), (1,), b), SMALL, BYTES[:1]),
    row(lambda a: np.select((a > 2, a < 1), (a,)), SMALL),
    row(lambda a: np.select((a,), (a,)), SMALL),
    row(lambda a, b: np.select((a > 2,), (b,)), SMALL, TABLE),
    row(lambda a: np.piecewise(a, (a < 0, a >= 0), (-1, 2.5)), TABLE),
    row(lambda a: np.piecewise(a, (a < 2,), (lambda x: -x, lambda x: x * x)), SMALL),
    row(lambda a: np.piecewise(a, a < 2, (lambda x, k: x + k, 0), 10), SMALL),
    row(lambda a: np.piecewise(a, (a < 2, a > 3, a > 4), (1,)), SMALL),
]
