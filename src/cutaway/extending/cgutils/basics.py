"""Types and constants, tests of values, structs and arrays of values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from llvmlite import ir

from cutaway.errors import ExtensionError
from cutaway.extending.struct_proxies import StructProxy, proxy_of
from cutaway.extending.values import BYTES, aggregate
from cutaway.typing import types
from cutaway.typing.types import Type

bool_t, int8_t, int32_t = ir.IntType(1), ir.IntType(8), ir.IntType(32)
intp_t = int64_t = ir.IntType(64)
voidptr_t = BYTES
true_bit, false_bit = ir.Constant(bool_t, 1), ir.Constant(bool_t, 0)
true_byte, false_byte = ir.Constant(int8_t, 1), ir.Constant(int8_t, 0)


# --- members by name --------------------------------------------------------------------------


def create_struct_proxy(ty: Type, kind: str = "value") -> Callable[..., Any]:
    """A class whose instances expose a value's members as attributes; it is called with `(context,
    builder, value=None, ref=None)`.

    Without a value all members are zero; with `ref` they are read from and written to memory.
    `_getvalue()` returns the value.  The `kind` "data" means the same here: values have one layout
    in memory and in registers.
    """
    if kind not in ("value", "data"):
        raise ExtensionError(f"the kind of a struct proxy must be 'value' or 'data', not {kind!r}")
    proxy = proxy_of(ty)
    return lambda context, builder, value=None, ref=None: proxy(context, builder, ty, value, ref)  # type: ignore[arg-type]


def copy_struct(
    dst: StructProxy, src: StructProxy, repl: dict[str, ir.Value] | None = None
) -> None:
    """Copy the members of one proxy to another, except those in `repl`."""
    replaced = dict(repl or {})
    for name in src._names:
        setattr(dst, name, replaced.pop(name) if name in replaced else getattr(src, name))
    if replaced:
        raise ExtensionError(f"{src._type} has no member {next(iter(replaced))!r}")


# --- tests ------------------------------------------------------------------------------------


def is_null(builder: ir.IRBuilder, value: ir.Value) -> ir.Value:
    """Emit an i1: a pointer is null."""
    return builder.icmp_unsigned("==", value, ir.Constant(value.type, None))


def is_not_null(builder: ir.IRBuilder, value: ir.Value) -> ir.Value:
    """Emit an i1: a pointer is not null."""
    return builder.not_(is_null(builder, value))


def is_true(builder: ir.IRBuilder, value: ir.Value) -> ir.Value:
    """Emit an i1: an integer is not zero."""
    return builder.icmp_signed("!=", value, ir.Constant(value.type, 0))


as_bool_bit = is_true


def is_false(builder: ir.IRBuilder, value: ir.Value) -> ir.Value:
    """Emit an i1: an integer is zero."""
    return builder.not_(is_true(builder, value))


def is_neg_int(builder: ir.IRBuilder, value: ir.Value) -> ir.Value:
    """Emit an i1: a signed integer is negative."""
    return builder.icmp_signed("<", value, ir.Constant(value.type, 0))


def is_scalar_zero(builder: ir.IRBuilder, value: ir.Value) -> ir.Value:
    """Emit an i1: a number is zero."""
    return _against_zero(builder, value, "==")


def is_not_scalar_zero(builder: ir.IRBuilder, value: ir.Value) -> ir.Value:
    """Emit an i1: a number is not zero, as nan is not."""
    return _against_zero(builder, value, "!=", or_nan=True)


def is_scalar_zero_or_nan(builder: ir.IRBuilder, value: ir.Value) -> ir.Value:
    """Emit an i1: a number is zero or nan."""
    return _against_zero(builder, value, "==", or_nan=True)


def is_scalar_neg(builder: ir.IRBuilder, value: ir.Value) -> ir.Value:
    """Emit an i1: a number is less than zero."""
    return _against_zero(builder, value, "<")


def _against_zero(
    builder: ir.IRBuilder, value: ir.Value, how: str, or_nan: bool = False
) -> ir.Value:
    zero = ir.Constant(value.type, 0)
    if isinstance(value.type, ir.IntType):
        return builder.icmp_signed(how, value, zero)
    if not isinstance(value.type, ir.FloatType | ir.DoubleType):
        raise ExtensionError(f"expected a number, not {value.type}")
    compare = builder.fcmp_unordered if or_nan else builder.fcmp_ordered
    return compare(how, value, ir.Constant(value.type, 0.0))


def is_pointer(kind: ir.Type) -> bool:
    """True if an LLVM type is a pointer type."""
    return isinstance(kind, ir.PointerType)


def is_nonelike(ty: Any) -> bool:
    """True if a parameter is None, of None's type, or omitted."""
    return ty is None or isinstance(ty, types.NoneType | types.Omitted)


def is_empty_tuple(ty: Any) -> bool:
    """True if a type is that of the empty tuple."""
    return isinstance(ty, types.Tuple) and not ty.items


# --- arithmetic -------------------------------------------------------------------------------


def increment_index(builder: ir.IRBuilder, value: ir.Value) -> ir.Value:
    """Emit an index plus one, without overflow."""
    return builder.add(value, ir.Constant(value.type, 1), flags=["nsw"])


def muladd_with_overflow(
    builder: ir.IRBuilder, a: ir.Value, b: ir.Value, c: ir.Value
) -> tuple[ir.Value, ir.Value]:
    """Emit `a * b + c` of signed integers, and an i1 that is true if it overflows."""
    product, too_large = unpack_tuple(builder, builder.smul_with_overflow(a, b), 2)
    total, larger = unpack_tuple(builder, builder.sadd_with_overflow(product, c), 2)
    return total, builder.or_(too_large, larger)


def divmod_by_constant(
    builder: ir.IRBuilder, value: ir.Value, divisor: int
) -> tuple[ir.Value, ir.Value]:
    """Emit the quotient and remainder of a signed integer and a positive constant, as in Python."""
    if not isinstance(divisor, int) or divisor <= 0:
        raise ExtensionError(f"the divisor must be a positive constant, not {divisor!r}")
    by, zero = ir.Constant(value.type, divisor), ir.Constant(value.type, 0)
    # LLVM's division rounds toward zero, Python's down.
    quotient, rest = builder.sdiv(value, by), builder.srem(value, by)
    below = builder.icmp_signed("<", rest, zero)
    return (
        builder.sub(quotient, builder.zext(below, value.type)),
        builder.add(rest, builder.select(below, by, zero)),
    )


# --- aggregates -------------------------------------------------------------------------------


def get_null_value(kind: ir.Type) -> ir.Value:
    """Return the constant of a type with all bits zero."""
    return ir.Constant(kind, None)


def unpack_tuple(
    builder: ir.IRBuilder, value: ir.Value, count: int | None = None
) -> list[ir.Value]:
    """Return the items of a tuple, or the members of a struct."""
    length = len(value.type.elements) if count is None else count
    return [builder.extract_value(value, k) for k in range(length)]


def pack_array(builder: ir.IRBuilder, items: Sequence[ir.Value], ty: Any = None) -> ir.Value:
    """Return an LLVM array of these items (Any: their type, needed if there are none)."""
    return aggregate(builder, ir.ArrayType(ty or items[0].type, len(items)), items)


def pack_struct(builder: ir.IRBuilder, items: Sequence[ir.Value]) -> ir.Value:
    """Return a struct of these items."""
    return make_anonymous_struct(builder, items)


def make_anonymous_struct(
    builder: ir.IRBuilder, values: Sequence[ir.Value], struct_type: ir.Type | None = None
) -> ir.Value:
    """Return a struct of these values."""
    kind = struct_type or ir.LiteralStructType([value.type for value in values])
    return aggregate(builder, kind, values)


def create_constant_array(ty: ir.Type, val: Sequence[Any]) -> ir.Constant:
    """Return a constant array of items of an LLVM type: constants, or arguments of the type."""
    items = [item if isinstance(item, ir.Constant) else ir.Constant(ty, item) for item in val]
    return ir.Constant(ir.ArrayType(ty, len(items)), items)


def make_bytearray(buf: Any) -> ir.Constant:
    """Return a constant array of these bytes."""
    data = bytearray(buf)
    return ir.Constant(ir.ArrayType(int8_t, len(data)), data)
