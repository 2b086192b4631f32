"""`np.datetime64` and `np.timedelta64`: NumPy's rules for times and durations, NaT included.

Arithmetic on counts of units is in `library/elements/times.py`. Values of different units are first
converted to the unit that NumPy chooses, mostly the finer one.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from cutaway.errors import TypingError
from cutaway.extending.overloads import overload
from cutaway.extending.registry import method, primitive
from cutaway.ir.operators import BINARY, COMPARISONS, Operator
from cutaway.library.arrays.kit.typers import OPTIONS
from cutaway.library.elements.kernels import computed, lowering_of
from cutaway.library.elements.times import in_unit
from cutaway.library.math.numbers import both_ways
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import ArrayParts, Value, array_parts, array_value
from cutaway.typing import types
from cutaway.typing.overloads.resolution import Arguments, Signature
from cutaway.typing.types import Array, Class, Dated, DateTime, DType, TimeDelta, Type
from cutaway.typing.ufuncs import Loop, loop_of

# The operand pairs of each operator: times M, durations m, integers i and floats f. NumPy's `//` by
# a number truncates, as its `/` does.
_PAIRS = {
    **{"+": "Mm mM mm", "-": "MM Mm mm", "*": "mi im mf fm", "/": "mm mi mf", "//": "mm mi mf"},
    **{"%": "mm", **dict.fromkeys(COMPARISONS, "MM mm")},
}


def _kind(ty: Type) -> str:
    if isinstance(ty, Dated):
        return "M" if isinstance(ty, DateTime) else "m"
    return "i" if _is_whole(ty) else "f" if isinstance(ty, types.Float) else ""


def _is_whole(ty: Type) -> bool:
    return isinstance(ty, types.Integer) and ty is not types.uint64


def _loop(row: Operator, first: Type, second: Type) -> Loop | None:
    """The loop that computes an operator of two values; None for pairs that it does not accept.

    Raises TypingError, in NumPy's words, for units without a common one.
    """
    if not isinstance(first, Dated) and not isinstance(second, Dated):
        return None
    both = isinstance(first, Dated) and isinstance(second, Dated)
    is_taken = f"{_kind(first)}{_kind(second)}" in _PAIRS[row.symbol].split()
    if is_taken or (both and (first.unit, first.multiple) != (second.unit, second.multiple)):
        loop = loop_of(row.ufunc, (first, second))
        return loop if is_taken else None
    return None


def _register(row: Operator) -> None:
    """Register an operator and its in-place form, computed by the ufunc's element operation."""

    def typing(arguments: Arguments) -> Signature | None:
        loop = _loop(row, *arguments.types)
        return None if loop is None else Signature(loop.outputs[0], arguments.types)

    def lower(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
        loop = _loop(row, *sig.args)
        assert loop is not None
        operands = []
        for arg, ty in zip(args, loop.inputs, strict=True):
            counts = isinstance(arg.ty, Dated) and arg.ty is not ty
            operands.append(in_unit(build, arg, ty) if counts else build.cast(arg, ty))
        result: Value = computed(build, row.ufunc, loop, operands)
        return result

    lower.__name__ = row.ufunc
    for function in filter(None, (row.function, row.in_place)):
        primitive(function, typing)(lower)


for _symbol in _PAIRS:
    _register(BINARY[_symbol])


@overload(max, jit_options=OPTIONS)
def _greater(a, b):
    if isinstance(a, Dated) and a is b:
        return lambda a, b: b if b > a else a
    return None


@overload(min, jit_options=OPTIONS)
def _smaller(a, b):
    if isinstance(a, Dated) and a is b:
        return lambda a, b: b if b < a else a
    return None


# --- one value --------------------------------------------------------------------------------


def _delta_rule(arguments: Arguments) -> Signature | None:
    ty = arguments.types[0] if len(arguments) == 1 else None
    return Signature(ty, (ty,)) if isinstance(ty, TimeDelta) else None


for _function, _name in ((operator.neg, "negative"), (operator.pos, "positive"), (abs, "absolute")):
    primitive(_function, _delta_rule)(lowering_of(_name))


def _asked_rule(arguments: Arguments) -> Signature | None:
    ty = arguments.types[0] if len(arguments) == 1 else None
    return Signature(types.boolean, (ty,)) if isinstance(ty, Dated) else None


@both_ways(bool, operator.not_, _asked_rule)
def _truth(build: FunctionBuilder, value: Value) -> str:
    return build.compare("ne", "i64", value.parts[0], "0")


# --- counts, and times from counts ------------------------------------------------------------


def _asks_for_counts(ty: Type) -> bool:
    named = isinstance(ty, Class | DType) and ty.value in (np.int64, np.dtype(np.int64))
    return named or (isinstance(ty, types.String) and ty.value in ("i8", "int64"))


def _counts_rule(arguments: Arguments) -> Signature | None:
    fits = len(arguments) == 2 and isinstance(arguments.types[0], Dated)
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
    return ty if isinstance(ty, Dated) and ty.unit != "generic" else None


def _view_rule(arguments: Arguments) -> Signature | None:
    array, asked = arguments.types
    if not isinstance(array, Array) or not isinstance(array.dtype, Dated | types.Integer):
        return None
    target = types.int64 if _asks_for_counts(asked) else _asked_time(asked)
    if target is None or array.dtype is not types.int64 and target is not types.int64:
        return None
    if not isinstance(target, Dated) and not isinstance(array.dtype, Dated):
        return None
    result = Array(target, array.ndim, array.layout, array.readonly, array.aligned)
    return Signature(result, arguments.types)


@primitive(method(Array, "view"), _view_rule, any_elements=True)
def view_of_counts(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`a.view(np.int64)` of an array of times: the counts of units in the same memory; and the
    reverse."""
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
        if not isinstance(result, Dated) or result.unit == "generic":
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
