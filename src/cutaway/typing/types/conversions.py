"""The five conversion kinds between types, and the least type above two (SPEC B5, C1, C4).

exact < promotion (same kind, lossless) < safe (other kind, reasonable) < unsafe (may lose)
< none.  The order is the order of preference in overload resolution.
"""

from __future__ import annotations

from enum import IntEnum
from functools import cache

from cutaway.typing import types
from cutaway.typing.types import Array, Boolean, Complex, Float, Integer, Omitted, Tuple, Type
from cutaway.typing.types.buffers import Buffer, bytes_type
from cutaway.typing.types.enums import EnumMember, IntEnumMember


class Conversion(IntEnum):
    """How good it is to pass a value of one type where another is wanted."""

    EXACT = 0
    PROMOTION = 1
    SAFE = 2
    UNSAFE = 3
    NONE = 4

    exact = EXACT  # as the types of extensions may write them
    promote = PROMOTION
    safe = SAFE
    unsafe = UNSAFE


# How many bits of an integer a float of so many bits holds exactly.
_EXACT_INTEGER_BITS = {32: 24, 64: 53}


@cache
def conversion(source: Type, wanted: Type) -> Conversion:
    """The kind of the conversion from `source` to `wanted`."""
    if source is wanted:
        return Conversion.EXACT
    if isinstance(wanted, types.Literal):
        return Conversion.NONE
    match source, wanted:
        case Boolean(), Integer() | Float() | Complex():
            return Conversion.SAFE
        case Integer(), Integer():
            return _between_integers(source, wanted)
        case Integer(), Float():
            return _integer_to_float(source, wanted.bits)
        case Integer(), Complex():
            return _integer_to_float(source, wanted.bits // 2)
        case (Float(), Float()) | (Complex(), Complex()):
            widens = wanted.bits >= source.bits
            return Conversion.PROMOTION if widens else Conversion.UNSAFE
        case Float(), Complex():
            return Conversion.SAFE if wanted.bits >= 2 * source.bits else Conversion.UNSAFE
        case (Float() | Integer(), Integer() | Boolean()) | (Float(), Boolean()):
            return Conversion.UNSAFE
        case Array(), Array():
            return _between_arrays(source, wanted)
        case IntEnumMember(), _ if types.is_number(wanted):
            return max(Conversion.SAFE, conversion(types.int64, wanted))
        case types.String() | types.Choice(), types.Str() | Buffer():
            return Conversion.PROMOTION if _is_written(source, wanted) else Conversion.NONE
        case types.String() | types.Choice(), types.Choice():
            fits = types.choice_of(source, wanted) is wanted
            return Conversion.PROMOTION if fits else Conversion.NONE
        case _, types.Functions():
            fits = types.functions_of(source, wanted) is wanted
            return Conversion.PROMOTION if fits else Conversion.NONE
        case types.Optional(), types.Optional():
            return max(Conversion.PROMOTION, conversion(source.inner, wanted.inner))
        case types.NoneType(), types.Optional():
            return Conversion.PROMOTION
        case _, types.Optional():
            return max(Conversion.PROMOTION, conversion(source, wanted.inner))
        case Tuple(), Tuple():
            return _between_tuples(source, wanted)
        case Omitted(), _:
            return Conversion.SAFE if constant_fits(source.value, wanted) else Conversion.NONE
        case types.Undefined(), _:
            return Conversion.PROMOTION
        case types.Record(), types.Record():
            same = source.protected(True) is wanted
            return Conversion.PROMOTION if same else Conversion.NONE
        case types.Slice(), types.Slice():
            return max(map(conversion, source.bounds, wanted.bounds))
        case types.Range(), types.Range():
            same = source.dtype is wanted.dtype and wanted.step is None
            return Conversion.PROMOTION if same else Conversion.NONE
    return _of_extensions(source, wanted)


def _of_extensions(source: Type, wanted: Type) -> Conversion:
    """What the types of extensions say of conversions from and to them."""
    found = None
    if type(source).by_key:
        found = source.can_convert_to(None, wanted)
    if found is None and type(wanted).by_key:
        found = wanted.can_convert_from(None, source)
    return Conversion.NONE if found is None else Conversion(found)


def _is_written(source: Type, wanted: Type) -> bool:
    """Whether a type is that of texts written in the program, and the other that of all such."""
    cls = str if wanted is types.str_type else bytes if wanted is bytes_type else None
    return isinstance(source, types.String | types.Choice) and types.text_classes(source) == {cls}


def _between_integers(source: Integer, wanted: Integer) -> Conversion:
    if source.low >= wanted.low and source.high <= wanted.high:
        return Conversion.PROMOTION if source.signed == wanted.signed else Conversion.SAFE
    return Conversion.UNSAFE


def _integer_to_float(source: Integer, bits: int) -> Conversion:
    # int64 to float64 may round, yet is what every mixed expression does in Python.
    fits = source.bits - source.signed <= _EXACT_INTEGER_BITS[bits]
    return Conversion.SAFE if fits or bits == 64 else Conversion.UNSAFE


def _between_arrays(source: Array, wanted: Array) -> Conversion:
    compatible = (
        source.dtype is wanted.dtype
        and source.ndim == wanted.ndim
        and wanted.layout in (source.layout, "A")
        and (wanted.readonly or not source.readonly)
        and (source.aligned or not wanted.aligned)
    )
    return Conversion.PROMOTION if compatible else Conversion.NONE


def _between_tuples(source: Tuple, wanted: Tuple) -> Conversion:
    if len(source.items) != len(wanted.items) or not _one_kind(source, wanted):
        return Conversion.NONE
    kinds = map(conversion, source.items, wanted.items)
    return max(kinds, default=Conversion.EXACT)


def _one_kind(first: Tuple, second: Tuple) -> bool:
    """Whether both are plain tuples, or named ones of one class."""
    return getattr(first, "cls", None) is getattr(second, "cls", None)


def constant_fits(value: object, wanted: Type) -> bool:
    """Whether a Python constant can be a value of the type without loss."""
    match wanted:
        case Boolean():
            return isinstance(value, bool)
        case Integer():
            return isinstance(value, int) and wanted.low <= value <= wanted.high
        case Float():
            return isinstance(value, int | float)
        case Complex():
            return isinstance(value, int | float | complex)
        case types.NoneType():
            return value is None
    return False


@cache
def unify(first: Type, second: Type) -> Type | None:
    """The least type that can hold values of both; None where there is none.

    Commutative, associative and idempotent, and never below either: inference that only ever
    replaces a type by such a union must end.
    """
    if first is second:
        return first
    match first, second:
        case types.Undefined(), _:
            return second
        case _, types.Undefined():
            return first
        case Omitted(), _:
            return _unify_constant(first, second)
        case _, Omitted():
            return _unify_constant(second, first)
        case Tuple(), Tuple() if len(first.items) == len(second.items):
            items = [unify(a, b) for a, b in zip(first.items, second.items, strict=True)]
            fits = None not in items and _one_kind(first, second)
            return first.of(tuple(items)) if fits else None  # type: ignore[arg-type]
        case types.Str() | Buffer(), _ if _is_written(second, first):
            return first
        case _, types.Str() | Buffer() if _is_written(first, second):
            return second
        case types.String() | types.Choice(), types.String() | types.Choice():
            return types.choice_of(first, second)
        case _ if types.can_be_chosen(first) and types.can_be_chosen(second):
            return types.functions_of(first, second)
        case types.Optional() | types.NoneType(), _:
            return _unify_optional(first, second)
        case _, types.Optional() | types.NoneType():
            return _unify_optional(second, first)
        case Array(), Array():
            return _unify_arrays(first, second)
        case types.Record(), types.Record() if first.protected(True) is second.protected(True):
            return first.protected(True)
        case types.Slice(), types.Slice():
            bounds = [unify(a, b) for a, b in zip(first.bounds, second.bounds, strict=True)]
            return types.Slice(*bounds)  # type: ignore[arg-type]  # bounds of all kinds have a union
        case types.Range(), types.Range() if first.dtype is second.dtype:
            return types.Range(first.dtype, None)
    if isinstance(first, IntEnumMember):
        first = types.int64
    if isinstance(second, IntEnumMember):
        second = types.int64
    if types.is_number(first) and types.is_number(second):
        return _unify_numbers(first, second)
    if type(first).by_key or type(second).by_key:
        return _unify_extensions(first, second)
    return None


def _unify_extensions(first: Type, second: Type) -> Type | None:
    """What types of extensions say of their union, or the one that the other converts to."""
    for own, other in ((first, second), (second, first)):
        found = own.unify(None, other) if type(own).by_key else None
        if found is not None:
            return found
    for own, other in ((first, second), (second, first)):
        if conversion(own, other) <= Conversion.SAFE:
            return other
    return None


def _unify_optional(first: Type, second: Type) -> Type | None:
    """The union of None, or of a value that may be None, with any other type."""
    given = [ty.inner if isinstance(ty, types.Optional) else ty for ty in (first, second)]
    inner = [ty for ty in given if ty is not types.none]
    union = inner[0] if len(inner) == 1 else unify(*inner)
    return types.Optional(union) if union is not None and _may_be_none(union) else None


def _may_be_none(ty: Type) -> bool:
    known = Array | Tuple | types.Range | types.Slice | types.String | types.Choice
    known |= types.DateTime | types.TimeDelta | types.Opaque | types.Str | Buffer | EnumMember
    return (
        types.is_number(ty) or isinstance(ty, known) or types.can_be_chosen(ty) or type(ty).by_key
    )


def unify_all(items: tuple[Type, ...]) -> Type | None:
    """The least type that can hold values of all; undefined where there are none at all."""
    common: Type | None = types.undefined
    for item in items:
        common = None if common is None else unify(common, item)
    return common


def _unify_constant(source: Omitted, other: Type) -> Type | None:
    own = of_constant(source.value)
    return None if own is None else unify(own, other)


def of_constant(value: object) -> Type | None:
    """The type of a number, bool or None written as a constant; None for anything else."""
    match value:
        case None:
            return types.none
        case bool():
            return types.boolean
        case int():
            if types.int64.low <= value <= types.int64.high:
                return types.int64
            return types.uint64 if 0 <= value <= types.uint64.high else None
        case float():
            return types.float64
        case complex():
            return types.complex128
    return None


def _unify_arrays(first: Array, second: Array) -> Type | None:
    if first.dtype is not second.dtype or first.ndim != second.ndim:
        return None
    return Array(
        first.dtype,
        first.ndim,
        first.layout if first.layout == second.layout else "A",
        first.readonly or second.readonly,
        first.aligned and second.aligned,
    )


def _unify_numbers(first: Type, second: Type) -> Type:
    low, high = sorted((first, second), key=_rank)
    match low, high:
        case Boolean(), _:
            return high
        case Integer(), Integer():
            return _unify_integers(low, high)
        case Integer(), Float():
            return high if _narrow(low) else types.float64
        case Integer(), Complex():
            return high if _narrow(low) else types.complex128
        case Float(), Complex():
            return high if high.bits >= 2 * low.bits else types.complex128
    return high  # two floats or two complex numbers: the wider one


def _narrow(ty: Integer) -> bool:
    # The integers whose unions among each other 32-bit floats still hold: with uint16, whose
    # union with int8 is int32, the union of three types would depend on the order.
    return ty.bits - ty.signed < 16


def _rank(ty: Type) -> tuple[int, int]:
    kind = (Boolean, Integer, Float, Complex).index(type(ty))  # type: ignore[arg-type]
    return kind, getattr(ty, "bits", 0)


def _unify_integers(first: Integer, second: Integer) -> Type:
    if first.signed == second.signed:
        return first if first.bits >= second.bits else second
    signed, unsigned = (first, second) if first.signed else (second, first)
    for bits in (8, 16, 32, 64):
        candidate = Integer(bits, True)
        if candidate.low <= signed.low and candidate.high >= unsigned.high:
            return candidate
    return types.float64  # int64 with uint64, as NumPy has it
