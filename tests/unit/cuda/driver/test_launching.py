"""`kernel[blocks, threads](...)`: what the driver is told."""

from __future__ import annotations

import ctypes
import struct
from collections import namedtuple
from enum import IntEnum

import numpy as np
import pytest

from cutaway import cuda
from cutaway.errors import CudaError, LaunchError

pytestmark = pytest.mark.usefixtures("without_ptxas")


@cuda.jit
def add(a, x):
    i = cuda.grid(1)
    if i < x.size:
        x[i] += a


@cuda.jit
def nothing():
    pass


def test_a_launch_tells_grid_block_stream_and_shared_memory(fake):
    stream = cuda.stream()
    nothing[(2, 3), (4, 5, 6), stream, 128]()
    assert fake.name == "nothing"
    assert fake.shape == ((2, 3, 1), (4, 5, 6), 128, 0)
    assert fake.last_stream() == stream.handle
    nothing[7, 8]()
    assert fake.shape == ((7, 1, 1), (8, 1, 1), 0, 0)
    assert fake.last_stream() == 0 and fake.launches() == 2


def test_a_configured_kernel_is_made_once(fake):
    assert nothing[1, 2] is nothing[1, 2]
    assert nothing[1, 2] is not nothing[1, 3]
    assert nothing.configure(1, 2) is nothing[1, 2, 0, 0]
    assert nothing[[1], [2]] is not nothing[[1], [2]]  # a list cannot be a key
    nothing[[1], [2]]()
    assert fake.launches() == 1


def test_an_array_of_the_gpu_is_passed_by_its_address_sizes_and_strides(fake):
    data = cuda.to_device(np.arange(12.0).reshape(3, 4))
    add_2d = cuda.jit(lambda a, x: None)
    add_2d[1, 1](2.5, data)
    assert fake.parameters == [
        struct.pack("d", 2.5),
        *(struct.pack("Q", word) for word in (data.address, 3, 4, 32, 8)),
    ]


def test_an_array_of_the_host_goes_there_and_back(fake):
    def play(name, parameters):
        a = struct.unpack("d", read(parameters[0], 8))[0]
        address, size, _ = (struct.unpack("Q", read(p, 8))[0] for p in parameters[1:])
        array = np.ctypeslib.as_array(pointer(address), (size,))
        array += a

    fake.play(play)
    x = np.arange(5.0)
    add[1, 32](2.0, x)
    assert x.tolist() == [2.0, 3.0, 4.0, 5.0, 6.0]
    assert fake.live(1) == 0
    other = np.arange(10.0)
    add[1, 32](1.0, other[::2])
    assert other.tolist() == [1.0, 1.0, 3.0, 3.0, 5.0, 5.0, 7.0, 7.0, 9.0, 9.0]
    add[1, 32](1.0, cuda.In(x))
    assert x[0] == 2.0


def read(address, count):
    return ctypes.string_at(address, count)


def pointer(address):
    return ctypes.cast(address, ctypes.POINTER(ctypes.c_double))


Pair = namedtuple("Pair", "left right")


class Color(IntEnum):
    BLUE = 7
    RED = 3


@pytest.mark.parametrize(
    ("value", "packed"),
    [
        (True, struct.pack("?", True)),
        (-3, struct.pack("q", -3)),
        (2.5, struct.pack("d", 2.5)),
        (1 + 2j, struct.pack("dd", 1, 2)),
        (np.int8(-5), struct.pack("b", -5)),
        (np.uint16(60000), struct.pack("H", 60000)),
        (np.int32(-7), struct.pack("i", -7)),
        (np.uint64(2**63 + 1), struct.pack("Q", 2**63 + 1)),
        (np.float32(1.5), struct.pack("f", 1.5)),
        (np.complex64(1 + 2j), struct.pack("ff", 1, 2)),
        (None, b""),
        ((1, 2.5), struct.pack("qd", 1, 2.5)),
        ((True, (np.int8(2), ())), struct.pack("?", True) + struct.pack("b", 2)),
        (Pair(1, Pair(2.0, False)), struct.pack("qd", 1, 2.0) + b"\0"),
        (Color.RED, struct.pack("q", 1)),  # its place among the members
        (np.datetime64(5, "s"), struct.pack("q", 5)),
        (range(2, 9, 3), struct.pack("qqq", 2, 9, 3)),
    ],
    ids=repr,
)
def test_each_kind_of_value_is_passed_as_the_ptx_declares_it(fake, value, packed):
    kernel = cuda.jit(lambda first, x, last: None)
    kernel[1, 1](np.int8(1), value, np.int8(2))
    assert b"".join(fake.parameters) == b"\1" + packed + b"\2"


def test_what_is_no_grid_is_refused(fake):
    for index in (1, (1,), (1, 2, 0, 0, 0)):
        with pytest.raises(CudaError, match="takes blocks and threads"):
            nothing[index]
    for index in ((0, 1), (1, 0), ((1, 2, 3, 4), 1), (1.5, 1), (-1, 1)):
        with pytest.raises(CudaError):
            nothing[index]
    with pytest.raises(CudaError, match="is not a stream"):
        nothing[1, 1, "stream"]
    with pytest.raises(CudaError, match="no number of bytes"):
        nothing[1, 1, 0, "many"]


def test_a_launch_that_the_driver_refuses_names_the_kernel(fake):
    with pytest.raises(LaunchError, match="nothing cannot be launched") as error:
        nothing[1, 2000]()
    assert error.value.kernel == "nothing" and error.value.result == 1
    fake.fail("cuLaunchKernel", result=701)
    with pytest.raises(LaunchError, match="more than a multiprocessor has"):
        nothing[1, 1]()


def test_a_closed_kernel_converts_its_arguments(fake):
    kernel = cuda.jit("void(float64, int32)")(lambda a, b: None)
    kernel[1, 1](1, True)
    assert fake.parameters == [struct.pack("d", 1.0), struct.pack("i", 1)]
    with pytest.raises(TypeError):
        kernel[1, 1]("text", 1)


def test_what_a_kernel_takes_of_the_gpu(fake):
    kernel = cuda.jit(lambda x: None)
    with pytest.raises(CudaError, match="0 signatures"):
        kernel.figures()
    kernel[1, 1](1.0)
    signature = kernel.signatures[0]
    figures = kernel.figures()
    assert (figures.registers, figures.shared_bytes, figures.max_threads) == (104, 101, 100)
    assert kernel.get_regs_per_thread(signature) == 104
    assert kernel.get_regs_per_thread("void(float64)") == 104
    assert kernel.get_local_mem_per_thread() == {signature: 103}
    assert kernel.get_const_mem_size() == {signature: 102}
    assert kernel.get_shared_mem_per_block() == {signature: 101}
    assert kernel.get_max_threads_per_block() == {signature: 100}
    assert kernel.max_blocks_per_sm(256) == 8
    assert kernel.occupancy(96) == cuda.occupancy(kernel, 96)
    assert kernel.occupancy(96).share == 21 * 3 / 64
    kernel[1, 1](1)
    with pytest.raises(CudaError, match="2 signatures"):
        kernel.figures()


def test_forall_chooses_the_block(fake):
    kernel = cuda.jit(lambda x: None)
    kernel.forall(1000)(np.zeros(3))
    assert fake.shape[:2] == ((4, 1, 1), (256, 1, 1))
    kernel.forall(1000, tpb=100)(cuda.to_device(np.zeros(3)))
    assert fake.shape[:2] == ((10, 1, 1), (100, 1, 1))
    kernel.forall(0)(1)
    assert fake.launches() == 2
    with pytest.raises(CudaError):
        kernel.forall(-1)


def test_many_configurations_and_many_parameters(fake):
    kernel = cuda.jit(lambda *args: None)
    for k in range(300):
        kernel[1, 1 + k](k)
    assert len(kernel.configured) <= 128
    kernel[1, 1](*range(100))
    assert fake.parameters == [struct.pack("q", k) for k in range(100)]
    arrays = [cuda.to_device(np.arange(3.0)) for _ in range(40)]
    kernel[1, 1](*arrays)
    assert len(fake.parameters) == 120


def test_device_functions_are_not_launched(fake):
    with pytest.raises(CudaError, match="is a device function"):
        cuda.jit(lambda x: x, device=True)[1, 1]


def test_more_shared_memory_than_usual_is_asked_for(fake):
    nothing[1, 1, 0, 90 * 1024]()
    fake.keep_trail(1)
    nothing[1, 1, 0, 80 * 1024]()
    assert "cuFuncSetAttribute" not in fake.trail
    with pytest.raises(LaunchError, match="nothing cannot be launched: it asks for more shared"):
        nothing[1, 1, 0, 200 * 1024]()
