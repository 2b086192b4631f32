"""How compiled code learns a function: its typing and its lowering, registered together.

`@concrete` takes a list of signatures, `@abstract` a typing rule; both decorate the lowering
function, `lower(build, sig, args) -> Value`, which emits the code for arguments already
converted to the signature's types.  `@implemented` takes a Python function instead, which is
compiled like a user's.  The library is written with nothing else.
"""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Any

from cutaway.lowering.function_builder import FunctionBuilder
from cutaway.lowering.layout import Value
from cutaway.typing.context import TypingContext
from cutaway.typing.signatures import parse_signature
from cutaway.typing.templates import REQUIRED, Arguments, Overload, Rule, Signature
from cutaway.typing.types import Type

CONTEXT = TypingContext()

# Any: iteration lowers to a pair (item, whether there is one), everything else to a Value.
Lower = Callable[[FunctionBuilder, Signature, list[Value]], Any]


def concrete(
    function: Any,  # Any: a Python function or class of any kind
    *signatures: str,
    parameters: tuple[str, ...] | None = None,
    defaults: tuple[Any, ...] = (),  # Any: default values
) -> Callable[[Lower], Lower]:
    """Register a lowering for a function with these signatures.

    Raises SignatureError for a signature that cannot be read.
    """

    def register(lower: Lower) -> Lower:
        written = [parse_signature(text) for text in signatures]
        made = tuple(Signature(w.returns, w.args) for w in written if w.returns is not None)
        CONTEXT.add(function, Overload(None, made, lower, parameters, defaults))
        return lower

    return register


def abstract(
    function: Any,  # Any: a Python function or class of any kind
    rule: Rule,
    parameters: tuple[str, ...] | None = None,
    defaults: tuple[Any, ...] = (),  # Any: default values
) -> Callable[[Lower], Lower]:
    """Register a lowering for a function whose signature the rule computes."""

    def register(lower: Lower) -> Lower:
        CONTEXT.add(function, Overload(rule, (), lower, parameters, defaults))
        return lower

    return register


def implemented(
    function: Any,  # Any: a Python function or class of any kind
    fits: Callable[[Arguments], bool],
    defaults: tuple[Any, ...] | None = None,  # Any: default values, all REQUIRED when None
    convert: Callable[[Type], Type] | None = None,
) -> Callable[[FunctionType], FunctionType]:
    """Register a Python function that is compiled in the place of a call whose arguments `fits`
    accepts; its parameters' names are those for calls by keyword.  Arguments that `convert`
    gives another type are converted first."""

    def register(implementation: FunctionType) -> FunctionType:
        code = implementation.__code__
        names = code.co_varnames[: code.co_argcount]
        given = (REQUIRED,) * len(names) if defaults is None else defaults

        def choose(arguments: Arguments) -> tuple[FunctionType, tuple[Type, ...]] | None:
            if len(arguments) != len(names) or not fits(arguments):
                return None
            wanted = arguments.types if convert is None else tuple(map(convert, arguments.types))
            return implementation, wanted

        CONTEXT.add(function, Overload(None, (), None, names, given, choose=choose))
        return implementation

    return register


def method(owner: type[Type], name: str) -> tuple[type[Type], str]:
    """What stands for a method in the place of a function: its first argument is the owner."""
    CONTEXT.methods.add((owner, name))
    return (owner, name)


def attribute(
    owner: type[Type],
    name: str,
    rule: Callable[[Any], Type | None],  # Any: an `owner`
) -> Callable[[Lower], Lower]:
    """Register a lowering for reading an attribute; the rule gives its type or None."""

    def typing(arguments: Arguments) -> Signature | None:
        found = rule(arguments.types[0])
        return None if found is None else Signature(found, arguments.types)

    def register(lower: Lower) -> Lower:
        CONTEXT.add_attribute(owner, name, Overload(typing, (), lower))
        return lower

    return register
