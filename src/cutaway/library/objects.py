"""Objects that compiled code only passes on: whether two are the same one."""

from __future__ import annotations

import operator

from cutaway.extending import abstract
from cutaway.library.numbers import boolean
from cutaway.lowering.function_builder import FunctionBuilder
from cutaway.lowering.layout import Value
from cutaway.typing import types
from cutaway.typing.templates import Arguments, Signature


def _identity_rule(arguments: Arguments) -> Signature | None:
    first, second = arguments.types
    same = isinstance(first, types.Opaque) and first is second
    return Signature(types.boolean, arguments.types) if same else None


@abstract(operator.is_, _identity_rule)
def same_object(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`x is y` of objects of one class; of different classes they are never the same."""
    return boolean(build.compare("eq", "ptr", args[0].parts[0], args[1].parts[0]))


@abstract(operator.is_not, _identity_rule)
def other_object(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`x is not y`."""
    return boolean(build.compare("ne", "ptr", args[0].parts[0], args[1].parts[0]))
