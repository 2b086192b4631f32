"""The kinds of functions that can be compiled: users' own, and those that stand for something else.

A compiled function's Python half is one.  The others are functions of the library and of
extensions, inner functions that are passed on, and functions of the user's for another target.
"""

from __future__ import annotations

from functools import cache
from types import CellType, FunctionType
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from cutaway import config
from cutaway.compiling.sessions import Compilable
from cutaway.errors import UnsupportedError
from cutaway.foundation.dataclass import replace
from cutaway.foundation.options import PARALLEL_BY, Flags, with_options
from cutaway.stages import pipelines
from cutaway.stages.pipeline import Pipeline
from cutaway.stages.unit import CompileUnit
from cutaway.targets.cpu import looping, objects, processors
from cutaway.targets.cpu.target import CPU
from cutaway.targets.target import Target
from cutaway.typing.inference import literals
from cutaway.typing.overloads import closures
from cutaway.typing.overloads.parameters import parameters_of
from cutaway.typing.types import Closure, Type

if TYPE_CHECKING:
    from cutaway.dispatch.dispatcher import Half


def chosen_target() -> Target:
    """Return the target for this machine with the processor that the settings name.

    Raises SettingError where LLVM does not know the processor.
    """
    name, features = config.value("CPU"), config.value("CPU_FEATURES")
    if not (name or features):
        return CPU
    return CPU.on(processors.checked(name, features))


def target_of(function: Compilable) -> Target:
    """Return a function's own target, or the one that the settings choose.

    Raises SettingError where LLVM does not know the processor.
    """
    if function.target is not None:
        return function.target
    chosen = chosen_target()
    if function.flags.forceobj:
        return objects.OBJECTS.on(chosen.machine)
    return looping.looping(chosen) if function.is_loop else chosen


def runs_here(target: Target) -> bool:
    """True if dispatchers call the target's code, which is then linked and cached on disk."""
    return target.name == CPU.name


def _pipeline(flags: Flags, target: Target) -> Pipeline:
    """Return the pass pipeline for these flags and target."""
    pipeline: Pipeline = getattr(pipelines, target.pipeline)
    return pipelines.parallel if flags.parallel and pipeline is pipelines.nopython else pipeline


class LibraryFunction:
    """A function that stands for one of the library, or of an extension: compiled like a user's,
    with the flags of the function that calls it, and for the same target."""

    def __init__(self, py_func: FunctionType, flags: Flags, target: Target) -> None:
        self.py_func = py_func
        self.target = target
        self.flags = replace(flags, locals=()) if flags.locals else flags
        self.parameters = parameters_of(py_func)
        self.pipeline = _pipeline(flags, target)
        self.units: dict[tuple[Type, ...], CompileUnit] = {}
        self.literals: literals.Places = {}
        self.returns: dict[tuple[Type, ...], Type] = {}
        self.declared: tuple[tuple[Type, ...], ...] = ()
        self.itself = None
        self.is_loop = False
        self.body = None
        self.generation = 0


class InnerFunction(LibraryFunction):
    """An inner function that is passed as a value: its free variables are compiled as
    parameters."""

    def __init__(self, closure: Closure, flags: Flags, target: Target) -> None:
        code, namespace = closure.code.value, closure.namespace.value
        cells = tuple(CellType() for _ in code.co_freevars)
        whole = FunctionType(code, namespace, None, None, cells)
        super().__init__(whole, _serial(flags), target)
        self.parameters = closures.extended_parameters(closure)
        self.captured = tuple(name for name, _ in closure.captured)


@cache
def library_function(function: FunctionType, flags: Flags, target: Target) -> LibraryFunction:
    """Return the compilable of an implementation under flags; its own options take precedence."""
    serial = replace(_serial(flags), inline="never")
    if function.__dict__.get(PARALLEL_BY) in flags.parallel:
        serial = replace(serial, parallel=frozenset({"prange"}))
    return LibraryFunction(function, with_options(serial, function), target)


def _serial(flags: Flags) -> Flags:
    """Return flags without parallelism, for callees that may already run on all cores."""
    return replace(flags, parallel=frozenset()) if flags.parallel else flags


_Inner = dict[tuple[Flags, Target], InnerFunction]
_INNER: WeakKeyDictionary[Closure, _Inner] = WeakKeyDictionary()


def _inner_function(closure: Closure, flags: Flags, target: Target) -> InnerFunction:
    known = _INNER.setdefault(closure, {})
    if (flags, target) not in known:
        known[flags, target] = InnerFunction(closure, flags, target)
    return known[flags, target]


class TargetFunction(LibraryFunction):
    """A user's compiled function for a target other than its dispatcher's: has its own units."""

    def __init__(self, half: Half, target: Target) -> None:
        super().__init__(half.py_func, _serial(half.flags), target)
        self.returns, self.declared = half.returns, half.declared
        self.itself = half.itself


_ELSEWHERE: WeakKeyDictionary[Half, dict[Target, TargetFunction]] = WeakKeyDictionary()


def for_target(half: Half, target: Target) -> Compilable:
    """Return the compilable of a dispatcher for code of a target."""
    if runs_here(target):
        if half.target is not None:
            raise UnsupportedError(
                f"{half.py_func.__name__} is compiled for GPUs: only kernels can call it",
                hint="compile it with @cutaway.jit: such functions can be called by both",
            )
        return half
    if half.target is not None and half.target.launched:
        raise UnsupportedError(
            f"{half.py_func.__name__} is a kernel, which other kernels cannot call",
            hint="make it a device function: @cuda.jit(device=True)",
        )
    known = _ELSEWHERE.setdefault(half, {})
    if target not in known:
        known[target] = TargetFunction(half, target)
    return known[target]


def as_called(dispatcher: Any, caller: CompileUnit) -> Compilable:
    """Return the function to compile for a call in a unit."""
    target = caller.target.usual or caller.target
    if isinstance(dispatcher, Closure):
        return _inner_function(dispatcher, caller.flags, target)
    if isinstance(dispatcher, FunctionType):
        return library_function(dispatcher, caller.flags, target)
    return for_target(dispatcher.half, target)
