"""Kernels with a fault, each beside one without it."""

from __future__ import annotations

import inspect

import numpy as np
import pytest

from cutaway import cuda
from cutaway.errors import LaunchError

pytestmark = pytest.mark.sampled(others=6)

N = 64


def line_of(kernel, text, nth=1):
    """The line of a kernel that contains a text, as errors tell it."""
    lines, first = inspect.getsourcelines(kernel.py_func)
    return [first + k for k, line in enumerate(lines) if text in line][nth - 1]


@cuda.jit
def without_barrier(x):
    s = cuda.shared.array(N, np.int64)
    t = cuda.threadIdx.x
    s[t] = t
    x[t] = s[(t + 1) % N]


@cuda.jit
def with_barrier(x):
    s = cuda.shared.array(N, np.int64)
    t = cuda.threadIdx.x
    s[t] = t
    cuda.syncthreads()
    x[t] = s[(t + 1) % N]


def test_a_missing_barrier_is_a_race():
    with pytest.raises(cuda.RaceError) as caught:
        cuda.simulate(without_barrier)[1, N](np.zeros(N, np.int64))
    (race,) = caught.value.report.races
    lines = {one.loc.line for one in race.accesses}
    assert lines == {line_of(without_barrier, "s[t] = t"), line_of(without_barrier, "(t + 1)")}
    assert {one.kind for one in race.accesses} == {"r", "w"}


def test_with_a_barrier_there_is_none():
    x = np.zeros(N, np.int64)
    simulation = cuda.simulate(with_barrier)
    simulation[1, N](x)
    assert list(x) == [*range(1, N), 0]
    assert not simulation.report


def test_races_are_collected():
    simulation = cuda.simulate(without_barrier, on_race="report")
    simulation[1, N](np.zeros(N, np.int64))
    (race,) = simulation.report.races
    assert race.count == N
    assert race.memory == "shared"


@cuda.jit
def one_counter(x):
    if cuda.threadIdx.x == 0:
        x[0] += 1


@cuda.jit
def one_atomic_counter(x):
    if cuda.threadIdx.x == 0:
        cuda.atomic.add(x, 0, 1)


def test_blocks_race():
    with pytest.raises(cuda.RaceError, match="different blocks"):
        cuda.simulate(one_counter)[3, 32](np.zeros(1, np.int64))
    cuda.simulate(one_counter)[1, 32](np.zeros(1, np.int64))
    x = np.zeros(1, np.int64)
    cuda.simulate(one_atomic_counter)[3, 32](x)
    assert x[0] == 3


@cuda.jit
def reads_beside_atomics(x, y):
    t = cuda.threadIdx.x
    cuda.atomic.add(x, 0, 1)
    y[t] = x[0]


def test_a_plain_read_and_an_atomic_operation_race():
    with pytest.raises(cuda.RaceError, match="atomic"):
        cuda.simulate(reads_beside_atomics)[1, 32](np.zeros(1, np.int64), np.zeros(32, np.int64))


# --- what orders ------------------------------------------------------------------------------


@cuda.jit
def locked(mutex, x):
    if cuda.threadIdx.x % 32 == 0:
        while cuda.atomic.cas(mutex, 0, 0, 1) != 0:
            pass
        cuda.threadfence()
        x[0] += 1
        cuda.threadfence()
        cuda.atomic.exch(mutex, 0, 0)


@cuda.jit
def locked_without_fence(mutex, x):
    if cuda.threadIdx.x % 32 == 0:
        while cuda.atomic.cas(mutex, 0, 0, 1) != 0:
            pass
        x[0] += 1
        cuda.atomic.exch(mutex, 0, 0)


@cuda.jit
def locked_with_a_fence_of_the_block(mutex, x):
    if cuda.threadIdx.x % 32 == 0:
        while cuda.atomic.cas(mutex, 0, 0, 1) != 0:
            pass
        x[0] += 1
        cuda.threadfence_block()
        cuda.atomic.exch(mutex, 0, 0)


def test_a_lock_with_fences_orders():
    x = np.zeros(1, np.int64)
    cuda.simulate(locked)[4, 64](np.zeros(1, np.int64), x)
    assert x[0] == 8


def test_a_lock_without_fences_does_not():
    for kernel in (locked_without_fence, locked_with_a_fence_of_the_block):
        with pytest.raises(cuda.RaceError):
            cuda.simulate(kernel)[4, 64](np.zeros(1, np.int64), np.zeros(1, np.int64))
    cuda.simulate(locked_with_a_fence_of_the_block)[1, 64](
        np.zeros(1, np.int64), np.zeros(1, np.int64)
    )


@cuda.jit
def all_blocks_meet(bar, x, y):
    b = cuda.blockIdx.x
    x[b] = b
    cuda.threadfence()
    cuda.atomic.add(bar, 0, 1)
    while cuda.atomic.add(bar, 0, 0) < cuda.gridDim.x:
        pass
    y[b] = x[(b + 1) % cuda.gridDim.x]


def test_blocks_that_wait_for_each_other_run_at_once():
    y = np.zeros(8, np.int64)
    cuda.simulate(all_blocks_meet)[8, 1](np.zeros(1, np.int64), np.zeros(8, np.int64), y)
    assert list(y) == [1, 2, 3, 4, 5, 6, 7, 0]


@cuda.jit
def within_a_warp(x):
    s = cuda.shared.array(32, np.int64)
    t = cuda.threadIdx.x
    s[t] = t
    cuda.syncwarp(0xFFFFFFFF)
    x[t] = s[31 - t]


@cuda.jit
def within_a_warp_by_shuffle(x):
    s = cuda.shared.array(32, np.int64)
    t = cuda.threadIdx.x
    s[t] = t
    cuda.shfl_sync(0xFFFFFFFF, t, 0)
    x[t] = s[31 - t]


def test_syncwarp_orders_and_a_shuffle_does_not():
    x = np.zeros(32, np.int64)
    cuda.simulate(within_a_warp)[1, 32](x)
    assert list(x) == list(range(31, -1, -1))
    with pytest.raises(cuda.RaceError):
        cuda.simulate(within_a_warp_by_shuffle)[1, 32](x)


# --- waiting in vain ----------------------------------------------------------------------------


@cuda.jit
def barrier_in_a_branch(x):
    if cuda.threadIdx.x < 16:
        cuda.syncthreads()


@cuda.jit
def two_barriers(x):
    if cuda.threadIdx.x < 16:
        x[0] = 1
        cuda.syncthreads()
    else:
        cuda.syncthreads()


@cuda.jit
def early_return(x):
    i = cuda.grid(1)
    if i >= x.size:
        return
    x[i] = i
    cuda.syncthreads()


@pytest.mark.parametrize("kernel", [barrier_in_a_branch, early_return])
def test_a_barrier_that_not_all_threads_reach_is_an_error(kernel):
    with pytest.raises(cuda.SimulationError, match="not all threads of block 0") as caught:
        cuda.simulate(kernel)[1, 64](np.zeros(60))
    assert caught.value.loc.line == line_of(kernel, "syncthreads")


def test_threads_at_different_barriers_are_an_error():
    with pytest.raises(cuda.SimulationError, match="different barriers") as caught:
        cuda.simulate(two_barriers)[1, 64](np.zeros(1))
    for nth in (1, 2):
        assert f"line {line_of(two_barriers, 'syncthreads', nth)}" in str(caught.value)


@cuda.jit
def shuffle_in_a_branch(x):
    t = cuda.threadIdx.x
    if t < 16:
        x[t] = cuda.shfl_down_sync(0xFFFFFFFF, x[t], 1)


@cuda.jit
def without_itself(x):
    cuda.all_sync(0xFFFE, x[0] > 0)


def test_a_mask_names_the_lanes_that_take_part():
    with pytest.raises(cuda.SimulationError, match="names lanes 16, 17"):
        cuda.simulate(shuffle_in_a_branch)[1, 32](np.zeros(32))
    with pytest.raises(cuda.SimulationError, match="does not name lane 0"):
        cuda.simulate(without_itself)[1, 16](np.zeros(1))


@cuda.jit
def waits_for_nobody(x):
    if cuda.threadIdx.x == 0:
        while x[0] == 0:
            pass


def test_a_loop_that_waits_in_vain_ends_in_an_error():
    with pytest.raises(cuda.SimulationError, match="waits in a loop"):
        cuda.simulate(waits_for_nobody)[1, 2](np.zeros(1))


@cuda.jit
def goes_on(x):
    n = 1
    while n > 0:
        n = n * 3 % 7
    x[0] = n


def test_a_loop_that_does_not_end_is_an_error():
    with pytest.raises(cuda.SimulationError, match="goes on and on") as caught:
        cuda.simulate(goes_on, most_steps=50_000)[1, 2](np.zeros(1))
    assert caught.value.loc.line == line_of(goes_on, "while")


# --- memory -------------------------------------------------------------------------------------


@cuda.jit
def too_far(x):
    x[cuda.grid(1)] = 1


@cuda.jit
def from_the_end(x):
    x[-1 - cuda.grid(1)] = cuda.grid(1)


@cuda.jit
def shared_unset(x):
    s = cuda.shared.array((8, 8), np.int64)
    x[0] = s[1, 2]


@cuda.jit
def local_unset(x):
    s = cuda.local.array(8, np.int64)
    x[0] = s[1]


def test_an_index_out_of_range_is_an_error():
    with pytest.raises(
        IndexError, match="index 6[0-3] is out of bounds of x with size 60"
    ) as caught:
        cuda.simulate(too_far)[1, 64](np.zeros(60))
    assert "of block 0 of kernel too_far" in caught.value.__notes__[0]


def test_a_negative_index_counts_from_the_end():
    x = np.zeros(4)
    cuda.simulate(from_the_end)[1, 4](x)
    assert list(x) == [3, 2, 1, 0]


def test_memory_that_nobody_has_written_cannot_be_read():
    with pytest.raises(cuda.SimulationError, match=r"s\[1, 2\] is read, and no thread"):
        cuda.simulate(shared_unset)[1, 1](np.zeros(1, np.int64))
    with pytest.raises(cuda.SimulationError, match=r"s\[1\] is read, and this thread"):
        cuda.simulate(local_unset)[1, 1](np.zeros(1, np.int64))


# --- exceptions ---------------------------------------------------------------------------------


@cuda.jit
def asserts(x):
    if cuda.grid(1) >= 5:
        raise ValueError("too big")


@cuda.jit(debug=True)
def divides(x):
    x[cuda.grid(1)] = 1 // (cuda.grid(1) - 3)


def test_what_a_kernel_raises_names_block_and_thread():
    with pytest.raises(ValueError, match="too big") as caught:
        cuda.simulate(asserts)[2, 8](np.zeros(1))
    assert "thread" in caught.value.__notes__[0]
    with pytest.raises(ZeroDivisionError) as caught:
        cuda.simulate(divides)[1, 8](np.zeros(8, np.int64))
    assert caught.value.__notes__ == ["in thread 3 of block 0 of kernel divides"]


@pytest.mark.parametrize("sizes", [(0, 1), (1, 0), (1, 2000), (1, (1, 1, 65)), (1,), ("a", 1)])
def test_a_launch_that_no_gpu_takes_is_refused(sizes):
    with pytest.raises(LaunchError):
        cuda.simulate(with_barrier)[sizes]
