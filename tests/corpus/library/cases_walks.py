"""Rows of the case table: nditer."""

from __future__ import annotations

import numpy as np

from corpus.library.rows import row
from corpus.library.values import BOX, EMPTY, TABLE


def in_order(a):
    total = 0.0
    for x in np.nditer(a):
        total = total * 0.5 + x
    return total


def in_given_order(a):
    total = 0.0
    for x in np.nditer(a, order="F"):
        total = total * 0.5 + x
    for x in np.nditer([a], order="C"):
        total = total * 0.5 + x
    return total


def together(a, b):
    total = 0.0
    for x, y in np.nditer([a, b]):
        total = total * 0.5 + x * y
    return total


def with_number(a):
    total = 0.0
    for x, y in np.nditer((a, 3), flags=["zerosize_ok"]):
        total += x * int(y) + float(x)
    return total


def places(a):
    it = np.nditer(a, flags=["multi_index"])
    total = float(it.shape[0] + it.itersize)
    for x in it:
        i, k = it.multi_index
        total = total * 0.5 + x * (i + 10 * k)
    return total, it.finished


def place_past_the_end(a):
    it = np.nditer(a, flags=["multi_index"])
    while it.iternext():
        pass
    return it.multi_index


def indices(a):
    it, other, total = np.nditer(a, ["c_index"]), np.nditer(a, ["f_index"]), 0.0
    while not it.finished:
        total = total * 0.5 + it[0] * it.index + it.value + it.iterindex
        total += other.index * other[0]
        it.iternext()
        other.iternext()
    it.reset()
    return total, it.index, it.nop, other.iternext()


def lines(a, b):
    total, n = 0.0, 0
    for x, y in np.nditer([a, b], flags=["external_loop"]):
        n = n * 10 + len(x)
        for k in range(len(x)):
            total = total * 0.5 + x[k] * y[k]
    return total, n


def doubled(a):
    for x in np.nditer(a, op_flags=["readwrite"]):
        x[...] = 2 * x
    for line in np.nditer(a, ["external_loop"], [["readwrite"]], order="F"):
        line += 1
    return a


def added(a, b):
    for x, y in np.nditer([a, b], ["reduce_ok"], [["readwrite"], ["readonly"]]):
        x += y
    return a


def strictly_added(a, b):
    for x, y in np.nditer([a, b], op_flags=[["readwrite"], ["readonly"]]):
        x += y
    return a


ODD = BOX[::-1].transpose(2, 0, 1)[:, :, ::-2]
LAYOUTS = (TABLE, TABLE.T, TABLE[::-1, ::2], ODD, ODD[:, :1], np.array(2.5))

ROWS = [
    *(row(in_order, a) for a in (*LAYOUTS, EMPTY)),
    row(in_given_order, ODD),
    *(row(together, a, b) for a, b in ((TABLE, TABLE[0]), (TABLE.T, TABLE.T[:, :1]), (ODD, ODD))),
    row(together, TABLE, TABLE[0, :3]),
    *(row(with_number, a) for a in (TABLE, EMPTY)),
    *(row(places, a) for a in (TABLE, TABLE.T, TABLE[::-1, ::2])),
    row(place_past_the_end, TABLE),
    *(row(indices, a) for a in (TABLE, TABLE.T[::-1], ODD)),
    *(row(lines, a, b) for a, b in ((TABLE, TABLE), (TABLE[:, ::2], TABLE[0, ::2]), (ODD, 2.5))),
    *(row(doubled, a) for a in (TABLE, ODD)),
    row(added, np.zeros((3, 1)), TABLE),
    row(strictly_added, np.zeros((3, 1)), TABLE),
]
