"""Stencils written as slices, in one, two and three dimensions."""

from __future__ import annotations

import numpy as np

from whole_arrays.kernel import Kernel, draw


def heat_1d(u, steps):
    for _ in range(steps):
        u[1:-1] += 0.2 * (u[2:] - 2.0 * u[1:-1] + u[:-2])


def jacobi_1d(a, b, steps):
    for _ in range(steps):
        b[1:-1] = (a[:-2] + a[1:-1] + a[2:]) / 3.0
        a[1:-1] = (b[:-2] + b[1:-1] + b[2:]) / 3.0


def smooth_ring(u):
    return 0.25 * np.roll(u, 1) + 0.5 * u + 0.25 * np.roll(u, -1)


def advection_upwind(u, courant, steps):
    for _ in range(steps):
        u[1:] -= courant * (u[1:] - u[:-1])


def jacobi_2d(a, b, steps):
    for _ in range(steps):
        b[1:-1, 1:-1] = 0.25 * (a[:-2, 1:-1] + a[2:, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:])
        a[1:-1, 1:-1] = 0.25 * (b[:-2, 1:-1] + b[2:, 1:-1] + b[1:-1, :-2] + b[1:-1, 2:])


def heat_2d(u, kx, ky, steps):
    for _ in range(steps):
        old = u.copy()
        middle = old[1:-1, 1:-1]
        dxx = old[1:-1, 2:] - 2.0 * middle + old[1:-1, :-2]
        dyy = old[2:, 1:-1] - 2.0 * middle + old[:-2, 1:-1]
        u[1:-1, 1:-1] = middle + kx * dxx + ky * dyy


def wave_2d(before, now, c2, steps):
    for _ in range(steps):
        middle = now[1:-1, 1:-1]
        spread = now[2:, 1:-1] + now[:-2, 1:-1] + now[1:-1, 2:] + now[1:-1, :-2] - 4.0 * middle
        before[1:-1, 1:-1] = 2.0 * middle - before[1:-1, 1:-1] + c2 * spread
        before, now = now, before
    return now


def acoustic_2d(p, vx, vy, dt, steps):
    for _ in range(steps):
        vx[:, 1:-1] -= dt * (p[:, 1:] - p[:, :-1])
        vy[1:-1, :] -= dt * (p[1:, :] - p[:-1, :])
        p -= dt * (vx[:, 1:] - vx[:, :-1] + vy[1:, :] - vy[:-1, :])


def nine_points(u):
    sides = u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:]
    corners = u[:-2, :-2] + u[:-2, 2:] + u[2:, :-2] + u[2:, 2:]
    return (4.0 * sides + corners - 20.0 * u[1:-1, 1:-1]) / 6.0


def divergence(fx, fy, scale):
    return (fx[1:-1, 2:] - fx[1:-1, :-2] + fy[2:, 1:-1] - fy[:-2, 1:-1]) * scale


def slope(u):
    dx = u[1:-1, 2:] - u[1:-1, :-2]
    dy = u[2:, 1:-1] - u[:-2, 1:-1]
    return np.sqrt(dx * dx + dy * dy)


def residual(u, f):
    around = u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:]
    return np.max(np.abs(around - 4.0 * u[1:-1, 1:-1] - f[1:-1, 1:-1]))


def heat_3d(a, b, steps):
    for _ in range(steps):
        b[1:-1, 1:-1, 1:-1] = 0.4 * a[1:-1, 1:-1, 1:-1] + 0.1 * (
            a[2:, 1:-1, 1:-1]
            + a[:-2, 1:-1, 1:-1]
            + a[1:-1, 2:, 1:-1]
            + a[1:-1, :-2, 1:-1]
            + a[1:-1, 1:-1, 2:]
            + a[1:-1, 1:-1, :-2]
        )
        a, b = b, a
    return a


def curl(fx, fy, fz):
    across = fz[1:-1, 2:, 1:-1] - fz[1:-1, :-2, 1:-1] - fy[2:, 1:-1, 1:-1] + fy[:-2, 1:-1, 1:-1]
    along = fx[2:, 1:-1, 1:-1] - fx[:-2, 1:-1, 1:-1] - fz[1:-1, 1:-1, 2:] + fz[1:-1, 1:-1, :-2]
    around = fy[1:-1, 1:-1, 2:] - fy[1:-1, 1:-1, :-2] - fx[1:-1, 2:, 1:-1] + fx[1:-1, :-2, 1:-1]
    return 0.5 * across, 0.5 * along, 0.5 * around


def _staggered(n: int) -> tuple:
    pressure, vx, vy = draw("n n", "n n", "n n")(n + 1)
    return pressure[:n, :n].copy(), vx[:n].copy(), vy[:, :n].copy(), 0.1, 5


KERNELS = [
    Kernel(heat_1d, draw("n", then=(20,)), 20_000, changes=(0,)),
    Kernel(jacobi_1d, draw("n", "n", then=(10,)), 20_000, changes=(0, 1)),
    Kernel(smooth_ring, draw("n"), 100_000),
    Kernel(advection_upwind, draw("n", then=(0.4, 20)), 20_000, changes=(0,)),
    Kernel(jacobi_2d, draw("n n", "n n", then=(5,)), 300, changes=(0, 1)),
    Kernel(heat_2d, draw("n n", then=(0.1, 0.15, 5)), 300, changes=(0,)),
    Kernel(wave_2d, draw("n n", "n n", then=(0.2, 5)), 300, changes=(0, 1)),
    Kernel(acoustic_2d, _staggered, 300, changes=(0, 1, 2)),
    Kernel(nine_points, draw("n n"), 500),
    Kernel(divergence, draw("n n", "n n", then=(0.5,)), 500),
    Kernel(slope, draw("n n"), 500),
    Kernel(residual, draw("n n", "n n"), 500),
    Kernel(heat_3d, draw("n n n", "n n n", then=(4,)), 64, changes=(0, 1)),
    Kernel(curl, draw("n n n", "n n n", "n n n"), 64),
]
