"""Arguments that are more than numbers: arrays of all kinds, records, tuples."""

from __future__ import annotations

import array
import ctypes
import struct
from collections import namedtuple

import numpy as np
import pytest

from cutaway import cuda
from cutaway.errors import CudaError, CutawayError

from .conftest import MEMORY
from .exchange import Tensor

pytestmark = pytest.mark.usefixtures("without_ptxas")


@cuda.jit
def fill(x):
    x[0] = 1


def words(fake):
    """The parameters of the last launch that have 8 bytes, as numbers."""
    return [struct.unpack("Q", packed)[0] for packed in fake.parameters if len(packed) == 8]


def plays_adding(fake, kind=ctypes.c_double):
    """Let a launch add one to the first element of the first parameter."""

    def play(name, parameters):
        (address,) = struct.unpack("Q", ctypes.string_at(parameters[0], 8))
        kind.from_address(address).value += 1

    fake.play(play)


def test_what_is_said_of_an_array_decides_what_is_copied(fake):
    plays_adding(fake)
    x = np.zeros(3)
    fake.keep_trail(1)
    for way, there, back in (
        (cuda.In, 1, 0),
        (cuda.Out, 0, 1),
        (cuda.InOut, 1, 1),
        (lambda a: a, 1, 1),
    ):
        fill[1, 1](x)  # compiled and loaded
        fake.keep_trail(1)
        fill[1, 1](way(x))
        trail = fake.trail
        assert trail.count("cuMemcpyHtoDAsync_v2") == there
        assert trail.count("cuMemcpyDtoHAsync_v2") == back
    fake.keep_trail(1)
    readonly = np.zeros(3)
    readonly.flags.writeable = False
    cuda.jit(lambda x: None)[1, 1](readonly)
    assert fake.trail.count("cuMemcpyDtoHAsync_v2") == 0
    assert repr(cuda.In(1)) == "cuda.In(1)" and fake.live(MEMORY) == 0


def test_one_array_given_twice_is_one_on_the_gpu(fake):
    two = cuda.jit(lambda a, b: None)
    x = np.zeros(3)
    two[1, 1](x, x)
    first, *_ = words(fake)
    assert words(fake)[3] == first


def test_arrays_in_tuples_and_named_tuples(fake):
    plays_adding(fake)
    pair = namedtuple("pair", "values count")
    x = np.zeros(3)
    kernel = cuda.jit(lambda p: None)
    kernel[1, 1](pair(x, 2))
    kernel[1, 1]((x, (x, 1)))
    assert x[0] == 2
    data = cuda.to_device(x)
    kernel[1, 1](pair(data, 2))
    assert words(fake)[0] == data.address
    assert data[0] == 3


def test_buffers_are_arrays(fake):
    plays_adding(fake, ctypes.c_uint8)
    kernel = cuda.jit(lambda x: None)
    for buffer in (bytearray(b"abc"), memoryview(bytearray(b"abc")), array.array("B", b"abc")):
        kernel[1, 1](buffer)
        assert bytes(buffer) == b"bbc"


RECORD = np.dtype([("a", np.float64), ("b", np.int32)], align=True)


def test_records_go_there_and_back(fake):
    plays_adding(fake)
    kernel = cuda.jit(lambda r: None)
    records = np.zeros(2, RECORD)
    kernel[1, 1](records[1])
    assert records["a"].tolist() == [0, 1]
    kernel[1, 1](records)
    assert records["a"].tolist() == [1, 1]
    data = cuda.to_device(records[0])
    kernel[1, 1](data)
    assert data.copy_to_host()["a"] == 2 and words(fake) == [data.address]


def test_mapped_arrays_are_not_copied(fake):
    plays_adding(fake)
    mapped = cuda.mapped_array(3)
    mapped[:] = 0
    fill[1, 1](mapped)
    fake.keep_trail(1)
    fill[1, 1](mapped[1:])
    assert mapped.tolist() == [1, 1, 0]
    assert not [name for name in fake.trail if "Memcpy" in name]
    pinned = cuda.pinned_array(3)
    pinned[:] = 0
    fill[1, 1](pinned)
    assert pinned[0] == 1


class Interface:
    """An array of a library that has the interface of arrays alone."""

    def __init__(self, data, stream=None):
        self.__cuda_array_interface__ = {**data.__cuda_array_interface__, "stream": stream}


Interface.__cuda_array_interface__ = None  # the class is known by it


def test_arrays_with_the_interface_are_passed_as_they_are(fake):
    data = cuda.to_device(np.arange(6.0).reshape(2, 3))
    kernel = cuda.jit(lambda x: None)
    kernel[1, 1](Interface(data))
    assert words(fake) == [data.address, 2, 3, 24, 8]
    kernel[1, 1](Interface(data.T))
    assert words(fake) == [data.address, 3, 2, 8, 24]
    stream = cuda.stream()
    fake.keep_trail(1)
    kernel[1, 1](Interface(data, stream.handle))
    assert "cuStreamSynchronize" in fake.trail


def test_tensors_are_passed_by_the_exchange_of_c(fake):
    data = cuda.to_device(np.arange(6, dtype=np.float32).reshape(2, 3))
    kernel = cuda.jit(lambda x: None)
    kernel[1, 1](Tensor(data.address, (2, 3), None, (2, 32)))
    assert words(fake) == [data.address, 2, 3, 12, 4]
    kernel[1, 1](Tensor(data.address, (3, 2), (1, 3), (2, 32)))
    assert words(fake) == [data.address, 3, 2, 4, 12]
    assert len(kernel.signatures) == 2
    kernel[1, 1](Tensor(data.address, (3,), None, (4, 16)))  # bfloat16
    assert str(kernel.signatures[-1][0]) == "array(uint16, 1d, C)"


def test_a_launch_follows_the_stream_of_a_library_unless_it_names_one(fake):
    data, stream = cuda.to_device(np.arange(6.0)), cuda.stream()
    tensor = Tensor(data.address, (6,), None, (2, 64), stream=stream.handle)
    fill[1, 1](tensor)
    assert fake.last_stream() == stream.handle
    fill[1, 1, cuda.default_stream()](tensor)
    assert fake.last_stream() == 0
    fill[1, 1](1.0 and data)
    assert fake.last_stream() == 0


def test_tensors_of_the_host_are_copied(fake):
    plays_adding(fake)
    x = np.zeros(3)
    fill[1, 1](Tensor(x.ctypes.data, (3,), None, (2, 64), device=1, host=x))
    assert x[0] == 1


def test_tensors_that_no_kernel_takes_are_refused(fake):
    for tensor, words_ in (
        (Tensor(256, (3,), None, (10, 8)), "of this type"),  # a float of 8 bits
        (Tensor(256, (3,), None, (2, 64), device=8), "not in the memory of a GPU"),
        (Tensor(256, (3,), None, (2, 64), fails=True), "does not hand out"),
    ):
        with pytest.raises(TypeError, match=words_):
            fill[1, 1](tensor)


@pytest.mark.parametrize(
    "value", ["text", b"bytes", [1, 2], {1: 2}, object()], ids=lambda v: type(v).__name__
)
def test_what_a_gpu_cannot_read_is_refused(fake, value):
    with pytest.raises(CutawayError, match="argument"):
        cuda.jit(lambda x: None)[1, 1](value)
    with pytest.raises(CutawayError, match="argument"):
        cuda.jit(lambda x: None)[1, 1]((1, (value,)))
    with pytest.raises(CudaError, match="objects"):
        fill[1, 1](np.array([value, None], object))


def test_an_error_of_the_user_is_raised_by_the_launch(fake):
    with pytest.raises(TypeError, match="argument"):
        fill[1, 1]()
    with pytest.raises(TypeError, match="unexpected keyword"):
        fill[1, 1](y=1)
    fill[1, 1](x=np.zeros(3))

    @cuda.jit
    def defaults(x, n=3):
        x[0] = n

    defaults[1, 1](np.zeros(3))
    assert len(fake.parameters) == 3
    defaults[1, 1](np.zeros(3), n=5)
    assert struct.unpack("q", fake.parameters[3]) == (5,)
