"""Strings that are one of several constants: equality, truth."""

from __future__ import annotations

import operator

from cutaway.extending import abstract
from cutaway.library.numbers import boolean, both_ways
from cutaway.lowering.function_builder import FunctionBuilder
from cutaway.lowering.layout import Value
from cutaway.typing import types
from cutaway.typing.templates import Arguments, Signature
from cutaway.typing.types import Choice, String, Type


def _is_text(ty: Type) -> bool:
    return isinstance(ty, String | Choice)


def _equality_rule(arguments: Arguments) -> Signature | None:
    given = arguments.types
    if len(given) != 2 or not all(map(_is_text, given)):
        return None
    common = types.choice_of(*given)  # type: ignore[arg-type]
    return None if common is None else Signature(types.boolean, (common, common))


@both_ways(operator.eq, operator.ne, _equality_rule)
def _same(build: FunctionBuilder, lhs: Value, rhs: Value) -> str:
    return build.compare("eq", "i64", lhs.parts[0], rhs.parts[0])


def _truth_rule(arguments: Arguments) -> Signature | None:
    fits = len(arguments) == 1 and isinstance(arguments.types[0], Choice)
    return Signature(types.boolean, arguments.types) if fits else None


def _truth(build: FunctionBuilder, value: Value) -> str:
    assert isinstance(value.ty, Choice)
    answer = "true"
    for number, text in enumerate(value.ty.values):
        if not text:
            other = build.compare("ne", "i64", value.parts[0], str(number))
            answer = build.binary("and", "i1", answer, other)
    return answer


@abstract(bool, _truth_rule)
def truth(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`bool(s)`: false where it is empty."""
    return boolean(_truth(build, args[0]))


@abstract(operator.not_, _truth_rule)
def falsehood(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`not s`."""
    return boolean(build.binary("xor", "i1", _truth(build, args[0]), "true"))
