"""Rows of the case table: methods of NumPy's numbers."""

from __future__ import annotations

import numpy as np

from corpus.library.rows import row

NUMBERS = (np.float64(2.56), np.int64(3), np.float32(1.7), np.bool_(True), np.complex64(1 + 2j))


def reduced(x):
    return x.any(), x.all(), x.sum(), x.prod(), x.min(), x.max(), x.mean(), x.std(), x.var(ddof=0)


def arranged(x):
    return x.ravel(), x.reshape(1, 1), x.flatten(), x.repeat(3), x.cumsum(), x.squeeze()


def compared(a):
    count = 0
    for x in a:
        if (x > 0).any() and not (x == 2).all():
            count += (np.sqrt(x) > 1.5).sum()
    return count


ROWS = [
    *(row(program, x) for program in (reduced, arranged) for x in NUMBERS),
    *(row(lambda x: (x.item(), x.tolist(), x.copy(), x.tobytes()), x) for x in NUMBERS),
    *(row(lambda x: (x.astype(np.int8), x.astype("f4", copy=False)), x) for x in NUMBERS[:4]),
    *(row(lambda x: (x.round(), x.clip(0, 1), x.conj()), x) for x in NUMBERS[:3]),
    row(lambda x: (x.conj(), x.view(np.int64)), NUMBERS[4]),
    row(lambda x: x.view(np.int64), NUMBERS[0]),
    row(lambda x: x.mean(1), NUMBERS[0]),
    row(compared, np.arange(5.0)),
]
