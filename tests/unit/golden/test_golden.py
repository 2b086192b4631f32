"""What each pass leaves, as text: the same on every version of Python."""

from __future__ import annotations

import re
import sys

import pytest

import corpora
from cutaway.compiling import compiler
from cutaway.cuda.kernels import KernelHalf
from cutaway.cuda.options import KernelOptions
from cutaway.dispatch.dispatcher import Half
from cutaway.ir.levels import Level
from cutaway.ir.printer import to_text
from cutaway.stages.catalog import PASSES
from cutaway.stages.observers import Observer
from golden.tool import Golden, check, load

PASS_NAMES = [p.name for p in PASSES if p.gives.is_ir or p.gives is Level.llvm]
CASES = [
    pytest.param(name, case, id=f"{name}-{case.title}")
    for name in PASS_NAMES
    for case in load(name)
]


class Snapshot(Observer):
    """Keeps the text that one pass leaves."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.text = ""

    def after_pass(self, unit, step, seconds) -> None:
        if step.name == self.name:
            typed = Level.typed.leads_to(unit.level)
            self.text = to_text(unit.fn, types=unit.types if typed else None)
            if unit.level is Level.llvm:
                self.text = "".join(f"{line.text}\n" for line in unit.callee.code.lines)
                self.text = re.sub(rf"\b{unit.fn.name}\$\d+", unit.fn.name, self.text)
                # Instructions of bytecode have other places in each version.
                self.text = re.sub(r"(cutaway_py_failed\(ptr %env, i32) -?\d+", r"\1 #", self.text)


# What only kernels go through.
OF_GPUS = {"check_kernel"}
# What follows a `with` has other blocks in each version.
OF_FIRST = {"lift_objmode"}


@pytest.mark.parametrize(("name", "case"), CASES)
def test_golden(name, case):
    if name in OF_FIRST and sys.version_info[:2] != corpora.FIRST:
        pytest.skip("compared on one version")

    def produce(case: Golden) -> str:
        half = Half(case.function(), case.flags)
        if name in OF_GPUS:
            half = KernelHalf(half.py_func, half.flags, KernelOptions(cc=(8, 0)))
        unit = compiler.new_unit(half, case.types)
        snapshot = Snapshot(name)
        with compiler.unpublished(half, unit):
            compiler.compile_unit(unit, half.pipeline.until(name), (snapshot,))
        return snapshot.text

    check(case, produce)


def test_every_pass_on_our_own_ir_has_a_golden_file():
    assert [name for name in PASS_NAMES if not load(name)] == []
