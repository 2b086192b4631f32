"""Rows of the case table: flags of arrays, and their bytes."""

from __future__ import annotations

import numpy as np

from corpus.library.rows import row
from corpus.library.values import BOX, COMPLEX, EMPTY, TABLE


def attributes(a):
    lies = (a.flags.c_contiguous, a.flags.f_contiguous, a.flags.contiguous, a.flags.fnc)
    may = (a.flags.writeable, a.flags.aligned, a.flags.behaved, a.flags.writebackifcopy)
    return lies, may, (a.flags.carray, a.flags.farray, a.flags.forc)


def words(a):
    lies = (a.flags["C_CONTIGUOUS"], a.flags["F"], a.flags["FORTRAN"], a.flags["FNC"])
    return lies, (a.flags["W"], a.flags["ALIGNED"], a.flags["CA"], a.flags["FARRAY"])


def of_views(a):
    b, c, d = a[:, 1:2].flags, a[::-1].flags, a[:1].flags
    return (b.forc, b.carray, b.farray), (c.forc, c.behaved), (d.contiguous, d.f_contiguous, d.fnc)


def of_field(a):
    b, c = a["x"].flags, a["x"][:1].flags
    return (b.aligned, b.carray, b.farray, b.forc), (c.aligned, c.carray, c.forc)


def of_bytes(data):
    a = np.frombuffer(data, np.float64, 2, 1)
    return a.flags.aligned, a.flags.writeable, a.flags.behaved, a.flags.farray, a.flags.forc


def kept_bytes(a):
    data = a.tobytes()
    a[...] = 0
    return data, len(data), data[-1]


RECORDS = np.array([(1, 2.5), (2, 3.5)], [("n", "i4"), ("x", "f8")])

LAYOUTS = (TABLE, BOX.transpose(1, 2, 0), BOX.T, np.zeros((0, 3)), BOX[:, :1, ::2])

ROWS = [
    *(row(of_views, a) for a in LAYOUTS),
    *(
        row(attributes, a)
        for a in (*LAYOUTS, EMPTY, np.array(3), np.broadcast_to(TABLE, (2, 3, 4)))
    ),
    row(words, TABLE.T),
    row(of_field, RECORDS),
    row(of_bytes, bytes(range(40))),
    row(kept_bytes, TABLE),
    row(lambda a: (a.tobytes("F"), a.tobytes("A"), a.tobytes(order="K"), a.tobytes(None)), TABLE.T),
    row(lambda a: a.T.tobytes(), BOX[:, ::2]),
    row(lambda a: (a.tobytes(), a[:0].tobytes()), COMPLEX),
    row(lambda a: a.tobytes("Z"), TABLE),
    row(lambda a, b: (a.tobytes(), b.tobytes()), RECORDS, np.array(["ab", "é"])),
    row(lambda a, b: (a.tobytes(), b[::-1].tobytes()), np.array(3.5), TABLE.astype("M8[s]")),
]
