"""Times and durations as elements: counts of units, in which NaT is the smallest int64.

A count that does not fit raises OverflowError if the running NumPy does, and wraps if that wraps
(before 2.5).
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from cutaway.errors import TypingError
from cutaway.ir.operators import BINARY, COMPARISONS, Operator
from cutaway.library.elements.table import formula, inline
from cutaway.library.math.integer_division import divided
from cutaway.library.math.numbers import Instructions
from cutaway.lowering.arrays.elements import converted_element
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import Value
from cutaway.typing import types
from cutaway.typing.types import Dated, DateTime, TimeDelta, Type
from cutaway.typing.ufuncs import Loop

NAT = str(-(1 << 63))
Pair = tuple[str, str]


def is_nat(n: Instructions, count: str) -> str:
    """An i1: whether a count is NaT."""
    return n.compare("eq", count, NAT)


def _either_nat(n: Instructions, first: str, second: str) -> str:
    return n.either(is_nat(n, first), is_nat(n, second))


# --- comparison -----------------------------------------------------------------------------------


def _register_comparison(row: Operator) -> None:
    sign = "" if row.integers in ("eq", "ne") else "s"

    @formula(row.ufunc, "M")
    @formula(row.ufunc, "m")
    def compared(n: Instructions, first: str, second: str) -> str:
        # NaT is unequal to all, and unordered.
        answer = n.compare(f"{sign}{row.integers}", first, second)
        of_nat = "true" if row.symbol == "!=" else "false"
        return n.build.select(_either_nat(n, first, second), "i1", of_nat, answer)


for _row in COMPARISONS.values():
    _register_comparison(_row)


def _register_choice(name: str, intrinsic: str, skips_nat: bool) -> None:
    @formula(name, "M")
    @formula(name, "m")
    def chosen(n: Instructions, first: str, second: str) -> str:
        chosen = n.call(intrinsic, first, second)
        if not skips_nat:
            return n.select(_either_nat(n, first, second), NAT, chosen)
        chosen = n.select(is_nat(n, second), first, chosen)
        return n.select(is_nat(n, first), second, chosen)


_register_choice("maximum", "smax", False)
_register_choice("minimum", "smin", False)
_register_choice("fmax", "smax", True)
_register_choice("fmin", "smin", True)
formula("isnat isnan", "Mm")(is_nat)
formula("isfinite", "Mm")(lambda n, count: n.compare("ne", count, NAT))
formula("isinf", "Mm")(lambda n, count: "false")


# --- sums, differences, products ------------------------------------------------------------------


def _numpy_checks() -> bool:
    """True if NumPy raises for counts that do not fit."""
    most = np.timedelta64((1 << 63) - 1, "s")
    try:
        most + most
    except OverflowError:
        return True
    return False


_CHECKED = _numpy_checks()
_WORDS = {"+": "addition", "-": "subtraction", "*": "multiplication"}


def _register_sum(symbol: str, kinds: str) -> None:
    row = BINARY[symbol]

    @inline(row.ufunc, kinds)
    def unless_nat(build: FunctionBuilder, loop: Loop, args: list[Value]) -> Value:
        # NaT if an operand is.
        n = Instructions(build, types.int64)
        counts = [arg.parts[0] for arg in args if isinstance(arg.ty, Dated)]
        numbers = [build.cast(arg, types.int64) for arg in args if not isinstance(arg.ty, Dated)]
        nat = _either_nat(n, *counts) if len(counts) == 2 else is_nat(n, counts[0])
        counts += [number.parts[0] for number in numbers]
        if not _CHECKED:
            result = n(row.integers, *counts)
        else:
            kinds = [getattr(arg.ty, "kind", "int64") for arg in args]
            message = f"Overflow in {kinds[0]} {symbol} {kinds[1]} {_WORDS[symbol]}"
            result = _checked(n, row.integers, counts, nat, message)
        return Value(loop.outputs[0], (n.select(nat, NAT, result),))


def _checked(n: Instructions, opcode: str, counts: list[str], nat: str, message: str) -> str:
    """A count that must fit, and must differ from NaT unless an operand is NaT."""
    result, beyond = n.with_overflow(f"s{opcode}", *counts)
    beyond = n.either(beyond, is_nat(n, result))
    counted = n.build.binary("xor", "i1", nat, "true")
    n.raise_if(n.both(beyond, counted), OverflowError, message)
    return result


_register_sum("+", "Mm")
_register_sum("-", "Mm")
_register_sum("*", "m+i")


# --- quotients ------------------------------------------------------------------------------------


def _register_by_float(names: str, opcode: str) -> None:
    @inline(names, "m+f")
    def by_float(build: FunctionBuilder, loop: Loop, args: list[Value]) -> Value:
        # Truncated; NaT if too large.
        delta, number = sorted(args, key=lambda arg: not isinstance(arg.ty, TimeDelta))
        n, count = Instructions(build, types.int64), delta.parts[0]
        wide = build.convert("sitofp", "i64", count, "double")
        factor = build.cast(number, types.float64).parts[0]
        result = Value(types.float64, (build.binary(opcode, "double", wide, factor),))
        whole = converted_element(build, result, types.int64).parts[0]
        return Value(loop.outputs[0], (n.select(is_nat(n, count), NAT, whole),))


_register_by_float("multiply", "fmul")
_register_by_float("divide floor_divide", "fdiv")


@inline("divide floor_divide", "m+i")  # NumPy truncates both
def truncated(build: FunctionBuilder, loop: Loop, args: list[Value]) -> Value:
    """A count divided by an integer and truncated; NaT for division by zero."""
    n, (count,) = Instructions(build, types.int64), args[0].parts
    number = build.cast(args[1], types.int64).parts[0]
    useless = n.either(n.compare("eq", number), is_nat(n, count))
    quotient = n("sdiv", count, n.select(useless, "1", number))
    return Value(loop.outputs[0], (n.select(useless, NAT, quotient),))


@formula("divide", "m")
def ratio(n: Instructions, first: str, second: str) -> str:
    """The quotient of two counts as a float; NaN if either is NaT."""
    f = Instructions(n.build, types.float64)
    wide = [n.build.convert("sitofp", "i64", part, "double") for part in (first, second)]
    return f.select(_either_nat(n, first, second), f.number(math.nan), f("fdiv", *wide))


@formula("divmod", "m")
def floor_quotient(n: Instructions, first: str, second: str) -> Pair:
    """The floor of the quotient of two counts, or 0 if undefined, and the remainder, or NaT."""
    counts = [Value(types.int64, (count,)) for count in (first, second)]
    quotient, rest = (value.parts[0] for value in divided(n.build, *counts))
    nat = _either_nat(n, first, second)
    none = n.either(n.compare("eq", second), nat)
    return n.select(nat, "0", quotient), n.select(none, NAT, rest)


formula("floor_divide", "m")(lambda n, first, second: floor_quotient(n, first, second)[0])
formula("remainder", "m")(lambda n, first, second: floor_quotient(n, first, second)[1])


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
    """A time, a duration or an integer as a count of another unit, rounded down.

    Raises TypingError for units that are not converted.
    """
    assert isinstance(wanted, Dated)
    if not isinstance(value.ty, Dated):
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
    nat = is_nat(Instructions(build, source), part)
    return Value(wanted, (build.select(nat, "i64", NAT, result),))


def is_converted(source: Type, wanted: Type) -> bool:
    """True if one kind of time, or of duration, is converted to another one."""
    if type(source) is not type(wanted) or not isinstance(source, Dated):
        return False
    assert isinstance(wanted, Dated)
    units = {source.unit, wanted.unit}
    known = units <= {*_SECOND, *_MONTH}
    return known and (isinstance(source, DateTime) or units <= {*_SECOND} or units <= {*_MONTH})


def _factor(source: Dated, wanted: Dated) -> Fraction:
    for table in (_SECOND, _MONTH):
        if source.unit in table and wanted.unit in table:
            lengths = (table[ty.unit] * ty.multiple for ty in (source, wanted))
            own, other = lengths
            return own / other
    raise TypingError(f"a conversion from {source} to {wanted} is not supported in compiled code")


def _scaled(build: FunctionBuilder, count: str, factor: Fraction) -> str:
    """A count times a fraction, rounded down."""
    if factor.numerator != 1:
        count = build.binary("mul", "i64", count, str(factor.numerator))
    return count if factor.denominator == 1 else _floored(build, count, factor.denominator)[0]


def _floored(build: FunctionBuilder, count: str, divisor: int) -> Pair:
    n, by = Instructions(build, types.int64), str(divisor)
    quotient, rest = n("sdiv", count, by), n("srem", count, by)
    below = n.compare("slt", rest)
    lower, upper = n("sub", quotient, "1"), n("add", rest, by)
    return n.select(below, lower, quotient), n.select(below, upper, rest)


def _days_before(build: FunctionBuilder, months: str) -> str:
    """The days from 1970 to a month, which is counted from 1970, in the proleptic calendar."""

    def op(opcode: str, a: str, b: int | str) -> str:
        return build.binary(opcode, "i64", a, str(b))

    # Years begin in March, so that a leap day is the last of its year.
    shifted = op("add", months, 1970 * 12 - 2)
    years, month = _floored(build, shifted, 12)
    centuries, year = _floored(build, years, 400)
    days = op("udiv", op("add", op("mul", month, 153), 2), 5)
    days = op("add", days, op("mul", year, 365))
    days = op("add", days, op("udiv", year, 4))
    days = op("sub", days, op("udiv", year, 100))
    return op("sub", op("add", op("mul", centuries, 146097), days), 719468)


def _month_of(build: FunctionBuilder, days: str) -> str:
    """The month of a day, both counted from 1970, in the proleptic calendar."""

    def op(opcode: str, a: str, b: int | str) -> str:
        return build.binary(opcode, "i64", a, str(b))

    # From 1 March of year 0 on; every 400 years have the same number of days.
    cycles, day = _floored(build, op("add", days, 719468), 146097)
    short = op("sub", op("sub", day, op("udiv", day, 1460)), op("udiv", day, 146096))
    year = op("udiv", op("add", short, op("udiv", day, 36524)), 365)
    before = op("add", op("mul", year, 365), op("udiv", year, 4))
    day = op("sub", day, op("sub", before, op("udiv", year, 100)))
    month = op("udiv", op("add", op("mul", day, 5), 2), 153)
    years = op("add", op("mul", cycles, 400), year)
    months = op("add", op("mul", years, 12), month)
    return op("sub", months, 1970 * 12 - 2)
