"""Times and durations as elements: counts of units, in which NaT is the smallest int64.

A count that does not fit is an OverflowError where the NumPy that is used raises one, and wraps
where that wraps (before 2.5).
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np

from cutaway.errors import TypingError
from cutaway.library.elements.table import inline
from cutaway.library.math.numbers import boolean
from cutaway.lowering.arrays.elements import converted_element
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import Value
from cutaway.typing import types
from cutaway.typing.types import DateTime, TimeDelta, Type
from cutaway.typing.ufuncs import Loop

NAT = str(-(1 << 63))
DATED = DateTime | TimeDelta
Emit = Callable[[FunctionBuilder, str, str], str]


def is_nat(build: FunctionBuilder, part: str) -> str:
    """An i1: whether a count is NaT."""
    return build.compare("eq", "i64", part, NAT)


def either_nat(build: FunctionBuilder, first: str, second: str) -> str:
    """An i1: whether one of two counts is NaT."""
    return build.binary("or", "i1", is_nat(build, first), is_nat(build, second))


def parts_in_order(build: FunctionBuilder, args: list[Value]) -> tuple[str, str]:
    """The two numbers, that of the time first where the other is a plain one."""
    first, second = (
        arg if isinstance(arg.ty, DATED) else build.cast(arg, types.int64) for arg in args
    )
    if not isinstance(first.ty, DATED):
        first, second = second, first
    return first.parts[0], second.parts[0]


def _on_counts(emit: Emit) -> Callable[[FunctionBuilder, Loop, list[Value]], Value]:
    def lower(build: FunctionBuilder, loop: Loop, args: list[Value]) -> Value:
        return Value(loop.outputs[0], (emit(build, *parts_in_order(build, args)),))

    return lower


# --- comparison -----------------------------------------------------------------------------------

_PREDICATES = {
    "equal": "eq",
    "not_equal": "ne",
    "less": "slt",
    "less_equal": "sle",
    "greater": "sgt",
    "greater_equal": "sge",
}


def compared(predicate: str) -> Emit:
    """The comparison of two counts, an i1; NaT differs from all, and is in no order."""

    def emit(build: FunctionBuilder, first: str, second: str) -> str:
        answer = build.compare(predicate, "i64", first, second)
        nat = either_nat(build, first, second)
        return build.select(nat, "i1", "true" if predicate == "ne" else "false", answer)

    return emit


for _name, _predicate in _PREDICATES.items():
    inline(_name, "M")(_on_counts(compared(_predicate)))
    inline(_name, "m")(_on_counts(compared(_predicate)))


def _chosen(intrinsic: str, skips_nat: bool) -> Emit:
    def emit(build: FunctionBuilder, first: str, second: str) -> str:
        chosen = build.call("i64", f"llvm.{intrinsic}.i64", [("i64", first), ("i64", second)])
        if not skips_nat:
            return build.select(either_nat(build, first, second), "i64", NAT, chosen)
        chosen = build.select(is_nat(build, second), "i64", first, chosen)
        return build.select(is_nat(build, first), "i64", second, chosen)

    return emit


for _name, _intrinsic, _skips in (
    ("maximum", "smax", False),
    ("minimum", "smin", False),
    ("fmax", "smax", True),
    ("fmin", "smin", True),
):
    inline(_name, "M")(_on_counts(_chosen(_intrinsic, _skips)))
    inline(_name, "m")(_on_counts(_chosen(_intrinsic, _skips)))


def _register_question(names: str, answer: Callable[[FunctionBuilder, str], str]) -> None:
    @inline(names, "Mm")
    def asked(build: FunctionBuilder, loop: Loop, args: list[Value]) -> Value:
        return boolean(answer(build, args[0].parts[0]))


_register_question("isnat isnan", is_nat)
_register_question("isfinite", lambda build, part: build.compare("ne", "i64", part, NAT))
_register_question("isinf", lambda build, part: "false")


# --- sums, differences, products ------------------------------------------------------------------


def _numpy_checks() -> bool:
    """True if NumPy raises where a count does not fit."""
    most = np.timedelta64((1 << 63) - 1, "s")
    try:
        most + most
    except OverflowError:
        return True
    return False


_CHECKED = _numpy_checks()
_WORDS = {
    "+": ("add", "addition"),
    "-": ("sub", "subtraction"),
    "*": ("mul", "multiplication"),
}


def unless_nat(build: FunctionBuilder, symbol: str, args: list[Value]) -> str:
    """`+`, `-` or `*` of counts; NaT where an operand is."""
    opcode, word = _WORDS[symbol]
    first, second = parts_in_order(build, args)
    both = all(isinstance(arg.ty, DATED) for arg in args)
    nat = either_nat(build, first, second) if both else is_nat(build, first)
    if _CHECKED:
        kinds = [getattr(arg.ty, "kind", "int64") for arg in args]
        message = f"Overflow in {kinds[0]} {symbol} {kinds[1]} {word}"
        result = _checked(build, opcode, (first, second), nat, message)
    else:
        result = build.binary(opcode, "i64", first, second)
    return build.select(nat, "i64", NAT, result)


def _checked(
    build: FunctionBuilder, opcode: str, counts: tuple[str, str], nat: str, message: str
) -> str:
    """A count that must fit, and must not look like NaT, unless an operand is NaT."""
    name = f"llvm.s{opcode}.with.overflow.i64"
    pair = build.call("{ i64, i1 }", name, [("i64", part) for part in counts])
    result = build.result(f"extractvalue {{ i64, i1 }} {pair}, 0")
    beyond = build.result(f"extractvalue {{ i64, i1 }} {pair}, 1")
    beyond = build.binary("or", "i1", beyond, is_nat(build, result))
    counted = build.binary("xor", "i1", nat, "true")
    build.raise_if(build.binary("and", "i1", beyond, counted), OverflowError, message)
    return result


def _register_sum(name: str, symbol: str, kinds: str) -> None:
    @inline(name, kinds)
    def of_counts(build: FunctionBuilder, loop: Loop, args: list[Value]) -> Value:
        return Value(loop.outputs[0], (unless_nat(build, symbol, args),))


_register_sum("add", "+", "Mm")
_register_sum("subtract", "-", "Mm")
_register_sum("multiply", "*", "m+i")


# --- quotients ------------------------------------------------------------------------------------


def by_float(build: FunctionBuilder, opcode: str, args: list[Value]) -> str:
    """A count multiplied or divided by a float and cut off; NaT for what is too large."""
    delta, number = sorted(args, key=lambda arg: not isinstance(arg.ty, TimeDelta))
    count = delta.parts[0]
    wide = build.convert("sitofp", "i64", count, "double")
    factor = build.cast(number, types.float64).parts[0]
    result = Value(types.float64, (build.binary(opcode, "double", wide, factor),))
    whole = converted_element(build, result, types.int64).parts[0]
    return build.select(is_nat(build, count), "i64", NAT, whole)


def _register_by_float(names: str, opcode: str) -> None:
    @inline(names, "m+f")
    def scaled(build: FunctionBuilder, loop: Loop, args: list[Value]) -> Value:
        return Value(loop.outputs[0], (by_float(build, opcode, args),))


def _divisor(build: FunctionBuilder, first: str, second: str) -> tuple[str, str]:
    """A divisor that cannot trap, and whether the quotient means nothing: NaT, or by zero."""
    zero = build.compare("eq", "i64", second, "0")
    useless = build.binary("or", "i1", zero, is_nat(build, first))
    return build.select(useless, "i64", "1", second), useless


def truncated(build: FunctionBuilder, first: str, second: str) -> str:
    """A count divided by an integer and cut off."""
    divisor, useless = _divisor(build, first, second)
    quotient = build.binary("sdiv", "i64", first, divisor)
    return build.select(useless, "i64", NAT, quotient)


def ratio(build: FunctionBuilder, first: str, second: str) -> str:
    """The quotient of two counts, a float; NaN where one is NaT."""
    wide = [build.convert("sitofp", "i64", part, "double") for part in (first, second)]
    nan = build.constant(types.float64, float("nan")).parts[0]
    quotient = build.binary("fdiv", "double", *wide)
    return build.select(either_nat(build, first, second), "double", nan, quotient)


def _floor(build: FunctionBuilder, first: str, second: str) -> tuple[str, str, str]:
    """The quotient rounded down and the rest, and whether both mean nothing."""
    divisor, useless = _divisor(build, first, second)
    useless = build.binary("or", "i1", useless, is_nat(build, second))
    quotient = build.binary("sdiv", "i64", first, divisor)
    rest = build.binary("srem", "i64", first, divisor)
    signs = build.compare("slt", "i64", build.binary("xor", "i64", rest, divisor), "0")
    odd = build.compare("ne", "i64", rest, "0")
    down = build.binary("and", "i1", signs, odd)
    lower = build.binary("sub", "i64", quotient, "1")
    upper = build.binary("add", "i64", rest, divisor)
    quotient = build.select(down, "i64", lower, quotient)
    return quotient, build.select(down, "i64", upper, rest), useless


def floor_quotient(build: FunctionBuilder, first: str, second: str) -> str:
    """The quotient of two counts rounded down; 0 where there is none."""
    quotient, _, useless = _floor(build, first, second)
    return build.select(useless, "i64", "0", quotient)


def rest_of(build: FunctionBuilder, first: str, second: str) -> str:
    """The rest of a division of counts; NaT where there is none."""
    _, rest, useless = _floor(build, first, second)
    return build.select(useless, "i64", NAT, rest)


inline("divide", "m")(_on_counts(ratio))
inline("floor_divide", "m")(_on_counts(floor_quotient))
inline("remainder", "m")(_on_counts(rest_of))
inline("divide floor_divide", "m+i")(_on_counts(truncated))  # NumPy cuts both off
_register_by_float("multiply", "fmul")
_register_by_float("divide floor_divide", "fdiv")


@inline("divmod", "m")
def quotient_and_rest(build: FunctionBuilder, loop: Loop, args: list[Value]) -> tuple[Value, Value]:
    """The quotient rounded down, and the rest."""
    first, second = parts_in_order(build, args)
    parts = floor_quotient(build, first, second), rest_of(build, first, second)
    return Value(loop.outputs[0], parts[:1]), Value(loop.outputs[1], parts[1:])


# --- other units ----------------------------------------------------------------------------------

_SECOND = {
    "W": Fraction(604800),
    "D": Fraction(86400),
    "h": Fraction(3600),
    "m": Fraction(60),
    "s": Fraction(1),
    "ms": Fraction(1, 10**3),
    "us": Fraction(1, 10**6),
    "ns": Fraction(1, 10**9),
    "ps": Fraction(1, 10**12),
    "fs": Fraction(1, 10**15),
    "as": Fraction(1, 10**18),
}
_MONTH = {"Y": Fraction(12), "M": Fraction(1)}


def in_unit(build: FunctionBuilder, value: Value, wanted: Type) -> Value:
    """A time, a duration or an integer as a count of other units, rounded down.

    Raises TypingError for units that are not converted.
    """
    assert isinstance(wanted, DATED)
    if not isinstance(value.ty, DATED):
        count = converted_element(build, value, types.int64)
        return Value(wanted, count.parts)
    source = value.ty
    if "generic" in (source.unit, wanted.unit):
        return Value(wanted, value.parts)
    part = value.parts[0]
    if source.unit in _MONTH and wanted.unit in _SECOND and isinstance(source, DateTime):
        months = _scaled(build, part, _MONTH[source.unit] * source.multiple)
        days = _days_before(build, months)
        result = _scaled(build, days, _SECOND["D"] / (_SECOND[wanted.unit] * wanted.multiple))
    elif source.unit in _SECOND and wanted.unit in _MONTH and isinstance(source, DateTime):
        days = _scaled(build, part, _SECOND[source.unit] * source.multiple / _SECOND["D"])
        result = _scaled(build, _month_of(build, days), 1 / (_MONTH[wanted.unit] * wanted.multiple))
    else:
        result = _scaled(build, part, _factor(source, wanted))
    return Value(wanted, (build.select(is_nat(build, part), "i64", NAT, result),))


def is_converted(source: Type, wanted: Type) -> bool:
    """True if one kind of time, or of duration, is converted to another one."""
    if type(source) is not type(wanted) or not isinstance(source, DATED):
        return False
    assert isinstance(wanted, DATED)
    units = {source.unit, wanted.unit}
    known = units <= {*_SECOND, *_MONTH}
    return known and (isinstance(source, DateTime) or units <= {*_SECOND} or units <= {*_MONTH})


def _factor(source: DateTime | TimeDelta, wanted: DateTime | TimeDelta) -> Fraction:
    for table in (_SECOND, _MONTH):
        if source.unit in table and wanted.unit in table:
            lengths = (table[ty.unit] * ty.multiple for ty in (source, wanted))
            own, other = lengths
            return own / other
    raise TypingError(f"a conversion from {source} to {wanted} is not supported in compiled code")


def _scaled(build: FunctionBuilder, count: str, factor: Fraction) -> str:
    """A count times a number, rounded down."""
    if factor.numerator != 1:
        count = build.binary("mul", "i64", count, str(factor.numerator))
    return count if factor.denominator == 1 else _floored(build, count, factor.denominator)[0]


def _floored(build: FunctionBuilder, count: str, divisor: int) -> tuple[str, str]:
    quotient = build.binary("sdiv", "i64", count, str(divisor))
    rest = build.binary("srem", "i64", count, str(divisor))
    below = build.compare("slt", "i64", rest, "0")
    lower = build.binary("sub", "i64", quotient, "1")
    upper = build.binary("add", "i64", rest, str(divisor))
    return build.select(below, "i64", lower, quotient), build.select(below, "i64", upper, rest)


def _days_before(build: FunctionBuilder, months: str) -> str:
    """The days from 1970 to a month, counted from 1970 in the calendar without end."""

    def op(opcode: str, a: str, b: int | str) -> str:
        return build.binary(opcode, "i64", a, str(b))

    # Years begin in March, so that the day that leap years have more is their last.
    shifted = op("add", months, 1970 * 12 - 2)
    years, month = _floored(build, shifted, 12)
    centuries, year = _floored(build, years, 400)
    days = op("udiv", op("add", op("mul", month, 153), 2), 5)
    days = op("add", days, op("mul", year, 365))
    days = op("add", days, op("udiv", year, 4))
    days = op("sub", days, op("udiv", year, 100))
    return op("sub", op("add", op("mul", centuries, 146097), days), 719468)


def _month_of(build: FunctionBuilder, days: str) -> str:
    """The months from 1970 to that of a day, counted from 1970 in the calendar without end."""

    def op(opcode: str, a: str, b: int | str) -> str:
        return build.binary(opcode, "i64", a, str(b))

    # From the first of March of year 0 on; 400 years have as many days each time.
    cycles, day = _floored(build, op("add", days, 719468), 146097)
    short = op("sub", op("sub", day, op("udiv", day, 1460)), op("udiv", day, 146096))
    year = op("udiv", op("add", short, op("udiv", day, 36524)), 365)
    before = op("add", op("mul", year, 365), op("udiv", year, 4))
    day = op("sub", day, op("sub", before, op("udiv", year, 100)))
    month = op("udiv", op("add", op("mul", day, 5), 2), 153)
    years = op("add", op("mul", cycles, 400), year)
    months = op("add", op("mul", years, 12), month)
    return op("sub", months, 1970 * 12 - 2)
