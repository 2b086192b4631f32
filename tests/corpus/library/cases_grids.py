"""Rows of the case table: arrays made of what stands in brackets."""

from __future__ import annotations

import numpy as np

from corpus.library.rows import row
from corpus.library.values import SMALL, TABLE

ROWS = [
    row(lambda: (np.mgrid[0:3], np.mgrid[5:0:-2], np.ogrid[0:1:0.25])),
    row(lambda n: (np.mgrid[0:n, 1:2:5j], np.mgrid[:3, 5:1], np.mgrid[0:0:1j]), 4),
    row(lambda n: np.mgrid[0:3, 0:3:n], 0),
    row(lambda x, n: np.ogrid[0:x:0.5, -1 : 1 : n * 1j], 2.0, 3),
    row(lambda a: (np.r_[a, 1.5, [1, 2], (3, 4)], np.r_[1:3, a], np.r_[0:1:5j, 3]), SMALL),
    row(lambda a: (np.r_["0,2", a, a], np.r_["1,2,0", a, a], np.r_["-1,2,0", a, 3:6]), SMALL[:3]),
    row(lambda a: (np.r_[a, a], np.c_[a, a[:, 0]], np.c_[a.T[:, ::-1], [1, 2, 3, 4]]), TABLE),
    row(lambda a: (np.c_[a, a], np.c_[1:4, a], np.c_[a, 0, 1]), SMALL[:3].astype(np.float32)),
    row(lambda a, n: (a[np.s_[n:, ::2]], a[np.s_[..., None]], a[np.index_exp[1]]), TABLE, 1),
]
