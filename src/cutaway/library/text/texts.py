"""Texts: strings from outside or from arrays, bytes, strings that are one of several constants.

Length, truth, equality and order; items, slices, concatenation, membership.
"""

from __future__ import annotations

import operator
from typing import Any

from cutaway.extending.bodies import Takes, body
from cutaway.extending.registry import method, primitive
from cutaway.ir.operators import BINARY, COMPARISONS, INPLACE
from cutaway.library.math.numbers import both_ways
from cutaway.lowering.arrays.texts import text_memory
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import META_BYTES, Value
from cutaway.lowering.lists import merged
from cutaway.typing import types
from cutaway.typing.inference.questions import advance, iterate
from cutaway.typing.overloads.resolution import REQUIRED, Arguments, Rule, Signature
from cutaway.typing.types import Choice, Slice, Str, String, Type
from cutaway.typing.types.buffers import Buffer, bytearray_type, bytes_type
from cutaway.typing.types.texts import is_written

_DATA, _LENGTH, _WIDTH = 1, 2, 3  # parts of a str; bytes has the first two


def is_str(ty: Any) -> bool:
    """True for types whose values are strs in Python."""
    return isinstance(ty, Type) and types.text_classes(ty) == {str}


AnyText = Takes("a text", is_str)
Part = Takes("an int or a slice", lambda ty: isinstance(ty, Slice) or types.is_integral(ty))


def takes(returns: Type, *wanted: Type) -> Rule:
    """A rule for texts and integers that are converted to the given types."""

    def rule(arguments: Arguments) -> Signature | None:
        def fits(ty: Type, into: Type) -> bool:
            return types.is_integral(ty) if into is types.int64 else is_str(ty)

        good = len(arguments) == len(wanted) and all(map(fits, arguments.types, wanted))
        return Signature(returns, wanted) if good else None

    return rule


# --- length and truth -------------------------------------------------------------------------


def _text_rule(returns: Type, arguments: Arguments) -> Signature | None:
    ty = arguments.types[0] if len(arguments) == 1 else None
    fits = ty is types.str_type or (ty is not None and is_written(ty, str))
    return Signature(returns, (types.str_type,)) if fits else None


@primitive(len, lambda arguments: _text_rule(types.int64, arguments))
def length(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`len(s)`."""
    return Value(types.int64, (args[0].parts[_LENGTH],))


@both_ways(bool, operator.not_, lambda arguments: _text_rule(types.boolean, arguments))
def _truth(build: FunctionBuilder, value: Value) -> str:
    return build.compare("ne", "i64", value.parts[_LENGTH], "0")


def _choice_rule(arguments: Arguments) -> Signature | None:
    fits = len(arguments) == 1 and isinstance(arguments.types[0], Choice)
    return Signature(types.boolean, arguments.types) if fits else None


@both_ways(bool, operator.not_, _choice_rule)
def _truth_of_choice(build: FunctionBuilder, value: Value) -> str:
    assert isinstance(value.ty, Choice)
    answer = "true"
    for number, text in enumerate(value.ty.values):
        if not text:
            other = build.compare("ne", "i64", value.parts[0], str(number))
            answer = build.binary("and", "i1", answer, other)
    return answer


@primitive(str, lambda arguments: _text_rule(types.str_type, arguments), ("object",), (REQUIRED,))
def same_text(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`str(s)`, `str(object=s)`."""
    build.call("void", "cutaway_incref", [("ptr", args[0].parts[0])])
    return args[0]


@body(str)
def no_text():
    """`str()`."""
    return ""


# --- equality and order -----------------------------------------------------------------------


def _common_type(ty: Type, other: Type) -> Type | None:
    """The type in which a text is compared; None for a type that is not compared here."""
    if ty in (bytes_type, bytearray_type):
        return ty
    if isinstance(ty, Buffer):
        return None
    if is_str(ty) and is_str(other):
        return types.str_type
    return bytes_type if types.text_classes(ty) == {bytes} else None


def _equality_rule(arguments: Arguments) -> Signature | None:
    if len(arguments) != 2:
        return None
    lhs, rhs = arguments.types
    if all(isinstance(ty, String | Choice) for ty in (lhs, rhs)):
        common = types.choice_of(lhs, rhs)
        return None if common is None else Signature(types.boolean, (common, common))
    if not any(isinstance(ty, types.Str | Buffer) for ty in (lhs, rhs)):
        return None
    compared = _common_type(lhs, rhs), _common_type(rhs, lhs)
    return None if None in compared else Signature(types.boolean, compared)


@both_ways(operator.eq, operator.ne, _equality_rule)
def _equal(build: FunctionBuilder, lhs: Value, rhs: Value) -> str:
    """True if two texts are equal; an i1."""
    if isinstance(lhs.ty, Choice):
        return build.compare("eq", "i64", lhs.parts[0], rhs.parts[0])
    size = lhs.parts[_LENGTH]
    same = build.compare("eq", "i64", size, rhs.parts[_LENGTH])

    def same_characters() -> str:
        name, args = "cutaway_same_bytes", [("ptr", one.parts[_DATA]) for one in (lhs, rhs)]
        if lhs.ty is types.str_type:
            name = "cutaway_same_characters"
            args += [("i64", one.parts[_WIDTH]) for one in (lhs, rhs)]
        result = build.call("i32", name, [*args, ("i64", size)])
        return build.compare("ne", "i32", result, "0")

    return build.either(same, "i1", same_characters, "false")


def order_of(first, second):
    """-1, 0 or 1, by the order of two texts."""
    return (first > second) - (first < second)


def place_in(text, sought):
    """The first position of a text in another; -1 if it is absent."""
    return text.find(sought)


def _register_pair(function: Any, name: str) -> None:
    @primitive(function, takes(types.int64, types.str_type, types.str_type))
    def lower(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
        given = [
            pair
            for arg in args
            for pair in zip(("ptr", "i64", "i64"), arg.parts[_DATA:], strict=True)
        ]
        return Value(types.int64, (build.call("i64", name, given),))


_register_pair(order_of, "cutaway_text_order")
_register_pair(place_in, "cutaway_text_find")


def _register_order(compares: Any) -> None:
    @body(compares)
    def in_order(first: AnyText, second: AnyText):
        return compares(order_of(first, second), 0)


for _symbol in ("<", "<=", ">", ">="):
    _register_order(COMPARISONS[_symbol].function)


@body(BINARY["in"].function)
def is_in(item: AnyText, text: AnyText):
    """`s in t`."""
    return place_in(text, item) >= 0


@body(BINARY["not in"].function)
def is_not_in(item: AnyText, text: AnyText):
    """`s not in t`."""
    return place_in(text, item) < 0


# --- slices and concatenation -----------------------------------------------------------------


def part_of(text, start, count, step):
    """`count` characters of a text, `step` apart."""
    return "".join(text[start + k * step] for k in range(count))


@primitive(
    *(part_of, takes(types.str_type, types.str_type, *[types.int64] * 3)), gives_new_reference=True
)
def _lower_part(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """Emit a copy with the narrowest possible characters."""
    _, data, _, width = args[0].parts
    start, count, step = (arg.parts[0] for arg in args[1:])
    source = [("ptr", data), ("i64", width), ("i64", start), ("i64", count), ("i64", step)]
    narrow = build.call("i64", "cutaway_text_part_width", source)
    owner = text_memory(build, build.binary("mul", "i64", count, narrow))
    copy = build.offset(owner, str(META_BYTES))
    build.call("void", "cutaway_text_part", [("ptr", copy), ("i64", narrow), *source])
    return Value(types.str_type, (owner, copy, count, narrow))


@body(operator.getitem)
def part(text: AnyText, index: Part):
    """`s[k]`, `s[i:k]`."""
    size = len(text)
    if isinstance(index, slice):
        start, stop, step = index.indices(size)
        return part_of(text, start, len(range(start, stop, step)), step)
    place = index + size if index < 0 else index
    if place < 0 or place >= size:
        raise IndexError("string index out of range")
    return part_of(text, place, 1, 1)


# --- loops ------------------------------------------------------------------------------------


@primitive(iterate, takes(types.str_type.iterator(), types.str_type))
def begin(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """The beginning of a loop: the index of the next character."""
    memory, position = build.new_cell(1)
    build.store("i64", "0", position, 8)
    return Value(sig.returns, (memory, position, *args[0].parts))


def _next_rule(arguments: Arguments) -> Signature | None:
    fits = arguments.types == (types.str_type.iterator(),)
    return Signature(types.str_type, arguments.types) if fits else None


@primitive(advance, _next_rule, gives_new_reference=True)
def next_character(build: FunctionBuilder, sig: Signature, args: list[Value]) -> tuple[Value, str]:
    """The next character, as a text of its own."""
    _, position, *parts = args[0].parts
    index = build.load("i64", position, 8)
    valid = build.compare("slt", "i64", index, parts[_LENGTH])
    there, after, before = build.new_label("character"), build.new_label("next"), build.block
    build.branch(valid, there, after)
    build.start(there)
    build.store("i64", build.binary("add nuw nsw", "i64", index, "1"), position, 8)
    one = Value(types.int64, ("1",))
    own = [Value(types.str_type, tuple(parts)), Value(types.int64, (index,)), one, one]
    character = _lower_part(build, sig, own)
    last = build.block
    build.jump(after)
    build.start(after)
    return merged(build, character, last, before), valid


# --- concatenation ----------------------------------------------------------------------------


def _sum_rule(arguments: Arguments) -> Signature | None:
    """The rule for the concatenation of strings, one of which is from outside."""
    fits = types.str_type in arguments.types
    return takes(types.str_type, types.str_type, types.str_type)(arguments) if fits else None


@primitive(BINARY["+"].function, _sum_rule, gives_new_reference=True)
@primitive(INPLACE["+="].function, _sum_rule, gives_new_reference=True)
def _lower_sum(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """Concatenate the characters of both, each as wide as the widest."""
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


# --- methods ----------------------------------------------------------------------------------


@body(method(Str, "find"))
def find(text, sub: AnyText, /):
    """`s.find(t)`."""
    return place_in(text, sub)


@body(method(Str, "startswith"))
def startswith(text, prefix: AnyText, /):
    """`s.startswith(t)`."""
    return part_of(text, 0, min(len(prefix), len(text)), 1) == prefix


@body(method(Str, "endswith"))
def endswith(text, suffix: AnyText, /):
    """`s.endswith(t)`."""
    start = max(len(text) - len(suffix), 0)
    return part_of(text, start, len(text) - start, 1) == suffix
