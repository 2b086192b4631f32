"""Rows of the case table: records, dtypes, and what lends its memory."""

from __future__ import annotations

import array
import enum

import numpy as np

from corpus.library.rows import row

PAIR = np.dtype([("x", "f8"), ("n", "i4")])
NESTED = np.dtype([("p", PAIR), ("k", "u1")])
PAIRS = np.array([(1.0, 2), (3.5, 4), (1.0, 2)], PAIR)
OUTER = np.zeros(2, NESTED)
LABELS = np.array([("a", np.nan), ("b", 1.0), ("a", 2.0)], [("name", "U2"), ("x", "f4")])


def stored(a):
    a[0] = (5, 6)
    a[1] = a[0]
    a["x"][:2] = 9
    a["n"][1] = 3
    a[-1]["n"] = 8
    return a


def stored_within(a):
    a["p"]["x"][:] = 3
    a[0]["p"]["n"] = 4
    a[1]["p"] = a[0]["p"]
    a[0] = ((7.5, 2), 1)
    a[1]["p"] = (8, 9)
    return a


def by_a_name(a):
    name = "x"
    total = 0.0
    for record in a:
        total += record[name] + record[1] + record[-2]
    return total, a[name][1], len(a[0])


def told(a):
    dtype = a["x"].dtype
    if dtype.kind == "f":
        return dtype.char, dtype.name, dtype.itemsize, a.dtype.names, dtype == np.float64
    return None


def stored_in_many(a):
    a[1:] = (9, 2)
    a[::-2] = (4, 2.5)
    if len(a) > 3:
        a[...] = (1, 1)
    return a


def taken_apart(a):
    total = 0.0
    for record in a:
        x, n = record
        total += x * n
    return total


def taken_apart_wrongly(a):
    x, n, more = a[0]
    return x


ROWS = [
    row(stored, PAIRS),
    row(stored_within, OUTER),
    row(by_a_name, PAIRS),
    row(lambda a: (a[0] == a[1], a[0] == a[2], a[0] != a[1]), PAIRS),
    *(row(lambda a, b: (a == b, a != b), PAIRS, b) for b in (PAIRS[::-1], PAIRS[:1], PAIRS[:2])),
    row(lambda a, b: (a == b, a != b), OUTER[:, None], OUTER),
    row(lambda a: (a["p"] == a["p"][0:1], a[0:0] == a[0:0]), OUTER),
    row(lambda a, b: (a == b, a != b), LABELS, LABELS[::-1]),
    row(lambda a: (a.dtype["x"], np.zeros(2, a.dtype["n"])), PAIRS),
    row(lambda a: np.zeros(3, a.dtype)["n"] + a["n"], PAIRS),
    row(told, PAIRS),
    row(lambda: (np.dtype("f4").itemsize, np.dtype(np.int16).itemsize, np.dtype(float).kind)),
    row(lambda: np.zeros(2, np.dtype("i2"))),
    row(lambda m: np.asarray(m) + 1, memoryview(np.arange(6.0).reshape(2, 3)[:, ::2])),
    row(lambda m: np.array(m, np.float32), memoryview(np.arange(3))),
    row(lambda m: np.asarray(m)[1:], array.array("d", [1, 2, 3])),
    row(lambda m: np.array(m), array.array("h", [1, 2, 3])),
]

PARTS = np.dtype([("v", "f8", (3,)), ("m", "i2", (2, 2)), ("k", "u1")])
WITH_PARTS = np.zeros(2, PARTS)
WITH_PARTS["m"][1] = [[1, 2], [3, 4]]


def stored_in_parts(a):
    a[0]["v"][1] = 5
    a["v"][1] = [1, 2, 3]
    a[0]["m"] = 7
    a["v"][:, 2] = a["m"][:, 0, 1]
    record = a[1]
    record["v"] = record["v"] * 2
    return a, record["m"].sum(), a["v"].shape


FIELDS = np.zeros(3, [("x", "f8"), ("p", PAIR), ("s", "U3"), ("w", "f4", (2,))])
FIELDS["p"]["n"], FIELDS["s"] = [4, 5, 6], ["a", "bc", ""]
RECORDS = FIELDS.view(np.recarray)


def stored_in_some(a):
    part = a[["p", "x"]]
    part["x"] = 9
    part[1]["p"]["n"] = 7
    return a, part["p"]["n"].sum(), part.nbytes


def through_attributes(a):
    total = a.x.sum() + a[1].p.n + a.p[0].n + len(a.s[1])
    for one in a:
        total += one.p.n * 2 + one["x"]
    a.x[1:] = 3
    a.w[:, 0] = a.p.n
    return total, a.x, a.w, a.p.n, a["p"]["n"], a.s[1]


ROWS += [
    *(row(stored_in_some, a) for a in (FIELDS, FIELDS[::-2], FIELDS.reshape(3, 1))),
    row(lambda a: (a[["x", "s"]], a[1][["s", "p"]], a[["w", "x"]][1:]), FIELDS),
    row(lambda a: a[1][["p", "x"]]["p"]["n"], FIELDS),
    row(through_attributes, RECORDS),
    row(lambda a: (a.shape, a.p.x, a[["x"]].x), RECORDS[:0]),
    row(stored_in_parts, WITH_PARTS),
    row(stored_in_parts, np.zeros(4, PARTS)[::2]),
    row(lambda a: (a["m"], a[1]["m"].T, a["k"]), WITH_PARTS),
    row(stored_in_many, PAIRS),
    row(stored_in_many, PAIRS[::-1]),
    row(taken_apart, PAIRS),
    row(taken_apart, PAIRS[:0]),
    row(taken_apart_wrongly, PAIRS),
]


class State(enum.IntEnum):
    DOWN = 0
    UP = 3


PLAIN = np.dtype([("x", "f8"), ("s", "i4"), ("ok", "?"), ("v", "f4", (3,))])


def stored_in_attributes(a):
    for r in a:
        r.x = r.x + 1
        r.s += State.UP
        r.ok = r.x < 2
        r.v = 7
    a[1].v = a[0].v * 2
    return a[0].s, a.x.sum(), a


def stored_members(a):
    a[0]["s"] = State.UP
    a["s"][1:] = State.UP
    a["v"] = State.UP
    s = a["s"]
    s += State.UP
    return a, s


ROWS += [
    row(stored_in_attributes, np.zeros(2, PLAIN).view(np.recarray)),
    row(stored_members, np.zeros(3, PLAIN)),
]


def stored_as_attributes_of_all(a, values):
    """Fields of all records at once: numbers, arrays, texts."""
    a.x = values
    a.n = 7
    a.x += a.n
    a.name = "abc"
    a[0].name, a[1].b = "longer than four", b"xyz"
    r = a[-1]
    r.name = "d"
    a.x[1] = 9
    return a.x.sum(), a


MIXED = [("x", "f8"), ("n", "i2"), ("name", "U4"), ("b", "S2")]

ROWS += [
    row(stored_as_attributes_of_all, np.zeros(3, MIXED).view(np.recarray), np.arange(3.0)),
    row(stored_as_attributes_of_all, np.zeros(3, MIXED).view(np.recarray)[::-1], 2),
    row(stored_as_attributes_of_all, np.zeros(3, MIXED).view(np.recarray), np.arange(2.0)),
]
