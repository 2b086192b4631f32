"""Rows of the case table: polyadd and the rest of its area."""

from __future__ import annotations

import numpy as np

from corpus.library.rows import row
from corpus.library.values import EMPTY, SMALL, SORTED, WEIGHTS

# What takes no number where NumPy looks for a sequence.
OF_NO_SEQUENCE = (
    lambda p: np.roots(p),
    lambda p: np.poly(p),
    lambda p: np.polyder(p),
    lambda p: np.polyder(p, -1),
    lambda p: np.polyint(p, 2),
    lambda p: np.polyint(p, -1),
    lambda p: np.polyint(p, 0),
)

ROWS = [
    row(lambda a, b: (np.polyadd(a, b), np.polysub(b, a), np.polymul(a, b)), SMALL, WEIGHTS[:4]),
    row(lambda a, b: np.polymul(a, b), EMPTY, SMALL),
    row(lambda: np.polyadd((1, 2), (3, 4.5))),
    row(lambda a, b: np.polydiv(a, b), WEIGHTS, 1 + WEIGHTS[:3]),
    row(lambda a, b: np.polydiv(a, b), SMALL[:1], 1 + SMALL[:2]),
    row(lambda a: (np.polyder(a), np.polyder(a, 3), np.polyder(a, 0)), SMALL),
    row(lambda a: np.polyder(a, -1), SMALL),
    row(lambda a: (np.polyint(a), np.polyint(a, 2, k=3)), SMALL),
    row(lambda a: np.polyint(a, 3, k=(1, 2)), SMALL),
    row(lambda a, b: np.polyint(a, 2, b), WEIGHTS.astype("f"), SMALL[:2]),
    row(lambda a: np.poly(a), SMALL),
    row(lambda: np.poly((1.5, 2))),
    row(lambda a, b: np.polyfit(a, b, 2), SORTED[:12], WEIGHTS),
    row(lambda a: np.roots(a), np.array([1.0, 0, 1])),
    row(lambda a, b: np.polydiv(a, b), SMALL, np.array([-0.0], "f")),
    row(lambda a: np.poly(a), SMALL[:3].astype("u8")),
    row(lambda a: np.poly(a), SMALL[:3].astype("u1")),
    row(lambda p: np.polyder(p), np.array(4.0)),
    row(lambda p: np.polyint(p), np.array(4.0)),
    *(row(program, p) for program in OF_NO_SEQUENCE for p in (2.5, np.array(4.0))),
    row(lambda p, m: np.polyint(p, m), SMALL, 2**62),
    row(lambda p, m: np.polyint(p, m), SMALL[:0], 3),
    row(lambda p: (np.polyint(p, 3, 5), np.polyint(p, 0)), SMALL[:0]),
    row(lambda p, m, k: np.polyint(p, m, k), SMALL, 3, SMALL[:2]),
    row(lambda p, m, k: np.polyint(p, m, k), SMALL, 1, SMALL[:0]),
]
