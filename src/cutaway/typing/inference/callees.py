"""Kinds of callees: one class per kind of value that can be called, with all that its calls need.

The resolution of a call determines its typing and lowering; its question, or the parameters of the
function that is compiled for it, its explanation.
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
    """Resolve a call; an implementation in Python gets the facts about the arguments."""
    resolution = context.resolve(question.function, question.call)
    if resolution is None or resolution.implementation is None:
        return resolution
    return replace(resolution, facts=question.call.all_facts)


class CalleeKind:
    """One kind of value that may be called: here any value whose type may have a registered
    `__call__`."""

    def resolve(self, op: nodes.Call, target: Type, call: Call, context: TypingContext) -> Resolved:
        """Resolve a call of a value of type `target`.

        Raises CompileError if it cannot be called like this.
        """
        question = self.question(op, target, call, context)
        resolution = None if question is None else resolution_of(question, context)
        if question is None or resolution is None:
            raise self.refusal(op, target, call, context)
        return Chosen(question, resolution, self.owner(target))

    def question(
        self, op: nodes.Call, target: Type, call: Call, context: TypingContext
    ) -> Question | None:
        """Return the question of the call to the context; None if overloads do not resolve it."""
        if context.method_of(target, "__call__") is None:
            return None
        return METHOD.question(op, BoundMethod(target, "__call__"), call, context)

    def refusal(
        self, op: nodes.Call, target: Type, call: Call, context: TypingContext
    ) -> CompileError:
        """Return the error for a call that no overload accepts."""
        if context.method_of(target, "__call__") is None:
            return TypingError(f"a value of type {target} cannot be called", op.loc)
        return METHOD.refusal(op, BoundMethod(target, "__call__"), call, context)

    def owner(self, target: Type) -> Type | None:
        """Return the type of the value that precedes the arguments; None if there is none."""
        return target

    def parameters(self, target: Type) -> Parameters | None:
        """Return the parameters of the function that is compiled for the call; None if overloads
        resolve it."""
        return None

    def alternatives(self, target: Type) -> tuple[Type, ...]:
        """Return the types of the functions of which one is called at run time."""
        return (target,)

    def name(self, target: Type) -> str:
        """Return the callee's name, for a sentence."""
        return types.describe(target.value) if isinstance(target, types.Constant) else str(target)


class LibraryFunctionCallee(CalleeKind):
    """A function or class with overloads in the library or in an extension."""

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
    """A class; the call of a named tuple's class creates one."""

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
    """A compiled function of the user."""

    def resolve(self, op: nodes.Call, target: Type, call: Call, context: TypingContext) -> Resolved:
        assert isinstance(target, types.Dispatcher)
        return CompiledCall(target.value, call)

    def parameters(self, target: Type) -> Parameters | None:
        assert isinstance(target, types.Dispatcher)
        parameters: Parameters = target.value.half.parameters
        return parameters


class InnerFunctionCallee(CalleeKind):
    """An inner function: its captured variables and defaults are compiled as further parameters."""

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
    """One of several functions, selected at run time."""

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
    """Return the kind of callee that values of a type are."""
    return KINDS.get(type(target), VALUE)
