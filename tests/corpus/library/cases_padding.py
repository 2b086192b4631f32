"""Rows of the case table: pad and the rest of its area."""

from __future__ import annotations

import numpy as np

from corpus.library.rows import row
from corpus.library.values import BOX, BYTES, EMPTY, NAN_TABLE, SMALL, TABLE

ROWS = [
    row(lambda a: np.pad(a, 2), TABLE),
    row(lambda a: np.pad(a, (2, 1), constant_values=(3, -4.5)), BOX),
    row(lambda a: np.pad(a, ((0, 1), (3, 0)), "edge"), TABLE[::-1]),
    row(lambda a: np.pad(a, ((1, 2),), mode="linear_ramp", end_values=(-4, 5)), TABLE.astype("f")),
    row(lambda a: np.pad(a, 2, "maximum", stat_length=2), TABLE),
    row(lambda a: np.pad(a, 2, "minimum"), BOX.T),
    row(lambda a, b: np.pad(a, (b, 3), "mean"), BYTES, 2),
    row(lambda a: np.pad(a, 1, "median"), NAN_TABLE),
    row(lambda a: np.pad(a, 2, "minimum", stat_length=0), SMALL),
    row(lambda a: np.pad(a, (9, 4), "reflect"), SMALL[:5]),
    row(lambda a: np.pad(a, 7, "reflect", reflect_type="odd"), TABLE),
    row(lambda a: np.pad(a, 7, "symmetric", reflect_type="odd"), NAN_TABLE.astype("e")),
    row(lambda a: np.pad(a, 5, "wrap"), TABLE),
    row(lambda a: np.pad(a, 2, "wrap"), EMPTY),
    row(lambda a: np.pad(a, -1), SMALL),
    row(lambda a: np.pad(a, 0, "empty"), SMALL),
    row(lambda a, b: np.pad(a.reshape(()), (b, 2), "mean"), BYTES[:1], 1),
    row(lambda a, b: np.pad(a.reshape(()), b), BYTES[:1], -1),
]
