"""What the driver is told where functions that `vectorize` makes, and reductions, are called."""

from __future__ import annotations

import ctypes
import struct

import numpy as np
import pytest

from cutaway import cuda, guvectorize, vectorize

from .conftest import MEMORY

pytestmark = pytest.mark.usefixtures("without_ptxas")


@vectorize(["float64(float64, float64)", "float16(float16, float16)"], target="cuda")
def add(a, b):
    return a + b


@guvectorize(["void(float64[:], float64[:])"], "(n)->()", target="cuda")
def first(x, out):
    out[0] = x[0]


def words(*numbers):
    return [struct.pack("q", one) for one in numbers]


def test_a_number_is_a_parameter_and_an_array_its_view(fake):
    x = cuda.to_device(np.zeros((3, 400))[:, ::2])
    found = add(x, 2.5)
    assert fake.name == "add_kernel" and fake.shape == ((3, 1, 1), (256, 1, 1), 0, 0)
    assert fake.parameters == [
        *words(x.address, 600, 8),
        struct.pack("d", 2.5),
        *words(found.address, 600, 8),
    ]


def test_half_numbers_go_as_two_bytes(fake):
    add(cuda.to_device(np.zeros(2, "f2")), np.float16(1))
    assert fake.parameters[3] == np.float16(1).tobytes()


def test_all_of_a_call_goes_to_its_stream(fake):
    stream = cuda.stream()
    add(cuda.to_device(np.zeros(4)), np.zeros(4), stream=stream)
    assert fake.last_stream() == stream.handle
    first(np.zeros((5, 3)), stream=stream)
    assert fake.last_stream() == stream.handle and fake.shape[1] == (32, 1, 1)
    cuda.reduce(lambda a, b: a + b)(np.zeros(5000), stream=stream)
    assert fake.last_stream() == stream.handle and fake.shape == ((1, 1, 1), (256, 1, 1), 0, 0)


def test_results_of_host_arrays_are_copied_back(fake):
    def play(name, at):
        count = ctypes.c_int64.from_address(at[-2]).value
        address = ctypes.c_int64.from_address(at[-3]).value
        (ctypes.c_double * count).from_address(address)[:] = [2.0] * count

    fake.play(play)
    host = np.full(4, 7.0)
    assert add(np.zeros(4), 1.0, out=host) is host
    assert host.tolist() == [2, 2, 2, 2]
    assert fake.launches() == 1


def test_temporary_arrays_are_given_back(fake):
    total = cuda.reduce(lambda a, b: a + b)
    x = cuda.to_device(np.zeros(5000))
    before = fake.live(MEMORY)
    total(x)
    first(x.reshape(50, 100))
    add(x[1:], x[:-1], out=x[1:])
    assert fake.live(MEMORY) == before
