"""Texts, buffers and members of enumerations as arguments: identity, references, exports."""

from __future__ import annotations

import array
import enum
import gc
import itertools
import sys
import threading
import typing

import numpy as np
import pytest

import cutaway
from cutaway.dispatch import resolution
from cutaway.dispatch_c import _dispatch
from cutaway.errors import CutawayError
from cutaway.typing.types import Optional
from cutaway.typing.values.typeof import typeof

pytestmark = pytest.mark.sampled(test=3, others=9, fast=40)


class Color(enum.Enum):
    RED = "r"
    BLUE = "b"


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 7


Wide = enum.Enum("Wide", [f"member_{k}" for k in range(1000)])


class Pair(typing.NamedTuple):
    text: object
    data: object


OBJECTS = [
    "".join(["te", "xt"]),
    "\xe9" * 3,
    "\u0101" * 3,
    "\U0001f600" * 3,
    "",
    bytes([1, 2, 3]),
    b"",
    bytearray(b"abc"),
    bytearray(),
    memoryview(b"abc"),
    memoryview(bytearray(b"abc")),
    memoryview(bytearray(10))[::-3],
    memoryview(bytearray(16)).cast("d"),
    memoryview(np.zeros((2, 3), order="F")),
    memoryview(np.zeros((4, 3), np.int16)[::2]),
    *(array.array(code, [1, 2]) for code in "bBhHiIlLqQfd"),
    array.array("i"),
    Color.RED,
    Color.BLUE,
    Level.LOW,
    Level.HIGH,
    Wide.member_0,
    Wide.member_999,
]
MUTABLE = [
    lambda: bytearray(b"abc"),
    lambda: array.array("d", [1.0, 2.0]),
    lambda: memoryview(bytearray(b"abc")),
]


@cutaway.jit
def same(x):
    return x


@cutaway.jit
def two(x, y):
    return (y, x), x


@cutaway.jit
def star(*args):
    return args


def exports_of(value):
    """Whether somebody holds the memory of a buffer."""
    if isinstance(value, memoryview):
        try:
            value[:0].release()
            value.release()
        except BufferError:
            return True
        return False
    try:
        value.append(1)
        value.pop()
    except BufferError:
        return True
    return False


# --- the very same object -------------------------------------------------------------------------


@pytest.mark.parametrize("value", OBJECTS, ids=lambda value: type(value).__name__)
def test_an_argument_that_is_returned_is_the_very_same_object(value):
    for _ in range(3):
        assert same(value) is value
        (first, second), third = two(1, value)
        assert first is value and second == third == 1
        assert star(value, (value, 1))[1][0] is value
        pair = Pair(value, 2.5)
        assert same(pair)[0] is value and type(same(pair)) is Pair


def test_each_object_has_one_type_and_the_guard_of_its_type_takes_it_alone():
    @cutaway.jit
    def f(x):
        return x

    values = [*OBJECTS, True, 1, 2.5, None, (1, "a"), ("a", b"b"), np.zeros(3), np.int8(1)]
    for value in values:
        f(value)
    assert f.signatures == list(dict.fromkeys((typeof(value),) for value in values))
    for signature in f.signatures:
        alone = _dispatch.Dispatcher(Refusing(), ("x",), 1)
        alone._add(f.overloads[signature])
        for value in values:
            if signature == (typeof(value),):
                assert alone(value) is value or isinstance(value, tuple | np.generic | float | int)
            else:
                with pytest.raises(LookupError):
                    alone(value)


class Refusing:
    def resolve(self, args, kwargs):
        raise LookupError("slow path")


def test_the_second_call_does_not_ask_python():
    asked = []
    half = same.half
    resolve = type(half).resolve
    half.resolve = lambda args, kwargs: asked.append(args) or resolve(half, args, kwargs)
    try:
        for value in OBJECTS:
            same(value)
        asked.clear()
        for value in OBJECTS:
            same(value)
    finally:
        del half.resolve
    assert not asked


# --- references and exports -----------------------------------------------------------------------


@cutaway.jit
def fails(x, n):
    if n > 0:
        raise ValueError("no")
    return x


@pytest.mark.parametrize("value", OBJECTS, ids=lambda value: type(value).__name__)
def test_references_stay_flat_on_every_path(value):
    released = memoryview(b"a")
    released.release()

    def run():
        same(value)
        two(value, value)
        star(value, value, value)
        fails(value, 0)
        for call in (
            lambda: fails(value, 1),
            lambda: fails(value, 2**70),
            lambda: two(value, released),
            lambda: same(value, value),
        ):
            with pytest.raises((ValueError, OverflowError, TypeError, CutawayError)):
                call()

    for _ in range(3):
        run()
    gc.collect()
    before = sys.getrefcount(value)
    for _ in range(50):
        run()
    gc.collect()
    assert sys.getrefcount(value) == before


@pytest.mark.parametrize("make", MUTABLE)
def test_memory_is_held_while_the_call_runs_and_no_longer(make, monkeypatch):
    @cutaway.jit
    def f(b, n):
        before = b[0]
        print(n)
        if n > 0:
            raise ValueError("no")
        return before == b[0], b

    held = []
    value = make()

    class Screen:
        def write(self, text):
            held.append(exports_of(value))

        def flush(self):
            pass

    monkeypatch.setattr(sys, "stdout", Screen())
    assert f(value, 0) == (True, value)
    with pytest.raises(ValueError, match="no"):
        f(value, 1)
    with pytest.raises(OverflowError):
        f(value, 2**70)
    assert held and all(held)
    assert not exports_of(value)


@pytest.mark.parametrize("make", MUTABLE)
def test_memory_is_free_again_where_a_later_argument_does_not_fit(make):
    @cutaway.jit
    def f(b, c, d):
        return b[0] == c[0], d

    value, other = make(), memoryview(bytearray(8)).cast("d")
    assert f(value, other, 1) == (value[0] == 0, 1)
    closed = _dispatch.Dispatcher(Refusing(), ("b", "c", "d"), 3)
    closed._add(next(iter(f.half.overloads.values())))
    for arguments in (
        (value, other[::-1][:0], 1),
        (value, memoryview(bytes(8)).cast("d"), 1),
        (value, b"abc", 1),
        (value, other, "text"),
    ):
        with pytest.raises(LookupError):
            closed(*arguments)
    assert not exports_of(value)


def test_many_buffers_are_held_at_once():
    @cutaway.jit
    def f(items):
        total = 0
        for item in items:
            total += item[0]
        return total

    many = tuple(bytearray([k]) for k in range(40))
    for _ in range(3):
        assert f(many) == sum(range(40))
    closed = _dispatch.Dispatcher(Refusing(), ("items",), 1)
    closed._add(next(iter(f.half.overloads.values())))
    with pytest.raises(LookupError):
        closed((*many[:39], b"x"))
    assert not any(map(exports_of, many))


def test_one_buffer_may_be_passed_twice():
    @cutaway.jit
    def f(a, b):
        a[0] = b[1]
        b[1] = a[0] + 1
        return a[1]

    data = bytearray(b"\1\2")
    assert f(data, data) == 3 and data == b"\2\3"
    view = memoryview(data)
    assert f(data, view) == 4
    view.release()
    data.append(1)


def test_values_that_may_be_none_are_held_too():
    wanted = tuple(Optional(typeof(value)) for value in (bytearray(), "a", Color.RED))
    compiled = cutaway.jit(lambda b, s, c: (b is None, s == "a", c is Color.RED, s, c, b))
    f = resolution.compile_for(compiled.half, wanted)
    data = bytearray(b"a")
    for _ in range(20):
        assert f(data, "a", Color.RED) == (False, True, True, "a", Color.RED, data)
        assert f(None, None, None) == (True, False, False, None, None, None)
    assert not exports_of(data)


def test_threads_share_a_buffer():
    @cutaway.jit
    def f(b, k):
        b[k] += 1
        return len(b)

    data = array.array("q", [0] * 8)
    f(data, 0)

    def work(k):
        for _ in range(2000):
            f(data, k)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(1, 8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert data.tolist() == [1, *[2000] * 7] and not exports_of(data)


# --- malformed and foreign ones -------------------------------------------------------------------


def released():
    view = memoryview(bytearray(3))
    view.release()
    return view


def released_below():
    view = memoryview(bytearray(3))
    below = view[1:]
    below.release()
    return below


class Text(str):
    pass


class Data(bytes):
    pass


class Growing(bytearray):
    pass


class Packed(array.array):
    pass


class Mode(enum.Flag):
    READ = 1


class Bits(enum.IntFlag):
    READ = 1


class Word(enum.StrEnum):
    YES = "yes"


class Equal(enum.Enum):
    ONE = 1

    def __eq__(self, other):
        return True

    __hash__ = enum.Enum.__hash__


class Truthless(enum.Enum):
    ONE = 1

    def __bool__(self):
        return False


class Adding(enum.IntEnum):
    ONE = 1

    def __add__(self, other):
        return 7


class Long(enum.IntEnum):
    ONE = 2**64


def stranger():
    member = object.__new__(Color)
    member._name_, member._value_ = "GREEN", "g"
    return member


ODD = [
    (released, "released"),
    (released_below, "released"),
    (lambda: memoryview(b"ab").cast("c"), "format 'c'"),
    (lambda: memoryview(np.zeros(2, ">i4")), "format '>i'"),
    (lambda: memoryview(np.zeros(2, "c16")), "format 'Zd'"),
    (lambda: memoryview(np.zeros(2, "i4,f8")), "format 'T"),
    (lambda: memoryview(np.zeros(2, "S3")), "format '3s'"),
    (lambda: memoryview(b"a").cast("B", ()), "without dimensions"),
    (lambda: Text("a"), "subclass of str"),
    (lambda: Data(b"a"), "subclass of bytes"),
    (lambda: Growing(b"a"), "subclass of bytearray"),
    (lambda: Packed("i"), "subclass of array"),
    (lambda: np.str_("a"), "subclass of str"),
    (lambda: Mode.READ, "class of flags"),
    (lambda: Bits.READ, "class of flags"),
    (lambda: Word.YES, "enumeration of str"),
    (lambda: Equal.ONE, "its own __eq__"),
    (lambda: Truthless.ONE, "its own __bool__"),
    (lambda: Adding.ONE, "its own __add__"),
    (lambda: Long.ONE, "more than 64 bits"),
    (stranger, "Color"),
]


@pytest.mark.parametrize(("make", "words"), ODD)
def test_what_has_no_type_is_refused_and_fits_no_guard(make, words):
    for value in OBJECTS:
        same(value)
    value = make()
    for given in (value, (1, (value,))):
        with pytest.raises(CutawayError) as error:
            same(given)
        assert words in error.value.message
    closed = _dispatch.Dispatcher(Refusing(), ("x",), 1)
    for specialization in same.half.overloads.values():
        closed._add(specialization)
    with pytest.raises(LookupError):
        closed(value)


@pytest.mark.filterwarnings("ignore")
def test_an_array_of_characters_is_refused():
    with pytest.raises(CutawayError, match="characters"):
        same(array.array("u", "ab"))


def test_no_guard_runs_python_code():
    class Loud(enum.IntEnum):
        ONE = 1

        def __index__(self):
            raise AssertionError("called")

        __int__ = __bool__ = __len__ = __eq__ = __index__
        __hash__ = enum.IntEnum.__hash__

    class Exporter(bytearray):
        def __buffer__(self, flags):
            raise AssertionError("called")

        def __len__(self):
            raise AssertionError("called")

    closed = _dispatch.Dispatcher(Refusing(), ("x",), 1)
    for value in OBJECTS:
        same(value)
    for specialization in same.half.overloads.values():
        closed._add(specialization)
    for value in (Loud.ONE, Exporter(b"a")):
        with pytest.raises(LookupError):
            closed(value)


@pytest.mark.skipif(sys.version_info < (3, 12), reason="__buffer__ is new in Python 3.12")
def test_a_view_of_an_exporter_in_python_is_held():
    events = []

    class Exporter:
        def __init__(self):
            self.data = bytearray(b"abc")

        def __buffer__(self, flags):
            events.append("get")
            return memoryview(self.data)

        def __release_buffer__(self, view):
            events.append("release")

    view = memoryview(Exporter())
    assert same(view) is view and same(view) is view
    assert events == ["get"]
    view.release()
    assert events == ["get", "release"]
    with pytest.raises(CutawayError, match="released"):
        same(view)


def test_a_conversion_cannot_take_memory_away():
    """Arguments of explicit signatures may run Python code, after a guard has looked."""

    class Releasing:
        def __init__(self, view):
            self.view = view

        def __index__(self):
            self.view.release()
            return 1

    view = memoryview(bytearray(b"abc"))
    f = cutaway.jit([(typeof(view), typeof(1))])(lambda b, n: b[n])
    assert f(view, 1) == ord("b")
    with pytest.raises(TypeError):
        next(iter(f.half.overloads.values()))(view, Releasing(view))


# --- descriptors ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        b"B",
        b"BbB\1C",
        b"BxB\1C\0",
        b"B\0B\1C\0",
        b"BbB\1C\0",
        b"BmB\0C\0",
        b"Bmc\1C\0",
        b"BaB\2C\0",
        b"Bri\1F\0",
        b"E",
    ],
)
def test_a_descriptor_that_means_nothing_is_refused(text):
    for arguments, result in (((text,), b"N"), ((), text)):
        with pytest.raises(ValueError, match="descriptor"):
            _dispatch.Specialization(0, arguments, result, ((),))


@pytest.mark.parametrize("text", [b"E\1", b"E\2", b"ME\2"])
def test_choices_are_a_tuple_among_the_constants(text):
    with pytest.raises(ValueError, match="constant"):
        _dispatch.Specialization(0, (text,), b"N", ((), [1, 2]))


# --- explicit signatures --------------------------------------------------------------------------


def test_a_member_that_is_an_integer_is_converted_as_one():
    f = cutaway.jit(["int64(int64)"])(lambda x: x + 1)
    assert f(Level.HIGH) == 8
    g = cutaway.jit(["float64(float64)"])(lambda x: x / 2)
    assert g(Level.HIGH) == 3.5
    with pytest.raises(CutawayError, match="no signature"):
        f(Color.RED)


def test_texts_and_buffers_are_written_in_signatures():
    f = cutaway.jit(["int64(str, bytes, bytearray)"])(lambda s, b, c: len(s) + b[0] + len(c))
    assert f("ab", b"\1", bytearray(4)) == 7
    for wrong in (("ab", b"\1", b"abcd"), (b"ab", b"\1", bytearray(4)), (1, b"\1", bytearray(4))):
        with pytest.raises(CutawayError, match="no signature"):
            f(*wrong)
    g = cutaway.jit(["float64(memoryview('d', 2d, C), array.array('i'))"])(lambda m, a: m[1, a[0]])
    data = memoryview(bytearray(np.arange(6.0))).cast("B").cast("d", (2, 3))
    assert g(data, array.array("i", [2])) == 5.0
    with pytest.raises(CutawayError, match="no signature"):
        g(data.toreadonly(), array.array("i", [2]))


# --- globals are constants ------------------------------------------------------------------------

FAVORITE = Color.BLUE


def test_a_member_may_be_global_and_an_enumeration_large():
    @cutaway.jit
    def f(c, w):
        return (
            c is FAVORITE,
            Color.RED if c is FAVORITE else FAVORITE,
            w is Wide.member_999,
            w.value,
            w.name,
        )

    for c, w in itertools.product(Color, (Wide.member_0, Wide.member_500, Wide.member_999)):
        assert f(c, w) == f.py_func(c, w)


def test_constants_of_the_program_become_new_objects_when_they_are_one_of_many():
    @cutaway.jit
    def f(s, b, n):
        return (s if n else "caf\xe9"), (s if n else "\U0001f600"), (b if n else b"a\0")

    for n in (0, 1):
        for _ in range(3):
            assert f("x", b"y", n) == f.py_func("x", b"y", n)
