"""Cases about times, records, dtypes, and arrays of what is no number."""

from __future__ import annotations

import numpy as np

from corpus.programs.cases import case

PAIR = [("x", "f8"), ("n", "i4")]
NESTED = [("k", "u1"), ("inner", PAIR), ("when", "M8[D]"), ("label", "S3")]
EPOCH = np.datetime64("2001-09-09", "s")
NEVER = np.timedelta64("NaT", "s")


def moments() -> np.ndarray:
    """Three moments, one of which is not a time."""
    return np.array(["2020-01-01", "NaT", "1969-12-31"], "M8[s]")


def delta(count: int | str, unit: str = "s") -> np.timedelta64:
    """A distance."""
    return np.timedelta64(count, unit)


def pairs(align: bool = False) -> np.ndarray:
    """Records of a float and an integer, packed or aligned."""
    return np.array([(1.5, 2), (-0.5, 7), (3.0, -1)], np.dtype(PAIR, align=align))


def nested() -> np.ndarray:
    """Records with records in them."""
    rows = [(1, (1.5, 2), "2020-01-01", b"ab"), (2, (2.5, 3), "NaT", b"cde")]
    return np.array(rows, NESTED)


def named() -> np.ndarray:
    """Records of class np.record."""
    return pairs().astype(np.dtype((np.record, PAIR)))


# --- times ------------------------------------------------------------------------------------


@case(
    lambda: (np.datetime64(5, "s"), np.datetime64(-7, "s")),
    lambda: (np.datetime64("NaT", "ns"), np.datetime64(-7, "ns")),
    lambda: (np.datetime64("NaT", "D"), np.datetime64("NaT", "D")),
    lambda: (np.datetime64(2**62, "25us"), np.datetime64(-(2**62) - 5, "25us")),
)
def moments_compared_and_subtracted(a, b):
    return a == b, a != b, a < b, a <= b, a > b, a >= b, a - b, bool(a), not b


@case(
    lambda: (delta(7), delta(-2)),
    lambda: (delta(-7), delta(2)),
    lambda: (delta(2**63 - 1), delta(3)),
    lambda: (delta(-(2**63) + 1), delta(-1)),
    lambda: (delta("NaT"), delta(2)),
    lambda: (delta(-8, "25s"), delta("NaT", "25s")),
    lambda: (delta(0, "M"), delta(9, "M")),
)
def distances_added_and_divided(a, b):
    compared = a == b, a != b, a < b, a >= b
    return compared, a + b, a - b, a / b, a // b, a % b, -a, +a, abs(a), np.isnat(b), bool(a)


@case(
    lambda: (delta(-7), 2),
    lambda: (delta(7), np.int8(-2)),
    lambda: (delta(2**62), 4),
    lambda: (delta(2**62), -2),
    lambda: (delta("NaT"), -3),
    lambda: (delta(-(2**63) + 1), -1),
)
def distances_by_integers(d, n):
    e = d
    e *= n
    return d * n, n * d, d / n, d // n, e


@case(
    lambda: (delta(7), 2.5),
    lambda: (delta(-7), -0.1),
    lambda: (delta(7), 1e300),
    lambda: (delta("NaT"), 2.0),
    lambda: (delta(1), np.float32(0.25)),
    lambda: (delta(2**62), 2.0),
)
def distances_by_floats(d, x):
    return d * x, x * d, d / x, d // x


@case(
    lambda: (np.datetime64(5, "ms"), delta(7, "ms")),
    lambda: (np.datetime64("NaT", "h"), delta(3, "h")),
)
def moments_moved(m, d):
    n = m
    n += d
    n -= d
    return m + d, d + m, m - d, n, m.view(np.int64), d.astype(np.int64)


@case(lambda: (np.datetime64(5, "s"),))
def times_that_are_constants(m):
    if m - EPOCH < np.timedelta64(10, "s"):
        return m - EPOCH, NEVER, np.datetime64(3, "25s")
    return EPOCH - m, np.timedelta64(0, "s"), np.datetime64(1, "25s")


@case((0,), (3,))
def a_time_or_none(n):
    d = None
    if n:
        d = np.timedelta64(n, "h")
    return d is None, d


@case(lambda: (moments(),), lambda: (moments()[::-2],), lambda: (moments()[:0],))
def a_loop_over_moments(a):
    last, count = EPOCH, 0
    for i, m in enumerate(a):
        if not np.isnat(m) and m != last and a[i] == m:
            last = m
            count += 1
    return last, count, len(a), a.shape, a.dtype, a.size, a.itemsize


@case(lambda: (moments(),), lambda: (moments().reshape(3, 1)[:, 0],))
def moments_stored(a):
    b = np.zeros(len(a), a.dtype)
    c = np.empty_like(a)
    b[1:] = a[:2]
    b[0] = a[-1]
    c[:] = EPOCH
    a[1] = EPOCH
    x, y, z = a
    return a, b, c, b.copy(), a.view(np.int64), x - y, z, a[::-1].astype(np.int64), a.T


@case(lambda: (np.arange(4), np.dtype("m8[h]")), lambda: (np.arange(4), np.dtype("M8[Y]")))
def times_of_counts(a, dtype):
    b = a.astype(dtype)
    return b, b[3], np.full(2, b[1]), np.full_like(b, b[2])


# --- records ----------------------------------------------------------------------------------


@case(lambda: (pairs(),), lambda: (pairs(True),), lambda: (pairs()[::-2],), lambda: (named(),))
def fields_of_records(a):
    total, count = 0.0, 0
    for r in a:
        total += r["x"]
        count += r["n"]
    for i in range(len(a)):
        total = total * 2 + a[i]["x"] + a["x"][i]
    return total, count, len(a), len(a[0]), a.shape, a.itemsize


@case(lambda: (pairs(),), lambda: (pairs(True)[1:],), lambda: (named(),))
def records_stored(a):
    r = a[0]
    r["x"] = 9
    a[1]["n"] = r["n"] + 1
    a["x"][1] = 0.25
    a[-1] = a[0]
    a[-1]["x"] = -1.5
    return r, a[1], a


@case(lambda: (pairs(),), lambda: (pairs(True)[::-1],))
def columns_stored(a):
    b = np.zeros(len(a), a.dtype)
    b["x"] = a["x"]
    b["n"] = 5
    a["x"] = 0.5
    return a, b, b["x"], b["n"].sum(), a["n"].copy(), b.copy()


@case(lambda: (pairs(),))
def records_outlive_their_arrays(a):
    b = a.copy()
    last = b[0]
    for k in range(3):
        b = np.zeros(2, a.dtype)
        b[k % 2] = a[k]
        last = b[k % 2]
    c = np.full(3, last)
    b = np.zeros(2, a.dtype)
    return last, c, (a[1], b[0])


@case(lambda: (pairs()[1],), lambda: (pairs(True)[2],), lambda: (pairs()[0].copy(),))
def a_record(r):
    before = r["x"]
    r["x"] = before * 2
    r["n"] = 3.75
    return r, before, r["n"]


@case(lambda: (nested(),))
def records_in_records(a):
    inner = a[1]["inner"]
    inner["x"] += 1
    a["inner"]["n"][0] = 11
    a[0]["when"] = a[1]["when"]
    a[0]["inner"] = inner
    return inner, a["inner"], a["label"], a[1]["k"], np.isnat(a[0]["when"]), a


@case(lambda: (named(),))
def records_with_attributes(a):
    total = 0.0
    for r in a:
        total += r.x * r.n
    return total, a[1], a[2].x


@case(lambda: (pairs(),), lambda: (pairs()[:0],))
def records_that_may_not_be_there(a):
    found = 0.0
    for r, k in zip(a, range(2)):
        found += r["x"] + k
    for k, r in enumerate(reversed(a)):
        found = found * 2 + k * r["n"]
    return found


@case(lambda: (pairs(),))
def index_errors_of_records(a):
    a[3]["x"] = 1.0
    return a


# --- arrays without elements ------------------------------------------------------------------


@case(*(lambda k=k: (np.empty((0, 0, 2)), k) for k in (0, 1, 2)), lambda: (np.empty((3, 0)), 1))
def least_along_an_axis_without_elements(a, k):
    return np.min(a, axis=k)


@case(lambda: (2**40,))
def arrays_without_elements_however_long(n):
    a = np.zeros((n, 0))
    b = np.zeros((n, 0), np.int8)
    a[...] = 1
    a += 2
    a[...] = b
    return a.shape, a.astype(np.int32).shape


@case(lambda: (np.empty((3, 0, 2)),))
def greatest_along_axes_without_elements(a):
    return np.max(a, axis=(0, 2))


# --- text of fixed length, dtypes, classes and functions --------------------------------------


@case(lambda: (np.array(["ab", "c", ""]),), lambda: (np.array([[b"ab", b"c"]]),))
def arrays_of_text(a):
    b = a.copy()
    b[:1] = b[1:2]
    return a, b, len(a), a.shape, a.ndim, a.dtype, a[::-1], a.T, np.zeros(2, a.dtype)


@case(
    lambda: (np.arange(3.5), np.dtype("i2")),
    lambda: (np.arange(3.5), np.float32),
    lambda: (np.arange(3.5), np.dtype("c8")),
)
def dtypes_as_arguments(a, dtype):
    b = a.astype(dtype)
    return b, np.zeros(2, dtype), np.ones(2, dtype), np.empty(0, dtype), b.dtype == dtype


@case(lambda: (int, 4.5), lambda: (float, 4), lambda: (abs, -4), lambda: (np.float64, 3))
def functions_and_classes_as_arguments(f, x):
    return f(x), f is int, f is abs


TOTAL = np.add.reduce


@case(
    lambda: (np.arange(12.0).reshape(3, 4),),
    lambda: (np.arange(6, dtype=np.int8).reshape(1, 6),),
    lambda: (np.ones((0, 2)),),
)
def methods_of_ufuncs(a):
    so_far = np.subtract.accumulate
    sums = TOTAL(a), np.add.reduce(a, axis=1, keepdims=True), np.add.reduce(a, None, where=a > 2)
    parts = np.add.reduceat(a, (0, 1, 0), 1)
    return sums, so_far(a, -1), parts, np.multiply.outer(a[:1, 0], a)


@case(
    lambda: (np.arange(5.0), np.array((0, 0, -1, 2))),
    lambda: (np.arange(3), np.array((2, 2))),
    lambda: (np.arange(3.0), np.array((2, 3))),
)
def elements_changed_by_places(a, places):
    np.add.at(a, places, 1)
    np.multiply.at(a, slice(1, None), a[1:])
    np.negative.at(a, places)
    return a


@case(
    lambda: (np.array((1.5, np.nan, 2.0)), np.array((True, True, False)), np.zeros(())),
    lambda: (np.array((np.nan, np.nan, 0.1)), np.array((True, True, True)), np.ones(())),
)
def reductions_that_are_told_more(a, chosen, out):
    np.add.reduce(a, 0, None, out)
    low = np.nanmin(a, initial=1.0), np.nanmean(a, where=chosen), np.nanvar(a, ddof=1)
    return low, np.sum(a, where=chosen, initial=2.0), np.mean(a, dtype=np.float32), out
