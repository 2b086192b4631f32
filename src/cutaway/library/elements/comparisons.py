"""Comparisons, logic, minimum and maximum, bounds, and tests for NaN and infinity."""

from __future__ import annotations

from collections.abc import Callable

from cutaway.ir.operators import COMPARISONS, Operator
from cutaway.library.elements.table import formula, inline
from cutaway.library.math.numbers import Instructions, boolean
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import Value
from cutaway.typing import types
from cutaway.typing.types import Boolean, Integer, Type
from cutaway.typing.ufuncs import Loop


def _register_comparison(row: Operator) -> None:
    @inline(row.ufunc, "biu")
    def compare_integers(build: FunctionBuilder, loop: Loop, args: list[Value]) -> Value:
        return boolean(compared_integers(build, row.integers, *args))

    formula(row.ufunc, "ef")(lambda n, x, y: n.compare(row.floats, x, y))
    formula(row.ufunc, "c")(lambda n, *parts: compared_complex(n, row.floats, *parts))


def compared_integers(build: FunctionBuilder, predicate: str, a: Value, b: Value) -> str:
    """An i1: integers and bools of any two types compared by value."""
    if a.ty is not b.ty:
        return _compared_widely(build, predicate, a, b)
    signed = isinstance(a.ty, Integer) and a.ty.signed
    sign = "" if predicate in ("eq", "ne") else "s" if signed else "u"
    return Instructions(build, a.ty).compare(f"{sign}{predicate}", a.parts[0], b.parts[0])


def _compared_widely(build: FunctionBuilder, predicate: str, a: Value, b: Value) -> str:
    """Compare in a type that holds both ranges, or as uint64, with negative numbers apart."""
    wide = _wider(a.ty, b.ty)
    if wide is not None:
        return compared_integers(build, predicate, build.cast(a, wide), build.cast(b, wide))
    # uint64 and a signed type: a negative number is less than any unsigned one.
    left_signed = isinstance(a.ty, Integer) and a.ty.signed
    signed = build.cast(a if left_signed else b, types.int64).parts[0]
    negative = build.compare("slt", "i64", signed, "0")
    parts = (signed, b.parts[0]) if left_signed else (a.parts[0], signed)
    sign = "" if predicate in ("eq", "ne") else "u"
    answer = build.compare(f"{sign}{predicate}", "i64", *parts)
    below = predicate in (("ne", "lt", "le") if left_signed else ("ne", "gt", "ge"))
    return build.select(negative, "i1", "true" if below else "false", answer)


def _wider(a: Type, b: Type) -> Integer | None:
    """The narrowest type that holds the values of both."""
    ranges = [(0, 1) if isinstance(ty, Boolean) else (ty.low, ty.high) for ty in (a, b)]
    low, high = min(low for low, _ in ranges), max(high for _, high in ranges)
    candidates = (types.int8, types.uint8, types.int16, types.uint16, types.int32, types.uint32)
    for ty in (*candidates, types.int64, types.uint64):
        if ty.low <= low and high <= ty.high:
            return ty
    return None


def compared_complex(n: Instructions, predicate: str, x: str, y: str, u: str, v: str) -> str:
    """An i1: complex numbers compared by real parts, then by imaginary parts."""
    if predicate in ("oeq", "une"):
        join = n.both if predicate == "oeq" else n.either
        return join(n.compare(predicate, x, u), n.compare(predicate, y, v))
    strict = n.compare(f"{predicate[:2]}t", x, u)
    ordered = n.compare("ord", y, v)
    same = n.compare("oeq", x, u)
    then = n.compare(predicate, y, v)
    return n.either(n.both(strict, ordered), n.both(same, then))


for _row in COMPARISONS.values():
    _register_comparison(_row)


# --- logic ----------------------------------------------------------------------------------------


def _register_logic(name: str, opcode: str) -> None:
    @inline(name, "biuefc")
    def combine(build: FunctionBuilder, loop: Loop, args: list[Value]) -> Value:
        truth = (*(build.cast(arg, types.boolean).parts[0] for arg in args), "true")
        return boolean(build.binary(opcode, "i1", *truth[:2]))


for _opcode in ("and", "or", "xor"):
    _register_logic(f"logical_{_opcode}", _opcode)
_register_logic("logical_not", "xor")  # with True


# --- minimum and maximum --------------------------------------------------------------------------


def _register_choice(name: str, larger: bool, skips_nan: bool) -> None:
    at_least, beyond = ("oge", "ogt") if larger else ("ole", "olt")

    @formula(name, "iu")
    def of_integers(n: Instructions, x: str, y: str) -> str:
        return n.call(f"{'s' if n.ty.signed else 'u'}{'max' if larger else 'min'}", x, y)

    @formula(name, "e")
    def of_halves(n: Instructions, x: str, y: str) -> str:
        # The first of two equal zeros.
        first = n.compare(at_least, x, y)
        return n.select(n.either(first, n.is_nan(y if skips_nan else x)), x, y)

    @formula(name, "f")
    def of_floats(n: Instructions, x: str, y: str) -> str:
        # The second of two equal zeros, or if the first is NaN: one instruction.
        chosen = n.select(n.compare(beyond, x, y), x, y)
        return n.select(n.is_nan(y if skips_nan else x), x, chosen)

    @formula(name, "c")
    def of_complex(n: Instructions, *parts: str) -> tuple[str, ...]:
        first = compared_complex(n, at_least, *parts)
        nan = n.compare("uno", *(parts[2:] if skips_nan else parts[:2]))
        first = n.either(first, nan)
        return tuple(n.select(first, *pair) for pair in zip(parts[:2], parts[2:], strict=True))


_register_choice("maximum", True, False)
_register_choice("minimum", False, False)
_register_choice("fmax", True, True)
_register_choice("fmin", False, True)


@formula("clip", "iu")
def clip_integers(n: Instructions, x: str, low: str, high: str) -> str:
    """An integer clipped to two bounds."""
    sign = "s" if n.ty.signed else "u"
    return n.call(f"{sign}min", n.call(f"{sign}max", x, low), high)


@formula("clip", "f")
def clip_floats(n: Instructions, x: str, low: str, high: str) -> str:
    """A float clipped to scalar bounds, as in NumPy: of equal zeros the element's, and NaN if an
    operand is, the element's before the lower bound's."""
    raised = n.select(n.compare("olt", x, low), low, x)
    within = n.select(n.compare("ogt", raised, high), high, raised)
    for bound in (high, low, x):
        within = n.select(n.is_nan(bound), bound, within)
    return within


# --- NaN and infinity -----------------------------------------------------------------------------


def _register_test(
    name: str, test: Callable[[Instructions, str], str], others: str, join: str
) -> None:
    @inline(name, "biu")
    def of_integers(build: FunctionBuilder, loop: Loop, args: list[Value]) -> Value:
        return boolean(others)

    @formula(name, "efc")
    def of_floats(n: Instructions, *parts: str) -> str:
        answers = [test(n, part) for part in parts]
        return answers[0] if len(answers) == 1 else n.build.binary(join, "i1", *answers)


_register_test("isnan", lambda n, x: n.is_nan(x), "false", "or")
_register_test("isinf", lambda n, x: n.is_infinite(x), "false", "or")
_register_test("isfinite", lambda n, x: n.is_finite(x), "true", "and")


@formula("signbit", "ef")
def signbit(n: Instructions, x: str) -> str:
    """True for negative numbers, zeros and NaNs, by the sign bit."""
    integer = f"i{n.ty.bits}"
    bits = n.build.convert("bitcast", n.kind, x, integer)
    return n.build.compare("slt", integer, bits, "0")
