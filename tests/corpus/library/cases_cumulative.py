"""Rows of the case table: cumsum and the rest of its area."""

from __future__ import annotations

import numpy as np

from corpus.library.rows import row
from corpus.library.values import (
    BYTES,
    COMPLEX,
    INTEGERS,
    NAN_LINE,
    NAN_TABLE,
    SMALL,
    SORTED,
    TABLE,
    WIDE,
)

ROWS = [
    row(lambda a: np.cumsum(a), BYTES),
    row(lambda a: np.cumsum(a), NAN_TABLE),
    row(lambda a: np.cumsum(a, axis=0), NAN_TABLE),
    row(lambda a: a.cumsum(1), TABLE.T),
    row(lambda a: np.cumprod(a), TABLE),
    row(lambda a: np.cumsum(a), TABLE > 0),
    row(lambda a: np.cumsum(a), COMPLEX),
    row(lambda a: np.cumsum(a, dtype=np.float32), TABLE),
    row(lambda a: np.nancumsum(a), NAN_LINE),
    row(lambda a: np.nancumprod(a), NAN_LINE),
    row(lambda a: (np.nancumprod(a), np.nancumsum(a)), NAN_LINE * (1.0 + 0.5j)),
    row(lambda a: np.cumprod(a, dtype=np.complex128), INTEGERS.ravel()),
    row(lambda a: np.cumsum(a, axis=3), TABLE),
    row(lambda a: np.cumsum(a), NAN_LINE.astype("f4")),
    row(lambda a: np.cumprod(a, 0), INTEGERS.astype("u1")),
    row(lambda a: np.cumsum(a, 0), INTEGERS.astype("u1")),
    row(lambda a: np.diff(a), INTEGERS),
    row(lambda a: np.diff(a, 2), INTEGERS),
    row(lambda a: np.diff(a, axis=0), TABLE),
    row(lambda a: np.diff(a, -1), TABLE),
    row(lambda a: np.diff(a), TABLE > 0),
    row(lambda a: np.diff(a, n=9), TABLE),
    row(lambda a: np.diff(a), BYTES),
    row(lambda a: np.diff(a), np.array([1, 0], "u1")),
    row(lambda a: np.diff(a, 0), TABLE),
    row(lambda a: np.ediff1d(a), TABLE),
    row(lambda a: np.trapezoid(a), INTEGERS),
    row(lambda a, b: np.trapezoid(a, b), SORTED[:12], SMALL),
    row(lambda a: np.trapezoid(a, dx=0.5), SORTED[:12]),
    row(lambda a, b: np.trapezoid(a, b), SORTED[:13], SMALL),
    row(lambda a: np.cumprod(a, axis=0), np.array(3)),
    row(lambda a: np.cumsum(a, axis=1), np.array(3)),
    row(lambda a: np.cumulative_sum(a, axis=0, include_initial=True), TABLE),
    row(lambda a: np.cumulative_prod(a, include_initial=True, dtype=complex), SMALL),
    row(lambda a: np.cumulative_sum(a), TABLE),
    row(lambda a, b: np.cumulative_sum(a, out=b), SMALL, np.zeros(12)),
    row(lambda a: np.cumulative_prod(a, axis=-1), TABLE.T),
    row(lambda a: np.diff(a, axis=0, prepend=a[:1], append=2), TABLE),
    row(lambda a: np.ediff1d(a, to_begin=a[0], to_end=3), TABLE),
    row(lambda a: np.trapezoid(a, a, axis=0), WIDE),
    row(lambda a: np.trapezoid(a, dx=0.5), TABLE),
    row(lambda a, b: np.cumsum(a, 1, out=b), TABLE.astype("i1"), np.zeros((3, 4))),
    row(lambda a: (np.cumsum(a, dtype=np.int64), np.cumprod(a, 0, np.int32)), TABLE * 1.7),
    row(
        lambda a: (np.cumsum(a, 1, np.uint8), np.cumulative_sum(a, axis=0, dtype=np.int8)),
        TABLE * 1.7,
    ),
    row(
        lambda a: (np.nancumsum(a, dtype=np.int64), np.nancumprod(a, 0, np.int64)), NAN_TABLE * 1.7
    ),
    row(lambda a: (np.cumsum(a, dtype=np.float32), np.cumprod(a, dtype=np.float16)), WIDE[0] / 7),
    row(lambda a: np.ediff1d(a, None, None), np.arange(6.0).reshape(2, 3)),
]
