"""Loops on disk: a second process runs them without LLVM."""

from __future__ import annotations

import os
import sys

import warm

PROGRAM = """
import numpy as np
from cutaway import guvectorize, jit, vectorize

FACTOR = 1

@vectorize(["float64(float64, float64)"], cache=True)
def f(a, b):
    if a > 1e9:
        raise ValueError("too large")
    return a * b + FACTOR

@vectorize(cache=True)
def d(a):
    return a * 2

@guvectorize(["void(float64[:], float64[:])"], "(n)->()", cache=True)
def total(a, out):
    out[0] = a.sum()

@jit(cache=True)
def h(x):
    return f(x, 2.0).sum()

print(f(2.0, 3), d(np.arange(3)).tolist(), d(1.5), total(np.ones((2, 3))).tolist(), h(np.ones(3)))
try:
    f(1e10, 1.0)
except ValueError as error:
    print(error, error.__traceback__.tb_next.tb_lineno)
print(d.types, "llvmlite" in open("/proc/self/maps").read())
print([one.cache_info().hits for one in (f, d, total, h)], f.cache_info().reasons)
"""


def run(folder, program):
    (folder / "program.py").write_text(program)
    environment = {**os.environ, "CUTAWAY_CACHE_DIR": str(folder / "cache")}
    done = warm.run(
        [sys.executable, str(folder / "program.py")],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.splitlines()


def test_a_second_process_runs_the_loops_of_the_first(tmp_path):
    first, second = run(tmp_path, PROGRAM), run(tmp_path, PROGRAM)
    assert (
        first[:2]
        == second[:2]
        == [
            "7.0 [0, 2, 4] 3.0 [3.0, 3.0] 9.0",
            "too large 10",
        ]
    )
    assert first[2:] == ["['l->l', 'd->d'] True", "[0, 0, 0, 0] ()"]
    assert second[2:] == ["['l->l', 'd->d'] False", "[1, 2, 2, 1] ()"]
