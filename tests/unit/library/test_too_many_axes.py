"""Reductions along more axes than there are: one of them is no axis, or there twice."""

from __future__ import annotations

import numpy as np
import pytest

import cutaway

CUBE = np.arange(24.0).reshape(2, 3, 4)


@cutaway.jit
def total(a, axes):
    return a.sum(axis=axes)


@cutaway.jit
def mean(a, axes):
    return np.mean(a, axis=axes, keepdims=True)


@cutaway.jit
def greatest(a, axes):
    return np.max(a, axis=axes, initial=0.0, where=a > 1)


AXES = [(0, 1, 2, 3), (0, 1, 2, 1), (-4, 0, 0, 0), (-3, -2, -1, 0, 1, 2, 0)]


@pytest.mark.parametrize("axes", AXES)
@pytest.mark.parametrize("function", (total, mean, greatest))
def test_they_raise_as_in_numpy(function, axes):
    with pytest.raises(ValueError) as told:
        function(CUBE, axes)
    with pytest.raises(ValueError) as expected:
        function.py_func(CUBE, axes)
    assert type(told.value) is type(expected.value) and str(told.value) == str(expected.value)


def test_a_single_number_has_no_axes():
    with pytest.raises(np.exceptions.AxisError, match="axis 0 is out of bounds"):
        total(np.array(3.0), (0, 1))
