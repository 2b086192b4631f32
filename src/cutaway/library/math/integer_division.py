"""`//` and `%` of integers: the quotient is rounded down, and the machine rounds to zero.

    a // 8, a % 8        a >> 3, a & 7                    of any sign
    a // 10              a / 10 without signs             where it is known that a >= 0
    a // 10              ((a ^ s) / 10) ^ s, s = a >> 63  else: a negative number is turned over
    a % 10               a - (a // 10) * 10
    (a + 1) % 10         the smaller one of x and x - 10, without signs, where x < 20 is known
    a // b, a % b        if b > 0:                        the usual way: one comparison
                             a / b; where the rest is negative, the rest + b and the quotient - 1
                         else:                            out of the way: zero, -1, other signs

Where a is likely to be positive or less than b (`typing/analysis/guesses.py`), that is asked
first, and nothing is corrected or even divided.  `docs/integer_arithmetic.md` tells the story.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from cutaway.library.math.numbers import is_literal, kind_of
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import Value
from cutaway.typing.analysis.guesses import Operands
from cutaway.typing.analysis.intervals import Interval
from cutaway.typing.types import Integer

QUOTIENT, REST = "quotient", "rest"
BOTH = frozenset((QUOTIENT, REST))


class Pair(NamedTuple):
    """Quotient and rest; what nobody asked for is 0."""

    quotient: str = "0"
    rest: str = "0"


class Division(NamedTuple):
    """What is to be divided: the LLVM type, both sides, what is wanted, and what is known."""

    kind: str
    a: str
    b: str
    wanted: frozenset[str]
    known: Operands

    @property
    def bits(self) -> int:
        """The size of the numbers."""
        return int(self.kind[1:])


Divide = Callable[[FunctionBuilder, Division], Pair]
SHORT, SIGNED_SHORT = Interval(0, 2**32 - 1), Interval(-(2**31), 2**31 - 1)


def divided(
    build: FunctionBuilder,
    lhs: Value,
    rhs: Value,
    wanted: frozenset[str] = BOTH,
    check: Callable[[], None] | None = None,
) -> tuple[Value, Value]:
    """Quotient rounded down and remainder with the divisor's sign, as far as they are wanted.

    `check` raises for a divisor of zero, and is called where that may be one; without it the
    results are 0 and 0.
    """
    ty = lhs.ty
    assert isinstance(ty, Integer)
    whole = Interval(ty.low, ty.high)
    one = Division(kind_of(ty), lhs.parts[0], rhs.parts[0], wanted, Operands(whole, whole))
    if is_literal(one.b) and is_power_of_two(int(one.b)):
        return _values(ty, _by_power(build, one, ty.signed, int(one.b)))
    known = build.operands_of(build.op)
    if known is not None and known.left.within(whole) and known.right.within(whole):
        one = one._replace(known=known)
    elif check is None and ty.signed and not is_literal(one.b):
        return _values(ty, _by_any(build, one))  # an element: no branches
    return _values(ty, _divided(build, one, ty.signed, check))


def _values(ty: Integer, pair: Pair) -> tuple[Value, Value]:
    return Value(ty, (pair.quotient,)), Value(ty, (pair.rest,))


def _divided(
    build: FunctionBuilder, one: Division, signed: bool, check: Callable[[], None] | None
) -> Pair:
    left, right = one.known.left, one.known.right
    if is_literal(one.b) and int(one.b) > 0:
        return by_constant(build, one, signed)
    if not signed or (left.low >= 0 and right.low >= 0):
        return _without_signs(build, one, check)
    if is_literal(one.b) and one.b != "-1":
        if check is not None:
            check()
        return _by_negative(build, one) if one.b != "0" else Pair()
    return _with_signs(build, one, check)


# --- by constants ---------------------------------------------------------------------------------


def by_constant(build: FunctionBuilder, one: Division, signed: bool) -> Pair:
    """By a constant that is positive and no power of two."""
    left, number = one.known.left, int(one.b)
    if _is_near(left, Interval(number, number)):
        return _by_near(build, one)
    if not signed or left.low >= 0:
        if signed:
            build.note("the division", "no_signs", "neither side is negative")
        return _machine(build, one)
    return _narrowly(build, one, SIGNED_SHORT, _turned_over, "sext")


def is_power_of_two(number: int) -> bool:
    """True for 1, 2, 4, 8, ..."""
    return number > 0 and number & (number - 1) == 0


def _by_power(build: FunctionBuilder, one: Division, signed: bool, power: int) -> Pair:
    """`a // 8` is `a >> 3`, and `a % 8` is `a & 7`.

    A shift to the right rounds down, as Python's division does, and the lower bits are what is
    left, whatever the sign.  (C's division rounds to zero, and has to correct the shift.)
    """
    opcode, count = "ashr" if signed else "lshr", str(power.bit_length() - 1)
    return Pair(
        build.binary(opcode, one.kind, one.a, count) if QUOTIENT in one.wanted else "0",
        build.binary("and", one.kind, one.a, str(power - 1)) if REST in one.wanted else "0",
    )


def _is_near(left: Interval, right: Interval) -> bool:
    """True if the quotient is -1, 0 or 1 for certain."""
    return 0 < right.low <= 2**61 and -right.low <= left.low and left.high < 2 * right.low


def _by_near(build: FunctionBuilder, one: Division) -> Pair:
    build.note("the division", "steps", "the dividend is at most one divisor away from it")
    left, right = one.known.left, one.known.right
    return _by_steps(build, one, left.low < 0, left.high >= right.low)


def _by_steps(build: FunctionBuilder, one: Division, down: bool, up: bool) -> Pair:
    """A dividend that is a rest already, or one divisor below or above of one."""
    kind, rest, moves = one.kind, one.a, []
    for is_needed, predicate, limit, back, move in (
        (down, "slt", "0", "add", "sext"),
        (up, "sge", one.b, "sub", "zext"),
    ):
        if is_needed:
            outside = build.compare(predicate, kind, rest, limit)
            moved = build.binary(back, kind, rest, one.b)
            rest = build.select(outside, kind, moved, rest)
            if QUOTIENT in one.wanted:
                moves.append(build.convert(move, "i1", outside, kind))
    quotient = build.binary("add", kind, *moves) if len(moves) == 2 else "".join(moves)
    return Pair(quotient or "0", rest)


def _turned_over(build: FunctionBuilder, one: Division) -> Pair:
    """By a positive constant: a negative number is turned over, which is what rounds down.

    Turned over it is not negative, and where LLVM sees that, it needs no 65 bits for the factor
    that it multiplies with instead of dividing.  To know whether there is a rest, no sign matters,
    and LLVM needs no quotient.
    """
    kind, a, number = one.kind, one.a, int(one.b)
    if one.known.is_asked_for_zero:
        return Pair(rest=build.binary("srem", kind, a, one.b))
    sign = build.binary("ashr", kind, a, str(one.bits - 1))
    size = build.binary("xor", kind, a, sign)
    if not _has_short_factor(number, one.bits):
        size = build.binary("and", kind, size, str(2 ** (one.bits - 1) - 1))
    quotient = build.binary("xor", kind, build.binary("udiv", kind, size, one.b), sign)
    return Pair(quotient, _rest_of(build, one, quotient))


def _has_short_factor(number: int, bits: int) -> bool:
    """True if numbers of so many bits, without signs, are divided by a multiplication with one of
    as many bits and a shift."""
    even = (number & -number).bit_length() - 1  # an even one is divided after a shift
    return even > 0 or any(-(2 ** (bits + k)) % number <= 2**k for k in range(number.bit_length()))


def _rest_of(build: FunctionBuilder, one: Division, quotient: str) -> str:
    if REST not in one.wanted:
        return "0"
    return build.binary("sub", one.kind, one.a, build.binary("mul", one.kind, quotient, one.b))


# --- without signs --------------------------------------------------------------------------------


def _without_signs(build: FunctionBuilder, one: Division, check: Callable[[], None] | None) -> Pair:
    """Neither side is negative, and the divisor is no positive constant."""
    if one.known.right.low > 0:
        if _is_near(one.known.left, one.known.right):
            return _by_near(build, one)
        return _by_some_positive(build, one, _machine)
    if check is not None:
        check()
        return _by_some_positive(build, one, _machine)
    zero = build.compare("eq", one.kind, one.b, "0")
    divisor = build.select(zero, one.kind, "1", one.b)
    pair = _machine(build, one._replace(b=divisor))
    return Pair(build.select(zero, one.kind, "0", pair.quotient), pair.rest)


def _machine(build: FunctionBuilder, one: Division) -> Pair:
    """What the machine gives for numbers that are not negative."""
    if _fits(one, SHORT) or is_literal(one.b) or not _is_likely_short(one):
        return _narrowly(build, one, SHORT, _plain, "zext")
    return _if_short(build, one, _plain)


def _plain(build: FunctionBuilder, one: Division) -> Pair:
    return Pair(
        build.binary("udiv", one.kind, one.a, one.b) if QUOTIENT in one.wanted else "0",
        build.binary("urem", one.kind, one.a, one.b) if REST in one.wanted else "0",
    )


def _narrowly(
    build: FunctionBuilder, one: Division, narrow: Interval, divide: Divide, back: str
) -> Pair:
    """The division in 32 bits, where both sides are known to fit: there it can be part of a vector,
    and most processors are faster."""
    return _in_32_bits(build, one, divide, back) if _fits(one, narrow) else divide(build, one)


def _fits(one: Division, narrow: Interval) -> bool:
    sides = one.known.left, one.known.right
    return one.kind == "i64" and all(side.within(narrow) for side in sides)


def _in_32_bits(build: FunctionBuilder, one: Division, divide: Divide, back: str) -> Pair:
    a, b = (x if is_literal(x) else build.convert("trunc", "i64", x, "i32") for x in one[1:3])
    pair = divide(build, one._replace(kind="i32", a=a, b=b))
    quotient, rest = (x if x == "0" else build.convert(back, "i32", x, "i64") for x in pair)
    return Pair(quotient, rest)


def _is_likely_short(one: Division) -> bool:
    return one.kind == "i64" and one.known.is_likely_short()


def _if_short(build: FunctionBuilder, one: Division, otherwise: Divide) -> Pair:
    """The division in 32 bits where neither side has more, nor a sign, which is one comparison."""
    build.note("the division", "short", "both sides are likely to have 32 bits, without signs")
    both = build.binary("or", one.kind, one.a, one.b)
    short = build.compare("ult", one.kind, both, str(2**32))
    return _one_of_ways(
        build,
        one,
        short,
        lambda: _in_32_bits(build, one, _plain, "zext"),
        lambda: otherwise(build, one),
    )


def _by_some_positive(build: FunctionBuilder, one: Division, divide: Divide) -> Pair:
    """The division by a positive number: none where the dividend is a step away from it for
    certain, and none where it is less, which is asked first if it is likely."""
    step = one.known.step
    if step is not None:
        build.note(
            "the division", "steps", "the dividend is one step away from the divisor's range"
        )
        return _by_steps(build, one, step.low < 0, step.high > 0)
    if not one.known.is_likely_less():
        return divide(build, one)
    build.note("the division", "less", "the dividend is likely to be less than the divisor")
    less = build.compare("ult", one.kind, one.a, one.b)
    return _one_of_ways(build, one, less, lambda: Pair("0", one.a), lambda: divide(build, one))


# --- with signs -----------------------------------------------------------------------------------


def _with_signs(build: FunctionBuilder, one: Division, check: Callable[[], None] | None) -> Pair:
    """By a variable, where not all signs are known."""

    def by_any() -> Pair:
        if check is None:
            return _by_any(build, one)
        check()
        return _by_negative(build, one)

    def by_positive() -> Pair:
        return _by_some_positive(build, one, _by_positive)

    if one.known.right.low > 0:
        return by_positive()
    positive = build.compare("sgt", one.kind, one.b, "0")
    return _one_of_ways(build, one, positive, by_positive, by_any)


def _by_positive(build: FunctionBuilder, one: Division) -> Pair:
    """The divisor is positive."""
    if _is_likely_short(one):
        return _if_short(build, one, _by_positive_of_any_sign)
    if one.known.is_asked_for_zero or not one.known.is_likely_positive():
        return _by_positive_of_any_sign(build, one)
    build.note("the division", "positive", "the dividend is not likely to be negative")
    positive = build.compare("sge", one.kind, one.a, "0")
    return _one_of_ways(
        build,
        one,
        positive,
        lambda: _plain(build, one),
        lambda: _by_positive_of_any_sign(build, one),
    )


def _by_positive_of_any_sign(build: FunctionBuilder, one: Division) -> Pair:
    """A rest below zero is moved up by one divisor: its sign over all bits says whether."""
    kind, a, b = one.kind, one.a, one.b
    rest = build.binary("srem", kind, a, b)
    if one.known.is_asked_for_zero:
        return Pair(rest=rest)
    sign = build.binary("ashr", kind, rest, str(one.bits - 1))
    quotient = moved = "0"
    if QUOTIENT in one.wanted:
        quotient = build.binary("add", kind, build.binary("sdiv", kind, a, b), sign)
    if REST in one.wanted:
        moved = build.binary("add", kind, rest, build.binary("and", kind, sign, b))
    return Pair(quotient, moved)


def _by_negative(build: FunctionBuilder, one: Division) -> Pair:
    """By a divisor below zero: a rest above zero is moved down.

    The machine's division traps on the smallest integer by -1, which is replaced by 1.
    """
    kind, a, b = one.kind, one.a, one.b
    minus_one = build.compare("eq", kind, b, "-1")
    divisor = build.select(minus_one, kind, "1", b)
    rest = build.binary("srem", kind, a, divisor)
    above = build.compare("sgt", kind, rest, "0")
    quotient = moved = "0"
    if QUOTIENT in one.wanted:
        quotient = build.binary("sdiv", kind, a, divisor)
        step = build.convert("zext", "i1", above, kind)
        quotient = build.binary("sub", kind, quotient, step)
        quotient = build.select(minus_one, kind, build.binary("sub", kind, "0", a), quotient)
    if REST in one.wanted:
        moved = build.binary("add", kind, rest, build.select(above, kind, b, "0"))
    return Pair(quotient, moved)


def _by_any(build: FunctionBuilder, one: Division) -> Pair:
    """By a divisor of any sign, without branches; by zero both results are 0.

    Zero and -1, for which the machine's division may trap, are replaced by 1.
    """
    kind, a, b = one.kind, one.a, one.b
    trouble = build.compare("ult", kind, build.binary("add", kind, b, "1"), "2")
    divisor = build.select(trouble, kind, "1", b)
    rest = build.binary("srem", kind, a, divisor)
    opposite = build.compare("slt", kind, build.binary("xor", kind, rest, divisor), "0")
    uneven = build.compare("ne", kind, rest, "0")  # a rest of 0 has no sign
    down = build.convert("sext", "i1", build.binary("and", "i1", opposite, uneven), kind)
    quotient = moved = "0"
    if QUOTIENT in one.wanted:
        quotient = build.binary("add", kind, build.binary("sdiv", kind, a, divisor), down)
        minus_one = build.compare("eq", kind, b, "-1")
        quotient = build.select(minus_one, kind, build.binary("sub", kind, "0", a), quotient)
        quotient = build.select(build.compare("eq", kind, b, "0"), kind, "0", quotient)
    if REST in one.wanted:
        moved = build.binary("add", kind, rest, build.binary("and", kind, down, divisor))
    return Pair(quotient, moved)


def _one_of_ways(
    build: FunctionBuilder,
    one: Division,
    usual: str,
    straight: Callable[[], Pair],
    aside: Callable[[], Pair],
) -> Pair:
    """What one of two ways gives: the straight one where an i1 holds, as it usually does."""
    words = sorted(one.wanted)

    def values(way: Callable[[], Pair]) -> tuple[str, ...]:
        pair = way()
        return tuple(getattr(pair, word) for word in words)

    kinds = (one.kind,) * len(words)
    found = build.some_of(kinds, usual, lambda: values(straight), lambda: values(aside))
    return Pair(**dict(zip(words, found, strict=True)))
