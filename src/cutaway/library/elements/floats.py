"""Angles, and the parts and neighbors of floats."""

from __future__ import annotations

import math

import numpy as np

from cutaway.library.elements.table import formula, inline
from cutaway.library.math.numbers import Instructions
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import Value
from cutaway.typing import types
from cutaway.typing.types import Float
from cutaway.typing.ufuncs import Loop

# --- angles ---------------------------------------------------------------------------------------


def _register_angle(names: str, per_radian: bool) -> None:
    @formula(names, "f")
    def scaled(n: Instructions, x: str) -> str:
        pi, half_turn = (types.to_dtype(n.ty).type(number) for number in (np.pi, 180.0))
        factor = float(half_turn / pi if per_radian else pi / half_turn)
        return n.fast("fmul", x, n.number(factor))


_register_angle("degrees rad2deg", True)
_register_angle("radians deg2rad", False)


# --- parts ----------------------------------------------------------------------------------------


@formula("heaviside", "f")
def heaviside(n: Instructions, x: str, at_zero: str) -> str:
    """0 for a negative `a`, 1 for a positive one, `b` for 0."""
    result = n.select(n.compare("ogt", x), n.number(1.0), "0.0")
    result = n.select(n.is_nan(x), x, result)
    return n.select(n.compare("oeq", x), at_zero, result)


@formula("modf", "f")
def modf(n: Instructions, x: str) -> tuple[str, str]:
    """The fractional and the integral part, both with the sign of `a`."""
    whole = n.math("trunc", x)
    fraction = n.select(n.is_infinite(x), "0.0", n("fsub", x, whole))
    return n.math("copysign", fraction, x), whole


@inline("frexp", "f")
def frexp(build: FunctionBuilder, loop: Loop, args: list[Value]) -> tuple[Value, Value]:
    """The mantissa in [0.5, 1) and the exponent of a number."""
    n, (part,) = Instructions(build, args[0].ty), args[0].parts
    i = Instructions(build, types.int64 if n.ty.bits == 64 else types.int32)
    width, field = _FRACTION[n.ty.bits], _field(n.ty)
    size = n.size(part)
    small = n.compare("olt", size, n.number(float(np.finfo(types.to_dtype(n.ty)).tiny)))
    raised = n("fmul", part, n.number(2.0 ** (width + 2)))
    bits = build.convert("bitcast", n.kind, n.select(small, raised, part), i.kind)
    own = i("and", bits, str(~(field << width)))
    half = (field // 2 - 1) << width  # the exponent of 0.5
    mantissa = build.convert("bitcast", i.kind, i("or", own, str(half)), n.kind)
    exponent = i("and", i("lshr", bits, str(width)), str(field))
    offset = field // 2 - 1
    exponent = i("sub", exponent, i.select(small, str(offset + width + 2), str(offset)))
    zero = n.compare("oeq", part)
    finite = n.compare("olt", size, n.number(math.inf))
    itself = n.either(zero, build.binary("xor", "i1", finite, "true"))
    exponent = i.select(itself, "0", exponent)
    if i.kind == "i64" and loop.outputs[1] is not types.int64:
        exponent = build.convert("trunc", i.kind, exponent, "i32")
    return (
        Value(n.ty, (n.select(itself, part, mantissa),)),
        Value(loop.outputs[1], (exponent,)),
    )


_FRACTION = {32: 23, 64: 52}  # mantissa bits of a float


def _field(ty: Float) -> int:
    """The exponent field's maximum, all ones."""
    return (1 << (ty.bits - 1 - _FRACTION[ty.bits])) - 1


@inline("ldexp", "f+i")
def ldexp(build: FunctionBuilder, loop: Loop, args: list[Value]) -> Value:
    """`a * 2 ** n`, rounded once."""
    ty, i = args[0].ty, Instructions(build, types.int64)
    count = build.cast(args[1], types.int64).parts[0]
    if ty is types.float32:  # exact in double
        wide = build.cast(args[0], types.float64).parts[0]
        result = _scaled(i, wide, _clamped(i, count, -400, 400))
        return build.cast(Value(types.float64, (result,)), ty)
    # In three steps, of which only the last one rounds: each leaves enough of the way down to
    # subnormal numbers for that.
    part, down = args[0].parts[0], 1022 - 53
    for _ in range(2):
        step = _clamped(i, count, -down, 1023)
        outside = i.either(i.compare("slt", count, "-1022"), i.compare("sgt", count, "1023"))
        step = i.select(outside, step, "0")
        part = _scaled(i, part, step)
        count = i("sub", count, step)
    return Value(ty, (_scaled(i, part, _clamped(i, count, -1022, 1023)),))


def _clamped(i: Instructions, count: str, low: int, high: int) -> str:
    return i.call("smin", i.call("smax", count, str(low)), str(high))


def _scaled(i: Instructions, part: str, count: str) -> str:
    """A double times a power of two that is a normal number."""
    field = i("shl", i("add", count, "1023"), "52")
    return i.build.binary(
        "fmul", "double", part, i.build.convert("bitcast", "i64", field, "double")
    )


# --- neighbors ------------------------------------------------------------------------------------


@formula("nextafter", "ef")
def nextafter(n: Instructions, x: str, y: str) -> str:
    """The neighbor of `a` in the direction of `b`."""
    zero = n.compare("oeq", x)
    up = n.compare("olt", x, y)
    away = n.build.compare("eq", "i1", up, n.compare("ogt", x))
    step = n.build.select(away, f"i{n.ty.bits}", "1", "-1")
    result = n.select(zero, n.math("copysign", _least(n), y), _beside(n, x, step))
    same = x if n.ty is types.float16 else y  # of equal zeros
    result = n.select(n.compare("oeq", x, y), same, result)
    return n.select(n.compare("uno", x, y), n("fadd", x, y), result)


@formula("spacing", "f")
def spacing(n: Instructions, x: str) -> str:
    """The distance to the next float away from 0, with the sign of `a`."""
    return _spacing(n, x, n("fsub", _beside(n, x, "1"), x))


@formula("spacing", "e")
def spacing_of_halves(n: Instructions, x: str) -> str:
    """The distance to the next larger float16, NumPy's definition for them."""
    above = _beside(n, x, n.build.select(n.compare("olt", x), "i16", "-1", "1"))
    wide, following = (
        n.build.cast(Value(n.ty, (one,)), types.float32).parts[0] for one in (x, above)
    )
    distance = Value(types.float32, (n.build.binary("fsub", "float", following, wide),))
    return _spacing(n, x, n.build.cast(distance, n.ty).parts[0])


def _spacing(n: Instructions, x: str, distance: str) -> str:
    result = n.select(n.compare("oeq", x), _least(n), distance)
    return n.select(n.is_finite(x), result, n.number(math.nan))


def _beside(n: Instructions, x: str, step: str) -> str:
    """The float whose bit pattern differs by `step`."""
    integer = f"i{n.ty.bits}"
    bits = n.build.convert("bitcast", n.kind, x, integer)
    return n.build.convert("bitcast", integer, n.build.binary("add", integer, bits, step), n.kind)


def _least(n: Instructions) -> str:
    """The smallest positive float."""
    return n.build.convert("bitcast", f"i{n.ty.bits}", "1", n.kind)
