"""Formulas over doubles, written as formulas and emitted as instructions.

    k, whole = nearest(x * LOG2_E)
    r = fused(k, -LN2_HIGH, x)
    return where(x < LOWEST, 0.0, r * power_of_two(whole))

Each operator emits one instruction, without fast-math flags, since error bounds count each
rounding. Formulas have no branches, so that LLVM can vectorize them, and use no processor-specific
instructions: `fused` rounds once on processors that fuse and twice on others, and is used where
both are precise enough.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence

from cutaway.foundation.dataclass import dataclass
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.build.processors import fuses


@dataclass(frozen=True, slots=True)
class Condition:
    """An i1."""

    build: FunctionBuilder
    text: str

    def __and__(self, other: Condition) -> Condition:
        return Condition(self.build, self.build.binary("and", "i1", self.text, other.text))

    def __or__(self, other: Condition) -> Condition:
        return Condition(self.build, self.build.binary("or", "i1", self.text, other.text))

    def __invert__(self) -> Condition:
        return Condition(self.build, self.build.binary("xor", "i1", self.text, "true"))


@dataclass(frozen=True, slots=True)
class Whole:
    """A signed integer of 64 bits, or the bits of a double."""

    build: FunctionBuilder
    text: str

    def _with(self, opcode: str, other: Whole | int) -> Whole:
        text = str(other) if isinstance(other, int) else other.text
        return Whole(self.build, self.build.binary(opcode, "i64", self.text, text))

    def __add__(self, other: Whole | int) -> Whole:
        return self._with("add", other)

    def __sub__(self, other: Whole | int) -> Whole:
        return self._with("sub", other)

    def __and__(self, other: Whole | int) -> Whole:
        return self._with("and", other)

    def __or__(self, other: Whole | int) -> Whole:
        return self._with("or", other)

    def __xor__(self, other: Whole | int) -> Whole:
        return self._with("xor", other)

    def __lshift__(self, count: int) -> Whole:
        return self._with("shl", count)

    def __rshift__(self, count: int) -> Whole:
        """A logical right shift."""
        return self._with("lshr", count)

    def is_zero(self) -> Condition:
        """True for 0."""
        return Condition(self.build, self.build.compare("eq", "i64", self.text, "0"))

    def real(self) -> Real:
        """The double that has these bits."""
        return Real(self.build, self.build.convert("bitcast", "i64", self.text, "double"))


@dataclass(frozen=True, slots=True)
class Real:
    """A double."""

    build: FunctionBuilder
    text: str

    def _with(self, opcode: str, other: Real | float) -> Real:
        return Real(self.build, self.build.binary(opcode, "double", self.text, _text(other)))

    def __add__(self, other: Real | float) -> Real:
        return self._with("fadd", other)

    def __sub__(self, other: Real | float) -> Real:
        return self._with("fsub", other)

    def __mul__(self, other: Real | float) -> Real:
        return self._with("fmul", other)

    def __truediv__(self, other: Real | float) -> Real:
        return self._with("fdiv", other)

    def __rsub__(self, other: float) -> Real:
        return Real(self.build, self.build.binary("fsub", "double", _text(other), self.text))

    def __rtruediv__(self, other: float) -> Real:
        return Real(self.build, self.build.binary("fdiv", "double", _text(other), self.text))

    def __neg__(self) -> Real:
        return Real(self.build, self.build.result(f"fneg double {self.text}"))

    def _compared(self, predicate: str, other: Real | float) -> Condition:
        text = self.build.fcompare(predicate, "double", self.text, _text(other))
        return Condition(self.build, text)

    def __lt__(self, other: Real | float) -> Condition:
        return self._compared("olt", other)

    def __gt__(self, other: Real | float) -> Condition:
        return self._compared("ogt", other)

    def __le__(self, other: Real | float) -> Condition:
        return self._compared("ole", other)

    def __ge__(self, other: Real | float) -> Condition:
        return self._compared("oge", other)

    def equals(self, other: Real | float) -> Condition:
        """True for equal numbers, including zeros of both signs; false for NaN."""
        return self._compared("oeq", other)

    def is_nan(self) -> Condition:
        """True for NaN."""
        return self._compared("uno", self)

    def bits(self) -> Whole:
        """The bits as an integer."""
        return Whole(self.build, self.build.convert("bitcast", "double", self.text, "i64"))


def _text(value: Real | float) -> str:
    if isinstance(value, Real):
        return value.text
    (bits,) = struct.unpack("<Q", struct.pack("<d", value))
    return f"0x{bits:016X}"


def number(like: Real, value: float) -> Real:
    """A double constant, emitted beside another double."""
    return Real(like.build, _text(value))


# --- single instructions --------------------------------------------------------------------------


def where(cond: Condition, then: Real | float, orelse: Real | float) -> Real:
    """`then` where the condition holds, else `orelse`."""
    return Real(cond.build, cond.build.select(cond.text, "double", _text(then), _text(orelse)))


def fused(a: Real, b: Real | float, c: Real | float) -> Real:
    """`a * b + c`, rounded once or twice, depending on the processor."""
    args = [("double", a.text), ("double", _text(b)), ("double", _text(c))]
    return Real(a.build, a.build.call("double", "llvm.fmuladd.f64", args))


def _intrinsic(name: str, *args: Real) -> Real:
    operands = [("double", arg.text) for arg in args]
    return Real(args[0].build, args[0].build.call("double", f"llvm.{name}.f64", operands))


def size(x: Real) -> Real:
    """The absolute value."""
    return _intrinsic("fabs", x)


def signed(x: Real, sign: Real) -> Real:
    """The magnitude of `x` with the sign of `sign`."""
    return _intrinsic("copysign", x, sign)


def root(x: Real) -> Real:
    """The square root, correctly rounded on every processor."""
    return _intrinsic("sqrt", x)


def at_most(x: Real, bound: float) -> Real:
    """The smaller of `x` and the bound; NaN stays."""
    return where(x > bound, bound, x)


def at_least(x: Real, bound: float) -> Real:
    """The larger of `x` and the bound; NaN stays."""
    return where(x < bound, bound, x)


def polynomial(x: Real, coefficients: Sequence[float]) -> Real:
    """The polynomial with these coefficients, constant term first."""
    *rest, last = coefficients
    result = fused(x, last, rest.pop())
    for coefficient in reversed(rest):
        result = fused(result, x, coefficient)
    return result


def wide_polynomial(x: Real, coefficients: Sequence[float]) -> Real:
    """The polynomial by pairs of terms, pairs of pairs and so on: a few more instructions, but
    short dependency chains."""
    terms: list[Real | float] = list(coefficients)
    while len(terms) > 1:
        pairs = zip(terms[::2], terms[1::2], strict=False)
        rest = terms[-1:] if len(terms) % 2 else []
        terms = [*(fused(x, high, low) for low, high in pairs), *rest]
        x = x * x if len(terms) > 1 else x
    (result,) = terms
    assert isinstance(result, Real)
    return result


# --- whole numbers and powers of two --------------------------------------------------------------

_SHIFTER = 1.5 * 2.0**52  # its last place has the unit 1, so adding it rounds to an integer
_SHIFTER_BITS = struct.unpack("<q", struct.pack("<d", _SHIFTER))[0]


def nearest(x: Real) -> tuple[Real, Whole]:
    """The nearest integer, as a double and as an integer, for magnitudes below 2 ** 51."""
    shifted = x + _SHIFTER
    return shifted - _SHIFTER, shifted.bits() - _SHIFTER_BITS


def as_real(k: Whole) -> Real:
    """A small integer as a double, since some processors lack that instruction."""
    return (k + _SHIFTER_BITS).real() - _SHIFTER


def power_of_two(k: Whole) -> Real:
    """`2 ** k`, for -1022 <= k <= 1023."""
    return ((k + 1023) << 52).real()


def scaled(x: Real, k: Whole) -> Real:
    """`x * 2 ** k`, rounded once, for `k` of magnitude below 2044 and `x` near 1."""
    half = ((k + 4096) >> 1) - 2048
    return x * power_of_two(half) * power_of_two(k - half)


# --- numbers in two parts -------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class DoublePair:
    """An unrounded sum of two doubles: `low` is the rounding error of `high`."""

    high: Real
    low: Real


def sum_of(a: Real, b: Real | float) -> DoublePair:
    """`a + b` exactly."""
    high = a + b
    rest = high - a
    low = (a - (high - rest)) + (b - rest)
    return DoublePair(high, low)


def sum_of_sorted(a: Real, b: Real) -> DoublePair:
    """`a + b` exactly, if `a` has the larger magnitude or is 0."""
    high = a + b
    return DoublePair(high, b - (high - a))


def product_of(a: Real, b: Real) -> DoublePair:
    """`a * b` exactly, for magnitudes that are neither huge nor tiny.

    Without fused instructions the doubles are split in halves, whose products are exact.
    """
    high = a * b
    if fuses(a.build):
        return DoublePair(high, _intrinsic("fma", a, b, -high))
    a_high, b_high = upper_half(a), upper_half(b)
    a_low, b_low = a - a_high, b - b_high
    low = fused(a_high, b_high, -high)
    low = fused(a_low, b_high, fused(a_high, b_low, low))
    return DoublePair(high, fused(a_low, b_low, low))


def upper_half(x: Real) -> Real:
    """The upper 26 bits of a double."""
    return (x.bits() & -(1 << 27)).real()
