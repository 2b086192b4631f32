"""The rules of the C dispatcher in plain Python: what fits a descriptor, and into which slots.

The same tests run both.  It is written to be read: what C does with pointers and fields, this
does with Python objects.  The descriptor language is described in runtime/cutaway_runtime.h.
"""

from __future__ import annotations

import struct
from typing import Any

import numpy as np

KINDS = {"i": np.signedinteger, "u": np.unsignedinteger}


class Mismatch(Exception):
    """The value does not fit the descriptor."""


def match(
    descriptors: tuple[bytes, ...], constants: tuple[Any, ...], args: tuple[Any, ...]
) -> list[int] | None:
    """The slots of a call's arguments; None where they do not fit.

    Raises OverflowError for a Python integer that needs more than 64 bits.  (Any: arguments of
    any type.)
    """
    if len(args) > len(descriptors):
        return None
    slots: list[int] = []
    try:
        for k, descriptor in enumerate(descriptors):
            if k < len(args):
                rest = unbox(descriptor, constants, args[k], slots)
                assert not rest, "a descriptor describes one value"
            elif descriptor != b"O":
                return None
    except Mismatch:
        return None
    return slots


def unbox(text: bytes, constants: tuple[Any, ...], value: Any, slots: list[int]) -> bytes:
    """Put one value into slots; gives the rest of the descriptor."""
    kind, rest = chr(text[0]), text[1:]
    if kind in "iufc":
        size = 16 if rest[:1] == b"g" else int(rest[:1])
        slots += _number(kind, size, value)
        return rest[1:]
    if kind == "A":
        slots += _array(*rest[:4], value)
        return rest[4:]
    if kind == "K":
        _need(value is constants[rest[0]])
        return rest[1:]
    if kind == "(":
        _need(type(value) is tuple)
        items = list(value)
        while rest[:1] != b")":
            _need(bool(items))
            rest = unbox(rest, constants, items.pop(0), slots)
        _need(not items)
        return rest[1:]
    if kind == "?":
        _need(isinstance(value, bool | np.bool_))
        slots.append(int(value))
    elif kind == "R":
        _need(isinstance(value, range))
        slots += [value.start, value.stop, value.step]
    else:
        _need(kind == "N" and value is None)  # what is left is O: no argument fits
    return rest


def _need(condition: bool) -> None:
    if not condition:
        raise Mismatch


def _number(kind: str, size: int, value: Any) -> list[int]:  # Any: an argument
    if kind in KINDS:
        if type(value) is int:
            _need(kind == "i" and size == 8)
            if not -(2**63) <= value < 2**63:
                raise OverflowError(f"the integer does not fit in int{8 * size}")
        else:
            _need(isinstance(value, KINDS[kind]) and value.dtype.itemsize == size)
            _need(not isinstance(value, np.timedelta64))
        return [_signed(int(value))]
    plain = {("f", 8): float, ("c", 16): complex}.get((kind, size))
    numpy_type = np.dtype(f"{kind}{size}").type
    _need(type(value) is plain or isinstance(value, numpy_type))
    parts = (value.real, value.imag) if kind == "c" else (value,)
    code = "<d" if size == (16 if kind == "c" else 8) else "<f"
    data = [struct.pack(code, float(part)) for part in parts]
    return [struct.unpack("<q", part.ljust(8, b"\0"))[0] for part in data]


def _array(number: int, ndim: int, layout: int, flags: int, value: Any) -> list[int]:
    # Any: an argument
    _need(type(value) is np.ndarray and value.dtype.num == number and value.dtype.isnative)
    _need(value.ndim == ndim)
    found = value.flags
    _need(chr(layout) == ("C" if found.c_contiguous else "F" if found.f_contiguous else "A"))
    _need(flags == (not found.writeable) + 2 * (not found.aligned))
    return [id(value) | 1, _signed(value.ctypes.data), *value.shape, *value.strides]


def _signed(number: int) -> int:
    return number - 2**64 if number >= 2**63 else number
