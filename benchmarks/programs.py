"""The programs that are timed: plain Python functions, and arguments for them."""

from __future__ import annotations

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


def store_dot(a, b, out):
    s = 0.0
    for i in range(a.shape[0]):
        s += a[i] * b[i]
    out[0] = s


def update(a, x, y):
    out = np.empty_like(x)
    for i in range(x.shape[0]):
        out[i] = a * x[i] + y[i]
    return out


def expression(x, y):
    return (x + y) * (x - y) + 1.0


def reductions(a):
    return a.sum(), a.mean(), a.prod(), a.max(), a.min(), a.all(), a.any()


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
