"""Conversions of values between types, as instructions (SPEC B5)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cutaway.errors import InternalError
from cutaway.lowering.build import constants
from cutaway.lowering.build.builder import Builder, symbol
from cutaway.lowering.build.patterns import Implementations
from cutaway.lowering.layout import (
    ITEM_BYTES,
    OWNERS,
    Value,
    array_parts,
    array_value,
    float_type,
    functions_in,
    item_bytes,
    owner_bits,
    part_types,
    split,
    zero_value,
)
from cutaway.typing import types
from cutaway.typing.types import (
    Array,
    Boolean,
    Complex,
    Float,
    Integer,
    Optional,
    Range,
    Type,
)
from cutaway.typing.types.buffers import Buffer
from cutaway.typing.types.conversions import Pairs, RuleOrder
from cutaway.typing.types.enums import IntEnumMember
from cutaway.typing.types.structure import members_of

# The casts that extensions define, from one pattern of types to another.
CASTS = Implementations("cast")
RULES = Pairs()


def cast(build: Builder, value: Value, wanted: Type) -> Value:
    """Convert a value to a type."""
    source = value.ty
    if source is wanted:
        return value
    if isinstance(wanted, types.Literal):  # the type fixes its only value
        return Value(wanted, ())
    if CASTS.known:
        lower = CASTS.find((source, wanted))
        if lower is not None:
            result: Value = lower(build, value, wanted)
            return result
    result = RULES.ask(source, wanted, build, value)
    return _member_by_member(build, value, wanted) if result is None else result


def _member_by_member(build: Builder, value: Value, wanted: Type) -> Value:
    """Convert a value of several members to a type of as many others, member by member."""
    members, wanted_members = _inner(value.ty), _inner(wanted)
    if not members or len(members) != len(wanted_members):
        raise InternalError(f"no cast from {value.ty} to {wanted}")
    rows = zip(members, split(members, value.parts), wanted_members, strict=True)
    items = [cast(build, Value(ty, parts), to) for ty, parts, to in rows]
    return Value(wanted, tuple(part for item in items for part in item.parts))


def _inner(ty: Type) -> tuple[Type, ...]:
    """Return the types of a type's members; empty if some of them are primitives."""
    members = members_of(ty) or ()
    inner = tuple(member for _, member in members if isinstance(member, Type))
    return inner if len(inner) == len(members) else ()


# --- rules, each for two classes of types: called with (source, wanted, builder, value) ---------


@RULES.add(types.Undefined, Type, RuleOrder.FIRST)
@RULES.add(Type, types.Undefined, RuleOrder.FIRST)  # after a call that never returns
def _undefined(source: Type, wanted: Type, build: Builder, value: Value) -> Value:
    return zero_value(wanted)


@RULES.add(types.String, types.Choice)
def _text_to_choice(
    source: types.String, wanted: types.Choice, build: Builder, value: Value
) -> Value:
    return Value(wanted, (str(wanted.values.index(source.value)),))


@RULES.add(types.String, (types.Str, Buffer))
def _text(source: types.String, wanted: Type, build: Builder, value: Value) -> Value:
    return constants.constant(build, wanted, source.value)


@RULES.add(types.Choice, (types.Str, Buffer))
def _choice_to_text(source: Type, wanted: Type, build: Builder, value: Value) -> Value:
    return _chosen_text(build, value, wanted)


@RULES.add(types.Choice, types.Choice)
def _choice(source: types.Choice, wanted: types.Choice, build: Builder, value: Value) -> Value:
    return Value(wanted, (_chosen_among(build, value.parts[0], source.values, wanted.values),))


@RULES.add(types.Container, types.Container)
def _container(
    source: types.Container, wanted: types.Container, build: Builder, value: Value
) -> Value:
    """Return a container with equal contents; an empty list becomes one for other items."""
    if source.item is types.undefined and isinstance(wanted, types.ListLike):
        (owner,) = value.parts
        build.store("i64", str(item_bytes(wanted.item)), build.offset(owner, str(ITEM_BYTES)), 8)
        build.store("i64", str(owner_bits(wanted.item)), build.offset(owner, str(OWNERS)), 8)
    return Value(wanted, value.parts)


@RULES.add(IntEnumMember, (Boolean, Integer, Float, Complex))
def _member(source: IntEnumMember, wanted: Type, build: Builder, value: Value) -> Value:
    return cast(build, item_by_index(build, types.int64, source.numbers, value.parts[0]), wanted)


@RULES.add(types.Functions, types.Functions)
def _functions(
    source: types.Functions, wanted: types.Functions, build: Builder, value: Value
) -> Value:
    number = _chosen_among(build, value.parts[0], source.functions, wanted.functions)
    return _one_of_functions(wanted, number, functions_in(value))


@RULES.add(Type, types.Functions, RuleOrder.FUNCTIONS)
def _function(source: Type, wanted: types.Functions, build: Builder, value: Value) -> Value:
    number = str(wanted.functions.index(source))  # it is one of these types
    return _one_of_functions(wanted, number, {source: value})


@RULES.add(Optional, Optional)
def _optional(source: Optional, wanted: Optional, build: Builder, value: Value) -> Value:
    held = cast(build, Value(source.inner, value.parts[1:]), wanted.inner)
    return Value(wanted, (value.parts[0], *held.parts))


@RULES.add(types.NoneType, Optional)
def _none(source: Type, wanted: Optional, build: Builder, value: Value) -> Value:
    return Value(wanted, ("false", *zero_value(wanted.inner).parts))


@RULES.add(Type, Optional, RuleOrder.OPTIONAL)
def _there(source: Type, wanted: Optional, build: Builder, value: Value) -> Value:
    return Value(wanted, ("true", *cast(build, value, wanted.inner).parts))


@RULES.add(Array, Array)
def _array(source: Type, wanted: Array, build: Builder, value: Value) -> Value:
    return array_value(wanted, array_parts(value))


@RULES.add(types.ListDisplay, types.Collected)
def _nothing_collected(source: Type, wanted: Type, build: Builder, value: Value) -> Value:
    return zero_value(wanted)


@RULES.add(types.Record, types.Record)
def _record(source: Type, wanted: Type, build: Builder, value: Value) -> Value:
    return Value(wanted, value.parts)


_DATED = (types.DateTime, types.TimeDelta)


@RULES.add(_DATED, Integer)
@RULES.add(Integer, _DATED)
def _count_of_units(source: Type, wanted: Type, build: Builder, value: Value) -> Value | None:
    """Reinterpret a count of units as an integer, or back; only as an explicit cast."""
    wide = all(getattr(ty, "bits", 64) == 64 for ty in (source, wanted))
    return Value(wanted, value.parts) if wide else None


@RULES.add(Range, Range)
def _range(source: Range, wanted: Range, build: Builder, value: Value) -> Value | None:
    known = wanted.step is None
    return Value(wanted, (*value.parts[:2], str(source.step))) if known else None


@RULES.add((Boolean, Integer, Float, Complex), Boolean)
def _bool(source: Type, wanted: Type, build: Builder, value: Value) -> Value:
    return Value(wanted, (_truth(build, value),))


@RULES.add((Boolean, Integer, Float), Complex)
def _complex(source: Type, wanted: Complex, build: Builder, value: Value) -> Value:
    return Value(wanted, (_real(build, value.parts[0], source, wanted.part), "0.0"))


@RULES.add((Boolean, Integer, Float), (Integer, Float))
def _number(source: Type, wanted: Type, build: Builder, value: Value) -> Value:
    return Value(wanted, (_real(build, value.parts[0], source, wanted),))


def _one_of_functions(wanted: types.Functions, number: str, held: dict[Type, Value]) -> Value:
    """Make a choice of functions, with the carried values of those that are in `held`."""
    parts = [number]
    for function in wanted.functions:
        parts += held.get(function, zero_value(function)).parts
    return Value(wanted, tuple(parts))


def _chosen_among(
    build: Builder, part: str, values: tuple[Any, ...], wanted: tuple[Any, ...]
) -> str:
    """Translate the number of a constant in one table to its number in another."""
    chosen = str(wanted.index(values[-1]))
    for number, text in enumerate(values[:-1]):
        here = build.compare("eq", "i64", part, str(number))
        chosen = build.select(here, "i64", str(wanted.index(text)), chosen)
    return chosen


def _chosen_text(build: Builder, value: Value, wanted: Type) -> Value:
    """Convert a choice among constant texts to a general text."""
    assert isinstance(value.ty, types.Choice)
    parts = constants.constant(build, wanted, value.ty.values[-1]).parts
    for number, text in enumerate(value.ty.values[:-1]):
        here = build.compare("eq", "i64", value.parts[0], str(number))
        other = constants.constant(build, wanted, text).parts
        kinds = part_types(wanted)
        parts = tuple(
            build.select(here, kind, new, old)
            for kind, new, old in zip(kinds, other, parts, strict=True)
        )
    return Value(wanted, parts)


def item_by_index(build: Builder, ty: Type, values: Sequence[Any], place: str) -> Value:
    """Select one of several constants of a type by its index: a table load for each part."""
    rows = [constants.constant(build, ty, value).parts for value in values]
    parts = []
    for kind, column in zip(part_types(ty), zip(*rows, strict=True), strict=True):
        kept = "i8" if kind == "i1" else kind  # an i1 takes a byte in memory
        texts = [{"true": "1", "false": "0"}[t] if kind == "i1" else t for t in column]
        name = f"{build.code.name}.table.{len(build.code.globals)}"
        items = ", ".join(f"{kept} {text}" for text in texts)
        build.code.globals[name] = (
            f"{symbol(name)} = private unnamed_addr constant [{len(texts)} x {kept}] [{items}]"
        )
        part = build.load(kept, build.offset(symbol(name), place, kept), 1)
        parts.append(build.convert("trunc", "i8", part, "i1") if kind == "i1" else part)
    return Value(ty, tuple(parts))


def _truth(build: Builder, value: Value) -> str:
    match value.ty:
        case Boolean():
            return value.parts[0]
        case Integer():
            return build.compare("ne", part_types(value.ty)[0], value.parts[0], "0")
        case Float() as ty:
            # Unordered: nan is true in Python.
            return build.fcompare("une", float_type(ty), value.parts[0], "0.0")
        case Complex() as ty:
            kind = float_type(ty.part)
            real = build.fcompare("une", kind, value.parts[0], "0.0")
            imag = build.fcompare("une", kind, value.parts[1], "0.0")
            return build.binary("or", "i1", real, imag)
    raise InternalError(f"no truth value for {value.ty}")


def _real(build: Builder, text: str, source: Type, wanted: Type) -> str:
    source_type, kind = part_types(source)[0], part_types(wanted)[0]
    match source, wanted:
        case (Integer(), Integer()) if source.bits == wanted.bits:
            return text
        case (Boolean() | Integer(), Integer()):
            return resize_integer(build, text, source, wanted)
        case Integer(), Float() if _is_literal(text):
            return constants.float_text(float(int(text)), wanted)
        case Boolean() | Integer(), Float(bits=16):
            wide = _real(build, text, source, types.float32)  # as NumPy converts integers
            return build.convert("fptrunc", "float", wide, kind)
        case Boolean() | Integer(), Float():
            signed = isinstance(source, Integer) and source.signed
            return build.convert("sitofp" if signed else "uitofp", source_type, text, kind)
        case Float(), Float():
            if source.bits == wanted.bits:
                return text
            opcode = "fpext" if wanted.bits > source.bits else "fptrunc"
            return build.convert(opcode, source_type, text, kind)
        case Float(bits=16), Integer():
            return _real(build, widened_half(build, text), types.float32, wanted)
        case Float(), Integer():
            # Saturating: an unsafe conversion returns some value, never undefined behavior.
            name = f"llvm.fpto{'s' if wanted.signed else 'u'}i.sat.{kind}.f{source.bits}"
            return build.call(kind, name, [(source_type, text)])
    raise InternalError(f"no cast from {source} to {wanted}")


def widened_half(build: Builder, text: str) -> str:
    """Widen a 16-bit float to 32 bits, which is exact."""
    return build.convert("fpext", "half", text, "float")


def resize_integer(build: Builder, text: str, source: Type, wanted: Integer) -> str:
    """Widen or narrow an integer (or bool) part."""
    source_type = part_types(source)[0]
    bits = int(source_type[1:])
    if _is_literal(text) and isinstance(source, Integer):
        if wanted.bits > bits or wanted.low <= int(text) <= wanted.high:
            return text
    if wanted.bits < bits:
        return build.convert("trunc", source_type, text, f"i{wanted.bits}")
    if wanted.bits == bits:
        return text
    signed = isinstance(source, Integer) and source.signed
    return build.convert("sext" if signed else "zext", source_type, text, f"i{wanted.bits}")


def _is_literal(text: str) -> bool:
    return text.lstrip("-").isdigit()
