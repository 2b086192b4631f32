"""`np.datetime64` and `np.timedelta64`: NumPy's rules for one unit of time, NaT included.

A value is its count of units, and NaT the smallest int64.  A count that does not fit is an
OverflowError where the NumPy that is used raises one, and wraps where that wraps (before 2.5).
Values of different units are refused: NumPy converts them to the finer unit.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from cutaway.errors import TypingError
from cutaway.extending.registry import method, primitive
from cutaway.ir.operators import BINARY, INPLACE
from cutaway.library.math.numbers import boolean
from cutaway.lowering.arrays.elements import converted_element
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import ArrayParts, Value, array_parts, array_value
from cutaway.typing import types
from cutaway.typing.overloads.resolution import Arguments, Signature
from cutaway.typing.types import Array, Class, DateTime, DType, TimeDelta, Type

NAT = str(-(1 << 63))
Emit = Callable[[FunctionBuilder, str, str], str]
Lower = Callable[[FunctionBuilder, Signature, list[Value]], Value]

_DATED = DateTime | TimeDelta


def _is_nat(build: FunctionBuilder, part: str) -> str:
    return build.compare("eq", "i64", part, NAT)


def _either_nat(build: FunctionBuilder, first: str, second: str) -> str:
    return build.binary("or", "i1", _is_nat(build, first), _is_nat(build, second))


def _same_unit(symbol: str, first: Type, second: Type) -> bool:
    """True if both count the same units.  Raises TypingError where both count, but others."""
    if not isinstance(first, _DATED) or not isinstance(second, _DATED):
        return False
    if (first.unit, first.multiple) != (second.unit, second.multiple):
        raise TypingError(
            f"`{symbol}` between {first} and {second} is not supported yet in compiled code",
            hint="pass values of one unit; before the call x.astype(...) converts them",
        )
    return True


def _register(symbol: str, rule: Callable[[Type, Type], Type | None], lower: Lower) -> None:
    """Register an operator and its form in place for two operands, of which one counts time."""

    def typing(arguments: Arguments) -> Signature | None:
        first, second = arguments.types
        if not isinstance(first, _DATED) and not isinstance(second, _DATED):
            return None
        result = rule(first, second)
        return None if result is None else Signature(result, (first, second))

    for row in (BINARY[symbol], INPLACE.get(f"{symbol}=")):
        if row is not None:
            primitive(row.function, typing)(lower)


def _on_counts(emit: Emit) -> Lower:
    """The lowering that works on the counts of both operands."""

    def lower(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
        return Value(sig.returns, (emit(build, *_parts_in_order(build, args)),))

    return lower


def _parts_in_order(build: FunctionBuilder, args: list[Value]) -> tuple[str, str]:
    """The two numbers, that of the time first where the other is a plain one."""
    first, second = (
        arg if isinstance(arg.ty, _DATED) else build.cast(arg, types.int64) for arg in args
    )
    if not isinstance(first.ty, _DATED):
        first, second = second, first
    return first.parts[0], second.parts[0]


# --- comparison -------------------------------------------------------------------------------

_PREDICATES = {"==": "eq", "!=": "ne", "<": "slt", "<=": "sle", ">": "sgt", ">=": "sge"}


def _register_comparison(symbol: str) -> None:
    def rule(first: Type, second: Type) -> Type | None:
        fits = type(first) is type(second) and _same_unit(symbol, first, second)
        return types.boolean if fits else None

    def emit(build: FunctionBuilder, first: str, second: str) -> str:
        answer = build.compare(_PREDICATES[symbol], "i64", first, second)
        nat = _either_nat(build, first, second)
        return build.select(nat, "i1", "true" if symbol == "!=" else "false", answer)

    _register(symbol, rule, _on_counts(emit))


for _symbol in _PREDICATES:
    _register_comparison(_symbol)


# --- sums and differences ---------------------------------------------------------------------


def _sum_type(first: Type, second: Type) -> Type | None:
    if isinstance(first, DateTime) and isinstance(second, DateTime):
        return None
    if not _same_unit("+", first, second):
        return None
    return first if isinstance(first, DateTime) else second


def _difference_type(first: Type, second: Type) -> Type | None:
    if isinstance(first, TimeDelta) and isinstance(second, DateTime):
        return None
    if not _same_unit("-", first, second):
        return None
    assert isinstance(first, _DATED)
    both = isinstance(first, DateTime) and isinstance(second, DateTime)
    return TimeDelta(first.unit, first.multiple) if both else first


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


def _unless_nat(symbol: str) -> Lower:
    """`add`, `sub` or `mul` of counts; NaT where an operand is."""
    opcode, word = _WORDS[symbol]

    def lower(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
        first, second = _parts_in_order(build, args)
        both = all(isinstance(arg.ty, _DATED) for arg in args)
        nat = _either_nat(build, first, second) if both else _is_nat(build, first)
        if _CHECKED:
            kinds = [getattr(arg.ty, "kind", "int64") for arg in args]
            message = f"Overflow in {kinds[0]} {symbol} {kinds[1]} {word}"
            result = _checked(build, opcode, (first, second), nat, message)
        else:
            result = build.binary(opcode, "i64", first, second)
        return Value(sig.returns, (build.select(nat, "i64", NAT, result),))

    return lower


def _checked(
    build: FunctionBuilder, opcode: str, counts: tuple[str, str], nat: str, message: str
) -> str:
    """A count that must fit, and must not look like NaT, unless an operand is NaT."""
    name = f"llvm.s{opcode}.with.overflow.i64"
    pair = build.call("{ i64, i1 }", name, [("i64", part) for part in counts])
    result = build.result(f"extractvalue {{ i64, i1 }} {pair}, 0")
    beyond = build.result(f"extractvalue {{ i64, i1 }} {pair}, 1")
    beyond = build.binary("or", "i1", beyond, _is_nat(build, result))
    counted = build.binary("xor", "i1", nat, "true")
    build.raise_if(build.binary("and", "i1", beyond, counted), OverflowError, message)
    return result


_register("+", _sum_type, _unless_nat("+"))
_register("-", _difference_type, _unless_nat("-"))


# --- multiples and parts ----------------------------------------------------------------------


def _is_whole(ty: Type) -> bool:
    return isinstance(ty, types.Integer) and ty is not types.uint64


def _scaled_type(first: Type, second: Type) -> Type | None:
    if not isinstance(first, TimeDelta):
        first, second = second, first
    return first if isinstance(first, TimeDelta) and _is_whole(second) else None


_register("*", _scaled_type, _unless_nat("*"))


def _scaled_by_float_type(first: Type, second: Type) -> Type | None:
    if not isinstance(first, TimeDelta):
        first, second = second, first
    return first if isinstance(first, TimeDelta) and isinstance(second, types.Float) else None


def _quotient_by_float_type(first: Type, second: Type) -> Type | None:
    return first if isinstance(first, TimeDelta) and isinstance(second, types.Float) else None


def _by_float(opcode: str) -> Lower:
    def lower(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
        delta, number = sorted(args, key=lambda arg: not isinstance(arg.ty, TimeDelta))
        count = delta.parts[0]
        wide = build.convert("sitofp", "i64", count, "double")
        factor = build.cast(number, types.float64).parts[0]
        result = Value(types.float64, (build.binary(opcode, "double", wide, factor),))
        whole = converted_element(build, result, types.int64).parts[0]  # NaT for what is too large
        return Value(sig.returns, (build.select(_is_nat(build, count), "i64", NAT, whole),))

    return lower


_register("*", _scaled_by_float_type, _by_float("fmul"))
for _symbol in ("/", "//"):  # NumPy cuts both off, as it does for integers
    _register(_symbol, _quotient_by_float_type, _by_float("fdiv"))


def _part_type(first: Type, second: Type) -> Type | None:
    return first if isinstance(first, TimeDelta) and _is_whole(second) else None


def _divisor(build: FunctionBuilder, first: str, second: str) -> tuple[str, str]:
    """A divisor that cannot trap, and whether the quotient means nothing: NaT, or by zero."""
    zero = build.compare("eq", "i64", second, "0")
    useless = build.binary("or", "i1", zero, _is_nat(build, first))
    return build.select(useless, "i64", "1", second), useless


def _truncate(build: FunctionBuilder, first: str, second: str) -> str:
    divisor, useless = _divisor(build, first, second)
    quotient = build.binary("sdiv", "i64", first, divisor)
    return build.select(useless, "i64", NAT, quotient)


# NumPy's `//` by an integer cuts off as its `/` does.
_register("/", _part_type, _on_counts(_truncate))
_register("//", _part_type, _on_counts(_truncate))


def _pair_type(result: Callable[[Type], Type]) -> Callable[[Type, Type], Type | None]:
    def rule(first: Type, second: Type) -> Type | None:
        both = isinstance(first, TimeDelta) and isinstance(second, TimeDelta)
        return result(first) if both and _same_unit("/", first, second) else None

    return rule


def _ratio(build: FunctionBuilder, first: str, second: str) -> str:
    wide = [build.convert("sitofp", "i64", part, "double") for part in (first, second)]
    nan = build.constant(types.float64, float("nan")).parts[0]
    quotient = build.binary("fdiv", "double", *wide)
    return build.select(_either_nat(build, first, second), "double", nan, quotient)


def _floor(build: FunctionBuilder, first: str, second: str) -> tuple[str, str, str]:
    """The quotient rounded down and the rest, and whether both mean nothing."""
    divisor, useless = _divisor(build, first, second)
    useless = build.binary("or", "i1", useless, _is_nat(build, second))
    quotient = build.binary("sdiv", "i64", first, divisor)
    rest = build.binary("srem", "i64", first, divisor)
    signs = build.compare("slt", "i64", build.binary("xor", "i64", rest, divisor), "0")
    odd = build.compare("ne", "i64", rest, "0")
    down = build.binary("and", "i1", signs, odd)
    lower = build.binary("sub", "i64", quotient, "1")
    upper = build.binary("add", "i64", rest, divisor)
    quotient = build.select(down, "i64", lower, quotient)
    return quotient, build.select(down, "i64", upper, rest), useless


def _floor_quotient(build: FunctionBuilder, first: str, second: str) -> str:
    quotient, _, useless = _floor(build, first, second)
    return build.select(useless, "i64", "0", quotient)


def _remainder(build: FunctionBuilder, first: str, second: str) -> str:
    _, rest, useless = _floor(build, first, second)
    return build.select(useless, "i64", NAT, rest)


_register("/", _pair_type(lambda ty: types.float64), _on_counts(_ratio))
_register("//", _pair_type(lambda ty: types.int64), _on_counts(_floor_quotient))
_register("%", _pair_type(lambda ty: ty), _on_counts(_remainder))


# --- one value --------------------------------------------------------------------------------


def _delta_rule(arguments: Arguments) -> Signature | None:
    ty = arguments.types[0] if len(arguments) == 1 else None
    return Signature(ty, (ty,)) if isinstance(ty, TimeDelta) else None


@primitive(operator.neg, _delta_rule)
def negated(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`-d`; of NaT it is NaT, being its own negative."""
    return Value(sig.returns, (build.binary("sub", "i64", "0", args[0].parts[0]),))


@primitive(operator.pos, _delta_rule)
def itself(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`+d`."""
    return args[0]


@primitive(abs, _delta_rule)
def magnitude(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`abs(d)`."""
    part = args[0].parts[0]
    size = build.call("i64", "llvm.abs.i64", [("i64", part), ("i1", "false")])  # of NaT NaT
    return Value(sig.returns, (size,))


def _asked_rule(arguments: Arguments) -> Signature | None:
    ty = arguments.types[0] if len(arguments) == 1 else None
    return Signature(types.boolean, (ty,)) if isinstance(ty, _DATED) else None


@primitive(np.isnat, _asked_rule)
def isnat(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`np.isnat(x)`."""
    return boolean(_is_nat(build, args[0].parts[0]))


@primitive(bool, _asked_rule)
def truth(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`bool(x)`: false where the count is 0."""
    return boolean(build.compare("ne", "i64", args[0].parts[0], "0"))


@primitive(operator.not_, _asked_rule)
def falsehood(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`not x`."""
    return boolean(build.compare("eq", "i64", args[0].parts[0], "0"))


# --- counts, and times made of counts ---------------------------------------------------------


def _asks_for_counts(ty: Type) -> bool:
    named = isinstance(ty, Class | DType) and ty.value in (np.int64, np.dtype(np.int64))
    return named or (isinstance(ty, types.String) and ty.value in ("i8", "int64"))


def _counts_rule(arguments: Arguments) -> Signature | None:
    fits = len(arguments) == 2 and isinstance(arguments.types[0], _DATED)
    fits = fits and _asks_for_counts(arguments.types[1])
    return Signature(types.int64, arguments.types) if fits else None


for _cls in (DateTime, TimeDelta):
    for _name in ("view", "astype"):

        @primitive(method(_cls, _name), _counts_rule)
        def count(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
            """`x.view(np.int64)`, `x.astype(np.int64)`: the count of units."""
            return Value(types.int64, args[0].parts)


def _view_rule(arguments: Arguments) -> Signature | None:
    array, asked = arguments.types
    if not isinstance(array, Array) or not isinstance(array.dtype, _DATED):
        return None
    if not _asks_for_counts(asked):
        return None
    result = Array(types.int64, array.ndim, array.layout, array.readonly, array.aligned)
    return Signature(result, arguments.types)


@primitive(method(Array, "view"), _view_rule, any_elements=True)
def view_of_counts(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`a.view(np.int64)` of an array of times: their counts of units, in the same memory."""
    parts = array_parts(args[0])
    build.call("void", "cutaway_incref", [("ptr", parts.owner)])
    assert isinstance(sig.returns, Array)
    return array_value(sig.returns, ArrayParts(parts.owner, parts.data, parts.shape, parts.strides))


def _register_class(cls: Any, kind: type[DateTime] | type[TimeDelta]) -> None:  # Any: NumPy's
    def rule(arguments: Arguments) -> Signature | None:
        if len(arguments) != 2 or not _is_whole(arguments.types[0]):
            return None
        unit = arguments.types[1]
        if not isinstance(unit, types.String) or not isinstance(unit.value, str):
            return None
        try:
            result = kind(*np.datetime_data(f"{kind.__name__.lower()}64[{unit.value}]"))
        except TypeError:
            raise TypingError(
                f"{unit.value!r} is no unit of time", hint="write for instance 's', or 'ns'"
            ) from None
        return Signature(result, (types.int64, unit))

    @primitive(cls, rule)
    def make(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
        return Value(sig.returns, args[0].parts)


_register_class(np.datetime64, DateTime)
_register_class(np.timedelta64, TimeDelta)
