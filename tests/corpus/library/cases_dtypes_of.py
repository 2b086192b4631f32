"""Rows of the case table: result_type and the rest of its area."""

from __future__ import annotations

import numpy as np

from corpus.library.rows import row
from corpus.library.values import BYTES, COMPLEX, MANY, TABLE

ROWS = [
    row(lambda a: (np.result_type(a, 1), np.result_type(a, np.float32, "i2")), BYTES),
    row(lambda a: (np.promote_types(a.dtype, "i2"), np.common_type(a)), BYTES),
    row(lambda a: (np.can_cast(a, np.int32), np.can_cast(a.dtype, "f4", "same_kind")), MANY),
    row(lambda a: (np.min_scalar_type(a), np.min_scalar_type(255), np.min_scalar_type(-1)), BYTES),
    row(
        lambda a: (np.isdtype(a.dtype, "integral"), np.isdtype(a.dtype, (np.float64, "bool"))), MANY
    ),
    row(lambda a: (np.issubdtype(a.dtype, np.integer), np.issubdtype(a.dtype, np.float64)), MANY),
    row(lambda a: (np.iscomplexobj(a), np.isrealobj(a), np.isscalar(a), np.iterable(a)), COMPLEX),
    row(lambda: (np.isscalar(2.5), np.isscalar("a"), np.isscalar(None), np.iterable(3))),
    row(lambda a: (np.isfortran(a), np.isfortran(a.T), np.isfortran(a[0])), TABLE),
    row(lambda a: a * np.finfo(a.dtype).eps + np.finfo(np.float32).max, MANY),
    row(lambda a: (np.iinfo(np.int32).max, np.iinfo(a.dtype).min, np.iinfo(np.uint64).max), BYTES),
    row(lambda a, b: (np.isscalar(a), np.isscalar(b)), "a", b"a"),
]
