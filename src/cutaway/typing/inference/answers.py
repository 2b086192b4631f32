"""How the ops of a typed function were resolved: asked of the context again, by the final types."""

from __future__ import annotations

import operator
from collections.abc import Mapping
from typing import Any

from cutaway.foundation.lazy import cached_property
from cutaway.ir import nodes
from cutaway.ir.function import Function
from cutaway.ir.nodes import Op
from cutaway.typing import types
from cutaway.typing.inference.questions import (
    call_arguments,
    constants_of,
    method_call,
    question_of,
)
from cutaway.typing.inference.solver import static_call
from cutaway.typing.overloads.context import TypingContext
from cutaway.typing.overloads.resolution import Resolution
from cutaway.typing.types import Type


class Answers:
    """The resolutions of one function's ops."""

    def __init__(self, fn: Function, table: Mapping[str, Type], context: TypingContext) -> None:
        self.fn = fn
        self.types = table
        self.context = context

    @cached_property
    def constants(self) -> dict[str, Any]:  # Any: constants of the program
        """The variables that hold a constant."""
        return constants_of(self.fn)

    def of(self, op: Op) -> Resolution | None:
        """What an op was resolved to; None for one that the context was not asked about."""
        match op:
            case nodes.Call(func=func):
                return self._of_call(op, self.types[func])
            case nodes.GetAttr(_, value, attr):
                bound = isinstance(self.types[op.result], types.BoundMethod)
                return None if bound else self.context.resolve_attribute(self.types[value], attr)
            case nodes.StaticGetItem(_, value, index):
                call = static_call(self.types[value], index)
                return None if call is None else self.context.resolve(operator.getitem, call)
        question = question_of(op, self.types, self.constants)
        if question is None:
            return None
        return self.context.resolve(question.function, question.call)

    def _of_call(self, op: nodes.Call, target: Type) -> Resolution | None:
        call = call_arguments(op, self.types, self.constants)
        if isinstance(target, types.BoundMethod):
            return self.context.resolve(*method_call(self.context, target, call))
        if isinstance(target, types.Function | types.Class):
            return self.context.resolve(target.value, call)
        return None

    def gives_new_reference(self, op: Op) -> bool:
        """Whether an op's result comes with a reference of its own, as that of a compiled function
        does, and of what an extension writes."""
        found = self.of(op)
        return found is not None and (
            found.implementation is not None or found.overload.gives_new_reference
        )
