"""Memory, streams, events, launches and errors of a real GPU."""

from __future__ import annotations

import gc
import subprocess
import sys
import threading

import numpy as np
import pytest

from cutaway import cuda
from cutaway.errors import CudaDriverError, CudaError, LaunchError


@cuda.jit
def add(a, x):
    i = cuda.grid(1)
    if i < x.size:
        x[i] += a


@cuda.jit
def spin(x, turns):
    i = cuda.grid(1)
    for _ in range(turns):
        x[i] = x[i] * 0.5 + 1.0


ARRAYS = [
    np.arange(12.0).reshape(3, 4),
    np.asfortranarray(np.arange(12.0).reshape(3, 4)),
    np.arange(24, dtype=np.int8)[::3],
    np.array(7.5),
    np.zeros((0, 3)),
    np.array([(1, 2.5)], dtype=[("a", np.int8), ("b", np.float64)]),
    np.arange(1 << 20, dtype=np.float32),
]


@pytest.mark.parametrize("array", ARRAYS, ids=lambda array: f"{array.dtype}{array.shape}")
def test_an_array_goes_to_the_gpu_and_comes_back(array):
    data = cuda.to_device(array)
    assert data.copy_to_host().tobytes() == array.tobytes()
    stream = cuda.stream()
    data = cuda.to_device(array, stream)
    found = data.copy_to_host(stream=stream)
    stream.synchronize()
    assert found.tobytes() == array.tobytes()


def test_views_are_those_of_numpy():
    array = np.arange(120.0).reshape(4, 5, 6)
    data = cuda.to_device(array)
    for key in (2, (1, 2, 3), slice(1, 3), (..., 2), (slice(None, None, -2), 1), (0, None)):
        assert np.array_equal(np.asarray(data[key]), array[key])
    data[1:3, ::2] = array[1:3, ::2] = -1
    assert np.array_equal(data.copy_to_host(), array)
    assert np.array_equal(data.T.copy_to_host(), array.T)


def test_arguments_of_all_kinds():
    record = np.zeros(1, [("a", np.float64), ("b", np.int32)])[0]

    @cuda.jit
    def mixed(out, flag, small, single, both, pair, r):
        out[0] = flag
        out[1] = small
        out[2] = single
        out[3] = both.real + both.imag
        out[4] = pair[0] + pair[1][0]
        r.a = r.b + 1.5

    out = np.zeros(5)
    record["b"] = 2
    mixed[1, 1](out, True, np.int8(-3), np.float32(0.5), 1 + 2j, (4, np.array([5.0])), record)
    assert out.tolist() == [1, -3, 0.5, 3, 9] and record["a"] == 3.5


def test_pinned_and_mapped_arrays():
    mapped, pinned = cuda.mapped_array(100), cuda.pinned_array(100)
    mapped[:], pinned[:] = 1, 2
    add[4, 32](1.0, mapped)
    cuda.synchronize()
    add[4, 32](1.0, pinned)
    assert (mapped == 2).all() and (pinned == 3).all()
    with cuda.pinned(host := np.zeros(1000)):
        cuda.to_device(host).copy_to_host(host)


def test_streams_run_side_by_side_and_events_tell_the_time():
    first, second = cuda.stream(), cuda.stream()
    start, end = cuda.event(), cuda.event()
    x, y = cuda.to_device(np.zeros(32)), cuda.to_device(np.zeros(32))
    spin[1, 32, first](x, 10)
    first.synchronize()
    start.record(first)
    spin[1, 32, first](x, 1_000_000)
    end.record(first)
    assert not end.query()
    spin[1, 32, second](y, 10)
    second.wait(end)
    second.synchronize()
    assert end.query() and start.elapsed_time(end) > 0.1
    told = threading.Event()
    first.add_callback(lambda *what: told.set())
    first.synchronize()
    assert told.wait(10)


def test_the_launches_of_other_threads_do_not_mix():
    failed = []

    def work(k):
        x = cuda.to_device(np.zeros(1000))
        stream = cuda.stream()
        for _ in range(200):
            add[8, 128, stream](float(k), x)
        found = x.copy_to_host(stream=stream)
        stream.synchronize()
        if not (found == 200.0 * k).all():
            failed.append(k)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []


def test_memory_is_given_back():
    gc.collect()
    before = cuda.current_context().get_memory_info().free
    for _ in range(10):
        cuda.device_array(1 << 26, np.uint8)
    assert before - cuda.current_context().get_memory_info().free < 1 << 26


def test_launches_that_cannot_be_are_refused(gpu):
    with pytest.raises(LaunchError, match="add cannot be launched"):
        add[1, gpu.MAX_THREADS_PER_BLOCK + 1](1.0, cuda.to_device(np.zeros(3)))
    with pytest.raises((CudaDriverError, LaunchError)):
        add[1, 32, 0, 2**30](1.0, cuda.to_device(np.zeros(3)))
    with pytest.raises(CudaDriverError, match="no memory left"):
        cuda.device_array(1 << 50, np.uint8)
    add[1, 32](1.0, cuda.to_device(np.zeros(3)))
    cuda.synchronize()


def test_an_exception_of_a_thread_is_raised_here():
    @cuda.jit
    def picky(x):
        i = cuda.grid(1)
        if x[i] < 0:
            raise ValueError("below zero", i)

    data = cuda.to_device(np.array([1.0, 2, -3, 4]))
    picky[2, 2](data)
    with pytest.raises(ValueError, match="below zero") as error:
        cuda.synchronize()
    assert error.value.args == ("below zero", 2)
    assert "block (1, 0, 0), thread (0, 0, 0)" in error.value.__notes__[0]
    cuda.synchronize()


def test_with_debug_an_index_out_of_bounds_is_raised_at_once():
    @cuda.jit(debug=True)
    def beyond(x):
        x[cuda.grid(1)] = 1

    with pytest.raises(IndexError):
        beyond[1, 32](cuda.to_device(np.zeros(5)))


def test_figures_and_occupancy(gpu):
    add[1, 32](1.0, np.zeros(3))
    signature = add.signatures[0]
    assert 0 < add.get_regs_per_thread(signature) <= 255
    assert add.occupancy(128, signature=signature).share > 0
    assert add.get_max_threads_per_block(signature) <= gpu.MAX_THREADS_PER_BLOCK
    add.forall(1000)(1.0, np.zeros(1000))


FAULT = """
import numpy as np
from cutaway import cuda
from cutaway.errors import LaunchError

@cuda.jit
def wild(x, far):
    x[far] = 1.0

wild[1, 1](cuda.to_device(np.zeros(4)), 1 << 40)
try:
    cuda.synchronize()
except LaunchError as error:
    print(error.kernel, error.result)
"""

PRINTING = """
from cutaway import cuda

@cuda.jit
def speaks(n):
    print("thread", cuda.threadIdx.x, n)

speaks[1, 2](1.5)
cuda.synchronize()
"""


def in_process(code):
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)


def test_a_wild_address_names_the_kernel():  # the context is lost: in a process of its own
    assert in_process(FAULT).stdout.split() == ["wild", "700"]


def test_a_kernel_prints():
    lines = in_process(PRINTING).stdout.splitlines()
    assert sorted(lines) == ["thread 0 1.5", "thread 1 1.5"]


def test_arrays_of_cupy_and_pytorch_are_taken():
    torch = pytest.importorskip("torch")
    x = torch.zeros(100, device="cuda")
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        x += 1
        add[4, 32](1.0, x)
        x += 1
    stream.synchronize()
    assert x.tolist() == [3.0] * 100


def test_a_capability_that_the_gpu_has_not_is_refused(gpu):
    major, _ = gpu.compute_capability
    kernel = cuda.jit(cc=(12, 1) if major < 12 else (7, 0))(lambda x: None)
    if major < 12:
        with pytest.raises(CudaError):
            kernel[1, 1](1.0)
    else:
        kernel[1, 1](1.0)  # the driver compiles its PTX
