"""Units of times in the layer: what NumPy says of them."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from cutaway.compat.adapters import units

UNITS = ("Y", "M", "W", "D", "h", "m", "s", "ms", "us", "ns", "ps", "fs", "as")


@pytest.mark.parametrize(("one", "other"), list(itertools.product(UNITS, UNITS)))
def test_they_are_as_numpy_has_them(one, other):
    first, second = np.dtype(f"m8[{one}]"), np.dtype(f"m8[{other}]")
    # NumPy does not convert units that are so far apart that no count fits.
    assert units.can_cast_timedelta_units(one, other) or not np.can_cast(first, second, "safe")
    factor = units.get_timedelta_conversion_factor(one, other)
    if factor is not None and np.can_cast(first, second, "safe"):
        assert np.timedelta64(1, one).astype(second) == np.timedelta64(factor, other)
    try:
        both = np.add.resolve_dtypes((np.dtype(f"M8[{one}]"), second, None))[-1]
    except (TypeError, OverflowError):
        return  # the units are too far apart for NumPy, too
    combined = units.combine_datetime_timedelta_units(one, other)
    assert combined is None or both == np.dtype(f"M8[{combined}]")


def test_units_of_dates_and_of_the_day_are_two_kinds():
    assert units.same_kind("Y", "D") and units.same_kind("h", "as")
    assert not units.same_kind("D", "h")
