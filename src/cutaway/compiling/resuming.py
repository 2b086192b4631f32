"""Resume from an edited program: run the remaining passes, check the result, return a callable.

Loaded with the first edit that is resumed.  The edit is a pass that replaces the IR so far with the
edited program; so it shows in the record, and in the pipeline.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from cutaway.compiling import compiler, sessions
from cutaway.dispatch_c._dispatch import Specialization
from cutaway.errors import CudaError, CutawayError, EditError, InternalError
from cutaway.foundation.dataclass import dataclass
from cutaway.inspection.editing.check import checked
from cutaway.inspection.editing.edited import EditedFunction
from cutaway.inspection.editing.editing import EditedView, check_types
from cutaway.inspection.editing.llvm_edits import as_it_is
from cutaway.inspection.recording import recorder
from cutaway.ir.levels import Level
from cutaway.stages.passes import Pass
from cutaway.stages.pipeline import Pipeline
from cutaway.stages.unit import CompileUnit
from cutaway.targets.cpu.engine import Module
from cutaway.typing.types import Type

if TYPE_CHECKING:
    from cutaway.dispatch.dispatcher import Half
    from cutaway.inspection.recording.recording import Native
    from cutaway.inspection.trace import Compilation

EDIT = "edit"  # the name of the pass
_CARRIED = ("bytecode", "control_flow", "fn", "types", "return_type")


@dataclass(frozen=True, slots=True)
class Top:
    """The continuation of an edit for one trace: the function, the arguments that it was called
    with (None: with types), and how dispatch binds and types arguments."""

    half: Half
    args: tuple[Any, ...] | None
    native: Native
    bind: Callable[..., tuple[Any, ...]]
    types_of: Callable[[tuple[Any, ...]], tuple[Type, ...]]

    def resume(
        self, view: EditedView, args: tuple[Any, ...] | None, unsafe: bool
    ) -> EditedFunction:
        """Compile an edited program and check it."""
        compilation = self._compiled(view)
        compilation.resume = self.resume
        unit = compilation.records[-1].unit_after
        assert unit is not None and view.compilation is not None
        if unit.target.machine.triple:
            return self._for_gpu(view, compilation)
        specialization = compiler.specialization(unit)
        call = self._call(specialization, unit, compilation.signature)
        arguments = self.args if args is None else args
        words = checked(
            compilation.signature,
            lambda *own: call(own, {}),
            _original(view.compilation),
            arguments,
            unsafe,
        )
        compilation.edits = (*view.compilation.edits, f"edited at level {view.level}: {words}")
        return EditedFunction(compilation, self.half.py_func, specialization, call)

    def _for_gpu(self, view: EditedView, compilation: Compilation) -> EditedFunction:
        """Return an edited kernel or device function, which cannot be called or checked here."""
        before = view.compilation
        assert before is not None
        words = f"edited at level {view.level}: not checked: a GPU runs it"
        compilation.edits = (*before.edits, words)
        name = self.half.py_func.__name__

        def call(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
            raise CudaError(
                f"the edited {name} is compiled for a GPU, and cannot be called here",
                hint='.compilation.at("ptx").text is its code',
            )

        return EditedFunction(compilation, self.half.py_func, None, call)

    def _compiled(self, view: EditedView) -> Compilation:
        """Return the record of an edited program's compilation, from the source on."""
        before = view.compilation
        assert before is not None
        earlier = before.records[: view.position]
        rest = self._rest([record.name for record in earlier])
        compilation = self._recorded(view, rest)
        if compilation.error is not None:
            raise _refusal(view, compilation.error)
        compilation.records[:0] = earlier
        compilation.unit = before.unit
        return compilation

    def _rest(self, done: list[str]) -> tuple[Pass, ...]:
        """Return the passes after the last one that has run; earlier edits are not applied
        again."""
        names = self.half.pipeline.names
        last = max(names.index(name) for name in done if name in names)
        return self.half.pipeline.passes[last + 1 :]

    def _recorded(self, view: EditedView, rest: tuple[Pass, ...]) -> Compilation:
        assert view.original is not None
        state, shared = view.original.unit, sessions.Session()
        while True:
            unit = state.copy() if view.is_llvm else _begun(self.half, state)
            pipeline = Pipeline((_edit(view), *rest), view.unit.level)
            with compiler.unpublished(self.half, unit, shared):
                compilation = recorder.record(unit, pipeline, compiler.compile_unit, self.native)
            if not compiler.begins_again(compilation, shared):
                return compilation

    def _call(
        self, specialization: Specialization, unit: CompileUnit, signature: str
    ) -> Callable[[tuple[Any, ...], dict[str, Any]], Any]:
        argtypes, name = unit.argtypes, unit.name

        def call(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
            bound = self.bind(*args, **kwargs)
            kinds = self.types_of(bound)
            if kinds != argtypes:
                listed = ", ".join(map(str, kinds))
                raise TypeError(f"the edited {signature} was called with {name}({listed})")
            return specialization(*bound)

        return call


def _original(compilation: Compilation) -> Callable[..., Any]:
    """Return the reference for an edited program: the original's machine code, or the Python
    function where that could not be compiled."""
    if compilation.error is not None or Level.asm.value not in compilation.levels:
        return compilation.unit.pyfunc
    return compilation.at(Level.asm).run


def _begun(half: Half, state: CompileUnit) -> CompileUnit:
    """Return a new unit at the same stage as another one."""
    assert state.argtypes is not None
    unit = compiler.new_unit(half, state.argtypes)
    copied = state.copy()
    for name in _CARRIED:
        if name in copied.__dict__:
            unit.__dict__[name] = copied.__dict__[name]
    unit.plain, unit.level, unit.done = copied.plain, copied.level, copied.done
    if Level.typed.leads_to(state.level) and unit.callee is not None and state.callee is not None:
        unit.callee.recursive = state.callee.recursive  # inference determined it
        unit.callee.never_returns = state.callee.never_returns
    return unit


def _edit(view: EditedView) -> Pass:
    """Return the pass that installs the edited program."""
    level, edited = view.unit.level, view.unit

    def run(unit: CompileUnit) -> None:
        """Replace the unit's IR with the program edited by hand."""
        if level is Level.llvm:
            unit.llvm = view.written
        elif level is Level.llvm_opt:
            unit.module = Module(view.written, unit.plan.cpu)
            unit.module.optimize(as_it_is(unit.plan))
            unit.llvm_opt = view.written
        else:
            copied = edited.copy()
            unit.fn, unit.plain = copied.fn, copied.plain
            if Level.typed.leads_to(level):
                unit.types, unit.return_type = copied.types, copied.return_type
                check_types(view, unit)

    stage = next(p.stage for p in reversed(_passes(view)) if p.gives is level)
    return Pass(EDIT, run, level, level, stage, required=False)


def _passes(view: EditedView) -> list[Pass]:
    assert view.compilation is not None
    return [record.step for record in view.compilation.records[: view.position]]


def _refusal(view: EditedView, error: BaseException) -> BaseException:
    """Return the error for an edited program that cannot be compiled."""
    if isinstance(error, EditError) or not isinstance(error, CutawayError):
        return error
    is_ours = isinstance(error, InternalError)  # a pass met IR that no pass leaves
    message = error.message.removeprefix("pass ") if is_ours else error.message
    refusal = EditError(
        f"the edited {view.unit.name} cannot be compiled: {message}",
        error.loc,
        "view.diff() shows what was edited" if is_ours or not error.hint else error.hint,
        error.notes,
    )
    refusal.__cause__ = error
    return refusal
