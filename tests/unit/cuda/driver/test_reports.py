"""Exceptions that threads raise: the host hears of them when it next looks."""

from __future__ import annotations

import ctypes
import struct
import traceback

import numpy as np
import pytest

from cutaway import cuda
from cutaway.driver_c import _driver
from cutaway.errors import LaunchError
from cutaway.targets.ptx.exceptions import number_of

pytestmark = [pytest.mark.sampled(others=4, fast=8), pytest.mark.usefixtures("without_ptxas")]


def kernel(debug=False):
    @cuda.jit(debug=debug)
    def checked(x, limit):
        i = cuda.grid(1)
        if x[i] > limit:
            raise ValueError("beyond the limit", i)

    return checked


def site_of(one, exception):
    """The number of the place that raises, in the only signature of a kernel."""
    (unit,) = one.half.units.values()
    sites = [site for m in unit.callee.closure() for site in m.table.sites]
    return next(number_of(site) for site in sites if site.exception is exception)


def raises(fake, one, exception, place, payload=(0, 0, 0, 0)):
    """Let the next launch be one whose thread raises: it fills in the record."""

    def play(name, parameters):
        address = ctypes.c_int64.from_address(module_global(fake)).value
        words = struct.pack("8I", 1, site_of(one, exception), *place) + struct.pack("4q", *payload)
        ctypes.memmove(address, words, len(words))

    fake.play(play)


def module_global(fake):
    return fake.library.fake_global()


def test_it_is_raised_where_the_host_waits(fake):
    one = kernel()
    data = cuda.to_device(np.arange(4.0))
    one[2, 32](data, 1.0)
    raises(fake, one, ValueError, (1, 0, 0, 7, 0, 0), (39, 0, 0, 0))
    for wait in (
        cuda.synchronize,
        data.copy_to_host,
        cuda.default_stream().synchronize,
        lambda: data[2],
    ):
        one[2, 32](data, 1.0)
        with pytest.raises(ValueError, match="beyond the limit") as error:
            wait()
        assert error.value.args == ("beyond the limit", 39)
        (note,) = error.value.__notes__
        assert note == "in block (1, 0, 0), thread (7, 0, 0) of kernel checked"
        wait()  # it is raised once
    assert "in checked" in "".join(traceback.format_exception(error.value))


def test_the_next_launch_of_the_kernel_raises_it(fake):
    one = kernel()
    data = cuda.to_device(np.arange(4.0))
    one[1, 1](data, 1.0)
    raises(fake, one, ValueError, (0,) * 6)
    one[1, 1](data, 1.0)
    before = fake.launches()
    with pytest.raises(ValueError):
        one[1, 1](data, 1.0)
    assert fake.launches() == before


def test_arrays_of_the_host_are_copied_back_and_then_it_is_raised(fake):
    one = kernel()
    x = np.arange(4.0)
    one[1, 1](x, 9.0)
    raises(fake, one, ValueError, (0,) * 6)
    with pytest.raises(ValueError):
        one[1, 1](x, 1.0)


def test_with_debug_the_launch_raises_it(fake):
    one = kernel(debug=True)
    data = cuda.to_device(np.arange(4.0))
    one[1, 1](data, 1.0)
    raises(fake, one, IndexError, (3, 2, 1, 6, 5, 4), (9, 0, 4, 0))
    with pytest.raises(IndexError) as error:
        one[1, 1](data, 1.0)
    assert "block (3, 2, 1), thread (6, 5, 4)" in error.value.__notes__[0]


def test_a_fault_of_the_gpu_names_the_kernel_that_was_launched(fake):
    one = kernel()
    data = cuda.to_device(np.arange(4.0))
    one[1, 1](data, 1.0)
    for result, words in (
        (700, "outside of all memory"),
        (702, "longer"),
        (719, "a kernel failed"),
    ):
        fake.fail("cuCtxSynchronize", result=result)
        with pytest.raises(LaunchError, match=words) as error:
            cuda.synchronize()
        assert error.value.kernel == "checked" and error.value.result == result


def test_a_kernel_that_cannot_raise_has_no_record(fake):
    plain = cuda.jit(lambda x: None)
    plain[1, 1](1.0)
    assert fake.live(2) == 0


def test_what_the_compiler_of_the_driver_says_is_told(fake):
    cuda.synchronize()
    with pytest.raises(cuda.CudaDriverError, match="line 1; syntax error"):
        _driver.load_module(b"garbage\0", 3, 0, False)
    fake.fail("cuModuleLoadDataEx", result=218)
    with pytest.raises(cuda.CudaDriverError, match="refuses the PTX"):
        kernel()[1, 1](np.arange(4.0), 1.0)
