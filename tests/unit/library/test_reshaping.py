"""Another shape of an array is a view of it wherever NumPy's is: what is stored arrives."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import cutaway

WAYS = [slice(None), slice(None, None, 2), slice(None, None, -1), slice(1, 3), slice(0, 1)]
# Shapes by how many axes they have; those that do not fit are passed over.
SHAPES = {
    1: [(-1,)],
    2: [(2, -1), (-1, 2), (1, -1), (4, -1), (-1, 3)],
    3: [(2, -1, 2), (1, -1, 2), (-1, 1, 4), (2, 2, -1)],
}


@cutaway.jit
def stored(a, shape):
    b = a.reshape(shape)
    b[...] = 7
    return b


@cutaway.jit
def stored_in_line(a):
    b = a.ravel()
    b[...] = 7
    return b


def views(ndim):
    """An array, and a part of it with its axes turned, in all ways."""
    for ways in itertools.product(WAYS, repeat=ndim):
        for turned in itertools.permutations(range(ndim)):
            yield lambda a, ways=ways, turned=turned: a[ways].transpose(turned)


def new(ndim):
    return np.arange(4**ndim).reshape((4,) * ndim)


def compare(compiled, expected, view, ndim):
    """Store through both, and see that as much arrived, and that the results lie alike."""
    ours, theirs = new(ndim), new(ndim)
    got, wanted = compiled(view(ours)), expected(view(theirs))
    wanted[...] = 7
    assert ours.tolist() == theirs.tolist()
    assert got.shape == wanted.shape and got.dtype == wanted.dtype
    long = [k for k, size in enumerate(got.shape) if size > 1]
    assert [got.strides[k] for k in long] == [wanted.strides[k] for k in long]


@pytest.mark.parametrize("ndim", [1, 2, 3])
@pytest.mark.parametrize("wanted", SHAPES)
def test_a_reshaped_array_is_a_view_where_numpy_has_one(ndim, wanted):
    tried = 0
    for view, shape in itertools.product(views(ndim), SHAPES[wanted]):
        known = -np.prod(shape)
        if view(new(ndim)).size % known:
            continue
        compare(lambda a, s=shape: stored(a, s), lambda a, s=shape: a.reshape(s), view, ndim)
        tried += 1
    assert tried >= 4


@pytest.mark.parametrize("ndim", [1, 2, 3])
def test_a_line_is_a_view_where_the_array_has_no_gaps(ndim):
    for view in views(ndim):
        compare(stored_in_line, np.ravel, view, ndim)


def test_nothing_is_lost_or_freed_twice():
    table = np.arange(16.0).reshape(4, 4)
    before = cutaway.runtime.stats()
    for _ in range(100):
        view, copy = stored(table[::2], (4, 2)), stored(table.T, (16,))
        line, lines = stored_in_line(table[:1].T), stored_in_line(table[:, ::2])
        assert view.base is not None and copy.sum() == lines.sum() * 2 == line.sum() * 4
    del view, copy, line, lines
    allocated, released = cutaway.runtime.stats()
    assert allocated - before[0] == released - before[1]


@cutaway.jit
def shape_of_reshaped(a, shape):
    return a.reshape(shape).shape


def test_huge_arrays_without_memory_have_views():
    huge = np.lib.stride_tricks.as_strided(np.zeros(1), (2**31, 2**20, 4), (0, 0, 0))[:, ::-1]
    assert shape_of_reshaped(huge, (4, -1)) == (4, 2**51)
    with pytest.raises(ValueError, match="cannot reshape"):
        shape_of_reshaped(huge, (3, -1))
