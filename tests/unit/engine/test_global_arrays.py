"""Global arrays in compiled code are the arrays that they are: items, shape and strides."""

from __future__ import annotations

import gc

import numpy as np
import pytest
from numpy.lib.stride_tricks import as_strided

import cutaway
from cutaway.foundation.frozen_arrays import frozen, memory_size
from cutaway.typing.values.typeof import typeof_constant

pytestmark = pytest.mark.sampled(fast=6)

CUBE = np.arange(24.0).reshape(2, 3, 4)
RECORDS = np.array([(1, 2.5), (3, 4.5), (5, 6.5)], [("n", "i1"), ("x", "f8")])
BYTES = bytes(range(41))
ARRAYS = {
    "every other item": np.arange(6)[::2],
    "backward": np.arange(6)[::-1],
    "backward in two directions": CUBE[::-1, :, ::-2],
    "Fortran order": np.asfortranarray(CUBE),
    "a part of rows": CUBE[:, 1, 1:3],
    "broadcast": np.broadcast_to(np.arange(3.0), (2, 3)),
    "windows that overlap": as_strided(np.arange(6), (4, 3), (8, 8)),
    "no dimension": np.array(3.5),
    "no items": np.zeros((0, 3)),
    "no items, with steps": np.zeros((3, 0))[:, ::2],
    "one item with a long stride": as_strided(np.arange(3.0), (3, 1), (8, 999)),
    "one row with a long stride": as_strided(np.arange(3.0), (1, 3), (999, 8)),
    "fields of records": RECORDS["x"],
    "unaligned": np.frombuffer(BYTES, np.int32, 5, 1),
    "unaligned, backward": np.frombuffer(BYTES, np.int32, 5, 1)[::-2],
    "bool": np.array([True, False, True])[::2],
    "complex": (np.arange(6) * 1j)[::-2],
    "dates": np.arange("2020-01-01", "2020-01-09", dtype="M8[D]")[::-3],
    "records": RECORDS[::2],
}


@pytest.mark.parametrize("name", ARRAYS)
def test_a_global_array_keeps_its_strides(name):
    array = ARRAYS[name]
    compiled = cutaway.jit(lambda: (array.shape, array.strides))
    assert compiled() == (array.shape, array.strides)
    found = cutaway.jit(lambda: array)()
    assert found.strides == array.strides and found.dtype == array.dtype
    assert np.array_equal(found, array) and not found.flags.writeable
    assert np.array_equal(cutaway.jit(lambda: array.copy())(), array)


def test_only_the_memory_of_its_items_goes_into_the_code():
    array = np.arange(100)[90:10:-20]
    assert memory_size(array) == 8 * 61
    assert memory_size(np.broadcast_to(1.0, (1000, 1000))) == 8


def test_an_array_with_large_gaps_is_packed():
    array = np.arange(10**6)[::300_000]
    assert frozen(array).flags.c_contiguous and typeof_constant(array).layout == "C"
    assert cutaway.jit(lambda: array.sum())() == array.sum()
    column = np.arange(200_000.0).reshape(20_000, 10)[:, 3]  # 1.4 MB of gaps
    assert frozen(column) is not column


@pytest.mark.parametrize("dtype", [">i4", ">f8", object, np.longdouble])
def test_an_array_of_what_compiled_code_has_not_is_refused(dtype):
    array = np.ones(3).astype(dtype)
    with pytest.raises(cutaway.errors.UnsupportedError):
        cutaway.jit(lambda: array[0])()


def test_elements_of_a_global_array_of_text_are_texts():
    array = np.array(["one", "three"])
    assert cutaway.jit(lambda k: array[k])(1) == "three"


def test_a_large_array_is_no_text_and_is_frozen() -> None:
    """A large array is taken by address: its content is not in the LLVM module, and it is a copy
    that lives as long as the code."""
    large = np.arange(100_000.0)

    def item(i):  # type: ignore[no-untyped-def]
        return large[i] + large[-1]

    compiled = cutaway.jit(item)
    assert compiled(7) == 7.0 + 99_999.0
    (specialization,) = compiled.overloads.values()
    assert len(str(compiled.inspect_llvm(next(iter(compiled.overloads))))) < 100_000
    large[7] = -1.0
    gc.collect()
    assert compiled(7) == 7.0 + 99_999.0
    assert specialization is not None


def test_a_large_strided_array_is_taken_by_address() -> None:
    """The strides of a large array stay, negative ones too."""
    large = np.arange(40_000).reshape(200, 200)[::-2, ::3]
    compiled = cutaway.jit(lambda i, j: large[i, j])
    assert compiled(3, 5) == large[3, 5]
    assert (cutaway.jit(lambda: large)() == large).all()
