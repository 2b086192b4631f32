"""Stand-ins for the interpreter, for extension operations that only compiled code can run.

A stub whose body raises, a method or an attribute that the Python class does not have, an operator
between values of such classes: the extension's implementation in Python is called instead.
Operations written in LLVM IR have none, and an error says so.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from cutaway.errors import InterpreterError
from cutaway.foundation.source import is_ours
from cutaway.ir import nodes
from cutaway.ir.nodes import Op
from cutaway.ir.traversal import by_place_and_name, uses
from cutaway.lowering.layout import is_extension
from cutaway.stages.unit import CompileUnit
from cutaway.typing.inference.resolutions import Bound, Chosen
from cutaway.typing.overloads.resolution import Resolution

ValueOf = Callable[[str], Any]


class _Method(NamedTuple):
    """A method that the Python class of its owner lacks."""

    owner: Any

    def __call__(self, *args: Any, **named: Any) -> Any:
        """Refuse: the call is resolved by types."""
        raise NotImplementedError


def stand_ins(unit: CompileUnit) -> Callable[[Op, ValueOf, Exception], Any]:
    """Make the stand-in for ops of a typed function that failed in Python; it re-raises the error
    if no extension defines the op."""

    def instead(op: Op, value_of: ValueOf, error: Exception) -> Any:
        resolved = unit.resolutions.get(op.id)
        if isinstance(op, nodes.GetAttr) and isinstance(resolved, Bound):
            return _Method(value_of(op.value))
        if not isinstance(resolved, Chosen):
            raise error
        return _run(resolved.resolution, _operands(op, resolved, value_of), op, unit, error)

    return instead


def _operands(op: Op, resolved: Chosen, value_of: ValueOf) -> list[Any]:
    if isinstance(op, nodes.Call):
        return _given(op, resolved, value_of)
    values = [value_of(name) for name in uses(op)]
    if isinstance(op, nodes.StaticGetItem | nodes.StaticSetItem):
        values.insert(1, op.index)
    return values


def _given(op: nodes.Call, resolved: Chosen, value_of: ValueOf) -> list[Any]:
    """Return the arguments of a call, after the owner of a method."""
    values = [value_of(name) for name in op.args]
    place = len(values) - len(op.keywords)
    values[place:place] = () if op.star is None else value_of(op.star)
    if resolved.owner is None:
        return values
    function = value_of(op.func)
    is_missing = isinstance(function, _Method)
    return [function.owner if is_missing else getattr(function, "__self__", function), *values]


def _run(
    resolution: Resolution, values: list[Any], op: Op, unit: CompileUnit, error: Exception
) -> Any:
    if resolution.overload.template is None and not _of_extension(op, unit):
        raise error
    function = resolution.implementation
    if function is None:
        raise InterpreterError(
            f"this is written in LLVM IR, which cannot be interpreted, and Python says: {error}",
            op.loc,
            "run level llvm, or add the missing attribute to the Python class",
        ) from error
    if is_ours(function) and not _of_extension(op, unit):
        raise error
    positional, named = by_place_and_name(values, resolution.keywords)
    return function(*positional, **named)


def _of_extension(op: Op, unit: CompileUnit) -> bool:
    """True if an op has operands of extension types."""
    return any(name in unit.types and is_extension(unit.types[name]) for name in uses(op))
