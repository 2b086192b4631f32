"""Units of times and durations, by their names, and their compatibility."""

from __future__ import annotations

from itertools import pairwise

# From the coarsest to the finest, and how many of it the one before has; a month has no fixed
# number of days, and months and days do not convert.
_MONTHS = ("Y", "M")
_UNITS = ("W", "D", "h", "m", "s", "ms", "us", "ns", "ps", "fs", "as")
_PARTS = (7, 24, 60, 60, *[1000] * 6)
_DATES = frozenset((*_MONTHS, "W", "D"))


def same_kind(first: str, second: str) -> bool:
    """True if both are units of dates, or both of the time of day."""
    return (first in _DATES) == (second in _DATES)


def get_timedelta_conversion_factor(source: str, wanted: str) -> int | None:
    """Return how many of one unit another one has; None unless that is a known whole number."""
    if source in ("", wanted):
        return 1
    if (source, wanted) == _MONTHS:
        return 12
    if source not in _UNITS or wanted not in _UNITS:
        return None
    first, last = _UNITS.index(source), _UNITS.index(wanted)
    factor = 1
    for index, _ in enumerate(pairwise(_UNITS[first : last + 1]), first):
        factor *= _PARTS[index]
    return factor if first < last else None


def can_cast_timedelta_units(source: str, wanted: str) -> bool:
    """True if a duration in one unit converts to another without loss."""
    return get_timedelta_conversion_factor(source, wanted) is not None


def combine_datetime_timedelta_units(time: str, duration: str) -> str | None:
    """Return the unit of a time and a duration together; None where they are incompatible."""
    if not time or not duration:
        return time or duration
    if duration in _MONTHS and time not in _MONTHS:
        return None
    order = (*_MONTHS, *_UNITS)
    return max(time, duration, key=order.index)
