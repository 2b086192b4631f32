"""What the interpreter runs where Python cannot do what an extension taught compiled code.

A stub whose body raises, a method or an attribute that the Python class does not have, an operator
between values of such classes: the extension's implementation in Python is called in its place.
Code that is written in LLVM IR has none, and is told of.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, NamedTuple

from cutaway.errors import InterpreterError
from cutaway.extending.registry import CONTEXT
from cutaway.foundation.source import is_ours
from cutaway.ir import nodes
from cutaway.ir.nodes import Op
from cutaway.ir.traversal import by_place_and_name, uses
from cutaway.lowering.layout import is_extension
from cutaway.stages.unit import CompileUnit
from cutaway.typing import types
from cutaway.typing.inference.questions import (
    call_arguments,
    constants_of,
    method_call,
    question_of,
)
from cutaway.typing.inference.solver import static_call
from cutaway.typing.overloads.resolution import Resolution

ValueOf = Callable[[str], Any]  # Any: a value of the program


class _Method(NamedTuple):
    """A method that the Python class of its owner does not have."""

    owner: Any  # Any: a value of the program

    def __call__(self, *args: Any, **named: Any) -> Any:  # Any: never called
        """Refuse: the call is resolved by its types."""
        raise NotImplementedError


def stand_ins(unit: CompileUnit) -> Callable[[Op, ValueOf, Exception], Any]:
    """What gives the result of an op of a typed function that failed in Python; it raises the
    error again where no extension says what the op does."""
    constants = constants_of(unit.fn)

    def instead(op: Op, value_of: ValueOf, error: Exception) -> Any:  # Any: a value of the program
        if isinstance(op, nodes.GetAttr):
            if isinstance(unit.types[op.result], types.BoundMethod):
                return _Method(value_of(op.value))
            found = CONTEXT.resolve_attribute(unit.types[op.value], op.attr)
            return _run(found, [value_of(op.value)], op, unit, error)
        if isinstance(op, nodes.Call):
            return _run(_resolved(op, unit, constants), _given(op, value_of), op, unit, error)
        if isinstance(op, nodes.StaticGetItem):
            call = static_call(unit.types[op.value], op.index)
            item = None if call is None else CONTEXT.resolve(operator.getitem, call)
            return _run(item, [value_of(op.value), op.index], op, unit, error)
        question = question_of(op, unit.types, constants)
        if question is None:
            raise error
        found = CONTEXT.resolve(question.function, question.call)
        return _run(found, [value_of(name) for name in question.variables], op, unit, error)

    return instead


def _resolved(op: nodes.Call, unit: CompileUnit, constants: dict[str, Any]) -> Resolution | None:
    # Any: constants of the program
    call = call_arguments(op, unit.types, constants)
    target = unit.types[op.func]
    if isinstance(target, types.BoundMethod):
        return CONTEXT.resolve(*method_call(CONTEXT, target, call))
    if isinstance(target, types.Function | types.Class):
        return CONTEXT.resolve(target.value, call)
    return None


def _given(op: nodes.Call, value_of: ValueOf) -> list[Any]:  # Any: values of the program
    """The arguments of a call, with the owner of a method in front."""
    given = [value_of(name) for name in op.args]
    place = len(given) - len(op.keywords)
    given[place:place] = () if op.star is None else value_of(op.star)
    function = value_of(op.func)
    return [function.owner, *given] if isinstance(function, _Method) else given


def _run(
    found: Resolution | None,
    given: list[Any],  # Any: values of the program
    op: Op,
    unit: CompileUnit,
    error: Exception,
) -> Any:  # Any: a value of the program
    if found is None or found.overload.template is None and not _of_extension(op, unit):
        raise error
    function = found.implementation
    if function is None:
        raise InterpreterError(
            f"this is written in LLVM IR, which cannot be interpreted, and Python says: {error}",
            op.loc,
            "run level llvm, or give the Python class what its type has",
        ) from error
    if is_ours(function) and not _of_extension(op, unit):
        raise error
    positional, named = by_place_and_name(given, found.keywords)
    return function(*positional, **named)


def _of_extension(op: Op, unit: CompileUnit) -> bool:
    """Whether an op works on values of types that extensions define."""
    return any(name in unit.types and is_extension(unit.types[name]) for name in uses(op))
