"""What is made of texts from outside, or out of arrays: items, slices, `+`, `in`, order."""

from __future__ import annotations

import operator
from typing import Any

from cutaway.extending.overloads import overload, overload_method
from cutaway.extending.registry import CONTEXT, primitive
from cutaway.ir.operators import BINARY, INPLACE
from cutaway.lowering.arrays.texts import text_memory
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import META_BYTES, Value
from cutaway.typing import types
from cutaway.typing.overloads.resolution import Arguments, Overload, Signature
from cutaway.typing.types import Slice, Str, Type

# --- parts ------------------------------------------------------------------------------------


def part_of(text, start, count, step):
    """So many characters of a text, each `step` behind the one before."""
    return "".join(text[start + k * step] for k in range(count))


def _part_rule(arguments: Arguments) -> Signature | None:
    args = arguments.types
    fits = len(args) == 4 and args[0] is types.str_type and all(map(types.is_integral, args[1:]))
    return Signature(types.str_type, (types.str_type, *[types.int64] * 3)) if fits else None


def _lower_part(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """A copy, whose characters are as narrow as they can be."""
    _, data, _, width = args[0].parts
    start, count, step = (arg.parts[0] for arg in args[1:])
    source = [("ptr", data), ("i64", width), ("i64", start), ("i64", count), ("i64", step)]
    narrow = build.call("i64", "cutaway_text_part_width", source)
    owner = text_memory(build, build.binary("mul", "i64", count, narrow))
    copy = build.offset(owner, str(META_BYTES))
    build.call("void", "cutaway_text_part", [("ptr", copy), ("i64", narrow), *source])
    return Value(types.str_type, (owner, copy, count, narrow))


CONTEXT.add(part_of, Overload(_part_rule, (), _lower_part, gives_new_reference=True))


@overload(operator.getitem)
def _item(text, index):
    if text is not types.str_type:
        return None

    def one(text, index):
        size = len(text)
        place = index + size if index < 0 else index
        if place < 0 or place >= size:
            raise IndexError("string index out of range")
        return part_of(text, place, 1, 1)

    def part(text, index):
        start, stop, step = index.indices(len(text))
        return part_of(text, start, len(range(start, stop, step)), step)

    if isinstance(index, Slice):
        return part
    return one if types.is_integral(index) else None


# --- sums -------------------------------------------------------------------------------------


def _are_strings(*given: Type) -> bool:
    """True if all arguments are strings, and one is from outside."""
    return types.str_type in given and all(types.text_classes(ty) == {str} for ty in given)


def _sum_rule(arguments: Arguments) -> Signature | None:
    fits = len(arguments) == 2 and _are_strings(*arguments.types)
    return Signature(types.str_type, (types.str_type,) * 2) if fits else None


def _lower_sum(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """The characters of both, each as wide as the widest."""
    (_, data, length, width), (_, other, more, other_width) = (arg.parts for arg in args)
    wide = build.call("i64", "llvm.umax.i64", [("i64", width), ("i64", other_width)])
    count = build.binary("add", "i64", length, more)
    owner = text_memory(build, build.binary("mul", "i64", count, wide))
    target = build.offset(owner, str(META_BYTES))
    behind = build.offset(target, build.binary("mul", "i64", length, wide))
    for place, one, size, own in (
        (target, data, length, width),
        (behind, other, more, other_width),
    ):
        given = [("ptr", place), ("i64", size), ("i64", wide), ("ptr", one), ("i64", size)]
        build.call("void", "cutaway_text_copy", [*given, ("i64", own)])
    return Value(types.str_type, (owner, target, count, wide))


for _row in (BINARY["+"], INPLACE["+="]):
    CONTEXT.add(_row.function, Overload(_sum_rule, (), _lower_sum, gives_new_reference=True))


# --- order, and what is in a text -------------------------------------------------------------


def order_of(first, second):
    """-1, 0 or 1: which of two texts comes first."""
    return (first > second) - (first < second)


def place_in(text, sought):
    """The first place of a text in another; -1 where it is not there."""
    return text.find(sought)


def _pair_rule(arguments: Arguments) -> Signature | None:
    """Two strings, which may both be constants, as `a.dtype.kind` is one."""
    fits = len(arguments) == 2 and all(types.text_classes(ty) == {str} for ty in arguments.types)
    return Signature(types.int64, (types.str_type,) * 2) if fits else None


def _register_pair(function: Any, name: str) -> None:
    @primitive(function, _pair_rule)
    def lower(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
        given = []
        for arg in args:
            given += [("ptr", arg.parts[1]), ("i64", arg.parts[2]), ("i64", arg.parts[3])]
        return Value(types.int64, (build.call("i64", name, given),))


_register_pair(order_of, "cutaway_text_order")
_register_pair(place_in, "cutaway_text_find")


def _register_order(symbol: str, holds: Any) -> None:
    @overload(BINARY[symbol].function)
    def typer(first, second):
        return holds if _are_strings(first, second) else None


_register_order("<", lambda first, second: order_of(first, second) < 0)
_register_order("<=", lambda first, second: order_of(first, second) <= 0)
_register_order(">", lambda first, second: order_of(first, second) > 0)
_register_order(">=", lambda first, second: order_of(first, second) >= 0)


@overload(BINARY["in"].function)
def _in(item, text):
    fits = _are_strings(item, text)
    return (lambda item, text: place_in(text, item) >= 0) if fits else None


@overload(BINARY["not in"].function)
def _not_in(item, text):
    fits = _are_strings(item, text)
    return (lambda item, text: place_in(text, item) < 0) if fits else None


# --- methods ----------------------------------------------------------------------------------


@overload_method(Str, "find")
def _find(text, sub):
    return (lambda text, sub: place_in(text, sub)) if _are_strings(text, sub) else None


@overload_method(Str, "startswith")
def _startswith(text, prefix):
    if not _are_strings(text, prefix):
        return None
    return lambda text, prefix: part_of(text, 0, min(len(prefix), len(text)), 1) == prefix


@overload_method(Str, "endswith")
def _endswith(text, suffix):
    if not _are_strings(text, suffix):
        return None

    def endswith(text, suffix):
        start = max(len(text) - len(suffix), 0)
        return part_of(text, start, len(text) - start, 1) == suffix

    return endswith
