"""`& | ^ ~ << >>` of integers and bools, and of elements."""

from __future__ import annotations

import operator
from collections.abc import Callable

from cutaway.extending.registry import primitive
from cutaway.ir.operators import BINARY, Operator
from cutaway.library.core import messages
from cutaway.library.elements.table import each_part, formula
from cutaway.library.math.numbers import (
    Instructions,
    arithmetic,
    integer_arithmetic,
    is_literal,
    raise_overflow,
    refuse_wide_constants,
    unwidened,
    widened,
)
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import Value, part_types
from cutaway.typing import types
from cutaway.typing.analysis.intervals import Interval
from cutaway.typing.overloads.resolution import Arguments, Signature
from cutaway.typing.types import Boolean, Integer


def _rule(arguments: Arguments) -> Signature | None:
    if all(isinstance(ty, Boolean) for ty in arguments.types):
        return Signature(types.boolean, arguments.types)
    narrow = _narrow_type(arguments)
    return integer_arithmetic(arguments) if narrow is None else Signature(narrow, (narrow, narrow))


def _narrow_type(arguments: Arguments) -> Integer | None:
    """The result type for narrow integers of one signedness beside fitting constants and bools: the
    widest of them, so that inverting the result keeps the width."""
    pairs = list(zip(arguments.types, arguments.constants, strict=True))
    own = [ty for ty, constant in pairs if isinstance(ty, Integer) and type(constant) is not int]
    if not own or len({ty.signed for ty in own}) > 1 or any(ty.bits == 64 for ty in own):
        return None
    widest = max(own, key=lambda ty: ty.bits)
    fits = all(
        isinstance(ty, Boolean)
        or type(constant) is not int
        or widest.low <= constant <= widest.high
        for ty, constant in pairs
    )
    return widest if fits and all(map(types.is_integral, arguments.types)) else None


def _and_rule(arguments: Arguments) -> Signature | None:
    # The bits that a nonnegative number masks fit into its own type.
    if types.uint64 in arguments.types and all(map(types.is_integral, arguments.types)):
        return Signature(types.uint64, (types.uint64, types.uint64))
    return _rule(arguments)


refuse_wide_constants(operator.or_, operator.ior, operator.xor, operator.ixor)


def _register(row: Operator, opcode: str) -> None:
    each_part(row.ufunc, "biu")(lambda n, x, y: n(opcode, x, y))

    @primitive(row.in_place, _and_rule if opcode == "and" else _rule)
    @primitive(row.function, _and_rule if opcode == "and" else _rule)
    def combine(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
        n = Instructions(build, sig.returns)
        return Value(sig.returns, (n(opcode, args[0].parts[0], args[1].parts[0]),))


for _symbol in "&|^":
    _register(BINARY[_symbol], BINARY[_symbol].integers)


def _invert_rule(arguments: Arguments) -> Signature | None:
    if not types.is_integral(arguments.types[0]):
        return None
    ty = unwidened(arguments.types[0])
    return Signature(ty, (ty,))


@primitive(operator.invert, _invert_rule)
def invert(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`~a`."""
    return Value(sig.returns, (inverted(Instructions(build, sig.returns), args[0].parts[0]),))


@formula("invert", "biu")
def inverted(n: Instructions, x: str) -> str:
    """All bits inverted."""
    return n("xor", x, "true" if n.kind == "i1" else "-1")


def _shift_rule(arguments: Arguments) -> Signature | None:
    if not all(map(types.is_integral, arguments.types)) or arithmetic(arguments) is None:
        return None
    ty = widened(arguments.types[0])
    count = arguments.types[1]
    signed = not (isinstance(count, Integer) and not count.signed)
    return Signature(ty, (ty, types.int64 if signed else types.uint64))


def _right_rule(arguments: Arguments) -> Signature | None:
    # A narrow integer shifted right still fits into its type.
    signature = _shift_rule(arguments)
    return signature and Signature(unwidened(arguments.types[0]), signature.args)


@primitive(operator.ilshift, _shift_rule)
@primitive(operator.lshift, _shift_rule)
def shift_left(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`a << n`; bits shifted out of 64 are lost."""
    value = args[0].parts[0]

    def shifted(count: str) -> str:
        result = build.binary("shl", "i64", value, count)
        if build.flags.overflow == "raise":
            assert isinstance(sig.returns, Integer)
            back = build.binary("ashr" if sig.returns.signed else "lshr", "i64", result, count)
            raise_overflow(build, build.compare("ne", "i64", back, value))
        return result

    def nothing() -> str:
        if build.flags.overflow == "raise":
            raise_overflow(build, build.compare("ne", "i64", value, "0"))
        return "0"

    return Value(sig.returns, (_by_count(build, args[1], shifted, nothing),))


@primitive(operator.irshift, _right_rule)
@primitive(operator.rshift, _right_rule)
def shift_right(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`a >> n`, an arithmetic shift for signed integers."""
    assert isinstance(args[0].ty, Integer) and isinstance(sig.returns, Integer)
    signed, value = args[0].ty.signed, args[0].parts[0]
    opcode = "ashr" if signed else "lshr"

    def shifted(count: str) -> str:
        return build.binary(opcode, "i64", value, count)

    def sign() -> str:
        return build.binary("ashr", "i64", value, "63") if signed else "0"

    part, kind = _by_count(build, args[1], shifted, sign, signed), part_types(sig.returns)[0]
    if kind != "i64":
        part = build.convert("trunc", "i64", part, kind)
    return Value(sig.returns, (part,))


def _by_count(
    build: FunctionBuilder,
    count: Value,
    shifted: Callable[[str], str],
    beyond: Callable[[], str],
    keeps_sign: bool = False,
) -> str:
    """Emit a shift, with the result `beyond` for counts of 64 or more, which LLVM leaves undefined.

    One comparison detects all unusual counts, negative ones too; counts known to be usual are not
    checked. If no count can be negative nothing can raise, and the shift has no branches, so it can
    be vectorized; an arithmetic right shift clamps the count to 63.
    """
    assert isinstance(count.ty, Integer)
    part, ty = count.parts[0], count.ty
    if is_literal(part):
        counts = Interval(int(part), int(part))
    else:
        operands = build.operands_of(build.op)
        counts = Interval(ty.low, ty.high) if operands is None else operands.right
    if counts.within(Interval(0, 63)):
        return shifted(part)
    if counts.low >= 0 and keeps_sign:
        return shifted(build.call("i64", "llvm.umin.i64", [("i64", part), ("i64", "63")]))
    usual = build.compare("ult", "i64", part, "64")
    if counts.low >= 0 and build.flags.overflow == "wrap":
        return build.select(usual, "i64", shifted(part), beyond())

    def unusual() -> str:
        if counts.low < 0:
            build.raise_if(
                build.compare("slt", "i64", part, "0"), ValueError, messages.NEGATIVE_SHIFT
            )
        return beyond()

    return build.one_of("i64", usual, lambda: shifted(part), unusual)


# --- of elements ---------------------------------------------------------------------------------


@formula("left_shift", "iu")
def left_shift(n: Instructions, x: str, count: str) -> str:
    """`a << n`; 0 if `n` is negative or not less than the width."""
    return _unless_wide(n, "shl", x, count)


@formula("right_shift", "iu")
def right_shift(n: Instructions, x: str, count: str) -> str:
    """`a >> n`; only the sign remains if `n` is negative or not less than the width."""
    if not n.ty.signed:
        return _unless_wide(n, "lshr", x, count)
    small = n.compare("ult", count, str(n.ty.bits))
    return n("ashr", x, n.select(small, count, str(n.ty.bits - 1)))


def _unless_wide(n: Instructions, opcode: str, x: str, count: str) -> str:
    # LLVM leaves shifts by the width or more undefined.
    if is_literal(count) and 0 <= int(count) < n.ty.bits:
        masked = count
    else:
        masked = n("and", count, str(n.ty.bits - 1))
    return n.select(n.compare("ult", count, str(n.ty.bits)), n(opcode, x, masked), "0")


@formula("bitwise_count", "iu")
def bitwise_count(n: Instructions, x: str) -> str:
    """The number of ones in the magnitude."""
    count = n.call("ctpop", n.size(x))
    return count if n.kind == "i8" else n.build.convert("trunc", n.kind, count, "i8")
