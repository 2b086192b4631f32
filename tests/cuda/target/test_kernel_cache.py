"""Code of kernels that is kept on disk: found by a later process, and never for another kernel."""

from __future__ import annotations

import subprocess
import sys

import pytest

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
        ran = subprocess.run(
            [sys.executable, str(path)], capture_output=True, text=True, check=False
        )
        assert ran.returncode == 0, ran.stderr
        first, second = ran.stdout.splitlines()
        assert second == "1"
        return first

    return run


def test_a_second_process_finds_the_code_and_another_kernel_does_not(run):
    assert run() == "0 1 1 (8, 0) True kernel"
    assert run() == "1 0 1 (8, 0) True kernel"
    assert run(cc=(7, 5)) == "0 1 1 (7, 5) True kernel"
    assert run(scale="3.0", debug=True).startswith("0 1")
