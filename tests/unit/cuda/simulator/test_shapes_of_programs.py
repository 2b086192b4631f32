"""Programs whose blocks lie in ways that Python's loops do not show at once."""

from __future__ import annotations

import math

import numpy as np

from cutaway import cuda


def ways_meet_within_a_loop(r, c, n, x):
    g = cuda.grid(1)
    i, j, y, z = (n, 3, x, 0.5)
    if max(0.25 if n > 2 else 0.25, abs(complex(y, x))) >= math.cbrt(abs(y * x)):
        pass
    else:
        k = 0
        while k < i % 4 and 2 <= 2 < 11:
            if g <= int((z - 0.25) % 50.0):
                pass
            else:
                j = (
                    cuda.selp(not 13 % 2, j, j)
                    if 2 <= divmod(g, 7)[0] < 11
                    else abs(5) % 97 << 13 % 4
                )
    r[g] = j


def test_where_ways_meet_within_a_loop():
    r = np.zeros(4, np.int64)
    simulation = cuda.simulate(cuda.jit(ways_meet_within_a_loop))
    compile(simulation.source(r, r, 3, 2.0), "<simulated>", "exec")  # no `break` without a loop
    simulation[1, 4](r, r, 3, 2.0)
    assert r.tolist() == [3, 3, 3, 3]
