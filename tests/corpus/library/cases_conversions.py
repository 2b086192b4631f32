"""Rows of the case table: asarray and the rest of its area."""

from __future__ import annotations

import numpy as np

from corpus.library.rows import row
from corpus.library.values import BOX, SMALL, TABLE, WIDE


def changed_by_itself(a):
    """The array is one with what `astype` gives, unless it is of another type."""
    b = a.astype("f8", copy=False)
    b[0] = 9
    return a


ROWS = [
    row(lambda z: complex(z), np.complex64(1.1 + 2j)),
    row(lambda a: np.asarray(a), TABLE),
    row(lambda a: np.asarray(a, np.float32), TABLE),
    row(lambda a: (np.asarray(a), np.asarray(a, "f4"), np.ascontiguousarray(a)), np.array(3)),
    row(lambda a: np.array(a), WIDE.T),
    row(lambda: np.array(((1, 2.5), (3, 4)))),
    row(lambda a: np.ascontiguousarray(a), WIDE.T),
    row(lambda a: np.asfortranarray(a), WIDE),
    row(lambda a: a.astype(np.int8), WIDE),
    row(lambda a: a.astype(np.float32) * 2 + a, WIDE.T),
    row(changed_by_itself, WIDE),
    row(changed_by_itself, SMALL),
    row(lambda a: a.astype("i4", copy=False) + 1, SMALL[::2]),
    row(lambda a: a.astype(np.float64), WIDE[::2, ::3]),
    row(lambda a: a.item(), SMALL[:1]),
    row(lambda a: a.item(), SMALL),
    row(lambda a: np.shape(a), WIDE),
    row(lambda a: np.ndim(a), WIDE),
    row(lambda a: np.size(a), WIDE),
    row(lambda: np.asarray(2.5)),
    row(lambda a: (a.copy("F"), np.copy(a, order="C"), a.flatten("F")), WIDE.T[::2]),
    row(lambda a: (a.ravel("F"), np.ravel(a, order="K")), TABLE[:, ::-1]),
    row(lambda a: (a.reshape(2, -1, order="F"), np.reshape(a, (4, 3), copy=True)), TABLE),
    row(lambda a: (a.view("u2"), a.view(np.int64), a.byteswap()), WIDE),
    row(lambda a: a.view(np.complex128), WIDE[:, :3]),
    row(lambda a: (a.mT, a.imag, a.device, a.item(1, 2), a.item(-1)), TABLE),
    row(lambda a: a.item(99), TABLE),
    row(lambda a: np.array(a, order="F"), TABLE),
    row(lambda a: np.array(a, np.float32, copy=True, order="C"), TABLE.T),
    row(lambda a: np.array(a, ndmin=4), TABLE),
    row(lambda: np.array((1, 2, 3), ndmin=2)),
    row(lambda: np.array([[1, 2], [3, 4]], order="F")),
    row(lambda: (np.array(2.5), np.array(2.5, np.float32), np.array(7, ndmin=1))),
    row(lambda a: np.asarray(a, order="F"), TABLE),
    row(lambda a: np.asarray(a, np.int8, "C", copy=True), TABLE.T),
    row(lambda a: (np.asarray(a), np.asarray(a, np.float32)), np.array(3)),
    row(lambda a, b: np.broadcast_arrays(a, b), np.array(3), SMALL),
    row(lambda a: np.array([a], copy=False), 1.0),
    row(lambda a: np.array((a, a), copy=False), 1.0),
    row(lambda a: np.array(a, copy=False), 1.0),
    row(lambda a: np.asarray([a], copy=False), 1.0),
    row(lambda a: a.astype(np.float32, order="F", copy=False), np.arange(6.0).reshape(2, 3)),
    row(lambda a: a.T.astype(np.float32, "C"), np.arange(6.0).reshape(2, 3)),
    row(lambda a: a.T.astype(np.int32, order="A"), np.arange(6.0).reshape(2, 3)),
    row(lambda a: a.astype(np.float32, casting="same_kind"), np.arange(6.0)),
    row(lambda a: a.astype(np.int32, casting="safe"), np.arange(6.0)),
    row(lambda a: a.astype(np.int32, casting="same_kind", copy=False), np.arange(6.0)),
    *(
        row(lambda a: (np.array(a.tolist()), len(a.tolist()), np.sum(a.tolist())), a)
        for a in (SMALL, TABLE.T[::-1], BOX[:, 1:], SMALL > 3)
    ),
    row(lambda a: np.array(a.tolist()), TABLE.astype("u1")),
    row(lambda a: np.array(a.tolist()), TABLE.astype("f2")),
    row(lambda a: a.tolist(), np.array(3, "i2")),
    row(lambda a: (a.squeeze(), np.squeeze(a)), np.array(3)),
    row(lambda a: (np.asarray(a, None, None), np.asarray(a, "f4", order=None)), TABLE),
    row(lambda a: np.asarray((a, 2.5), None, None, copy=None), 1),
]
