"""`bitwise_and bitwise_or bitwise_xor invert left_shift right_shift bitwise_count` of elements."""

from __future__ import annotations

from cutaway.library.elements.arithmetic import integer_size
from cutaway.library.elements.table import inline
from cutaway.library.math.numbers import is_literal, kind_of
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import Value
from cutaway.typing.types import Boolean, Integer
from cutaway.typing.ufuncs import Loop


def _register(name: str, opcode: str) -> None:
    @inline(name, "biu")
    def combine(build: FunctionBuilder, loop: Loop, args: list[Value]) -> Value:
        a, b = args
        return Value(a.ty, (build.binary(opcode, kind_of(a.ty), a.parts[0], b.parts[0]),))


for _opcode in ("and", "or", "xor"):
    _register(f"bitwise_{_opcode}", _opcode)


@inline("invert", "biu")
def invert(build: FunctionBuilder, loop: Loop, args: list[Value]) -> Value:
    """All bits turned over."""
    (a,) = args
    ones = "true" if isinstance(a.ty, Boolean) else "-1"
    return Value(a.ty, (build.binary("xor", kind_of(a.ty), a.parts[0], ones),))


@inline("left_shift", "iu")
def left_shift(build: FunctionBuilder, loop: Loop, args: list[Value]) -> Value:
    """`a << n`; 0 where `n` is negative, or not less than the width."""
    a, count = args
    assert isinstance(a.ty, Integer)
    kind, part = kind_of(a.ty), count.parts[0]
    shifted = build.binary("shl", kind, a.parts[0], _masked(build, a.ty, part))
    small = build.compare("ult", kind, part, str(a.ty.bits))
    return Value(a.ty, (build.select(small, kind, shifted, "0"),))


@inline("right_shift", "iu")
def right_shift(build: FunctionBuilder, loop: Loop, args: list[Value]) -> Value:
    """`a >> n`; only the sign is left where `n` is negative, or not less than the width."""
    a, count = args
    assert isinstance(a.ty, Integer)
    kind, part = kind_of(a.ty), count.parts[0]
    most = str(a.ty.bits - 1)
    small = build.compare("ult", kind, part, str(a.ty.bits))
    if a.ty.signed:
        part = build.select(small, kind, part, most)
        return Value(a.ty, (build.binary("ashr", kind, a.parts[0], part),))
    shifted = build.binary("lshr", kind, a.parts[0], _masked(build, a.ty, part))
    return Value(a.ty, (build.select(small, kind, shifted, "0"),))


def _masked(build: FunctionBuilder, ty: Integer, count: str) -> str:
    # LLVM leaves shifts by the width or more undefined.
    if is_literal(count) and 0 <= int(count) < ty.bits:
        return count
    return build.binary("and", kind_of(ty), count, str(ty.bits - 1))


@inline("bitwise_count", "iu")
def bitwise_count(build: FunctionBuilder, loop: Loop, args: list[Value]) -> Value:
    """The number of ones in the magnitude."""
    (a,), wanted = args, loop.outputs[0]
    kind = kind_of(a.ty)
    size = integer_size(build, a.ty, a.parts[0])
    count = build.call(kind, f"llvm.ctpop.{kind}", [(kind, size)])
    if kind != "i8":
        count = build.convert("trunc", kind, count, "i8")
    return Value(wanted, (count,))
