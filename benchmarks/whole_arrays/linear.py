"""Products, solvers, and updates of rows: loops over slices, with dots in them."""

from __future__ import annotations

import numpy as np

from whole_arrays.kernel import Kernel, draw


def correlations(x):
    centered = x - x.sum(axis=0) / x.shape[0]
    size = np.sqrt((centered * centered).sum(axis=0))
    return (centered.T @ centered) / (size[:, None] * size[None, :])


def normal_equations(x, y):
    return np.linalg.solve(x.T @ x, x.T @ y)


def there_and_back(a, x):
    return a.T @ (a @ x)


def power_iteration(a, x, steps):
    for _ in range(steps):
        y = a @ x
        x = y / np.sqrt((y * y).sum())
    return x


def conjugate_gradient(a, b, steps):
    x = np.zeros_like(b)
    r = b - a @ x
    p = r
    square = r @ r
    for _ in range(steps):
        moved = a @ p
        alpha = square / (p @ moved)
        x = x + alpha * p
        r = r - alpha * moved
        rest = r @ r
        p = r + (rest / square) * p
        square = rest
    return x


def small_dots(a, b):
    out = np.empty(a.shape[0])
    for i in range(a.shape[0]):
        out[i] = a[i] @ b[i]
    return out


def strided_dots(a, b):
    out = np.empty(a.shape[1])
    for k in range(a.shape[1]):
        out[k] = a[:, k] @ b[:, k]
    return out


def gram_schmidt(q):
    for i in range(q.shape[0]):
        for k in range(i):
            q[i] -= (q[k] @ q[i]) * q[k]
        q[i] /= np.sqrt(q[i] @ q[i])


def lu_by_rows(a):
    n = a.shape[0]
    for k in range(n):
        for i in range(k + 1, n):
            a[i, k] /= a[k, k]
            a[i, k + 1 :] -= a[i, k] * a[k, k + 1 :]


def cholesky_by_rows(a):
    n = a.shape[0]
    for k in range(n):
        a[k, k:] /= np.sqrt(a[k, k])
        for i in range(k + 1, n):
            a[i, i:] -= a[k, i] * a[k, i:]


def forward_substitution(lower, b):
    for i in range(b.shape[0]):
        b[i] = (b[i] - lower[i, :i] @ b[:i]) / lower[i, i]


def row_scan(a, b):
    for i in range(1, a.shape[0]):
        a[i] = 0.5 * a[i - 1] + b[i]


def tridiagonal(below, diagonal, above, d):
    n = d.shape[0]
    for i in range(1, n):
        w = below[i] / diagonal[i - 1]
        diagonal[i] -= w * above[i - 1]
        d[i] -= w * d[i - 1]
    d[n - 1] /= diagonal[n - 1]
    for i in range(n - 2, -1, -1):
        d[i] = (d[i] - above[i] * d[i + 1]) / diagonal[i]


def _positive(n: int) -> np.ndarray:
    """A symmetric matrix, far from singular."""
    (a,) = draw("n n")(n)
    return a @ a.T / n + np.eye(n)


def _systems(n: int) -> tuple:
    below, diagonal, above, d = draw("n n", "n n", "n n", "n n")(n)
    return below, diagonal + 3.0, above, d


KERNELS = [
    Kernel(correlations, draw("n 32"), 5_000),
    Kernel(normal_equations, draw("n 8", "n", low=-1.0), 5_000),
    Kernel(there_and_back, draw("n n", "n"), 600),
    Kernel(power_iteration, draw("n n", "n", then=(10,)), 300),
    Kernel(conjugate_gradient, lambda n: (_positive(n), *draw("n")(n), 10), 200, rtol=1e-7),
    Kernel(small_dots, draw("n 4", "n 4"), 3_000),
    Kernel(strided_dots, draw("n n", "n n"), 300),
    Kernel(gram_schmidt, draw("n n", low=-1.0), 80, changes=(0,), rtol=1e-6),
    Kernel(lu_by_rows, lambda n: (_positive(n),), 100, changes=(0,)),
    Kernel(cholesky_by_rows, lambda n: (_positive(n),), 100, changes=(0,)),
    Kernel(
        forward_substitution, lambda n: (_positive(n), *draw("n")(n)), 400, changes=(1,), rtol=1e-7
    ),
    Kernel(row_scan, draw("n 500", "n 500"), 500, changes=(0,)),
    Kernel(tridiagonal, _systems, 200, changes=(1, 3)),
]
