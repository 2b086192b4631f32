"""Made-up descriptors and arguments: the C guards and the rules in plain Python agree.

How many calls are made up, and which, is the corpus CALLS of `tests/corpora.py`.
"""

from __future__ import annotations

import array
import ctypes
import enum
import math
import random
from collections import namedtuple
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import corpora
from cutaway.dispatch_c import _dispatch, reference_guards

pytestmark = pytest.mark.sampled(fast=8)

CALLS = corpora.count("CALLS")
PARTS = 8

Point = namedtuple("Point", "x y")
Pair = namedtuple("Pair", "x y")
Single = namedtuple("Single", "x")


class Whole(int):
    pass


class Real(float):
    pass


class Imaginary(complex):
    pass


class Items(tuple):
    pass


class Grid(np.ndarray):
    pass


class Liar(np.int64):
    def __index__(self):
        return 7

    def __int__(self):
        return 7


class Narrow(np.float32):
    pass


class Color(enum.IntEnum):
    red = 3
    blue = 4


class Shape(enum.Enum):
    round = "o"
    square = 2.5


class Text(str):
    pass


class Data(bytes):
    pass


class Growing(bytearray):
    pass


class Index:
    def __index__(self):
        return 5


class Floating:
    def __float__(self):
        return 2.5


class Refusing:
    def __index__(self):
        raise KeyError("no")

    __float__ = __bool__ = __index__


class Row(np.record):
    pass


class Held:
    __slots__ = ()


class Holding(Held):
    __slots__ = ()


def other_dtypes() -> list[np.dtype]:
    """Dtypes that arrays other than of numbers have; those of records new ones each time."""
    plain = ["M8[s]", "m8[s]", "M8[25s]", "M8[ns]", "m8", "U3", "U4", "S3", "i8", "f2", "f4"]
    pair = [("x", "f8"), ("n", "i4")]
    records = [np.dtype(pair), np.dtype(pair, align=True), np.dtype([("x", "f8"), ("m", "i4")])]
    records += [np.dtype((np.record, pair)), np.dtype([("x", "f8"), ("n", "M8[s]"), ("s", "S3")])]
    records += [np.dtype([("a", "i1"), ("in", pair)]), np.dtype([("a", "i1"), ("in", "f8")])]
    records += [np.dtype({"names": ["x"], "formats": ["f8"], "offsets": [o]}) for o in (0, 4)]
    records += [np.dtype({"names": ["x"], "formats": ["f8"], "itemsize": 12})]
    return [*map(np.dtype, plain), *records]


def odd_dtypes() -> list[np.dtype]:
    """Dtypes that fit nothing, or nearly."""
    pair = [("x", "f8"), ("n", "i4")]
    odd = [[("x", ">f8"), ("n", "i4")], [(("title", "x"), "f8"), ("n", "i4")], [("x", "f8", 2)]]
    odd += [[("x", "f8"), ("n", "O")], ">M8[s]", ">U3", "V12", "O", "f2", "g", ">i4"]
    swapped = [np.dtype(pair).newbyteorder(), np.dtype(pair, metadata={"a": 1})]
    return [*map(np.dtype, odd), *swapped, np.dtype((Row, pair))]


SENTINEL = object()
CONSTANTS = (Point, Pair, Single, SENTINEL, math.sin, math.cos, len, True)  # the last a result
CONSTANTS += (tuple(Color), tuple(Shape))
DTYPES_FROM = len(CONSTANTS)
CONSTANTS += (*other_dtypes(), Held, Holding)
CLASSES = (Point, Pair, Single)
NUMBERS = [
    b"i1",
    b"i2",
    b"i4",
    b"i8",
    b"u1",
    b"u2",
    b"u4",
    b"u8",
    b"f2",
    b"f4",
    b"f8",
    b"c8",
    b"cg",
]
INTEGERS = [0, 1, -1, 2, 127, 128, -129, 255, 256, 2**31, -(2**31) - 1, 2**32, 2**30 - 1, 2**30]
INTEGERS += [2**63 - 1, 2**63, -(2**63), -(2**63) - 1, 2**64 - 1, 2**64, 2**70, -(2**70)]
REALS = [0.0, -0.0, 1.0, -1.0, 0.5, 3.0, 255.0, 256.0, 1e300, -1e39, 3.4e38, 1e-300, 2.0**63]
REALS += [float("inf"), -float("inf"), float("nan"), 2.0**53, 0.1]
SCALARS = [*"bhilqBHILQefdgFDG?"]
DTYPES = [*"bhilqBHILQefdgFDG?", ">i4", ">f8", "<i4", "M8[s]", "m8[s]", "O", "S3", "i4,f8"]
DTYPES += ["f8", "f8", "i8", "f2", "f4"]
ODD: list[Any] = [
    Text("text"),
    Data(b"bytes"),
    Growing(b"x"),
    "text",
    b"bytes",
    [],
    [1],
    {},
    SENTINEL,
    math.sin,
    math.cos,
    len,
    ...,
    int,
]
ODD += [Fraction(1, 2), Fraction(3), Decimal("2"), Decimal("0.5"), Color.red, Index(), Floating()]
ODD += [Refusing(), Whole(4), Whole(2**70), Real(2.0), Real(0.5), Imaginary(1j), Items((1, 2))]
ODD += [Liar(3), Narrow(1.5), np.timedelta64(3, "ms"), np.datetime64(3, "ns")]
ODD += [np.ma.zeros(3), np.zeros(3).view(Grid), np.array([1]), np.array(2), np.zeros((2, 2))]
ODD += [Held(), Holding(), Held, np.str_("a"), np.dtype("f8"), np.float64]
ODD += [np.void(b"abc"), np.bytes_(b"abc"), _dispatch.ABSENT]


def a_scalar(rng: random.Random) -> Any:
    dtype = np.dtype(rng.choice(SCALARS))
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        return dtype.type(rng.choice([0, 1, info.max, info.min, info.max // 2, 100]))
    with np.errstate(all="ignore"):
        return dtype.type(rng.choice(REALS))


def a_dtype(rng: random.Random) -> np.dtype:
    return rng.choice(other_dtypes() if rng.random() < 0.8 else odd_dtypes())


def another_scalar(rng: random.Random) -> Any:
    """A time, a record, a dtype, or an object."""
    dtype = a_dtype(rng)
    if rng.random() < 0.2:
        return rng.choice([dtype, Held(), Holding()])
    array = np.zeros(2, dtype)
    if dtype.kind in "mM":
        array[:] = np.array([rng.choice([0, -5, 2**62, -(2**63)])] * 2).view(dtype)
    array.flags.writeable = rng.random() < 0.7
    own = isinstance(array[1], np.generic) and rng.random() < 0.3
    return array[1].copy() if own else array[1]


def an_array(rng: random.Random) -> np.ndarray:
    dtype = np.dtype(rng.choice(DTYPES)) if rng.random() < 0.7 else a_dtype(rng)
    shape = [rng.choice([0, 1, 1, 2, 3, 3]) for _ in range(rng.choice([0, 1, 1, 2, 2, 3]))]
    count = math.prod(shape)
    if not dtype.hasobject and rng.random() < 0.2:  # one byte beside
        array = np.zeros(count * dtype.itemsize + 1, np.uint8)[1:].view(dtype).reshape(shape)
    else:
        array = np.zeros(shape, dtype, order=rng.choice("CCF"))
    way = rng.randrange(6)
    if way == 0:
        array = array.T
    elif way == 1 and array.ndim:
        array = array[:: rng.choice([1, 2, -1])]
    elif way == 2:
        array = np.broadcast_to(array, (2, *array.shape))
    elif way == 3 and array.ndim:
        array = array[..., ::2]
    if array.flags.writeable and rng.random() < 0.25:
        array.flags.writeable = False
    return array.view(Grid) if rng.random() < 0.05 else array


TEXTS = ["", "a", "text" * 9, "\xe9", "\u0101b", "\U0001f600", "\ud800", "x\0y"]
FORMATS = "bBhHiIlLqQnNfd?cP"


def a_text_or_buffer(rng: random.Random) -> Any:
    way = rng.randrange(5)
    if way == 0:
        return rng.choice([*TEXTS, *Color, *Shape])
    if way == 1:
        return bytes(rng.choice([0, 1, 5]))
    if way == 2:
        return bytearray(rng.choice([0, 1, 5]))
    if way == 3:
        return array.array(rng.choice("bBhHiIlLqQfd"), [1] * rng.choice([0, 1, 3]))
    return a_memoryview(rng)


def a_memoryview(rng: random.Random) -> memoryview:
    format = rng.choice(FORMATS)
    view = memoryview(rng.choice([bytes, bytearray])(96))
    if rng.random() < 0.2:  # one byte beside
        view = view[1:89]
    view = view.cast(format)
    way = rng.randrange(8)
    if way == 0:
        return view[:: rng.choice([2, -1, -3])]
    if way == 1:
        return view[: rng.choice([0, 1])]
    if way == 2:
        return memoryview(bytearray(96)).cast(format, (2, 6 * 8 // view.itemsize))
    if way == 3:
        order = rng.choice("CF")
        return memoryview(np.zeros((2, 3), rng.choice(["f8", "i4", ">i4", "c16"]), order=order))
    if way == 4:
        return memoryview(b"a").cast("B", ())
    if way == 5:
        view.release()
    return view


def a_value(rng: random.Random, depth: int = 0) -> Any:
    if rng.random() < 0.12:
        return a_text_or_buffer(rng)
    way = rng.randrange(13 if depth < 3 else 11)
    if rng.random() < 0.1:
        return another_scalar(rng)
    if way == 0:
        return rng.choice([True, False, None, None])
    if way <= 2:
        return rng.choice([rng.choice(INTEGERS), rng.randrange(-(2**64), 2**64), rng.randrange(9)])
    if way == 3:
        return rng.choice(REALS)
    if way == 4:
        return complex(rng.choice(REALS), rng.choice(REALS))
    if way <= 6:
        return a_scalar(rng)
    if way <= 8:
        return an_array(rng)
    if way == 9:
        bounds = [None, None, 0, 3, -2, 2**40, np.int64(4), np.longlong(4), np.int8(1), True]
        bounds += [Whole(3), 2**63, 1.0, "a"]
        if rng.random() < 0.3:
            low = rng.choice([0, 5, -(2**63), 2**63])
            return range(low, low + rng.randrange(9), rng.choice([1, 2, -3]))
        return slice(*(rng.choice(bounds[: rng.choice([5, 8, 14])]) for _ in range(3)))
    if way == 10:
        return rng.choice(ODD)
    items = [a_value(rng, depth + 1) for _ in range(rng.choice([0, 1, 2, 2, 3]))]
    if way == 11:
        return tuple(items)
    made = rng.choice(CLASSES)
    return made(*(items + [1, 2.5])[: len(made._fields)])


def the_descriptor(value: Any) -> bytes:
    """The descriptor that the value fits where there is one; else any."""
    match value:
        case bool() | np.bool_():
            return b"?"
        case None:
            return b"N"
        case np.ndarray():
            return an_array_descriptor(value)
        case Color():
            return b"E\x08"
        case Shape():
            return b"E\x09"
        case str():
            return b"U"
        case bytes():
            return b"BbB\x01C\x01"
        case bytearray():
            return b"BaB\x01C\x00"
        case array.array() if value.typecode != "u":
            return b"Br" + value.typecode.encode() + b"\x01C\x00"
        case memoryview():
            return a_memoryview_descriptor(value)
        case np.datetime64() | np.timedelta64() if dtype_place(value.dtype):
            return b"D" + bytes([dtype_place(value.dtype)])
        case np.void() if dtype_place(value.dtype):
            return b"V" + bytes([dtype_place(value.dtype), not value.flags.writeable])
        case np.dtype() if dtype_place(value):
            return b"Y" + bytes([dtype_place(value)])
        case Held():
            return b"X" + bytes([CONSTANTS.index(type(value))])
        case np.number() if value.dtype.kind != "m":
            size = value.dtype.itemsize
            text = value.dtype.kind + ("g" if (value.dtype.kind, size) == ("c", 16) else str(size))
            return text.encode() if text.encode() in NUMBERS else b"f8"
        case int():
            return b"i8"
        case float():
            return b"f8"
        case complex():
            return b"cg"
        case range():
            return b"R"
        case slice():
            bounds = (value.start, value.stop, value.step)
            return b"S" + bytes([sum(1 << k for k, b in enumerate(bounds) if b is not None)])
        case tuple():
            head = b"T" + bytes([CLASSES.index(type(value))]) if type(value) in CLASSES else b"("
            return head + b"".join(map(the_descriptor, value)) + b")"
    if any(value is constant for constant in CONSTANTS):
        return b"K" + bytes([[value is constant for constant in CONSTANTS].index(True)])
    return b"i8"


def a_memoryview_descriptor(value: memoryview) -> bytes:
    try:
        layout = b"C" if value.c_contiguous else b"F" if value.f_contiguous else b"A"
        format = value.format.removeprefix("<")
        if format not in FORMATS.rstrip("cP") or not value.ndim:
            format = "B"
        shape = bytes([value.ndim or 1])
        return b"Bm" + format.encode() + shape + layout + bytes([value.readonly])
    except ValueError:  # released
        return b"BmB\x01C\x00"


def dtype_place(dtype: np.dtype) -> int:
    """The place of an equal dtype among the constants, 0 where there is none."""
    for place, constant in enumerate(CONSTANTS):
        if isinstance(constant, np.dtype) and reference_guards.same_dtype(constant, dtype):
            return place
    return 0


def an_array_descriptor(value: np.ndarray) -> bytes:
    flags, number = value.flags, value.dtype.num
    layout = b"C" if flags.c_contiguous else b"F" if flags.f_contiguous else b"A"
    number = reference_guards.SAME.get(number, number)
    has = (not flags.writeable) + 2 * (not flags.aligned)
    place = dtype_place(value.dtype)
    if place and value.dtype.kind in "mMUSV":
        return b"G" + bytes([place, value.ndim]) + layout + bytes([has])
    number = number if value.dtype.kind in "biufc" else 12
    return b"A" + bytes([number, value.ndim]) + layout + bytes([has])


def a_descriptor(rng: random.Random, value: Any) -> bytes:
    """One that often fits, or nearly."""
    way = rng.randrange(10)
    if isinstance(value, tuple) and way < 7 and rng.random() < 0.7:
        head = the_descriptor(value)[: 2 if type(value) in CLASSES else 1]
        return head + b"".join(a_descriptor(rng, item) for item in value) + b")"
    if isinstance(value, np.ndarray) and way < 3:
        text = bytearray(an_array_descriptor(value))
        place = rng.choice([1, 2, 3, 4])
        other = rng.randrange(DTYPES_FROM, DTYPES_FROM + len(other_dtypes()))
        numbers = {1: 12 if text[:1] == b"A" else other, 2: value.ndim + 1}
        text[place] = {**numbers, 3: rng.choice(b"ACF"), 4: rng.randrange(4)}[place]
        return bytes(text)
    if isinstance(value, memoryview | bytearray | array.array) and way < 3:
        text = bytearray(the_descriptor(value))
        if text[1:2] == b"m":
            place = rng.choice([2, 3, 4, 5])
            choices = {2: b"BbdlqiI", 3: bytes([1, 2]), 4: b"ACF", 5: bytes([0, 1])}
            text[place] = rng.choice(choices[place])
        return bytes(text)
    if isinstance(value, np.generic | np.dtype) and way == 3:
        other = rng.randrange(DTYPES_FROM, DTYPES_FROM + len(other_dtypes()))
        while CONSTANTS[other].kind != "V":
            other += 1
        return rng.choice([b"V" + bytes([other, rng.randrange(2)]), b"Y" + bytes([other])])
    if way < 5:
        return the_descriptor(value)
    if way == 5:
        return b"M" + the_descriptor(value)
    if way == 6:
        return rng.choice(
            [
                *NUMBERS,
                b"?",
                b"N",
                b"R",
                b"S\3",
                b"K\4",
                b"O",
                b"T\1i8f8)",
                b"U",
                b"E\x08",
                b"BaB\1C\0",
            ]
        )
    if way == 7:
        return b"M" + a_descriptor(rng, a_value(rng, 2))
    if way == 8:
        return the_descriptor(a_value(rng))
    return rng.choice(NUMBERS)


def outcome(call, arguments: tuple[Any, ...]) -> Any:
    """What a call gives: True where it fits, False where it does not, else what it raises."""
    try:
        return call(*arguments)
    except Exception as error:
        return False if "do not fit this specialization" in str(error) else type(error)


class Half:
    """A Python half that has nothing to offer."""

    def resolve(self, args, kwargs):
        raise TypeError("the arguments do not fit this specialization")


def calls_of(spec, count: int) -> list[tuple[bool, Any]]:
    """The ways to call a specialization of so many parameters, with whether they convert."""
    names = tuple(f"a{k}" for k in range(count))
    dispatcher = _dispatch.Dispatcher(Half(), names, count)
    dispatcher._add(spec)

    def by_keywords(*values):
        if len(values) > count:
            return dispatcher(*values)
        return dispatcher(*values[:1], **dict(list(zip(names, values))[:0:-1]))

    found = [(False, spec.exactly), (True, spec)]
    if dispatcher._hot:  # else guards do not decide alone
        found += [(False, dispatcher), (False, by_keywords)]
    return found


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("part", range(PARTS))
def test_guards_agree_with_the_rules(native, part):
    rng = random.Random(corpora.seed("CALLS", part))
    entry = ctypes.cast(native.nothing, ctypes.c_void_p).value
    seen = (ctypes.c_int64 * 1024).in_dll(native, "seen")
    count = ctypes.c_int64.in_dll(native, "count")
    fitting = 0
    for _ in range(CALLS // PARTS):
        values = tuple(a_value(rng) for _ in range(rng.choice([0, 1, 1, 1, 2, 3, 6])))
        texts = tuple(a_descriptor(rng, value) for value in values)
        if rng.random() < 0.1:
            texts += rng.choice([(b"O",), (b"O", b"O"), (b"i8",)])
        elif rng.random() < 0.05:
            texts = texts[:-1]
        spec = _dispatch.Specialization(entry, texts, b"K\7", CONSTANTS)
        for lenient, call in calls_of(spec, len(texts)):
            slots: list[int] = []

            def rules(*arguments, lenient=lenient, slots=slots):
                found = reference_guards.match(texts, CONSTANTS, arguments, lenient)
                slots += found or ()
                return found is not None

            expected = outcome(rules, values)
            count.value = len(slots)
            found = outcome(call, values)
            assert found == expected, (texts, values, call)
            assert seen[: len(slots)] == slots or not expected, (texts, values, call)
            fitting += expected is True
    assert fitting > CALLS // PARTS // 4
