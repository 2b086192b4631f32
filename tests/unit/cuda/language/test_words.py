"""Each word and each kind of value in a kernel: it compiles, and its PTX has the instructions."""

from __future__ import annotations

import pytest

from cuda.language import values
from cuda.language.programs import PROGRAMS
from cutaway import cuda

pytestmark = pytest.mark.sampled(others=6, fast=20)

assert values  # imported for its programs


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name)
def test_the_instructions_are_there(program):
    compiled = cuda.jit(cc=(8, 0), **program.options)(program.function)
    ptx = compiled.inspect_ptx(program.signature)
    for word in program.wanted:
        assert (word.removeprefix("!") in ptx) is not word.startswith("!"), word


@cuda.jit(device=True)
def waits(a):
    cuda.syncthreads()
    return a[0]


@cuda.jit(cc=(8, 0))
def waits_within(a):
    a[cuda.threadIdx.x] = waits(a)


def test_llvm_is_told_that_threads_wait_at_one_place():
    text = waits_within.inspect_llvm("void(float64[::1])")
    definitions = [line for line in text.splitlines() if line.startswith("define internal i32 @")]
    assert len(definitions) == 2
    assert all(" convergent " in line for line in definitions)
