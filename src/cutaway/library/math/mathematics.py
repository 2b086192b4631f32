"""The functions of the `math` module, with Python's errors.

A function of floats is a row: its C function, and the error for an infinite result. As in CPython,
a NaN from arguments that are not NaN is a domain error; an infinity from finite ones is a range
error or, for functions with a pole, a domain error.
"""

from __future__ import annotations

import math
import sys
from typing import Any

from cutaway.extending.registry import primitive
from cutaway.foundation.dataclass import dataclass
from cutaway.library.core import messages
from cutaway.library.elements.kernels import computed, lowering_of
from cutaway.library.math.numbers import Instructions, became_infinite, became_nan, boolean
from cutaway.library.polynomials import table as polynomials
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import Value, float_type, make_tuple
from cutaway.typing import types
from cutaway.typing.overloads.resolution import REQUIRED, Arguments, Signature
from cutaway.typing.types import Float
from cutaway.typing.ufuncs import Loop


@dataclass(frozen=True, slots=True)
class MathFunction:
    """One function of floats.

    `c_name` is the C function (float32 appends an `f`) or, with `intrinsic`, LLVM's. `domain`: its
    domain is restricted. `infinite`: "range" or "domain", the error that an infinite result means,
    or empty.
    """

    name: str
    c_name: str
    domain: bool
    infinite: str = ""
    intrinsic: bool = False
    arity: int = 1


_ROWS = (
    MathFunction("sqrt", "sqrt", True, intrinsic=True),
    MathFunction("fabs", "fabs", False, intrinsic=True),
    MathFunction("exp", "exp", False, "range"),
    MathFunction("exp2", "exp2", False, "range"),
    MathFunction("expm1", "expm1", False, "range"),
    MathFunction("log", "log", True, "domain"),
    MathFunction("log2", "log2", True, "domain"),
    MathFunction("log10", "log10", True, "domain"),
    MathFunction("log1p", "log1p", True, "domain"),
    MathFunction("sin", "sin", True),
    MathFunction("cos", "cos", True),
    MathFunction("tan", "tan", True),
    MathFunction("asin", "asin", True),
    MathFunction("acos", "acos", True),
    MathFunction("atan", "atan", False),
    MathFunction("sinh", "sinh", False, "range"),
    MathFunction("cosh", "cosh", False, "range"),
    MathFunction("tanh", "tanh", False),
    MathFunction("asinh", "asinh", False),
    MathFunction("acosh", "acosh", True),
    MathFunction("atanh", "atanh", True, "domain"),
    MathFunction("cbrt", "cbrt", False),
    MathFunction("erf", "erf", False),
    MathFunction("erfc", "erfc", False),
    MathFunction("lgamma", "cutaway_math_lgamma", True, "pole"),
    MathFunction("gamma", "cutaway_math_gamma", True, "pole"),
    MathFunction("atan2", "atan2", False, arity=2),
    MathFunction("copysign", "copysign", False, intrinsic=True, arity=2),
    MathFunction("ulp", "cutaway_math_ulp", False),
    MathFunction("hypot", "cutaway_math_hypot", False, arity=2),
    MathFunction("fmod", "cutaway_math_fmod", True, arity=2),
    MathFunction("remainder", "cutaway_math_remainder", True, arity=2),
    MathFunction("nextafter", "nextafter", False, arity=2),
    MathFunction("pow", "cutaway_math_pow", True, "pole", arity=2),
)


def _register(row: MathFunction) -> None:
    function = getattr(math, row.name, None)
    if function is None:  # absent from this version of Python
        return
    signatures = [f"float64({', '.join(['float64'] * row.arity)})"]
    if not row.c_name.startswith("cutaway_"):
        signatures.append(f"float32({', '.join(['float32'] * row.arity)})")

    @primitive(function, signatures)
    def lower(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
        return _call(build, row, sig.returns, [value.parts[0] for value in args])


def _call(build: FunctionBuilder, row: MathFunction, ty: types.Type, args: list[str]) -> Value:
    assert isinstance(ty, Float)
    polynomial = polynomials.row_of(polynomials.name_in_table(row.name), (ty,))
    if row.intrinsic:
        result = build.math(row.c_name, ty, *args)
    elif polynomial is not None and build.flags.vector_math:
        result = polynomials.computed(build, polynomials.name_in_table(row.name), ty, args)
    else:
        kind = float_type(ty)
        name = row.c_name if ty.bits == 64 else f"{row.c_name}f"
        result = build.call(kind, name, [(kind, arg) for arg in args])
        if polynomial is not None:
            polynomials.note_c_library(build, row.name)
    if build.flags.error_model == "python":
        _check(build, row, ty, result, args)
    return Value(ty, (result,))


def _check(
    build: FunctionBuilder, row: MathFunction, ty: Float, result: str, args: list[str]
) -> None:
    n = Instructions(build, ty)
    if row.name == "sqrt":
        _refuse(n, row, n.compare("olt", args[0]), args)
        return
    if row.domain:
        _refuse(n, row, became_nan(build, ty, result, args), args)
    if not row.infinite:
        return
    infinite = became_infinite(build, ty, result, args)
    if row.infinite == "pole":
        # An infinity at a pole (0 or a negative integer) is a domain error, elsewhere an overflow.
        _refuse(n, row, n.both(infinite, _at_pole(n, args[0], row)), args)
    if row.infinite == "domain":
        _refuse(n, row, infinite, args)
    else:
        n.raise_if(infinite, OverflowError, messages.MATH_RANGE)


def _refuse(n: Instructions, row: MathFunction, condition: str, args: list[str]) -> None:
    """Raise if the arguments are outside a function's domain."""
    said = messages.MATH_DOMAIN
    if row.arity == 1:
        said = messages.domain_of(getattr(math, row.name))
    payload: tuple[str, ...] = ()
    if "{" in said:
        number = n.build.cast(Value(n.ty, (args[0],)), types.float64).parts[0]
        payload = (n.build.convert("bitcast", "double", number, "i64"),)
    n.build.raise_if(condition, ValueError, said, payload=payload)


def _at_pole(n: Instructions, part: str, row: MathFunction) -> str:
    if row.name == "pow":
        return n.compare("oeq", part)
    return n.both(n.compare("oeq", n.math("floor", part), part), n.compare("ole", part))


for _row in _ROWS:
    _register(_row)


# --- also in NumPy ------------------------------------------------------------------------------

_REAL = ("boolean(float64)", "boolean(float32)")
for _function, _signatures in (
    (math.isnan, _REAL),
    (math.isinf, _REAL),
    (math.isfinite, _REAL),
    (math.radians, "float64(float64)"),
    (math.degrees, "float64(float64)"),
    (math.modf, "UniTuple(float64, 2)(float64)"),
):
    primitive(_function, _signatures)(lowering_of(_function.__name__))


# --- other functions of floats ------------------------------------------------------------------


@primitive(math.log, "float64(float64, float64)")
def log_to_base(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`math.log(x, base)`."""
    row = next(row for row in _ROWS if row.name == "log")
    top, bottom = (_call(build, row, types.float64, list(arg.parts)).parts[0] for arg in args)
    n = Instructions(build, types.float64)
    if build.flags.error_model == "python":
        n.raise_if(n.compare("oeq", bottom), ZeroDivisionError, messages.FLOAT_DIVISION)
    return Value(types.float64, (n.fast("fdiv", top, bottom),))


@primitive(math.ldexp, "float64(float64, int64)")
def ldexp(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`math.ldexp(x, n)`."""
    x, n = args[0].parts[0], args[1].parts[0]
    result = build.call("double", "cutaway_math_ldexp", [("double", x), ("i64", n)])
    if build.flags.error_model == "python":
        infinite = became_infinite(build, types.float64, result, [x])
        build.raise_if(infinite, OverflowError, messages.MATH_RANGE)
    return Value(types.float64, (result,))


@primitive(math.frexp, "Tuple(float64, int64)(float64)")
def frexp(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`math.frexp(x)` by C's function, which is faster to compile than instructions."""
    if not build.links.target.hosted:
        return lowering_of("frexp")(build, sig, args)
    given = [("double", args[0].parts[0])]
    mantissa = build.call("double", "cutaway_math_frexp_mantissa", given)
    exponent = build.call("i64", "cutaway_math_frexp_exponent", given)
    return make_tuple([Value(types.float64, (mantissa,)), Value(types.int64, (exponent,))])


# --- integers ---------------------------------------------------------------------------------


def _variadic_integers(arguments: Arguments) -> Signature | None:
    if not all(map(types.is_integral, arguments.types)):
        return None
    return Signature(types.int64, (types.int64,) * len(arguments))


def _register_fold(function: Any, start: int) -> None:
    """Register a function of any number of integers, by C if C has one: it is faster to compile."""
    name, ty = function.__name__, types.int64

    @primitive(function, _variadic_integers)
    def lower(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
        total = build.constant(ty, start)
        for value in args:
            pair = [("i64", one.parts[0]) for one in (total, value)]
            if build.links.target.hosted:
                total = Value(ty, (build.call("i64", f"cutaway_math_{name}", pair),))
            else:
                total = computed(build, name, Loop((ty, ty), (ty,)), [total, value])
        return total

    lower.__name__ = name


_register_fold(math.gcd, 0)
_register_fold(math.lcm, 1)


def _register_counting(function: object, name: str, *errors: str) -> None:
    """Register functions that refuse negative integers, with one error per argument, and whose
    results may exceed 64 bits."""
    arity = len(errors)

    def rule(arguments: Arguments) -> Signature | None:
        fits = len(arguments) == arity and all(map(types.is_integral, arguments.types))
        return Signature(types.int64, (types.int64,) * arity) if fits else None

    @primitive(function, rule)
    def lower(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
        parts = [value.parts[0] for value in args]
        for part, error in zip(parts, errors, strict=True):
            negative = build.compare("slt", "i64", part, "0")
            build.raise_if(negative, ValueError, error)
        if function is math.factorial:
            parts *= 2
        result = build.call("i64", name, [("i64", part) for part in parts])
        too_large = build.compare("slt", "i64", result, "0")
        build.raise_if(too_large, OverflowError, "the integer does not fit in 64 bits")
        return Value(types.int64, (result,))


def _refusal(function: object, *args: int) -> str:
    return messages.message_of(lambda: function(*args))


_register_counting(math.factorial, "cutaway_math_perm", _refusal(math.factorial, -1))
_register_counting(math.isqrt, "cutaway_math_isqrt", _refusal(math.isqrt, -1))
for _function, _name in ((math.comb, "cutaway_math_comb"), (math.perm, "cutaway_math_perm")):
    _register_counting(_function, _name, _refusal(_function, -1, 1), _refusal(_function, 1, -1))


@primitive(
    math.isclose,
    "boolean(float64, float64, float64, float64)",
    parameters=("a", "b", "rel_tol", "abs_tol"),
    defaults=(REQUIRED, REQUIRED, 1e-09, 0.0),
)
def isclose(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`math.isclose(a, b, rel_tol=..., abs_tol=...)`."""
    n = Instructions(build, types.float64)
    a, b, relative, absolute = (value.parts[0] for value in args)
    for tolerance in (relative, absolute):
        n.raise_if(n.compare("olt", tolerance), ValueError, "tolerances must be non-negative")
    distance = n.size(n("fsub", b, a))
    bounds = [n.size(n("fmul", relative, side)) for side in (b, a)]
    near = [n.compare("ole", distance, bound) for bound in (*bounds, absolute)]
    close = n.either(n.either(near[0], near[1]), near[2])
    finite = n.compare("olt", distance, n.number(math.inf))
    return boolean(n.either(n.compare("oeq", a, b), n.both(close, finite)))


if sys.version_info >= (3, 12):
    _NEGATIVE_STEPS = messages.message_of(lambda: math.nextafter(1.0, 2.0, steps=-1))

    @primitive(
        math.nextafter,
        "float64(float64, float64, int64)",
        parameters=("x", "y", "steps"),
        defaults=(REQUIRED, REQUIRED, REQUIRED),
    )
    def nextafter_steps(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
        """`math.nextafter(x, y, steps=n)`."""
        x, y, steps = (value.parts[0] for value in args)
        negative = build.compare("slt", "i64", steps, "0")
        build.raise_if(negative, ValueError, _NEGATIVE_STEPS)
        numbers = [("double", x), ("double", y), ("i64", steps)]
        return Value(sig.returns, (build.call("double", "cutaway_math_nextafter_steps", numbers),))
