"""Forms for JAX of the kernels that change arrays in place; each returns what it changed.

Loaded only where JAX is installed: a function here stands for the kernel of its name. The other
kernels run in JAX as they are, with `jax.numpy` in the place of NumPy.
"""

from __future__ import annotations

import jax.numpy as jnp
from jax import lax


def heat_1d(u, steps):
    def step(_, u):
        return u.at[1:-1].add(0.2 * (u[2:] - 2.0 * u[1:-1] + u[:-2]))

    return lax.fori_loop(0, steps, step, u)


def jacobi_1d(a, b, steps):
    def smooth(a, b):
        return b.at[1:-1].set((a[:-2] + a[1:-1] + a[2:]) / 3.0)

    def step(_, pair):
        a, b = pair
        b = smooth(a, b)
        return smooth(b, a), b

    return lax.fori_loop(0, steps, step, (a, b))


def advection_upwind(u, courant, steps):
    def step(_, u):
        return u.at[1:].add(-courant * (u[1:] - u[:-1]))

    return lax.fori_loop(0, steps, step, u)


def jacobi_2d(a, b, steps):
    def smooth(a, b):
        around = a[:-2, 1:-1] + a[2:, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:]
        return b.at[1:-1, 1:-1].set(0.25 * around)

    def step(_, pair):
        a, b = pair
        b = smooth(a, b)
        return smooth(b, a), b

    return lax.fori_loop(0, steps, step, (a, b))


def heat_2d(u, kx, ky, steps):
    def step(_, u):
        middle = u[1:-1, 1:-1]
        dxx = u[1:-1, 2:] - 2.0 * middle + u[1:-1, :-2]
        dyy = u[2:, 1:-1] - 2.0 * middle + u[:-2, 1:-1]
        return u.at[1:-1, 1:-1].set(middle + kx * dxx + ky * dyy)

    return lax.fori_loop(0, steps, step, u)


def wave_2d(before, now, c2, steps):
    def step(_, pair):
        before, now = pair
        middle = now[1:-1, 1:-1]
        spread = now[2:, 1:-1] + now[:-2, 1:-1] + now[1:-1, 2:] + now[1:-1, :-2] - 4.0 * middle
        after = 2.0 * middle - before[1:-1, 1:-1] + c2 * spread
        return now, before.at[1:-1, 1:-1].set(after)

    before, now = lax.fori_loop(0, steps, step, (before, now))
    pair = (now, before) if steps % 2 else (before, now)
    return now, *pair


def acoustic_2d(p, vx, vy, dt, steps):
    def step(_, fields):
        p, vx, vy = fields
        vx = vx.at[:, 1:-1].add(-dt * (p[:, 1:] - p[:, :-1]))
        vy = vy.at[1:-1, :].add(-dt * (p[1:, :] - p[:-1, :]))
        return p - dt * (vx[:, 1:] - vx[:, :-1] + vy[1:, :] - vy[:-1, :]), vx, vy

    return lax.fori_loop(0, steps, step, (p, vx, vy))


def heat_3d(a, b, steps):
    def step(_, pair):
        a, b = pair
        around = (
            a[2:, 1:-1, 1:-1]
            + a[:-2, 1:-1, 1:-1]
            + a[1:-1, 2:, 1:-1]
            + a[1:-1, :-2, 1:-1]
            + a[1:-1, 1:-1, 2:]
            + a[1:-1, 1:-1, :-2]
        )
        return b.at[1:-1, 1:-1, 1:-1].set(0.4 * a[1:-1, 1:-1, 1:-1] + 0.1 * around), a

    a, b = lax.fori_loop(0, steps, step, (a, b))
    pair = (b, a) if steps % 2 else (a, b)
    return a, *pair


def add_product(a, b, c):
    return a + b * c


def scale_and_shift(a):
    return a * 0.5 + 1.0


def momentum_step(p, m, v, g):
    m = 0.9 * m + 0.1 * g
    v = 0.99 * v + 0.01 * g * g
    return p - 0.001 * m / (jnp.sqrt(v) + 1e-8), m, v


def leapfrog(x, v, dt, steps):
    def step(_, pair):
        x, v = pair
        v = v - dt * x
        return x + dt * v, v

    return lax.fori_loop(0, steps, step, (x, v))


def cut_negative(a):
    return jnp.where(a < 0.0, 0.0, a)


def scale_columns(a, w):
    return a * w[None, :]


def softmax_by_rows(x):
    e = jnp.exp(x - x.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def mandelbrot(cr, ci, limit):
    def step(_, state):
        zr, zi, count = state
        inside = zr * zr + zi * zi < 4.0
        next_r = jnp.where(inside, zr * zr - zi * zi + cr, zr)
        zi = jnp.where(inside, 2.0 * zr * zi + ci, zi)
        return next_r, zi, jnp.where(inside, count + 1.0, count)

    start = jnp.zeros_like(cr), jnp.zeros_like(cr), jnp.zeros_like(cr)
    return lax.fori_loop(0, limit, step, start)[2]


def convolve_3x3(image, k):
    high, wide = image.shape[0] - 2, image.shape[1] - 2
    out = jnp.zeros((high, wide))
    for i in range(3):
        for j in range(3):
            out = out + k[i, j] * image[i : i + high, j : j + wide]
    return out


def lorenz_swarm(x, y, z, dt, steps):
    def step(_, state):
        x, y, z = state
        dx = 10.0 * (y - x)
        dy = x * (28.0 - z) - y
        dz = x * y - 2.6 * z
        return x + dt * dx, y + dt * dy, z + dt * dz

    return lax.fori_loop(0, steps, step, (x, y, z))


def power_iteration(a, x, steps):
    def step(_, x):
        y = a @ x
        return y / jnp.sqrt((y * y).sum())

    return lax.fori_loop(0, steps, step, x)


def conjugate_gradient(a, b, steps):
    def step(_, state):
        x, r, p, square = state
        moved = a @ p
        alpha = square / (p @ moved)
        r = r - alpha * moved
        rest = r @ r
        return x + alpha * p, r, r + (rest / square) * p, rest

    return lax.fori_loop(0, steps, step, (jnp.zeros_like(b), b, b, b @ b))[0]


def small_dots(a, b):
    return (a * b).sum(axis=1)


def strided_dots(a, b):
    return (a * b).sum(axis=0)


def gram_schmidt(q):
    def against(k, pair):
        i, q = pair
        return i, q.at[i].add(-(q[k] @ q[i]) * q[k])

    def row(i, q):
        _, q = lax.fori_loop(0, i, against, (i, q))
        return q.at[i].divide(jnp.sqrt(q[i] @ q[i]))

    return lax.fori_loop(0, q.shape[0], row, q)


def lu_by_rows(a):
    places = jnp.arange(a.shape[0])

    def eliminate(k, a):
        factors = jnp.where(places > k, a[:, k] / a[k, k], 0.0)
        right = jnp.where(places > k, a[k], 0.0)
        a = a - factors[:, None] * right[None, :]
        return a.at[:, k].set(jnp.where(places > k, factors, a[:, k]))

    return lax.fori_loop(0, a.shape[0], eliminate, a)


def cholesky_by_rows(a):
    places = jnp.arange(a.shape[0])
    upper = places[None, :] >= places[:, None]

    def eliminate(k, a):
        row = jnp.where(places >= k, a[k] / jnp.sqrt(a[k, k]), a[k])
        right = jnp.where(places > k, row, 0.0)
        a = a - jnp.where(upper, right[:, None] * right[None, :], 0.0)
        return a.at[k].set(row)

    return lax.fori_loop(0, a.shape[0], eliminate, a)


def forward_substitution(lower, b):
    places = jnp.arange(b.shape[0])

    def row(i, b):
        known = jnp.where(places < i, lower[i], 0.0) @ b
        return b.at[i].set((b[i] - known) / lower[i, i])

    return lax.fori_loop(0, b.shape[0], row, b)


def row_scan(a, b):
    def row(i, a):
        return a.at[i].set(0.5 * a[i - 1] + b[i])

    return lax.fori_loop(1, a.shape[0], row, a)


def tridiagonal(below, diagonal, above, d):
    n = d.shape[0]

    def down(i, pair):
        diagonal, d = pair
        w = below[i] / diagonal[i - 1]
        return diagonal.at[i].add(-w * above[i - 1]), d.at[i].add(-w * d[i - 1])

    def up(k, d):
        i = n - 2 - k
        return d.at[i].set((d[i] - above[i] * d[i + 1]) / diagonal[i])

    diagonal, d = lax.fori_loop(1, n, down, (diagonal, d))
    d = d.at[n - 1].divide(diagonal[n - 1])
    return diagonal, lax.fori_loop(0, n - 1, up, d)
