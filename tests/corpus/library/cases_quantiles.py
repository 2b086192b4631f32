"""Rows of the case table: median, quantiles, and the rest of their area."""

from __future__ import annotations

import numpy as np

from corpus.library.rows import row
from corpus.library.values import (
    BOX,
    EMPTY,
    INTEGERS,
    MANY,
    NAN_LINE,
    NAN_TABLE,
    TABLE,
    WEIGHTS,
    WIDE,
)

ROWS = [
    row(lambda a: np.median(a), MANY),
    row(lambda a: np.median(a), MANY[:-1]),
    row(lambda a: np.median(a), INTEGERS),
    row(lambda a: np.median(a, axis=0), WIDE),
    row(lambda a: np.median(a), NAN_LINE),
    row(lambda a: np.median(a), EMPTY),
    row(lambda a: np.median(a, 1), TABLE),
    row(lambda a: np.median(a), MANY.astype("f4")),
    row(lambda a: np.median(a), np.tile([1, 2], 300)),
    row(lambda a: np.percentile(a, 30), MANY),
    row(lambda a: np.percentile(a, 33.3), INTEGERS),
    row(lambda a, b: np.quantile(a, b), MANY, np.array([0, 0.2, 0.77, 1])),
    row(lambda a: np.percentile(a, 101), MANY),
    row(lambda a: np.quantile(a, 0.5), NAN_LINE),
    row(lambda a: np.nanpercentile(a, 50), NAN_LINE),
    row(lambda a: np.nanquantile(a, 0.1), NAN_LINE),
    row(lambda a: np.quantile(a, -0.1), MANY),
    row(lambda a: np.percentile(a, 60.0), np.zeros((0, 2))),
    row(lambda a: np.nanquantile(a, 0.5), EMPTY),
    row(lambda a: np.median(a, (0, -1), keepdims=True), BOX.transpose(2, 0, 1)),
    row(lambda a, b: np.median(a, 1, out=b), NAN_TABLE, np.zeros(3)),
    row(lambda a: np.nanmedian(a, axis=0, keepdims=True), NAN_TABLE),
    row(lambda a: np.percentile(a, (25, 50, 75)), MANY),
    row(lambda a, b: np.percentile(a, b, axis=0), TABLE, np.array([0, 40, 100])),
    row(lambda a: np.quantile(a, 0.3, axis=(0, 2), keepdims=True), BOX.astype("f4")),
    row(lambda a: np.quantile(a, 0.3, method="median_unbiased"), MANY),
    row(lambda a: np.quantile(a, 0.42, axis=1, method="averaged_inverted_cdf"), TABLE.astype("i1")),
    row(lambda a: np.percentile(a, 50, method="closest_observation"), MANY[:10]),
    row(lambda a: np.percentile(a, 50, method="midpoint", axis=1), TABLE),
    row(lambda a, b: np.quantile(a, b, method="higher"), NAN_LINE, np.array([0.2, 0.7])),
    row(
        lambda a, b: np.quantile(a, 0.6, weights=b, method="inverted_cdf"),
        WEIGHTS[::-1],
        WEIGHTS,
    ),
    row(lambda a: np.nanquantile(a, 0.7, 1, None, True, "hazen"), NAN_TABLE),
    row(lambda a: np.quantile(a, 0.5, axis=7), TABLE),
    row(lambda a: np.median(a, (1, 1)), TABLE),
    row(lambda a: np.nanpercentile(a, 50, keepdims=True), np.array(3.0)),
    row(lambda a: np.nanpercentile(a, 50, keepdims=True), np.array(np.nan)),
    row(lambda a: np.percentile(a, 50, keepdims=True), np.array(3.0)),
    row(lambda a: np.quantile(a, [0.5, 1], keepdims=True), np.array(3.0)),
    row(lambda a: np.nanmedian(a, keepdims=True), np.array(3.0)),
    row(lambda a: np.median(a, keepdims=True), np.array(3)),
]
