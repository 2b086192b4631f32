"""Register functions for compiled code: typing and lowering together.

`@primitive` registers the lowering of a function that runs in Python too, with its typing: a rule,
or a list of signatures.  A lowering, `lower(build, sig, args) -> Value`, emits the code for
arguments already converted to the signature's types.

`register_type` lets objects of a user's class be passed; the registry is `typing.typeof.OPAQUE`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cutaway.dispatch_c import _dispatch
from cutaway.errors import OptionError
from cutaway.extending import external
from cutaway.foundation import registrations
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import Value
from cutaway.typing.overloads import notation
from cutaway.typing.overloads.context import TypingContext
from cutaway.typing.overloads.resolution import Arguments, Overload, Rule, Signature
from cutaway.typing.types import Opaque, Type
from cutaway.typing.types.conversions import Conversion
from cutaway.typing.values.typeof import TYPED, WITH_ADDRESS, register_opaque

__all__ = ["Conversion"]

CONTEXT = TypingContext()
WITH_ADDRESS.append(lambda value: external.by_address(value))

Lower = Callable[[FunctionBuilder, Signature, list[Value]], Any]


def primitive(
    function: Any,
    typing: Rule | str | tuple[str, ...],
    parameters: tuple[str, ...] | None = None,
    defaults: tuple[Any, ...] = (),
    any_elements: bool = False,
    gives_new_reference: bool = False,
    context: TypingContext = CONTEXT,
    shares: bool = False,
) -> Callable[[Lower], Lower]:
    """Register the lowering of a function that runs in Python too, which defines its meaning.

    `typing` is a rule that computes the signature of a call, or the list of signatures. A rule is
    only called for arrays of numbers, unless it works with `any_elements`.  The result of an
    operator or an item is a part of its operands, unless that `gives_new_reference`; that of a call
    is so where it `shares`. `context` is that of a target with a library of its own.

    Raises SignatureError for a signature that cannot be read.
    """
    rule, signatures = (typing, ()) if callable(typing) else (None, _signatures(typing))

    def register(lower: Lower) -> Lower:
        overload = Overload(
            rule,
            signatures,
            lower,
            parameters,
            defaults,
            any_elements=any_elements,
            gives_new_reference=gives_new_reference,
            shares=shares,
        )
        context.add(function, overload)
        return lower

    return register


def _signatures(texts: str | tuple[str, ...]) -> tuple[Signature, ...]:
    written = map(notation.parse_signature, (texts,) if isinstance(texts, str) else texts)
    return tuple(Signature(w.returns, w.args) for w in written if w.returns is not None)


def method(owner: type[Type], name: str) -> tuple[type[Type], str]:
    """Return the key of a method, in the place of a function: its first argument is the owner."""
    CONTEXT.methods.add((owner, name))
    return (owner, name)


def attribute(
    owner: type[Type],
    name: str,
    rule: Callable[[Any], Type | None],
    any_elements: bool = False,
    gives_new_reference: bool = False,
    context: TypingContext = CONTEXT,
) -> Callable[[Lower], Lower]:
    """Register a lowering for reading an attribute; the rule returns its type or None.  The other
    parameters are those of `primitive`."""

    def typing(arguments: Arguments) -> Signature | None:
        result_type = rule(arguments.types[0])
        return None if result_type is None else Signature(result_type, arguments.types)

    def register(lower: Lower) -> Lower:
        overload = Overload(
            typing, (), lower, any_elements=any_elements, gives_new_reference=gives_new_reference
        )
        context.add_attribute(owner, name, overload)
        return lower

    return register


def fields(owner: type[Type], rule: Callable[[Any, str], Type | None]) -> Callable[[Lower], Lower]:
    """Register a lowering for reading attributes whose names depend on the type of class `owner`;
    the rule returns the type of one by its name, or None.  `build.op` is the op that reads."""

    def typing(arguments: Arguments) -> Signature | None:
        result_type = rule(arguments.types[0], arguments.constants[0])
        return None if result_type is None else Signature(result_type, arguments.types)

    def register(lower: Lower) -> Lower:
        CONTEXT.add_fields(owner, Overload(typing, (), lower, any_elements=True))
        return lower

    return register


def is_jitted(function: object) -> bool:
    """True for a compiled function."""
    return isinstance(function, _dispatch.Dispatcher)


def register_type(cls: type) -> Opaque:
    """Let objects of exactly this class be arguments and results of compiled functions, which pass
    them on and compare them with `is`; return their type.

    Raises OptionError for anything but a class, and for a class whose values have types already.
    """
    if not isinstance(cls, type):
        raise OptionError(f"only a class can be registered, not {cls!r}")
    if issubclass(cls, TYPED):
        raise OptionError(
            f"values of class {cls.__name__} already have a type",
            hint="register a class of your own that holds the value",
        )
    registrations.register("register_type", cls)
    _dispatch.register_class(cls, ())  # the class alone determines its type
    return register_opaque(cls)
