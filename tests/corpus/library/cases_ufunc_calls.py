"""Rows of the case table: ufuncs with all keywords, their methods with times, and users' own."""

from __future__ import annotations

import numpy as np

import cutaway
from corpus.library.rows import row
from corpus.library.values import BOX, SMALL, TABLE, WIDE

DAYS = np.array(
    ["2020-01-05", "2019-03-04", "NaT", "2021-01-01", "1969-01-01", "2000-02-29"], "M8[D]"
)
DAYS = DAYS.reshape(2, 3)
SPANS = np.arange(-4, 8).astype("m8[h]").reshape(3, 4)
LINE = WIDE[0, :7]
PLACES = np.array([0, 2, 2, -1])


@cutaway.vectorize(["f8(f8,f8)", "i8(i8,i8)"])
def larger(a, b):
    return a if a > b else b  # noqa: FURB136


@cutaway.vectorize(identity=1)
def product(a, b):
    return a * b


@cutaway.vectorize(["int64(int64, int64)", "float64(float64, float64)"])
def joined(a, b):
    if b > 100:
        raise ValueError("too much")
    return a + 2 * b


@cutaway.vectorize
def next_one(a):
    return a + 1


def of_two_with_a_mask(a, m, out):
    quotient, rest = np.divmod(a, 3, where=m)
    np.modf(a * 0.5, out=(out, None), where=m)
    np.divmod(a, 3, out=(a, out), where=m)
    return quotient[m], rest[m], a, out


def changed(a, places, span):
    np.add.at(a, places, span)
    np.maximum.at(a, 0, a[1])
    return a


def changed_by_own(a, places):
    joined.at(a, places, 2)
    next_one.at(a, places)
    return a


def orders(a):
    new = np.add(a, 1, order="F"), np.sin(a, order="C"), np.divmod(a, 2, order="F")[1]
    return new[0].strides, new[1].strides, new[2].strides, new[0], np.add(a, a, subok=False)


def reduced_with_a_name(a):
    reduce = product.reduce
    return reduce(a, axis=1) + 1


ROWS = [
    row(lambda a, out: np.add.outer(a, a, out=out), SMALL[:3], np.zeros((3, 3))),
    row(lambda a: np.add.outer(a, a, dtype=np.float32), SMALL[:3]),
    row(lambda a: np.add.outer(a, a, dtype="f4", casting="unsafe", order="F"), LINE),
    row(
        lambda a, m, out: np.add.outer(a, a, out=out, where=m), LINE, np.eye(7) > 0, np.ones((7, 7))
    ),
    row(of_two_with_a_mask, TABLE * 1.5, TABLE > 0, np.ones((3, 4))),
    row(of_two_with_a_mask, TABLE * 1.5, TABLE[0] > 0, np.ones((3, 4))),
    row(orders, TABLE),
    row(orders, TABLE.T),
    row(lambda a: np.add.reduce(a, initial=None), np.array([-0.0])),
    row(lambda a: np.add.reduce(a, None, initial=None), WIDE[:0]),
    row(lambda a: np.add.reduce(a, 1, initial=None), TABLE),
    row(lambda a, b: (np.subtract.outer(a, a), np.less.outer(a[0], a), a[0, 0] + b), DAYS, SPANS),
    row(lambda a: (np.add.reduce(a), np.add.reduce(a, None), np.add.reduce(a[:0])), SPANS),
    row(lambda a: np.add.reduce(a, (0, 1), keepdims=True), SPANS[::-1].T),
    row(lambda a: np.add.reduce(a, 1, initial=np.timedelta64(3, "h")), SPANS),
    row(lambda a, m: np.add.reduce(a, 1, where=m), SPANS, TABLE > 0),
    row(lambda a: (np.maximum.reduce(a, 1), np.fmax.reduce(a, 1), np.fmin.reduce(a)), DAYS),
    row(lambda a: np.maximum.reduce(a), DAYS[:0]),
    row(lambda a: (np.add.accumulate(a, 1), np.subtract.accumulate(a[::-1])), SPANS),
    row(lambda a: (np.maximum.accumulate(a), np.minimum.reduceat(a, [0, 1], 1)), DAYS),
    row(changed, SPANS.ravel().copy(), PLACES, np.timedelta64(5, "h")),
    row(changed, DAYS.ravel().copy(), PLACES, np.timedelta64(5, "D")),
    row(lambda a: (larger.reduce(a), larger.reduce(a, 1), larger.reduce(a[0])), WIDE),
    row(lambda a: larger.reduce(a), TABLE[:0]),
    row(lambda a: (larger.accumulate(a, 1), larger.outer(a, a[0])), TABLE),
    row(lambda a: (larger.reduceat(a, [0, 2], -1), larger.reduce(a, initial=3)), TABLE),
    row(lambda a: product.reduce(a, (0, 2), keepdims=True), BOX, close=True),
    row(lambda a: (product.reduce(a[:0]), product.reduce(a, None, where=a > 1)), TABLE),
    row(lambda a, out: product.reduce(a, out=out), TABLE * 1.0, np.zeros(4)),
    row(reduced_with_a_name, TABLE * 1j),
    row(lambda a: (joined.reduce(a, 1), joined.accumulate(a[::-1]), joined.outer(a, a)), TABLE),
    row(lambda a: joined.reduce(a), TABLE + 99),
    row(changed_by_own, SMALL * 1.5, PLACES),
    row(changed_by_own, SMALL, PLACES),
]
