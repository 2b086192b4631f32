"""`range`: construction, length, attributes, items, membership, equality."""

from __future__ import annotations

import operator

from cutaway.extending.registry import attribute, primitive
from cutaway.foundation.loops import prange
from cutaway.ir.operators import BINARY
from cutaway.library.core import messages
from cutaway.library.math.numbers import boolean, both_ways
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import Value
from cutaway.lowering.ranges import count_of
from cutaway.typing import types
from cutaway.typing.overloads.resolution import Arguments, Signature
from cutaway.typing.types import Range


def _range_rule(arguments: Arguments) -> Signature | None:
    if not 1 <= len(arguments) <= 3 or not all(map(types.is_integral, arguments.types)):
        return None
    step: object = arguments.constants[2] if len(arguments) == 3 else 1
    known = step if isinstance(step, int) and step != 0 else None
    converted = (ty if ty is types.uint64 else types.int64 for ty in arguments.types)
    return Signature(Range(types.int64, known), tuple(converted))


@primitive(prange, _range_rule)
@primitive(range, _range_rule)
def make_range(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`range(stop)`, `range(start, stop)`, `range(start, stop, step)`."""
    assert isinstance(sig.returns, Range)
    parts = [value.parts[0] for value in args]
    for value, part in zip(args, parts, strict=True):
        if value.ty is types.uint64:
            beyond = build.compare("slt", "i64", part, "0")
            build.raise_if(beyond, OverflowError, "the integer does not fit in int64")
    if len(parts) == 1:
        parts.insert(0, "0")
    if sig.returns.step is not None:
        return Value(sig.returns, tuple(parts[:2]))
    zero = build.compare("eq", "i64", parts[2], "0")
    build.raise_if(zero, ValueError, messages.ZERO_STEP)
    return Value(sig.returns, tuple(parts))


_TOO_LONG = messages.message_of(lambda: len(range(-(2**62), 2**62)))


def _range_length_rule(arguments: Arguments) -> Signature | None:
    fits = len(arguments) == 1 and isinstance(arguments.types[0], Range)
    return Signature(types.int64, arguments.types) if fits else None


@primitive(len, _range_length_rule)
def range_length(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`len(range)`."""
    count = range_count(build, args[0])
    beyond = build.compare("slt", "i64", count, "0")
    build.raise_if(beyond, OverflowError, _TOO_LONG)
    return Value(types.int64, (count,))


def step_of(value: Value) -> str:
    assert isinstance(value.ty, Range)
    return value.parts[2] if value.ty.step is None else str(value.ty.step)


def range_count(build: FunctionBuilder, value: Value) -> str:
    """The number of items of a range."""
    start, stop = value.parts[:2]
    return count_of(build, start, stop, step_of(value))


# --- parts and items --------------------------------------------------------------------------


@attribute(Range, "start", lambda ty: types.int64)
def start_of(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`r.start`."""
    return Value(types.int64, (args[0].parts[0],))


@attribute(Range, "stop", lambda ty: types.int64)
def stop_of(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`r.stop`."""
    return Value(types.int64, (args[0].parts[1],))


@attribute(Range, "step", lambda ty: types.int64)
def step_attribute(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`r.step`."""
    return Value(types.int64, (step_of(args[0]),))


def _item_rule(arguments: Arguments) -> Signature | None:
    owner, index = arguments.types
    if not isinstance(owner, Range) or not types.is_integral(index):
        return None
    return Signature(types.int64, (owner, index if index is types.uint64 else types.int64))


@primitive(operator.getitem, _item_rule)
def item_of_range(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`r[k]`."""
    count, index = range_count(build, args[0]), args[1].parts[0]
    if args[1].ty is not types.uint64:
        negative = build.compare("slt", "i64", index, "0")
        index = build.select(negative, "i64", build.binary("add", "i64", index, count), index)
    outside = build.compare("uge", "i64", index, count)
    build.raise_if(outside, IndexError, "range object index out of range")
    distance = build.binary("mul", "i64", index, step_of(args[0]))
    return Value(types.int64, (build.binary("add", "i64", args[0].parts[0], distance),))


def reversed_range(build: FunctionBuilder, value: Value) -> Value:
    """The range of the same numbers in reverse order."""
    assert isinstance(value.ty, Range)
    start, step = value.parts[0], step_of(value)
    steps = build.binary("sub", "i64", range_count(build, value), "1")
    last = build.binary("add", "i64", start, build.binary("mul", "i64", steps, step))
    before = build.binary("sub", "i64", start, step)
    if value.ty.step is not None:
        return Value(Range(types.int64, -value.ty.step), (last, before))
    backward = build.binary("sub", "i64", "0", step)
    return Value(Range(types.int64, None), (last, before, backward))


# --- membership and equality ------------------------------------------------------------------


def _membership_rule(arguments: Arguments) -> Signature | None:
    item, owner = arguments.types
    if not isinstance(owner, Range) or not types.is_integral(item):
        return None
    return Signature(types.boolean, (item if item is types.uint64 else types.int64, owner))


def _contains(build: FunctionBuilder, value: Value, owner: Value) -> str:
    item = value.parts[0]
    result = _contains_signed(build, item, owner)
    if value.ty is not types.uint64:
        return result
    return build.binary("and", "i1", result, build.compare("sge", "i64", item, "0"))


def _contains_signed(build: FunctionBuilder, item: str, owner: Value) -> str:
    start, stop, step = owner.parts[0], owner.parts[1], step_of(owner)
    up = build.compare("sgt", "i64", step, "0")
    low, high = build.select(up, "i64", start, item), build.select(up, "i64", item, start)
    not_before = build.compare("sle", "i64", low, high)
    low, high = build.select(up, "i64", item, stop), build.select(up, "i64", stop, item)
    not_behind = build.compare("slt", "i64", low, high)
    stride = build.select(up, "i64", step, build.binary("sub", "i64", "0", step))
    ahead, behind = (
        build.binary("sub", "i64", item, start),
        build.binary("sub", "i64", start, item),
    )
    distance = build.select(up, "i64", ahead, behind)
    on_step = build.compare("eq", "i64", build.binary("urem", "i64", distance, stride), "0")
    return build.binary("and", "i1", build.binary("and", "i1", not_before, not_behind), on_step)


@primitive(BINARY["in"].function, _membership_rule)
def range_contains(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`n in r`."""
    return boolean(_contains(build, *args))


@primitive(BINARY["not in"].function, _membership_rule)
def range_lacks(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`n not in r`."""
    return boolean(build.binary("xor", "i1", _contains(build, *args), "true"))


def _equality_rule(arguments: Arguments) -> Signature | None:
    both = len(arguments) == 2 and all(isinstance(ty, Range) for ty in arguments.types)
    return Signature(types.boolean, arguments.types) if both else None


@both_ways(operator.eq, operator.ne, _equality_rule)
def _equal(build: FunctionBuilder, lhs: Value, rhs: Value) -> str:
    """True if two ranges hold the same numbers."""
    left, right = range_count(build, lhs), range_count(build, rhs)
    same_count = build.compare("eq", "i64", left, right)
    empty = build.compare("eq", "i64", left, "0")
    single = build.compare("eq", "i64", left, "1")
    same_start = build.compare("eq", "i64", lhs.parts[0], rhs.parts[0])
    same_step = build.compare("eq", "i64", step_of(lhs), step_of(rhs))
    same_items = build.binary("and", "i1", same_start, build.binary("or", "i1", single, same_step))
    return build.binary("and", "i1", same_count, build.binary("or", "i1", empty, same_items))


def _truth_rule(arguments: Arguments) -> Signature | None:
    fits = len(arguments) == 1 and isinstance(arguments.types[0], Range)
    return Signature(types.boolean, arguments.types) if fits else None


@both_ways(bool, operator.not_, _truth_rule)
def _truth(build: FunctionBuilder, value: Value) -> str:
    return build.compare("ne", "i64", range_count(build, value), "0")
