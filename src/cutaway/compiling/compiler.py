"""Compile one function for one signature: the one place where passes meet the layers above.

A specialization is compiled in two halves.  The front half runs from source to LLVM IR, on demand
also for a function's callees; the back half, LLVM and machine code, runs only for functions called
from Python.  A recursive call finds its own function's unfinished unit.
"""

from __future__ import annotations

import builtins
import itertools
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from types import CellType, CodeType, FunctionType
from typing import TYPE_CHECKING, Any

from cutaway.caching import array_loops, library_functions
from cutaway.compiling import constants, object_blocks, sessions
from cutaway.compiling.compilable import (
    InnerFunction,
    LibraryFunction,
    as_called,
    library_function,
    runs_here,
    target_of,
)
from cutaway.compiling.sessions import Compilable, Key, Session
from cutaway.dispatch_c import _dispatch
from cutaway.errors import CompileError, CutawayError, TypingError, UnsupportedError
from cutaway.foundation import loading
from cutaway.foundation.options import Flags
from cutaway.foundation.source import Loc, is_ours, line_of, shown_file
from cutaway.frontend.build import build_function
from cutaway.ir import frame_functions, lifted
from cutaway.ir.editing import Editor
from cutaway.ir.function import Function
from cutaway.ir.levels import Level
from cutaway.library import areas
from cutaway.lowering import linked
from cutaway.lowering.build.raising import (
    RaiseTable,
)
from cutaway.lowering.callee import Callee
from cutaway.lowering.layout import descriptor
from cutaway.lowering.module import entry_name
from cutaway.lowering.objects import environment
from cutaway.runtime import _runtime
from cutaway.stages.pipeline import Pipeline
from cutaway.stages.runner import PassManager
from cutaway.stages.unit import CompileUnit, Services
from cutaway.stages.untyped import lift_objmode
from cutaway.targets.cpu import processors
from cutaway.targets.cpu.optimization import HOST
from cutaway.typing.inference import literals
from cutaway.typing.inference.solver import Inference
from cutaway.typing.overloads.parameters import called_types
from cutaway.typing.overloads.resolution import MISSING, Call
from cutaway.typing.types import ListDisplay, Type, shortened, undefined
from cutaway.typing.types.conversions import unify

if TYPE_CHECKING:
    from cutaway.inspection.trace import Compilation
    from cutaway.ir.object_blocks import ObjectBlock
    from cutaway.stages.observers import Observer

DEEPEST_NESTING = 40  # the deepest chain of functions that are compiled for their callers
MOST_KINDS = 8  # the most argument types of one function in that chain

# The C modules import no Python module: their callbacks are registered here.
_runtime.set_frame_hook(frame_functions.check, tuple(frame_functions.FUNCTIONS.values()), builtins)
loading.run(areas)


class Restart(CutawayError):
    """A recursive cycle assumed a wrong return type: all its functions are compiled once more, with
    the types that are known now."""


class NestedTooDeep(Restart):
    """A function nested so deep in callers' compilations that it has to be compiled before them."""

    def __init__(self, key: Key, loc: Loc) -> None:
        super().__init__(f"{key[0].py_func.__name__} is compiled first", loc)
        self.key = key


_SERIAL = itertools.count(1)


def new_unit(function: Compilable, argtypes: tuple[Type, ...]) -> CompileUnit:
    """Return a new compile unit for a function and its argument types.

    Raises SettingError where the processor to compile for is unknown.
    """
    target = target_of(function)
    # Raise tables are looked up by this name at run time, so no two specializations may share it.
    stem = target.stem(function.py_func.__name__)
    symbol = table_symbol = f"{stem}${next(_SERIAL)}"
    is_library = is_ours(function.py_func)
    if is_library and _is_kept(function):
        known = library_functions.symbol_of(function.py_func, function.flags, argtypes, target)
        symbol = known or symbol
    table = RaiseTable(table_symbol, hidden=is_library)
    callee = Callee(
        symbol,
        argtypes,
        table=table,
        parameters=function.parameters,
        origin=function.py_func,
        target=target,
        flags=function.flags,
    )
    callee.is_lasting = symbol != table_symbol
    if type(function) is LibraryFunction and not is_library:
        callee.extension = function.py_func
    unit = CompileUnit(function.py_func, argtypes, function.flags, SERVICES, symbol, callee)
    unit.declared_return = function.returns.get(argtypes)
    unit.itself = function.itself
    if function.body is not None:  # its body was cut out of another function's IR
        unit.fn, unit.level = function.body.copy(), Level.ir
    if isinstance(function, InnerFunction):
        unit.captured = function.captured
    return unit


def compile_unit(
    unit: CompileUnit, pipeline: Pipeline, observers: Sequence[Observer] = ()
) -> CompileUnit:
    """Run a unit through a pipeline, in turn with other threads after each pass.

    Raises CompileError where the user's program cannot be compiled.
    """
    here = sessions.current()
    with sessions.opened() if here is None else nullcontext(here) as session:
        with session.compiling(unit):
            manager = PassManager(unit, pipeline, observers)
            while not manager.finished:
                manager.step(before=sessions.pause)
    return unit


def lower(
    function: Compilable, argtypes: tuple[Type, ...], observers: Sequence[Observer] = ()
) -> CompileUnit:
    """Return the unit of a specialization, compiled at least to LLVM IR; each is compiled once."""
    with sessions.opened() as session:
        unit = _lowered(session, (function, argtypes), observers)
        session.publish()
    return unit


def _lowered(session: Session, key: Key, observers: Sequence[Observer]) -> CompileUnit:
    if session.nested:
        return _lowered_here(session, key, observers)
    waiting = [key]
    while True:
        try:
            unit = _lowered_here(session, waiting[-1], observers)
        except NestedTooDeep as error:  # compile the deeply nested function first
            if error.key in waiting:
                raise _circle_error(error) from None
            waiting.append(error.key)
            continue
        waiting.pop()
        if not waiting:
            return unit


def begins_again(compilation: Compilation, session: Session) -> bool:
    """True if a recorded compilation was abandoned for facts that the session has learned since."""
    error = compilation.error
    if not isinstance(error, Restart):
        return False
    session.begin_again()
    if isinstance(error, NestedTooDeep):
        try:
            with sessions.opened(session):
                _lowered(session, error.key, ())
        except CompileError as refused:
            compilation.error = refused
            return False
    return True


def _lowered_here(session: Session, key: Key, observers: Sequence[Observer]) -> CompileUnit:
    function, argtypes = key
    while (known := session.find(key)) is None:
        unit = new_unit(function, argtypes)
        try:
            with session.registered(key, unit):
                # Observers want to see the passes run, so nothing is loaded from disk for them.
                if observers or not _restored(session, unit, function):
                    compile_unit(unit, front_half(function.pipeline), observers)
                    _keep(unit, function)
        except NestedTooDeep:
            raise
        except Restart:
            continue
    return known


def _is_kept(function: Compilable) -> bool:
    is_ours = type(function) is LibraryFunction and runs_here(function.target)
    return is_ours and library_functions.is_kept(function.py_func)


def _restored(session: Session, unit: CompileUnit, function: Compilable) -> bool:
    """True if a library function was loaded from disk, with all facts that callers need."""
    if not _is_kept(function):
        return False

    def resolve(py_func: FunctionType, argtypes: tuple[Type, ...], flags: Flags) -> Callee:
        called_function = library_function(py_func, flags, unit.target)
        called = _lowered(session, (called_function, argtypes), ())
        assert called.callee is not None
        _link(called, called.callee)
        return called.callee

    restored: bool = library_functions.restore(unit, resolve)
    return restored


def _keep(unit: CompileUnit, function: Compilable) -> None:
    """Save a library function for later processes, linked first where it is to have its own machine
    code."""
    if _is_kept(function) and not library_functions.is_worth_linking(unit.callee):
        library_functions.save(unit)


def _link(unit: CompileUnit, callee: Callee) -> None:
    """Compile a library function to its own machine code where that pays and can run here."""
    kept = library_functions
    if runs_here(unit.target) and kept.is_worth_linking(callee):
        linked.link(callee)
        if kept.is_kept(unit.pyfunc):
            kept.save(unit)


@contextmanager
def unpublished(
    function: Compilable, unit: CompileUnit, session: Session | None = None
) -> Iterator[None]:
    """Make a unit compiled for inspection visible to its own recursive calls only.

    Nothing is published.  A `session` that is passed continues where its last compilation ended.
    """
    assert unit.argtypes is not None
    key = (function, unit.argtypes)
    with sessions.opened(session) as session:
        with session.registered(key, unit), session.compiling(unit):
            yield


def front_half(pipeline: Pipeline) -> Pipeline:
    """Return the passes up to LLVM IR."""
    return pipeline.until(Level.llvm)


def back_half(pipeline: Pipeline) -> Pipeline:
    """Return the passes from LLVM IR to loaded machine code."""
    return Pipeline(pipeline.passes[pipeline.end_of(Level.llvm) :], Level.llvm)


def specialize(
    function: Compilable, argtypes: tuple[Type, ...], observers: Sequence[Observer] = ()
) -> _dispatch.Specialization:
    """Compile a function for argument types, ready for the dispatcher to call.

    Raises CompileError where the user's program cannot be compiled.
    """
    with sessions.opened() as session:
        unit = _finished(session, function, argtypes, observers)
        compiled = specialization(unit)
        session.publish()
    return compiled


def machine_code_unit(
    function: Compilable, argtypes: tuple[Type, ...], observers: Sequence[Observer] = ()
) -> CompileUnit:
    """Return the unit of a specialization, compiled to machine code; each is compiled once."""
    with sessions.opened() as session:
        unit = _finished(session, function, argtypes, observers)
        session.publish()
    return unit


def _finished(
    session: Session,
    function: Compilable,
    argtypes: tuple[Type, ...],
    observers: Sequence[Observer],
) -> CompileUnit:
    unit = _lowered(session, (function, argtypes), observers)
    if not (unit.has("library") or unit.has("ptx")):
        with sessions.out_of_turn():  # LLVM has a lock of its own
            compile_unit(unit, back_half(function.pipeline), observers)
    return unit


def specialization(unit: CompileUnit) -> _dispatch.Specialization:
    """Return the dispatcher's record of a finished unit.

    Raises SettingError where it was compiled for a processor with features that this one lacks.
    """
    assert unit.callee is not None
    if unit.callee.cpu != HOST:
        processors.check_runs_here(unit.callee.cpu)
    entry = unit.library.address(entry_name(unit.callee))
    # Only this keeps alive the memory, raise tables and linked functions that the code addresses.
    alive = (unit.library, [(m.table, m.linked, m.environment) for m in unit.callee.closure()])
    if unit.callee.environment is not None:
        unit.callee.environment[environment.KEEP].append(alive)
    return _dispatch.Specialization(entry, *descriptors(unit), alive, unit.flags.nogil)


def descriptors(unit: CompileUnit) -> tuple[tuple[bytes, ...], bytes, tuple[object, ...]]:
    """Return the descriptors of a unit's arguments and of its result, and the objects they refer
    to."""
    assert unit.argtypes is not None
    constants: list[object] = []
    changes = None if unit.callee is None else unit.callee.changes
    arguments = tuple(
        descriptor(ty, constants, changed=changes is None or place in changes)
        for place, ty in enumerate(unit.argtypes)
    )
    result = descriptor(unit.return_type, constants, result=True)
    return arguments, result, tuple(constants)


# --- callbacks of passes ------------------------------------------------------------------------


def _unit_for(dispatcher: Any, call: Call, loc: Loc) -> CompileUnit:
    function = _compilable(dispatcher)
    if function.flags.forceobj:
        raise TypingError(
            f"{function.py_func.__name__} is compiled in object mode, and code with types cannot"
            " call it",
            loc,
            "compile it without forceobj, or the caller with it",
        )
    plain = called_types(function, call, loc)
    places = function.literals.get(plain, frozenset())
    while True:
        argtypes = _with_constants(function, plain, places, call, loc)
        argtypes = constants.deciding_types(function, argtypes, call)
        try:
            return _unit_of(function, argtypes, loc)
        except literals.ItemsNeeded as error:
            layout = function.parameters.lay_out(call)
            assert layout is not None, "its argument types are known"
            needed = {layout[position]: ty for position, ty in error.needed.items()}
            raise literals.ItemsNeeded(needed, loc) from None
        except literals.LiteralNeeded as error:
            places = literals.require_values(function.literals, plain, error)


def _with_constants(
    function: Compilable,
    plain: tuple[Type, ...],
    places: frozenset[int],
    call: Call,
    loc: Loc,
) -> tuple[Type, ...]:
    """Return the argument types, with literal types for arguments whose values the typer needs.

    Raises LiteralNeeded, with positions in the call, where such an argument is not constant.
    """
    if not places:
        return plain
    argtypes, unknown = list(plain), []
    layout = function.parameters.lay_out(call)
    assert layout is not None, "its argument types are known"
    for position in sorted(places):
        where = layout[position]
        value = call.arguments.constants[where] if isinstance(where, int) else MISSING
        if type(function) is LibraryFunction and where not in call.literal:
            value = MISSING  # ask the typer anew, with its required literals
        held = None if value is MISSING else literals.maybe_literal(value)
        if held is not None:
            argtypes[position] = held
        elif isinstance(where, int):
            unknown.append(where)
    if unknown:
        raise literals.LiteralNeeded.of(unknown, loc, function.parameters.names[min(places)])
    return tuple(argtypes)


def _unit_of(function: Compilable, argtypes: tuple[Type, ...], loc: Loc) -> CompileUnit:
    session = sessions.required()
    known = session.find((function, argtypes))
    if known is not None:
        return known
    # A recursion that passes its argument on in a tuple would need a new specialization for each
    # depth.
    nested = [unit for unit in session.nested if unit.pyfunc is function.py_func]
    if not is_ours(function.py_func):  # library recursions end
        displays = any(isinstance(ty, ListDisplay) for ty in argtypes)
        if len(nested) >= (1 if displays else MOST_KINDS):
            kinds = [unit.argtypes or () for unit in nested] + [argtypes]
            error = _new_types_error(function, kinds, loc)
            error.explained = displays  # the caller tries lists, whose types do not grow
            raise error
    # Each nested compilation uses Python's stack, in the middle of its caller's inference.
    if len(session.nested) >= DEEPEST_NESTING:
        raise NestedTooDeep((function, argtypes), loc)
    observers = session.nested[-1].observers if session.nested else ()
    try:
        return _lowered(session, (function, argtypes), observers)
    except literals.OtherTypesNeeded:
        raise
    except CompileError as error:
        if not is_ours(function.py_func):  # library functions are not shown to users
            shown = ", ".join(map(str, argtypes))
            place = f'File "{shown_file(loc.filename)}", line {loc.line}'
            error.notes += (f"compiled for the call {function.py_func.__name__}({shown}), {place}",)
        raise


def _check_growth(session: Session, key: sessions.Key, result: Type, loc: Loc) -> None:
    """Refuse a result type that nests deeper with each level of a recursion."""
    before = session.nested_deeper.setdefault(key, [])
    if all(result.nesting > ty.nesting for ty in before):
        before.append(result)
    if len(before) > MOST_KINDS:
        name = key[0].py_func.__name__
        raise TypingError(
            f"every recursive call of {name} returns a value of a new type",
            loc,
            "return values of one type, or a NumPy array",
            (*(f"{name} returns {shortened(str(ty))}" for ty in before[:3]), "..."),
        )


def _new_types_error(function: Compilable, kinds: list[tuple[Type, ...]], loc: Loc) -> TypingError:
    name = function.py_func.__name__
    shown = [f"{name}({shortened(', '.join(map(str, argtypes)))})" for argtypes in kinds[:3]]
    return TypingError(
        f"every recursive call of {name} has new argument types",
        loc,
        "pass arguments of the same types in each recursive call",
        (*shown, "..."),
    )


def _circle_error(error: NestedTooDeep) -> TypingError:
    name = error.key[0].py_func.__name__
    return TypingError(
        f"{name} calls itself through more than {DEEPEST_NESTING - 1} other functions",
        error.loc,
        "use fewer mutually recursive functions",
    )


def _compilable(dispatcher: Any) -> Compilable:
    return as_called(dispatcher, sessions.required().nested[-1])


def _return_type(dispatcher: Any, call: Call, loc: Loc) -> Type | None:
    unit = _unit_for(dispatcher, call, loc)
    if unit.has("return_type"):
        never = unit.callee is not None and unit.callee.never_returns
        return undefined if never else unit.return_type
    assert unit.callee is not None and unit.argtypes is not None
    session = sessions.required()
    if not unit.target.recurses:
        raise UnsupportedError(
            f"{unit.name} calls itself, and the stack of a GPU's thread has no room for that",
            loc,
            "write a loop",
        )
    unit.callee.recursive = True
    known = unit.declared_return or session.inferences[unit].returns
    if known is not None:
        _check_growth(session, (_compilable(dispatcher), unit.argtypes), known, loc)
    if unit is session.nested[-1]:  # inference will ask again once it knows more
        return None if known is None else known.returned()
    # Its type cannot become known before this call is typed: assume one, and where that was wrong
    # `_leave` has both compiled once more.
    assumed = session.assumed.get((_compilable(dispatcher), unit.argtypes))
    if assumed is None:
        assumed = undefined if known is None else known.returned()
    session.promised[unit] = unit.callee.returns = assumed
    return assumed


def _callee(dispatcher: Any, call: Call, loc: Loc, in_loop: bool) -> Callee:
    unit = _unit_for(dispatcher, call, loc)
    callee = unit.callee
    assert callee is not None
    if in_loop:  # where inlining can pay off most
        return callee.inlined()
    if isinstance(dispatcher, FunctionType):
        _link(unit, callee)
    return callee


def _enter(unit: CompileUnit, inference: Inference) -> None:
    sessions.required().inferences[unit] = inference


def _leave(unit: CompileUnit, returns: Type) -> None:
    session = sessions.required()
    promised = session.promised.get(unit)
    if promised is None or promised is returns:
        return
    key = session.key_of(unit)
    union = unify(promised, returns)
    before = session.assumed.get(key)
    start = line_of(unit.fn.filename, unit.fn.first_line)
    if union is None or union is before:
        raise TypingError(
            f"{unit.name} returns {promised} to a function that it calls, but {returns} otherwise",
            start,
            "return one type on every path of functions that call each other",
        )
    _check_growth(session, key, union, start)
    session.assumed[key] = union
    raise Restart(f"{unit.name} returns {union}")


def _build_ir(function: FunctionType | CodeType, *rest: Any) -> Function:
    fn = build_function(function, *rest)
    if lift_objmode.has_blocks(fn):
        if isinstance(function, CodeType):
            cells = tuple(CellType() for _ in function.co_freevars)
            function = FunctionType(function, fn.namespace, None, None, cells)
        lift_objmode.lift(Editor(fn), function, _block)
    return fn


def _apart(unit: CompileUnit) -> Callable[[Callee], Callee] | None:
    if is_ours(unit.pyfunc) or not runs_here(unit.target) or unit.target.repeats:
        return None  # library functions have their own code, and NumPy loops over a kernel
    return lambda callee: array_loops.finished(callee)


_PREPARE: list[Callable[[CompileUnit, lifted.LiftedLoop], None]] = []


def prepare_loops_by(prepare: Callable[[CompileUnit, lifted.LiftedLoop], None]) -> None:
    """Register the callback that prepares loops lifted out of object mode."""
    _PREPARE[:] = [prepare]


def _lifted(unit: CompileUnit, loop: lifted.LiftedLoop) -> None:
    for prepare in _PREPARE:
        prepare(unit, loop)


def _block(block: ObjectBlock) -> None:
    object_blocks.prepare(block, specialize)


SERVICES = Services(_return_type, _callee, _enter, _leave, _build_ir, _apart, _lifted, _block)
