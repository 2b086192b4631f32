"""What a kernel cannot do is refused at the user's line, with the call that needs it."""

from __future__ import annotations

import math
import zlib
from pathlib import Path

import numpy as np
import pytest

from cutaway import cuda
from cutaway.errors import CudaError, UnsupportedError
from cutaway.targets.ptx import selection
from cutaway.targets.ptx.selection import look
from cutaway.targets.ptx.toolkit import find_libdevice

pytestmark = pytest.mark.sampled(others=4, fast=15)

SIGNATURE = "void(float64[::1], int64)"


@cuda.jit(device=True)
def ones_of(n):
    return np.ones(n)[0]  # here


@cuda.jit(device=True)
def much_shared(n):
    s = cuda.shared.array(3500, np.float64)
    t = cuda.shared.array(3500, np.int64)
    s[n] = t[n] = n  # here
    return s[0]


def allocates(a, n):
    a[0] = np.zeros(n).sum() + a[1]  # here


def allocates_in_a_device_function(a, n):
    a[0] = ones_of(n)


def a_sum_of_arrays(a, n):
    b = a + a  # here
    a[0] = b[n]


def much_shared_memory(a, n):
    a[0] = much_shared(n)


CASES = [
    (allocates, "`np.zeros(n)` allocates memory", "cuda.local.array"),
    (allocates_in_a_device_function, "allocates memory", "cuda.local.array"),
    (a_sum_of_arrays, "`a + a` allocates memory", "cuda.local.array"),
    (much_shared_memory, "the shared arrays take 56000 bytes, and there are 49152", "shape 0"),
]


@pytest.mark.parametrize(
    ("program", "words", "hint"), CASES, ids=[row[0].__name__ for row in CASES]
)
def test_it_is_refused_by_the_users_line(program, words, hint):
    with pytest.raises(UnsupportedError) as caught:
        cuda.jit(cc=(8, 0))(program).compile(SIGNATURE)
    error = caught.value
    assert words in error.message and hint in error.hint
    assert error.loc.filename == __file__
    with open(__file__, encoding="utf-8") as file:
        line = file.readlines()[error.loc.line - 1]
    assert "# here" in line or line.startswith("def ")


def test_a_capability_that_there_is_not_is_refused():
    with pytest.raises(CudaError, match="9.5") as caught:
        cuda.jit(cc=(9, 5))(a_sum_of_arrays).compile(SIGNATURE)
    assert "9.0" in caught.value.hint


FUNCTIONS = (
    "sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh exp exp2 expm1 log log2 log10"
    " log1p cbrt erf erfc gamma lgamma sqrt"
).split()


# The checksums of libdevice in CUDA 12.9, 13.0 and 13.5: others may have assembly in no table,
# which is tried.
IN_TABLES = (537681118, 3654432712, 3087355565)


def libdevice_is_in_tables():
    path = find_libdevice()
    return path is not None and zlib.crc32(Path(path).read_bytes()) in IN_TABLES


@pytest.mark.skipif(not libdevice_is_in_tables(), reason="no libdevice of CUDA 12.9, 13.0, 13.5")
@pytest.mark.parametrize("fastmath", [False, True])
@pytest.mark.parametrize("kind", ["float64", "float32"])
def test_functions_of_math_need_no_attempt(kind, fastmath, monkeypatch):
    lines = "".join(f"    x[{k}] = math.{name}(x[{k}])\n" for k, name in enumerate(FUNCTIONS))
    lines += "".join(
        f"    x[0] = math.{name}(x[1], x[2])\n" for name in ("pow", "hypot", "atan2", "fmod")
    )
    space = {"math": math}
    exec(f"def program(x):\n{lines}", space)  # noqa: S102
    found = []

    def watched(text, machine):
        found.append(look(text, machine))
        return found[-1]

    monkeypatch.setattr(selection, "look", watched)
    cuda.jit(cc=(8, 0), fastmath=fastmath)(space["program"]).compile(f"void({kind}[:])")
    assert [(one.refusal, one.unknown) for one in found] == [(None, ())]


def test_what_no_table_has_is_tried():
    module = selection.Module(
        "define ptx_kernel void @f(ptr %q) {\n"
        '  %r = call i32 asm sideeffect "hello $0;", "=Z"()\n'
        "  store i32 %r, ptr %q\n  ret void\n}\n",
        selection.Cpu("sm_80", "+ptx70", "nvptx64-nvidia-cuda"),
    )
    refused = selection.refused(module, selection.Cpu("sm_80", "+ptx70", "nvptx64-nvidia-cuda"))
    assert refused is not None and "constraint 'Z'" in refused[0].words
