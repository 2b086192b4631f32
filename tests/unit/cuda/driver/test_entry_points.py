"""Every function of libcuda: it may fail, and then says so, and nothing is left behind."""

from __future__ import annotations

import gc

import numpy as np
import pytest

from cutaway import config, cuda
from cutaway.cuda.driver import devices
from cutaway.driver_c import _driver
from cutaway.errors import CudaDriverError, CudaError, LaunchError

pytestmark = pytest.mark.sampled(test=3, others=9)

# What is called to give something back, or to find words: nobody can be told that it failed.
SILENT = frozenset(
    """
    cuGetErrorName cuGetErrorString cuMemFree_v2 cuMemFreeHost cuMemHostUnregister cuModuleUnload
    cuStreamDestroy_v2 cuEventDestroy_v2 cuDevicePrimaryCtxRelease_v2
    """.split()
)


@cuda.jit
def raising(x):
    i = cuda.grid(1)
    if x[i] > 5:
        raise ValueError("large")
    x[i] += 1


def everything():
    """A program that calls each function."""
    assert len(list(cuda.list_devices())) == 2
    device = cuda.get_current_device()
    assert device.name and device.total_memory and device.WARP_SIZE == 32
    assert devices.get_version() == (12, 4)
    assert cuda.current_context().get_memory_info().free
    stream = cuda.stream()
    first, last = cuda.event(), cuda.event(timing=False)
    first.record(stream)
    with cuda.pinned(np.zeros(4)):
        pass
    cuda.pinned_array(4)[:] = 0
    mapped = cuda.mapped_array(4)
    mapped[:] = 0
    data = cuda.to_device(np.arange(4.0), stream)
    copy = cuda.to_device(data)
    assert copy.copy_to_host().tolist() == [0, 1, 2, 3]
    raising[1, 32, stream](data)
    raising[1, 32, 0, 64 * 1024](mapped)
    raising[1, 32](np.zeros(3))
    raising.forall(100)(copy)
    assert cuda.occupancy(raising, 128).blocks == 16
    assert raising.figures().registers
    last.record(stream)
    stream.wait(last)
    stream.add_callback(lambda *told: None)
    assert stream.query() and last.query()
    first.elapsed_time(first)
    last.synchronize()
    stream.synchronize()
    cuda.synchronize()


@pytest.mark.usefixtures("without_ptxas")
def test_a_program_calls_every_function(fake):
    fake.keep_trail(1)
    devices.forget()
    with config.using(CUDA_DRIVER=fake.path):
        everything()
        cuda.close()
    gc.collect()
    assert set(_driver.functions()) - set(fake.trail) <= SILENT - {
        "cuMemFree_v2",
        "cuDevicePrimaryCtxRelease_v2",
    } | {"cuMemsetD8Async"}


@pytest.mark.usefixtures("without_ptxas")
@pytest.mark.parametrize("function", sorted({*_driver.functions()} - SILENT))
def test_a_function_that_fails_is_named_and_nothing_is_left(fake, function):
    plain = function.removesuffix("_v2")
    for at in (1, 2):
        devices.forget()
        fake.fail(function, at, 999)
        try:
            everything()
        except CudaError as error:
            assert f"999 from {plain}" in str(error)
            assert isinstance(error, CudaDriverError | LaunchError) or plain == "cuInit"
            assert getattr(error, "result", 999) == 999
        else:
            assert at == 2 or function == "cuMemsetD8Async"  # it is called once, or by nobody here
        fake.fail_no_more()
        gc.collect()
        assert fake.fault() == b""
    everything()
