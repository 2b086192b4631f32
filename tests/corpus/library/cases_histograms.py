"""Rows of the case table: histogram2d and the rest of its area."""

from __future__ import annotations

import numpy as np

from corpus.library.rows import row
from corpus.library.values import MANY, NAN_LINE, SMALL, TABLE, WEIGHTS

SPREAD = np.sin(np.arange(30.0) ** 2) * 5

ROWS = [
    row(lambda a, b: np.histogram2d(a, b), MANY, MANY[::-1]),
    row(
        lambda a, b, c: np.histogram2d(a, b, (3, c), ((0, 1), (2, 5)), density=True),
        WEIGHTS,
        SMALL,
        np.array([0, 2, 5]),
    ),
    row(lambda a, b: np.histogram2d(a, b, 4, weights=b), WEIGHTS.astype("f"), WEIGHTS),
    row(lambda a: np.histogram2d(a, a[1:]), SMALL),
    row(lambda a: np.histogram2d(a, a), NAN_LINE),
    row(lambda a: np.histogram2d(a, a, 0), SMALL),
    row(lambda a, b: np.histogramdd((a, b, a), 2)[0], SMALL, WEIGHTS),
    row(lambda a: np.histogramdd(a, (2, 3))[0], TABLE[:, :2]),
    row(lambda a: np.histogram_bin_edges(a, 5), MANY.astype("f")),
    row(lambda a, b: np.histogram_bin_edges(a, b, (0, 2)), SMALL, 7),
    row(lambda a, b: np.histogram_bin_edges(a, b), SMALL, WEIGHTS),
    row(lambda a: np.histogram_bin_edges(a), np.full(3, 1e300)),
    *(
        row(program, SPREAD)
        for program in (
            lambda a: np.histogram(a, bins="auto", density=True),
            lambda a: np.histogram(a, bins="doane"),
            lambda a: np.histogram(a, bins="scott"),
            lambda a: np.histogram(a, bins="stone"),
            lambda a: np.histogram(a, bins="rice", range=(0, 1)),
            lambda a: np.histogram_bin_edges(a, bins="sturges"),
            lambda a: np.histogram_bin_edges((a * 9).astype(int), bins="fd"),
            lambda a: np.histogram_bin_edges(a.reshape(5, 6)[::-1], "sqrt", (-1, 1)),
            lambda a: np.histogram(a > 1, bins="sqrt"),
            lambda a: np.histogram(a[:0], bins="auto"),
            lambda a: np.histogram(a[:1], bins="doane"),
            lambda a: np.histogram(a * np.nan, bins="auto"),
            lambda a: np.histogram(a, bins="auto", range=(0.0, np.inf)),
        )
    ),
]
