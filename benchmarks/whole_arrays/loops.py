"""Expressions beside the same loops written by hand, and functions that NumPy has compiled."""

from __future__ import annotations

import math

import numpy as np

from whole_arrays.elementwise import add_product, chain_4, chain_8, two_branches
from whole_arrays.kernel import Kernel, draw
from whole_arrays.reductions import (
    column_sums,
    euclidean,
    largest_difference,
    outer_bumps,
    row_sums,
)
from whole_arrays.science import five_taps
from whole_arrays.stencils import jacobi_2d


def chain_4_loop(a, b, c, d):
    out = np.empty(a.shape[0])
    for i in range(a.shape[0]):
        out[i] = a[i] * b[i] + c[i] * d[i]
    return out


def chain_8_loop(a, b, c, d, e, f, g, h):
    out = np.empty(a.shape[0])
    for i in range(a.shape[0]):
        out[i] = (a[i] * b[i] + c[i] * d[i]) - (e[i] * f[i] + g[i] * h[i])
    return out


def add_product_loop(a, b, c):
    for i in range(a.shape[0]):
        a[i] += b[i] * c[i]


def two_branches_loop(x):
    out = np.empty(x.shape[0])
    for i in range(x.shape[0]):
        out[i] = math.sqrt(abs(x[i])) if x[i] > 0.0 else x[i] * x[i]
    return out


def euclidean_loop(a, b):
    total = 0.0
    for i in range(a.shape[0]):
        off = a[i] - b[i]
        total += off * off
    return math.sqrt(total)


def largest_difference_loop(a, b):
    top = 0.0
    for i in range(a.shape[0]):
        top = max(top, abs(a[i] - b[i]))
    return top


def row_sums_loop(a, b):
    out = np.empty(a.shape[0])
    for i in range(a.shape[0]):
        total = 0.0
        for j in range(a.shape[1]):
            total += a[i, j] * b[i, j]
        out[i] = total
    return out


def column_sums_loop(a, b):
    out = np.zeros(a.shape[1])
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            out[j] += a[i, j] * b[i, j]
    return out


def outer_bumps_loop(x, y):
    out = np.empty((x.shape[0], y.shape[0]))
    for i in range(x.shape[0]):
        for j in range(y.shape[0]):
            off = x[i] - y[j]
            out[i, j] = 1.0 / (1.0 + off * off)
    return out


def five_taps_loop(x, k):
    n = x.shape[0] - 4
    out = np.empty(n)
    for i in range(n):
        out[i] = k[0] * x[i] + k[1] * x[i + 1] + k[2] * x[i + 2] + k[3] * x[i + 3] + k[4] * x[i + 4]
    return out


def jacobi_2d_loop(a, b, steps):
    high, wide = a.shape
    for _ in range(steps):
        for i in range(1, high - 1):
            for j in range(1, wide - 1):
                b[i, j] = 0.25 * (a[i - 1, j] + a[i + 1, j] + a[i, j - 1] + a[i, j + 1])
        for i in range(1, high - 1):
            for j in range(1, wide - 1):
                a[i, j] = 0.25 * (b[i - 1, j] + b[i + 1, j] + b[i, j - 1] + b[i, j + 1])


def sort(x):
    return np.sort(x)


def argsort(x):
    return np.argsort(x)


def argmax(x):
    return np.argmax(x)


def nonzero(x):
    return np.nonzero(x)


def sum_of(x):
    return np.sum(x)


def exp(x):
    return np.exp(x)


def log(x):
    return np.log(x)


def tanh(x):
    return np.tanh(x)


def _half_zeros(n: int) -> tuple:
    (x,) = draw("n")(n)
    return (np.where(x > 0.5, x, 0.0),)


BY_HAND = [
    Kernel(chain_4, draw("n", "n", "n", "n"), 100_000, loop=chain_4_loop),
    Kernel(chain_8, draw(*["n"] * 8), 100_000, loop=chain_8_loop),
    Kernel(add_product, draw("n", "n", "n"), 100_000, changes=(0,), loop=add_product_loop),
    Kernel(two_branches, draw("n", low=-1.0), 100_000, loop=two_branches_loop),
    Kernel(euclidean, draw("n", "n"), 100_000, loop=euclidean_loop),
    Kernel(largest_difference, draw("n", "n"), 100_000, loop=largest_difference_loop),
    Kernel(row_sums, draw("n n", "n n"), 300, loop=row_sums_loop),
    Kernel(column_sums, draw("n n", "n n"), 300, loop=column_sums_loop),
    Kernel(outer_bumps, draw("n", "n"), 300, loop=outer_bumps_loop),
    Kernel(five_taps, draw("n", "5"), 100_000, loop=five_taps_loop),
    Kernel(jacobi_2d, draw("n n", "n n", then=(5,)), 300, changes=(0, 1), loop=jacobi_2d_loop),
]

FUNCTIONS = [
    Kernel(sort, draw("n"), 1_000_000),
    Kernel(argsort, draw("n"), 1_000_000),
    Kernel(argmax, draw("n"), 1_000_000),
    Kernel(nonzero, _half_zeros, 1_000_000),
    Kernel(sum_of, draw("n"), 1_000_000, label="sum"),
    Kernel(exp, draw("n"), 1_000_000),
    Kernel(log, draw("n"), 1_000_000),
    Kernel(tanh, draw("n"), 1_000_000),
]
