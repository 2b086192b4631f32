"""What the simulator of kernels costs: microseconds an inner iteration, with all checks.

.venv/bin/python benchmarks/simulator.py
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from cutaway import cuda

TILE = 16


@cuda.jit
def saxpy(a, x, y):
    for i in range(cuda.grid(1), y.size, cuda.gridsize(1)):
        y[i] += a * x[i]


@cuda.jit
def product(a, b, c):
    left = cuda.shared.array((TILE, TILE), np.float32)
    right = cuda.shared.array((TILE, TILE), np.float32)
    x, y = cuda.grid(2)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    total = np.float32(0)
    for tile in range(a.shape[1] // TILE):
        left[ty, tx] = a[y, tile * TILE + tx]
        right[ty, tx] = b[tile * TILE + ty, x]
        cuda.syncthreads()
        for k in range(TILE):
            total += left[ty, k] * right[k, tx]
        cuda.syncthreads()
    c[y, x] = total


@cuda.jit
def reduction(x, out):
    held = cuda.shared.array(256, np.float64)
    t = cuda.threadIdx.x
    total = 0.0
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        total += x[i]
    held[t] = total
    cuda.syncthreads()
    step = 128
    while step > 0:
        if t < step:
            held[t] += held[t + step]
        cuda.syncthreads()
        step //= 2
    if t == 0:
        cuda.atomic.add(out, 0, held[0])


@cuda.jit
def mandelbrot(out, most):
    x, y = cuda.grid(2)
    c = complex(-2 + 3 * x / out.shape[1], -1 + 2 * y / out.shape[0])
    z, times = 0j, 0
    while times < most and z.real * z.real + z.imag * z.imag < 4:
        z = z * z + c
        times += 1
    out[y, x] = times


def _measure(
    name: str, kernel: Any, grid: Any, block: Any, iterations: Callable[[], int], *args: Any
) -> None:  # Any: a kernel, sizes, call arguments
    simulation = cuda.simulate(kernel)
    simulation.source(*args)  # translates it
    start = time.process_time()
    simulation[grid, block](*args)
    seconds = time.process_time() - start
    count = iterations()
    print(f"{name:12}{count:10} iterations {seconds:8.3f} s {seconds / count * 1e6:8.3f} us each")


def main() -> None:
    """Print a line for each kernel."""
    random = np.random.default_rng(1)
    x, y = random.random(100_000), random.random(100_000)
    _measure("saxpy", saxpy, 16, 128, lambda: x.size, 2.0, x, y)
    n = 64
    a, b = (random.random((n, n)).astype(np.float32) for _ in range(2))
    c = np.zeros((n, n), np.float32)
    _measure("product", product, (4, 4), (TILE, TILE), lambda: n**3, a, b, c)
    assert np.allclose(c, a @ b, rtol=1e-4)
    out = np.zeros(1)
    _measure("reduction", reduction, 4, 256, lambda: x.size, x, out)
    assert np.isclose(out[0], x.sum())
    image = np.zeros((32, 32), np.int64)
    _measure("mandelbrot", mandelbrot, (2, 2), (16, 16), lambda: int(image.sum()), image, 200)


if __name__ == "__main__":
    main()
