"""Memory at an address as an array, in Python and in compiled code."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest

import cutaway


def view(address, shape, dtype):
    return cutaway.carray(address, shape, dtype), cutaway.farray(address, shape, dtype)


compiled = cutaway.jit(view)
WAYS = pytest.mark.parametrize("way", [view, compiled])


@WAYS
@pytest.mark.parametrize("shape", [(2, 3), (6,), 4, (0, 3), ()])
def test_an_array_shows_memory_at_an_address(way, shape):
    memory = np.arange(6.0)
    in_c, in_fortran = way(memory.ctypes.data, shape, np.dtype("f8"))
    sizes = shape if isinstance(shape, tuple) else (shape,)
    count = int(np.prod(sizes))
    for found, order in ((in_c, "C"), (in_fortran, "F")):
        wanted = memory[:count].reshape(sizes, order=order)
        assert found.dtype == wanted.dtype and found.shape == wanted.shape
        assert np.array_equal(found, wanted)
        assert found.flags.writeable and (count == 0 or np.shares_memory(found, memory))


@WAYS
def test_writing_to_it_writes_to_the_memory(way):
    memory = np.zeros(5, "i4")
    way(memory.ctypes.data + 4, 3, np.dtype("i4"))[0][1] = 7
    assert memory.tolist() == [0, 0, 7, 0, 0]


@WAYS
def test_memory_may_lie_anywhere(way):
    memory = np.arange(40, dtype="u1")
    found, _ = way(memory.ctypes.data + 1, 3, np.dtype("f8"))
    assert found.tobytes() == memory[1:25].tobytes()


@WAYS
@pytest.mark.parametrize(
    ("address", "shape", "words"),
    [
        (0, 3, "the pointer is null"),
        (64, (2, -1), "negative dimensions are not allowed"),
        (64, (2**40, 2**40), "array is too big"),
    ],
)
def test_what_is_no_array_is_refused(way, address, shape, words):
    with pytest.raises(ValueError, match=words):
        way(address, shape, np.dtype("f8"))


def test_compiled_code_computes_with_it():
    @cutaway.jit
    def total(address, n):
        a = cutaway.carray(address, (n, 2), dtype=np.float64)
        a[0, 0] = 5
        return (a * 2).sum()

    memory = np.ones(6)
    assert total(memory.ctypes.data, 3) == 20.0
    assert memory[0] == 5


def test_the_type_of_a_pointer_says_the_dtype():
    numbers = (ctypes.c_double * 4)(1, 2, 3, 4)
    pointer = ctypes.cast(numbers, ctypes.POINTER(ctypes.c_double))
    cutaway.carray(pointer, (2, 2))[1, 0] = 9
    assert numbers[2] == 9
    assert cutaway.farray(pointer, (2, 2))[0, 1] == 9
    unknown = ctypes.cast(numbers, ctypes.c_void_p)
    assert cutaway.carray(unknown, 4, cutaway.float64).tolist() == [1, 2, 9, 4]
    for given in ((pointer, 2, np.float32), (unknown, 2), (5, 2), ("a", 2), (pointer, 2.5)):
        with pytest.raises(TypeError):
            cutaway.carray(*given)


def test_a_dtype_is_the_type_of_its_elements():
    assert cutaway.from_dtype(np.dtype("f4")) is cutaway.float32
    assert cutaway.from_dtype("U3") is cutaway.typeof(np.array(["abc"])).dtype
    with pytest.raises(cutaway.errors.TypingError, match="have no type in compiled code"):
        cutaway.from_dtype(object)
