"""Check that the types in an edited text are those of its ops.

Only edited ops are checked: the types that a pass leaves are right, perhaps for reasons that a
single op does not show.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from cutaway.errors import CompileError
from cutaway.ir import nodes
from cutaway.ir.nodes import Op
from cutaway.ir.printer import op_text
from cutaway.ir.traversal import arguments, definitions, located, uses, walk
from cutaway.stages.unit import CompileUnit
from cutaway.typing import types
from cutaway.typing.inference.resolutions import is_never_executed
from cutaway.typing.inference.solver import Inference
from cutaway.typing.types import Type
from cutaway.typing.types.conversions import Conversion, conversion

# Ops without a result, which need no particular types.
_FREE = (
    nodes.Del,
    nodes.Incref,
    nodes.Decref,
    nodes.Jump,
    nodes.Return,
    nodes.StaticRaise,
    nodes.Unreachable,
)

Key = tuple[Any, ...]  # an op with the types of its variables


def type_problems(unit: CompileUnit, original: CompileUnit) -> Iterator[tuple[int, int, str]]:
    """Yield each type error with its label and position; `unit` is being compiled."""
    known = {_key(op, original) for op in walk(original.fn)}
    inference = Inference(
        unit.fn,
        unit.argtypes,
        unit.target.registry,
        unit.services.return_type,
        unit.pyfunc.__globals__,
    )
    for block, position, op in located(unit.fn):
        if isinstance(op, _FREE) or _key(op, unit) in known:
            continue
        problem = _problem(op, unit, inference)
        if problem:
            yield block.label, position, problem


def _key(op: Op, unit: CompileUnit) -> Key:
    return op, tuple(unit.types.get(name) for name in (*definitions(op), *uses(op)))


def _problem(op: Op, unit: CompileUnit, inference: Inference) -> str:
    table = unit.types
    match op:
        case nodes.Undef():
            return ""
        case nodes.Phi(result, _, values):
            for name in values:
                if table[name] not in (table[result], types.undefined):
                    return f"{name} is {table[name]}, but the phi is {table[result]}"
            return ""
        case nodes.Copy(result, value) | nodes.Cast(result, value):
            if table[value] is types.undefined:
                return ""
            if conversion(table[value], table[result]) is Conversion.NONE:
                return f"{table[value]} does not convert to {table[result]}"
            return ""
    if is_never_executed(op, table):
        return ""
    try:
        derived = inference.given_types(op, dict(table))
    except CompileError as error:
        return error.message
    return _mismatch(op, derived, table)


def _mismatch(op: Op, derived: tuple[Type | None, ...], table: dict[str, Type]) -> str:
    for name, ty in zip((*definitions(op), *arguments(op)), derived, strict=True):
        if ty is not None and table[name] is not ty:
            return f"{op_text(op)} has type {ty}, but the text says {table[name]}"
    return ""
