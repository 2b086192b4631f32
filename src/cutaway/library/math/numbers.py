"""Shared by the number functions: result types of arithmetic, and emitting by kind."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from cutaway.errors import TypingError
from cutaway.extending.registry import primitive
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import Value, float_type, part_types
from cutaway.typing import types
from cutaway.typing.overloads.resolution import Arguments, Rule, Signature
from cutaway.typing.types import Boolean, Complex, Float, Integer, Type
from cutaway.typing.types.conversions import unify


def arithmetic_type(arguments: Arguments) -> Type | None:
    """The type in which two numbers are added, subtracted, multiplied.

    Integers compute as int64; uint64 only with itself, with narrower unsigned integers, bools, and
    nonnegative constants. uint64 with any other signed variable computes as float64, as in NumPy.
    """
    lhs, rhs = arguments.types
    if not (types.is_number(lhs) and types.is_number(rhs)):
        return None
    if types.is_integral(lhs) and types.is_integral(rhs):
        return _integer_type(arguments)
    return unify(lhs, rhs)


def _integer_type(arguments: Arguments) -> Type:
    pairs = zip(arguments.types, arguments.constants, strict=True)
    kinds = {_sign_kind(ty, constant) for ty, constant in pairs}
    if types.uint64 not in arguments.types:
        return types.int64
    return types.float64 if "signed" in kinds else types.uint64


def _sign_kind(ty: Type, constant: Any) -> str:
    if isinstance(ty, Boolean):
        return "neutral"
    assert isinstance(ty, Integer)
    if ty.signed and isinstance(constant, int) and constant >= 0:
        return "neutral"
    return "signed" if ty.signed else "unsigned"


def _wide_constant_rule(arguments: Arguments) -> Signature | None:
    if len(arguments) != 2 or not all(map(types.is_integral, arguments.types)):
        return None
    large = (type(value) is int and value > types.int64.high for value in arguments.constants)
    if not any(large) or isinstance(_integer_type(arguments), Integer):
        return None
    return Signature(types.float64, arguments.types)


def _refuse_wide_constant(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    constant = next(value.parts[0] for value in args if value.ty is types.uint64)
    raise TypingError(
        f"the constant {constant} does not fit in int64, the type of the other integer",
        build.loc,
        "write it as a float, or convert the other integer with np.uint64(...)",
    )


def refuse_wide_constants(*functions: Any) -> None:
    """Refuse a signed integer with a constant that only uint64 can hold: the result would be an
    unexpected float. Must be called before the function's other overloads."""
    for function in functions:
        primitive(function, _wide_constant_rule)(_refuse_wide_constant)


def arithmetic(arguments: Arguments) -> Signature | None:
    """Typing rule: both operands and the result have the arithmetic type."""
    if len(arguments) != 2:
        return None
    ty = arithmetic_type(arguments)
    return None if ty is None else Signature(ty, (ty, ty))


def real_arithmetic(arguments: Arguments) -> Signature | None:
    """Typing rule: like `arithmetic`, for real numbers only."""
    result = arithmetic(arguments)
    return result if result is not None and types.is_real(result.returns) else None


def integer_arithmetic(arguments: Arguments) -> Signature | None:
    """Typing rule: like `arithmetic`, for integers only."""
    if len(arguments) != 2 or not all(map(types.is_integral, arguments.types)):
        return None
    result = arithmetic(arguments)
    return result if result is not None and isinstance(result.returns, Integer) else None


def widened(ty: Type) -> Type:
    """The type of an absolute value or a left shift: integers widen to 64 bits."""
    if isinstance(ty, Boolean):
        return types.int64
    if isinstance(ty, Integer):
        return types.uint64 if not ty.signed and ty.bits == 64 else types.int64
    return ty


def unwidened(ty: Type) -> Type:
    """The type of a negation or of inverted bits: integers keep theirs, as in NumPy."""
    return types.int64 if isinstance(ty, Boolean) else ty


class Instructions:
    """Emits instructions on numbers of one type, or on parts of complex ones: `n("fadd", x, y)`.

    `fast` uses the function's fast-math flags; all other methods round as written.
    """

    __slots__ = ("build", "kind", "ty")

    def __init__(self, build: FunctionBuilder, ty: Type) -> None:
        self.build = build
        self.ty: Any = ty.part if isinstance(ty, Complex) else ty
        self.kind = part_types(ty)[0]

    def __call__(self, opcode: str, x: str, y: str) -> str:
        """An instruction with two operands."""
        return self.build.binary(opcode, self.kind, x, y)

    def fast(self, opcode: str, x: str, y: str) -> str:
        """An instruction with the function's fast-math flags; not for float16, where skipped
        intermediate rounding would show in printed digits."""
        allowed = () if self.ty is types.float16 else sorted(self.build.flags.fastmath)
        return self.build.binary(" ".join((opcode, *allowed)), self.kind, x, y)

    def compare(self, predicate: str, x: str, y: str | None = None) -> str:
        """A comparison with another number, or with zero; an i1."""
        if isinstance(self.ty, Float):
            return self.build.fcompare(predicate, self.kind, x, "0.0" if y is None else y)
        return self.build.compare(predicate, self.kind, x, "0" if y is None else y)

    def select(self, condition: str, x: str, y: str) -> str:
        """One of two numbers, selected by an i1."""
        return self.build.select(condition, self.kind, x, y)

    def both(self, x: str, y: str) -> str:
        """`and` of two i1."""
        return self.build.binary("and", "i1", x, y)

    def either(self, x: str, y: str) -> str:
        """`or` of two i1."""
        return self.build.binary("or", "i1", x, y)

    def number(self, value: float) -> str:
        """A float literal."""
        return self.build.constant(self.ty, value).parts[0]

    def math(self, name: str, *parts: str) -> str:
        """An intrinsic of floats: `sqrt`, `floor`, ..."""
        return self.build.math(name, self.ty, *parts)

    def call(self, name: str, *parts: str) -> str:
        """An intrinsic of integers: `abs`, `smax`, `ctpop`, ..."""
        flag = [("i1", "false")] if name in ("abs", "ctlz", "cttz") else []
        given = [(self.kind, part) for part in parts]
        return self.build.call(self.kind, f"llvm.{name}.{self.kind}", [*given, *flag])

    def with_overflow(self, opcode: str, x: str, y: str) -> tuple[str, str]:
        """The result of `sadd`, `usub`, `smul`, ..., and an i1: whether it overflowed."""
        name = f"llvm.{opcode}.with.overflow.{self.kind}"
        result = f"{{ {self.kind}, i1 }}"
        pair = self.build.call(result, name, [(self.kind, x), (self.kind, y)])
        parts = [self.build.result(f"extractvalue {result} {pair}, {k}") for k in range(2)]
        return parts[0], parts[1]

    def opposite(self, x: str) -> str:
        """`-x` of a float, exact for zeros and NaNs too."""
        return self.build.result(f"fneg {self.kind} {x}")

    def size(self, x: str) -> str:
        """The magnitude; the least integer maps to itself."""
        if isinstance(self.ty, Float):
            return self.math("fabs", x)
        return x if isinstance(self.ty, Integer) and not self.ty.signed else self.call("abs", x)

    def is_nan(self, x: str) -> str:
        """An i1: whether a float is NaN."""
        return self.compare("uno", x, x)

    def is_infinite(self, x: str) -> str:
        """An i1: whether a float is infinite."""
        return self.compare("oeq", self.size(x), self.number(math.inf))

    def is_finite(self, x: str) -> str:
        """An i1: whether a float is finite."""
        return self.compare("olt", self.size(x), self.number(math.inf))

    def raise_if(self, condition: str, error: type[Exception], *args: Any) -> None:
        """Raise an error if an i1 holds."""
        self.build.raise_if(condition, error, *args)


def integer_op(build: FunctionBuilder, opcode: str, ty: Integer, a: str, b: str) -> str:
    """`add`, `sub` or `mul` of integers; with overflow="raise" the result must fit."""
    n = Instructions(build, ty)
    if build.flags.overflow == "wrap":
        return n(opcode, a, b)
    result, overflow = n.with_overflow(f"{'s' if ty.signed else 'u'}{opcode}", a, b)
    raise_overflow(build, overflow, ty.bits)
    return result


def raise_overflow(build: FunctionBuilder, overflow: str, bits: int = 64) -> None:
    """Raise OverflowError if an i1 holds."""
    build.raise_if(overflow, OverflowError, f"the result does not fit in {bits} bits")


def float_divmod(n: Instructions, a: str, b: str) -> tuple[str, str]:
    """The floored quotient and the remainder, which is exact and has the divisor's sign.

    The remainder is that of C's fmod, with the divisor added if the signs differ; the quotient is
    computed from the exact multiple, so it is never off by one. Both are NaN for b = 0.
    """
    rest = n.build.float_rest(n.kind, a, b)
    multiple = n("fdiv", n("fsub", a, rest), b)
    nonzero = n.compare("une", rest)
    signs_differ = n.build.binary("xor", "i1", n.compare("olt", b), n.compare("olt", rest))
    move = n.both(nonzero, signs_differ)
    one = n.number(1.0)
    multiple = n.select(move, n("fsub", multiple, one), multiple)
    moved = n.select(move, n("fadd", rest, b), rest)
    moved = n.select(nonzero, moved, n.math("copysign", "0.0", b))
    down = n.math("floor", multiple)
    above = n.compare("ogt", n("fsub", multiple, down), n.number(0.5))
    down = n.select(above, n("fadd", down, one), down)
    zero = n.math("copysign", "0.0", n("fdiv", a, b))
    return n.select(n.compare("une", multiple), down, zero), moved


def became_infinite(build: FunctionBuilder, ty: Float, result: str, args: Sequence[str]) -> str:
    """True if a result is infinite though all arguments are finite; an i1."""
    n, (result, *args) = Instructions(build, ty), _as_they_are(build, ty, result, *args)
    answer = n.is_infinite(result)
    for part in args:
        answer = n.both(answer, n.is_finite(part))
    return answer


def _as_they_are(build: FunctionBuilder, ty: Float, *parts: str) -> list[str]:
    """Freeze numbers: under fastmath= LLVM assumes that computed numbers are finite, so it would
    miss an infinite argument and the result would be an error."""
    if not build.flags.fastmath & _PROMISES:
        return list(parts)
    return [build.once(f"freeze {float_type(ty)} {part}") for part in parts]


_PROMISES = frozenset({"fast", "nnan", "ninf"})


def became_nan(build: FunctionBuilder, ty: Float, result: str, args: Sequence[str]) -> str:
    """True if a result is NaN though no argument is; an i1."""
    n, (result, *args) = Instructions(build, ty), _as_they_are(build, ty, result, *args)
    answer = n.is_nan(result)
    for part in args:
        answer = n.both(answer, n.compare("ord", part, part))
    return answer


def is_literal(text: str) -> bool:
    """True if the text of an integer part is a number rather than a name."""
    return text.lstrip("-").isdigit()


def is_nonzero_literal(text: str) -> bool:
    """True if the text of a part, integer or float, is a number other than zero."""
    if is_literal(text):
        return int(text) != 0
    if text.startswith("0xH"):  # a float16 literal
        return int(text[3:], 16) & 0x7FFF != 0
    return text.startswith("0x") and int(text, 16) & 0x7FFF_FFFF_FFFF_FFFF != 0


def in_single(
    build: FunctionBuilder, compute: Callable[..., Any], *args: Value
) -> tuple[Value, ...]:
    """Compute with float16 through float32, rounding each result once, as NumPy does.

    `compute` takes the builder and values, and returns a tuple of values.
    """
    wide = [build.cast(arg, types.float32) for arg in args]
    return tuple(build.cast(one, types.float16) for one in compute(build, *wide))


def boolean(part: str) -> Value:
    """An i1 as a value."""
    return Value(types.boolean, (part,))


Answer = Callable[..., str]  # of a FunctionBuilder and the arguments; returns an i1


def both_ways(
    positive: Callable[..., Any],
    negative: Callable[..., Any],
    rule: Rule,
    any_elements: bool = False,
) -> Callable[[Answer], Answer]:
    """Register `==` and `!=`, `is` and `is not`, or `bool` and `not` at once; the decorated
    function emits the first of them, as an i1."""

    def register(answer: Answer) -> Answer:
        @primitive(positive, rule, any_elements=any_elements)
        def yes(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
            return boolean(answer(build, *args))

        @primitive(negative, rule, any_elements=any_elements)
        def no(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
            part = answer(build, *args)
            opposite = {"true": "false", "false": "true"}.get(part)
            return boolean(opposite or build.binary("xor", "i1", part, "true"))

        yes.__name__ = answer.__name__.lstrip("_")
        no.__name__ = f"not_{yes.__name__}"
        return answer

    return register
