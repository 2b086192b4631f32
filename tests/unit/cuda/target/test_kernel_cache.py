"""Code of kernels that is kept on disk: found by a later process, and never for another kernel."""

from __future__ import annotations

import os
import sys

import pytest

import warm

PROGRAM = """\
import sys
from cutaway import cuda, types
from cutaway.cuda.code import code_of

SCALE = {scale}

@cuda.jit(cache=True, debug={debug}, cc={cc})
def kernel(a):
    i = cuda.grid(1)
    if i >= 100:
        raise ValueError("too far", 3)
    a[i] *= SCALE

code = code_of(kernel.half, (types.Array(types.float64, 1, "C"),))
info = kernel.half.cache.info()
print(info.hits, info.misses, len(info.files), code.cc, ".target sm_" in code.ptx, code.name)
print(list(map(repr, code.explanations._sites.values()))[0].count("too far"))
"""


@pytest.fixture
def run(tmp_path):
    def run(scale="2.0", debug=False, cc=(8, 0)):
        path = tmp_path / "program.py"
        path.write_text(PROGRAM.format(scale=scale, debug=debug, cc=cc))
        ran = warm.run([sys.executable, str(path)], capture_output=True, text=True, check=False)
        assert ran.returncode == 0, ran.stderr
        first, second = ran.stdout.splitlines()
        assert second == "1"
        return first

    return run


CALLING = """\
import numpy as np
from cutaway import cuda, types, vectorize
from cutaway.cuda.code import code_of

@cuda.jit(device=True)
def twice(x):
    return x * {factor}

@vectorize(target="cuda", cache=True, cc=(8, 0))
def shifted(x):
    return twice(x) + 1

@cuda.jit(cache=True, cc=(8, 0))
def kernel(a):
    a[0] = shifted(a[0])

for one, argtypes in (kernel, (types.float64[::1],)), shifted.prepared(np.arange(3.0)):
    code_of(one.half, argtypes)
    info = one.half.cache.info()
    print(info.hits, info.misses, len(info.reasons))
"""


def test_functions_that_a_kernel_calls_are_part_of_what_it_is_known_by(tmp_path):
    found = []
    for factor in (2, 2, 3):
        (tmp_path / "program.py").write_text(CALLING.format(factor=factor))
        command = [sys.executable, str(tmp_path / "program.py")]
        home = {**os.environ, "CUTAWAY_CACHE_DIR": str(tmp_path / "cache")}
        ran = warm.run(command, capture_output=True, text=True, check=False, env=home)
        assert ran.returncode == 0, ran.stderr
        found.append(ran.stdout.split())
    assert found == [["0", "1", "0"] * 2, ["1", "0", "0"] * 2, ["0", "1", "0"] * 2]


def test_a_second_process_finds_the_code_and_another_kernel_does_not(run):
    assert run() == "0 1 1 (8, 0) True kernel"
    assert run() == "1 0 1 (8, 0) True kernel"
    assert run(cc=(7, 5)) == "0 1 1 (7, 5) True kernel"
    assert run(scale="3.0", debug=True).startswith("0 1")
