"""The guards of the C dispatcher in plain Python: values that fit a descriptor, and their slots.

The same tests run both.  It is written for readers: C uses pointers and fields, this uses Python
objects.  The descriptor language is described in runtime/cutaway_runtime.h.
"""

from __future__ import annotations

import array
import ctypes
import operator
import struct
import sys
from collections import deque
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from cutaway.dispatch_c._dispatch import ABSENT
from cutaway.foundation.dataclass import dataclass, field

SAME = {np.dtype("q").num: np.dtype("l").num, np.dtype("Q").num: np.dtype("L").num}
CONVERSIONS = ("__index__", "__int__", "__float__")
NATIVE = -1  # in the place of an owner, whose address Python does not have


class Mismatch(Exception):
    """The value does not fit the descriptor."""


def match(
    descriptors: tuple[bytes, ...],
    constants: tuple[Any, ...],
    args: Sequence[Any],
    lenient: bool = False,
) -> list[int] | None:
    """Return the slots of a call's arguments; None if they do not fit.

    With `lenient` numbers are converted as explicit signatures allow; then this raises
    OverflowError for an integer that needs more bits, and the exceptions of conversions.  Guards
    raise nothing.
    """
    if len(args) > len(descriptors):
        return None
    guard = Guard(constants, lenient)
    try:
        for k, descriptor in enumerate(descriptors):
            value = args[k] if k < len(args) else ABSENT
            if value is ABSENT:
                _need(descriptor == b"O")
            else:
                rest = guard.unbox(descriptor, value)
                assert not rest, "a descriptor describes one value"
    except Mismatch:
        return None
    except OverflowError:
        if lenient:
            raise
        return None
    return guard.slots


@dataclass
class Guard:
    """The guard of one specialization, and the slots that are filled so far."""

    constants: tuple[Any, ...]
    lenient: bool
    slots: list[int] = field(default_factory=list)

    def unbox(self, text: bytes, value: Any) -> bytes:
        """Put one value into slots; returns the rest of the descriptor."""
        kind, row = chr(text[0]), KINDS[chr(text[0])]
        own, rest = text[1 : 1 + row.bytes], text[1 + row.bytes :]
        if row.inside:
            return row.put(self, kind, own, rest, value)
        self.slots += row.put(self, kind, own, value)
        return rest

    def _number(self, kind: str, own: bytes, value: Any) -> list[int]:
        size = 16 if own == b"g" else int(own)
        if kind == "f":
            return self._real(size, value)
        if kind == "c":
            return self._complex(size, value)
        return [self._integer(kind, size, value)]

    def _choice(self, kind: str, own: bytes, value: Any) -> list[int]:
        places = [k for k, one in enumerate(self.constants[own[0]]) if one is value]
        _need(bool(places))
        return places[:1]

    def _same(self, kind: str, own: bytes, value: Any) -> list[int]:
        constant = self.constants[own[0]]
        _need(value is constant if kind == "K" else type(value) is type(constant))
        _need(kind == "K" or value == constant)
        return []

    def _optional(self, kind: str, own: bytes, rest: bytes, value: Any) -> bytes:
        self.slots.append(int(value is not None))
        if value is not None:
            return self.unbox(rest, value)
        count, rest = _width(rest)
        self.slots += [0] * count
        return rest

    def _tuple(self, kind: str, own: bytes, rest: bytes, value: Any) -> bytes:
        cls = tuple if kind == "(" else self.constants[own[0]]
        _need(type(value) is cls and len(value) == _items(rest))
        return self._each(value, rest)

    def _container(self, kind: str, own: bytes, rest: bytes, value: Any) -> bytes:
        if own[0] & 2 and hasattr(value, "_type"):  # a native container: its slot is its owner
            _need(value._type is self.constants[own[1]])
            self.slots.append(NATIVE)
            return _width(_width(rest)[1])[1] if kind == "I" else _width(rest)[1]
        plain, frozen = {"H": (list, tuple), "Q": (set, frozenset), "I": (dict, dict)}[kind]
        _need(type(value) is (deque if own[0] & 16 else frozen if own[0] & 4 else plain))
        _need(not own[0] & 2 or self.lenient)
        only_empty = bool(own[0] & 1)
        _need(not only_empty if value else only_empty or self.lenient)
        first, behind = rest, _width(rest)[1]
        contents = [(first, value)]
        if kind == "I":
            contents, behind = [*contents, (behind, value.values())], _width(behind)[1]
        self.slots.append(0)  # the copy is made when all arguments fit
        for text, items in contents:
            for item in items:
                Guard(self.constants, self.lenient).unbox(text, item)
        return behind

    def _composite(self, kind: str, own: bytes, rest: bytes, value: Any) -> bytes:
        names = self.constants[own[1]]
        _need(type(value) is self.constants[own[0]])
        _need(all(hasattr(value, name) for name in names))
        return self._each([getattr(value, name) for name in names], rest)

    def _each(self, items: Iterable[Any], rest: bytes) -> bytes:
        for item in items:
            rest = self.unbox(rest, item)
        return rest[1:]

    def _integer(self, kind: str, size: int, value: Any) -> int:
        if isinstance(value, np.integer):
            _need(value.dtype.kind in "iu")  # a timedelta64 is none
            same = value.dtype.kind == kind and value.dtype.itemsize == size
        else:
            same = type(value) is int and kind == "i" and size == 8
        _need(same or self.lenient)
        if isinstance(value, np.integer | np.bool_):
            value = value.item()
        elif isinstance(value, float | np.floating):
            value = float(value)
            if not value.is_integer():
                raise TypeError(f"{value!r} is not an integer, which the signature asks for")
            value = int(value)
        _need(hasattr(type(value), "__index__"))
        return _fits(kind, size, operator.index(value))

    def _real(self, size: int, value: Any) -> list[int]:
        same = type(value) is float and size == 8 or isinstance(value, np.dtype(f"f{size}").type)
        if not same:
            _need(self.lenient and not isinstance(value, complex | np.complexfloating))
            _need(_is_number(value))
        return [_float_slot(size, float(value))]

    def _complex(self, size: int, value: Any) -> list[int]:
        same = type(value) is complex and size == 16
        same = same or isinstance(value, np.dtype(f"c{size}").type)
        _need(same or (self.lenient and _is_number(value)))
        number = complex(value)
        return [_float_slot(size // 2, part) for part in (number.real, number.imag)]

    def _boolean(self, kind: str, own: bytes, value: Any) -> list[int]:
        if not isinstance(value, bool | np.bool_):
            _need(self.lenient and _is_number(value))
            if not value == bool(value):
                raise TypeError(f"{value!r} is neither 0 nor 1, and the signature asks for a bool")
        return [int(bool(value))]

    def _opaque(self, kind: str, own: bytes, value: Any) -> list[int]:
        _need(type(value) is self.constants[own[0]])
        return [id(value) | 1]

    def _dtype(self, kind: str, own: bytes, value: Any) -> list[int]:
        _need(isinstance(value, np.dtype) and same_dtype(self.constants[own[0]], value))
        return []

    def _element(self, kind: str, own: bytes, value: Any) -> list[int]:
        dtype = self.constants[own[0]]
        _need(type(value) is dtype.type and same_dtype(dtype, value.dtype))
        if kind == "D":
            return [int(value.view(np.int64))]
        readonly = not value.flags.writeable
        _need(readonly <= own[1] if self.lenient else readonly == own[1])
        return [id(value) | 1, _signed(_address(value))]

    def _array(self, kind: str, own: bytes, value: Any) -> list[int]:
        number, ndim, layout, flags = own
        _need(isinstance(value, np.ndarray) if self.lenient else type(value) is np.ndarray)
        array_flags, dtype = value.flags, value.dtype
        _need(value.ndim == ndim)
        if kind == "G":
            _need(same_dtype(self.constants[number], dtype))
        else:
            _need(number == SAME.get(dtype.num, dtype.num) and dtype.isnative)
        order = "C" if array_flags.c_contiguous else "F" if array_flags.f_contiguous else "A"
        has = (not array_flags.writeable) + 2 * (not array_flags.aligned)
        if self.lenient:
            _need(chr(layout) in ("A", order) and not has & ~flags)
        else:
            _need(chr(layout) == order and flags == has)
        return [id(value) | 1, _signed(value.ctypes.data), *value.shape, *value.strides]


def same_dtype(known: np.dtype[Any], other: np.dtype[Any]) -> bool:
    """True if two dtypes describe memory alike, with native byte order in the other one.

    Alignment of records is ignored: no rule depends on it.
    """
    if SAME.get(other.num, other.num) != SAME.get(known.num, known.num) or not other.isnative:
        return False
    if known.kind in "mM":
        return np.datetime_data(known) == np.datetime_data(other)
    if known.kind in "USV" and known.itemsize != other.itemsize:
        return False
    if known.subdtype or other.subdtype:
        alike = known.shape == other.shape and bool(known.subdtype) and bool(other.subdtype)
        return alike and same_dtype(known.base, other.base)
    return known.kind != "V" or (known.type is other.type and _same_fields(known, other))


def _same_fields(known: np.dtype[Any], other: np.dtype[Any]) -> bool:
    if not other.names or any(type(name) is not str for name in other.names):
        return False
    if known.names != other.names:
        return False
    pairs = [(known.fields[name], other.fields[name]) for name in other.names]  # type: ignore[index]
    return all(
        len(theirs) == 2 and mine[1] == theirs[1] and same_dtype(mine[0], theirs[0])
        for mine, theirs in pairs
    )


def _address(record: Any) -> int:
    """Return the address of a record's memory, which it exports as a buffer."""
    return int(np.frombuffer(record, np.uint8).ctypes.data)


def _need(condition: bool) -> None:
    if not condition:
        raise Mismatch


def _is_number(value: Any) -> bool:
    if isinstance(value, complex | np.character):  # NumPy's texts have the methods all the same
        return isinstance(value, complex)
    return any(hasattr(type(value), name) for name in CONVERSIONS)


def _none(guard: Guard, kind: str, own: bytes, value: Any) -> list[int]:
    _need(kind == "N" and value is None)  # an omitted value is O: no argument fits
    return []


def _range(guard: Guard, kind: str, own: bytes, value: Any) -> list[int]:
    _need(isinstance(value, range))
    return [_fits("i", 8, n) for n in (value.start, value.stop, value.step)]


def _width(text: bytes) -> tuple[int, bytes]:
    """Return the number of slots of a descriptor's first value, and the rest of it."""
    row = KINDS[chr(text[0])]
    own, rest = text[1 : 1 + row.bytes], text[1 + row.bytes :]
    total = row.slots + (own[row.each] * row.times if row.each is not None else 0)
    if chr(text[0]) == "S":
        total = own[0].bit_count()
    if row.inside == ONE:
        count, rest = _width(rest)
        return total + count, rest
    for _ in range({ELSEWHERE: 1, TWO_ELSEWHERE: 2}.get(row.inside, 0)):
        rest = _width(rest)[1]
    while row.inside == ITEMS and rest[:1] != b")":
        count, rest = _width(rest)
        total += count
    return total, rest[row.inside == ITEMS :]


def _items(text: bytes) -> int:
    """Return the number of values up to a bracket."""
    count = 0
    while text[:1] != b")":
        count, text = count + 1, _width(text)[1]
    return count


# The offset of a string's characters, after the fields of its object; by whether all are ASCII.
_ASCII_FIELDS = sys.getsizeof("ab") - 3
_FIELDS = sys.getsizeof("\u0100\u0101") - 6


def _text(guard: Guard, kind: str, own: bytes, value: Any) -> list[int]:
    _need(type(value) is str)
    widest = max(map(ord, value), default=0)
    width = 1 if widest < 2**8 else 2 if widest < 2**16 else 4
    fields = _ASCII_FIELDS if widest < 128 else _FIELDS
    return [id(value) | 1, id(value) + fields, len(value), width]


def _buffer(guard: Guard, kind: str, text: bytes, value: Any) -> list[int]:
    classes = {"b": bytes, "a": bytearray, "m": memoryview, "r": array.array}
    _need(type(value) is classes[chr(text[0])])
    try:
        view = memoryview(value)
    except ValueError:  # released
        raise Mismatch from None
    with view:
        order = "C" if view.c_contiguous else "F" if view.f_contiguous else "A"
        properties = (view.format.removeprefix("@"), view.ndim, order, view.readonly)
        _need(properties == (chr(text[1]), text[2], chr(text[3]), bool(text[4] & 1)))
        _need(view.itemsize == struct.calcsize(chr(text[1])) and not view.suboffsets)
        return [id(value) | 1, _first_item(view), *view.shape, *view.strides]  # type: ignore[misc]


def _first_item(view: memoryview[Any]) -> int:
    """Return the address of the first item of a memoryview."""
    held = (ctypes.c_char * 256)()  # room for a Py_buffer, whose first field it is
    get, give = ctypes.pythonapi.PyObject_GetBuffer, ctypes.pythonapi.PyBuffer_Release
    get(ctypes.py_object(view), ctypes.byref(held), 0x011C)  # PyBUF_FULL_RO
    try:
        return _signed(ctypes.c_void_p.from_buffer(held).value or 0)
    finally:
        give(ctypes.byref(held))


def _slice(guard: Guard, kind: str, own: bytes, value: Any) -> list[int]:
    _need(isinstance(value, slice))
    (flags,) = own
    slots = []
    for k, bound in enumerate((value.start, value.stop, value.step)):
        if not flags >> k & 1:
            _need(bound is None)
            continue
        _need(isinstance(bound, int | np.int64 | np.longlong) and not isinstance(bound, bool))
        slots.append(_fits("i", 8, int(bound)))
    return slots


def _fits(kind: str, size: int, value: int) -> int:
    bits = 8 * size
    low, high = (-(2 ** (bits - 1)), 2 ** (bits - 1)) if kind == "i" else (0, 2**bits)
    if not low <= value < high:
        raise OverflowError(f"the integer does not fit in {'u' * (kind == 'u')}int{bits}")
    return _signed(value)


def _float_slot(size: int, number: float) -> int:
    """Return the bits of a float; struct raises OverflowError if it is too large for its bytes."""
    data = struct.pack({2: "<e", 4: "<f", 8: "<d"}[size], number)
    return struct.unpack("<q", data.ljust(8, b"\0"))[0]


def _signed(number: int) -> int:
    return number - 2**64 if number >= 2**63 else number


ONE, ITEMS = "another value", "values up to a bracket"
ELSEWHERE, TWO_ELSEWHERE = "a value in other memory", "two values in other memory"


@dataclass(frozen=True)
class ValueKind:
    """One kind of values, as a row of `kinds.c`: the bytes of a descriptor that belong to it, the
    slots of its value (with `times` as many as byte `each` says), the values inside, and the
    function that puts a value into slots."""

    bytes: int
    slots: int
    put: Any
    inside: str = ""
    each: int | None = None
    times: int = 1


KINDS = {
    "?": ValueKind(0, 1, Guard._boolean),
    "i": ValueKind(1, 1, Guard._number),
    "u": ValueKind(1, 1, Guard._number),
    "f": ValueKind(1, 1, Guard._number),
    "c": ValueKind(1, 2, Guard._number),
    "N": ValueKind(0, 0, _none),
    "O": ValueKind(0, 0, _none),
    "A": ValueKind(4, 2, Guard._array, each=1, times=2),
    "G": ValueKind(4, 2, Guard._array, each=1, times=2),
    "D": ValueKind(1, 1, Guard._element),
    "V": ValueKind(2, 2, Guard._element),
    "Y": ValueKind(1, 0, Guard._dtype),
    "X": ValueKind(1, 1, Guard._opaque),
    "(": ValueKind(0, 0, Guard._tuple, ITEMS),
    "T": ValueKind(1, 0, Guard._tuple, ITEMS),
    "P": ValueKind(2, 0, Guard._composite, ITEMS),
    "M": ValueKind(0, 1, Guard._optional, ONE),
    "H": ValueKind(2, 1, Guard._container, ELSEWHERE),
    "Q": ValueKind(2, 1, Guard._container, ELSEWHERE),
    "I": ValueKind(2, 1, Guard._container, TWO_ELSEWHERE),
    "S": ValueKind(1, 0, _slice),
    "R": ValueKind(0, 3, _range),
    "K": ValueKind(1, 0, Guard._same),
    "L": ValueKind(1, 0, Guard._same),
    "E": ValueKind(1, 1, Guard._choice),
    "U": ValueKind(0, 4, _text),
    "B": ValueKind(5, 2, _buffer, each=2, times=2),
}
