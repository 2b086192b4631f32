"""NumPy's functions of arrays with one time or duration in the place of the array."""

from __future__ import annotations

import numpy as np
import pytest

import cutaway

TIME, SPAN = np.datetime64("2020-01-03"), np.timedelta64(3, "h")
NAT = np.timedelta64("NaT", "D")


@pytest.mark.parametrize("function", [np.max, np.min, np.amax, np.amin, np.ptp])
@pytest.mark.parametrize("value", [TIME, SPAN, NAT], ids=repr)
def test_of_one_time_or_duration(function, value):
    result, wanted = cutaway.njit(lambda x: function(x))(value), function(value)
    assert repr(result) == repr(wanted)


@pytest.mark.parametrize("function", [np.sum, np.mean, np.median, np.cumsum])
@pytest.mark.parametrize("value", [SPAN, NAT], ids=repr)
def test_of_one_duration(function, value):
    result, wanted = cutaway.njit(lambda x: function(x))(value), function(value)
    assert repr(result) == repr(wanted)


def test_where_numpy_raises_the_call_is_refused():
    for function in (np.sum, np.mean, np.prod):
        with pytest.raises(TypeError):
            function(TIME)
        with pytest.raises(cutaway.errors.TypingError):
            cutaway.njit(lambda x: function(x))(TIME)  # noqa: B023
