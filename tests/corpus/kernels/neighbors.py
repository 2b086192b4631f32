"""Right kernels over grids of cells, graphs, sparse matrices and texts."""

from __future__ import annotations

import numpy as np

from corpus.kernels.corpus import numbers, right
from cutaway import cuda

# --- stencils ---------------------------------------------------------------------------------


@right(
    grid=3,
    block=16,
    given=lambda: {"x": numbers(40), "out": np.zeros(40)},
    answer=lambda x, out: {"out": np.convolve(x, [1, 2, 3, 2, 1], "same")},
)
def stencil_1d_with_halo(x, out):
    held = cuda.shared.array(16 + 4, np.float64)
    i, t = cuda.grid(1), cuda.threadIdx.x
    held[t + 2] = x[i] if i < x.size else 0.0
    if t < 2:
        held[t] = x[i - 2] if i >= 2 else 0.0
        held[t + 18] = x[i + 16] if i + 16 < x.size else 0.0
    cuda.syncthreads()
    if i < x.size:
        out[i] = held[t] + 2 * held[t + 1] + 3 * held[t + 2] + 2 * held[t + 3] + held[t + 4]


def _blurred(a, out):
    around = np.pad(a, 1, mode="edge")
    rows, columns = a.shape
    parts = [around[i : i + rows, k : k + columns] for i in range(3) for k in range(3)]
    return {"out": sum(parts) / 9}


@right(
    grid=(2, 2),
    block=(8, 8),
    given=lambda: {"a": numbers(11, 14), "out": np.zeros((11, 14))},
    answer=_blurred,
)
def box_filter(a, out):
    held = cuda.shared.array((10, 10), np.float64)
    x, y = cuda.grid(2)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    for k in range(ty * 8 + tx, 100, 64):
        row = min(max(cuda.blockIdx.y * 8 + k // 10 - 1, 0), a.shape[0] - 1)
        column = min(max(cuda.blockIdx.x * 8 + k % 10 - 1, 0), a.shape[1] - 1)
        held[k // 10, k % 10] = a[row, column]
    cuda.syncthreads()
    if y < a.shape[0] and x < a.shape[1]:
        total = 0.0
        for i in range(3):
            for j in range(3):
                total += held[ty + i, tx + j]
        out[y, x] = total / 9


def _seven_points(a, out):
    out = out.copy()
    i = slice(1, -1)
    near = [a[:-2, i, i], a[2:, i, i], a[i, :-2, i], a[i, 2:, i], a[i, i, :-2], a[i, i, 2:]]
    out[i, i, i] = sum(near) - 6 * a[i, i, i]
    return {"out": out}


@right(
    grid=(2, 2, 2),
    block=(4, 4, 2),
    given=lambda: {"a": numbers(4, 6, 7), "out": np.zeros((4, 6, 7))},
    answer=_seven_points,
)
def stencil_3d(a, out):
    k, j, i = cuda.grid(3)
    if 0 < i < a.shape[0] - 1 and 0 < j < a.shape[1] - 1 and 0 < k < a.shape[2] - 1:
        near = a[i - 1, j, k] + a[i + 1, j, k] + a[i, j - 1, k] + a[i, j + 1, k]
        near += a[i, j, k - 1] + a[i, j, k + 1]
        out[i, j, k] = near - 6 * a[i, j, k]


def _next_life(cells, after):
    near = sum(np.roll(cells, (i, k), (0, 1)) for i in (-1, 0, 1) for k in (-1, 0, 1)) - cells
    return {"after": (near == 3) | (cells & (near == 2))}


@right(
    grid=(2, 2),
    block=(8, 8),
    given=lambda: {
        "cells": (numbers(12, 10, dtype=np.uint8) % 2),
        "after": np.zeros((12, 10), np.uint8),
    },
    answer=_next_life,
)
def game_of_life(cells, after):
    x, y = cuda.grid(2)
    rows, columns = cells.shape
    if y < rows and x < columns:
        near = 0
        for i in range(-1, 2):
            for k in range(-1, 2):
                if i != 0 or k != 0:
                    near += cells[(y + i + rows) % rows, (x + k + columns) % columns]
        after[y, x] = 1 if near == 3 or (near == 2 and cells[y, x] == 1) else 0


def _edges(a, out):
    i = slice(1, -1)
    column = a[:-2] + 2 * a[i] + a[2:]
    row = a[:, :-2] + 2 * a[:, i] + a[:, 2:]
    out = np.zeros_like(out)
    out[i, i] = np.hypot(column[:, 2:] - column[:, :-2], row[2:] - row[:-2])
    return {"out": out}


@right(
    grid=(2, 2),
    block=(8, 8),
    given=lambda: {"a": numbers(12, 13, dtype=np.float32), "out": np.zeros((12, 13), np.float32)},
    answer=_edges,
    close=1e-4,
)
def sobel(a, out):
    x, y = cuda.grid(2)
    if 0 < y < a.shape[0] - 1 and 0 < x < a.shape[1] - 1:
        across = a[y - 1, x + 1] + 2 * a[y, x + 1] + a[y + 1, x + 1]
        across -= a[y - 1, x - 1] + 2 * a[y, x - 1] + a[y + 1, x - 1]
        down = a[y + 1, x - 1] + 2 * a[y + 1, x] + a[y + 1, x + 1]
        down -= a[y - 1, x - 1] + 2 * a[y - 1, x] + a[y - 1, x + 1]
        out[y, x] = np.float32((across * across + down * down) ** 0.5)


FILTER = np.array([[0.1, 0.2, 0.1], [0.0, 0.5, -0.5], [0.3, -0.1, 0.2]])


def _filtered(a, out):
    rows, columns = out.shape
    parts = [FILTER[i, k] * a[i : i + rows, k : k + columns] for i in range(3) for k in range(3)]
    return {"out": sum(parts)}


@right(
    grid=(2, 2),
    block=(8, 8),
    given=lambda: {"a": numbers(12, 14), "out": np.zeros((10, 12))},
    answer=_filtered,
)
def convolution(a, out):
    weights = cuda.const.array_like(FILTER)
    x, y = cuda.grid(2)
    if y < out.shape[0] and x < out.shape[1]:
        total = 0.0
        for i in range(weights.shape[0]):
            for k in range(weights.shape[1]):
                total += weights[i, k] * a[y + i, x + k]
        out[y, x] = total


def _jacobi_steps(run, a, b):
    for _ in range(3):
        run(jacobi, (2, 2), (8, 4), 0)(a, b)
        run(jacobi, (2, 2), (8, 4), 0)(b, a)


def _relaxed(a, b):
    for _ in range(6):
        after = a.copy()
        after[1:-1, 1:-1] = (a[:-2, 1:-1] + a[2:, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:]) / 4
        a = after
    return {"a": a}


@right(
    given=lambda: {"a": numbers(8, 12), "b": np.zeros((8, 12))},
    answer=_relaxed,
    steps=_jacobi_steps,
)
def jacobi(a, b):
    x, y = cuda.grid(2)
    if y < a.shape[0] and x < a.shape[1]:
        if 0 < y < a.shape[0] - 1 and 0 < x < a.shape[1] - 1:
            b[y, x] = (a[y - 1, x] + a[y + 1, x] + a[y, x - 1] + a[y, x + 1]) * 0.25
        else:
            b[y, x] = a[y, x]


# --- sparse matrices and graphs ---------------------------------------------------------------


def _sparse():
    dense = numbers(20, 25)
    dense[abs(dense) < 0.7] = 0
    starts = np.concatenate([[0], (dense != 0).sum(1).cumsum()]).astype(np.int32)
    return {
        "starts": starts,
        "columns": dense.nonzero()[1].astype(np.int32),
        "values": dense[dense != 0],
        "x": numbers(25, seed=2),
        "y": np.zeros(20),
    }


def _sparse_product(starts, columns, values, x, y):
    terms = values * x[columns]
    return {"y": np.array([terms[a:b].sum() for a, b in zip(starts, starts[1:])])}


@right(grid=2, block=16, given=_sparse, answer=_sparse_product)
def sparse_by_rows(starts, columns, values, x, y):
    row = cuda.grid(1)
    if row < y.size:
        total = 0.0
        for k in range(starts[row], starts[row + 1]):
            total += values[k] * x[columns[k]]
        y[row] = total


@right(grid=10, block=(32, 2), given=_sparse, answer=_sparse_product)
def sparse_by_warps(starts, columns, values, x, y):
    lane, row = cuda.threadIdx.x, cuda.blockIdx.x * cuda.blockDim.y + cuda.threadIdx.y
    total = 0.0
    for k in range(starts[row] + lane, starts[row + 1], 32):
        total += values[k] * x[columns[k]]
    for step in (16, 8, 4, 2, 1):
        total += cuda.shfl_down_sync(0xFFFFFFFF, total, step)
    if lane == 0:
        y[row] = total


def _floyd_steps(run, d):
    for k in range(d.shape[0]):
        run(floyd_warshall, (2, 2), (4, 4), 0)(d, k)


def _shortest(d):
    d = d.copy()
    for k in range(len(d)):
        d = np.minimum(d, d[:, k : k + 1] + d[k : k + 1, :])
    return {"d": d}


def _distances():
    d = 1 + numbers(7, 7, dtype=np.int64)
    np.fill_diagonal(d, 0)
    return {"d": d}


@right(given=_distances, answer=_shortest, steps=_floyd_steps)
def floyd_warshall(d, k):
    j, i = cuda.grid(2)
    if i < d.shape[0] and j < d.shape[0]:
        way = d[i, k] + d[k, j]
        if way < d[i, j]:
            d[i, j] = way


EDGES = np.array([[0, 3], [3, 7], [1, 2], [2, 9], [5, 6], [6, 8], [9, 1], [8, 5], [4, 4], [7, 0]])


def _component_steps(run, edges, label, changed):
    for _ in range(12):
        run(lowest_label, 1, 16, 0)(edges, label, changed)


@right(
    given=lambda: {
        "edges": EDGES.astype(np.int32),
        "label": np.arange(10, dtype=np.int32),
        "changed": np.zeros(1, np.int32),
    },
    answer=lambda edges, label, changed: {"label": np.array([0, 1, 1, 0, 4, 5, 5, 0, 5, 1])},
    steps=_component_steps,
)
def lowest_label(edges, label, changed):
    i = cuda.grid(1)
    if i < edges.shape[0]:
        a, b = edges[i, 0], edges[i, 1]
        # An addition of nothing reads what other threads may change at the same time.
        low = min(cuda.atomic.add(label, a, 0), cuda.atomic.add(label, b, 0))
        if cuda.atomic.min(label, a, low) > low:
            cuda.atomic.max(changed, 0, 1)
        if cuda.atomic.min(label, b, low) > low:
            cuda.atomic.max(changed, 0, 1)


@cuda.jit(device=True)
def root_of(parent, i):
    above = cuda.atomic.cas(parent, i, -1, -1)
    while above != i:
        i = above
        above = cuda.atomic.cas(parent, i, -1, -1)
    return i


@right(
    grid=1,
    block=16,
    given=lambda: {"edges": EDGES.astype(np.int32), "parent": np.arange(10, dtype=np.int32)},
    answer=lambda edges, parent: {"parent": np.array([0, 1, 1, 0, 4, 5, 5, 0, 5, 1])},
)
def union_find(edges, parent):
    i = cuda.threadIdx.x
    if i < edges.shape[0]:
        a, b = root_of(parent, edges[i, 0]), root_of(parent, edges[i, 1])
        while a != b:
            low, high = min(a, b), max(a, b)
            if cuda.atomic.cas(parent, high, high, low) == high:
                break
            a, b = root_of(parent, low), root_of(parent, high)
    cuda.syncthreads()
    root = root_of(parent, i) if i < parent.size else 0
    cuda.syncthreads()
    if i < parent.size:
        parent[i] = root


def _nearest(points, centers):
    return ((points[:, None] - centers[None]) ** 2).sum(-1).argmin(1)


def _means(points, centers, sums, counts):
    near = _nearest(points, centers)
    counts = np.bincount(near, minlength=len(centers))
    sums = np.stack([points[near == k].sum(0) for k in range(len(centers))])
    return {"sums": sums, "counts": counts, "centers": sums / counts[:, None]}


def _means_steps(run, points, centers, sums, counts):
    run(nearest_center, 3, 16, 0)(points, centers, sums, counts)
    run(new_centers, 1, (3, 2), 0)(centers, sums, counts)


@cuda.jit
def new_centers(centers, sums, counts):
    k, axis = cuda.threadIdx.x, cuda.threadIdx.y
    if counts[k] > 0:
        centers[k, axis] = sums[k, axis] / counts[k]


@right(
    given=lambda: {
        "points": numbers(40, 2),
        "centers": numbers(3, 2, seed=2),
        "sums": np.zeros((3, 2)),
        "counts": np.zeros(3, np.int32),
    },
    answer=_means,
    steps=_means_steps,
)
def nearest_center(points, centers, sums, counts):
    i = cuda.grid(1)
    if i < points.shape[0]:
        best, least = 0, 1e300
        for k in range(centers.shape[0]):
            dx, dy = points[i, 0] - centers[k, 0], points[i, 1] - centers[k, 1]
            if dx * dx + dy * dy < least:
                best, least = k, dx * dx + dy * dy
        cuda.atomic.add(counts, best, 1)
        for axis in range(2):
            cuda.atomic.add(sums, (best, axis), points[i, axis])


# --- choosing ---------------------------------------------------------------------------------


@right(
    grid=1,
    block=64,
    given=lambda: {"x": numbers(64, dtype=np.int32), "out": np.full(64, -1, np.int32)},
    answer=lambda x, out: {"out": np.concatenate([x[x > 50], np.full((x <= 50).sum(), -1)])},
)
def compaction(x, out):
    counts = cuda.shared.array(2, np.int32)
    t = cuda.threadIdx.x
    chosen = x[t] > 50
    lanes = cuda.ballot_sync(0xFFFFFFFF, chosen)
    if t % 32 == 0:
        counts[t // 32] = cuda.popc(lanes)
    cuda.syncthreads()
    place = cuda.popc(lanes & cuda.lanemask_lt())
    if t >= 32:
        place += counts[0]
    if chosen:
        out[place] = x[t]


@right(
    grid=2,
    block=32,
    given=lambda: {"x": numbers(64, dtype=np.int32), "count": np.zeros(1, np.int32)},
    answer=lambda x, count: {"count": np.array([(x % 3 == 0).sum()])},
)
def one_atomic_for_a_warp(x, count):
    if x[cuda.grid(1)] % 3 == 0:
        lanes = cuda.activemask()
        leader = cuda.ffs(lanes) - 1
        if cuda.laneid == leader:
            cuda.atomic.add(count, 0, cuda.popc(lanes))


@right(
    grid=1,
    block=32,
    given=lambda: {"keys": numbers(32, dtype=np.int32) % 5, "same": np.zeros(32, np.int32)},
    answer=lambda keys, same: {"same": np.array([(keys == key).sum() for key in keys])},
)
def same_keys(keys, same):
    t = cuda.threadIdx.x
    same[t] = cuda.popc(cuda.match_any_sync(0xFFFFFFFF, keys[t]))


TEXT = np.frombuffer(b"the cat and the dog and the bird in the hen house", np.uint8).copy()


@right(
    grid=2,
    block=32,
    given=lambda: {
        "text": TEXT,
        "word": np.frombuffer(b"the ", np.uint8).copy(),
        "found": np.zeros(1, np.int32),
    },
    answer=lambda text, word, found: {"found": np.array([bytes(text).count(bytes(word))])},
)
def text_search(text, word, found):
    i = cuda.grid(1)
    if i + word.size <= text.size:
        k = 0
        while k < word.size and text[i + k] == word[k]:
            k += 1
        if k == word.size:
            cuda.atomic.add(found, 0, 1)


@right(
    grid=1,
    block=32,
    given=lambda: {
        "x": np.array([3, 3, 3, 1, 1, 7, 7, 7, 7, 2] + [5] * 22, np.int32),
        "values": np.zeros(32, np.int32),
        "lengths": np.zeros(32, np.int32),
    },
    answer=lambda x, values, lengths: {
        "values": np.array([3, 1, 7, 2, 5] + [0] * 27),
        "lengths": np.array([3, 2, 4, 1, 22] + [0] * 27),
    },
)
def run_lengths(x, values, lengths):
    t = cuda.threadIdx.x
    starts = cuda.ballot_sync(0xFFFFFFFF, t == 0 or x[t] != x[max(t - 1, 0)])
    run = cuda.popc(starts & (cuda.lanemask_lt() | np.uint32(1 << t))) - 1
    cuda.atomic.add(lengths, run, 1)
    if starts >> np.uint32(t) & np.uint32(1):
        values[run] = x[t]


@right(
    grid=2,
    block=8,
    given=lambda: {"lock": np.zeros(1, np.int32), "balance": np.zeros(2)},
    answer=lambda lock, balance: {"balance": np.array([16.0, -16.0]), "lock": np.zeros(1)},
)
def lock(lock, balance):
    done = False
    while not done:
        if cuda.atomic.cas(lock, 0, 0, 1) == 0:
            cuda.threadfence()
            balance[0] += 1.0
            balance[1] -= 1.0
            cuda.threadfence()
            cuda.atomic.exch(lock, 0, 0)
            done = True


@right(
    grid=2,
    block=16,
    given=lambda: {"x": numbers(32), "low": np.full(1, np.inf), "high": np.full(1, -np.inf)},
    answer=lambda x, low, high: {"low": np.array([x.min()]), "high": np.array([x.max()])},
)
def range_by_atomics(x, low, high):
    i = cuda.grid(1)
    cuda.atomic.min(low, 0, x[i])
    cuda.atomic.max(high, 0, x[i])
