"""Arrays that rows of the case table are made of."""

from __future__ import annotations

import numpy as np

_RANDOM = np.random.default_rng(1)

TABLE = _RANDOM.integers(-5, 5, (3, 4))
NAN_TABLE = _RANDOM.random((3, 4))
NAN_TABLE[1, 2] = np.nan
NAN_LINE = _RANDOM.random(50)
NAN_LINE[[3, 7]] = np.nan
COMPLEX = NAN_LINE[:20] + 1j * _RANDOM.random(20)
INTEGERS = _RANDOM.integers(0, 9, 40)
SORTED = np.sort(NAN_LINE)
SMALL = _RANDOM.integers(0, 6, 12)
EMPTY = np.zeros(0)
BYTES = np.array([100, 100, 3], "i1")
BOX = np.arange(24.0).reshape(2, 3, 4) ** 1.5
WIDE = _RANDOM.random((30, 40))
MANY = _RANDOM.random(1000)
LONG = _RANDOM.integers(0, 1 << 40, 3000)
WEIGHTS = _RANDOM.random(12)
