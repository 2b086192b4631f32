"""Programs of which much is told: a parallel loop with a sum, loops with checks before them,
expressions of whole arrays, and a function of objects with loops."""

from __future__ import annotations

import numpy as np

import cutaway
from cutaway import prange

CX = np.array([0, 1, 0, -1])
TABLE = np.ones((3, 4))


@cutaway.njit(parallel=True)
def julia(ny, nx, c, limit):
    shade = np.zeros((ny, nx), dtype=np.int64)
    total = 0
    for y in prange(ny):
        for x in range(nx):
            z = complex(3.0 * x / nx - 1.5, 2.0 * y / ny - 1.0)
            k = 0
            while k < limit and z.real * z.real + z.imag * z.imag < 4.0:
                z = z * z + c
                k += 1
            shade[y, x] = k
            total += k
    return total, shade


@cutaway.njit
def bodies(
    pos,
    soft,
    steps,
):
    acc = np.zeros((len(pos), 3))
    for _ in range(steps):
        for i in range(len(pos)):
            for k in range(3):
                acc[i, k] = 0.0
            for j in range(len(pos)):
                dx = pos[j, 0] - pos[i, 0]
                dy = pos[j, 1] - pos[i, 1]
                r2 = dx * dx + dy * dy + soft * soft
                acc[i, 0] += dx / r2
                acc[i, 1] += dy / r2
        for i in range(len(pos)):
            for k in range(3):
                pos[i, k] += acc[i, k]
    return acc


@cutaway.njit
def waves(f, steps):
    size = len(f)
    x = np.zeros(size)
    for step in range(steps):
        rho = f.sum(axis=0)
        u = (
            x * 0.5
            + rho
        )  # fmt: skip
        for k in range(4):
            f[k] = f[k] + CX[k] * u
        x = u * 2.0 + step
    out = np.zeros((size, size))
    out[1:-1, 1:-1] = (
        f[1:-1, 2:] - f[1:-1, :-2]
        + x[1:-1]
    )  # fmt: skip
    return out, x, (f * f).sum()


@cutaway.njit
def beyond(x):
    for i in range(4):
        x += TABLE[i, 0]
    return x


@cutaway.jit(forceobj=True)
def report(names, values):
    table = {}
    for name in names:
        table[name] = table.get(name, 0) + 1
    total = 0.0
    for i in range(len(values)):
        total += values[i] * values[i]
    return f"{total:.2f}", table


PROGRAMS = {
    "julia": (julia, lambda: (6, 8, -0.4 + 0.6j, 20)),
    "bodies": (bodies, lambda: (np.arange(12.0).reshape(4, 3), 0.1, 2)),
    "waves": (waves, lambda: (np.ones((4, 4)), 2)),
    "beyond": (beyond, lambda: (1.0,)),
    "report": (report, lambda: (["a", "b", "a"], np.arange(4.0))),
}
