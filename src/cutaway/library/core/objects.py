"""Objects that compiled code only passes on: identity tests."""

from __future__ import annotations

import operator

from cutaway.library.math.numbers import both_ways
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import Value
from cutaway.typing import types
from cutaway.typing.overloads.resolution import Arguments, Signature


def _identity_rule(arguments: Arguments) -> Signature | None:
    first, second = arguments.types
    same = isinstance(first, types.Opaque) and first is second
    return Signature(types.boolean, arguments.types) if same else None


@both_ways(operator.is_, operator.is_not, _identity_rule)
def _same(build: FunctionBuilder, lhs: Value, rhs: Value) -> str:
    return build.compare("eq", "ptr", lhs.parts[0], rhs.parts[0])
