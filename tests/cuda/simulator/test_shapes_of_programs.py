"""Programs whose blocks lie in ways that Python's loops do not show at once."""

from __future__ import annotations

import numpy as np

from cutaway import cuda


def merges_in_a_loop_that_begins_with_a_branch(r, n, x):
    g = cuda.grid(1)
    j = 3
    k = 0
    if x < 1.0:
        j = 1
    else:
        while k < n % 4 and 2 <= n < 11:
            k += 1
            if g <= int((x - 0.25) % 50.0):
                j += 2
            else:
                j = cuda.selp(k > 1, j * 5, j) if 2 <= divmod(g, 7)[0] < 11 else j + 5
    r[g] = j


def ways_meet(n, x):
    """What each of four threads writes."""
    found = []
    for g in range(4):
        j, k = 3, 0
        while k < n % 4 and 2 <= n < 11:
            k += 1
            if g <= int((x - 0.25) % 50.0):
                j += 2
            else:
                j += 5
        found.append(j)
    return found


def test_where_ways_meet_within_a_loop():
    r = np.zeros(4, np.int64)
    kernel = cuda.jit(merges_in_a_loop_that_begins_with_a_branch)
    cuda.simulate(kernel)[1, 4](r, 3, 2.0)
    assert r.tolist() == ways_meet(3, 2.0)
