"""Characters of texts by code point: `ord`, `chr`, `upper`, and texts built character by
character."""

from __future__ import annotations

import functools

import numpy as np

from cutaway.extending.bodies import body
from cutaway.extending.overloads import overload_method
from cutaway.extending.registry import primitive
from cutaway.library.arrays.kit.takes import Integer
from cutaway.library.arrays.kit.typers import private
from cutaway.library.text.texts import AnyText, takes
from cutaway.lowering.arrays.texts import text_memory
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import META_BYTES, Value
from cutaway.typing import types
from cutaway.typing.overloads.resolution import Signature
from cutaway.typing.types import Str

_LAST = 0x10FFFF


def code_point(text, place):
    """The code point of a character; the position is not checked."""
    return ord(text[place])


@primitive(code_point, takes(types.int64, types.str_type, types.int64))
def _lower_code_point(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    _, data, _, width = args[0].parts
    given = [("ptr", data), ("i64", args[1].parts[0]), ("i64", width)]
    return Value(types.int64, (build.call("i64", "cutaway_text_character", given),))


# --- texts under construction -----------------------------------------------------------------


def empty_text(width, length, is_ascii=False):
    """A text of `length` characters, each of `width` bytes, to be set by `put_code_point`."""
    return "\0" * length


@primitive(*(empty_text, takes(types.str_type, types.int64, types.int64)), gives_new_reference=True)
@primitive(
    *(empty_text, takes(types.str_type, types.int64, types.int64, types.int64)),
    gives_new_reference=True,
)
def _lower_empty(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    width, length = (arg.parts[0] for arg in args[:2])
    size = build.binary("mul", "i64", width, length)
    owner = text_memory(build, size)
    data = build.offset(owner, str(META_BYTES))
    nothing = [("ptr", data), ("i64", length), ("i64", width)]
    build.call("void", "cutaway_text_copy", [*nothing, ("ptr", data), ("i64", "0"), nothing[2]])
    return Value(types.str_type, (owner, data, length, width))


def put_code_point(text, place, value):
    """Set a character of a text made by `empty_text`; the position is not checked."""
    raise TypeError("a text of Python cannot be changed")


@primitive(put_code_point, takes(types.none, types.str_type, types.int64, types.int64))
def _lower_put(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    _, data, _, width = args[0].parts
    place, value = (arg.parts[0] for arg in args[1:])
    given = [("ptr", data), ("i64", place), ("i64", width), ("i64", value)]
    build.call("void", "cutaway_text_put", given)
    return Value(types.none, ())


@private
def width_of(value):
    """The number of bytes of a character with this code point."""
    if value < 0 or value > _LAST:
        raise ValueError("Invalid codepoint. Found value greater than Unicode maximum")
    return 1 if value < 1 << 8 else 2 if value < 1 << 16 else 4


@private
def widest(first, second):
    """The larger of two widths of characters."""
    return max(first, second)


@private
def same_width(width):
    """The number of bytes of a character of a kind: kinds are widths."""
    return width


# --- ord, chr and upper -----------------------------------------------------------------------


@body(ord)
def number_of(text: AnyText, /):
    """`ord(c)`."""
    if len(text) != 1:
        raise TypeError(f"ord() expected a character, but string of length {len(text)} found")
    return code_point(text, 0)


@body(chr)
def character_of(number: Integer, /):
    """`chr(n)`."""
    if number < 0 or number > _LAST:
        raise ValueError("chr() arg not in range(0x110000)")
    text = empty_text(width_of(number), 1)
    put_code_point(text, 0, number)
    return text


_END = 0x1F000  # no character from here on has an uppercase form
_MOST = 3  # the most characters that one becomes, like the ligature "ffi"


@functools.cache
def _capitals() -> tuple[np.ndarray, np.ndarray]:
    """The sorted characters with an uppercase form, and its zero-padded row for each."""
    changed = [n for n in range(_END) if chr(n).upper() != chr(n)]
    rows = [[*map(ord, chr(n).upper().ljust(_MOST, "\0"))] for n in changed]
    return np.array(changed, np.int32), np.array(rows, np.int32)


@private
def capitals_of(number, changed, rows):
    """The uppercase form of a character: one to three characters, padded with zeros."""
    place = np.searchsorted(changed, number)
    if place < len(changed) and changed[place] == number:
        row = rows[place]
        return int(row[0]), int(row[1]), int(row[2])
    return number, 0, 0


@overload_method(Str, "upper")
def _upper(text):
    changed, rows = _capitals()  # takes a fraction of a second, so it is done on demand

    def upper(text):
        length, largest = 0, 0
        for k in range(len(text)):
            first, second, third = capitals_of(code_point(text, k), changed, rows)
            length += 1 + (second != 0) + (third != 0)
            largest = max(largest, first, second, third)
        result, at = empty_text(width_of(largest), length), 0
        for k in range(len(text)):
            first, second, third = capitals_of(code_point(text, k), changed, rows)
            put_code_point(result, at, first)
            if second:
                put_code_point(result, at + 1, second)
            if third:
                put_code_point(result, at + 2, third)
            at += 1 + (second != 0) + (third != 0)
        return result

    return upper
