"""Lower a function of objects to LLVM IR (stage 6b).

    $0.3 = a + b    ->    %$0.3.5 = call ptr @cutaway_py_add(ptr %a.1, ptr %b.2)
                          %$t.6 = icmp eq ptr %$0.3.5, null
                          br i1 %$t.6, label %B0.raised.7, label %B0.done.8

Each op is a call of a function of one table (`lowering/objects/api.py`), which has its operands,
result and errors.  The function is called with its environment, the objects that it refers to.
"""

from __future__ import annotations

from cutaway.lowering.build.builder import symbol
from cutaway.lowering.llvm_values import LlvmPart
from cutaway.lowering.objects.environment import Environment
from cutaway.lowering.objects.function import ObjectLowering
from cutaway.lowering.objects.generators import GeneratorLowering
from cutaway.lowering.objects.module import environment_name
from cutaway.stages.unit import CompileUnit
from cutaway.targets.cpu.engine import Plan

# Machine code is mostly calls, which longer pipelines do not improve.
OBJECT_PLAN = Plan("light", vectorize=False, slp=False, unroll=False)


def run(unit: CompileUnit) -> None:
    """Lower the function into its callee record."""
    callee = unit.callee
    assert callee is not None
    environment = Environment(unit.pyfunc)
    kind = GeneratorLowering if unit.fn.generator else ObjectLowering
    lowering = kind(unit.fn, unit.symbol, environment)
    code = lowering.run()
    code.globals["env"] = f"{symbol(environment_name(callee))} = extern_weak global i8"
    callee.code, callee.returns = code, unit.return_type
    if unit.recording:
        unit.llvm_values = {
            name: (LlvmPart(name, "ptr", slot, unit.symbol, "", lowering.memory_of(name)),)
            for name, slot in lowering.slots.items()
        }
    callee.environment = environment.array()
    callee.unstable = "it is compiled in object mode, and refers to objects of this process"
    unit.plan = OBJECT_PLAN.on(callee.cpu)
