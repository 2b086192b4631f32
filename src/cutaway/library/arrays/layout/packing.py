"""Booleans packed as bits of bytes: `packbits unpackbits`."""

from __future__ import annotations

from typing import Any

import numpy as np

from cutaway.errors import TypingError
from cutaway.extending.bodies import Takes, static
from cutaway.library.arrays.kit.axes import axis_of
from cutaway.library.arrays.kit.lines import line_at, line_count, lines_along
from cutaway.library.arrays.kit.shapes import replaced
from cutaway.library.arrays.kit.takes import IntegerOrNone, Integers, Text, numpy
from cutaway.library.arrays.kit.typers import is_array, private, said
from cutaway.library.arrays.layout.sharing import memory_as
from cutaway.typing import types

# Eight bools in a word times such a number have their bits in its highest byte; a byte repeated in
# each byte of a word has one bit under each byte of such a mask.
_BIG, _LITTLE = np.uint64(0x8040201008040201), np.uint64(0x0102040810204080)
_EACH_BYTE, _BELOW = np.uint64(0x0101010101010101), np.uint64(0x7F7F7F7F7F7F7F7F)


_WORD = np.dtype(np.uint64)


@static
def _is_little(bitorder: Any) -> bool:
    """True if the first bit of a byte is its lowest."""
    order = said(bitorder)
    if order not in ("big", "little"):
        raise TypingError("'order' must be either 'little' or 'big'", hint="write one of them")
    return bool(order == "little")


@private
def _pack(out, line, little):
    """Pack a line."""
    for k in range(len(out)):
        byte = 0
        for n in range(8 * k, min(8 * k + 8, len(line))):
            byte |= int(line[n] != 0) << (n & 7 if little else 7 - (n & 7))
        out[k] = byte


@private
def _pack_all(out, line, little):
    """Pack a contiguous line, eight bools at a time."""
    truths, count = line != 0, len(line) // 8
    factor = _LITTLE if little else _BIG
    out[:count] = (memory_as(truths, _WORD, count, 0) * factor) >> np.uint64(56)
    _pack(out[count:], truths[8 * count :], little)


@private
def _unpack(out, line, little):
    """Unpack a line, with zeros past its end."""
    held, turned = min(len(out), 8 * len(line)), 0 if little else 7
    for n in range(held):
        out[n] = (int(line[n >> 3]) >> ((n & 7) ^ turned)) & 1
    for n in range(held, len(out)):
        out[n] = 0


@private
def _unpack_all(out, line, little):
    """Unpack into a contiguous line, eight bits at a time."""
    mask, count = _BIG if little else _LITTLE, min(len(out) // 8, len(line))
    words = memory_as(out, _WORD, count, 0)
    for k in range(count):
        each = np.uint64(line[k]) * _EACH_BYTE
        words[k] = (((each & mask) + _BELOW) >> np.uint64(7)) & _EACH_BYTE
    _unpack(out[8 * count :], line[count:], little)


@private
def _packed_size(size, count):
    return (size + 7) // 8


@private
def _unpacked_size(size, count):
    """The requested number of bits of a line; a negative count leaves that many out."""
    if count is None:
        return 8 * size
    if count < 0 and 8 * size + count < 0:
        raise ValueError("-count larger than number of elements")
    return 8 * size + count if count < 0 else count


@private
def _changed(a, axis, count, little, change, change_all, size_of):
    """Pack or unpack each line along an axis, or all elements as one line."""
    k = axis_of(a, 0 if axis is None else axis) if a.ndim > 0 else 0
    if axis is None or a.ndim <= 1:
        line = a.ravel()
        out = np.empty(size_of(len(line), count), np.uint8)
        change_all(out, line, little)
        return out
    lines = lines_along(a, k)
    out = np.empty(replaced(a.shape, k, size_of(a.shape[k], count)), np.uint8)
    target = lines_along(out, k)
    for n in range(line_count(lines)):
        change(line_at(target, n), line_at(lines, n), little)
    return out


Bytes = Takes("an array of uint8", lambda a: is_array(a) and a.dtype is types.uint8)


@numpy(np.packbits)
def packbits(a: Integers, /, axis: IntegerOrNone = None, bitorder: Text = "big"):
    return _changed(a, axis, None, _is_little(bitorder), _pack, _pack_all, _packed_size)


@numpy(np.unpackbits)
def unpackbits(
    a: Bytes,
    /,
    axis: IntegerOrNone = None,
    count: IntegerOrNone = None,
    bitorder: Text = "big",
):
    return _changed(a, axis, count, _is_little(bitorder), _unpack, _unpack_all, _unpacked_size)
