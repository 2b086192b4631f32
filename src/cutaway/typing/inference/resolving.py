"""Resolves ops by final types: one op, or all ops of a function that was not inferred."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from cutaway.errors import CompileError
from cutaway.foundation.dataclass import replace
from cutaway.foundation.foreign import attribute
from cutaway.ir import nodes
from cutaway.ir.function import Function
from cutaway.ir.nodes import Op
from cutaway.ir.traversal import walk
from cutaway.typing.inference.callees import kind_of
from cutaway.typing.inference.displays import constructor, is_nothing
from cutaway.typing.inference.questions import (
    NO_FACTS,
    Question,
    call_arguments,
    constants_of,
    emptied,
    known_arguments,
    question_of,
)
from cutaway.typing.inference.resolutions import (
    BOUND,
    Chosen,
    Field,
    Held,
    Resolutions,
    Resolved,
    needs_resolution,
)
from cutaway.typing.overloads.context import TypingContext
from cutaway.typing.overloads.resolution import MISSING, Arguments, Call
from cutaway.typing.types import Optional, Type
from cutaway.typing.types.named_tuples import field_of
from cutaway.typing.values.holders import held_attribute


def resolve(
    op: Op,
    types: Mapping[str, Type],
    constants: Mapping[str, Any],
    context: TypingContext,
    facts: Mapping[str, Any],
) -> Resolved | None:
    """Return the resolution of an op; None if no overload accepts it.

    Raises CompileError if the context or the callee refuses it.
    """
    if isinstance(op, nodes.Call):
        if constructor(op, constants.get(op.func), types) is not None:
            return constructed(op, types[op.result], types, context)
        call = call_arguments(op, types, constants, facts)
        return kind_of(types[op.func]).resolve(op, types[op.func], call, context)
    if isinstance(op, nodes.GetAttr):
        return resolve_attribute(op, types[op.value], context)
    question = question_of(op, types, constants)
    if question is None:
        return None
    resolution = context.resolve(question.function, question.call)
    return None if resolution is None else Chosen(question, resolution)


def constructed(
    op: nodes.Call, ty: Type, types: Mapping[str, Type], context: TypingContext
) -> Chosen:
    """Return the resolution of the call of a container's class: it makes an empty one of a type,
    which its uses have determined."""
    layout = tuple(k for k, name in enumerate(op.args) if not is_nothing(types[name]))
    own = (ty, *(types[op.args[k]] for k in layout))
    call = Call(Arguments(own, (MISSING,) * len(own)))
    resolution = context.resolve(emptied, call)
    assert resolution is not None, "it is the type of a container"
    return Chosen(Question(emptied, call, op.args), replace(resolution, layout=layout))


def resolve_attribute(op: nodes.GetAttr, owner: Type, context: TypingContext) -> Resolved | None:
    """Return the resolution of reading an attribute of a value of type `owner`; None if there is
    no such attribute."""
    held = held_attribute(context, owner, op.attr)
    if held is not MISSING:
        return Held(held)
    position = field_of(owner, op.attr)
    if position is not None:
        return Field(position)
    if context.method_of(owner, op.attr) is not None:
        return BOUND
    resolution = context.resolve_attribute(owner, op.attr)
    if resolution is None:
        return None
    own = Call(Arguments((owner,), (MISSING,)))
    return Chosen(Question(op.attr, own, (op.value,)), resolution)


def has_attribute(owner: Type, name: str, context: TypingContext) -> bool | None:
    """Return whether values of a type have an attribute; None if only Python has it, and if it
    depends on the value."""
    if isinstance(owner, Optional):
        return None
    if held_attribute(context, owner, name) is not MISSING or field_of(owner, name) is not None:
        return True
    if context.method_of(owner, name) or context.resolve_attribute(owner, name):
        return True
    holder = owner.constant if owner.constant is not MISSING else owner.value_class
    return None if attribute(holder, name, MISSING) is not MISSING else False


def resolve_all(
    fn: Function, argtypes: Sequence[Type], types: Mapping[str, Type], context: TypingContext
) -> Resolutions:
    """Return the resolutions of a typed function; an op that no overload accepts has none."""
    resolutions: Resolutions = {}
    ops = list(walk(fn))
    constants = constants_of(fn)
    attributes = [op for op in ops if isinstance(op, nodes.GetAttr)]
    resolve_ops(attributes, types, constants, context, resolutions)
    for op in attributes:
        held = resolutions.get(op.id)
        if isinstance(held, Held):
            constants[op.result] = held.value
    rest = [op for op in ops if not isinstance(op, nodes.GetAttr)]
    facts = known_arguments(fn, argtypes)
    resolve_ops(rest, types, constants, context, resolutions, facts)
    return resolutions


def resolve_ops(
    ops: Iterable[Op],
    types: Mapping[str, Type],
    constants: Mapping[str, Any],
    context: TypingContext,
    resolutions: Resolutions,
    facts: Mapping[str, Any] = NO_FACTS,
) -> None:
    """Add the resolutions of ops to `resolutions`; `facts` are known values of variables that are
    not constants."""
    for op in ops:
        if not needs_resolution(op, types):
            continue
        try:
            resolved = resolve(op, types, constants, context, facts)
        except CompileError:  # an edited program, whose types are checked elsewhere
            continue
        if resolved is not None:
            resolutions[op.id] = resolved
