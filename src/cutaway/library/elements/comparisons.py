"""Comparisons, logic, the larger or smaller of two elements, bounds, and what is not a number."""

from __future__ import annotations

import math

from cutaway.library.elements.arithmetic import part_type
from cutaway.library.elements.table import inline
from cutaway.library.math.numbers import boolean, float_constant, kind_of
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import Value
from cutaway.typing import types
from cutaway.typing.types import Boolean, Float, Integer, Type
from cutaway.typing.ufuncs import Loop

# Of integers, without the letter of the sign, and of floats.
_PREDICATES = {
    "equal": ("eq", "oeq"),
    "not_equal": ("ne", "une"),
    "less": ("lt", "olt"),
    "less_equal": ("le", "ole"),
    "greater": ("gt", "ogt"),
    "greater_equal": ("ge", "oge"),
}


def _register_comparison(name: str, of_integers: str, of_floats: str) -> None:
    @inline(name, "biu")
    def compare_integers(build: FunctionBuilder, loop: Loop, args: list[Value]) -> Value:
        return boolean(_compared_integers(build, of_integers, *args))

    @inline(name, "ef")
    def compare_floats(build: FunctionBuilder, loop: Loop, args: list[Value]) -> Value:
        a, b = args
        return boolean(build.fcompare(of_floats, kind_of(a.ty), a.parts[0], b.parts[0]))

    @inline(name, "c")
    def compare_complex(build: FunctionBuilder, loop: Loop, args: list[Value]) -> Value:
        return boolean(_compared_complex(build, of_floats, *args))


def _compared_integers(build: FunctionBuilder, predicate: str, a: Value, b: Value) -> str:
    """An i1: integers, and bools, of any two types compared by their values."""
    if a.ty is not b.ty:
        return _compared_widely(build, predicate, a, b)
    signed = isinstance(a.ty, Integer) and a.ty.signed
    sign = "" if predicate in ("eq", "ne") else "s" if signed else "u"
    return build.compare(f"{sign}{predicate}", kind_of(a.ty), a.parts[0], b.parts[0])


def _compared_widely(build: FunctionBuilder, predicate: str, a: Value, b: Value) -> str:
    """In a type that has the values of both; what is out of its range is moved to its ends."""
    wide = _wider(a.ty, b.ty)
    if wide is not None:
        return _compared_integers(build, predicate, build.cast(a, wide), build.cast(b, wide))
    # uint64, and one with a sign: a negative number is less than all that have none.
    left_signed = isinstance(a.ty, Integer) and a.ty.signed
    signed = build.cast(a if left_signed else b, types.int64).parts[0]
    negative = build.compare("slt", "i64", signed, "0")
    parts = (signed, b.parts[0]) if left_signed else (a.parts[0], signed)
    sign = "" if predicate in ("eq", "ne") else "u"
    answer = build.compare(f"{sign}{predicate}", "i64", *parts)
    below = predicate in (("ne", "lt", "le") if left_signed else ("ne", "gt", "ge"))
    return build.select(negative, "i1", "true" if below else "false", answer)


def _wider(a: Type, b: Type) -> Integer | None:
    """The narrowest type that has the values of both."""
    ranges = [(0, 1) if isinstance(ty, Boolean) else (ty.low, ty.high) for ty in (a, b)]
    low, high = min(low for low, _ in ranges), max(high for _, high in ranges)
    candidates = (types.int8, types.uint8, types.int16, types.uint16, types.int32, types.uint32)
    for ty in (*candidates, types.int64, types.uint64):
        if ty.low <= low and high <= ty.high:
            return ty
    return None


def _compared_complex(build: FunctionBuilder, predicate: str, a: Value, b: Value) -> str:
    """An i1: complex numbers by their real parts, then by their imaginary ones."""
    kind = kind_of(part_type(a.ty))
    (x, y), (u, v) = a.parts, b.parts
    if predicate in ("oeq", "une"):
        opcode = "and" if predicate == "oeq" else "or"
        first, second = build.fcompare(predicate, kind, x, u), build.fcompare(predicate, kind, y, v)
        return build.binary(opcode, "i1", first, second)
    strict = build.fcompare(f"{predicate[:2]}t", kind, x, u)
    known = build.fcompare("ord", kind, y, v)
    same = build.fcompare("oeq", kind, x, u)
    then = build.fcompare(predicate, kind, y, v)
    apart = build.binary("and", "i1", strict, known)
    return build.binary("or", "i1", apart, build.binary("and", "i1", same, then))


for _name, _predicates in _PREDICATES.items():
    _register_comparison(_name, *_predicates)


# --- logic ----------------------------------------------------------------------------------------


def _register_logic(name: str, opcode: str) -> None:
    @inline(name, "biuefc")
    def combine(build: FunctionBuilder, loop: Loop, args: list[Value]) -> Value:
        a, b = (build.cast(arg, types.boolean).parts[0] for arg in args)
        return boolean(build.binary(opcode, "i1", a, b))


for _opcode in ("and", "or", "xor"):
    _register_logic(f"logical_{_opcode}", _opcode)


@inline("logical_not", "biuefc")
def logical_not(build: FunctionBuilder, loop: Loop, args: list[Value]) -> Value:
    """True for zero."""
    truth = build.cast(args[0], types.boolean).parts[0]
    return boolean(build.binary("xor", "i1", truth, "true"))


# --- the larger and the smaller one ---------------------------------------------------------------


def _register_choice(name: str, larger: bool, skips_nan: bool) -> None:
    @inline(name, "b")
    def of_bools(build: FunctionBuilder, loop: Loop, args: list[Value]) -> Value:
        a, b = args
        return Value(a.ty, (build.binary("or" if larger else "and", "i1", a.parts[0], b.parts[0]),))

    @inline(name, "iu")
    def of_integers(build: FunctionBuilder, loop: Loop, args: list[Value]) -> Value:
        a, b = args
        assert isinstance(a.ty, Integer)
        kind = kind_of(a.ty)
        intrinsic = f"llvm.{'s' if a.ty.signed else 'u'}{'max' if larger else 'min'}.{kind}"
        return Value(a.ty, (build.call(kind, intrinsic, [(kind, v.parts[0]) for v in (a, b)]),))

    @inline(name, "e")
    def of_halves(build: FunctionBuilder, loop: Loop, args: list[Value]) -> Value:
        # The first one of two zeros.
        a, b = args
        kind, (x,), (y,) = kind_of(a.ty), a.parts, b.parts
        first = build.fcompare("oge" if larger else "ole", kind, x, y)
        looked_at = y if skips_nan else x
        nan = build.fcompare("uno", kind, looked_at, looked_at)
        first = build.binary("or", "i1", first, nan)
        return Value(a.ty, (build.select(first, kind, x, y),))

    @inline(name, "f")
    def of_floats(build: FunctionBuilder, loop: Loop, args: list[Value]) -> Value:
        # The second one of two zeros, and where the first is NaN: one instruction.
        a, b = args
        kind, (x,), (y,) = kind_of(a.ty), a.parts, b.parts
        chosen = build.select(build.fcompare("ogt" if larger else "olt", kind, x, y), kind, x, y)
        looked_at = y if skips_nan else x
        nan = build.fcompare("uno", kind, looked_at, looked_at)
        return Value(a.ty, (build.select(nan, kind, x, chosen),))

    @inline(name, "c")
    def of_complex(build: FunctionBuilder, loop: Loop, args: list[Value]) -> Value:
        a, b = args
        kind = kind_of(part_type(a.ty))
        first = _compared_complex(build, "oge" if larger else "ole", a, b)
        nan = build.fcompare("uno", kind, *(b if skips_nan else a).parts)
        first = build.binary("or", "i1", first, nan)
        parts = [build.select(first, kind, x, y) for x, y in zip(a.parts, b.parts, strict=True)]
        return Value(a.ty, tuple(parts))


_register_choice("maximum", True, False)
_register_choice("minimum", False, False)
_register_choice("fmax", True, True)
_register_choice("fmin", False, True)


@inline("clip", "iu")
def clip_integers(build: FunctionBuilder, loop: Loop, args: list[Value]) -> Value:
    """An integer within two bounds."""
    (x,), (low,), (high,) = (arg.parts for arg in args)
    ty = loop.inputs[0]
    assert isinstance(ty, Integer)
    kind, sign = kind_of(ty), "s" if ty.signed else "u"
    raised = build.call(kind, f"llvm.{sign}max.{kind}", [(kind, x), (kind, low)])
    return Value(ty, (build.call(kind, f"llvm.{sign}min.{kind}", [(kind, raised), (kind, high)]),))


@inline("clip", "f")
def clip_floats(build: FunctionBuilder, loop: Loop, args: list[Value]) -> Value:
    """A float within two bounds that are numbers: as NumPy has it then, of two zeros that of the
    array, and NaN where that or a bound is NaN, the array's before the lower bound's."""
    (x,), (low,), (high,) = (arg.parts for arg in args)
    ty = loop.inputs[0]
    kind = kind_of(ty)
    raised = build.select(build.fcompare("olt", kind, x, low), kind, low, x)
    within = build.select(build.fcompare("ogt", kind, raised, high), kind, high, raised)
    for bound in (high, low, x):
        within = build.select(build.fcompare("uno", kind, bound, bound), kind, bound, within)
    return Value(ty, (within,))


# --- not a number, not finite ---------------------------------------------------------------------


def _register_test(name: str, predicate: str, of_others: str, joined: str) -> None:
    @inline(name, "biu")
    def of_integers(build: FunctionBuilder, loop: Loop, args: list[Value]) -> Value:
        return boolean(of_others)

    @inline(name, "efc")
    def of_floats(build: FunctionBuilder, loop: Loop, args: list[Value]) -> Value:
        (a,) = args
        ty = part_type(a.ty)
        infinity = float_constant(build, ty, math.inf)
        answers = []
        for part in a.parts:
            size = build.math("fabs", ty, part)
            answers.append(build.fcompare(predicate, kind_of(ty), size, infinity))
        return boolean(answers[0] if len(answers) == 1 else build.binary(joined, "i1", *answers))


_register_test("isnan", "uno", "false", "or")
_register_test("isinf", "oeq", "false", "or")
_register_test("isfinite", "olt", "true", "and")


@inline("signbit", "ef")
def signbit(build: FunctionBuilder, loop: Loop, args: list[Value]) -> Value:
    """True for a negative number, or zero, or NaN."""
    (a,) = args
    assert isinstance(a.ty, Float)
    integer = f"i{a.ty.bits}"
    bits = build.convert("bitcast", kind_of(a.ty), a.parts[0], integer)
    return boolean(build.compare("slt", integer, bits, "0"))
