"""Cases for arrays of times and durations, and for what only moves elements of any kind."""

import numpy as np

from corpus.library.rows import row

DAYS = np.array(["2020-03-01", "NaT", "1619-12-31", "2021-05-05"], "M8[D]")
SECONDS = np.array(["2020-03-01T10:11", "1969-12-31T23:59:59", "1819-12-31T23:59", "NaT"], "M8[s]")
LONG = np.arange(-800_000, 800_000, 9_777).astype("M8[D]")
HOURS = np.array([5, -3, "NaT", 100], "m8[h]")
SPANS = np.array([5, -3, 7, 0, 60, -61], "m8[s]")
KNOWN = np.sort(DAYS)[:3]
RECORD = np.dtype([("x", "i4"), ("y", "f8")])
POINTS = np.array([(3, 1.5), (1, 2.5), (2, -1)], RECORD)
WORDS = np.array(["b", "abc", ""])
THREE = (WORDS, POINTS, DAYS[:3])


def extremes(a, axis):
    return np.min(a, axis), np.max(a, axis), np.nanmin(a, axis), np.nanmax(a, axis)


def by_methods(a):
    return a.min(), a.max(), np.amin(a), np.amax(a), a.argmin(), a.argmax(), np.ptp(a)


def along(a, axis):
    return np.min(a, axis=axis), np.max(a, axis=axis), np.argmin(a, axis), np.argmax(a, axis)


def sums(a):
    return np.sum(a), a.sum(), np.mean(a), a.mean(), np.cumsum(a), a.cumsum(), np.median(a)


def sums_along(a, axis):
    return np.sum(a, axis), np.cumsum(a, axis), np.mean(a, axis)


def differences(a):
    return np.diff(a), np.diff(a, n=2), np.diff(a.reshape(2, -1), axis=0)


def searched(a, v):
    return np.searchsorted(a, v), np.searchsorted(a, v, "right"), a.searchsorted(v)


def counted(a):
    return np.nonzero(a), a.nonzero(), np.count_nonzero(a), np.flatnonzero(a), np.argwhere(a)


def sets(a, b):
    return np.isin(a, b), np.union1d(a, b), np.intersect1d(a, b), np.setdiff1d(a, b)


def other_units(a):
    months, years = a.astype("M8[M]"), a.astype("M8[Y]")
    return months, years, a.astype("M8[5M]"), a.astype("M8[W]"), months.astype("M8[D]")


def finer_and_coarser(a):
    return a.astype("m8[ms]"), a.astype("m8[m]"), a.astype("m8[D]"), a.astype("m8[7s]")


def written(a):
    a[0] = np.datetime64("2000-02-29")
    a[1:2] = np.datetime64("NaT", "D")
    return a, a < np.datetime64("2020-01-01"), np.timedelta64("NaT", "s")


def ranges(first, last, days):
    every = np.arange(first, last)
    return every, np.arange(first, last, 3), np.arange(first, last, days), np.arange(last, first)


def joined(a, b):
    return (
        np.concatenate((a, b)),
        np.concatenate((a, b), axis=None),
        np.stack((a, b), 1),
        np.vstack((a, b)),
        np.hstack((a, b)),
        np.append(a, b),
        np.array([a, b]),
    )


def moved(a):
    return np.roll(a, 1), np.flip(a), np.resize(a, 5), np.tile(a, (2, 2)), np.tile(a, 2)


def with_axes(a):
    table = np.expand_dims(a, 0)
    return np.rot90(table), np.moveaxis(table, 0, 1), np.atleast_2d(a), np.broadcast_to(a, (2, 3))


def more_and_fewer(a):
    more = np.repeat(a, 2), np.repeat(a, np.array([0, 2, 1]))
    return more, np.insert(a, 1, a[2]), np.delete(a, 1), np.delete(a, np.array([0, 2]))


def chosen(condition, a, b):
    return np.where(condition, a, b), np.array_equal(a, b), np.array_equal(a, a.copy())


def listed(a):
    return np.array([a[0], a[2]]), np.array(((a[0],), (a[1],)))


def filled(a, b):
    a.fill(b[1])
    return a


ROWS = [
    *(row(extremes, a, None) for a in (DAYS, DAYS[::-2], HOURS, SPANS, KNOWN, DAYS[1:2])),
    *(row(by_methods, a) for a in (DAYS, SPANS[::-1], KNOWN, DAYS.reshape(2, 2), DAYS[:0])),
    *(row(along, DAYS.reshape(2, 2).T, axis) for axis in (0, -1, 2)),
    *(
        row(lambda a, b, c: (np.clip(a, b, c), a.clip(b, c)), DAYS, low, high)
        for low, high in ((DAYS[2], DAYS[0]), (DAYS[1], DAYS[0]))
    ),
    *(row(sums, a) for a in (HOURS, SPANS, SPANS[::-1], SPANS[:0], SPANS[:1], SPANS.reshape(2, 3))),
    *(row(sums_along, SPANS.reshape(2, 3), axis) for axis in (0, 1, -3)),
    row(sums_along, HOURS.reshape(2, 2), 0),
    *(row(differences, a) for a in (DAYS, HOURS, DAYS[::-1])),
    *(row(searched, KNOWN, v) for v in (DAYS, DAYS.reshape(2, 2), DAYS[0])),
    row(searched, np.sort(DAYS), DAYS[1]),
    *(row(counted, a) for a in (SPANS, SPANS[::-2], HOURS)),
    row(sets, DAYS, DAYS[1:3]),
    row(sets, HOURS, HOURS[:0]),
    *(row(other_units, a) for a in (DAYS, SECONDS, LONG)),
    *(row(finer_and_coarser, a) for a in (SPANS, HOURS)),
    row(lambda a: (a.astype("M8[D]"), a.astype("M8[ns]")), SECONDS),
    row(written, DAYS),
    row(ranges, DAYS[0], np.datetime64("2020-03-21"), np.timedelta64(7, "D")),
    *(row(lambda a, b, step: np.arange(a, b, step), *DAYS[[0, k]], 3 - k) for k in (1, 3)),
    *(row(joined, a, a[::-1]) for a in THREE),
    row(lambda a, b: np.concatenate((a, b)), np.ones((2, 2), RECORD), np.ones((2, 1), RECORD)),
    *(row(function, a) for a in THREE for function in (moved, with_axes, more_and_fewer)),
    *(row(chosen, np.array([True, False, True]), a, a[::-1]) for a in THREE),
    row(chosen, np.array([[True], [False]]), POINTS, POINTS[:1]),
    row(listed, DAYS),
    *(row(filled, a, a[::-1].copy()) for a in THREE),
    row(lambda: (np.array(["a", "bcd", ""]), np.array([[b"x"], [b"yz"]]), np.array(["", ""]))),
    row(lambda: (np.array(["\u0394", "bcd"], "U2"), np.array(("\U0001f600",)))),
]
