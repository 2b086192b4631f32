"""Arithmetic on sizes and offsets near the limits of int64, without wrapping around.

The functions are the library's own: a rule types them, and Python runs their bodies.
"""

from __future__ import annotations

import math

from cutaway.extending.registry import primitive
from cutaway.lowering.arrays.memory import TOO_BIG, checked_size
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import Value, tuple_items
from cutaway.typing import types
from cutaway.typing.overloads.resolution import Arguments, Signature
from cutaway.typing.types import Integer, Tuple


def clamped(k, low, high):
    """The integer in [-low, high] nearest to `k`: beyond the table's ends, all offsets are
    alike."""
    return int(min(max(k, -low), high))


def _integers_rule(arguments: Arguments) -> Signature | None:
    if not all(map(types.is_integral, arguments.types)):
        return None
    first, *rest = arguments.types
    result = first if first is types.uint64 else types.int64
    return Signature(types.int64, (result, *(types.int64,) * len(rest)))


@primitive(clamped, _integers_rule)
def clamp(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """Emit two instructions."""
    part, low, high = (arg.parts[0] for arg in args)
    unsigned = isinstance(args[0].ty, Integer) and not args[0].ty.signed
    if not unsigned:
        least = build.binary("sub", "i64", "0", low)
        part = build.call("i64", "llvm.smax.i64", [("i64", part), ("i64", least)])
    name = "llvm.umin.i64" if unsigned else "llvm.smin.i64"
    return Value(types.int64, (build.call("i64", name, [("i64", part), ("i64", high)]),))


def size_of_all(size, other):
    """The product of two sizes. Raises ValueError if it exceeds 64 bits."""
    if abs(size * other) >= 1 << 63:
        raise ValueError(TOO_BIG)
    return size * other


def size_of_both(size, other):
    """The sum of two sizes. Raises ValueError if it exceeds 64 bits."""
    if abs(size + other) >= 1 << 63:
        raise ValueError(TOO_BIG)
    return size + other


@primitive(size_of_all, _integers_rule)
def multiply_sizes(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """Emit a multiplication and an overflow branch."""
    return _checked(build, "llvm.smul.with.overflow.i64", args)


@primitive(size_of_both, _integers_rule)
def add_sizes(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """Emit an addition and an overflow branch."""
    return _checked(build, "llvm.sadd.with.overflow.i64", args)


def _checked(build: FunctionBuilder, name: str, args: list[Value]) -> Value:
    parts = [("i64", build.cast(arg, types.int64).parts[0]) for arg in args]
    pair = build.call("{ i64, i1 }", name, parts)
    build.raise_if(build.result(f"extractvalue {{ i64, i1 }} {pair}, 1"), ValueError, TOO_BIG)
    return Value(types.int64, (build.result(f"extractvalue {{ i64, i1 }} {pair}, 0"),))


def require_room(shape, itemsize):
    """Raise ValueError if the byte size of an array of this shape exceeds 64 bits."""
    if math.prod(size or 1 for size in shape) * itemsize >= 1 << 63:
        raise ValueError(TOO_BIG)


def _room_rule(arguments: Arguments) -> Signature | None:
    shape, itemsize = arguments.types
    if not isinstance(shape, Tuple) or not types.is_integral(itemsize):
        return None
    sizes = Tuple((types.int64,) * len(shape.items))
    return Signature(types.none, (sizes, types.int64))


@primitive(require_room, _room_rule)
def check_room(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """Emit the same check as for a new array."""
    sizes = tuple(item.parts[0] for item in tuple_items(args[0]))
    _, overflow = checked_size(build, sizes, args[1].parts[0])
    build.raise_if(overflow, ValueError, TOO_BIG)
    return Value(types.none, ())
