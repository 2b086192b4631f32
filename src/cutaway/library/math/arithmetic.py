"""`+ - *` and signs of numbers."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from cutaway.extending.registry import primitive
from cutaway.ir.operators import BINARY
from cutaway.library.math.numbers import (
    Instructions,
    arithmetic,
    integer_op,
    refuse_wide_constants,
    unwidened,
)
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import Value
from cutaway.typing import types
from cutaway.typing.overloads.resolution import Arguments, Rule, Signature
from cutaway.typing.types import Complex, Integer

Emit = Callable[[str, str, str], str]


def _least_integer_rule(arguments: Arguments) -> Signature | None:
    # 9223372036854775808 has the bits of the least int64, so `a -` it is right wherever it fits.
    if len(arguments) != 2 or not all(map(types.is_integral, arguments.types)):
        return None
    least = type(arguments.constants[1]) is int and arguments.constants[1] == 2**63
    if not least or arguments.types[0] is types.uint64:
        return None
    return Signature(types.int64, (types.int64, types.int64))


def _register(
    name: str, rule: Rule, functions: tuple[Any, ...], integer: str, floating: str
) -> None:
    """Register operators that are one instruction for integers, or for each part of others."""

    def lower(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
        lhs, rhs = args
        if isinstance(lhs.ty, Integer):
            return Value(lhs.ty, (integer_op(build, integer, lhs.ty, *lhs.parts, *rhs.parts),))
        n = Instructions(build, lhs.ty)
        if isinstance(lhs.ty, Complex) and floating == "fmul":
            return Value(lhs.ty, _complex_product(n.fast, *lhs.parts, *rhs.parts))
        pairs = zip(lhs.parts, rhs.parts, strict=True)
        return Value(lhs.ty, tuple(n.fast(floating, x, y) for x, y in pairs))

    lower.__name__ = name
    for function in functions:
        primitive(function, rule)(lower)


def _complex_product(op: Emit, a: str, b: str, c: str, d: str) -> tuple[str, str]:
    ac, bd = op("fmul", a, c), op("fmul", b, d)
    ad, bc = op("fmul", a, d), op("fmul", b, c)
    return op("fsub", ac, bd), op("fadd", ad, bc)


_minus = (operator.sub, operator.isub)
_register("subtract_least_integer", _least_integer_rule, _minus, "sub", "")
refuse_wide_constants(operator.add, operator.sub, operator.mul)
refuse_wide_constants(operator.iadd, operator.isub, operator.imul)

for _symbol in "+-*":
    _row = BINARY[_symbol]
    _functions = (_row.function, _row.in_place)
    _register(_row.ufunc, arithmetic, _functions, _row.integers, _row.floats)


# --- signs ------------------------------------------------------------------------------------


def _sign_rule(arguments: Arguments) -> Signature | None:
    if len(arguments) != 1 or not types.is_number(arguments.types[0]):
        return None
    ty = unwidened(arguments.types[0])
    return Signature(ty, (ty,))


@primitive(operator.neg, _sign_rule)
def negate(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`-a`."""
    (value,) = args
    if isinstance(value.ty, Integer):
        return Value(value.ty, (integer_op(build, "sub", value.ty, "0", value.parts[0]),))
    return Value(value.ty, tuple(map(Instructions(build, value.ty).opposite, value.parts)))


@primitive(operator.pos, _sign_rule)
def positive(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`+a`."""
    return args[0]
