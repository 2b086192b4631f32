"""Conversions of values between types, as instructions (SPEC B5)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cutaway.errors import InternalError
from cutaway.lowering.build.builder import Builder, symbol
from cutaway.lowering.build.constants import constant, float_text
from cutaway.lowering.build.patterns import Implementations
from cutaway.lowering.layout import (
    Value,
    array_parts,
    array_value,
    float_type,
    functions_in,
    make_tuple,
    part_types,
    slice_bounds,
    tuple_items,
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
    Slice,
    Tuple,
    Type,
)
from cutaway.typing.types.buffers import Buffer
from cutaway.typing.types.enums import IntEnumMember

# What extensions write for casts, from one pattern of types to another.
CASTS = Implementations("cast")


def cast(build: Builder, value: Value, wanted: Type) -> Value:
    """The value as one of type `wanted`."""
    source = value.ty
    if source is wanted:
        return value
    if isinstance(wanted, types.Literal):  # of which the one value is known
        return Value(wanted, ())
    if CASTS.known:
        lower = CASTS.find((source, wanted))
        if lower is not None:
            found: Value = lower(build, value, wanted)
            return found
    match source, wanted:
        case types.Undefined(), _:
            return zero_value(wanted)
        case _, types.Undefined():  # behind what never returns
            return zero_value(wanted)
        case Tuple(), Tuple():
            pairs = zip(tuple_items(value), wanted.items, strict=True)
            return Value(wanted, make_tuple([cast(build, i, ty) for i, ty in pairs]).parts)
        case types.String(value=text), types.Choice(values=values):
            return Value(wanted, (str(values.index(text)),))
        case types.String(value=text), types.Str() | Buffer():
            return constant(build, wanted, text)
        case types.Choice(), types.Str() | Buffer():
            return _chosen_text(build, value, wanted)
        case IntEnumMember(numbers=numbers), _ if types.is_number(wanted):
            return cast(build, looked_up(build, types.int64, numbers, value.parts[0]), wanted)
        case types.Choice(values=values), types.Choice():
            return Value(wanted, (_chosen_among(build, value.parts[0], values, wanted.values),))
        case types.Functions(functions=own), types.Functions(functions=functions):
            number = _chosen_among(build, value.parts[0], own, functions)
            return _one_of_functions(wanted, number, functions_in(value))
        case _, types.Functions(functions=functions):
            number = str(functions.index(source))  # type: ignore[arg-type]  it is one of them
            return _one_of_functions(wanted, number, {source: value})
        case Optional(), Optional():
            held = cast(build, Value(source.inner, value.parts[1:]), wanted.inner)
            return Value(wanted, (value.parts[0], *held.parts))
        case types.NoneType(), Optional():
            return Value(wanted, ("false", *zero_value(wanted.inner).parts))
        case _, Optional():
            return Value(wanted, ("true", *cast(build, value, wanted.inner).parts))
        case Array(), Array():
            return array_value(wanted, array_parts(value))
        case types.Record(), types.Record():
            return Value(wanted, value.parts)
        case types.DateTime() | types.TimeDelta(), Integer(bits=64):
            return Value(wanted, value.parts)  # the count of units, asked for by name only
        case Integer(bits=64), types.DateTime() | types.TimeDelta():
            return Value(wanted, value.parts)
        case Slice(), Slice(bounds=bounds):
            pairs = zip(slice_bounds(value), bounds, strict=True)
            return Value(
                wanted, tuple(part for b, ty in pairs for part in cast(build, b, ty).parts)
            )
        case Range(step=step), Range(step=None):
            return Value(wanted, (*value.parts[:2], str(step)))
        case _, Boolean():
            return Value(wanted, (_truth(build, value),))
        case _, Complex():
            return _to_complex(build, value, wanted)
        case _ if types.is_real(source) and types.is_real(wanted):
            return Value(wanted, (_real(build, value.parts[0], source, wanted),))
    raise InternalError(f"no cast from {source} to {wanted}")


def _one_of_functions(wanted: types.Functions, number: str, held: dict[Type, Value]) -> Value:
    """A choice of functions, with what those that are there carry along."""
    parts = [number]
    for function in wanted.functions:
        parts += held.get(function, zero_value(function)).parts
    return Value(wanted, tuple(parts))


def _chosen_among(
    build: Builder, part: str, values: tuple[Any, ...], wanted: tuple[Any, ...]
) -> str:
    """The number of a constant among others, from its number among some of them."""
    found = str(wanted.index(values[-1]))
    for number, text in enumerate(values[:-1]):
        here = build.compare("eq", "i64", part, str(number))
        found = build.select(here, "i64", str(wanted.index(text)), found)
    return found


def _chosen_text(build: Builder, value: Value, wanted: Type) -> Value:
    """One of several texts of the program as any text."""
    assert isinstance(value.ty, types.Choice)
    found = constant(build, wanted, value.ty.values[-1]).parts
    for number, text in enumerate(value.ty.values[:-1]):
        here = build.compare("eq", "i64", value.parts[0], str(number))
        other = constant(build, wanted, text).parts
        kinds = part_types(wanted)
        found = tuple(
            build.select(here, kind, new, old)
            for kind, new, old in zip(kinds, other, found, strict=True)
        )
    return Value(wanted, found)


def looked_up(build: Builder, ty: Type, values: Sequence[Any], place: str) -> Value:
    """One of several constants of a type, by its place: read from a table for each part.

    (Any: constants of the program.)
    """
    rows = [constant(build, ty, value).parts for value in values]
    parts = []
    for kind, column in zip(part_types(ty), zip(*rows, strict=True), strict=True):
        kept = "i8" if kind == "i1" else kind  # an i1 in memory takes a byte
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
            return build.fcompare("une", float_type(ty), value.parts[0], "0.0")
        case Complex() as ty:
            kind = float_type(ty.part)
            real = build.fcompare("une", kind, value.parts[0], "0.0")
            imag = build.fcompare("une", kind, value.parts[1], "0.0")
            return build.binary("or", "i1", real, imag)
    raise InternalError(f"no truth value for {value.ty}")


def _to_complex(build: Builder, value: Value, wanted: Complex) -> Value:
    if isinstance(value.ty, Complex):
        part = value.ty.part
        parts = tuple(_real(build, text, part, wanted.part) for text in value.parts)
        return Value(wanted, parts)
    return Value(wanted, (_real(build, value.parts[0], value.ty, wanted.part), "0.0"))


def _real(build: Builder, text: str, source: Type, wanted: Type) -> str:
    given, kind = part_types(source)[0], part_types(wanted)[0]
    match source, wanted:
        case (Integer(), Integer()) if source.bits == wanted.bits:
            return text
        case (Boolean() | Integer(), Integer()):
            return resize_integer(build, text, source, wanted)
        case Integer(), Float() if _is_literal(text):
            return float_text(float(int(text)), wanted)
        case Boolean() | Integer(), Float():
            signed = isinstance(source, Integer) and source.signed
            return build.convert("sitofp" if signed else "uitofp", given, text, kind)
        case Float(), Float():
            if source.bits == wanted.bits:
                return text
            return build.convert("fpext" if wanted.bits == 64 else "fptrunc", given, text, kind)
        case Float(), Integer():
            # Saturating: an unsafe conversion gives some value, never undefined behaviour.
            name = f"llvm.fpto{'s' if wanted.signed else 'u'}i.sat.{kind}.f{source.bits}"
            return build.call(kind, name, [(given, text)])
    raise InternalError(f"no cast from {source} to {wanted}")


def resize_integer(build: Builder, text: str, source: Type, wanted: Integer) -> str:
    """An integer (or bool) part made wider or narrower."""
    given = part_types(source)[0]
    bits = int(given[1:])
    if _is_literal(text) and isinstance(source, Integer) and wanted.bits > bits:
        return text
    if wanted.bits < bits:
        return build.convert("trunc", given, text, f"i{wanted.bits}")
    if wanted.bits == bits:
        return text
    signed = isinstance(source, Integer) and source.signed
    return build.convert("sext" if signed else "zext", given, text, f"i{wanted.bits}")


def _is_literal(text: str) -> bool:
    return text.lstrip("-").isdigit()
