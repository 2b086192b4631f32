"""Truths as single bits of bytes: `packbits unpackbits`."""

from __future__ import annotations

from typing import Any

import numpy as np

from cutaway.errors import TypingError
from cutaway.library.arrays.kit.axes import axis_of
from cutaway.library.arrays.kit.lines import line_at, line_count, lines_along
from cutaway.library.arrays.kit.shapes import replaced
from cutaway.library.arrays.kit.typers import (
    is_array,
    is_integral,
    is_integral_or_default,
    left_out,
    numpy,
    private,
    said,
)
from cutaway.library.arrays.layout.sharing import memory_as
from cutaway.typing import types
from cutaway.typing.types import Array


def _is_little(bitorder: Any) -> bool:
    """True if the first bit of a byte is its lowest."""
    order = said(bitorder)
    if order not in ("big", "little"):
        raise TypingError("'order' must be either 'little' or 'big'", hint="write one of them")
    return bool(order == "little")


def _packing(little: bool) -> Any:
    """The function that packs a line."""
    first, step = (0, 1) if little else (7, -1)

    @private
    def pack(out, line):
        for k in range(len(out)):
            byte, place = 0, first
            for n in range(8 * k, min(8 * k + 8, len(line))):
                byte |= int(line[n] != 0) << place
                place += step
            out[k] = byte

    return pack


def _unpacking(little: bool) -> Any:
    """The function that unpacks a line; what is past its end is zero."""
    turned = 0 if little else 7

    @private
    def unpack(out, line):
        held = min(len(out), 8 * len(line))
        for n in range(held):
            out[n] = (int(line[n >> 3]) >> ((n & 7) ^ turned)) & 1
        for n in range(held, len(out)):
            out[n] = 0

    return unpack


@private
def _unpacked_size(size, count):
    """How many bits of a line are asked for; a negative count leaves some out."""
    if count < 0 and 8 * size + count < 0:
        raise ValueError("-count larger than number of elements")
    return 8 * size + count if count < 0 else count


# Eight truths in a word times such a number have their bits in its highest byte; and a byte in
# each byte of a word has each of its bits where such a mask has one.
_BIG, _LITTLE = np.uint64(0x8040201008040201), np.uint64(0x0102040810204080)
_EACH_BYTE, _BELOW = np.uint64(0x0101010101010101), np.uint64(0x7F7F7F7F7F7F7F7F)


def _packing_of_all(little: bool) -> Any:
    """The function that packs a line without gaps, eight truths at a time."""
    factor, rest, word = _LITTLE if little else _BIG, _packing(little), np.dtype(np.uint64)
    top = np.uint64(56)

    @private
    def pack_all(out, line):
        truths = line != 0
        count = len(line) // 8
        out[:count] = (memory_as(truths, word, count, 0) * factor) >> top
        rest(out[count:], truths[8 * count :])

    return pack_all


def _unpacking_of_all(little: bool) -> Any:
    """The function that unpacks a line without gaps, eight bits at a time."""
    mask, rest, word = _BIG if little else _LITTLE, _unpacking(little), np.dtype(np.uint64)
    seven = np.uint64(7)

    @private
    def unpack_all(out, line):
        count = min(len(out) // 8, len(line))
        words = memory_as(out, word, count, 0)
        for k in range(count):
            each = np.uint64(line[k]) * _EACH_BYTE
            words[k] = (((each & mask) + _BELOW) >> seven) & _EACH_BYTE
        rest(out[8 * count :], line[count:])

    return unpack_all


def _along(changes: tuple[Any, Any], size_of: Any, flat: bool) -> Any:
    """The function that changes each line along an axis, or all elements as one line."""
    change, change_all = changes

    def of_all(a, axis, count):
        line = a.ravel()
        out = np.empty(size_of(len(line), count), np.uint8)
        change_all(out, line)
        return out

    def of_lines(a, axis, count):
        k = axis_of(a, axis)
        lines = lines_along(a, k)
        out = np.empty(replaced(a.shape, k, size_of(a.shape[k], count)), np.uint8)
        target = lines_along(out, k)
        for n in range(line_count(lines)):
            change(line_at(target, n), line_at(lines, n))
        return out

    return private(of_all if flat else of_lines)


def _checking(a: Array) -> Any:
    """The function that raises AxisError for an axis that an array does not have."""
    return private((lambda a, axis: axis_of(a, axis)) if a.ndim else (lambda a, axis: 0))


@private
def _packed_size(size, count):
    return (size + 7) // 8


@numpy(np.packbits, by_value=True)
def _packbits(a, /, axis=None, bitorder="big"):
    if not is_array(a) or not types.is_integral(a.dtype) or not is_integral_or_default(axis):
        return None
    little = _is_little(bitorder)
    ways = (_packing(little), _packing_of_all(little))
    packed = _along(ways, _packed_size, left_out(axis) or a.ndim <= 1)
    check = _checking(a)

    def packbits(a, /, axis=None, bitorder="big"):
        place = 0 if axis is None else axis
        check(a, place)
        return packed(a, place, 0)

    return packbits


@numpy(np.unpackbits, by_value=True)
def _unpackbits(a, /, axis=None, count=None, bitorder="big"):
    if not is_array(a) or a.dtype is not types.uint8 or not is_integral_or_default(axis):
        return None
    every = left_out(count)
    if not every and not is_integral(count):
        return None
    size_of = private(lambda size, count: 8 * size) if every else _unpacked_size
    little = _is_little(bitorder)
    ways = (_unpacking(little), _unpacking_of_all(little))
    unpacked = _along(ways, size_of, left_out(axis) or a.ndim <= 1)
    check = _checking(a)

    def unpackbits(a, /, axis=None, count=None, bitorder="big"):
        place = 0 if axis is None else axis
        check(a, place)
        return unpacked(a, place, 0 if count is None else count)

    return unpackbits
