"""Templates: the typing of functions and attributes, separate from lowering (SPEC C4, D5).

A *concrete* template lists signatures, an *abstract* one computes one, a *callable* one is a
function of types with the parameters of the typed function, and an *attribute* template types the
attributes of a class of types.  The code is registered with `lower_builtin` and similar decorators.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, wraps
from typing import Any, ClassVar, TypeVar

from cutaway.errors import ExtensionError
from cutaway.extending.keys import function_of
from cutaway.extending.lowered import FUNCTIONS, GENERIC, missing
from cutaway.extending.registry import CONTEXT
from cutaway.extending.users import ask_overload, call_extension, extension_error
from cutaway.foundation import registrations
from cutaway.foundation.source import is_ours
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import Value
from cutaway.typing.overloads.context import OwnMethod, TypingContext
from cutaway.typing.overloads.parameters import call_places, parameters_of
from cutaway.typing.overloads.resolution import Arguments, Call, Overload, Typed, resolve
from cutaway.typing.types import BoundMethod, Omitted, Signature, Type, describe
from cutaway.typing.types.base import CallableType
from cutaway.typing.types.functions import ToldMethod

T = TypeVar("T", bound=type)


def signature(return_type: Type, *args: Type, **more: Any) -> Signature:
    """Return the signature of a call: its result type, and the types of its arguments; `recvr` is
    the type of a method's owner."""
    for ty in (return_type, *args):
        if not isinstance(ty, Type):
            raise ExtensionError(f"a signature must consist of types, but {ty!r} is not a type")
    return Signature(return_type, args, more.get("recvr"))


class Template:
    """The base class of templates; `key` is the function, operator or type class that it types."""

    key: ClassVar[Any]

    def __init__(self, context: TypingContext) -> None:
        self.context = context


class ConcreteTemplate(Template):
    """A list of signatures in `cases`: the best one by the five ranks of conversions is used."""

    cases: ClassVar[Sequence[Signature]] = ()


class AbstractTemplate(Template):
    """A rule: `generic(args, kws)` returns a signature for a call with arguments of types `args`
    and, by keyword, `kws`, or None."""

    def generic(self, args: tuple[Type, ...], kws: dict[str, Type]) -> Signature | None:
        """The signature of a call."""
        raise NotImplementedError


class CallableTemplate(Template):
    """A function of types: `generic()` returns a function with the parameters of the typed
    function, which returns the type of the result, or a signature, or None."""

    def generic(self) -> Callable[..., Any]:
        """The function of types."""
        raise NotImplementedError


class AttributeTemplate(Template):
    """Attributes of a class of types: `resolve_name(ty)` returns the type of attribute `name`, and
    `generic_resolve(ty, name)` that of any other; None if there is none."""

    def generic_resolve(self, ty: Any, name: str) -> Type | None:
        """The type of an attribute that has no method of its own here."""
        return None


def infer(template: T) -> T:
    """Register a template for calls of its `key` (SPEC D5).

    Raises ExtensionError if it is not a template of calls.
    """
    _add(function_of(_key(template)), template)
    return template


def infer_global(function: Any, template: Any = None) -> Any:
    """Register a template for calls of a function that programs know by a global name: as a
    decorator, or with the template (SPEC D5).  A type of an extension's own class can replace a
    template: its `get_call_type` returns the signature of a call."""

    def register(template: T) -> T:
        _add(function_of(function), _of_type(function, template))
        return template

    return register if template is None else register(template)


def infer_getattr(template: T) -> T:
    """Register an attribute template for the class of types, or the type, in its `key` (SPEC D5).

    Raises ExtensionError if it is not an attribute template.
    """
    key = _key(template)
    if not issubclass(template, AttributeTemplate):
        raise extension_error(template, f"{template.__name__} is not an AttributeTemplate")
    owner = key if isinstance(key, type) else type(key)
    if not issubclass(owner, Type):
        raise extension_error(
            template, f"the key of {template.__name__} is {key!r}, which is not a type"
        )
    registrations.register("infer_getattr", template, key)
    instance = template(CONTEXT)

    @cache
    def told(ty: Type, name: str) -> Type | None:
        return _attribute(instance, ty, name) if owner is key or ty is key else None

    def method(ty: Type, name: str) -> OwnMethod | None:
        answer = told(ty, name)
        return _add_method(ty, name, answer) if isinstance(answer, ToldMethod) else None

    def typed(call: Call) -> Typed | None:
        (ty,), (name,) = call.arguments.types, call.arguments.constants
        attribute = told(ty, name)
        is_method = attribute is None or isinstance(attribute, ToldMethod)
        return None if is_method else Typed(Signature(attribute, (ty,)), (0,))  # type: ignore[arg-type]

    def lower(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
        code = GENERIC.find(sig.args) or missing("an attribute", template)
        value: Value = code(build, sig, args)
        return value

    overload = Overload(
        None, (), lower, any_elements=True, template=typed, gives_new_reference=True
    )
    CONTEXT.add_fields(owner, overload, first=True)
    CONTEXT.add_teller(owner, method)
    return template


def bound_function(template_key: Any) -> Callable[[Any], Any]:
    """Decorate a method `resolve_name(self, ty, args, kws)` of an attribute template: it returns
    the signature of a call of the method `name` of values of type `ty`, whose code is registered
    with `lower_builtin(template_key, type, ...)`."""

    def decorate(resolver: Any) -> Any:
        @wraps(resolver)
        def resolve(self: AttributeTemplate, ty: Type) -> Type:
            class Method(AbstractTemplate):
                key = template_key

                def generic(self, args: tuple[Type, ...], kws: dict[str, Type]) -> Any:
                    return resolver(owner, ty, args, kws)

            owner = self
            return BoundMethod(Method, ty)  # type: ignore[arg-type]  # it adapts to a template

        return resolve

    return decorate


def _add_method(ty: Type, name: str, told: ToldMethod) -> OwnMethod:
    """Return the key of a method that a template types, as a function of the value and its
    arguments."""
    key, template = OwnMethod(ty, name), told.template.value
    if CONTEXT.knows(key):
        return key
    role = f"method {name} of {ty}"
    if not (issubclass(template, Template) and hasattr(template, "key")):
        raise extension_error(
            template, f"{role} is {template!r}", "subclass AbstractTemplate, with a key"
        )
    typing = _typing_of(template, role)

    def typed(call: Call) -> Typed | None:
        arguments = call.arguments
        rest = Arguments(arguments.types[1:], arguments.constants[1:])
        answer = typing(Call(rest, call.keywords))
        if answer is None:
            return None
        sig = Signature(answer.signature.returns, (ty, *answer.signature.args))
        return Typed(sig, (0, *(None if place is None else place + 1 for place in answer.layout)))

    def lower(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
        known = FUNCTIONS.get(function_of(template.key))
        code = None if known is None else known.find(sig.args)
        value: Value = (code or missing(role, template))(build, sig, args)
        return value

    CONTEXT.add(key, Overload(None, (), lower, any_elements=True, template=typed))
    return key


def _typing_of(template: type[Template], role: str) -> Typing:
    """Return the typing of calls by a template."""
    if issubclass(template, ConcreteTemplate):
        return _by_cases(tuple(template.cases))
    if issubclass(template, AbstractTemplate):
        return _by_rule(template(CONTEXT).generic, role, template)
    if issubclass(template, CallableTemplate):
        return _by_function(call_extension(template(CONTEXT).generic, role), role, template)
    raise extension_error(template, f"{template!r} is not a template of calls")


def type_callable(function: Any) -> Callable[[Any], Any]:
    """Register a function that takes the typing context and returns a function of types, with the
    parameters of `function` (SPEC D5)."""

    def register(maker: Any) -> Any:
        role = f"the typing of {describe(function_of(function))}"
        registrations.register("type_callable", maker, function)
        typer = call_extension(maker, role, CONTEXT)
        _add_template(function_of(function), _by_function(typer, role, maker), maker)
        return maker

    return register


def _key(template: Any) -> Any:
    if not (isinstance(template, type) and issubclass(template, Template)):
        raise ExtensionError(f"{template!r} is not a template", hint="subclass AbstractTemplate")
    if not hasattr(template, "key"):
        raise extension_error(
            template, f"{template.__name__} has no key", "set key to the function that it is for"
        )
    return template.key


def _of_type(function: Any, template: Any) -> Any:
    """Return a template for calls of an extension's callable type; another template as it is."""
    if not isinstance(template, CallableType):
        return template
    callee: Any = template  # an extension's class has the method

    class Told(AbstractTemplate):
        key = function

        def generic(self, args: tuple[Type, ...], kws: dict[str, Type]) -> Signature | None:
            typed: Signature | None = callee.get_call_type(self.context, args, kws)
            return typed

    return Told


def _add(function: Any, template: Any) -> None:
    role = f"{getattr(template, '__name__', template)}.generic"
    registrations.register("infer", template, function)
    if isinstance(template, type) and issubclass(template, ConcreteTemplate):
        name = describe(function)
        overload = Overload(None, tuple(template.cases), missing(name, template), any_elements=True)
        CONTEXT.add(function, overload, first=not is_ours(template))
    elif isinstance(template, type) and issubclass(template, Template):
        _add_template(function, _typing_of(template, role), template)
    else:
        raise extension_error(template, f"{template!r} is not a template of calls")


Typing = Callable[[Call], Typed | None]


def _add_template(function: Any, typing: Typing, source: Any) -> None:
    lower = missing(describe(function), source)
    typing.typer = source  # type: ignore[attr-defined]  # whom lists of candidates name
    overload = Overload(None, (), lower, any_elements=True, template=typing)
    CONTEXT.add(function, overload, first=not is_ours(source))


def _by_cases(cases: tuple[Signature, ...]) -> Typing:
    overloads = [Overload(None, cases, None, any_elements=True)]

    def typed(call: Call) -> Typed | None:
        found = resolve(overloads, call)
        return None if found is None else Typed(found.signature, found.layout)

    return typed


def _by_rule(generic: Callable[..., Any], role: str, source: Any) -> Typing:
    prefer_literal = bool(getattr(source, "prefer_literal", False))

    def typed(call: Call) -> Typed | None:
        argtypes = call.arguments.types
        answer = ask_overload(
            call, prefer_literal, lambda args, kws: call_extension(generic, role, args, kws)
        )
        if answer is None:
            return None
        if not isinstance(answer, Signature) or len(answer.args) != len(argtypes):
            raise extension_error(
                generic,
                f"{role} returned {answer!r} for {len(argtypes)} arguments",
                "return a signature with the type of each argument, or None",
            )
        return Typed(answer, tuple(range(len(argtypes))))

    return typed


def _by_function(typer: Any, role: str, source: Any) -> Typing:
    if not callable(typer):
        raise extension_error(source, f"{role} returned {typer!r}", "return a function of types")
    parameters = parameters_of(typer)

    def typed(call: Call) -> Typed | None:
        places = parameters.lay_out(call)
        if places is None:
            return None
        positional, named = call.split_types
        answer = call_extension(typer, role, *positional, **named)
        if answer is None:
            return None
        if isinstance(answer, Signature) and len(answer.args) == len(call.arguments):
            return Typed(answer, tuple(range(len(call.arguments))))
        if not isinstance(answer, Type):
            raise extension_error(typer, f"{role} returned {answer!r}", "return a type, or None")
        laid_out = parameters.one_by_one(places)
        kinds = call.arguments.types
        args = tuple(one if isinstance(one, Omitted) else kinds[one] for one in laid_out)
        return Typed(Signature(answer, args), call_places(laid_out))

    return typed


def _attribute(template: AttributeTemplate, ty: Type, name: Any) -> Type | None:
    role = f"{type(template).__name__}, for attribute {name}"
    resolve = getattr(template, f"resolve_{name}", None)
    if resolve is None:
        answer = call_extension(template.generic_resolve, role, ty, name)
    else:
        answer = call_extension(resolve, role, ty)
    if answer is not None and not isinstance(answer, Type):
        raise extension_error(
            type(template), f"{role} returned {answer!r}", "return a type, or None"
        )
    return answer
