"""Kinds of callees: one row for each kind of value that can be called, with all that calls of it
need.

How a call is typed and lowered follows from what it is resolved to, and how it is explained from
the question that it asks, or from the parameters of what is compiled for it.
"""

from __future__ import annotations

from cutaway.errors import CompileError, TypingError
from cutaway.foundation.dataclass import replace
from cutaway.ir import nodes
from cutaway.typing import types
from cutaway.typing.errors import refusals
from cutaway.typing.inference.questions import Question, method_call
from cutaway.typing.inference.resolutions import Chosen, CompiledCall, MadeTuple, OneOf, Resolved
from cutaway.typing.overloads.closures import (
    call_of_closure,
    carried_by_call,
    parameters_of_closure,
)
from cutaway.typing.overloads.context import TypingContext
from cutaway.typing.overloads.parameters import Parameters
from cutaway.typing.overloads.resolution import Call, Resolution
from cutaway.typing.types import BoundMethod, Type


def resolution_of(question: Question, context: TypingContext) -> Resolution | None:
    """The resolution of a call: an implementation in Python learns what is known of its
    arguments."""
    resolution = context.resolve(question.function, question.call)
    if resolution is None or resolution.implementation is None:
        return resolution
    return replace(resolution, facts=question.call.all_facts)


class CalleeKind:
    """One kind of value that may be called: here any value whose type may have a registered
    `__call__`."""

    def resolve(self, op: nodes.Call, target: Type, call: Call, context: TypingContext) -> Resolved:
        """The resolution of a call of a value of type `target`.

        Raises CompileError where it cannot be called like this.
        """
        question = self.question(op, target, call, context)
        resolution = None if question is None else resolution_of(question, context)
        if question is None or resolution is None:
            raise self.refusal(op, target, call, context)
        return Chosen(question, resolution, self.owner(target))

    def question(
        self, op: nodes.Call, target: Type, call: Call, context: TypingContext
    ) -> Question | None:
        """The question of the call to the context; None where no overload has a say."""
        if context.method_of(target, "__call__") is None:
            return None
        return METHOD.question(op, BoundMethod(target, "__call__"), call, context)

    def refusal(
        self, op: nodes.Call, target: Type, call: Call, context: TypingContext
    ) -> CompileError:
        """The error for a call that nothing fits."""
        if context.method_of(target, "__call__") is None:
            return TypingError(f"a value of type {target} cannot be called", op.loc)
        return METHOD.refusal(op, BoundMethod(target, "__call__"), call, context)

    def owner(self, target: Type) -> Type | None:
        """The type of the value that comes in front of the arguments; None where none does."""
        return target

    def parameters(self, target: Type) -> Parameters | None:
        """The parameters of the one function that is compiled for the call; None where overloads
        are chosen among."""
        return None

    def alternatives(self, target: Type) -> tuple[Type, ...]:
        """The types of the functions of which one is called when the program runs."""
        return (target,)

    def name(self, target: Type) -> str:
        """The callee's name, in a sentence."""
        return types.describe(target.value) if isinstance(target, types.Constant) else str(target)


class LibraryFunctionCallee(CalleeKind):
    """A function or class that the library, or an extension, knows how to compile."""

    def question(
        self, op: nodes.Call, target: Type, call: Call, context: TypingContext
    ) -> Question | None:
        assert isinstance(target, types.Constant)
        return Question(target.value, call, op.args)

    def refusal(
        self, op: nodes.Call, target: Type, call: Call, context: TypingContext
    ) -> CompileError:
        assert isinstance(target, types.Constant)
        return refusals.cannot_call(op, target, call, context)

    def owner(self, target: Type) -> Type | None:
        return None


class ClassCallee(LibraryFunctionCallee):
    """A class; one of named tuples makes one of them."""

    def resolve(self, op: nodes.Call, target: Type, call: Call, context: TypingContext) -> Resolved:
        assert isinstance(target, types.Class)
        if types.is_named_tuple(target.value):
            return MadeTuple(target.value, call)
        return super().resolve(op, target, call, context)


class MethodCallee(CalleeKind):
    """A method of a value, whose owner is the first argument."""

    def question(
        self, op: nodes.Call, target: Type, call: Call, context: TypingContext
    ) -> Question | None:
        assert isinstance(target, BoundMethod)
        return Question(*method_call(context, target, call), (op.func, *op.args))

    def refusal(
        self, op: nodes.Call, target: Type, call: Call, context: TypingContext
    ) -> CompileError:
        assert isinstance(target, BoundMethod)
        shown = refusals.shown_types(call)
        message = f"method {target.attr!r} of {target.owner} does not accept ({shown})"
        overloads = context.overloads_of(method_call(context, target, call)[0])
        own = method_call(context, target, call)[1]
        hint = refusals.keyword_hint(overloads, call.keywords)
        hint = hint or refusals.elements_hint([target.owner])
        return TypingError(message, op.loc, hint or refusals.parameter_hint(overloads, own))

    def owner(self, target: Type) -> Type | None:
        assert isinstance(target, BoundMethod)
        return target.owner

    def name(self, target: Type) -> str:
        assert isinstance(target, BoundMethod)
        return f"{target.owner}.{target.attr}"


class CompiledCallee(LibraryFunctionCallee):
    """A function of the user's that is compiled."""

    def resolve(self, op: nodes.Call, target: Type, call: Call, context: TypingContext) -> Resolved:
        assert isinstance(target, types.Dispatcher)
        return CompiledCall(target.value, call)

    def parameters(self, target: Type) -> Parameters | None:
        assert isinstance(target, types.Dispatcher)
        parameters: Parameters = target.value.half.parameters
        return parameters


class InnerFunctionCallee(CalleeKind):
    """An inner function: compiled with what it carries along as further parameters."""

    def resolve(self, op: nodes.Call, target: Type, call: Call, context: TypingContext) -> Resolved:
        assert isinstance(target, types.Closure)
        carried, extended = carried_by_call(target, call), call_of_closure(target, call)
        if carried is None or extended is None:
            own = parameters_of_closure(target)
            raise own.misfit(call.positional, call.keywords, op.loc)
        return CompiledCall(target, extended, carried)

    def parameters(self, target: Type) -> Parameters | None:
        assert isinstance(target, types.Closure)
        return parameters_of_closure(target)

    def name(self, target: Type) -> str:
        assert isinstance(target, types.Closure)
        name: str = target.code.value.co_name
        return name


class ChoiceCallee(CalleeKind):
    """One of several functions; which one is known when the program runs."""

    def resolve(self, op: nodes.Call, target: Type, call: Call, context: TypingContext) -> Resolved:
        each = self.alternatives(target)
        return OneOf(tuple(kind_of(one).resolve(op, one, call, context) for one in each))

    def alternatives(self, target: Type) -> tuple[Type, ...]:
        assert isinstance(target, types.Functions)
        return target.functions


METHOD, VALUE = MethodCallee(), CalleeKind()

KINDS: dict[type[Type], CalleeKind] = {
    types.Function: LibraryFunctionCallee(),
    types.Class: ClassCallee(),
    types.BoundMethod: METHOD,
    types.Dispatcher: CompiledCallee(),
    types.Closure: InnerFunctionCallee(),
    types.Functions: ChoiceCallee(),
}


def kind_of(target: Type) -> CalleeKind:
    """The row for values of a type."""
    return KINDS.get(type(target), VALUE)
