"""The kernels that are compiled for a GPU: programs of everyday use, with the names that both
compilers have.

Each is a plain function that says `cuda`, which `on` gives a meaning.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from types import FunctionType, ModuleType
from typing import Any

import numpy as np

cuda: Any = None  # Any: a module, see `on`

TILE = 16
PITCH = TILE + 1  # so that a column of a tile lies in different banks
BLOCK = 256
ZERO, ONE, TWO, HALF = np.float32(0), np.float32(1), np.float32(2), np.float32(0.5)


@dataclass(frozen=True)
class Program:
    """A kernel and its signature."""

    kernel: Callable[..., None]
    signature: str

    @property
    def name(self) -> str:
        """The name of the kernel."""
        return self.kernel.__name__

    def on(self, module: ModuleType) -> FunctionType:
        """The kernel for a compiler's `cuda`."""
        return FunctionType(self.kernel.__code__, {**globals(), "cuda": module}, self.name)


def saxpy(a, x, y):
    i = cuda.grid(1)
    if i < y.size:
        y[i] += a * x[i]


def matmul(a, b, c):
    left = cuda.shared.array((TILE, TILE), "float32")
    right = cuda.shared.array((TILE, TILE), "float32")
    row, column = cuda.grid(2)
    i, k = cuda.threadIdx.x, cuda.threadIdx.y
    total = ZERO
    for start in range(0, a.shape[1], TILE):
        left[i, k] = ZERO
        right[i, k] = ZERO
        if row < a.shape[0] and start + k < a.shape[1]:
            left[i, k] = a[row, start + k]
        if start + i < b.shape[0] and column < b.shape[1]:
            right[i, k] = b[start + i, column]
        cuda.syncthreads()
        for j in range(TILE):
            total += left[i, j] * right[j, k]
        cuda.syncthreads()
    if row < c.shape[0] and column < c.shape[1]:
        c[row, column] = total


def reduction(a, sums):
    shared = cuda.shared.array(BLOCK, "float32")
    i = cuda.threadIdx.x
    total = ZERO
    for k in range(cuda.grid(1), a.size, cuda.gridsize(1)):
        total += a[k]
    shared[i] = total
    cuda.syncthreads()
    step = BLOCK // 2
    while step > 0:
        if i < step:
            shared[i] += shared[i + step]
        cuda.syncthreads()
        step //= 2
    if i == 0:
        sums[cuda.blockIdx.x] = shared[0]


def histogram(values, counts):
    own = cuda.shared.array(BLOCK, "int32")
    i = cuda.threadIdx.x
    own[i] = 0
    cuda.syncthreads()
    for k in range(cuda.grid(1), values.size, cuda.gridsize(1)):
        cuda.atomic.add(own, values[k] & 255, 1)
    cuda.syncthreads()
    cuda.atomic.add(counts, i, own[i])


def transpose(a, b):
    tile = cuda.shared.array((TILE, PITCH), "float32")
    i, k = cuda.threadIdx.x, cuda.threadIdx.y
    row = cuda.blockIdx.y * TILE + k
    column = cuda.blockIdx.x * TILE + i
    if row < a.shape[0] and column < a.shape[1]:
        tile[k, i] = a[row, column]
    cuda.syncthreads()
    row = cuda.blockIdx.x * TILE + k
    column = cuda.blockIdx.y * TILE + i
    if row < b.shape[0] and column < b.shape[1]:
        b[row, column] = tile[i, k]


def stencil(a, b, weight):
    i, k = cuda.grid(2)
    if 1 <= i < a.shape[0] - 1 and 1 <= k < a.shape[1] - 1:
        around = a[i - 1, k] + a[i + 1, k] + a[i, k - 1] + a[i, k + 1]
        b[i, k] = a[i, k] + weight * (around - np.float32(4) * a[i, k])


def mandelbrot(image, left, low, step, most):
    i, k = cuda.grid(2)
    if i < image.shape[0] and k < image.shape[1]:
        x, y = left + k * step, low + i * step
        re, im = x, y
        count = 0
        while count < most and re * re + im * im <= 4.0:
            re, im = re * re - im * im + x, 2.0 * re * im + y
            count += 1
        image[i, k] = count


def black_scholes(price, strike, years, rate, volatility, call, put):
    i = cuda.grid(1)
    if i < price.size:
        s, x, t = price[i], strike[i], years[i]
        deviation = volatility * math.sqrt(t)
        d1 = (math.log(s / x) + (rate + HALF * volatility * volatility) * t) / deviation
        d2 = d1 - deviation
        c1 = HALF * (ONE + math.erf(d1 / math.sqrt(TWO)))
        c2 = HALF * (ONE + math.erf(d2 / math.sqrt(TWO)))
        discounted = x * math.exp(-rate * t)
        call[i] = s * c1 - discounted * c2
        put[i] = discounted * (ONE - c2) - s * (ONE - c1)


def n_body(places, masses, pulls):
    near = cuda.shared.array((BLOCK, 4), "float32")
    i, own = cuda.grid(1), cuda.threadIdx.x
    n = masses.size
    x = y = z = ZERO
    if i < n:
        x, y, z = places[i, 0], places[i, 1], places[i, 2]
    px = py = pz = ZERO
    for start in range(0, n, BLOCK):
        k = start + own
        near[own, 3] = ZERO
        if k < n:
            near[own, 0] = places[k, 0]
            near[own, 1] = places[k, 1]
            near[own, 2] = places[k, 2]
            near[own, 3] = masses[k]
        cuda.syncthreads()
        for j in range(BLOCK):
            dx, dy, dz = near[j, 0] - x, near[j, 1] - y, near[j, 2] - z
            square = dx * dx + dy * dy + dz * dz + np.float32(1e-3)
            pull = near[j, 3] / (square * math.sqrt(square))
            px += pull * dx
            py += pull * dy
            pz += pull * dz
        cuda.syncthreads()
    if i < n:
        pulls[i, 0] = px
        pulls[i, 1] = py
        pulls[i, 2] = pz


def monte_carlo(seeds, payoffs, strike, drift, deviation, paths):
    i = cuda.grid(1)
    if i < payoffs.size:
        state = seeds[i]
        total = 0.0
        for _ in range(paths):
            state ^= state >> np.uint64(12)
            state ^= state << np.uint64(25)
            state ^= state >> np.uint64(27)
            u = ((state >> np.uint64(11)) + np.uint64(1)) * 2.0**-53
            state ^= state >> np.uint64(12)
            state ^= state << np.uint64(25)
            state ^= state >> np.uint64(27)
            v = (state >> np.uint64(11)) * 2.0**-53
            normal = math.sqrt(-2.0 * math.log(u)) * math.cos(2.0 * math.pi * v)
            total += max(math.exp(drift + deviation * normal) - strike, 0.0)
        payoffs[i] = total / paths


_PRICES = ", ".join(["float32[::1]"] * 3)
PROGRAMS = (
    Program(saxpy, "void(float32, float32[::1], float32[::1])"),
    Program(matmul, "void(float32[:, ::1], float32[:, ::1], float32[:, ::1])"),
    Program(reduction, "void(float32[::1], float32[::1])"),
    Program(histogram, "void(int32[::1], int32[::1])"),
    Program(transpose, "void(float32[:, ::1], float32[:, ::1])"),
    Program(stencil, "void(float32[:, ::1], float32[:, ::1], float32)"),
    Program(mandelbrot, "void(int32[:, ::1], float64, float64, float64, int64)"),
    Program(black_scholes, f"void({_PRICES}, float32, float32, float32[::1], float32[::1])"),
    Program(n_body, "void(float32[:, ::1], float32[::1], float32[:, ::1])"),
    Program(monte_carlo, "void(uint64[::1], float64[::1], float64, float64, float64, int64)"),
)
