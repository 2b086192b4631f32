"""Registration of LLVM IR that extensions write: functions, attributes, casts, constants (SPEC D6,
D7).

Templates define the types (SPEC D5), or they are known already: a lowering for a function of the
library replaces the library's own.  Patterns of types are types, classes of types, `types.Any`, and
last `types.VarArg(pattern)`.
"""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Any, TypeVar, overload

from cutaway.errors import ExtensionError
from cutaway.extending import emission, target_context
from cutaway.extending.keys import function_of
from cutaway.extending.registry import CONTEXT
from cutaway.extending.users import ask_overload, call_code_of, call_extension, extension_error
from cutaway.foundation import registrations
from cutaway.foundation.options import shown
from cutaway.foundation.source import place_of
from cutaway.lowering.build.casts import CASTS
from cutaway.lowering.build.constants import CONSTANTS
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.build.patterns import Implementations
from cutaway.lowering.layout import Value, tuple_items
from cutaway.typing import types
from cutaway.typing.inference.questions import advance
from cutaway.typing.overloads.context import AttributeSetter
from cutaway.typing.overloads.parameters import call_places, parameters_of
from cutaway.typing.overloads.resolution import Call, Overload, Typed
from cutaway.typing.types import Signature, Type

F = TypeVar("F", bound=Callable[..., Any])
Pattern = Any

# The code for each function, and for each `(class of types, attribute)`.
FUNCTIONS: dict[Any, Implementations] = {}

ONLY_COMPILED = "an intrinsic: only compiled code calls it"


def lower_builtin(function: Any, *patterns: Pattern) -> Callable[[F], F]:
    """Register `code(context, builder, sig, args)` for calls of a function with arguments of these
    types (SPEC D6); it returns the LLVM value of the result.

    A result that owns memory is a new reference, as in all code of extensions.  The code of
    `iternext` returns the item, and an i1 that is true if there is one.
    """
    key = function_of(function)
    return _registered(key, types.describe(key), patterns)


def lower_getattr(owner: Pattern, name: str) -> Callable[[F], F]:
    """Register `code(context, builder, ty, value)` for reading an attribute (SPEC D6)."""
    cls = owner if isinstance(owner, type) else type(owner)

    def register(code: F) -> F:
        def call(context: Any, builder: Any, sig: Signature, args: Any) -> Any:
            return code(context, builder, sig.args[0], args[0])

        registrations.register("lower_getattr", code, owner, name, is_told=True)
        _registered((cls, name), f"attribute {name} of {owner}", (owner,), code)(call)
        return code

    return register


def lower_getattr_generic(owner: Pattern) -> Callable[[F], F]:
    """Register `code(context, builder, ty, value, name)` for reading any attribute that has no
    code of its own (SPEC D6)."""

    def register(code: F) -> F:
        def lower(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
            name = build.op.attr  # type: ignore[union-attr]  # the op that reads the attribute

            def call(context: Any, builder: Any, sig: Signature, args: Any) -> Any:
                return code(context, builder, sig.args[0], args[0], name)

            return lowering_by(call, f"the reading of attribute {name}", code)(build, sig, args)

        registrations.register("lower_getattr_generic", code, owner, is_told=True)
        GENERIC.add((owner,), lower)
        return code

    return register


GENERIC = Implementations("attributes")


def lower_setattr(owner: Pattern, name: str) -> Callable[[F], F]:
    """Register `code(context, builder, sig, args)` for setting an attribute; `args` are the owner
    and the assigned value (SPEC D6)."""
    return _setter(owner, name)


def lower_setattr_generic(owner: Pattern) -> Callable[[F], F]:
    """Register `code(context, builder, sig, args, name)` for setting any attribute that has no
    code of its own (SPEC D6)."""
    return _setter(owner, None)


def _setter(owner: Pattern, name: str | None) -> Callable[[F], F]:
    known = Implementations("setter")

    def typed(call: Call) -> Typed | None:
        argtypes = call.arguments.types
        fits = known.find(argtypes[:1]) is not None
        return Typed(Signature(types.none, _as_read(argtypes, name)), (0, 1)) if fits else None

    def register(code: F) -> F:
        def lower(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
            attr = build.op.attr  # type: ignore[union-attr]  # the op that sets the attribute
            more = () if name is not None else (attr,)
            write = lowering_by(code, f"the setting of attribute {attr}", code, *more)
            return write(build, sig, args)

        registrations.register("lower_setattr", code, owner, name, is_told=True)
        known.add((owner,), code)
        overload = Overload(None, (), lower, any_elements=True, template=typed)
        CONTEXT.add(AttributeSetter(name), overload, first=True)
        return code

    return register


def _as_read(argtypes: tuple[Type, ...], name: str | None) -> tuple[Type, ...]:
    """Return the types of a value and of the value assigned to an attribute, converted to the
    attribute's type where that is known."""
    read = None if name is None else CONTEXT.resolve_attribute(argtypes[0], name)
    known = read is not None and read.implementation is None
    return (argtypes[0], read.signature.returns) if read is not None and known else argtypes


def lower_cast(source: Pattern, wanted: Pattern) -> Callable[[F], F]:
    """Register `code(context, builder, fromty, toty, val)` for implicit conversions (SPEC D6).

    The types define which conversions exist (`can_convert_to`, `can_convert_from`).  A conversion
    to `types.Boolean` is also the truth of a value.
    """

    def register(code: F) -> F:
        def lower(build: Any, value: Value, to: Type) -> Value:
            def call(context: Any, builder: Any, sig: Signature, args: Any) -> Any:
                return code(context, builder, sig.args[0], sig.returns, args[0])

            role = f"the cast from {value.ty} to {to}"
            return lowering_by(call, role, code)(build, Signature(to, (value.ty,)), [value])

        registrations.register("lower_cast", code, source, wanted, is_told=True)
        CASTS.add((source, wanted), lower)
        if wanted in (types.Boolean, types.boolean):
            _add_truth(source)
        return code

    return register


def _add_truth(source: Pattern) -> None:
    """Register the conversion to a bool for `if`, `not`, `and`, `bool`."""
    known = Implementations("truth")
    known.add((source,), lambda: None)

    def template(call: Call) -> Typed | None:
        fits = not call.keywords and known.find(call.arguments.types) is not None
        return Typed(Signature(types.boolean, call.arguments.types), (0,)) if fits else None

    def lower(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
        return build.cast(args[0], types.boolean)

    overload = Overload(None, (), lower, any_elements=True, template=template)
    CONTEXT.add(bool, overload, first=True)


def lower_constant(owner: Pattern) -> Callable[[F], F]:
    """Register `code(context, builder, ty, pyval)` for globals and closure variables of a compiled
    function (SPEC D6)."""

    def register(code: F) -> F:
        def lower(build: Any, ty: Type, held: Any) -> Value:
            def call(context: Any, builder: Any, sig: Signature, args: Any) -> Any:
                return code(context, builder, ty, held)

            role = f"the constant of type {ty}"
            return lowering_by(call, role, code)(build, Signature(ty, ()), [])

        registrations.register("lower_constant", code, owner, is_told=True)
        CONSTANTS.add((owner,), lower)
        return code

    return register


# --- intrinsics -------------------------------------------------------------------------------


@overload
def intrinsic(function: Callable[..., Any], /) -> Intrinsic: ...


@overload
def intrinsic(*, prefer_literal: bool = False) -> Callable[[Callable[..., Any]], Intrinsic]: ...


def intrinsic(*functions: Any, prefer_literal: bool = False) -> Any:
    """Define a function of compiled code by its typing and LLVM IR together (SPEC D7).

    The decorated function takes the typing context and the types of the arguments.  It returns a
    signature and `code(context, builder, sig, args)`, or None if they are not supported.  With
    `prefer_literal` it is called with literal types first, otherwise last.  A result that owns
    memory is a new reference: `context.nrt.incref` makes one from an argument's.
    """
    for function in functions:
        if not isinstance(function, FunctionType):
            raise ExtensionError(f"intrinsic expects a Python function, not {shown(function)}")
    return Intrinsic(*functions) if functions else lambda f: Intrinsic(f, prefer_literal)


class Intrinsic:
    """A function made by `intrinsic`."""

    is_intrinsic = True  # as the cache asks, which loads no class of extensions

    def __init__(self, function: Callable[..., Any], prefer_literal: bool = False) -> None:
        self.__name__ = function.__name__
        self.__qualname__ = function.__qualname__
        self.__module__ = function.__module__
        self.__doc__ = function.__doc__
        self.__annotations__ = function.__annotations__
        self._function = function
        self._prefer_literal = prefer_literal
        self._parameters: Any = None
        overload = Overload(None, (), None, any_elements=True, template=self._typed)
        registrations.register("intrinsic", self, prefer_literal, is_told=True)
        CONTEXT.add(self, overload)

    def __repr__(self) -> str:
        return f"<intrinsic {self.__name__}>"

    def __call__(self, *args: Any, **named: Any) -> Any:
        """Refuse: only compiled code can call it."""
        raise NotImplementedError(f"{self.__name__} is {ONLY_COMPILED}")

    def _typed(self, call: Call) -> Typed | None:
        if self._parameters is None:
            self._parameters = parameters_of(self._function).without_first()
        places = self._parameters.lay_out(call)
        if places is None:
            return None
        role = f"intrinsic {self.__name__}"
        answer = ask_overload(
            call,
            self._prefer_literal,
            lambda given, named: call_extension(self._function, role, CONTEXT, *given, **named),
        )
        if answer is None:
            return None
        laid_out = self._parameters.one_by_one(places)
        sig, code = self._checked(answer, len(laid_out))
        if isinstance(code, FunctionType):
            registrations.made_by(code, self._function)
        pairs = zip(laid_out, sig.args, strict=True)
        args = tuple(one if isinstance(one, types.Omitted) else ty for one, ty in pairs)
        lower = lowering_by(code, role, code)
        return Typed(Signature(sig.returns, args), call_places(laid_out), lower)

    def _checked(self, answer: Any, count: int) -> tuple[Signature, Any]:
        hint = "return a signature and the function that writes the code, or None"
        if not (isinstance(answer, tuple) and len(answer) == 2 and callable(answer[1])):
            raise extension_error(
                self._function, f"intrinsic {self.__name__} returned {answer!r}", hint
            )
        sig, code = answer
        if not isinstance(sig, Signature):
            raise extension_error(
                self._function, f"the signature of intrinsic {self.__name__} is {sig!r}", hint
            )
        if len(sig.args) != count:
            raise extension_error(
                self._function,
                f"intrinsic {self.__name__} is called with {count} arguments, its signature {sig}"
                f" has {len(sig.args)}",
                "a signature names the type of each argument: sig = returns(first, second)",
            )
        return sig, code


# --- how the code is called -------------------------------------------------------------------


def lowering_by(
    function: Callable[..., Any], role: str, extension: Any = None, *more: Any
) -> Callable[..., Value]:
    """Return the lowering that an extension writes: `function(context, builder, sig, args, *more)`;
    errors name the location of `extension`."""

    def lower(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
        source = function if extension is None else extension

        def write(e: Any, values: list[Any]) -> Any:
            context = target_context.TargetContext(e)
            return call_code_of(
                source, role, function, context, e.builder, sig, tuple(values), *more
            )

        value: Value = emission.emit_call(build, build.function, source, sig, args, write)
        return value

    return lower


def advancing_by(function: Callable[..., Any], role: str, extension: Any = None) -> Any:
    """Return the lowering of an iterator's advance: the code returns the item, and an i1 that is
    true if there is one."""
    source = function if extension is None else extension

    def lower(build: FunctionBuilder, sig: Signature, args: list[Value]) -> tuple[Value, str]:
        pair = types.Tuple((sig.returns, types.boolean))

        def call(context: Any, builder: Any, _: Signature, args: Any) -> Any:
            advanced = function(context, builder, sig, args)
            if not (isinstance(advanced, tuple) and len(advanced) == 2):
                message = f"{role} returned {advanced!r}"
                raise extension_error(
                    source, message, "return the item, and an i1 that is true if there is one"
                )
            checker = emission.checked
            for ty, value in zip(pair.items, advanced, strict=True):
                checker(source, ty, value)
            return context.make_tuple(builder, pair, advanced)

        advanced = lowering_by(call, role, source)(build, Signature(pair, sig.args), args)
        item, valid = tuple_items(advanced)
        return item, valid.parts[0]

    return lower


def _registered(
    key: Any, name: str, patterns: tuple[Pattern, ...], extension: Any = None
) -> Callable[[F], F]:
    for pattern in patterns:
        if not isinstance(pattern, Type | type):
            raise ExtensionError(
                f"{name} is lowered for {pattern!r}, which is not a type",
                hint="use types, classes of types, types.Any or types.VarArg(...)",
            )
    if key not in FUNCTIONS:
        known = FUNCTIONS[key] = Implementations(name)
        CONTEXT.add_lowering(key, lambda sig: known.find(sig.args))

    def register(code: F) -> F:
        if extension is None:
            registrations.register("lower_builtin", code, key, patterns, is_told=True)
        how = advancing_by if key is advance else lowering_by
        source = extension or getattr(code, "__wrapped__", None)  # by iternext_impl
        FUNCTIONS[key].add(patterns, how(code, f"the lowering of {name}", source))
        CONTEXT.forget()
        return code

    return register


def missing(name: str, template: Any) -> Callable[..., Value]:
    """Return a placeholder for the missing code of a template."""

    def lower(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
        raise ExtensionError(
            f"{name} is typed as {sig}, but no code is registered for it",
            place_of(template),
            f"register it: @lower_builtin({name}, ...)",
        )

    return lower
