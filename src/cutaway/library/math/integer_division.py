"""`//` and `%` of integers: Python rounds the quotient down, the machine rounds it toward zero.

    a // 8, a % 8        a >> 3, a & 7                    of any sign
    a // 10              a / 10 without signs             where it is known that a >= 0
    a // 10              ((a ^ s) / 10) ^ s, s = a >> 63  else: a negative number is turned over
    a % 10               a - (a // 10) * 10
    (a + 1) % 10         the smaller one of x and x - 10, without signs, where x < 20 is known
    a // b, a % b        if b > 0:                        the usual way: one comparison
                             a / b; where the rest is negative, the rest + b and the quotient - 1
                         else:                            out of the way: zero, -1, other signs

If a is likely to be positive, or less than b (`typing/analysis/guesses.py`), this is tested first,
and the correction or even the division is skipped. See `docs/integer_arithmetic.md`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from cutaway.library.math.numbers import Instructions, is_literal
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import Value
from cutaway.typing import types
from cutaway.typing.analysis import guesses
from cutaway.typing.analysis.intervals import Interval
from cutaway.typing.types import Integer

QUOTIENT, REST = "quotient", "rest"
BOTH = frozenset((QUOTIENT, REST))


class Pair(NamedTuple):
    """The quotient and the remainder; one that is not needed is 0."""

    quotient: str = "0"
    rest: str = "0"


class Division(NamedTuple):
    """A division to emit: the type, both operands, the needed results, and the known facts."""

    n: Instructions
    a: str
    b: str
    wanted: frozenset[str]
    known: guesses.Operands

    def note(self, rule: str, reason: str) -> None:
        """Record the chosen form of the division, for the remarks."""
        self.n.build.note("the division", rule, reason)


Divide = Callable[[Division], Pair]
SHORT, SIGNED_SHORT = Interval(0, 2**32 - 1), Interval(-(2**31), 2**31 - 1)


def divided(
    build: FunctionBuilder,
    lhs: Value,
    rhs: Value,
    wanted: frozenset[str] = BOTH,
    check: Callable[[], None] | None = None,
) -> tuple[Value, Value]:
    """The floored quotient and the remainder with the divisor's sign, as far as they are needed.

    `check` emits the error for a zero divisor, if the divisor may be zero; without it the results
    are 0 and 0.
    """
    ty = lhs.ty
    assert isinstance(ty, Integer)
    whole = Interval(ty.low, ty.high)
    n, known = Instructions(build, ty), guesses.Operands(whole, whole)
    one = Division(n, lhs.parts[0], rhs.parts[0], wanted, known)
    if is_literal(one.b) and is_power_of_two(int(one.b)):
        return _values(ty, _by_power(one, ty.signed, int(one.b)))
    operands = build.operands_of(build.op)
    if operands is not None and operands.left.within(whole) and operands.right.within(whole):
        one = one._replace(known=operands)
    elif check is None and ty.signed and not is_literal(one.b):
        return _values(ty, _by_any(one))  # an element operation: no branches
    return _values(ty, _divided(one, ty.signed, check))


def _values(ty: Integer, pair: Pair) -> tuple[Value, Value]:
    return Value(ty, (pair.quotient,)), Value(ty, (pair.rest,))


def _divided(one: Division, signed: bool, check: Callable[[], None] | None) -> Pair:
    left, right = one.known.left, one.known.right
    if is_literal(one.b) and int(one.b) > 0:
        return by_constant(one, signed)
    if not signed or (left.low >= 0 and right.low >= 0):
        return _without_signs(one, check)
    if is_literal(one.b) and one.b != "-1":
        if check is not None:
            check()
        return _by_negative(one) if one.b != "0" else Pair()
    return _with_signs(one, check)


# --- by constants ---------------------------------------------------------------------------------


def by_constant(one: Division, signed: bool) -> Pair:
    """Divide by a positive constant that is not a power of two."""
    left, number = one.known.left, int(one.b)
    if _is_near(left, Interval(number, number)):
        return _by_near(one)
    if not signed or left.low >= 0:
        if signed:
            one.note("no_signs", "neither side is negative")
        return _machine(one)
    return _narrowly(one, SIGNED_SHORT, _turned_over, "sext")


def is_power_of_two(number: int) -> bool:
    """True for 1, 2, 4, 8, ..."""
    return number > 0 and number & (number - 1) == 0


def _by_power(one: Division, signed: bool, power: int) -> Pair:
    """`a // 8` is `a >> 3`, and `a % 8` is `a & 7`.

    An arithmetic right shift rounds down, as Python's division does, and the low bits are the
    remainder, whatever the sign. (C's division rounds to zero, and has to correct the shift.)
    """
    n, opcode, count = one.n, "ashr" if signed else "lshr", str(power.bit_length() - 1)
    return Pair(
        n(opcode, one.a, count) if QUOTIENT in one.wanted else "0",
        n("and", one.a, str(power - 1)) if REST in one.wanted else "0",
    )


def _is_near(left: Interval, right: Interval) -> bool:
    """True if the quotient is certainly -1, 0 or 1."""
    return 0 < right.low <= 2**61 and -right.low <= left.low and left.high < 2 * right.low


def _by_near(one: Division) -> Pair:
    one.note("steps", "the dividend is at most one divisor away from it")
    left, right = one.known.left, one.known.right
    return _by_steps(one, left.low < 0, left.high >= right.low)


def _by_steps(one: Division, down: bool, up: bool) -> Pair:
    """Divide a dividend that is within one divisor of the remainder's range."""
    n, rest, moves = one.n, one.a, []
    for is_needed, predicate, limit, back, move in (
        (down, "slt", "0", "add", "sext"),
        (up, "sge", one.b, "sub", "zext"),
    ):
        if is_needed:
            outside = n.compare(predicate, rest, limit)
            moved = n(back, rest, one.b)
            rest = n.select(outside, moved, rest)
            if QUOTIENT in one.wanted:
                moves.append(n.build.convert(move, "i1", outside, n.kind))
    quotient = n("add", *moves) if len(moves) == 2 else "".join(moves)
    return Pair(quotient or "0", rest)


def _turned_over(one: Division) -> Pair:
    """Divide by a positive constant; inverting a negative number's bits rounds down.

    The inverted number is not negative; if LLVM sees this, the factor that replaces the division
    fits in 64 bits. A test for a zero remainder ignores signs and needs no quotient.
    """
    n, a, number = one.n, one.a, int(one.b)
    if one.known.is_asked_for_zero:
        return Pair(rest=n("srem", a, one.b))
    sign = n("ashr", a, str(n.ty.bits - 1))
    size = n("xor", a, sign)
    if not _has_short_factor(number, n.ty.bits):
        size = n("and", size, str(2 ** (n.ty.bits - 1) - 1))
    quotient = n("xor", n("udiv", size, one.b), sign)
    return Pair(quotient, _rest_of(one, quotient))


def _has_short_factor(number: int, bits: int) -> bool:
    """True if unsigned division by this number takes one multiplication of `bits` width and a
    shift."""
    even = (number & -number).bit_length() - 1  # an even divisor is shifted out first
    return even > 0 or any(-(2 ** (bits + k)) % number <= 2**k for k in range(number.bit_length()))


def _rest_of(one: Division, quotient: str) -> str:
    n = one.n
    return n("sub", one.a, n("mul", quotient, one.b)) if REST in one.wanted else "0"


# --- unsigned -------------------------------------------------------------------------------------


def _without_signs(one: Division, check: Callable[[], None] | None) -> Pair:
    """Divide nonnegative numbers by a divisor that is not a positive constant."""
    if one.known.right.low > 0:
        if _is_near(one.known.left, one.known.right):
            return _by_near(one)
        return _by_some_positive(one, _machine)
    if check is not None:
        check()
        return _by_some_positive(one, _machine)
    n, zero = one.n, one.n.compare("eq", one.b)
    divisor = n.select(zero, "1", one.b)
    pair = _machine(one._replace(b=divisor))
    return Pair(n.select(zero, "0", pair.quotient), pair.rest)


def _machine(one: Division) -> Pair:
    """The machine's results for nonnegative numbers."""
    if _fits(one, SHORT) or is_literal(one.b) or not _is_likely_short(one):
        return _narrowly(one, SHORT, _plain, "zext")
    return _if_short(one, _plain)


def _plain(one: Division) -> Pair:
    return Pair(
        one.n("udiv", one.a, one.b) if QUOTIENT in one.wanted else "0",
        one.n("urem", one.a, one.b) if REST in one.wanted else "0",
    )


def _narrowly(one: Division, narrow: Interval, divide: Divide, back: str) -> Pair:
    """Divide in 32 bits if both operands are known to fit: this vectorizes, and is faster on most
    processors."""
    return _in_32_bits(one, divide, back) if _fits(one, narrow) else divide(one)


def _fits(one: Division, narrow: Interval) -> bool:
    sides = one.known.left, one.known.right
    return one.n.kind == "i64" and all(side.within(narrow) for side in sides)


def _in_32_bits(one: Division, divide: Divide, back: str) -> Pair:
    build = one.n.build
    a, b = (x if is_literal(x) else build.convert("trunc", "i64", x, "i32") for x in one[1:3])
    pair = divide(one._replace(n=Instructions(build, types.int32), a=a, b=b))
    quotient, rest = (x if x == "0" else build.convert(back, "i32", x, "i64") for x in pair)
    return Pair(quotient, rest)


def _is_likely_short(one: Division) -> bool:
    return one.n.kind == "i64" and one.known.is_likely_short()


def _if_short(one: Division, otherwise: Divide) -> Pair:
    """Divide in 32 bits if neither operand has more, nor a sign, which takes one comparison."""
    one.note("short", "both sides are likely to have 32 bits, without signs")
    short = one.n.compare("ult", one.n("or", one.a, one.b), str(2**32))
    in_32_bits = partial(_in_32_bits, one, _plain, "zext")
    return _one_of_ways(one, short, in_32_bits, partial(otherwise, one))


def _by_some_positive(one: Division, divide: Divide) -> Pair:
    """Divide by a positive number: without a division if the dividend is certainly within one step
    of the remainder's range, or if a likely test finds it less than the divisor."""
    step = one.known.step
    if step is not None:
        one.note("steps", "the dividend is one step away from the divisor's range")
        return _by_steps(one, step.low < 0, step.high > 0)
    if not one.known.is_likely_less():
        return divide(one)
    one.note("less", "the dividend is likely to be less than the divisor")
    less = one.n.compare("ult", one.a, one.b)
    return _one_of_ways(one, less, lambda: Pair("0", one.a), lambda: divide(one))


# --- signed ---------------------------------------------------------------------------------------


def _with_signs(one: Division, check: Callable[[], None] | None) -> Pair:
    """Divide by a variable when not all signs are known."""

    def by_any() -> Pair:
        if check is None:
            return _by_any(one)
        check()
        return _by_negative(one)

    def by_positive() -> Pair:
        return _by_some_positive(one, _by_positive)

    if one.known.right.low > 0:
        return by_positive()
    positive = one.n.compare("sgt", one.b)
    return _one_of_ways(one, positive, by_positive, by_any)


def _by_positive(one: Division) -> Pair:
    """Divide by a positive divisor."""
    if _is_likely_short(one):
        return _if_short(one, _by_positive_of_any_sign)
    if one.known.is_asked_for_zero or not one.known.is_likely_positive():
        return _by_positive_of_any_sign(one)
    one.note("positive", "the dividend is not likely to be negative")
    positive = one.n.compare("sge", one.a)
    otherwise = partial(_by_positive_of_any_sign, one)
    return _one_of_ways(one, positive, partial(_plain, one), otherwise)


def _by_positive_of_any_sign(one: Division) -> Pair:
    """Add one divisor to a negative remainder, using its extended sign as the mask."""
    n, a, b = one.n, one.a, one.b
    rest = n("srem", a, b)
    if one.known.is_asked_for_zero:
        return Pair(rest=rest)
    sign = n("ashr", rest, str(n.ty.bits - 1))
    quotient = moved = "0"
    if QUOTIENT in one.wanted:
        quotient = n("add", n("sdiv", a, b), sign)
    if REST in one.wanted:
        moved = n("add", rest, n("and", sign, b))
    return Pair(quotient, moved)


def _by_negative(one: Division) -> Pair:
    """Divide by a negative divisor: a positive remainder has the divisor added.

    The machine's division traps on the smallest integer by -1, which is replaced by 1.
    """
    n, a, b = one.n, one.a, one.b
    minus_one = n.compare("eq", b, "-1")
    divisor = n.select(minus_one, "1", b)
    rest = n("srem", a, divisor)
    above = n.compare("sgt", rest)
    quotient = moved = "0"
    if QUOTIENT in one.wanted:
        quotient = n("sdiv", a, divisor)
        step = n.build.convert("zext", "i1", above, n.kind)
        quotient = n("sub", quotient, step)
        quotient = n.select(minus_one, n("sub", "0", a), quotient)
    if REST in one.wanted:
        moved = n("add", rest, n.select(above, b, "0"))
    return Pair(quotient, moved)


def _by_any(one: Division) -> Pair:
    """Divide by a divisor of any sign without branches; for zero both results are 0.

    Zero and -1, for which the machine's division may trap, are replaced by 1.
    """
    n, a, b = one.n, one.a, one.b
    trouble = n.compare("ult", n("add", b, "1"), "2")
    divisor = n.select(trouble, "1", b)
    rest = n("srem", a, divisor)
    opposite = n.compare("slt", n("xor", rest, divisor))
    uneven = n.compare("ne", rest)  # a zero remainder has no sign
    down = n.build.convert("sext", "i1", n.both(opposite, uneven), n.kind)
    quotient = moved = "0"
    if QUOTIENT in one.wanted:
        quotient = n("add", n("sdiv", a, divisor), down)
        minus_one = n.compare("eq", b, "-1")
        quotient = n.select(minus_one, n("sub", "0", a), quotient)
        quotient = n.select(n.compare("eq", b), "0", quotient)
    if REST in one.wanted:
        moved = n("add", rest, n("and", down, divisor))
    return Pair(quotient, moved)


def _one_of_ways(
    one: Division, usual: str, straight: Callable[[], Pair], aside: Callable[[], Pair]
) -> Pair:
    """The results of one of two code paths: the straight one if an i1 holds, as is usual."""
    words = sorted(one.wanted)

    def values(way: Callable[[], Pair]) -> tuple[str, ...]:
        pair = way()
        return tuple(getattr(pair, word) for word in words)

    kinds = (one.n.kind,) * len(words)
    results = one.n.build.some_of(kinds, usual, lambda: values(straight), lambda: values(aside))
    return Pair(**dict(zip(words, results, strict=True)))
