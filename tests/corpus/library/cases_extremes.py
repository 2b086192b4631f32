"""Rows of the case table: offsets, ranks, axes and sizes as extreme as integers are."""

from __future__ import annotations

import numpy as np

from corpus.library.rows import row
from corpus.library.values import BOX, TABLE

LARGEST, LEAST = 2**63 - 1, -(2**63)
LINE = np.array([5, 1, 4, 2, 3])
NOTHING = np.zeros(0)
OFFSETS = (LARGEST, 2**62, -(2**62), 2**31, 2, -2)

OF_OFFSET = [
    lambda a, k: np.eye(3, 4, k),
    lambda a, k: np.tri(3, 4, k),
    lambda a, k: np.tril(a, k),
    lambda a, k: np.triu(a, k),
    lambda a, k: np.roll(a, k),
    lambda a, k: np.roll(a, k, 1),
    lambda a, k: np.rot90(a, k),
    lambda a, k: np.take(a, k),
    lambda a, k: np.delete(a, k),
    lambda a, k: np.insert(a, k, 1),
]
ROWS = [
    *(row(program, TABLE, k) for program in OF_OFFSET for k in OFFSETS),
    row(lambda k: np.eye(3, 3, k), LEAST),
    row(lambda: np.tri(3, -1)),
    row(lambda: np.tri(-1, 3)),
    *(row(lambda a, k: np.partition(a, k), LINE, k) for k in (LARGEST, LEAST, -6, 5)),
    row(lambda a: np.partition(a, (3, 1)), LINE),
    row(lambda a: np.partition(a, 0, 0), TABLE),
    row(lambda a: np.partition(a, 11, None), TABLE),
    row(lambda a, k: np.repeat(a, k), NOTHING, -1),
    row(lambda a, k: np.repeat(a, k), LINE, -1),
    row(lambda a: np.take(a, 1), NOTHING),
    row(lambda a: np.diff(a, 9), LINE),
    *(row(lambda a, k: np.swapaxes(a, k, 0), BOX, k) for k in (3, -4)),
    row(lambda a: np.swapaxes(a, 0, 3), BOX),
    row(lambda a: np.moveaxis(a, 3, 0), BOX),
    row(lambda a: np.moveaxis(a, 0, 3), BOX),
    row(lambda a: np.average(a, 3), BOX),
    *(
        row(lambda a, shape: np.broadcast_to(a, shape), np.arange(3), shape)
        for shape in ((-1, 3), (2, 3), (2, -3), (3, 2))
    ),
    row(lambda a, shape: np.broadcast_to(a, shape), NOTHING, (LARGEST, 0)),
    row(lambda n: np.broadcast_to(1.5, (n,)), 3),
    row(lambda n: np.broadcast_to(1.5, n), LARGEST),
    row(lambda k: np.broadcast_shapes((k,), (1,)), -1),
    row(lambda: np.broadcast_shapes()),
    row(lambda k: (np.broadcast_shapes(k), np.broadcast_shapes((k, 1))), 3),
    row(lambda k: np.broadcast_shapes((2, 1), k, [1, 3], (5, 1, 1)), 3),
    row(lambda a, b, c: np.broadcast_shapes(a, b, c), (2, 1), (4, 3), (5, 1, 1)),
    row(lambda a, b, c: np.broadcast_shapes(a, b, c), (2, 1), (2, 3), (2,)),
    row(lambda a, b, c: np.broadcast_shapes(a, b, c), (2,), (-1,), (3,)),
    *(
        row(lambda a, n, m: a.reshape(n, m), a, n, m)
        for a in (NOTHING, LINE[:4])
        for n in (-1, 0, 2, 2**62)
        for m in (-1, 0, 2, 4)
    ),
    row(lambda a: a.reshape(-1), NOTHING),
    row(lambda a, n: a.reshape((n,)), LINE, 3),
    *(row(lambda a, n: np.tile(a, n), LINE, n) for n in (-1, 0, 2, LARGEST)),
    *(row(lambda a, n: np.tile(a, n), TABLE, n) for n in ((2, 1), (1, 2), (2, 0, 3), (2,))),
    row(lambda a: np.tile(a, (2, 2)), np.array(2.5)),
    row(lambda a: np.tile(a, 2), NOTHING),
    row(lambda: np.tile(5, (2, 3))),
]
SINGLES = [np.array(x) for x in (2.5, np.nan, 3)]
ROWS += [
    row(program, a)
    for a in SINGLES
    for program in (
        lambda a: np.isnan(a),
        lambda a: np.isinf(a),
        lambda a: np.clip(a, 1, 2),
        lambda a: a.clip(1, 2),
        lambda a: np.nan_to_num(a),
        lambda a: np.maximum(a, 1),
        lambda a: np.isclose(a, a),
        lambda a: np.digitize(a, np.arange(3.0)),
        lambda a: np.polyval(np.arange(3.0), a),
        lambda a: np.interp(a, np.arange(3.0), np.arange(3.0)),
        lambda a: np.dot(a, a),
        lambda a: np.where(a, a, 1),
    )
]
ROWS += [
    row(lambda a: np.vander(a), np.array([1, np.nan - 1j], "c8")),
    row(lambda a: np.vander(a, 1), np.array([np.inf])),
]
ZEROS = np.array([-0.0, -0.0, 1.0])
NO_ROWS = np.zeros((0, 3))
ROWS += [
    row(lambda a: np.cumsum(a), ZEROS),
    row(lambda a: np.nancumsum(a), np.array([np.nan, -0.0])),
    row(lambda a: np.nancumprod(a), np.array([3, 65536, 2**62, 2], "u8")),
    row(lambda a: np.cumprod(a), np.array([complex(np.inf, 0), 2j])),
    row(lambda a, x: np.dot(a, x), np.array([0, 2], "u4"), -0.0),
    *(
        row(lambda a, b, c: np.arange(a, b, c), *given)
        for given in (
            (-4, 0, 1.5),
            (-0.0, 2.0, 7.0),
            (5e-324, 0, -9.2e18),
            (np.nan, 1.0, 1.0),
            (0.0, 1e30, 1.0),
            (9.223372036854776e18, 100.0, 1.0),
            (0.0, 1.0, 0.0),
            (0, 1, 0),
        )
    ),
    *(
        row(program, *given)
        for program in (
            lambda a, b, c: np.arange(a, b, c, np.int64),
            lambda a, b, c: np.arange(a, b, c, np.uint8),
            lambda a, b, c: np.arange(a, b, c, np.float32),
        )
        for given in ((-4, 0, 1.5), (4, 9, 0.5), (250, 260, 1), (0.0, 2.0, 0.3))
    ),
    *(row(lambda a: np.trapezoid(a), np.array([5, -3, -4, -128], d)) for d in ("i1", "f4", "i8")),
    row(lambda y, x: np.trapezoid(y, x), LINE, np.array([3, 1], "i1")),
    row(lambda y, x: np.trapezoid(y, x), LINE, np.array([1, 2, 3])),
    row(lambda a: np.nanmax(a), NOTHING),
    row(lambda a: np.nanmin(a, 0), NO_ROWS),
    row(lambda a: np.nanmin(a, 1), np.zeros((0, 2), int)),
    row(lambda a: np.average(a, 1), NO_ROWS),
    row(lambda a, k: np.take(a, k, 1), NO_ROWS, -9),
    row(lambda a, k: np.take(a, k, 1), NO_ROWS, np.array([9])),
    row(lambda a, k: np.take(a, k, 0), NO_ROWS.T, np.array([9])),
    row(lambda a, k: np.repeat(a, k), LINE, np.array([3, -1])),
    row(lambda a: np.insert(a, slice(1, 0), np.nan), np.array([1, 2], "u1")),
    row(lambda a, b: np.histogram(a, b), ZEROS, np.array([1.0])),
    row(lambda a, b: np.histogram(a, b), ZEROS, NOTHING),
    row(lambda: np.geomspace(2.5, -128, 4)),
    row(lambda: np.geomspace(-1.0, 3, -1)),
    row(lambda a, b: np.linspace(a, b, 3, dtype=np.int8), -0.5, -np.inf),
    row(lambda a, b: np.vdot(a, b), LINE, ZEROS),
    row(lambda a, q: np.percentile(a, q), np.zeros(0, int), 50),
    row(lambda a, q: np.percentile(a, q), np.zeros(0, int), 0),
    row(lambda a, b: np.broadcast_shapes(a, b), (2,), (8, 3, 3)),
    row(lambda a: np.tile(a, -1), np.zeros((5, 0, 4))),
    row(lambda a, b: np.cross(a, b), LINE, LINE),
    row(lambda a: np.triu(a), NO_ROWS),
    *(
        row(program, x)
        for program in (
            lambda x: np.uint8(x),
            lambda x: np.uint32(x),
            lambda x: np.uint64(x),
            lambda x: np.int64(x),
        )
        for x in (-1.2, 300.5, 2.0**63, 1e19, 1e20, np.nan)
    ),
    row(lambda: np.uint8(300)),
]
ROWS += [
    row(lambda a: np.dot(a, a), np.array([1, 255, 5], "u1")),
    row(lambda a: np.inner(a, a), np.array([100, 3], "i1")),
    row(lambda a: np.vdot(a, a), np.array([100, 3], "i1")),
    *(
        row(lambda a, q: np.quantile(a, q), a, q)
        for a in (np.array([3, 1, 2], "u1"), np.zeros(0, int))
        for q in (0, 1, True, np.array([0, 1]), np.zeros(0))
    ),
    *(
        row(program, np.array(x), k)
        for program in (
            lambda a, k: np.nanmean(a, k),
            lambda a, k: np.nanstd(a, k),
            lambda a, k: np.nanmin(a, k),
            lambda a, k: np.nanargmax(a, k),
        )
        for x in (2.5, np.nan)
        for k in (0, 1)
    ),
]
