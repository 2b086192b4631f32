"""The programs that are timed: plain Python functions, and arguments for them."""

from __future__ import annotations

import math

import numpy as np


def add(a, b):
    return a + b


def loop(n):
    total = 0
    for i in range(n):
        total += i * i
    return total


def total(a):
    s = 0.0
    for i in range(a.shape[0]):
        s += a[i]
    return s


def dot(a, b):
    s = 0.0
    for i in range(a.shape[0]):
        s += a[i] * b[i]
    return s


def mandelbrot(image, left, right, bottom, top, limit):
    height, width = image.shape
    for i in range(height):
        ci = bottom + (top - bottom) * i / height
        for j in range(width):
            cr = left + (right - left) * j / width
            zr = 0.0
            zi = 0.0
            k = 0
            while k < limit and zr * zr + zi * zi < 4.0:
                zr, zi = zr * zr - zi * zi + cr, 2.0 * zr * zi + ci
                k += 1
            image[i, j] = k


def nbody(position, velocity, mass, step, count):
    n = position.shape[0]
    for _ in range(count):
        for i in range(n):
            for j in range(n):
                if i != j:
                    dx = position[j, 0] - position[i, 0]
                    dy = position[j, 1] - position[i, 1]
                    dz = position[j, 2] - position[i, 2]
                    d = dx * dx + dy * dy + dz * dz + 1e-9
                    pull = mass[j] * step / (d * math.sqrt(d))
                    velocity[i, 0] += pull * dx
                    velocity[i, 1] += pull * dy
                    velocity[i, 2] += pull * dz
        for i in range(n):
            for k in range(3):
                position[i, k] += step * velocity[i, k]


def matmul(a, b, c):
    n, m = a.shape
    p = b.shape[1]
    for i in range(n):
        for j in range(p):
            s = 0.0
            for k in range(m):
                s += a[i, k] * b[k, j]
            c[i, j] = s


def jacobi(a, b):
    n, m = a.shape
    for i in range(1, n - 1):
        for j in range(1, m - 1):
            b[i, j] = 0.25 * (a[i - 1, j] + a[i + 1, j] + a[i, j - 1] + a[i, j + 1])


def histogram(values, counts):
    for i in range(values.shape[0]):
        counts[values[i]] += 1


def kernels():
    """(function, arguments) of the throughput benchmarks."""
    random = np.random.default_rng(1)
    square = random.random((192, 192))
    return [
        (mandelbrot, (np.zeros((150, 200)), -2.0, 1.0, -1.0, 1.0, 100)),
        (nbody, (random.random((64, 3)), np.zeros((64, 3)), random.random(64), 0.01, 5)),
        (matmul, (square, square.copy(), np.zeros((192, 192)))),
        (total, (random.random(20_000),)),
        (dot, (random.random(20_000), random.random(20_000))),
        (jacobi, (random.random((300, 300)), np.zeros((300, 300)))),
        (histogram, (random.integers(0, 256, 100_000), np.zeros(256, np.int64))),
    ]
