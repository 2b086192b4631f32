"""Characters of texts by their numbers: `ord`, `chr`, and texts that are written one by one."""

from __future__ import annotations

from cutaway.extending.overloads import overload
from cutaway.extending.registry import CONTEXT, primitive
from cutaway.lowering.arrays.texts import text_memory
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import META_BYTES, Value
from cutaway.typing import types
from cutaway.typing.overloads.resolution import Arguments, Overload, Signature
from cutaway.typing.types import Type

_LAST = 0x10FFFF


def code_point(text, place):
    """The number of a character of a text; nothing checks the place."""
    return ord(text[place])


def _are_integers(given: tuple[Type, ...]) -> bool:
    return all(map(types.is_integral, given))


def _code_point_rule(arguments: Arguments) -> Signature | None:
    args = arguments.types
    fits = len(args) == 2 and types.text_classes(args[0]) == {str} and _are_integers(args[1:])
    return Signature(types.int64, (types.str_type, types.int64)) if fits else None


@primitive(code_point, _code_point_rule)
def _lower_code_point(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    _, data, _, width = args[0].parts
    given = [("ptr", data), ("i64", args[1].parts[0]), ("i64", width)]
    return Value(types.int64, (build.call("i64", "cutaway_text_character", given),))


# --- written one by one -----------------------------------------------------------------------


def empty_text(width, length, is_ascii=False):
    """A text of so many characters, which `put_code_point` sets, each of `width` bytes."""
    return "\0" * length


def _empty_rule(arguments: Arguments) -> Signature | None:
    args = arguments.types
    fits = len(args) in (2, 3) and _are_integers(args)
    return Signature(types.str_type, (types.int64,) * len(args)) if fits else None


def _lower_empty(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    width, length = (arg.parts[0] for arg in args[:2])
    size = build.binary("mul", "i64", width, length)
    owner = text_memory(build, size)
    data = build.offset(owner, str(META_BYTES))
    nothing = [("ptr", data), ("i64", length), ("i64", width)]
    build.call("void", "cutaway_text_copy", [*nothing, ("ptr", data), ("i64", "0"), nothing[2]])
    return Value(types.str_type, (owner, data, length, width))


CONTEXT.add(empty_text, Overload(_empty_rule, (), _lower_empty, gives_new_reference=True))


def put_code_point(text, place, value):
    """Set a character of a text that `empty_text` made; nothing checks the place."""
    raise TypeError("a text of Python cannot be changed")


def _put_rule(arguments: Arguments) -> Signature | None:
    args = arguments.types
    fits = len(args) == 3 and args[0] is types.str_type and _are_integers(args[1:])
    return Signature(types.none, (types.str_type, *[types.int64] * 2)) if fits else None


@primitive(put_code_point, _put_rule)
def _lower_put(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    _, data, _, width = args[0].parts
    place, value = (arg.parts[0] for arg in args[1:])
    given = [("ptr", data), ("i64", place), ("i64", width), ("i64", value)]
    build.call("void", "cutaway_text_put", given)
    return Value(types.none, ())


def width_of(value):
    """How many bytes a character of this number takes."""
    return 1 if value < 1 << 8 else 2 if value < 1 << 16 else 4


@overload(width_of)
def _width_of(value):
    if not types.is_integral(value):
        return None

    def width(value):
        if value < 0 or value > _LAST:
            raise ValueError("Invalid codepoint. Found value greater than Unicode maximum")
        return 1 if value < 1 << 8 else 2 if value < 1 << 16 else 4

    return width


def widest(first, second):
    """The larger of two widths of characters."""
    return max(first, second)


@overload(widest)
def _widest(first, second):
    return (lambda first, second: max(first, second)) if _are_integers((first, second)) else None


def same_width(width):
    """How many bytes a character of a kind takes: kinds are widths."""
    return width


@overload(same_width)
def _same_width(width):
    return (lambda width: width) if types.is_integral(width) else None


# --- ord and chr ------------------------------------------------------------------------------


@overload(ord)
def _ord(text):
    if types.text_classes(text) != {str}:
        return None

    def number(text):
        if len(text) != 1:
            raise TypeError(f"ord() expected a character, but string of length {len(text)} found")
        return code_point(text, 0)

    return number


@overload(chr)
def _chr(number):
    if not types.is_integral(number):
        return None

    def character(number):
        if number < 0 or number > _LAST:
            raise ValueError("chr() arg not in range(0x110000)")
        text = empty_text(width_of(number), 1)
        put_code_point(text, 0, number)
        return text

    return character
