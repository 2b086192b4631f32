"""Make a callable of one level of a compilation: its LLVM IR, or its machine code."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cutaway.compiling import compiler
from cutaway.dispatch.binding import learn
from cutaway.dispatch_c._dispatch import ABSENT
from cutaway.errors import CudaError
from cutaway.ir.levels import Level
from cutaway.lowering.layout import is_extension
from cutaway.stages.machine import link
from cutaway.stages.unit import CompileUnit
from cutaway.targets.cpu.engine import NOTHING, Module
from cutaway.typing.overloads.parameters import parameters_of
from cutaway.typing.types import Type
from cutaway.typing.values.typeof import typeof


def native_code(unit: CompileUnit, level: Level) -> Callable[..., Any]:
    """Return a callable for the LLVM IR or the machine code of a unit at a level.

    Raises CudaError for code of a GPU.
    """
    if unit.target.machine.triple:
        raise CudaError(
            f"{unit.name} is compiled for a GPU, and cannot run here at level {level}",
            hint="levels up to arrayexpr run in Python",
        )
    later = unit if level is Level.asm and unit.has("library") else _relinked(unit, level)
    specialization = compiler.specialization(later)
    parameters = parameters_of(unit.pyfunc)

    def call(*args: Any) -> Any:
        bound = parameters.bind(args, ABSENT)
        _learn_extensions(bound, unit.argtypes or ())
        return specialization(*bound)

    return call


def _learn_extensions(bound: tuple[Any, ...], argtypes: tuple[Type, ...]) -> None:
    """Teach the C half values of extension types, which it may never have seen in a call."""
    for value, ty in zip(bound, argtypes, strict=True):
        if value is not ABSENT and is_extension(ty) and typeof(value) is ty:
            learn(value, ty)


def _relinked(unit: CompileUnit, level: Level) -> CompileUnit:
    later = unit.copy()
    later.__dict__.pop("library", None)
    if level is not Level.asm:
        module = Module(unit.llvm if level is Level.llvm else unit.llvm_opt, unit.plan.cpu)
        # Run this level's text as it is, without further optimization.
        module.optimize(NOTHING.on(unit.plan.cpu))
        later.object_code = module.object_code()
    link.run(later)
    return later
