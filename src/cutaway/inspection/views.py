"""The views of a program at each level: one row per level.

A row holds functions of the compile unit, so that the trace, the dumps, the stepper and the
command line show the same thing.  To add a view, write its function and add it to the row.
"""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Callable
from typing import Any

from cutaway.foundation.dataclass import dataclass
from cutaway.inspection.gpu.figures import complaints
from cutaway.inspection.witness.stand_ins import stand_ins
from cutaway.ir.interpreter import interpret
from cutaway.ir.levels import Level
from cutaway.ir.printer import op_text, to_text
from cutaway.ir.verifier import verify
from cutaway.stages.unit import CompileUnit
from cutaway.typing.inference.resolutions import unresolved
from cutaway.typing.overloads.parameters import parameters_of
from cutaway.typing.values.coercion import coerce

Run = Callable[[CompileUnit, tuple[Any, ...]], Any]


@dataclass(frozen=True, slots=True)
class View:
    """The functions that show, compare, verify and run a program at one level.

    `state` is compared to detect changes by a pass. `verify` lists violations. `run` runs the
    program; if it is None, the top of the system supplies a function. Graphs are in
    `graphs/kinds.py`.
    """

    level: Level
    text: Callable[[CompileUnit], str]
    state: Callable[[CompileUnit], object]
    verify: Callable[[CompileUnit], tuple[str, ...]] | None = None
    run: Run | None = None

    @property
    def language(self) -> str:
        """The syntax of the text, for coloring."""
        return self.level.language


def source_text(unit: CompileUnit) -> str:
    """Return the user's source, or a note if it is not available."""
    try:
        return textwrap.dedent(inspect.getsource(unit.pyfunc)).rstrip("\n")
    except (OSError, TypeError, ValueError):  # ValueError: a name that no file can have
        return f"# the source of {unit.name} is not available"


def _bytecode_text(unit: CompileUnit) -> str:
    return str(unit.bytecode)


def _cfg_text(unit: CompileUnit) -> str:
    return str(unit.control_flow)


def _ir_text(unit: CompileUnit) -> str:
    return to_text(unit.fn)


def _typed_text(unit: CompileUnit) -> str:
    return to_text(unit.fn, types=unit.types)


def _ir_verify(unit: CompileUnit) -> tuple[str, ...]:
    return tuple(map(str, verify(unit.fn, unit.level)))


def _typed_verify(unit: CompileUnit) -> tuple[str, ...]:
    result = tuple(map(str, verify(unit.fn, unit.level, unit.types)))
    if result:
        return result  # the rest needs the types of all variables
    without = unresolved(unit.fn, unit.types, unit.resolutions)
    return tuple(f"the effects of `{op_text(op)}` are unknown" for op in without)


def _run_python(unit: CompileUnit, args: tuple[Any, ...]) -> Any:
    return unit.pyfunc(*args)


def run_interpreted(unit: CompileUnit, args: tuple[Any, ...], **watch: Any) -> Any:
    """Interpret our own IR; `watch` are further arguments of `interpret`.

    With types, each value is converted to its type by `coerce`, unless `watch` has another one.
    """
    bound = parameters_of(unit.pyfunc, named=True).bind(args)
    if Level.typed.leads_to(unit.level):
        watch = {"types": unit.types, "coerce": coerce, "instead": stand_ins(unit), **watch}
    return interpret(unit.fn, *bound, **watch)


def _ir_state(unit: CompileUnit) -> object:
    return unit.fn


def _typed_state(unit: CompileUnit) -> object:
    return unit.fn, unit.types


def _own_ir(level: Level) -> View:
    if not Level.typed.leads_to(level):
        return View(level, _ir_text, _ir_state, _ir_verify, run_interpreted)
    return View(level, _typed_text, _typed_state, _typed_verify, run_interpreted)


def _llvm_text(unit: CompileUnit) -> str:
    return unit.llvm


def _llvm_opt_text(unit: CompileUnit) -> str:
    return unit.llvm_opt


def _asm_text(unit: CompileUnit) -> str:
    return unit.asm


def _ptx_text(unit: CompileUnit) -> str:
    return unit.ptx


def _object_code(unit: CompileUnit) -> object:
    return unit.object_code


VIEWS: dict[Level, View] = {
    row.level: row
    for row in (
        View(Level.source, source_text, source_text, run=_run_python),
        View(Level.bytecode, _bytecode_text, _bytecode_text, run=_run_python),
        View(Level.cfg, _cfg_text, _cfg_text, run=_run_python),
        _own_ir(Level.ir),
        _own_ir(Level.objects),
        _own_ir(Level.ssa),
        _own_ir(Level.typed),
        _own_ir(Level.arrayexpr),
        _own_ir(Level.parfor),
        View(Level.llvm, _llvm_text, _llvm_text),
        View(Level.llvm_opt, _llvm_opt_text, _llvm_opt_text),
        View(Level.asm, _asm_text, _object_code),
        View(Level.ptx, _ptx_text, _ptx_text, complaints),
    )
}
