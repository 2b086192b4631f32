"""Parallel loops in the manner of those of real packages, each with what is said of it.

A case has a verdict at compile time (fine, warn or error), and the kind of conflict that the race
check finds for its arguments (none: empty).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

import cutaway
from cutaway import prange


class Case(NamedTuple):
    """A function with its arguments, and what is said of it."""

    function: Callable[..., Any]
    verdict: str
    kind: str
    args: tuple[Any, ...]


CASES: dict[str, Case] = {}


def case(verdict: str, kind: str, *args: Any) -> Callable[[Any], Any]:
    """Add a function to the cases."""

    def add(function: Any) -> Any:
        CASES[function.__name__] = Case(function, verdict, kind, args)
        return function

    return add


F = np.linspace(0.0, 3.9, 40)
PLACES = np.arange(40)
M = np.linspace(0.0, 1.43, 144).reshape(12, 12)
XY = np.zeros(4, [("x", "f8"), ("y", "f8")])


@case("fine", "", M, M.copy())
def rows(a, b):
    for i in prange(a.shape[0]):
        for j in range(a.shape[1]):
            a[i, j] = b[j, i]


@case("fine", "", M)
def cols(a):
    for j in prange(a.shape[1]):
        for i in range(1, a.shape[0]):
            a[i, j] += a[i - 1, j]


@case("fine", "", M)
def symmetric(d):
    n = d.shape[0]
    for i in prange(n):
        for j in range(i + 1, n):
            d[i, j] = i + j
            d[j, i] = d[i, j]


@case("fine", "", M)
def symmetric_lower(d):
    for i in prange(len(d)):
        for j in range(i):
            d[i, j] = d[j, i] = i + j


@case("fine", "", M)
def symmetric_if(d):
    n = len(d)
    for i in prange(n):
        for j in range(n):
            if j >= i:
                d[i, j] = 1.0
                d[j, i] = 1.0


@case("fine", "", F)
def swap(a):
    n = len(a)
    for i in prange(n // 2):
        t = a[i]
        a[i] = a[n - 1 - i]
        a[n - 1 - i] = t


@case("warn", "read-write", F)
def swap_all(a):
    n = len(a)
    for i in prange(n):
        a[i] = a[n - 1 - i]


@case("fine", "", F)
def even_odd(a):
    for i in prange(len(a) // 2 - 1):
        a[2 * i + 1] = a[2 * i] + a[2 * i + 2]


@case("fine", "", F)
def step_two(a):
    for i in prange(1, len(a) - 1, 2):
        a[i] = a[i - 1] + a[i + 1]


@case("fine", "", F, 4, 10)
def blocks(a, n, k):
    for i in prange(n):
        for j in range(k):
            a[i * k + j] = i


@case("fine", "", F, 4, 10)
def blocks_start(a, n, k):
    for i in prange(n):
        s = i * k
        for p in range(s, s + k):
            a[p] += i


@case("fine", "", F, 4)
def blocks_const(a, n):
    for i in prange(n):
        for j in range(8):
            a[i * 8 + j] = i


@case("warn", "write-write", F, 4)
def blocks_overlap(a, n):
    for i in prange(n):
        for j in range(9):
            a[i * 8 + j] = i


@case("fine", "", F, 4)
def chunks_min(a, size):
    n = len(a)
    for c in prange((n + size - 1) // size):
        lo = c * size
        hi = min(lo + size, n)
        for p in range(lo, hi):
            a[p] = c


@case("fine", "", F, 4)
def chunks_div(a, t):
    n = len(a)
    for c in prange(t):
        lo = c * n // t
        hi = (c + 1) * n // t
        for p in range(lo, hi):
            a[p] = c


@case("fine", "", F, 4, 10)
def chunk_slices(a, n, k):
    for i in prange(n):
        a[i * k : (i + 1) * k] = i


@case("fine", "", F, np.array([0, 3, 3, 9, 20]))
def csr(out, indptr):
    for i in prange(len(indptr) - 1):
        for p in range(indptr[i], indptr[i + 1]):
            out[p] = i


@case("fine", "", F, np.array([0, 3, 3, 9, 20], np.int32))
def csr32(out, indptr):
    for i in prange(indptr.shape[0] - 1):
        start = indptr[i]
        end = indptr[i + 1]
        for p in range(start, end):
            out[p] *= 2


@case("fine", "", F, np.array([0, 3, 3, 9, 20]))
def csr_slice(out, indptr):
    for i in prange(len(indptr) - 1):
        out[indptr[i] : indptr[i + 1]] = i


@case("fine", "", F, F.copy(), np.array([0, 3, 3, 9, 20]), PLACES)
def csr_matvec(out, x, indptr, indices):
    for i in prange(len(indptr) - 1):
        s = 0.0
        for p in range(indptr[i], indptr[i + 1]):
            s += x[indices[p]]
        out[i] = s


@case("error", "read-write", F)
def shift(a):
    for i in prange(len(a) - 1):
        a[i + 1] = a[i]


@case("error", "read-write", F)
def jacobi(a):
    for i in prange(1, len(a) - 1):
        a[i] = (a[i - 1] + a[i + 1]) / 2


@case("fine", "", F)
def halves(a):
    n = len(a) // 2
    for i in prange(n):
        a[i] = a[i + n]


@case("warn", "read-write", M)
def gauss_seidel(u):
    for i in prange(1, u.shape[0] - 1):
        for j in range(1, u.shape[1] - 1):
            u[i, j] = (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1]) / 4


@case("error", "write-write", F)
def two_stores(a):
    for i in prange(len(a) - 1):
        a[i] = 1.0
        a[i + 1] = 2.0


@case("warn", "write-write", F, PLACES // 2)
def scatter(a, idx):
    for i in prange(len(idx)):
        a[idx[i]] = i


@case("warn", "update", F, PLACES // 2)
def hist(a, idx):
    for i in prange(len(idx)):
        a[idx[i]] += 1


@case("warn", "write-write", F)
def modulo(a):
    for i in prange(len(a)):
        a[i % 4] = i


@case("fine", "", M)
def modulo_other(a):
    for i in prange(len(a)):
        a[i, i % 4] = i


@case("warn", "read-write", np.arange(40.0))
def conditional_best(a):
    for i in prange(1, len(a)):
        if a[i] > a[0]:
            a[0] = a[i]


@case("fine", "same value", F)
def only_first(a):
    for i in prange(len(a)):
        if i == 0:
            a[0] = 3.0
        if i == len(a) - 1:
            a[0] = 3.0


@case("fine", "", F, F.copy())
def only_zero(a, out):
    for i in prange(len(a)):
        if i == 3:
            out[0] = a[i]


@case("fine", "", F, np.zeros(1, np.bool_))
def flag(a, changed):
    for i in prange(len(a)):
        if a[i] > 1:
            changed[0] = True


@case("fine", "", F)
def per_thread(a):
    part = np.zeros(cutaway.get_num_threads())
    for i in prange(len(a)):
        part[cutaway.get_thread_id()] += a[i]
    return part.sum()


@case("fine", "", M)
def row_views(a):
    for i in prange(len(a)):
        row = a[i]
        row[1:] = 3.0
        row[0] += 1
        a[i, :].fill(2.0)


@case("warn", "write-write", M)
def slices_overlap(a):
    for i in prange(len(a) - 1):
        a[i : i + 2, 0] = i


@case("error", "read-write", F)
def shifted_views(a):
    b = a[1:]
    for i in prange(len(b)):
        b[i] = a[i]


@case("warn", "read-write", PLACES, PLACES // 2)
def labels(lab, nb):
    for i in prange(len(lab)):
        lab[i] = min(lab[i], lab[nb[i]])


@case("fine", "", M, PLACES)
def gather_rows(a, idx):
    for i in prange(len(a)):
        for k in range(3):
            a[i, idx[k]] += 1


@case("fine", "", np.zeros((4, 3, 5)), 2)
def planes(a, w):
    n, m, k = a.shape
    for i in prange(n):
        for y in range(w, m):
            for x in range(k):
                a[i, y, x] = a[i, y - w, x]


@case("fine", "", F)
def flat2d(a):
    h, w = 5, 8
    for i in prange(h):
        for j in range(w):
            a[i * w + j] = i


@case("fine", "", F, 5)
def flat_sym(a, n):
    for i in prange(n):
        a[i * n + i] = 1.0


@case("fine", "", XY)
def fields(r):
    for i in prange(len(r)):
        r[i]["x"] = r[0]["y"]


@case("warn", "read-write", XY)
def fields_same(r):
    for i in prange(len(r)):
        r[i]["x"] = r[0]["x"]


@case("error", "update", M)
def same2(y):
    for i in prange(len(y)):
        y[0, 1] = y[0, 1] * 2 + i


@case("fine", "", M)
def diag(a):
    n = len(a)
    for k in prange(n):
        for i in range(n - k):
            a[i, i + k] = k


@case("fine", "", F, F.copy())
def reverse(a, b):
    n = len(a)
    for i in prange(n - 1, -1, -1):
        b[n - 1 - i] = a[i]


@case("fine", "", F, 3)
def kernel_dims(a, k):
    for i in prange(k):
        for j in range(k):
            for m in range(k):
                a[(i * k + j) * k + m] = 1.0


@case("fine", "", XY)
def field_views(r):
    x = r["x"]
    for i in prange(len(r)):
        x[i] = r["y"][0]
        r["x"][i] += 1


@case("error", "read-write", XY)
def field_views_shift(r):
    x = r["x"]
    for i in prange(1, len(r)):
        x[i] = x[i - 1]


@case("fine", "", F, np.ones(12, np.int64))
def where_guard(out, c):
    for i in prange(12):
        if c[i] > 0:
            for k in range(3):
                out[3 * i + k] = out[3 * i + (k + 1) % 3]


@case("fine", "", M, 3)
def windows(a, r):
    b = np.zeros_like(a)
    h, w = a.shape
    for y in prange(h):
        for x in range(w):
            s = 0.0
            for dy in range(max(0, y - r), min(h, y + r + 1)):
                for dx in range(max(0, x - r), min(w, x + r + 1)):
                    s += a[dy, dx]
            b[y, x] = s
    return b


@case("fine", "", np.zeros((5, 4, 2)))
def heaps(h):
    for i in prange(h.shape[0]):
        for j in range(h.shape[1]):
            k = j
            while k > 0:
                h[i, k, 0] = h[i, k // 2, 1]
                k = k // 2


@case("fine", "", F, np.zeros(40))
def last(a, out):
    k = 0
    for i in prange(len(a)):
        k = i
        out[k] = a[k]
    return k


@case("fine", "", M)
def transposed(a):
    t = a.T
    for i in prange(len(a)):
        for j in range(len(a)):
            t[j, i] = 1.0


@case("fine", "", F)
def end(a):
    for i in prange(len(a) - 1):
        a[i] = a[-1]


@case("fine", "", M)
def ravelled(a):
    b = a.ravel()
    n = len(a)
    for i in prange(n):
        for j in range(n):
            b[i * n + j] = 1.0


@case("fine", "", F, 5)
def offsets(a, n):
    for i in prange(n):
        base = 7 * i
        a[base] = 1
        a[base + 1] = 2
        a[base + 6] += a[base + 1]


@case("error", "write-write", F, 5)
def offsets_bad(a, n):
    for i in prange(n):
        base = 7 * i
        a[base] = i
        a[base + 7] += a[base + 1]


@case("fine", "", F, 3)
def strided(a, n):
    for i in prange(n):
        for j in range(i, len(a), n):
            a[j] = i


@case("fine", "", F)
def strided_const(a):
    for i in prange(4):
        for j in range(i, len(a), 4):
            a[j] = i


@case("warn", "write-write", F, 3)
def strided_bad(a, n):
    for i in prange(n + 1):
        for j in range(i, len(a), n):
            a[j] = i
