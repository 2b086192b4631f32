"""The compiled functions whose bodies replace their calls, as `inline=` requests.

The body is that of the Python function; it is typed as a part of the caller.  A call stays where
that would change its meaning: options differ, types are declared or written, or the function has
inner functions that need the globals of another module.
"""

from __future__ import annotations

from collections.abc import Callable
from types import CodeType, FunctionType, ModuleType
from typing import Any

from cutaway.errors import OptionError
from cutaway.foundation.dataclass import dataclass, replace
from cutaway.foundation.foreign import is_a
from cutaway.foundation.source import Loc
from cutaway.ir import nodes
from cutaway.ir.constants import gives_generators, is_compiled
from cutaway.ir.function import Function
from cutaway.ir.nodes import Op
from cutaway.ir.traversal import walk
from cutaway.stages.unit import CompileUnit
from cutaway.typing.overloads.parameters import Parameters, parameters_of
from cutaway.typing.overloads.resolution import REQUIRED
from cutaway.typing.values import holders


@dataclass(frozen=True, slots=True)
class Inlined:
    """A compiled function for one call: its body, and the parameters with the variables that hold
    their defaults, which `ops` define."""

    dispatcher: Any
    body: Function
    parameters: Parameters
    ops: tuple[Op, ...]
    stands_for: str = ""  # the function of Python's that it is called for

    @property
    def name(self) -> str:
        """The name of the function."""
        return self.stands_for or str(self.dispatcher.py_func.__name__)

    @property
    def code(self) -> CodeType:
        """Its code."""
        code: CodeType = self.dispatcher.py_func.__code__
        return code

    def refusal(self, unit: CompileUnit, call: nodes.Call) -> str:
        """Return why the body cannot or should not replace the call; empty if it does."""
        reason = self.misfit(unit, call)
        return reason or ("" if self._is_wanted(unit, call) else "its option inline= says no")

    def misfit(self, unit: CompileUnit, call: nodes.Call) -> str:
        """Return why the body cannot replace the call; empty if it can."""
        half = self.dispatcher.half
        same_module = self.dispatcher.py_func.__globals__ is unit.pyfunc.__globals__
        makes_functions = any(isinstance(op, nodes.MakeFunction) for op in walk(self.body))
        if half.written or half.returns or half.flags.locals:
            return "it has a signature or types of variables of its own"
        if half.flags != replace(unit.flags, locals=()):
            return "its options are not those of the calling function"
        if call.star is not None:
            return "it is called with *args"
        if makes_functions and not same_module:
            return "it has inner functions, which need the names of another module"
        return ""

    def _is_wanted(self, unit: CompileUnit, call: nodes.Call) -> bool:
        inline = self.dispatcher.half.flags.inline
        if not callable(inline):
            return bool(inline == "always")
        answer = inline(call, unit.fn.copy(), self.body.copy())
        if not isinstance(answer, bool):
            raise OptionError(
                f"inline= of {self.name} gives {answer!r}, which is neither True nor False",
                call.loc,
            )
        return answer


def is_inlined(value: Any) -> bool:
    """True if a value is a compiled function that may be inlined; a generator is fused, or not."""
    if not is_compiled(value) or not hasattr(value, "half"):
        return False
    if gives_generators(value.py_func.__code__):
        return False
    return bool(value.half.flags.inline != "never")


def is_compiled_generator(value: Any) -> bool:
    """True if a value is a compiled generator function."""
    return (
        is_compiled(value) and hasattr(value, "half") and gives_generators(value.py_func.__code__)
    )


def reads_inlined(fn: Function) -> bool:
    """True if a function reads one that may be inlined, by name or from a module or class."""
    held = [op.value for op in walk(fn) if isinstance(op, nodes.Global | nodes.FreeVar)]
    if any(map(is_inlined, held)):
        return True
    owners = [value for value in held if is_a(value, (ModuleType, type))]
    names = {op.attr for op in walk(fn) if isinstance(op, nodes.GetAttr)} if owners else ()
    return any(is_inlined(holders.held_by(owner, name)) for owner in owners for name in names)


def inlined(
    dispatcher: Any, fn: Function, loc: Loc, build_ir: Callable[[FunctionType | CodeType], Function]
) -> Inlined:
    """Return a compiled function for a call in `fn`."""
    function: FunctionType = dispatcher.py_func
    parameters = parameters_of(function)
    ops: list[Op] = []
    defaults: list[Any] = []
    for name, default in zip(parameters.single, parameters.defaults, strict=True):
        if default is REQUIRED:
            defaults.append(default)
            continue
        defaults.append(fn.fresh("default"))
        ops.append(nodes.FreeVar(defaults[-1], name, default, loc=loc, id=fn.new_id()))
    named = replace(parameters, defaults=tuple(defaults))
    return Inlined(dispatcher, build_ir(function), named, tuple(ops))
