"""Programs while the simulator is set, and where no GPU is."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from cutaway import config, cuda
from cutaway.cuda.driver import devices
from cutaway.errors import CudaError

pytestmark = pytest.mark.sampled(others=5, fast=30)


@cuda.jit
def saxpy(a, x, y):
    i = cuda.grid(1)
    if i < y.size:
        y[i] += a * x[i]


def program():
    """A program of a GPU's, from one end to the other."""
    assert cuda.is_available() and len(cuda.gpus) == 1
    stream, start, end = cuda.stream(), cuda.event(), cuda.event()
    start.record(stream)
    x, y = cuda.to_device(np.arange(8.0), stream), cuda.device_array(8, stream=stream)
    y[:] = 1
    saxpy[2, 4, stream](2.0, x, y)
    saxpy[2, 4, stream](1.0, x[:4], y[::2])
    end.record(stream)
    end.synchronize()
    assert end.query() and stream.query() and start.elapsed_time(end) >= 0
    stream.add_callback(lambda *told: None)
    stream.wait(end)
    host = np.zeros(3)
    saxpy.forall(3)(1.0, np.ones(3), host)
    pinned, mapped = cuda.pinned_array(3), cuda.mapped_array(3)
    pinned[:] = mapped[:] = 0
    saxpy[1, 4](1.0, cuda.In(np.ones(3)), mapped)
    with cuda.pinned(host), cuda.defer_cleanup():
        saxpy[1, 4](1.0, np.ones(3), host)
    cuda.synchronize()
    assert cuda.current_context().get_memory_info().free > 0
    record = cuda.to_device(np.zeros(1, [("a", np.int8)])[0])
    record.copy_to_host()
    cuda.select_device(0)
    cuda.close()
    return y.copy_to_host().tolist(), host.tolist(), mapped.tolist()


def test_a_whole_program_runs_on_the_host():
    with config.using(CUDA_SIMULATOR=True):
        y, host, mapped = program()
    assert y == [1, 3, 6, 7, 11, 11, 16, 15]
    assert host == [2, 2, 2] and mapped == [1, 1, 1]


def test_errors_are_those_of_a_gpu():
    with config.using(CUDA_SIMULATOR=True):
        with pytest.raises(CudaError):
            cuda.event().elapsed_time(cuda.event())
        with pytest.raises(CudaError, match="no GPU 1"):
            cuda.select_device(1)
        with pytest.raises(CudaError, match="at least one"):
            saxpy[0, 1]


def test_where_no_gpu_is_each_says_so(tmp_path):
    nowhere = tmp_path / "libcuda.so.1"
    with config.using(CUDA_DRIVER=str(nowhere), CUDA_SIMULATOR=False):
        devices.forget()
        assert not cuda.is_available() and not cuda.detect()
        assert devices.current_capability() is None
        for ask in (
            cuda.synchronize,
            cuda.stream,
            cuda.event,
            cuda.get_current_device,
            cuda.current_context,
            lambda: cuda.to_device(np.zeros(3)),
            lambda: cuda.device_array(0),
            lambda: cuda.pinned_array(3),
            lambda: saxpy[1, 1],
            lambda: saxpy.figures("void(float64, float64[:], float64[:])"),
            lambda: len(cuda.list_devices()),
        ):
            with pytest.raises(cuda.CudaSupportError, match="no GPU: .* was not found") as error:
                ask()
            assert "cuda.simulate" in error.value.hint
        cuda.close()
        nowhere.write_text("no library")
        with pytest.raises(CudaError, match="no GPU"):
            cuda.synchronize()


def test_a_driver_without_a_gpu_says_so(fake):
    devices.forget()
    fake.devices(0)
    with config.using(CUDA_DRIVER=fake.path):
        assert not cuda.is_available()
        with pytest.raises(CudaError, match="no GPU: no GPU can be seen"):
            cuda.stream()


def test_the_devices_tell_of_themselves(fake, capsys):
    assert cuda.detect()
    assert "1: Fake 1, compute capability 9.0, 16.0 GiB" in capsys.readouterr().out
    device = cuda.get_current_device()
    assert device.MAX_THREADS_PER_BLOCK == 1024 and "WARP_SIZE" in dir(device)
    assert device == cuda.gpus[0] != cuda.gpus[-1] and cuda.gpus.current == device
    assert cuda.to_device(np.zeros(3))[1:].alloc_size == 24
    assert repr(cuda.gpus) == "<2 GPUs>" and len(cuda.gpus.lst) == 2
    assert cuda.is_float16_supported() and cuda.is_bfloat16_supported()
    with pytest.raises(AttributeError):
        _ = device.NO_SUCH_THING
    with pytest.raises(IndexError):
        cuda.gpus[2]
    with pytest.raises(CudaError, match="there are 2 GPUs"):
        cuda.select_device(2)
    with pytest.raises(CudaError):
        cuda.select_device("first")
    assert cuda.select_device(cuda.gpus[1]).id == 1
    device.reset()
    cuda.current_context().reset()


def test_importing_it_loads_neither_driver_nor_compiler():
    code = (
        "import sys; from cutaway import cuda\n"
        "from cutaway.foundation.loading import has_run\n"
        "print([m for m in sys.modules if 'cutaway.cuda.driver.' in m and has_run(m)])\n"
        "cuda.jit(lambda: None); print(has_run('cutaway.compiling.compiler'))"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.split("\n")[:2] == ["[]", "False"]
