"""Small convolutions, and formulas of several fields."""

from __future__ import annotations

import numpy as np

from whole_arrays.kernel import Kernel, draw


def five_taps(x, k):
    return k[0] * x[:-4] + k[1] * x[1:-3] + k[2] * x[2:-2] + k[3] * x[3:-1] + k[4] * x[4:]


def convolve_3x3(image, k):
    high, wide = image.shape[0] - 2, image.shape[1] - 2
    out = np.zeros((high, wide))
    for i in range(3):
        for j in range(3):
            out += k[i, j] * image[i : i + high, j : j + wide]
    return out


def largest_of_four(x):
    upper = np.maximum(x[::2, ::2], x[::2, 1::2])
    return np.maximum(upper, np.maximum(x[1::2, ::2], x[1::2, 1::2]))


def black_scholes(spot, strike, years, rate, sigma):
    root = sigma * np.sqrt(years)
    d1 = (np.log(spot / strike) + (rate + 0.5 * sigma * sigma) * years) / root
    d2 = d1 - root
    # Half of 1 + erf(d / sqrt(2)), with the polynomial 7.1.26 of Abramowitz and Stegun.
    t1 = 1.0 / (1.0 + 0.3275911 * np.abs(d1) / np.sqrt(2.0))
    p1 = (((1.061405429 * t1 - 1.453152027) * t1 + 1.421413741) * t1 - 0.284496736) * t1
    tail1 = 0.5 * (p1 + 0.254829592) * t1 * np.exp(-0.5 * d1 * d1)
    t2 = 1.0 / (1.0 + 0.3275911 * np.abs(d2) / np.sqrt(2.0))
    p2 = (((1.061405429 * t2 - 1.453152027) * t2 + 1.421413741) * t2 - 0.284496736) * t2
    tail2 = 0.5 * (p2 + 0.254829592) * t2 * np.exp(-0.5 * d2 * d2)
    n1 = np.where(d1 > 0.0, 1.0 - tail1, tail1)
    n2 = np.where(d2 > 0.0, 1.0 - tail2, tail2)
    return spot * n1 - strike * np.exp(-rate * years) * n2


def mandelbrot(cr, ci, limit):
    zr = np.zeros_like(cr)
    zi = np.zeros_like(cr)
    count = np.zeros_like(cr)
    for _ in range(limit):
        inside = zr * zr + zi * zi < 4.0
        next_r = np.where(inside, zr * zr - zi * zi + cr, zr)
        zi = np.where(inside, 2.0 * zr * zi + ci, zi)
        zr = next_r
        count = np.where(inside, count + 1.0, count)
    return count


def haversine(lat1, lon1, lat2, lon2):
    north = np.sin(0.5 * (lat2 - lat1)) ** 2
    east = np.cos(lat1) * np.cos(lat2) * np.sin(0.5 * (lon2 - lon1)) ** 2
    return 2.0 * 6371.0 * np.arcsin(np.sqrt(north + east))


def gaussian(x, middle, sigma):
    return np.exp(-0.5 * ((x - middle) / sigma) ** 2) / (sigma * np.sqrt(2.0 * np.pi))


def lorenz_swarm(x, y, z, dt, steps):
    for _ in range(steps):
        dx = 10.0 * (y - x)
        dy = x * (28.0 - z) - y
        dz = x * y - 2.6 * z
        x = x + dt * dx
        y = y + dt * dy
        z = z + dt * dz
    return x, y, z


def _plane(n: int) -> tuple:
    across = np.linspace(-2.0, 0.6, n)
    up = np.linspace(-1.2, 1.2, n)
    return np.broadcast_to(across, (n, n)).copy(), np.repeat(up, n).reshape(n, n), 20


def _options(n: int) -> tuple:
    random = np.random.default_rng(7)
    spot, strike = random.uniform(50.0, 150.0, n), random.uniform(50.0, 150.0, n)
    return spot, strike, random.uniform(0.2, 2.0, n), 0.03, 0.25


CONVOLUTIONS = [
    Kernel(five_taps, draw("n", "5"), 200_000),
    Kernel(convolve_3x3, draw("n n", "3 3"), 400),
    Kernel(largest_of_four, draw("n n"), 800),
]

FORMULAS = [
    Kernel(black_scholes, _options, 100_000, rtol=1e-8),
    Kernel(mandelbrot, _plane, 200, outliers=0.01),
    Kernel(haversine, draw("n", "n", "n", "n"), 100_000),
    Kernel(gaussian, draw("n", then=(0.5, 0.2)), 200_000),
    Kernel(lorenz_swarm, draw("n", "n", "n", then=(0.01, 20)), 10_000),
]
