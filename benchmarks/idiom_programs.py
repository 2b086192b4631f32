"""Forty idioms of numerical programs: a loop or a call each, as users write them, and arguments.

Those of `LOOPS` are compared with Numba, those of `CALLS` with NumPy.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

Make = Callable[[np.random.Generator], tuple[Any, ...]]


@dataclass(frozen=True)
class Idiom:
    """A function, and what makes its arguments. What it computes is returned or left in them."""

    function: Callable[..., Any]
    make: Make

    @property
    def name(self) -> str:
        """The name in tables."""
        return self.function.__name__


LOOPS: dict[str, Idiom] = {}
CALLS: dict[str, Idiom] = {}


def loop(make: Make) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register a loop, with what makes its arguments."""
    return _register(LOOPS, make)


def call(make: Make) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register a call of NumPy's."""
    return _register(CALLS, make)


def _register(table: dict[str, Idiom], make: Make) -> Callable[..., Callable[..., Any]]:
    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        table[function.__name__] = Idiom(function, make)
        return function

    return register


# --- functions of one number ----------------------------------------------------------------------


@loop(lambda rng: (rng.normal(size=1000), rng.normal(size=1000)))
def logistic(x, out):
    for i in range(len(x)):
        out[i] = 1.0 / (1.0 + np.exp(-x[i]))


@loop(lambda rng: (rng.uniform(0.01, 1, 1000), rng.integers(0, 2, 1000)))
def log_likelihood(p, hits):
    total = 0.0
    for i in range(len(p)):
        if hits[i]:
            total += np.log(p[i])
        else:
            total += np.log1p(-0.99 * p[i])
    return total


@loop(lambda rng: (rng.uniform(-1, 1, 500), rng.uniform(-3, 3, 500)))
def haversine(latitudes, longitudes):
    total = 0.0
    for i in range(1, len(latitudes)):
        a, b = latitudes[i - 1], latitudes[i]
        h = np.sin((b - a) / 2) ** 2
        h += np.cos(a) * np.cos(b) * np.sin((longitudes[i] - longitudes[i - 1]) / 2) ** 2
        total += 2 * np.arcsin(np.sqrt(h))
    return total


@loop(lambda rng: (rng.normal(size=1000), rng.normal(size=1000)))
def turning(x, y):
    total = 0.0
    for i in range(len(x)):
        total += np.tan(0.3 * np.arctan2(y[i], x[i])) + np.hypot(x[i], y[i])
    return total


@loop(lambda rng: (rng.uniform(0.1, 9, 1000), 0.75))
def power_law(x, exponent):
    total = 0.0
    for v in x:
        total += np.power(v, exponent)
    return total


@loop(lambda rng: (rng.normal(size=48), np.zeros(48, np.complex128)))
def fourier(x, out):
    n = len(x)
    for k in range(n):
        for t in range(n):
            out[k] += x[t] * np.exp(-2j * np.pi * k * t / n)


# --- short arrays ---------------------------------------------------------------------------------


@loop(lambda rng: (rng.normal(size=(12, 3)), rng.uniform(1, 2, 12), np.zeros((12, 3))))
def forces(positions, masses, out):
    for i in range(len(masses)):
        for j in range(len(masses)):
            if i != j:
                d = positions[j] - positions[i]
                r2 = (d * d).sum() + 0.01
                out[i] += masses[j] * d / (r2 * np.sqrt(r2))


@loop(lambda rng: (rng.normal(size=(300, 2)), rng.normal(size=(300, 2))))
def dots_of_2(a, b):
    total = 0.0
    for i in range(len(a)):
        total += np.dot(a[i], b[i])
    return total


@loop(lambda rng: (rng.normal(size=(300, 16)), rng.normal(size=(300, 16))))
def dots_of_16(a, b):
    total = 0.0
    for i in range(len(a)):
        total += np.dot(a[i], b[i])
    return total


@loop(lambda rng: (rng.normal(size=(3, 3)), rng.normal(size=(300, 3)), np.zeros((300, 3))))
def rotated(matrix, points, out):
    for i in range(len(points)):
        out[i] = np.dot(matrix, points[i])


@loop(lambda rng: (rng.normal(size=(300, 3)),))
def unit_vectors(points):
    for i in range(len(points)):
        points[i] /= np.linalg.norm(points[i])


@loop(lambda rng: (rng.normal(size=(40, 8)), rng.normal(size=(5, 8)), np.zeros(40, np.int64)))
def nearest_center(points, centers, out):
    for i in range(len(points)):
        best = np.inf
        for k in range(len(centers)):
            distance = np.sum((points[i] - centers[k]) ** 2)
            if distance < best:
                best = distance
                out[i] = k


@loop(lambda rng: (np.array([1.0, 1.0, 1.0]), 300))
def lorenz(state, steps):
    h = 0.01
    for _ in range(steps):
        x, y, z = state
        k = np.array([10.0 * (y - x), x * (28.0 - z) - y, x * y - 2.667 * z])
        state += h * k
    return state[0]


# --- rows, slices and gathers ---------------------------------------------------------------------


def _positive(rng):
    a = rng.normal(size=(40, 40))
    return a @ a.T + 40 * np.eye(40), np.zeros((40, 40))


@loop(_positive)
def cholesky(a, low):
    for i in range(len(a)):
        for j in range(i + 1):
            rest = a[i, j] - np.dot(low[i, :j], low[j, :j])
            low[i, j] = np.sqrt(rest) if i == j else rest / low[j, j]


def _sparse(rng):
    starts = np.concatenate([[0], np.cumsum(rng.integers(1, 12, 200))])
    count = starts[-1]
    return rng.normal(size=count), rng.integers(0, 200, count), starts, rng.normal(size=200), np.zeros(200)


@loop(_sparse)
def sparse_rows(data, columns, starts, x, out):
    for i in range(len(out)):
        low, high = starts[i], starts[i + 1]
        out[i] = np.dot(data[low:high], x[columns[low:high]])


@loop(_sparse)
def sparse_sums(data, columns, starts, x, out):
    for i in range(len(out)):
        low, high = starts[i], starts[i + 1]
        out[i] = np.sum(data[low:high] * x[columns[low:high]])


@loop(lambda rng: (np.tril(rng.normal(size=(60, 60))) + 60 * np.eye(60), rng.normal(size=60), np.zeros(60)))
def triangular_solve(a, b, x):
    for i in range(len(b)):
        total = b[i]
        for j in range(i):
            total -= a[i, j] * x[j]
        x[i] = total / a[i, i]


@loop(lambda rng: (rng.normal(size=1000), rng.normal(size=5), np.zeros(1000)))
def filtered(a, weights, out):
    for i in range(2, len(a) - 2):
        out[i] = (a[i - 2 : i + 3] * weights).sum()


@loop(lambda rng: (rng.normal(size=400), np.zeros(400)))
def rolling_median(a, out):
    for i in range(3, len(a) - 3):
        out[i] = np.median(a[i - 3 : i + 4])


@loop(lambda rng: (rng.normal(size=(50, 20)), np.zeros(50)))
def log_sum_exp(a, out):
    for i in range(len(a)):
        most = a[i].max()
        out[i] = most + np.log(np.sum(np.exp(a[i] - most)))


@loop(lambda rng: (rng.normal(size=(100, 30)), np.zeros(100, np.int64)))
def best_columns(a, out):
    for i in range(len(a)):
        out[i] = np.argmax(a[i])


@loop(lambda rng: (rng.normal(size=(100, 30)), 0.5))
def rows_above(a, level):
    count = 0
    for i in range(len(a)):
        if np.sum(a[i] > level) > 8:
            count += 1
    return count


# --- loops over numbers ---------------------------------------------------------------------------


@loop(lambda rng: (rng.normal(size=80), np.zeros(80)))
def spectral_norm(u, out):
    n = len(u)
    for i in range(n):
        total = 0.0
        for j in range(n):
            total += u[j] / ((i + j) * (i + j + 1) // 2 + i + 1)
        out[i] = total


@loop(lambda rng: (rng.normal(size=1000), rng.normal(size=1000), np.zeros(40, np.int64)))
def radii(x, y, counts):
    for i in range(len(x)):
        r = int(10 * np.sqrt(x[i] * x[i] + y[i] * y[i]))
        if r < len(counts):
            counts[r] += 1


@loop(lambda rng: (7,))
def most_flips(n):
    p = np.arange(n)
    q = np.zeros(n, np.int64)
    count = np.zeros(n, np.int64)
    most = 0
    r = n
    while True:
        while r != 1:
            count[r - 1] = r
            r -= 1
        q[:] = p
        flips = 0
        while q[0] != 0:
            i, j = 0, q[0]
            while i < j:
                q[i], q[j] = q[j], q[i]
                i += 1
                j -= 1
            flips += 1
        most = max(most, flips)
        while True:
            if r == n:
                return most
            first = p[0]
            for i in range(r):
                p[i] = p[i + 1]
            p[r] = first
            count[r] -= 1
            if count[r] > 0:
                break
            r += 1


def _holes(rng):
    a = rng.normal(size=1000)
    a[rng.integers(0, 1000, 50)] = np.nan
    return a, 20, np.zeros(1000)


@loop(_holes)
def rolling_sum(a, width, out):
    total, count = 0.0, 0
    for i in range(len(a)):
        if not np.isnan(a[i]):
            total += a[i]
            count += 1
        if i >= width and not np.isnan(a[i - width]):
            total -= a[i - width]
            count -= 1
        out[i] = total / count if count > 0 else np.nan


@loop(lambda rng: (20_000,))
def pi_by_darts(n):
    np.random.seed(3)
    inside = 0
    for _ in range(n):
        x, y = np.random.random(), np.random.random()
        if x * x + y * y < 1.0:
            inside += 1
    return 4.0 * inside / n


@loop(lambda rng: (20_000,))
def random_walk(n):
    np.random.seed(3)
    x = 0.0
    for _ in range(n):
        x += np.random.normal()
    return x


@loop(lambda rng: (rng.normal(size=(30, 40)),))
def visited(a):
    total = 0.0
    for x in np.nditer(a):
        total += x.item()
    return total


@loop(lambda rng: (np.sort(rng.normal(size=500)), rng.normal(size=300), np.zeros(300, np.int64)))
def bins(edges, x, out):
    for i in range(len(x)):
        out[i] = np.searchsorted(edges, x[i])


@loop(lambda rng: (rng.integers(0, 5, 40), rng.integers(0, 5, 40), np.zeros(41, np.int64)))
def edit_distance(a, b, row):
    for j in range(len(row)):
        row[j] = j
    for i in range(len(a)):
        corner, row[0] = row[0], i + 1
        for j in range(len(b)):
            change = corner + (a[i] != b[j])
            corner = row[j + 1]
            row[j + 1] = min(change, corner + 1, row[j] + 1)
    return row[-1]


@loop(lambda rng: (rng.normal(size=1001),))
def selected(a):
    return np.partition(a, 500)[500]


# --- calls of NumPy's -----------------------------------------------------------------------------


@call(lambda rng: (rng.normal(size=10_000),))
def sum_of_broadcast(a):
    return np.broadcast_to(a, (3, len(a))).sum()


@call(lambda rng: (rng.normal(size=40_000),))
def sum_of_columns(a):
    return a.reshape(-1, 4)[:, :3].sum()


@call(lambda rng: (rng.normal(size=(200, 100)),))
def sum_of_reversed(a):
    return a[::-1].sum()


@call(lambda rng: (rng.normal(size=(5000, 3)),))
def sums_of_rows(a):
    return a.sum(axis=1)


@call(lambda rng: (rng.normal(size=(5000, 3)),))
def largest_of_rows(a):
    return a.max(axis=1)


@call(lambda rng: (rng.normal(size=10_000), rng.integers(0, 2, 10_000).astype(bool)))
def cut(a, mask):
    np.putmask(a, mask, 0.0)


@call(lambda rng: (rng.normal(size=5_000),))
def repeated(a):
    return np.repeat(a, 3)


@call(lambda rng: (rng.normal(size=10_000),))
def as_bytes(a):
    return a.tobytes()
