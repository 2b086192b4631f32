"""Strings that are one of several constants: equality, truth."""

from __future__ import annotations

import operator

from cutaway.library.math.numbers import both_ways
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import Value
from cutaway.typing import types
from cutaway.typing.overloads.resolution import Arguments, Signature
from cutaway.typing.types import Choice, String, Type


def _is_text(ty: Type) -> bool:
    return isinstance(ty, String | Choice)


def _equality_rule(arguments: Arguments) -> Signature | None:
    args = arguments.types
    if len(args) != 2 or not all(map(_is_text, args)):
        return None
    common = types.choice_of(*args)
    return None if common is None else Signature(types.boolean, (common, common))


@both_ways(operator.eq, operator.ne, _equality_rule)
def _same(build: FunctionBuilder, lhs: Value, rhs: Value) -> str:
    return build.compare("eq", "i64", lhs.parts[0], rhs.parts[0])


def _truth_rule(arguments: Arguments) -> Signature | None:
    fits = len(arguments) == 1 and isinstance(arguments.types[0], Choice)
    return Signature(types.boolean, arguments.types) if fits else None


@both_ways(bool, operator.not_, _truth_rule)
def _truth(build: FunctionBuilder, value: Value) -> str:
    assert isinstance(value.ty, Choice)
    answer = "true"
    for number, text in enumerate(value.ty.values):
        if not text:
            other = build.compare("ne", "i64", value.parts[0], str(number))
            answer = build.binary("and", "i1", answer, other)
    return answer
