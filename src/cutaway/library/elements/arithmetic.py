"""`+ - * /`, signs, squares and reciprocals of elements."""

from __future__ import annotations

import math

import numpy as np

from cutaway.library.elements.table import each_part, formula, inline
from cutaway.library.math import division, powers
from cutaway.library.math.numbers import Instructions
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import Value
from cutaway.typing import types
from cutaway.typing.types import Float, Integer
from cutaway.typing.ufuncs import Loop

# Operations that are one instruction per part, by kind; the fast-math flags apply to floats.  The
# product of complex numbers is NumPy's loop: it fuses on some processors.
for _names, _kinds, _opcode in (
    ("add", "iu", "add"),
    ("add", "fc", "fadd"),
    ("subtract", "iu", "sub"),
    ("subtract", "fc", "fsub"),
    ("multiply", "iu", "mul"),
    ("multiply", "f", "fmul"),
    ("divide", "f", "fdiv"),
    ("add maximum fmax", "b", "or"),
    ("multiply minimum fmin", "b", "and"),
):
    _emit = Instructions.fast if _opcode.startswith("f") else Instructions.__call__
    each_part(_names, _kinds)(lambda n, x, y, emit=_emit, opcode=_opcode: emit(n, opcode, x, y))

# Operations that are one intrinsic per part.
for _names, _kinds, _intrinsic in (
    ("sqrt", "f", "sqrt"),  # correctly rounded
    ("absolute fabs", "ef", "fabs"),
    ("floor", "f", "floor"),
    ("ceil", "f", "ceil"),
    ("trunc", "f", "trunc"),
    ("rint", "fc", "rint"),
    ("copysign", "ef", "copysign"),
):
    each_part(_names, _kinds)(lambda n, *args, intrinsic=_intrinsic: n.math(intrinsic, *args))


@each_part("positive", "iuefcm")
@each_part("conjugate", "iuef")
@each_part("absolute", "bu")
@each_part("floor ceil trunc", "biu")
def itself(n: Instructions, x: str) -> str:
    """Return the element unchanged."""
    return x


@each_part("negative", "ium")
def negate(n: Instructions, x: str) -> str:
    """`-a` of integers; NaT and the least integer map to themselves."""
    return n("sub", "0", x)


@each_part("negative", "efc")
def negate_floats(n: Instructions, x: str) -> str:
    """`-a` of floats and complex numbers, zeros included."""
    return n.opposite(x)


@formula("conjugate", "c")
def conjugate(n: Instructions, real: str, imag: str) -> tuple[str, str]:
    """A complex number with its imaginary part negated."""
    return real, n.opposite(imag)


@formula("absolute", "im")
def absolute(n: Instructions, x: str) -> str:
    """`abs(a)` of integers; NaT and the least integer map to themselves."""
    return n.size(x)


@each_part("square", "iuf")
def square(n: Instructions, x: str) -> str:
    """`a * a`."""
    return n("fmul" if isinstance(n.ty, Float) else "mul", x, x)


# --- quotients ------------------------------------------------------------------------------------


@formula("divide", "c")
def divide_complex(n: Instructions, a: str, b: str, c: str, d: str) -> tuple[str, str]:
    """`a / b` of complex numbers by Smith's method, with the reciprocal of the denominator."""
    size_c, size_d = n.size(c), n.size(d)
    denominator, real, imag = division.smith(n, n, (a, b, c, d), n.compare("oge", size_c, size_d))
    scale = n("fdiv", n.number(1.0), denominator)
    none = n.both(n.compare("oeq", size_c), n.compare("oeq", size_d))
    return (
        n.select(none, n("fdiv", a, size_c), n("fmul", real, scale)),
        n.select(none, n("fdiv", b, size_d), n("fmul", imag, scale)),
    )


@formula("reciprocal", "f")
def reciprocal(n: Instructions, x: str) -> str:
    """`1 / a` of floats."""
    return n("fdiv", n.number(1.0), x)


@formula("reciprocal", "iu")
def reciprocal_of_integers(n: Instructions, x: str) -> str:
    """`1 / a` truncated: 0 except for 1 and -1; for 0 the processor's conversion of an infinity."""
    itself = n.compare("eq", x, "1")
    if n.ty.signed:
        itself = n.either(itself, n.compare("eq", x, "-1"))
    of_zero = str(n.ty.low) if n.ty.signed and n.ty.bits >= 32 else "0"
    return n.select(n.compare("eq", x), of_zero, n.select(itself, x, "0"))


@formula("reciprocal", "c")
def reciprocal_of_complex(n: Instructions, c: str, d: str) -> tuple[str, str]:
    """`1 / a` of complex numbers, scaled by the larger part."""
    one = n.number(1.0)
    first = n.compare("ole", n.size(d), n.size(c))
    large, small = n.select(first, c, d), n.select(first, d, c)
    ratio = n("fdiv", small, large)
    total = n("fadd", large, n("fmul", small, ratio))
    near, far = n.select(first, one, ratio), n.select(first, ratio, one)
    return n("fdiv", near, total), n("fdiv", n.opposite(far), total)


# --- signs ----------------------------------------------------------------------------------------


def _nat_has_no_sign() -> bool:
    """True unless NaT counts as negative, as in some versions of NumPy; from 2.5 on a duration's
    sign is a float."""
    sign = np.sign(np.timedelta64("NaT", "s"))
    return bool(sign.dtype.kind != "m" or np.isnat(sign))


_NAT_HAS_NO_SIGN = _nat_has_no_sign()


@formula("sign", "iu")
def sign(n: Instructions, x: str) -> str:
    """-1, 0 or 1: the sign of an integer."""
    signed = not isinstance(n.ty, Integer) or n.ty.signed
    result = n.build.convert("zext", "i1", n.compare("sgt" if signed else "ne", x), n.kind)
    return n.select(n.compare("slt", x), "-1", result) if signed else result


@inline("sign", "m")
def sign_of_duration(build: FunctionBuilder, loop: Loop, args: list[Value]) -> Value:
    """-1, 0 or 1; NaT or NaN for NaT, as in the running NumPy."""
    n, (x,), result_type = Instructions(build, args[0].ty), args[0].parts, loop.outputs[0]
    result = sign(n, x)
    if not _NAT_HAS_NO_SIGN:
        return Value(args[0].ty, (result,))
    nat = n.compare("eq", x, str(-(1 << 63)))
    if not isinstance(result_type, Float):
        return Value(args[0].ty, (n.select(nat, x, result),))
    number = build.cast(Value(types.int64, (result,)), result_type).parts[0]
    floats = Instructions(build, result_type)
    return Value(result_type, (floats.select(nat, floats.number(math.nan), number),))


@formula("sign", "f")
def sign_of_floats(n: Instructions, x: str) -> str:
    """-1.0, 0.0 or 1.0: the sign of a float; NaN for NaN."""
    below = n.select(n.compare("olt", x), n.number(-1.0), x)
    result = n.select(n.compare("ogt", x), n.number(1.0), below)
    return n.select(n.compare("oeq", x), "0.0", result)


# --- divisors and multiples -----------------------------------------------------------------------


@formula("gcd", "iu")
def gcd(n: Instructions, a: str, b: str) -> str:
    """The greatest common divisor."""
    return _common_divisor(n, n.size(a), n.size(b))


@formula("lcm", "iu")
def lcm(n: Instructions, a: str, b: str) -> str:
    """The least common multiple; 0 if a number is 0."""
    first, second = n.size(a), n.size(b)
    divisor = _common_divisor(n, first, second)
    divisor = n.select(n.compare("eq", divisor), "1", divisor)
    return n("mul", n("udiv", first, divisor), second)


def _common_divisor(n: Instructions, first: str, second: str) -> str:
    def step(values: list[str]) -> list[str]:
        a, b = values
        return [b, n("urem", a, b)]

    return powers.repeated(n, [first, second], lambda values: n.compare("ne", values[1]), step)[0]
