"""`& | ^ ~ << >>` of integers and bools."""

from __future__ import annotations

import operator

from cutaway.extending.registry import primitive
from cutaway.library.core import messages
from cutaway.library.math.numbers import (
    arithmetic,
    integer_arithmetic,
    is_literal,
    raise_overflow,
    refuse_wide_constants,
    widened,
)
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import Value, part_types
from cutaway.typing import types
from cutaway.typing.overloads.resolution import Arguments, Signature
from cutaway.typing.types import Boolean, Integer

_OPCODES = {
    operator.and_: "and",
    operator.iand: "and",
    operator.or_: "or",
    operator.ior: "or",
    operator.xor: "xor",
    operator.ixor: "xor",
}


def _rule(arguments: Arguments) -> Signature | None:
    if all(isinstance(ty, Boolean) for ty in arguments.types):
        return Signature(types.boolean, arguments.types)
    return integer_arithmetic(arguments)


def _and_rule(arguments: Arguments) -> Signature | None:
    # What a number that is not negative leaves of another fits into its own type.
    if types.uint64 in arguments.types and all(map(types.is_integral, arguments.types)):
        return Signature(types.uint64, (types.uint64, types.uint64))
    return _rule(arguments)


def _register(function: object, opcode: str) -> None:
    @primitive(function, _and_rule if opcode == "and" else _rule)
    def combine(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
        kind = part_types(sig.returns)[0]
        return Value(sig.returns, (build.binary(opcode, kind, args[0].parts[0], args[1].parts[0]),))


refuse_wide_constants(operator.or_, operator.ior, operator.xor, operator.ixor)
for _function, _opcode in _OPCODES.items():
    _register(_function, _opcode)


def _invert_rule(arguments: Arguments) -> Signature | None:
    if not types.is_integral(arguments.types[0]):
        return None
    ty = widened(arguments.types[0])
    return Signature(ty, (ty,))


@primitive(operator.invert, _invert_rule)
def invert(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`~a`."""
    return Value(sig.returns, (build.binary("xor", "i64", args[0].parts[0], "-1"),))


def _shift_rule(arguments: Arguments) -> Signature | None:
    if not all(map(types.is_integral, arguments.types)) or arithmetic(arguments) is None:
        return None
    ty = widened(arguments.types[0])
    count = arguments.types[1]
    signed = not (isinstance(count, Integer) and not count.signed)
    return Signature(ty, (ty, types.int64 if signed else types.uint64))


@primitive(operator.ilshift, _shift_rule)
@primitive(operator.lshift, _shift_rule)
def shift_left(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`a << n`; bits shifted out of 64 are lost."""
    count = _checked_count(build, args[1])
    value, masked = args[0].parts[0], _masked(build, count)
    shifted = build.binary("shl", "i64", value, masked)
    if build.flags.overflow == "raise":
        assert isinstance(sig.returns, Integer)
        back = build.binary("ashr" if sig.returns.signed else "lshr", "i64", shifted, masked)
        lost = build.compare("ne", "i64", back, value)
        if not is_literal(count):
            beyond = build.compare("uge", "i64", count, "64")
            something = build.compare("ne", "i64", value, "0")
            lost = build.select(beyond, "i1", something, lost)
        raise_overflow(build, lost)
    return Value(sig.returns, (_if_small(build, count, shifted, "0"),))


@primitive(operator.irshift, _shift_rule)
@primitive(operator.rshift, _shift_rule)
def shift_right(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`a >> n`; the sign is kept."""
    assert isinstance(sig.returns, Integer)
    count, value = _checked_count(build, args[1]), args[0].parts[0]
    opcode = "ashr" if sig.returns.signed else "lshr"
    shifted = build.binary(opcode, "i64", value, _masked(build, count))
    beyond = build.binary("ashr", "i64", value, "63") if sig.returns.signed else "0"
    return Value(sig.returns, (_if_small(build, count, shifted, beyond),))


def _checked_count(build: FunctionBuilder, count: Value) -> str:
    part = count.parts[0]
    assert isinstance(count.ty, Integer)
    if count.ty.signed and not (is_literal(part) and int(part) >= 0):
        negative = build.compare("slt", "i64", part, "0")
        build.raise_if(negative, ValueError, messages.NEGATIVE_SHIFT)
    return part


def _masked(build: FunctionBuilder, count: str) -> str:
    # LLVM leaves shifts by the width or more undefined.
    if is_literal(count) and 0 <= int(count) < 64:
        return count
    return build.binary("and", "i64", count, "63")


def _if_small(build: FunctionBuilder, count: str, shifted: str, beyond: str) -> str:
    if is_literal(count) and 0 <= int(count) < 64:
        return shifted
    return build.select(build.compare("ult", "i64", count, "64"), "i64", shifted, beyond)
