"""Cases of texts, buffers and members of enumerations; part of the table in `cases`."""

from __future__ import annotations

import array
import collections
import enum

import numpy as np

import cutaway
from corpus.programs.cases import case


class Color(enum.Enum):
    RED = "r"
    GREEN = "green"
    CRIMSON = "r"  # an alias
    BLUE = "b"


class Size(enum.Enum):
    SMALL = (1, 2.5)
    LARGE = (3, -0.5)


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2**62
    NONE = -1
    OFF = 0


class Step(int, enum.Enum):
    DOUBLED = 2
    TRIPLED = 3

    def __new__(cls, value):
        member = int.__new__(cls, value * 10)
        member._value_ = value
        return member


class Flat(enum.Enum):
    ON = True
    OFF = False


FAVORITE = Color.BLUE
HIGHEST = Level.HIGH
Named = collections.namedtuple("Named", "text data color")  # noqa: PYI024

STRINGS = ("", "a", "abc", "caf\xe9", "\u0101b", "\U0001f600", "a\0b", "\ud800", "x" * 300)
PAIRS = [(s, t) for s in STRINGS[:8] for t in ("", "abc", "caf\xe9", "\u0101b", "\U0001f600")]


def packed(typecode, *values):
    return array.array(typecode, values)


def view(values, format, *shape):
    data = bytearray(array.array(format, values).tobytes())
    return memoryview(data).cast(format, shape) if shape else memoryview(data).cast(format)


# --- str and bytes ----------------------------------------------------------------------------


@case(*((s,) for s in STRINGS))
def length_and_truth_of_a_string(s):
    return len(s), bool(s), not s, 1 if s else 2, s is None, isinstance(s, str), type(s) is str


@case(*PAIRS)
def strings_are_compared(s, t):
    return s == t, s != t, (s, 1) == (t, 1), s in (t, "abc"), s in ("caf\xe9", "\u0101b")


@case(*((s,) for s in STRINGS))
def a_string_is_compared_with_constants(s):
    if s == "abc" or "caf\xe9" == s:
        return 1
    if s == "\u0101b" or s != s or s == 3 or s is None:
        return 2
    return 3 if s in ("a", "\U0001f600", "\ud800", "a\0b") else 4


@case(*((s, n) for s in STRINGS for n in (0, 1, 2)))
def a_string_or_a_constant(s, n):
    t = "caf\xe9" if n == 0 else "\U0001f600"
    u = s if n == 1 else t
    return u, len(u), u == s, u if n else None


@cutaway.jit
def _longer(s, t):
    return s if len(s) >= len(t) else t


@case(("ab", "c"), ("", "\xe9"), ("\u0101", "b"))
def strings_are_passed_on(s, t):
    best = s
    for k in range(3):
        best = _longer(best, t) if k < 2 else s
    return best, (t, (s,))


@case(("abc",), ("\u0101",))
def a_string_is_raised(s):
    raise ValueError("bad", s, f"<{s}>", f"{s!r:>8}")


@case(("ab", 1), ("ab", 0), ("\u0101", 1))
def a_string_or_nothing(s, n):
    t = s if n else None
    if t is None:
        return -1, False, None
    return len(t), t == "ab", t


@case((b"", 1), (b"ab", 0), (b"ab", 1), (b"\xff\0", 1))
def bytes_are_compared(b, n):
    c = b if n else b"ab"
    return b == b"ab", b"" != b, b in (b"\xff\0", b""), c, len(c), c == b, bool(b), b is None


# --- items ------------------------------------------------------------------------------------


BUFFERS = [
    lambda: b"abc\xff",
    lambda: bytearray(b"\0\x80z"),
    lambda: memoryview(b"abc"),
    lambda: memoryview(bytearray(b"abcdefg"))[::-2],
    lambda: packed("b", -1, 2, 100),
    lambda: packed("H", 65535, 2, 100),
    lambda: packed("q", -(2**63), 2, 2**63 - 1),
    lambda: packed("Q", 2**64 - 1, 2, 100),
    lambda: packed("f", 0.5, -2, 1e30),
    lambda: packed("d", 0.1, -0.0, 1e300),
    lambda: view((1, -2, 3), "i"),
    lambda: memoryview(b"\0\1\2").cast("?"),
    lambda: memoryview(np.arange(12.0).reshape(3, 4)[:, 1]),
    lambda: b"",
    lambda: bytearray(),
    lambda: packed("l"),
    lambda: memoryview(bytearray(17))[1:].cast("d"),
]
INDEXED = [lambda m=make, i=i: (m(), i) for make in BUFFERS for i in (0, 2, -1, -4, 3, 2**62)]


@case(*INDEXED)
def an_item_of_a_buffer(b, i):
    return b[i], len(b), bool(b), not b


@case(*(lambda m=make: (m(),) for make in BUFFERS))
def items_of_a_buffer_are_gone_through(b):
    total = 0.0
    for k, x in enumerate(b):
        total = total * 0.75 + x + k
    pairs = 0
    for x, y in zip(b, b):
        pairs += 1 if x == y else 100
    return total, pairs, 0 if b else 1


@case((b"ab\xff",), (b"",))
def items_are_integers_of_python(b):
    product = 1
    for x in b:
        product = product * x * x
    return product


WRITTEN = [
    lambda: bytearray(3),
    *(lambda c=code: packed(c, 1, 2, 3) for code in "bBhHiIlLqQ"),
    *(lambda c=code: view((1, 2, 3), c) for code in "bBhHiIlLqQ"),
]
VALUES = (0, 127, 128, -1, -129, 256, 32768, -32769, 65536, 2**31, -(2**31) - 1, 2**32, -(2**63))


@case(*(lambda m=make, v=value: (m(), 1, v) for make in WRITTEN for value in VALUES))
def an_item_is_assigned(b, i, value):
    b[i] = value
    return b


@case(
    *(lambda m=make, i=i, v=v: (m(), i, v) for make in WRITTEN for i in (-3, 3) for v in (1, 300))
)
def an_item_that_is_not_there_is_assigned(b, i, value):
    b[i] = value
    return b[i]


@case(*(lambda m=make: (m(),) for make in WRITTEN))
def items_of_other_types_are_assigned(b):
    b[0] = True
    b[np.uint8(1)] = np.uint64(7)
    b[2] += 1
    return b


@case(*(lambda c=code: (packed(c, 1, 2), np.uint64(2**64 - 1)) for code in "bBhHiIlLqQ"))
def a_large_item_is_assigned(b, value):
    b[0] = value
    return b


@case(
    lambda: (packed("f", 1, 2), 0.1),
    lambda: (packed("d", 1, 2), 3),
    lambda: (packed("f", 1, 2), 1e300),
    lambda: (view((1, 2), "d"), 0.1),
    lambda: (view((1, 2), "f"), True),
    lambda: (view((1, 2), "B").cast("?"), 0.5),
    lambda: (view((1, 2), "B").cast("?"), 0),
)
def a_float_is_assigned(b, value):
    b[1] = value
    return b, b[1]


MATRICES = [
    lambda: view(range(6), "i", 2, 3),
    lambda: memoryview(np.arange(6.0).reshape((2, 3), order="F")),
    lambda: memoryview(np.arange(24.0).reshape(4, 6)[::2, ::-2]),
]


@case(*(lambda m=m, i=i, j=j: (m(), i, j) for m in MATRICES for i in (0, -2, 2) for j in (2, -4)))
def a_view_of_two_dimensions(m, i, j):
    m[i, j] = 7
    return m[i, j], m[0, 0], m.shape, m.ndim, m.nbytes, m.strides, m.itemsize, m.readonly, len(m)


@case(
    lambda: (bytearray(b"abc"), packed("i", 1, 2), b"xyz"),
    lambda: (bytearray(b"abc"), packed("d", 1), memoryview(b"q")),
)
def buffers_come_back(a, b, c):
    return c, (b, a), a if len(a) > 5 else None


# --- enumerations -----------------------------------------------------------------------------


@case(*((c, d) for c in Color for d in (Color.RED, Color.BLUE)))
def members_are_compared(c, d):
    same = c == d, c != d, c is d, c is not d, (c, 1) == (d, 1), c in (d, Color.GREEN)
    return (
        same,
        c is Color.CRIMSON,
        c == FAVORITE,
        c is None,
        c == "r",
        bool(c),
        not c,
        c == Level.LOW,
    )


@case(*((c,) for c in Color))
def members_are_chosen(c):
    if c is Color.RED:
        return Color.BLUE, FAVORITE
    other = Color.GREEN if c is Color.BLUE else c
    return other, c if other is c else FAVORITE


@case(*((c, s, f) for c in Color for s in Size for f in Flat))
def values_and_names_of_members(c, s, f):
    width = 0
    for part in s.value:
        width += part
    return c.value, c.name, s.value, s.name, width, f.value, c.value == "r", c.name != "RED"


@case(*((level, n) for level in Level for n in (0, 3)))
def members_that_are_integers(level, n):
    numbers = level + n, n - level, level * 2.5, -level, level & 3, level // 2 if n else level % 5
    order = (
        level < n,
        level == n,
        level != 1,
        level <= HIGHEST,
        level == Level.LOW,
        level is HIGHEST,
    )
    return numbers, order, abs(level), bool(level), not level, int(level), float(level), level.value


@case(*((level,) for level in (Level.LOW, Level.OFF, Level.NONE)))
def a_member_is_an_index(level):
    a = np.arange(1.5, 4)
    t = (10, 20, 30)
    s = 0.0
    for k in range(level, 2):
        s += a[k]
    return a[level], t[level], s, a[level:].size, level if s > 3 else Level.HIGH


@case((Step.DOUBLED,), (Step.TRIPLED,))
def a_member_with_another_value(step):
    return step + 1, step.value, step == 20, step is Step.DOUBLED, step, step.name


@case((Color.RED, 1), (Color.RED, 0))
def a_member_or_none(c, n):
    d = c if n else None
    return d, d is None, d == Color.RED, d is Color.RED, d is not Color.BLUE, d is c, d is d


@case(
    (Color.RED, Level.LOW),
)
def members_are_raised(c, level):
    raise KeyError(c, level, f"{level} {c.name}")


@case(
    ((Named("a", b"b", Color.RED), ("x", (Level.LOW,))),),
    ((Named("", b"", Color.BLUE), ("\u0101", (Level.OFF,))),),
)
def objects_in_tuples(t):
    named, (text, (level,)) = t
    return named, named.color is Color.RED, text, level, (named.text, level), len(named.data)


@case(("a", b"b", Color.RED), ("a",), ())
def objects_as_star_arguments(*args):
    return args, len(args)
