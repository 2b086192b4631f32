"""Rounding, and the parts and neighbors of floats."""

from __future__ import annotations

import math

import numpy as np

from cutaway.library.elements.arithmetic import each_part, part_type
from cutaway.library.elements.table import inline
from cutaway.library.math.numbers import float_constant, kind_of
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import Value
from cutaway.typing import types
from cutaway.typing.types import Float
from cutaway.typing.ufuncs import Loop

# --- rounding -------------------------------------------------------------------------------------


@inline("floor ceil trunc", "biu")
def whole_itself(build: FunctionBuilder, loop: Loop, args: list[Value]) -> Value:
    """An integer rounded."""
    return args[0]


def _register_rounding(name: str, kinds: str) -> None:
    @inline(name, kinds)
    def rounded(build: FunctionBuilder, loop: Loop, args: list[Value]) -> Value:
        (a,) = args
        return each_part(a, lambda part: build.math(name, part_type(a.ty), part))


for _name in ("floor", "ceil", "trunc"):
    _register_rounding(_name, "f")
_register_rounding("rint", "fc")


# --- angles ---------------------------------------------------------------------------------------


def _register_angle(names: str, per_radian: bool) -> None:
    @inline(names, "f")
    def scaled(build: FunctionBuilder, loop: Loop, args: list[Value]) -> Value:
        (a,) = args
        ty = part_type(a.ty)
        pi, half_turn = (types.to_dtype(ty).type(number) for number in (np.pi, 180.0))
        factor = float(half_turn / pi if per_radian else pi / half_turn)
        part = build.binary("fmul", kind_of(ty), a.parts[0], float_constant(build, ty, factor))
        return Value(ty, (part,))


_register_angle("degrees rad2deg", True)
_register_angle("radians deg2rad", False)


# --- parts ----------------------------------------------------------------------------------------


@inline("copysign", "ef")
def copysign(build: FunctionBuilder, loop: Loop, args: list[Value]) -> Value:
    """`a` with the sign of `b`."""
    a, b = args
    return Value(a.ty, (build.math("copysign", part_type(a.ty), a.parts[0], b.parts[0]),))


@inline("heaviside", "f")
def heaviside(build: FunctionBuilder, loop: Loop, args: list[Value]) -> Value:
    """0 for a negative `a`, 1 for a positive one, `b` for 0."""
    a, b = args
    ty = part_type(a.ty)
    kind, part = kind_of(ty), a.parts[0]
    above = build.fcompare("ogt", kind, part, "0.0")
    result = build.select(above, kind, float_constant(build, ty, 1.0), "0.0")
    nan = build.fcompare("uno", kind, part, part)
    result = build.select(nan, kind, part, result)
    zero = build.fcompare("oeq", kind, part, "0.0")
    return Value(ty, (build.select(zero, kind, b.parts[0], result),))


@inline("modf", "f")
def modf(build: FunctionBuilder, loop: Loop, args: list[Value]) -> tuple[Value, Value]:
    """The fraction and the whole part, both with the sign of `a`."""
    (a,) = args
    ty = part_type(a.ty)
    kind, part = kind_of(ty), a.parts[0]
    whole = build.math("trunc", ty, part)
    infinity = float_constant(build, ty, math.inf)
    infinite = build.fcompare("oeq", kind, build.math("fabs", ty, part), infinity)
    fraction = build.select(infinite, kind, "0.0", build.binary("fsub", kind, part, whole))
    signed = build.math("copysign", ty, fraction, part)
    return Value(ty, (signed,)), Value(ty, (whole,))


@inline("frexp", "f")
def frexp(build: FunctionBuilder, loop: Loop, args: list[Value]) -> tuple[Value, Value]:
    """A number from 0.5 to 1, and the power of two that it is multiplied with."""
    (a,) = args
    ty, part = part_type(a.ty), a.parts[0]
    kind, integer = kind_of(ty), f"i{ty.bits}"
    width = _FRACTION[ty.bits]
    size, infinity = build.math("fabs", ty, part), float_constant(build, ty, math.inf)
    least = float_constant(build, ty, float(np.finfo(types.to_dtype(ty)).tiny))
    small = build.fcompare("olt", kind, size, least)
    raised = build.binary("fmul", kind, part, float_constant(build, ty, 2.0 ** (width + 2)))
    bits = build.convert("bitcast", kind, build.select(small, kind, raised, part), integer)
    own = build.binary("and", integer, bits, str(~(_field(ty) << width)))
    half = (_field(ty) // 2 - 1) << width  # the exponent of 0.5
    mantissa = build.convert("bitcast", integer, build.binary("or", integer, own, str(half)), kind)
    field = build.binary(
        "and", integer, build.binary("lshr", integer, bits, str(width)), str(_field(ty))
    )
    offset = _field(ty) // 2 - 1
    lowered = build.select(small, integer, str(offset + width + 2), str(offset))
    exponent = build.binary("sub", integer, field, lowered)
    zero = build.fcompare("oeq", kind, part, "0.0")
    finite = build.fcompare("olt", kind, size, infinity)
    itself = build.binary("or", "i1", zero, build.binary("xor", "i1", finite, "true"))
    exponent = build.select(itself, integer, "0", exponent)
    if ty.bits == 64:
        exponent = build.convert("trunc", integer, exponent, "i32")
    return (
        Value(ty, (build.select(itself, kind, part, mantissa),)),
        Value(loop.outputs[1], (exponent,)),
    )


_FRACTION = {32: 23, 64: 52}  # bits of a float behind the exponent


def _field(ty: Float) -> int:
    """All ones in the place of the exponent."""
    return (1 << (ty.bits - 1 - _FRACTION[ty.bits])) - 1


@inline("ldexp", "f+i")
def ldexp(build: FunctionBuilder, loop: Loop, args: list[Value]) -> Value:
    """`a * 2 ** n`, rounded once."""
    ty = part_type(args[0].ty)
    count = build.cast(args[1], types.int64).parts[0]
    if ty.bits == 32:  # exact in double
        wide = build.cast(args[0], types.float64).parts[0]
        result = _scaled(build, wide, _clamped(build, count, -400, 400))
        return build.cast(Value(types.float64, (result,)), ty)
    # In three steps, of which none but the last rounds: so many bits of the way down to numbers of
    # less precision are left for that.
    part, down = args[0].parts[0], 1022 - 53
    for _ in range(2):
        step = _clamped(build, count, -down, 1023)
        below = build.compare("slt", "i64", count, "-1022")
        above = build.compare("sgt", "i64", count, "1023")
        outside = build.binary("or", "i1", below, above)
        step = build.select(outside, "i64", step, "0")
        part = _scaled(build, part, step)
        count = build.binary("sub", "i64", count, step)
    return Value(ty, (_scaled(build, part, _clamped(build, count, -1022, 1023)),))


def _clamped(build: FunctionBuilder, count: str, low: int, high: int) -> str:
    count = build.call("i64", "llvm.smax.i64", [("i64", count), ("i64", str(low))])
    return build.call("i64", "llvm.smin.i64", [("i64", count), ("i64", str(high))])


def _scaled(build: FunctionBuilder, part: str, count: str) -> str:
    """A double times a power of two that is a normal number."""
    field = build.binary("shl", "i64", build.binary("add", "i64", count, "1023"), "52")
    return build.binary("fmul", "double", part, build.convert("bitcast", "i64", field, "double"))


# --- neighbors ------------------------------------------------------------------------------------


@inline("nextafter", "ef")
def nextafter(build: FunctionBuilder, loop: Loop, args: list[Value]) -> Value:
    """The float next to `a` on the way to `b`."""
    a, b = args
    ty = part_type(a.ty)
    kind, (x,), (y,) = kind_of(ty), a.parts, b.parts
    zero = build.fcompare("oeq", kind, x, "0.0")
    up = build.fcompare("olt", kind, x, y)
    away = build.compare("eq", "i1", up, build.fcompare("ogt", kind, x, "0.0"))
    step = build.select(away, f"i{ty.bits}", "1", "-1")
    least = build.math("copysign", ty, _least(build, ty), y)
    result = build.select(zero, kind, least, _beside(build, ty, x, step))
    same = x if ty is types.float16 else y  # of two zeros
    result = build.select(build.fcompare("oeq", kind, x, y), kind, same, result)
    nan = build.fcompare("uno", kind, x, y)
    return Value(ty, (build.select(nan, kind, build.binary("fadd", kind, x, y), result),))


@inline("spacing", "f")
def spacing(build: FunctionBuilder, loop: Loop, args: list[Value]) -> Value:
    """The distance to the next float away from 0, with the sign of `a`."""
    (a,) = args
    ty = part_type(a.ty)
    kind, part = kind_of(ty), a.parts[0]
    distance = build.binary("fsub", kind, _beside(build, ty, part, "1"), part)
    zero = build.fcompare("oeq", kind, part, "0.0")
    result = build.select(zero, kind, _least(build, ty), distance)
    size, infinity = build.math("fabs", ty, part), float_constant(build, ty, math.inf)
    finite = build.fcompare("olt", kind, size, infinity)
    nan = float_constant(build, ty, math.nan)
    return Value(ty, (build.select(finite, kind, result, nan),))


@inline("spacing", "e")
def spacing_of_halves(build: FunctionBuilder, loop: Loop, args: list[Value]) -> Value:
    """The distance to the next float16 above, which is what NumPy takes for these."""
    (a,) = args
    ty = part_type(a.ty)
    kind, part = kind_of(ty), a.parts[0]
    below = build.fcompare("olt", kind, part, "0.0")
    above = _beside(build, ty, part, build.select(below, "i16", "-1", "1"))
    wide, next_one = (
        build.cast(Value(ty, (one,)), types.float32).parts[0] for one in (part, above)
    )
    distance = Value(types.float32, (build.binary("fsub", "float", next_one, wide),))
    zero = build.fcompare("oeq", kind, part, "0.0")
    result = build.select(zero, kind, _least(build, ty), build.cast(distance, ty).parts[0])
    size, infinity = build.math("fabs", ty, part), float_constant(build, ty, math.inf)
    finite = build.fcompare("olt", kind, size, infinity)
    nan = float_constant(build, ty, math.nan)
    return Value(ty, (build.select(finite, kind, result, nan),))


def _beside(build: FunctionBuilder, ty: Float, part: str, step: str) -> str:
    """The float whose bits are so many further on."""
    kind, integer = kind_of(ty), f"i{ty.bits}"
    bits = build.convert("bitcast", kind, part, integer)
    return build.convert("bitcast", integer, build.binary("add", integer, bits, step), kind)


def _least(build: FunctionBuilder, ty: Float) -> str:
    """The smallest positive float."""
    return build.convert("bitcast", f"i{ty.bits}", "1", kind_of(ty))
