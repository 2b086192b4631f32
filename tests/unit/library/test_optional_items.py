"""Numbers that may be None as items of arrays, and items of pointers."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest

import cutaway
from cutaway import types
from cutaway.extending import intrinsic


def stored(a, i, x, is_there):
    y = x if is_there else None
    a[i] = y
    return a


CASES = [("f8", 2.5), ("f4", 3), ("c16", 2.5), ("c8", 1 + 2j), ("i8", 3), ("u1", 7), ("?", 2.5)]


@pytest.mark.parametrize("dtype, value", CASES)
@pytest.mark.parametrize("is_there", [0, 1])
def test_what_is_stored_is_numpys(dtype, value, is_there):
    f = cutaway.jit(stored)
    if not is_there and dtype in ("i8", "u1"):
        with pytest.raises(TypeError) as expected:
            stored(np.zeros(2, dtype), 1, value, 0)
        with pytest.raises(TypeError) as found:
            f(np.zeros(2, dtype), 1, value, 0)
        assert str(found.value) == str(expected.value)
        return
    found, expected = (g(np.zeros(2, dtype), 1, value, is_there) for g in (f, stored))
    np.testing.assert_array_equal(found, expected)


def test_an_index_outside_is_an_index_error():
    with pytest.raises(IndexError):
        cutaway.jit(stored)(np.zeros(2), 5, 1.0, 1)


@intrinsic
def as_pointer(typingctx, address, number):
    def code(context, builder, sig, args):
        return builder.inttoptr(args[0], context.get_value_type(sig.returns))

    return types.CPointer(number)(address, number), code


@cutaway.jit
def swapped(address, sample):
    pointer = as_pointer(address, sample)
    first = pointer[0]
    pointer[0] = pointer[2]
    pointer[2] = first
    return pointer[1]


@pytest.mark.parametrize("dtype", ["f8", "f4", "i8", "u2", "?", "c16"])
def test_items_of_a_pointer(dtype):
    array = np.array([1, 0, 0], dtype)
    assert swapped(array.ctypes.data, array[0]) == 0
    assert array.tolist() == np.array([0, 0, 1], dtype).tolist()


def test_a_number_that_a_pointer_does_not_point_to():
    memory = (ctypes.c_int64 * 3)()

    @cutaway.jit
    def f(address):
        as_pointer(address, 1)[0] = "text"

    with pytest.raises(cutaway.errors.TypingError):
        f(ctypes.addressof(memory))
