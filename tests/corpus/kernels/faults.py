"""Kernels with one planted fault each; the lines that the simulator has to name end in `# <-`."""

from __future__ import annotations

import numpy as np

from corpus.kernels.corpus import numbers, wrong
from cutaway import cuda

RACE, BARRIER, BOUNDS, UNSET, MASK = "race", "barrier", "bounds", "uninitialized", "mask"


def _pair(n=64):
    return {"x": numbers(n), "out": np.zeros(n)}


# --- races within a block ---------------------------------------------------------------------


@wrong(RACE, block=64, given=_pair)
def reversed_without_barrier(x, out):
    held = cuda.shared.array(64, np.float64)
    t = cuda.threadIdx.x
    held[t] = x[t]  # <-
    out[t] = held[63 - t]  # <-


@wrong(RACE, block=64, given=lambda: {"x": numbers(64), "out": np.zeros(1)})
def tree_without_barrier(x, out):
    held = cuda.shared.array(64, np.float64)
    t = cuda.threadIdx.x
    held[t] = x[t]
    cuda.syncthreads()
    width = 32
    while width > 0:
        if t < width:
            held[t] += held[t + width]  # <-
        width //= 2
    if t == 0:
        out[0] = held[0]


@wrong(
    RACE,
    block=(8, 8),
    given=lambda: {"a": numbers(8, 16), "b": numbers(16, 8), "c": np.zeros((8, 8))},
)
def product_without_second_barrier(a, b, c):
    left = cuda.shared.array((8, 8), np.float64)
    right = cuda.shared.array((8, 8), np.float64)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    total = 0.0
    for tile in range(2):
        left[ty, tx] = a[ty, tile * 8 + tx]  # <-
        right[ty, tx] = b[tile * 8 + ty, tx]
        cuda.syncthreads()
        for k in range(8):
            total += left[ty, k] * right[k, tx]  # <-
    c[ty, tx] = total


@wrong(RACE, block=64, given=_pair)
def scan_in_place(x, out):
    held = cuda.shared.array(64, np.float64)
    t = cuda.threadIdx.x
    held[t] = x[t]
    cuda.syncthreads()
    step = 1
    while step < 64:
        if t >= step:
            held[t] += held[t - step]  # <-
        cuda.syncthreads()
        step *= 2
    out[t] = held[t]


@wrong(RACE, block=64, given=lambda: {"x": numbers(64)})
def shifted_in_place(x):
    t = cuda.threadIdx.x
    if t + 1 < x.size:
        x[t] = x[t + 1]  # <-


@wrong(RACE, block=32, given=lambda: {"x": numbers(32), "out": np.zeros(32)})
def neighbors_without_syncwarp(x, out):
    held = cuda.shared.array(32, np.float64)
    t = cuda.threadIdx.x
    held[t] = x[t]  # <-
    out[t] = held[t ^ 1]  # <-


@wrong(RACE, block=64, given=_pair)
def syncwarp_where_warps_meet(x, out):
    held = cuda.shared.array(64, np.float64)
    t = cuda.threadIdx.x
    held[t] = x[t]  # <-
    cuda.syncwarp()
    out[t] = held[63 - t]  # <-


@wrong(RACE, block=64, given=_pair)
def block_waits_too_late(x, out):
    total = cuda.shared.array(1, np.float64)
    t = cuda.threadIdx.x
    if t == 0:
        total[0] = 0.0  # <-
    cuda.atomic.add(total, 0, x[t])  # <-
    cuda.syncthreads()
    out[t] = total[0]


@wrong(
    RACE, block=64, given=lambda: {"x": numbers(64, dtype=np.int32), "bins": np.zeros(10, np.int32)}
)
def histogram_without_atomics(x, bins):
    held = cuda.shared.array(10, np.int32)
    t = cuda.threadIdx.x
    if t < 10:
        held[t] = 0
    cuda.syncthreads()
    held[x[t] // 10] += 1  # <-
    cuda.syncthreads()
    if t < 10:
        bins[t] = held[t]


@wrong(RACE, block=64, given=lambda: {"out": np.zeros(32)})
def index_with_wrong_divisor(out):
    t = cuda.threadIdx.x
    out[t // 2] = t  # <-


@wrong(RACE, block=(8, 8), given=lambda: {"a": numbers(8, 8)})
def transpose_in_place(a):
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    value = a[y, x]  # <-
    a[x, y] = value  # <-


@wrong(RACE, block=32, given=lambda: {"x": numbers(32)})
def odd_even_sort_without_barrier(x):
    t = cuda.threadIdx.x
    for turn in range(4):
        i = 2 * t + turn % 2
        if i + 1 < x.size and x[i] > x[i + 1]:
            x[i], x[i + 1] = x[i + 1], x[i]  # <-


@wrong(RACE, block=64, given=lambda: {"found": np.zeros(1, np.int64), "x": numbers(64)})
def last_writer_wins(found, x):
    t = cuda.threadIdx.x
    if x[t] > 0:
        found[0] = t  # <-


@wrong(RACE, block=64, given=_pair)
def read_again_after_use(x, out):
    edge = cuda.shared.array(1, np.float64)
    t = cuda.threadIdx.x
    for k in range(2):
        if t == 63:
            edge[0] = x[k]  # <-
        cuda.syncthreads()
        out[t] += edge[0]  # <-


@wrong(RACE, block=64, shared=64 * 8, given=_pair)
def dynamic_arrays_overlap(x, out):
    first = cuda.shared.array(0, np.float64)
    second = cuda.shared.array(0, np.float64)
    t = cuda.threadIdx.x
    first[t] = x[t]  # <-
    second[63 - t] = x[t]  # <-
    cuda.syncthreads()
    out[t] = first[t]


@wrong(RACE, block=64, given=lambda: {"x": numbers(64), "out": np.zeros(1)})
def lock_without_fence(x, out):
    count = cuda.shared.array(1, np.int32)
    t = cuda.threadIdx.x
    if t == 0:
        count[0] = 0
    cuda.syncthreads()
    out[0] += x[t]  # <-
    cuda.atomic.add(count, 0, 1)


# --- races between blocks ---------------------------------------------------------------------


@wrong(RACE, grid=4, block=32, given=lambda: {"x": numbers(128), "out": np.zeros(1)})
def sum_without_atomics(x, out):
    i = cuda.grid(1)
    out[0] += x[i]  # <-


@wrong(RACE, grid=2, block=32, given=_pair)
def stencil_in_place(x, out):
    i = cuda.grid(1)
    if 0 < i < x.size - 1:
        x[i] = (x[i - 1] + x[i + 1]) / 2  # <-


@wrong(RACE, grid=2, block=32, given=_pair)
def barrier_of_one_block_only(x, out):
    i = cuda.grid(1)
    out[i] = x[i]  # <-
    cuda.syncthreads()
    x[i] = out[63 - i]  # <-


@wrong(RACE, grid=4, block=32, given=lambda: {"x": numbers(128), "out": np.zeros(32)})
def thread_in_the_place_of_grid(x, out):
    i = cuda.threadIdx.x
    out[i] = x[cuda.grid(1)]  # <-


@wrong(RACE, grid=2, block=32, given=lambda: {"out": np.zeros(100)})
def stride_of_one_block(out):
    for i in range(cuda.grid(1), out.size, cuda.blockDim.x):
        out[i] = i + cuda.blockIdx.x  # <-


@wrong(
    RACE,
    grid=2,
    block=32,
    given=lambda: {
        "x": numbers(64),
        "parts": np.zeros(2),
        "done": np.zeros(1, np.int32),
        "out": np.zeros(1),
    },
)
def last_block_without_fence(x, parts, done, out):
    t = cuda.threadIdx.x
    value = x[cuda.grid(1)]
    for step in (16, 8, 4, 2, 1):
        value += cuda.shfl_down_sync(0xFFFFFFFF, value, step)
    if t == 0:
        parts[cuda.blockIdx.x] = value  # <-
        if cuda.atomic.add(done, 0, 1) == cuda.gridDim.x - 1:
            out[0] = parts[0] + parts[1]  # <-


@wrong(RACE, grid=2, block=32, given=lambda: {"flag": np.zeros(1, np.int32), "data": np.zeros(1)})
def flag_that_is_no_atomic(flag, data):
    if cuda.grid(1) == 0:
        data[0] = 3.0
        cuda.threadfence()
        flag[0] = 1  # <-
    elif cuda.grid(1) == 32 and flag[0] == 1:  # <-
        data[0] += 1.0


@wrong(RACE, grid=(2, 2), block=(4, 4), given=lambda: {"a": np.zeros((8, 8)), "n": np.int64(4)})
def rows_of_wrong_length(a, n):
    x, y = cuda.grid(2)
    flat = a.reshape(64)
    flat[y * n + x] = x  # <-


# --- barriers ---------------------------------------------------------------------------------


@wrong(BARRIER, block=64, given=_pair)
def barrier_in_a_branch(x, out):
    held = cuda.shared.array(64, np.float64)
    t = cuda.threadIdx.x
    held[t] = x[t]
    if t < 32:
        cuda.syncthreads()  # <-
        out[t] = held[63 - t]


@wrong(BARRIER, block=64, given=lambda: {"x": numbers(50), "out": np.zeros(50)})
def early_return(x, out):
    held = cuda.shared.array(64, np.float64)
    t = cuda.threadIdx.x
    if t >= x.size:
        return
    held[t] = x[t]
    cuda.syncthreads()  # <-
    out[t] = held[x.size - 1 - t]


@wrong(BARRIER, block=64, given=_pair)
def barrier_in_a_loop_of_other_lengths(x, out):
    t = cuda.threadIdx.x
    for k in range(t // 32 + 1):
        out[t] += x[k]
        cuda.syncthreads()  # <-


@wrong(BARRIER, block=64, given=_pair)
def two_barriers_for_one(x, out):
    t = cuda.threadIdx.x
    if t % 2 == 0:
        out[t] = x[t]
        cuda.syncthreads()  # <-
    else:
        out[t] = -x[t]
        cuda.syncthreads()  # <-


@cuda.jit(device=True)
def waits_if(wanted):
    if wanted:
        cuda.syncthreads()  # <-


@wrong(BARRIER, block=64, given=_pair, within=waits_if)
def barrier_in_a_device_function(x, out):
    t = cuda.threadIdx.x
    waits_if(x[t] > 0)
    out[t] = x[t]


@wrong(BARRIER, block=64, given=lambda: {"x": numbers(64), "out": np.zeros(1, np.int32)})
def vote_that_some_leave(x, out):
    t = cuda.threadIdx.x
    while x[t] > 0:
        if cuda.syncthreads_count(x[t] > 0) < 3:  # <-
            break
        x[t] -= 1
    out[0] = 1 if t == 0 else out[0]


# --- places outside, and unset memory ---------------------------------------------------------


@wrong(BOUNDS, grid=2, block=64, given=lambda: {"x": numbers(100), "out": np.zeros(100)})
def no_test_of_the_end(x, out):
    i = cuda.grid(1)
    out[i] = 2 * x[i]  # <-


@wrong(BOUNDS, block=64, given=_pair)
def off_by_one(x, out):
    i = cuda.grid(1)
    if i <= x.size - 1:
        out[i] = x[i + 1] - x[i]  # <-


@wrong(BOUNDS, block=64, given=_pair)
def halo_without_room(x, out):
    held = cuda.shared.array(64, np.float64)
    t = cuda.threadIdx.x
    held[t + 1] = x[t]  # <-
    cuda.syncthreads()
    out[t] = held[t]


@wrong(BOUNDS, block=(8, 8), given=lambda: {"a": np.zeros((4, 16))})
def axes_turned(a):
    x, y = cuda.grid(2)
    if x < a.shape[1] and y < a.shape[0]:
        a[x, y] = 1.0  # <-


@wrong(BOUNDS, block=32, given=lambda: {"x": numbers(32, dtype=np.int32), "out": np.zeros(10)})
def bins_too_few(x, out):
    cuda.atomic.add(out, x[cuda.threadIdx.x], 1.0)  # <-


@wrong(BOUNDS, block=32, given=lambda: {"x": numbers(32), "out": np.zeros(32)})
def local_too_small(x, out):
    held = cuda.local.array(4, np.float64)
    t = cuda.threadIdx.x
    for k in range(5):
        held[k] = x[(t + k) % 32]  # <-
    out[t] = held[0]


@wrong(BOUNDS, block=64, shared=32 * 8, given=_pair)
def too_little_dynamic_shared(x, out):
    held = cuda.shared.array(0, np.float64)
    t = cuda.threadIdx.x
    held[t] = x[t]  # <-
    cuda.syncthreads()
    out[t] = held[t]


@wrong(UNSET, block=32, given=_pair)
def shared_not_cleared(x, out):
    held = cuda.shared.array(8, np.float64)
    t = cuda.threadIdx.x
    cuda.atomic.add(held, t % 8, x[t])  # <-
    cuda.syncthreads()
    out[t] = held[t % 8]


@wrong(UNSET, block=64, given=lambda: {"x": numbers(50), "out": np.zeros(1)})
def tail_not_filled(x, out):
    held = cuda.shared.array(64, np.float64)
    t = cuda.threadIdx.x
    if t < x.size:
        held[t] = x[t]
    cuda.syncthreads()
    if t < 32:
        held[t] += held[t + 32]  # <-
    cuda.syncthreads()
    if t == 0:
        out[0] = held[0]


@wrong(UNSET, block=32, given=_pair)
def local_not_cleared(x, out):
    sums = cuda.local.array(2, np.float64)
    t = cuda.threadIdx.x
    for k in range(4):
        sums[k % 2] += x[t]  # <-
    out[t] = sums[0] + sums[1]


# --- warps ------------------------------------------------------------------------------------


@wrong(MASK, block=32, given=_pair)
def mask_of_lanes_that_are_not_there(x, out):
    t = cuda.threadIdx.x
    if t < 16:
        out[t] = cuda.shfl_down_sync(0xFFFFFFFF, x[t], 8)  # <-


@wrong(MASK, block=32, given=lambda: {"x": numbers(32), "out": np.zeros(1, np.int64)})
def vote_after_a_return(x, out):
    t = cuda.threadIdx.x
    if x[t] > 0.5:
        return
    lanes = cuda.ballot_sync(0xFFFFFFFF, x[t] > 0)  # <-
    if t == 0:
        out[0] = lanes


@wrong(MASK, block=32, given=_pair)
def mask_without_oneself(x, out):
    t = cuda.threadIdx.x
    out[t] = cuda.shfl_xor_sync(0x0000FFFF, x[t], 1)  # <-


@wrong(MASK, block=32, given=_pair)
def shuffle_from_a_lane_outside(x, out):
    t = cuda.threadIdx.x
    if t < 16:
        out[t] = cuda.shfl_sync(0x0000FFFF, x[t], 20)  # <-


@wrong(MASK, block=32, given=_pair)
def syncwarp_of_half(x, out):
    held = cuda.shared.array(32, np.float64)
    t = cuda.threadIdx.x
    held[t] = x[t]
    if t < 16:
        cuda.syncwarp()  # <-
    out[t] = held[t]
