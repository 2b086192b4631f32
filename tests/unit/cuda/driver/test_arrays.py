"""Arrays and records on a GPU, beside NumPy's."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from cutaway import cuda
from cutaway.errors import CudaError

from .conftest import MEMORY

pytestmark = pytest.mark.sampled(fast=4)


@pytest.mark.parametrize(
    "array",
    [
        np.arange(12.0).reshape(3, 4),
        np.asfortranarray(np.arange(12.0).reshape(3, 4)),
        np.arange(24, dtype=np.int8)[::3],
        np.arange(24).reshape(4, 6)[::-1, 1::2],
        np.array(7.5),
        np.zeros((0, 3)),
        np.array([True, False]),
        np.array(["ab", "c"]),
        np.array([(1, 2.5)], dtype=[("a", np.int8), ("b", np.float64)]),
        np.array(["2024-01-01"], dtype="M8[D]"),
        np.arange(3, dtype=np.complex64),
        np.arange(3, dtype=np.float16),
    ],
    ids=lambda array: f"{array.dtype}{array.shape}",
)
def test_an_array_goes_to_the_gpu_and_comes_back(fake, array):
    data = cuda.to_device(array)
    found = data.copy_to_host()
    assert found.dtype == array.dtype and found.shape == array.shape
    assert found.tolist() == array.tolist()
    assert (data.shape, data.dtype, data.ndim, data.size) == (
        array.shape,
        array.dtype,
        array.ndim,
        array.size,
    )
    into = np.zeros(array.shape, array.dtype)
    assert data.copy_to_host(into) is into and into.tolist() == array.tolist()
    assert np.asarray(data).tolist() == array.tolist()


KEYS = [
    2,
    -1,
    (1, 2),
    slice(1, 3),
    slice(None, None, -1),
    (slice(None), 1),
    (..., 2),
    (None, 1),
    (slice(3, 1), slice(None)),
    (),
    (np.int64(2), slice(0, 4, 3)),
    (1, ...),
]


@pytest.mark.parametrize("key", KEYS, ids=repr)
@pytest.mark.parametrize("order", ["C", "F"])
def test_an_index_gives_what_it_gives_in_numpy(fake, key, order):
    array = np.arange(20.0).reshape(4, 5).copy(order)
    data = cuda.to_device(array)
    found, wanted = data[key], array[key]
    if isinstance(wanted, np.ndarray):
        assert (found.shape, found.strides) == (wanted.shape, wanted.strides)
        found = found.copy_to_host()
    assert np.array_equal(found, wanted)
    data[key] = array[key] = -1
    assert np.array_equal(data.copy_to_host(), array)


@pytest.mark.parametrize("key", [5, (0, 5), (0, 0, 0), [1, 2], True, 1.5, (..., ...), "a"])
def test_an_index_that_is_none_is_refused(fake, key):
    with pytest.raises(IndexError):
        cuda.to_device(np.zeros((4, 5)))[key]


def test_views_share_memory(fake):
    array = np.arange(24.0)
    data = cuda.to_device(array)
    shaped = data.reshape(2, 3, 4)
    assert np.array_equal(shaped.copy_to_host(), array.reshape(2, 3, 4))
    assert np.array_equal(data.reshape((4, -1)).copy_to_host(), array.reshape(4, -1))
    assert np.array_equal(shaped.T.copy_to_host(), array.reshape(2, 3, 4).T)
    assert np.array_equal(
        shaped.transpose((1, 0, 2)).copy_to_host(), array.reshape(2, 3, 4).transpose(1, 0, 2)
    )
    assert np.array_equal(shaped.T.ravel("F").copy_to_host(), array)
    assert np.array_equal(shaped.T.ravel().copy_to_host(), array.reshape(2, 3, 4).T.ravel())
    assert np.array_equal(data.view(np.int64).copy_to_host(), array.view(np.int64))
    assert data.reshape(1, 24, 1).squeeze().shape == (24,)
    assert [len(part) for part in data.split(10)] == [10, 10, 4]
    assert len(shaped) == 2 and shaped.is_c_contiguous() and not shaped.is_f_contiguous()
    shaped[1, 2, 3] = 5
    assert data[23] == 5 and fake.live(MEMORY) == 1
    for refused in (
        lambda: shaped.T.reshape(-1),
        lambda: data[::2].view(np.int8),
        lambda: bool(data),
    ):
        with pytest.raises(CudaError):
            refused()
    for refused in (
        lambda: data.reshape(5, 5),
        lambda: data.reshape(-1, -1),
        lambda: data.reshape(-1, 7),
    ):
        with pytest.raises(ValueError):
            refused()


def test_copies_to_the_gpu_fit_or_are_refused(fake):
    data = cuda.device_array((3, 4), np.float32)
    source = np.arange(12, dtype=np.float32).reshape(3, 4)
    for given in (source, np.asfortranarray(source), source.tolist, cuda.to_device(source)):
        if callable(given):
            continue
        data.copy_to_device(given)
        assert np.array_equal(data.copy_to_host(), source)
    data[1:, ::2].copy_to_device(np.zeros((2, 2), np.float32))
    source[1:, ::2] = 0
    assert np.array_equal(data.copy_to_host(), source)
    data.T.copy_to_device(cuda.to_device(source.T.copy()))
    assert np.array_equal(data.copy_to_host(), source)
    for wrong in (np.zeros((4, 3), np.float32), np.zeros((3, 4))):
        with pytest.raises(ValueError):
            data.copy_to_device(wrong)
        with pytest.raises(ValueError):
            data.copy_to_host(wrong)
    with pytest.raises(CudaError, match="no memory left"):
        cuda.device_array(2**62)
    with pytest.raises(CudaError, match="objects"):
        cuda.to_device(np.array([object()]))


def test_arrays_like_others(fake):
    like = cuda.device_array_like(np.zeros((2, 3), np.int8, order="F"))
    assert like.strides == (1, 2) and like.dtype == np.int8
    assert cuda.device_array_like(like).strides == (1, 2)
    assert cuda.device_array(3).dtype == np.float64
    assert cuda.device_array((2, 2), order="F").strides == (8, 16)
    assert cuda.to_device(like, copy=False) is like
    assert cuda.to_device(like) is not like
    into = cuda.device_array(3)
    assert cuda.to_device(np.arange(3.0), to=into) is into and into[2] == 2


def test_pinned_and_mapped_arrays_are_arrays(fake):
    pinned, mapped = cuda.pinned_array((2, 3), np.int32), cuda.mapped_array(4, np.float32)
    assert isinstance(pinned, np.ndarray) and pinned.shape == (2, 3)
    mapped[:] = range(4)
    assert mapped[1:].device_address == mapped.device_address + 4
    assert cuda.pinned_array_like(np.zeros((2, 2), order="F")).flags.f_contiguous
    assert cuda.mapped_array_like(np.zeros(3)).shape == (3,)
    assert cuda.pinned_array(0).shape == (0,)
    assert pickle.loads(pickle.dumps(mapped.tolist())) == [0, 1, 2, 3]


RECORD = np.dtype([("a", np.int32), ("b", np.float64), ("c", np.int8, 3)], align=True)


def test_a_record_goes_to_the_gpu_and_comes_back(fake):
    record = np.zeros(1, RECORD)[0]
    record["a"], record["b"] = 5, 2.5
    data = cuda.to_device(record)
    assert data.dtype == RECORD and data.copy_to_host()["b"] == 2.5
    into = np.zeros((), RECORD)
    data.copy_to_host(into)
    assert into["a"] == 5


def test_the_interfaces_of_other_libraries(fake):
    data = cuda.to_device(np.arange(12, dtype=np.int16).reshape(3, 4))
    interface = data.__cuda_array_interface__
    assert interface["data"] == (data.address, False) and interface["typestr"] == "<i2"
    assert interface["strides"] is None and data.T.__cuda_array_interface__["strides"] == (2, 8)
    assert cuda.is_cuda_array(data) and not cuda.is_cuda_array(np.zeros(3))
    shared = cuda.as_cuda_array(data)
    assert shared.address == data.address and shared.copy_to_host()[2, 3] == 11
    with pytest.raises(TypeError):
        cuda.as_cuda_array([1])


def test_dlpack_there_and_back(fake):
    for array in (
        np.arange(12, dtype=np.int16).reshape(3, 4),
        np.arange(6.0)[::2],
        np.array([True]),
        np.arange(3, dtype=np.complex128),
        np.zeros((0, 2)),
        np.array(3, np.float16),
    ):
        data = cuda.to_device(array)

        class Other:
            """An array of a library that has DLPack alone."""

            def __dlpack__(self, **options):
                return data.__dlpack__(**options)

            def __dlpack_device__(self):
                return data.__dlpack_device__()

        found = cuda.as_cuda_array(Other())
        assert found.copy_to_host().tolist() == array.tolist() and found.dtype == array.dtype
        data.__dlpack__()  # a capsule that nobody takes
        data.__dlpack__(max_version=(1, 0))
    with pytest.raises(BufferError):
        cuda.to_device(np.array(["2024"], "M8[Y]")).__dlpack__()
    with pytest.raises(BufferError):
        data.__dlpack__(copy=True)
