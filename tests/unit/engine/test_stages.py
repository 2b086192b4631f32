"""The three passes from LLVM IR to loaded code, on a unit that has only what they read."""

from __future__ import annotations

from types import SimpleNamespace

from cutaway.lowering.callee import Callee
from cutaway.stages.machine import emit_object, link, optimize_llvm
from cutaway.targets.cpu.engine import LIGHT
from cutaway.targets.cpu.target import CPU
from engine.kernels import ADD


def test_the_passes_hand_on_module_object_and_library():
    unit = SimpleNamespace(
        llvm=ADD.replace("@add", "@add.entry"),
        plan=LIGHT,
        symbols={},
        callee=Callee("add", ()),
        timing_llvm=False,
        target=CPU,
    )
    optimize_llvm.run(unit)
    emit_object.run(unit)
    link.run(unit)
    assert "add i64 %a, %b" in unit.module.text
    assert unit.object_code.startswith(b"\x7fELF")
    assert unit.library.address("add.entry")
