"""Kernels to look into, for one compute capability."""

from __future__ import annotations

import numpy as np

from cutaway import cuda


@cuda.jit(cc=(8, 0))
def saxpy(a, x, y, out):
    """One element a thread."""
    i = cuda.grid(1)
    if i < out.size:
        t = a * x[i]
        out[i] = t + y[i]


@cuda.jit(device=True, cc=(8, 0))
def doubled(v):
    """A function that kernels call."""
    return v + v


@cuda.jit(cc=(8, 0))
def total(x, out):
    """A loop, shared memory, barriers, and a call."""
    shared = cuda.shared.array(256, np.float64)
    i = cuda.threadIdx.x
    s = 0.0
    k = i
    while k < x.size:
        s += doubled(x[k])
        k += cuda.blockDim.x
    shared[i] = s
    cuda.syncthreads()
    step = 128
    while step > 0:
        if i < step:
            shared[i] += shared[i + step]
        cuda.syncthreads()
        step //= 2
    if i == 0:
        out[0] = shared[0]


@cuda.jit(cc=(8, 0))
def pick(x, n):
    """A branch through a table."""
    i = cuda.grid(1)
    match n:
        case 0:
            x[i] = 1.0
        case 1:
            x[i] = x[i] * 3
        case 2:
            x[i] = 7.0 + x[0]
        case 3:
            x[i] = -1.0 * x[i]
        case 4:
            x[i] = 81.0 / x[i]
        case 5:
            x[i] = 21.0
        case _:
            x[i] = 2.0


FLOATS = np.ones(4, np.float32)
DOUBLES = np.ones(4)
CALLS = (
    (saxpy, (np.float32(2), FLOATS, FLOATS, FLOATS)),
    (total, (DOUBLES, DOUBLES)),
    (pick, (DOUBLES, 3)),
    (doubled, (2.5,)),
)


def line_of(text: str) -> int:
    """The line of this file that has a text first."""
    with open(__file__, encoding="utf-8") as file:
        return next(k for k, line in enumerate(file, 1) if text in line)
