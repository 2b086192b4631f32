"""Rows of the case table: nansum and the rest of its area."""

from __future__ import annotations

import numpy as np

from library.rows import row
from library.values import INTEGERS, NAN_LINE, NAN_TABLE, TABLE

ROWS = [
    row(lambda a: np.nansum(a), NAN_LINE),
    row(lambda a: np.nansum(a, axis=0), NAN_TABLE),
    row(lambda a: np.nansum(a), TABLE),
    row(lambda a: np.nansum(a, 1), TABLE),
    row(lambda a: np.nanprod(a), NAN_LINE[:9]),
    row(lambda a: np.nanmean(a), NAN_LINE),
    row(lambda a: np.nanmean(a), TABLE),
    row(lambda a: np.nanvar(a), NAN_LINE),
    row(lambda a: np.nanstd(a), NAN_LINE),
    row(lambda a: np.nanstd(a), INTEGERS),
    row(lambda a: np.nanmin(a), NAN_LINE),
    row(lambda a: np.nanmax(a, axis=1), NAN_TABLE),
    row(lambda a: np.nanmax(a), INTEGERS),
    row(lambda a: np.nanmedian(a), NAN_LINE),
    row(lambda a: np.nanmedian(a, 0), NAN_TABLE),
    row(lambda a: np.nanargmin(a), NAN_LINE),
    row(lambda a: np.nanargmax(a), NAN_LINE),
    row(lambda a: np.nanargmax(a), np.array([np.nan])),
    row(lambda a: np.nanmin(a), np.array([np.nan])),
    row(lambda a: np.nanmean(a, axis=0), NAN_TABLE),
    row(lambda a: np.nanmean(a, 1), NAN_TABLE),
    row(lambda a: np.nanmean(a, axis=0), NAN_LINE),
    row(lambda a: np.nanmean(a, -1), NAN_TABLE.astype("f4")),
    row(lambda a: np.nanmean(a, 0), TABLE),
    row(lambda a: np.nanvar(a, axis=0), NAN_TABLE),
    row(lambda a: np.nanstd(a, axis=1), NAN_TABLE),
    row(lambda a: np.nanstd(a, axis=0), NAN_LINE),
    row(lambda a: np.nanvar(a, axis=0), TABLE),
    row(lambda a: np.nanargmin(a, axis=0), NAN_TABLE),
    row(lambda a: np.nanargmax(a, axis=1), NAN_TABLE),
    row(lambda a: np.nanargmax(a, axis=0), NAN_LINE),
    row(lambda a: np.nanargmax(a, axis=1), np.full((2, 2), np.nan)),
    row(lambda a: np.nanargmin(a, 0), TABLE),
    row(lambda a: np.nanmean(a, 0), np.full((2, 2), np.nan)),
    row(lambda a: np.nanvar(a, 3), NAN_TABLE),
]
