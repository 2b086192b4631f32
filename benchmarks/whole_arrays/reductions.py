"""Reductions of expressions, and what is made of rows, columns and pairs."""

from __future__ import annotations

import numpy as np

from whole_arrays.kernel import Kernel, draw


def sum_of_products(a, b):
    return (a * b).sum()


def euclidean(a, b):
    return np.sqrt(((a - b) ** 2).sum())


def mean_square(a, b):
    return np.mean((a - b) ** 2)


def variance(a, b):
    return np.var(a + b)


def deviation(a):
    return np.std(a)


def largest_difference(a, b):
    return np.max(np.abs(a - b))


def cosine(a, b):
    return (a * b).sum() / np.sqrt((a * a).sum() * (b * b).sum())


def count_between(a, b):
    return np.count_nonzero((a > 0.3) & (b < 0.7))


def gathered_sum(w, x, places):
    return (w * x[places]).sum()


def running_sum(a, b):
    return np.cumsum(a * b)


def trapezoids(x, y):
    return 0.5 * ((y[1:] + y[:-1]) * (x[1:] - x[:-1])).sum()


def row_sums(a, b):
    return (a * b).sum(axis=1)


def column_sums(a, b):
    return (a * b).sum(axis=0)


def shares_of_rows(a):
    return a / a.sum(axis=1, keepdims=True)


def log_sum_exp(x):
    top = x.max()
    return top + np.log(np.exp(x - top).sum())


def softmax(x):
    e = np.exp(x - x.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def softmax_by_rows(x):
    out = np.empty_like(x)
    for i in range(x.shape[0]):
        e = np.exp(x[i] - x[i].max())
        out[i] = e / e.sum()
    return out


def layer_norm(x, gain, shift):
    middle = x.mean(axis=1, keepdims=True)
    spread = ((x - middle) ** 2).mean(axis=1, keepdims=True)
    return gain * (x - middle) / np.sqrt(spread + 1e-5) + shift


def layer_norm_by_sums(x, gain, shift):
    n = x.shape[1]
    off = x - (x.sum(axis=1) / n)[:, None]
    spread = (off * off).sum(axis=1) / n
    return gain[None, :] * off / np.sqrt(spread + 1e-5)[:, None] + shift[None, :]


def sigmoid(x):
    return 1.0 / (1.0 + np.exp(-x))


def tanh_layer(x, w, b):
    return np.tanh(x @ w + b)


def relu_layer(x, w, b):
    return np.maximum(x @ w + b, 0.0)


def distances(x, y):
    off = x[:, None, :] - y[None, :, :]
    return np.sqrt((off * off).sum(axis=2))


def distances_by_matmul(x, y):
    xx = (x * x).sum(axis=1)
    yy = (y * y).sum(axis=1)
    return np.sqrt(np.maximum(xx[:, None] + yy[None, :] - 2.0 * (x @ y.T), 0.0))


def repeated_work(x, y):
    return np.sin(x**2)[None, :] + np.cos(y**2)[:, None]


def outer_bumps(x, y):
    return 1.0 / (1.0 + (x[:, None] - y[None, :]) ** 2)


def transposed(a, b):
    return a.T + b


def nbody_forces(p, m):
    off = p[None, :, :] - p[:, None, :]
    square = (off * off).sum(axis=2) + 0.01
    return (off * (m[None, :] / (square * np.sqrt(square)))[:, :, None]).sum(axis=1)


def _gathered(n: int) -> tuple:
    places = np.random.default_rng(8).integers(0, n, n)
    return (*draw("n", "n")(n), places)


REDUCTIONS = [
    Kernel(sum_of_products, draw("n", "n"), 1_000_000),
    Kernel(euclidean, draw("n", "n"), 1_000_000),
    Kernel(mean_square, draw("n", "n"), 100_000),
    Kernel(variance, draw("n", "n"), 100_000),
    Kernel(deviation, draw("n"), 1_000_000),
    Kernel(largest_difference, draw("n", "n"), 1_000_000),
    Kernel(cosine, draw("n", "n"), 100_000),
    Kernel(count_between, draw("n", "n"), 1_000_000),
    Kernel(gathered_sum, _gathered, 100_000),
    Kernel(running_sum, draw("n", "n"), 100_000),
    Kernel(trapezoids, draw("n", "n"), 100_000),
    Kernel(row_sums, draw("n n", "n n"), 500),
    Kernel(column_sums, draw("n n", "n n"), 500),
    Kernel(shares_of_rows, draw("n n"), 500),
    Kernel(log_sum_exp, draw("n"), 100_000),
]

LAYERS = [
    Kernel(softmax, draw("n n"), 300),
    Kernel(softmax_by_rows, draw("n n"), 300),
    Kernel(layer_norm, draw("n n", "n", "n"), 300),
    Kernel(layer_norm_by_sums, draw("n n", "n", "n"), 300),
    Kernel(sigmoid, draw("n", low=-2.0), 200_000),
    Kernel(tanh_layer, draw("n 64", "64 32", "32", low=-0.3), 2_000),
    Kernel(relu_layer, draw("n 64", "64 32", "32", low=-1.0), 2_000),
]

BROADCASTS = [
    Kernel(distances, draw("n 3", "n 3"), 400),
    Kernel(distances_by_matmul, draw("n 16", "n 16"), 400, rtol=1e-7),
    Kernel(repeated_work, draw("n", "n"), 500),
    Kernel(outer_bumps, draw("n", "n"), 500),
    Kernel(transposed, draw("n n", "n n"), 500),
    Kernel(nbody_forces, draw("n 3", "n"), 200),
]
