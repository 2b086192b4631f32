"""Right kernels whose threads work together: by shared memory, by warps, by atomic operations."""

from __future__ import annotations

import math

import numpy as np

from corpus.kernels.corpus import numbers, right
from cutaway import cuda

TILE = 8
N = 64  # threads of a block that reduces or scans


# --- matrices ---------------------------------------------------------------------------------


@right(
    grid=(2, 2),
    block=(TILE, TILE),
    given=lambda: {
        "a": numbers(13, 20),
        "b": numbers(20, 15, seed=2),
        "c": np.zeros((13, 15)),
    },
    answer=lambda a, b, c: {"c": a @ b},
)
def tiled_product(a, b, c):
    left = cuda.shared.array((TILE, TILE), np.float64)
    right_ = cuda.shared.array((TILE, TILE), np.float64)
    x, y = cuda.grid(2)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    total = 0.0
    for tile in range((a.shape[1] + TILE - 1) // TILE):
        column, row = tile * TILE + tx, tile * TILE + ty
        left[ty, tx] = a[y, column] if y < a.shape[0] and column < a.shape[1] else 0.0
        right_[ty, tx] = b[row, x] if row < b.shape[0] and x < b.shape[1] else 0.0
        cuda.syncthreads()
        for k in range(TILE):
            total += left[ty, k] * right_[k, tx]
        cuda.syncthreads()
    if y < c.shape[0] and x < c.shape[1]:
        c[y, x] = total


@right(
    grid=(2, 2),
    block=(8, 4),
    given=lambda: {"a": numbers(12, 14), "out": np.zeros((14, 12))},
    answer=lambda a, out: {"out": a.T},
)
def transpose_padded(a, out):
    tile = cuda.shared.array((8, 9), np.float64)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    x, y = cuda.blockIdx.x * 8 + tx, cuda.blockIdx.y * 8 + ty
    for k in range(0, 8, 4):
        if y + k < a.shape[0] and x < a.shape[1]:
            tile[ty + k, tx] = a[y + k, x]
    cuda.syncthreads()
    x, y = cuda.blockIdx.y * 8 + tx, cuda.blockIdx.x * 8 + ty
    for k in range(0, 8, 4):
        if y + k < out.shape[0] and x < out.shape[1]:
            out[y + k, x] = tile[tx, ty + k]


@right(
    grid=6,
    block=32,
    given=lambda: {"a": numbers(6, 70), "x": numbers(70, seed=2), "y": np.zeros(6)},
    answer=lambda a, x, y: {"y": a @ x},
)
def matrix_vector(a, x, y):
    row, lane = cuda.blockIdx.x, cuda.threadIdx.x
    total = 0.0
    for k in range(lane, x.size, 32):
        total += a[row, k] * x[k]
    for k in range(5):
        total += cuda.shfl_xor_sync(0xFFFFFFFF, total, 1 << k)
    if lane == 0:
        y[row] = total


def _forward(low, b, x):
    return {"x": np.linalg.solve(np.tril(low), b)}


@right(
    grid=1,
    block=16,
    given=lambda: {"low": numbers(16, 16) + 4 * np.eye(16), "b": numbers(16), "x": np.zeros(16)},
    answer=_forward,
    close=1e-9,
)
def forward_substitution(low, b, x):
    known = cuda.shared.array(1, np.float64)
    i = cuda.threadIdx.x
    rest = b[i]
    for k in range(16):
        if i == k:
            known[0] = rest / low[k, k]
            x[k] = known[0]
        cuda.syncthreads()
        if i > k:
            rest -= low[i, k] * known[0]
        cuda.syncthreads()


def _lu(a):
    a = a.copy()
    for k in range(len(a)):
        a[k + 1 :, k] /= a[k, k]
        a[k + 1 :, k + 1 :] -= np.outer(a[k + 1 :, k], a[k, k + 1 :])
    return {"a": a}


@right(
    grid=1,
    block=(8, 8),
    given=lambda: {"a": numbers(8, 8) + 4 * np.eye(8)},
    answer=_lu,
    close=1e-9,
)
def lu_in_a_block(a):
    held = cuda.shared.array((8, 8), np.float64)
    j, i = cuda.threadIdx.x, cuda.threadIdx.y
    held[i, j] = a[i, j]
    cuda.syncthreads()
    for k in range(8):
        if i > k and j == k:
            held[i, k] /= held[k, k]
        cuda.syncthreads()
        if i > k and j > k:
            held[i, j] -= held[i, k] * held[k, j]
        cuda.syncthreads()
    a[i, j] = held[i, j]


# --- reductions -------------------------------------------------------------------------------


@right(
    grid=2,
    block=N,
    given=lambda: {"x": numbers(120), "out": np.zeros(2)},
    answer=lambda x, out: {"out": np.array([x[:64].sum(), x[64:].sum()])},
)
def sum_by_tree(x, out):
    held = cuda.shared.array(N, np.float64)
    i, t = cuda.grid(1), cuda.threadIdx.x
    held[t] = x[i] if i < x.size else 0.0
    cuda.syncthreads()
    width = N // 2
    while width > 0:
        if t < width:
            held[t] += held[t + width]
        cuda.syncthreads()
        width //= 2
    if t == 0:
        out[cuda.blockIdx.x] = held[0]


@right(
    grid=2,
    block=N,
    given=lambda: {"x": numbers(120), "out": np.zeros(1)},
    answer=lambda x, out: {"out": np.array([x.sum()])},
)
def sum_by_shuffles(x, out):
    of_warps = cuda.shared.array(N // 32, np.float64)
    i, t = cuda.grid(1), cuda.threadIdx.x
    value = x[i] if i < x.size else 0.0
    for step in (16, 8, 4, 2, 1):
        value += cuda.shfl_down_sync(0xFFFFFFFF, value, step)
    if t % 32 == 0:
        of_warps[t // 32] = value
    cuda.syncthreads()
    if t == 0:
        for k in range(1, N // 32):
            value += of_warps[k]
        cuda.atomic.add(out, 0, value)


@right(
    grid=3,
    block=32,
    given=lambda: {"x": numbers(90, dtype=np.int32), "out": np.zeros(1, np.int32)},
    answer=lambda x, out: {"out": np.array([x.sum()])},
)
def sum_by_atomics(x, out):
    i = cuda.grid(1)
    if i < x.size:
        cuda.atomic.add(out, 0, x[i])


@right(
    grid=4,
    block=32,
    given=lambda: {
        "x": numbers(128),
        "parts": np.zeros(4),
        "done": np.zeros(1, np.uint32),
        "out": np.zeros(1),
    },
    answer=lambda x, parts, done, out: {"out": np.array([x.sum()]), "done": np.zeros(1)},
)
def sum_by_last_block(x, parts, done, out):
    is_last = cuda.shared.array(1, np.int32)
    t = cuda.threadIdx.x
    value = x[cuda.grid(1)]
    for step in (16, 8, 4, 2, 1):
        value += cuda.shfl_down_sync(0xFFFFFFFF, value, step)
    if t == 0:
        parts[cuda.blockIdx.x] = value
        cuda.threadfence()
        before = cuda.atomic.inc(done, 0, cuda.gridDim.x - 1)
        is_last[0] = 1 if before == cuda.gridDim.x - 1 else 0
    cuda.syncthreads()
    if is_last[0] == 1 and t == 0:
        cuda.threadfence()
        total = 0.0
        for k in range(cuda.gridDim.x):
            total += parts[k]
        out[0] = total


@right(
    grid=2,
    block=N,
    given=lambda: {"x": numbers(100), "y": numbers(100, seed=2), "out": np.zeros(1)},
    answer=lambda x, y, out: {"out": np.array([x @ y])},
)
def dot_product(x, y, out):
    held = cuda.shared.array(N, np.float64)
    t = cuda.threadIdx.x
    total = 0.0
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        total += x[i] * y[i]
    held[t] = total
    cuda.syncthreads()
    step = 1
    while step < N:
        if t % (2 * step) == 0:
            held[t] += held[t + step]
        cuda.syncthreads()
        step *= 2
    if t == 0:
        cuda.atomic.add(out, 0, held[0])


@right(
    grid=1,
    block=N,
    given=lambda: {"x": numbers(N), "out": np.zeros(1, np.int64)},
    answer=lambda x, out: {"out": np.array([x.argmax()])},
)
def argmax(x, out):
    best = cuda.shared.array(N, np.float64)
    place = cuda.shared.array(N, np.int32)
    t = cuda.threadIdx.x
    best[t], place[t] = x[t], t
    cuda.syncthreads()
    width = N // 2
    while width:
        if t < width and best[t + width] > best[t]:
            best[t] = best[t + width]
            place[t] = place[t + width]
        cuda.syncthreads()
        width //= 2
    if t == 0:
        out[0] = place[0]


@right(
    grid=3,
    block=32,
    given=lambda: {"x": 3 * numbers(3, 50), "out": np.zeros((3, 50))},
    answer=lambda x, out: {"out": np.exp(x) / np.exp(x).sum(1, keepdims=True)},
    close=1e-9,
)
def softmax_rows(x, out):
    row, lane = cuda.blockIdx.x, cuda.threadIdx.x
    most = -math.inf
    for k in range(lane, x.shape[1], 32):
        most = max(most, x[row, k])
    for bit in (16, 8, 4, 2, 1):
        most = max(most, cuda.shfl_xor_sync(0xFFFFFFFF, most, bit))
    total = 0.0
    for k in range(lane, x.shape[1], 32):
        total += math.exp(x[row, k] - most)
    for bit in (16, 8, 4, 2, 1):
        total += cuda.shfl_xor_sync(0xFFFFFFFF, total, bit)
    for k in range(lane, x.shape[1], 32):
        out[row, k] = math.exp(x[row, k] - most) / total


def _normed(x, gain, out):
    away = x - x.mean(1, keepdims=True)
    return {"out": gain * away / np.sqrt((away**2).mean(1, keepdims=True) + 1e-5)}


@right(
    grid=3,
    block=32,
    given=lambda: {
        "x": numbers(3, 48, dtype=np.float32),
        "gain": numbers(48, dtype=np.float32, seed=2),
        "out": np.zeros((3, 48), np.float32),
    },
    answer=_normed,
    close=1e-3,
)
def layer_norm(x, gain, out):
    sums = cuda.shared.array(2, np.float32)
    row, t, n = cuda.blockIdx.x, cuda.threadIdx.x, x.shape[1]
    if t < 2:
        sums[t] = 0.0
    cuda.syncthreads()
    for k in range(t, n, cuda.blockDim.x):
        cuda.atomic.add(sums, 0, x[row, k])
        cuda.atomic.add(sums, 1, x[row, k] * x[row, k])
    cuda.syncthreads()
    mean = sums[0] / np.float32(n)
    scale = cuda.rsqrt(sums[1] / np.float32(n) - mean * mean + np.float32(1e-5))
    for k in range(t, n, cuda.blockDim.x):
        out[row, k] = gain[k] * (x[row, k] - mean) * scale


@right(
    grid=2,
    block=32,
    given=lambda: {"x": numbers(64, dtype=np.int64), "out": np.zeros((2, 3), np.int32)},
    answer=lambda x, out: {
        "out": np.array(
            [[(p > 50).all(), (p > 98).any(), (p > 50).sum()] for p in x.reshape(2, 32)]
        )
    },
)
def barriers_that_vote(x, out):
    above = x[cuda.grid(1)] > 50
    out_of_all = cuda.syncthreads_and(above)
    out_of_any = cuda.syncthreads_or(x[cuda.grid(1)] > 98)
    count = cuda.syncthreads_count(above)
    if cuda.threadIdx.x == 0:
        out[cuda.blockIdx.x, 0] = out_of_all
        out[cuda.blockIdx.x, 1] = out_of_any
        out[cuda.blockIdx.x, 2] = count


# --- scans and sorts --------------------------------------------------------------------------


@right(
    grid=2,
    block=N,
    given=lambda: {"x": numbers(2 * N, dtype=np.int64), "out": np.zeros(2 * N, np.int64)},
    answer=lambda x, out: {"out": x.reshape(2, N).cumsum(1).ravel()},
)
def scan_hillis_steele(x, out):
    held = cuda.shared.array((2, N), np.int64)
    t, at = cuda.threadIdx.x, 0
    held[at, t] = x[cuda.grid(1)]
    cuda.syncthreads()
    step = 1
    while step < N:
        before = held[at, t - step] if t >= step else 0
        held[1 - at, t] = held[at, t] + before
        at = 1 - at
        cuda.syncthreads()
        step *= 2
    out[cuda.grid(1)] = held[at, t]


@right(
    grid=1,
    block=N // 2,
    given=lambda: {"x": numbers(N, dtype=np.int32), "out": np.zeros(N, np.int32)},
    answer=lambda x, out: {"out": x.cumsum() - x},
)
def scan_blelloch(x, out):
    held = cuda.shared.array(N, np.int32)
    t = cuda.threadIdx.x
    held[2 * t], held[2 * t + 1] = x[2 * t], x[2 * t + 1]
    step = 1
    while step < N:
        cuda.syncthreads()
        at = (2 * t + 2) * step - 1
        if at < N:
            held[at] += held[at - step]
        step *= 2
    if t == 0:
        held[N - 1] = 0
    while step > 1:
        step //= 2
        cuda.syncthreads()
        at = (2 * t + 2) * step - 1
        if at < N:
            below = held[at - step]
            held[at - step] = held[at]
            held[at] += below
    cuda.syncthreads()
    out[2 * t], out[2 * t + 1] = held[2 * t], held[2 * t + 1]


@right(
    grid=2,
    block=32,
    given=lambda: {"x": numbers(64, dtype=np.float32)},
    answer=lambda x: {"x": x.reshape(2, 32).cumsum(1).ravel()},
    close=1e-4,
)
def scan_of_warp(x):
    i, lane = cuda.grid(1), cuda.laneid
    value = x[i]
    for k in range(5):
        below = cuda.shfl_up_sync(0xFFFFFFFF, value, 1 << k)
        if lane >= 1 << k:
            value += below
    x[i] = value


@right(
    grid=1,
    block=32,
    given=lambda: {"x": numbers(32)},
    answer=lambda x: {"x": np.sort(x)},
)
def bitonic_sort(x):
    held = cuda.shared.array(32, np.float64)
    i = cuda.threadIdx.x
    held[i] = x[i]
    cuda.syncthreads()
    size = 2
    while size <= 32:
        stride = size // 2
        while stride > 0:
            other = i ^ stride
            if other > i:
                a, b = held[i], held[other]
                if (a > b) == (i & size == 0):
                    held[i], held[other] = b, a
            cuda.syncthreads()
            stride //= 2
        size *= 2
    x[i] = held[i]


@right(
    grid=1,
    block=20,
    given=lambda: {"x": numbers(40, dtype=np.int16)},
    answer=lambda x: {"x": np.sort(x)},
)
def odd_even_sort(x):
    t = cuda.threadIdx.x
    for turn in range(x.size):
        i = 2 * t + turn % 2
        if i + 1 < x.size and x[i] > x[i + 1]:
            x[i], x[i + 1] = x[i + 1], x[i]
        cuda.syncthreads()


@right(
    grid=1,
    block=16,
    given=lambda: {"x": numbers(32, dtype=np.complex128)},
    answer=lambda x: {"x": np.fft.fft(x)},
    close=1e-9,
)
def fft_in_a_block(x):
    held = cuda.shared.array(32, np.complex128)
    t = cuda.threadIdx.x
    for k in (t, t + 16):
        held[cuda.brev(np.uint32(k)) >> np.uint32(27)] = x[k]
    half = 1
    while half < 32:
        cuda.syncthreads()
        turn = t % half
        i = (t - turn) * 2 + turn
        angle = -math.pi * turn / half
        low, high = held[i], held[i + half] * complex(math.cos(angle), math.sin(angle))
        held[i], held[i + half] = low + high, low - high
        half *= 2
    cuda.syncthreads()
    x[t], x[t + 16] = held[t], held[t + 16]


# --- counting ---------------------------------------------------------------------------------


@right(
    grid=3,
    block=32,
    given=lambda: {"x": numbers(90, dtype=np.uint8), "bins": np.zeros(100, np.int32)},
    answer=lambda x, bins: {"bins": np.bincount(x, minlength=100)},
)
def histogram(x, bins):
    i = cuda.grid(1)
    if i < x.size:
        cuda.atomic.add(bins, x[i], 1)


@right(
    grid=2,
    block=32,
    given=lambda: {"x": numbers(150, dtype=np.uint8), "bins": np.zeros((2, 10), np.int64)},
    answer=lambda x, bins: {
        "bins": np.histogram2d(x // 10 % 2, x // 10, bins=[2, 10], range=[[0, 2], [0, 10]])[0]
    },
)
def histogram_in_shared(x, bins):
    held = cuda.shared.array((2, 10), np.int32)
    t = cuda.threadIdx.x
    if t < 20:
        held[t // 10, t % 10] = 0
    cuda.syncthreads()
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        kind = x[i] // 10
        cuda.atomic.add(held, (kind % 2, kind), 1)
    cuda.syncthreads()
    if t < 20:
        cuda.atomic.add(bins, (t // 10, t % 10), held[t // 10, t % 10])


@right(
    grid=2,
    block=32,
    given=lambda: {
        "x": numbers(60, dtype=np.uint32),
        "digit": 2,
        "counts": np.zeros((2, 4), np.uint32),
    },
    answer=lambda x, digit, counts: {
        "counts": np.array([np.bincount(p >> digit & 3, minlength=4) for p in (x[:32], x[32:])])
    },
)
def radix_digits(x, digit, counts):
    held = cuda.shared.array(4, np.uint32)
    i, t = cuda.grid(1), cuda.threadIdx.x
    if t < 4:
        held[t] = 0
    cuda.syncthreads()
    if i < x.size:
        cuda.atomic.add(held, (x[i] >> np.uint32(digit)) & np.uint32(3), np.uint32(1))
    cuda.syncthreads()
    if t < 4:
        counts[cuda.blockIdx.x, t] = held[t]


@right(
    grid=2,
    block=N,
    shared=N * 12,
    given=lambda: {"x": numbers(2 * N), "out": np.zeros(2 * N), "order": np.zeros(2 * N, np.int32)},
    answer=lambda x, out, order: {
        "out": x.reshape(2, N)[:, ::-1].ravel(),
        "order": np.tile(np.arange(N)[::-1], 2),
    },
)
def dynamic_shared(x, out, order):
    held = cuda.shared.array(0, np.float64)
    places = cuda.shared.array(0, np.int32)[2 * N :]
    i, t = cuda.grid(1), cuda.threadIdx.x
    held[t] = x[i]
    places[t] = t
    cuda.syncthreads()
    out[i] = held[N - 1 - t]
    order[i] = places[N - 1 - t]
