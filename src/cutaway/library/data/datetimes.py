"""`np.datetime64` and `np.timedelta64`: NumPy's rules for times and durations, NaT included.

What is done with counts of units is in `library/elements/times.py`.  Values of different units are
converted first, to what NumPy says: mostly the finer of the two.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from cutaway.errors import TypingError
from cutaway.extending.overloads import overload
from cutaway.extending.registry import method, primitive
from cutaway.ir.operators import BINARY, INPLACE
from cutaway.library.arrays.kit.typers import OPTIONS
from cutaway.library.elements.times import (
    DATED,
    Emit,
    by_float,
    compared,
    floor_quotient,
    in_unit,
    parts_in_order,
    ratio,
    rest_of,
    truncated,
    unless_nat,
)
from cutaway.library.math.numbers import boolean
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import ArrayParts, Value, array_parts, array_value
from cutaway.typing import types
from cutaway.typing.overloads.resolution import Arguments, Signature
from cutaway.typing.types import Array, Class, DateTime, DType, TimeDelta, Type
from cutaway.typing.ufuncs import loop_of

Lower = Callable[[FunctionBuilder, Signature, list[Value]], Value]


# The ufunc that says which units an operator computes with.
_UFUNCS = {
    **{"+": "add", "-": "subtract", "/": "divide", "//": "floor_divide", "%": "remainder"},
    **{"==": "equal", "!=": "not_equal", "<": "less", "<=": "less_equal"},
    **{">": "greater", ">=": "greater_equal"},
}


def _in_common(symbol: str, first: Type, second: Type) -> tuple[Type, ...]:
    """What two values are converted to first, where both count time.

    Raises TypingError, in NumPy's words, where there are no units that both can be told in.
    """
    both = isinstance(first, DATED) and isinstance(second, DATED) and symbol in _UFUNCS
    if not both or (first.unit, first.multiple) == (second.unit, second.multiple):
        return first, second
    loop = loop_of(_UFUNCS[symbol], (first, second))
    return (first, second) if loop is None else loop.inputs


def _register(symbol: str, rule: Callable[[Type, Type], Type | None], lower: Lower) -> None:
    """Register an operator and its form in place for two operands, of which one counts time."""

    def typing(arguments: Arguments) -> Signature | None:
        first, second = arguments.types
        if not isinstance(first, DATED) and not isinstance(second, DATED):
            return None
        result = rule(*_in_common(symbol, first, second))
        return None if result is None else Signature(result, (first, second))

    def in_common(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
        wanted = _in_common(symbol, *sig.args)
        pairs = zip(args, wanted, strict=True)
        told = [arg if arg.ty is ty else in_unit(build, arg, ty) for arg, ty in pairs]
        return lower(build, Signature(sig.returns, wanted), told)

    for row in (BINARY[symbol], INPLACE.get(f"{symbol}=")):
        if row is not None:
            primitive(row.function, typing)(in_common)


def _on_counts(emit: Emit) -> Lower:
    """The lowering that works on the counts of both operands."""

    def lower(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
        return Value(sig.returns, (emit(build, *parts_in_order(build, args)),))

    return lower


# --- comparison -------------------------------------------------------------------------------

_PREDICATES = {"==": "eq", "!=": "ne", "<": "slt", "<=": "sle", ">": "sgt", ">=": "sge"}


def _register_comparison(symbol: str) -> None:
    def rule(first: Type, second: Type) -> Type | None:
        return types.boolean if type(first) is type(second) else None

    _register(symbol, rule, _on_counts(compared(_PREDICATES[symbol])))


for _symbol in _PREDICATES:
    _register_comparison(_symbol)


@overload(max, jit_options=OPTIONS)
def _greater(a, b):
    if isinstance(a, DATED) and a is b:
        return lambda a, b: b if b > a else a
    return None


@overload(min, jit_options=OPTIONS)
def _smaller(a, b):
    if isinstance(a, DATED) and a is b:
        return lambda a, b: b if b < a else a
    return None


# --- sums and differences ---------------------------------------------------------------------


def _sum_type(first: Type, second: Type) -> Type | None:
    if isinstance(first, DateTime) and isinstance(second, DateTime):
        return None
    if not isinstance(first, DATED) or not isinstance(second, DATED):
        return None
    return first if isinstance(first, DateTime) else second


def _difference_type(first: Type, second: Type) -> Type | None:
    if isinstance(first, TimeDelta) and isinstance(second, DateTime):
        return None
    if not isinstance(first, DATED) or not isinstance(second, DATED):
        return None
    both = isinstance(first, DateTime) and isinstance(second, DateTime)
    return TimeDelta(first.unit, first.multiple) if both else first


def _unless_nat(symbol: str) -> Lower:
    def lower(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
        return Value(sig.returns, (unless_nat(build, symbol, args),))

    return lower


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
        return Value(sig.returns, (by_float(build, opcode, args),))

    return lower


_register("*", _scaled_by_float_type, _by_float("fmul"))
for _symbol in ("/", "//"):  # NumPy cuts both off, as it does for integers
    _register(_symbol, _quotient_by_float_type, _by_float("fdiv"))


def _part_type(first: Type, second: Type) -> Type | None:
    return first if isinstance(first, TimeDelta) and _is_whole(second) else None


# NumPy's `//` by an integer cuts off as its `/` does.
_register("/", _part_type, _on_counts(truncated))
_register("//", _part_type, _on_counts(truncated))


def _pair_type(result: Callable[[Type], Type]) -> Callable[[Type, Type], Type | None]:
    def rule(first: Type, second: Type) -> Type | None:
        both = isinstance(first, TimeDelta) and isinstance(second, TimeDelta)
        return result(first) if both else None

    return rule


_register("/", _pair_type(lambda ty: types.float64), _on_counts(ratio))
_register("//", _pair_type(lambda ty: types.int64), _on_counts(floor_quotient))
_register("%", _pair_type(lambda ty: ty), _on_counts(rest_of))


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
    return Signature(types.boolean, (ty,)) if isinstance(ty, DATED) else None


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
    fits = len(arguments) == 2 and isinstance(arguments.types[0], DATED)
    fits = fits and _asks_for_counts(arguments.types[1])
    return Signature(types.int64, arguments.types) if fits else None


for _cls in (DateTime, TimeDelta):
    for _name in ("view", "astype"):

        @primitive(method(_cls, _name), _counts_rule)
        def count(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
            """`x.view(np.int64)`, `x.astype(np.int64)`: the count of units."""
            return Value(types.int64, args[0].parts)


def _asked_time(asked: Type) -> Type | None:
    """The type of times that a dtype names."""
    ty = None
    if isinstance(asked, DType) and asked.value.kind in "mM":
        ty = types.element_type(asked.value)
    if isinstance(asked, types.String) and str(asked.value).lower().startswith(("m8[", "m8")):
        ty = types.element_type(np.dtype(asked.value))
    return ty if isinstance(ty, DATED) and ty.unit != "generic" else None


def _view_rule(arguments: Arguments) -> Signature | None:
    array, asked = arguments.types
    if not isinstance(array, Array) or not isinstance(array.dtype, DATED | types.Integer):
        return None
    wanted = types.int64 if _asks_for_counts(asked) else _asked_time(asked)
    if wanted is None or array.dtype is not types.int64 and wanted is not types.int64:
        return None
    if not isinstance(wanted, DATED) and not isinstance(array.dtype, DATED):
        return None
    result = Array(wanted, array.ndim, array.layout, array.readonly, array.aligned)
    return Signature(result, arguments.types)


@primitive(method(Array, "view"), _view_rule, any_elements=True)
def view_of_counts(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`a.view(np.int64)` of an array of times: their counts of units, in the same memory; and of
    counts as times."""
    parts = array_parts(args[0])
    build.call("void", "cutaway_incref", [("ptr", parts.owner)])
    assert isinstance(sig.returns, Array)
    return array_value(sig.returns, ArrayParts(parts.owner, parts.data, parts.shape, parts.strides))


def _register_class(cls: Any, kind: type[DateTime] | type[TimeDelta]) -> None:
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
                f"{unit.value!r} is not a unit of time", hint="for example 's', or 'ns'"
            ) from None
        return Signature(result, (types.int64, unit))

    @primitive(cls, rule)
    def make(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
        return Value(sig.returns, args[0].parts)

    def written_rule(arguments: Arguments) -> Signature | None:
        texts = [getattr(ty, "value", None) for ty in arguments.types]
        if not texts or len(texts) > 2 or not all(isinstance(text, str) for text in texts):
            return None
        try:
            result = types.element_type(cls(*texts).dtype)
        except (TypeError, ValueError) as error:
            raise TypingError(f"{error}", hint="write for instance '2000-01-31'") from None
        if not isinstance(result, DATED) or result.unit == "generic":
            raise TypingError(
                f"{texts[0]!r} has no unit", hint=f"name one: np.{cls.__name__}({texts[0]!r}, 's')"
            )
        return Signature(result, arguments.types)

    @primitive(cls, written_rule)
    def made(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
        time = cls(*(arg.ty.value for arg in args))
        return Value(sig.returns, (str(time.astype(np.int64)),))


_register_class(np.datetime64, DateTime)
_register_class(np.timedelta64, TimeDelta)
