"""Each word of a kernel has a meaning in the simulator, the same where Python runs the kernel."""

from __future__ import annotations

import math

import numpy as np
import pytest

from cutaway import cuda
from cutaway.cuda.simulator import plain, warps
from cutaway.cuda.simulator.wording import WORDING
from cutaway.errors import CudaError
from cutaway.gpu import words

pytestmark = pytest.mark.sampled(others=6, fast=20)

FULL = 0xFFFFFFFF
WAYS = [False, True]


@pytest.mark.parametrize("word", words.WORDS.values(), ids=words.WORDS)
def test_each_word_has_a_meaning(word):
    assert word in WORDING
    name = word.__qualname__
    assert (
        name in plain._DOING
        or name.startswith(("atomic.", "syncthreads"))
        or (name in warps._RESULTS or name in warps._SOURCES or name == "activemask")
    )


@pytest.mark.parametrize("word", words.WORDS.values(), ids=words.WORDS)
def test_outside_of_a_kernel_a_word_is_an_error(word):
    with pytest.raises(CudaError, match="only in a kernel"):
        word(1, 1)


def ran(kernel, sizes, plainly, *args):
    cuda.simulate(kernel, plain=plainly)[sizes](*args)
    return args


@cuda.jit
def places(out):
    x, y, z = cuda.grid(3)
    a, b, c = cuda.gridsize(3)
    i, j = cuda.grid(2)
    wide, high = cuda.gridsize(2)
    if x == a - 1 and y == b - 1 and z == c - 1:
        out[0], out[1], out[2] = x, y, z
        out[3], out[4], out[5] = a, b, c
        out[6], out[7], out[8], out[9] = i, j, wide, high
        out[10], out[11] = cuda.grid(1), cuda.gridsize(1)
        out[12], out[13] = cuda.threadIdx.x, cuda.blockIdx.y
        out[14], out[15] = cuda.blockDim.z, cuda.gridDim.x
        out[16], out[17] = cuda.warpsize, cuda.laneid


@pytest.mark.parametrize("plainly", WAYS)
def test_where_a_thread_stands(plainly):
    (out,) = ran(places, ((2, 3, 2), (4, 2, 2)), plainly, np.zeros(18, np.int64))
    assert list(out[:10]) == [7, 5, 3, 8, 6, 4, 7, 5, 8, 6]
    assert list(out[10:]) == [7, 8, 3, 2, 2, 2, 32, 15]


@cuda.jit
def waits(out):
    t = cuda.threadIdx.x
    out[0, t] = cuda.syncthreads_count(t % 3 == 0)
    out[1, t] = cuda.syncthreads_and(t >= 0)
    out[2, t] = cuda.syncthreads_or(t == 5)
    out[3, t] = cuda.syncthreads_and(t > 0)
    cuda.syncthreads()
    cuda.syncwarp()
    cuda.syncwarp(FULL)
    cuda.threadfence()
    cuda.threadfence_block()
    cuda.threadfence_system()
    cuda.nanosleep(10)


@pytest.mark.parametrize("plainly", WAYS)
def test_barriers_and_fences(plainly):
    (out,) = ran(waits, (1, 64), plainly, np.zeros((4, 64), np.int64))
    assert [set(row) for row in out.tolist()] == [{22}, {1}, {1}, {0}]


@cuda.jit
def speaks(out):
    t = cuda.threadIdx.x
    out[0, t] = cuda.shfl_sync(FULL, t * 2, 3)
    out[1, t] = cuda.shfl_up_sync(FULL, t, 2)
    out[2, t] = cuda.shfl_down_sync(FULL, t, 3)
    out[3, t] = cuda.shfl_xor_sync(FULL, t, 1)
    out[4, t] = cuda.all_sync(FULL, t >= 0)
    out[5, t] = cuda.any_sync(FULL, t == 40)
    out[6, t] = cuda.eq_sync(FULL, t > 40)
    out[7, t] = cuda.ballot_sync(FULL, t % 2 == 0)
    out[8, t] = cuda.match_any_sync(FULL, t % 4)
    mask, same = cuda.match_all_sync(FULL, 7)
    out[9, t] = mask if same else 0
    if t % 32 < 8:
        out[10, t] = cuda.activemask()
    out[11, t] = cuda.lanemask_lt()
    out[12, t] = cuda.laneid + 1


@pytest.mark.parametrize("plainly", WAYS)
def test_warps(plainly):
    (out,) = ran(speaks, (1, 32), plainly, np.zeros((13, 32), np.int64))
    lanes = np.arange(32)
    assert set(out[0]) == {6}
    assert list(out[1]) == [0, 1, *range(30)]
    assert list(out[2]) == [*range(3, 32), 29, 30, 31]
    assert list(out[3]) == list(lanes ^ 1)
    assert [set(row) for row in out[4:8].tolist()] == [{1}, {0}, {1}, {0x55555555}]
    assert list(out[8]) == [0x11111111 << (t % 4) for t in lanes]
    assert set(out[9]) == {FULL}
    assert list(out[10]) == [0xFF] * 8 + [0] * 24
    assert list(out[11]) == [(1 << t) - 1 for t in lanes]
    assert list(out[12]) == list(lanes + 1)


@cuda.jit
def counts(x, out, real):
    i = cuda.threadIdx.x
    out[0, i] = cuda.popc(x[i])
    out[1, i] = cuda.clz(x[i])
    out[2, i] = cuda.ffs(x[i])
    out[3, i] = cuda.brev(x[i])
    out[4, i] = cuda.selp(x[i] > 4, 1, 2)
    real[0, i] = cuda.fma(0.1, 10.0, -1.0)
    real[1, i] = cuda.cbrt(27.0)
    real[2, i] = cuda.rsqrt(4.0)
    real[3, i], real[4, i] = cuda.sincos(1.0)


@pytest.mark.parametrize("plainly", WAYS)
def test_numbers(plainly):
    x = np.array([0, 1, 12, 0x80000000], np.uint32)
    _, out, real = ran(counts, (1, 4), plainly, x, np.zeros((5, 4), np.int64), np.zeros((5, 4)))
    assert out[:3].tolist() == [[0, 1, 2, 1], [32, 31, 28, 0], [0, 1, 3, 32]]
    assert list(out[3]) == [0, 0x80000000, 0x30000000, 1]
    assert list(out[4]) == [2, 2, 1, 1]
    assert list(real[0]) == [2.0**-54] * 4
    assert np.allclose(real[1:, 0], [3, 0.5, math.sin(1), math.cos(1)])


@cuda.jit
def updates(a, old):
    i = cuda.threadIdx.x
    old[0] = cuda.atomic.add(a, (0, 0), 5)
    old[1] = cuda.atomic.sub(a, (0, 1), 5)
    old[2] = cuda.atomic.min(a, (0, 2), 5)
    old[3] = cuda.atomic.max(a, (0, 3), 5)
    old[4] = cuda.atomic.and_(a, (0, 4), 6)
    old[5] = cuda.atomic.or_(a, (0, 5), 6)
    old[6] = cuda.atomic.xor(a, (0, 6), 6)
    old[7] = cuda.atomic.exch(a, (0, 7), 6)
    old[8] = cuda.atomic.inc(a, (1, i), 3)
    old[9] = cuda.atomic.dec(a, (1, 1), 9)
    old[10] = cuda.atomic.cas(a, (1, 2), 3, 8)
    old[11] = cuda.atomic.nanmin(a, (1, 3), 1)
    old[12] = cuda.atomic.nanmax(a, (1, 4), 9)


@cuda.jit
def swaps(a, old):
    old[0] = cuda.atomic.compare_and_swap(a, 3, 8)


@pytest.mark.parametrize("plainly", WAYS)
def test_atomic_operations(plainly):
    a = np.full((2, 8), 3, np.uint64)
    a[1, 1] = 0
    a, old = ran(updates, (1, 1), plainly, a, np.zeros(13, np.uint64))
    assert list(old) == [3] * 9 + [0, 3, 3, 3]
    assert list(a[0]) == [8, 2**64 - 2, 3, 5, 2, 7, 5, 6]
    assert list(a[1, :5]) == [0, 9, 8, 1, 9]
    a, old = ran(swaps, (1, 1), plainly, np.full(2, 3, np.int64), np.zeros(1, np.int64))
    assert (list(a), list(old)) == ([8, 3], [3])


TABLE = np.arange(4.0)


@cuda.jit
def memory(out):
    t = cuda.threadIdx.x
    s = cuda.shared.array(shape=4, dtype=np.float64)
    d = cuda.shared.array(0, np.float64)
    held = cuda.local.array((2, 2), np.float64)
    c = cuda.const.array_like(TABLE)
    s[t], d[t], held[1, 1] = t, 10 * t, 100 * t
    cuda.syncthreads()
    out[t] = s[3 - t] + d[3 - t] + held[1, 1] + c[t] * 1000 + d.size * 10000


@pytest.mark.parametrize("plainly", WAYS)
def test_memory(plainly):
    (out,) = ran(memory, (1, 4, 0, 32), plainly, np.zeros(4))
    assert list(out) == [40033, 41122, 42211, 43300]


@cuda.jit
def about_arrays(out, a):
    x = cuda.local.array((2, 3), np.float64)
    x[0, 0] = 1
    out[0], out[1], out[2] = x.itemsize, x.strides[0], x.nbytes
    out[3], out[4] = a.flags.c_contiguous, a.flags.f_contiguous
    out[5], out[6] = a.T.flags["C"], a[:, 0].flags.c_contiguous
    out[7] = a.flags.writeable + 2 * a.flags.aligned


@pytest.mark.parametrize("plainly", WAYS)
@pytest.mark.parametrize("order", ["C", "F", "A"])
def test_attributes_of_arrays_are_those_of_their_elements_in_memory(plainly, order):
    a = np.ones((4, 6))[::2, ::2] if order == "A" else np.ones((2, 3), order=order)
    (out, _) = ran(about_arrays, (1, 1), plainly, np.zeros(8), a)
    flags = [a.flags.c_contiguous, a.flags.f_contiguous, a.T.flags.c_contiguous]
    assert list(out) == [8, 24, 48, *flags, a[:, 0].flags.c_contiguous, 3]


@cuda.jit
def parts_that_are_set_at_times(out, a, n):
    total = 0.0
    for k in range(n):
        if k % 2:
            part, pair = a[k:], (k, a[k])
        if k > 1:
            total += part[0] + pair[0] + pair[1]
    out[0] = total


@pytest.mark.parametrize("n", [0, 1, 4])
def test_what_some_runs_of_a_loop_set_is_there_in_the_others(n):
    (out, *_) = ran(parts_that_are_set_at_times, (1, 1), False, np.zeros(1), np.arange(5.0), n)
    assert out[0] == {0: 0, 1: 0, 4: 12}[n]
