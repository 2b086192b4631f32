"""More of these loops: with functions that are called, and those of several packages."""

from __future__ import annotations

import numpy as np

import cutaway
from corpus.races import PLACES, F, M, case
from cutaway import prange

# --- with functions that are called, of which nothing is known at compile time -------------------


@cutaway.jit
def push(heap, row, value):
    """Put a value in the place of the largest one of a row, if it is smaller."""
    place = 0
    for k in range(heap.shape[1]):
        if heap[row, k] > heap[row, place]:
            place = k
    if value < heap[row, place]:
        heap[row, place] = value


@case("fine", "", M)
def heaps_of_rows(heap):
    for i in prange(heap.shape[0]):
        push(heap, i, -1.0)


@case("fine", "read-write", M)
def heaps_of_neighbors(heap):
    n = heap.shape[0]
    for i in prange(n):
        push(heap, i, -1.0)
        push(heap, (i * 5 + 1) % n, -2.0 - i)


@case("fine", "read-write", M[:, 1:], M[:, :-1])
def arguments_overlap(a, b):
    for j in prange(a.shape[1]):
        for i in range(a.shape[0]):
            a[i, j] = b[i, j] + 1


# --- what several packages do ---------------------------------------------------------------------


@case("warn", "read-write", M, PLACES[:12], (PLACES[:12] * 5 + 1) % 12)
def hogwild(embedding, heads, tails):
    for e in prange(len(heads)):
        j, k = heads[e], tails[e]
        for d in range(embedding.shape[1]):
            step = 0.1 * (embedding[j, d] - embedding[k, d])
            embedding[j, d] += step
            embedding[k, d] -= step


@case("fine", "", F, np.array([[0, 9], [9, 15], [15, 20]]))
def diagonals(t, ranges):
    threads, m = ranges.shape[0], 3
    n = len(t) - m + 1
    best = np.full((threads, n), np.inf)
    for thread in prange(threads):
        for diagonal in range(ranges[thread, 0] + 1, ranges[thread, 1] + 1):
            for i in range(n - diagonal):
                d = abs(t[i] - t[i + diagonal])
                if d < best[thread, i]:
                    best[thread, i] = d
                if d < best[thread, i + diagonal]:
                    best[thread, i + diagonal] = d
    result = np.full(n, np.inf)
    for i in prange(n):
        for thread in range(threads):
            result[i] = min(result[i], best[thread, i])
    return result


@case("fine", "", M)
def two_loops(a):
    total = 0.0
    means = np.zeros(len(a))
    for i in prange(len(a)):
        means[i] = a[i].mean()
    for i in prange(len(a)):
        for j in range(a.shape[1]):
            a[i, j] -= means[j]
        total += means[i]
    return total


@case("fine", "", PLACES % 5, F)
def labeled_sums(labels, x):
    sums = np.zeros(5)
    for k in prange(5):
        for i in range(len(x)):
            if labels[i] == k:
                sums[k] += x[i]
    return sums


@case("warn", "update", PLACES % 5, F)
def labeled_sums_by_place(labels, x):
    sums = np.zeros(5)
    for i in prange(len(x)):
        sums[labels[i]] += x[i]
    return sums


@case("warn", "write-write", np.array([2, 3, 1, 1]), F[:7].copy())
def repeated_by_counts(counts, out):
    for i in prange(len(counts)):
        for k in range(counts[i]):
            out[i + k] = i


@case("warn", "read-write", (PLACES + 1) % 40)
def boruvka(parent):
    for i in prange(len(parent)):
        while parent[i] != parent[parent[i]] and parent[i] < i:
            parent[i] = parent[parent[i]]


@case("fine", "", M, 3)
def shapelets(x, length):
    n, size = x.shape
    out = np.empty((n, size - length + 1))
    for i in prange(n):
        window = np.empty(length)
        for j in range(size - length + 1):
            window[:] = x[i, j : j + length]
            window -= window.mean()
            out[i, j] = np.sum(window**2)
    return out


@case("warn", "write-write", PLACES % 5, np.zeros(5))
def last_of_each(labels, out):
    for i in prange(len(labels)):
        out[labels[i]] = i


@case("fine", "same value", PLACES % 5, np.zeros(5, np.bool_))
def seen(labels, out):
    for i in prange(len(labels)):
        out[labels[i]] = True


@case("fine", "", F, np.array([3, 1, 2, 0]))
def permuted_rows(a, order):
    out = np.empty((4, 10))
    for i in prange(4):
        row = order[i]
        for j in range(10):
            out[i, j] = a[row * 10 + j]
    return out


@case("fine", "", np.zeros((5, 4, 3)), np.array([0, 2]), np.array([True, False, True]))
def chosen_in_rows(out, chosen, mask):
    for i in prange(len(out)):
        out[i, chosen] = 1.0
        out[i, 1, mask] = 2.0
        out[i, ..., 0] = 3.0
        out[i, ...] += 1


@case("warn", "write-write", M, np.array([0, 2, 5]))
def chosen_rows(out, chosen):
    for i in prange(len(out)):
        out[chosen, 1] = i


@case("fine", "", M)
def normalized_rows(a):
    for i in prange(len(a)):
        a[i] /= np.sum(a[i]) + 1.0
        a[i, :] = np.sort(a[i])


@case("warn", "read-write", F)
def normalized_in_place(a):
    for i in prange(len(a)):
        a[i] /= a.sum()


@case("fine", "", np.linspace(0.0, 5.9, 60).reshape(5, 4, 3))
def mirrored(a):
    n, m, k = a.shape
    for i in prange(n):
        for j in range(m // 2):
            for c in range(k):
                a[i, j, c], a[i, m - 1 - j, c] = a[i, m - 1 - j, c], a[i, j, c]


@case("fine", "", np.zeros(30), np.array([3, 0, 5, 2]))
def filled_by_offsets(out, counts):
    offsets = np.zeros(len(counts) + 1, np.int64)
    for i in range(len(counts)):
        offsets[i + 1] = offsets[i] + counts[i]
    for i in prange(len(counts)):
        for k in range(offsets[i + 1] - offsets[i]):
            out[offsets[i] + k] = i


@case("fine", "", np.zeros(36), 6)
def triangle_packed(out, n):
    for i in prange(n):
        for j in range(i + 1):
            out[i * n + j] = i - j


@case("fine", "", M)
def sums_of_rows(a):
    acc, low = np.zeros(a.shape[1]), np.zeros(12)[::2]
    for i in prange(len(a)):
        acc += a[i]
        low[2:5] -= a[i, 2:5]
        low[0] -= 1
    return acc.sum() + low.sum()


@case("warn", "read-write", F, np.zeros(1))
def flag_that_is_read(a, found):
    for i in prange(len(a)):
        if found[0] == 0.0 and a[i] > 2:
            found[0] = 1.0
