"""`cuda.reduce`, and the method `reduce` of functions of elements."""

from __future__ import annotations

import operator

import numpy as np
import pytest

from cutaway import cuda, vectorize
from cutaway.cuda.ufuncs import trees
from cutaway.errors import OptionError, TypingError

pytestmark = pytest.mark.sampled(others=4)

total = cuda.reduce(lambda a, b: a + b)


@vectorize(["int32(int32,int32)", "float64(float64,float64)"], target="cuda", identity=0)
def add(a, b):
    return a + b


@vectorize(target="cuda")
def largest(a, b):
    return a if a > b else b


CUBE = np.arange(60.0).reshape(3, 4, 5)


@pytest.mark.parametrize("count", [1, 2, 31, 32, 33, 64, 255, 256, 257, 2048, 2049, 2300])
def test_every_number_of_elements_is_combined(count):
    x = np.arange(1, count + 1)
    assert total(x) == x.sum() and total(x, init=7) == x.sum() + 7


@pytest.mark.parametrize(
    "dtype", ["?", "i1", "u1", "i2", "u4", "i8", "u8", "f4", "f8", "c8", "c16"]
)
def test_elements_of_every_dtype_are_combined(dtype):
    x = np.arange(300).astype(dtype)
    found = total(x)
    assert found.dtype == x.dtype
    assert found == np.add.reduce(x, dtype=dtype)


def test_half_floats_are_combined():
    x = np.ones(300, "f2")
    assert total(x) == 300 and total(x).dtype == np.float16


def test_numbers_of_blocks_depend_on_numbers_of_elements_alone():
    assert [trees.blocks_for(n) for n in (1, 2048, 2049, 2**30)] == [1, 1, 2, 1024]
    x = np.random.default_rng(3).random(3000).astype("f4")
    assert total(x) == total(x) == total(cuda.to_device(x))


def test_arguments_say_what_is_combined_and_where_it_goes():
    x = np.arange(10.0)
    assert total(x, size=4) == 6 and total(x[::3]) == 18 and total(x.astype(">f8")) == 45
    assert total(x, stream=cuda.stream()) == 45
    assert total(x[:0]) == 0 and total(x[:0], init=4) == 4 and total(x, size=0, init=3) == 3
    host = np.zeros(2, "f4")
    assert total(x, res=host) is None and host.tolist() == [45, 0]
    assert total(x[:0], res=host, init=2) is None and host.tolist() == [2, 0]
    for dtype in ("f8", "i4"):
        on_gpu = cuda.to_device(np.zeros(2, dtype))
        assert total(cuda.to_device(x), res=on_gpu) is None
        assert on_gpu.copy_to_host().tolist() == [45, 0]
        assert total(cuda.to_device(x), size=0, res=on_gpu, init=2) is None
        assert on_gpu.copy_to_host().tolist() == [2, 0]


def test_functions_of_any_kind_combine():
    x = np.array([3, -5, 7, 2])

    @cuda.jit(device=True)
    def smaller(a, b):
        return a if a < b else b

    assert cuda.Reduce(max)(-x) == 5 and cuda.Reduce(smaller)(x) == -5
    assert cuda.reduce(operator.mul)(x) == -210
    assert cuda.reduce(lambda a, b: (a + b) / 1.0)(x).dtype == x.dtype
    assert repr(cuda.reduce(max)) == "<reduction by max>"


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: total(np.zeros((2, 2))), TypeError, "1 dimension, and this one has 2: pass a.rav"),
        (lambda: total(1.0), TypeError, "1 dimension, and this one has 0"),
        (lambda: total(np.zeros(2), size=3), ValueError, "size 3 is not within the 2 elements"),
        (lambda: total(np.array(["a"])), TypeError, "cannot combine elements of <U1"),
        (lambda: total(np.zeros(2, "i4,i4")), TypeError, "cannot combine elements of"),
        (lambda: total(np.zeros(3), res=3), TypeError, "res must be an array"),
        (lambda: total(np.zeros(3), res=np.zeros(0)), ValueError, r"to res\[0\]"),
        (lambda: cuda.reduce(3), OptionError, "a function of two elements, not 3"),
        (lambda: cuda.reduce(lambda a: a), OptionError, "<lambda> has 1 parameter"),
        (lambda: cuda.reduce(lambda a, b: "a")(np.zeros(3)), TypingError, "str|unicode"),
    ],
)
def test_what_does_not_fit_is_told(call, error, words):
    with pytest.raises(error, match=words):
        call()


# --- the method of functions of elements --------------------------------------------------------


@pytest.mark.parametrize("axis", [0, 1, 2, -1, (0, 1), (0, 2), (2, 1), None, (0, 1, 2)])
def test_elements_are_combined_along_axes(axis):
    for array in (CUBE, np.asfortranarray(CUBE), CUBE[:, ::-2]):
        found = add.reduce(array, axis=axis)
        wanted = np.add.reduce(array, axis=axis)
        assert np.shape(found) == np.shape(wanted) and np.array_equal(found, wanted)
        assert np.array_equal(add.reduce(array, axis=axis, initial=2), wanted + 2)


def test_reductions_of_arrays_on_the_gpu_stay_there():
    found = add.reduce(cuda.to_device(CUBE), axis=1)
    assert isinstance(found, cuda.DeviceArray)
    assert np.array_equal(found.copy_to_host(), CUBE.sum(1))
    assert add.reduce(cuda.to_device(np.arange(5, dtype="i2"))) == 10
    assert largest.reduce(np.arange(5, dtype="i2")).dtype == np.int16


def test_no_elements_give_the_identity():
    assert add.reduce(CUBE[:0], axis=None) == 0
    assert add.reduce(CUBE[:0]).tolist() == np.zeros((4, 5)).tolist()
    assert add.reduce(CUBE[:, :0], axis=1, initial=3).tolist() == [[3] * 5] * 3
    with pytest.raises(ValueError, match="largest which has no identity"):
        largest.reduce(CUBE[:0])
    assert largest.reduce(CUBE[:, :, :0]).shape == (4, 0)


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: add.reduce(CUBE, axis=3), np.exceptions.AxisError, "axis 3 is out of bounds"),
        (lambda: add.reduce(CUBE, axis=(0, 0)), ValueError, "duplicate value in 'axis'"),
        (lambda: add.reduce(CUBE * 1j), TypeError, "not supported for the input types"),
        (lambda: negative.reduce(CUBE), ValueError, "binary functions"),
        (lambda: less.reduce(CUBE), TypeError, "less makes bool of float64 and float64"),
    ],
)
def test_reductions_that_cannot_be_are_told(call, error, words):
    with pytest.raises(error, match=words):
        call()


@vectorize(target="cuda")
def negative(x):
    return -x


@vectorize(target="cuda")
def less(a, b):
    return a < b
