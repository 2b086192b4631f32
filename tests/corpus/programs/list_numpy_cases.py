"""Lists where NumPy takes arrays, and arrays in lists."""

from __future__ import annotations

import numpy as np

from corpus.programs.cases import case

NUMBERS = [([3, -1, 2],), ([1.5, -0.0, 2.5],), ([True, False, True],), ([1j, 2 + 1j],)]
REAL = NUMBERS[:3]
ROWS = [([[3, -1], [2, 5], [0, 0]],), ([[1.5, 2.5]],), ([[True], [False]],)]


@case(*NUMBERS, *ROWS)
def as_arrays(a):
    b = np.array(a)
    c = np.asarray(a)
    b[0] = b[-1]
    return b, c, np.array(a, dtype=np.complex128), a


@case(*NUMBERS)
def arrays_of_a_local_list(a):
    out = []
    for one in a:
        out.append(one * 2)
    first = np.array(out)
    out.append(a[0])
    return first, np.array(out), np.asarray(out)


@case((3,), (0,))
def arrays_of_a_list_that_grew(n):
    out = []
    for k in range(n):
        out.append(k * 0.5)
    return np.array(out), np.array(out).sum()


@case((3,), (1,))
def arrays_of_rows(n):
    rows = []
    for k in range(n):
        rows.append([k, k * k])
    return np.array(rows), np.array(rows).T


@case(([[1, 2], [3]],), ([[], [1]],))
def rows_of_different_lengths(rows):
    return np.array(rows)


@case(*REAL)
def reductions(a):
    return (
        np.sum(a),
        np.mean(a),
        np.max(a),
        np.min(a),
        np.prod(a),
        np.std(a),
        np.argmax(a),
        np.any(a),
    )


@case(*ROWS)
def reductions_of_rows(a):
    return np.sum(a, axis=0), np.mean(a), np.max(a, axis=1), np.shape(a), np.size(a), np.ndim(a)


@case(*REAL)
def functions_of_arrays(a):
    return np.sort(a), np.cumsum(a), np.unique(a), np.diff(np.array(a) * 1.0), np.flip(a)


@case(*NUMBERS)
def elementwise(a):
    return np.exp(a), np.multiply(a, 2), np.add(a, a), np.where(np.array(a) == a[0], 1, 0)


@case(([0, 2, -1],), ([1],), ([],))
def as_an_index(index):
    a = np.arange(12.0).reshape(4, 3)
    b = np.arange(5) * 10
    return a[index], b[index], a[:, index]


@case(([True, False, True, False, True],))
def booleans_as_an_index(index):
    a = np.arange(5.0)
    return a[index], a[np.array(index)]


@case(([0, 2],))
def stored_by_a_list(index):
    a = np.zeros(4)
    a[index] = 5.0
    a[1:3] = index
    return a


@case(lambda: ([1, 2, 3], np.arange(3.0)))
def operators_with_arrays(a, b):
    return b + a, a * b, b - a, b < a, b == a, a + b


@case(
    ([1.5, 2.5], [0.5, 1.0]),
)
def products(a, b):
    return np.dot(a, b), np.outer(a, b), np.inner(a, b)


@case(
    ([1, 2], [3]),
)
def joined(a, b):
    return (
        np.concatenate((a, b)),
        np.hstack((a, b)),
        np.append(a, b),
        np.repeat(a, 2),
        np.tile(a, 2),
    )


@case(lambda: ([np.arange(3.0), np.ones(3)],))
def arrays_in_a_list(rows):
    total = np.zeros(3)
    for row in rows:
        total += row
    rows.append(total)
    return rows[0] @ rows[1], len(rows)


@case(lambda: ([np.arange(3.0), np.ones(2)],))
def concatenated_arrays(rows):
    return np.concatenate(rows)


@case(lambda: ([np.arange(3.0), np.ones(3)],))
def stacked_arrays(rows):
    return np.stack(rows), np.vstack(rows), np.array(rows)


@case(lambda: (np.arange(4.0),))
def lists_of_arrays(a):
    out = list(a)
    out.append(9.0)
    rows = list(a.reshape(2, 2))
    return out, a.tolist(), rows, len(rows)


@case(([1, 2, 3],), ([],))
def full_of_a_list(a):
    b = np.zeros(len(a) + 1)
    b[: len(a)] = a
    for k, x in enumerate(a):
        b[k] += x
    return b, np.full(3, len(a)), np.linspace(0, 1, len(a) + 1)


@case(([1.5, 2.5, 0.5],))
def methods_of_the_array(a):
    b = np.asarray(a)
    return b.sum(), b.max(), b.argsort(), sorted(b), list(b), b.tolist() == a


@case(([1, 2, 3],))
def changes_do_not_reach_the_list(a):
    b = np.asarray(a)
    b[0] = 9
    return a, b
