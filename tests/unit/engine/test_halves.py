"""Code for float16 gives the same bits on every processor, with instructions for it or without."""

from __future__ import annotations

import platform
import re

import numpy as np
import pytest

import cutaway
from cutaway import config
from cutaway.runtime import made_up
from cutaway.targets.cpu.engine import Module
from cutaway.targets.cpu.object_file import undefined_symbols
from cutaway.targets.cpu.optimization import Cpu, Plan

pytestmark = pytest.mark.sampled(others=4, fast=20)

ON_X86 = pytest.mark.skipif(
    platform.machine().lower() not in ("x86_64", "amd64"), reason="these are names of x86-64"
)
PROCESSORS = [("x86-64-v2", ""), ("x86-64-v3", ""), ("x86-64-v3", "-f16c"), ("host", "")]
# All of fastmath but for `contract`: a processor that multiplies and adds halves in one instruction
# rounds once.
NO_CONTRACTION = {"nnan", "ninf", "nsz", "arcp", "afn", "reassoc"}
EVERY = np.arange(1 << 16).astype(np.uint16).view(np.float16)
CONVERSIONS = """
define double @f(double %x, float %y, i64 %n, ptr %p) {
  %a = fptrunc double %x to half
  %b = fptrunc float %y to half
  %c = fadd half %a, %b
  %d = call half @llvm.sqrt.f16(half %c)
  store half %d, ptr %p
  %v = load <8 x half>, ptr %p, align 2
  %w = fmul <8 x half> %v, %v
  store <8 x half> %w, ptr %p, align 2
  %e = fpext half %d to double
  ret double %e
}
declare half @llvm.sqrt.f16(half)
"""


def computed(a, b, c):
    out = np.empty(len(a), dtype=np.float16)
    for k in range(len(a)):
        out[k] = a[k] * b[k] + c[k]
    return out, a * b + c, a.astype(np.float64) * 0.3, (a * b).sum(), np.sqrt(a), -a


def same(one, other):
    one, other = np.asarray(one), np.asarray(other)
    nan = np.isnan(one) & np.isnan(other)
    return bool((((one == other) & (np.signbit(one) == np.signbit(other))) | nan).all())


def operands():
    random = np.random.default_rng(1)
    return EVERY, random.permutation(EVERY), random.permutation(EVERY)


@ON_X86
@pytest.mark.parametrize("fastmath", [False, NO_CONTRACTION], ids=["strict", "fast"])
@pytest.mark.parametrize(("name", "features"), PROCESSORS)
def test_each_operation_is_rounded_on_each_processor(name, features, fastmath):
    given = operands()
    finite = [np.nan_to_num(a, posinf=1, neginf=-1) for a in given]
    args = finite if fastmath else given
    with np.errstate(all="ignore"), config.using(CPU=name, CPU_FEATURES=features):
        wanted = (args[0] * args[1] + args[2], *computed(*args)[1:])
        found = cutaway.jit(computed, fastmath=fastmath)(*args)
    assert all(a.dtype == b.dtype for a, b in zip(wanted[:3], found[:3], strict=True))
    assert all(map(same, wanted, found))


@ON_X86
@pytest.mark.parametrize(("name", "features"), PROCESSORS)
def test_a_float64_becomes_a_float16_in_one_step(name, features):
    low, high = EVERY[:-1].astype(np.float64), EVERY[1:].astype(np.float64)
    with np.errstate(all="ignore"):
        middle = (low + high) / 2
        numbers = np.concatenate([middle, np.nextafter(middle, np.inf), np.nextafter(middle, 0)])
        wanted = numbers.astype(np.float16)
    with config.using(CPU=name, CPU_FEATURES=features):
        found = cutaway.jit(lambda a: a.astype(np.float16))(numbers)
        one_by_one = cutaway.jit(lambda x: np.float16(x))
        assert all(same(one_by_one(numbers[k]), wanted[k]) for k in range(0, len(numbers), 997))
    assert same(wanted, found)


@ON_X86
@pytest.mark.parametrize("name", ["generic", "x86-64-v2", "x86-64-v3", "x86-64-v4"])
def test_what_llvm_calls_for_it_is_there(name):
    module = Module(CONVERSIONS, Cpu(name))
    module.optimize(Plan(cpu=Cpu(name)))
    needed = set(undefined_symbols(module.object_code()) or ())
    assert "__truncdfhf2" in needed
    assert needed <= set(made_up)


def test_another_machine_has_instructions_for_it():
    elsewhere = Cpu("generic", "", "aarch64-unknown-linux-gnu")
    module = Module(CONVERSIONS, elsewhere)
    module.optimize(Plan(cpu=elsewhere))
    text = module.assembly
    assert re.search(r"fcvt\th\d+, d\d+", text)
    assert "\tbl\t" not in text
