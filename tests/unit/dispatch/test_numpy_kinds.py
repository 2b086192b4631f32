"""Times, records, fixed strings, dtypes, classes and registered objects across the boundary."""

from __future__ import annotations

import gc
import math
import sys
import weakref

import numpy as np
import pytest

import cutaway
from cutaway import extending
from cutaway.dispatch_c import _dispatch, reference_guards
from cutaway.errors import OptionError, SignatureError, TypingError, UnsupportedError
from cutaway.lowering.layout import descriptor
from cutaway.typing import types
from cutaway.typing.values.typeof import typeof

pytestmark = pytest.mark.sampled(others=2, fast=8)

PAIR = [("x", "f8"), ("n", "i4")]


class Thing:
    """A class of a user's; nothing of it may be asked."""

    def __eq__(self, other):
        raise AssertionError("compiled code compares by identity")

    __hash__ = None  # type: ignore[assignment]


class Special(Thing):
    pass


class Meta(type):
    def __hash__(cls):
        raise AssertionError("classes are told apart by identity")

    def __eq__(cls, other):
        raise AssertionError("classes are told apart by identity")


class Odd(metaclass=Meta):
    pass


class Grid(np.ndarray):
    @property
    def dtype(self):
        return np.dtype("f8")

    @property
    def ndim(self):
        return 7


THING = extending.register_type(Thing)
ODD = extending.register_type(Odd)


@cutaway.jit
def same(value):
    return value


def pairs():
    return np.array([(1.5, 2), (2.5, 3)], PAIR)


VALUES = [
    np.datetime64(5, "s"),
    np.array([-(2**63)]).view("M8")[0],  # without a unit, which NumPy warns of when it is written
    np.timedelta64(5, "25s"),
    np.array([5, 6], "M8[ns]"),
    np.zeros((2, 3), "m8[D]").T,
    np.array(["ab", "c"]),
    np.array([b"ab", b"c"])[::-1],
    pairs(),
    pairs()[::2],
    pairs()[1],
    pairs()[1].copy(),
    pairs().astype(np.dtype((np.record, PAIR)))[0],
    np.zeros(2, np.dtype(PAIR, align=True)),
    np.zeros(2, [("k", "u1"), ("inner", PAIR), ("s", "U3"), ("t", "M8[D]")]),
    np.dtype("i2"),
    np.dtype("m8[s]"),
    np.dtype(PAIR),
    np.float64,
    Thing,
    Odd,
    np.sin,
    np.sum,
    math.sin,
    Thing(),
    Odd(),
]


def unwriteable(array):
    array.flags.writeable = False
    return array


VALUES += [unwriteable(pairs()), unwriteable(pairs())[0], unwriteable(np.zeros(2, "M8[s]"))]
ids = [f"{k}-{type(value).__name__}" for k, value in enumerate(VALUES)]


def is_equal(left, right):
    if isinstance(left, Thing | Odd | type):
        return left is right
    if isinstance(left, np.dtype):
        return left == right and left.type is right.type
    left, right = np.asarray(left), np.asarray(right)
    return left.dtype == right.dtype and left.tobytes() == right.tobytes()


@pytest.mark.parametrize("value", VALUES, ids=ids)
def test_a_value_comes_back_and_no_reference_is_lost(value):
    for _ in range(3):
        assert is_equal(same(value), value)
        assert type(same(value)) is type(value)
    before = sys.getrefcount(value), sys.getrefcount(type(value))
    for _ in range(500):
        same(value)
        same((value, value))
    after = sys.getrefcount(value), sys.getrefcount(type(value))
    assert abs(after[0] - before[0]) < 5 and abs(after[1] - before[1]) < 5


@pytest.mark.parametrize("value", VALUES, ids=ids)
def test_the_very_object_comes_back_where_it_has_an_identity(value):
    if isinstance(value, np.ndarray | np.void | type | Thing | Odd):
        assert same(value) is value and same((1, value))[1] is value


def guard(ty):
    """A dispatcher that takes what fits a type strictly, and says so."""
    constants: list = []
    text = descriptor(ty, constants)

    def fits(value):
        return reference_guards.match((text,), tuple(constants), (value,)) is not None

    return text, tuple(constants), fits


class Slow:
    def resolve(self, args, kwargs):
        raise LookupError("slow path")


@pytest.mark.parametrize("value", VALUES, ids=ids)
def test_a_strict_guard_accepts_what_has_its_type_and_nothing_else(value, native):
    import ctypes

    text, constants, fits = guard(typeof(value))
    entry = ctypes.cast(native.nothing, ctypes.c_void_p).value
    spec = _dispatch.Specialization(entry, (text,), b"N", constants)
    call = _dispatch.Dispatcher(Slow(), ("a",), 1)
    call._add(spec)
    accepted = 0
    for other in [*VALUES, Special(), 5, None, pairs().view(Grid), np.void(b"a")]:
        try:
            call(other)
            accepts = True
        except LookupError:
            accepts = False
        try:
            wanted = typeof(other) is typeof(value)
        except TypingError:
            wanted = False
        assert accepts == wanted == fits(other), (value, other)
        accepted += accepts
    assert accepted


def test_types_read_as_numpy_writes_them():
    shown = {str(typeof(value)) for value in VALUES}
    assert {"datetime64[s]", "datetime64", "timedelta64[25s]", "array(U2, 1d, C)"} <= shown
    assert "record(x: float64, n: int32)" in shown
    assert "array(record(x: float64 @ 0, n: int32 @ 8, 16 bytes), 1d, C)" in shown
    assert str(THING).endswith("Thing)")
    assert typeof(np.zeros(1, "M8[s]")) is typeof(np.ones(2, "M8[s]"))
    assert typeof(np.zeros(1, "M8[s]")) is not typeof(np.zeros(1, "M8[ms]"))


# --- memory -----------------------------------------------------------------------------------


@cutaway.jit
def element(a, i):
    return a[i]


@cutaway.jit
def made(n, dtype, i):
    return np.zeros(n, dtype)[i]


@cutaway.jit
def fields(a):
    return a["x"], a[0]["n"]


def test_a_record_holds_the_array_that_it_is_a_view_of():
    a = pairs()
    r = element(a, 1)
    r["x"] = 7.5
    assert a["x"][1] == 7.5
    before = sys.getrefcount(a)
    held = [element(a, 0) for _ in range(100)]
    assert sys.getrefcount(a) >= before + 100
    del held
    assert sys.getrefcount(a) == before
    del a
    gc.collect()
    assert r["x"] == 7.5 and r["n"] == 3


def test_a_record_of_an_array_made_inside_keeps_its_memory():
    records = [made(1000, np.dtype(PAIR), 3) for _ in range(50)]
    for k, r in enumerate(records):
        r["n"] = k
    assert [r["n"] for r in records] == list(range(50))
    assert type(records[0]) is np.void and records[0].dtype == np.dtype(PAIR)


def test_a_record_that_is_itself_a_view_is_held_and_given_back():
    r = pairs()[1]
    again = same(r)
    assert again is r
    inner = np.zeros(2, [("k", "u1"), ("inner", PAIR)])[1]
    taken = cutaway.jit(lambda r: r["inner"])(inner)
    taken["x"] = 4.5
    assert inner["inner"]["x"] == 4.5
    del inner, r
    gc.collect()
    assert taken["x"] == 4.5 and again["n"] == 3


def test_a_column_is_a_view():
    a = pairs()
    column, n = fields(a)
    column[1] = -1.0
    assert a["x"][1] == -1.0 and n == 2 and column.strides == (12,)
    before = sys.getrefcount(a)
    for _ in range(200):
        fields(a)
    assert sys.getrefcount(a) == before


def test_a_failing_call_loses_no_reference():
    a, thing = pairs(), Thing()
    late = cutaway.jit(lambda a, thing, i: (a[0], thing, a[i]))
    late(a, thing, 0)
    before = sys.getrefcount(a), sys.getrefcount(thing)
    for _ in range(200):
        with pytest.raises(IndexError):
            late(a, thing, 9)
    assert (sys.getrefcount(a), sys.getrefcount(thing)) == before


def test_a_readonly_record_stays_readonly():
    @cutaway.jit
    def put(r):
        r["x"] = 1.0

    with pytest.raises(TypingError, match="the record is read-only"):
        put(unwriteable(pairs())[0])
    assert not same(unwriteable(pairs())[0]).flags.writeable
    assert not element(unwriteable(pairs()), 0).flags.writeable
    put(pairs()[0])


# --- what changes between calls ---------------------------------------------------------------


def test_a_dtype_that_is_changed_in_place_is_seen():
    a = np.array([5, 6], "M8[s]")
    for dtype in ("M8[s]", "i8", "m8[s]", "M8[ns]", "f8", "M8[s]"):
        a = a.view(dtype)
        assert same(a) is a
        assert cutaway.jit(lambda a: a.dtype)(a) == a.dtype
    read = cutaway.jit(lambda a: a["x"][1])
    records = pairs()
    assert read(records) == read(records) == 2.5
    records.dtype.names = ("n", "x")
    assert read(records) == read(records) == 3
    records.dtype.names = ("p", "q")
    with pytest.raises(TypingError, match="no field 'x'"):
        read(records)


@pytest.mark.filterwarnings("ignore:Setting the shape")
def test_a_shape_that_is_changed_in_place_is_seen():
    a = np.zeros(4, "M8[s]")
    shape = cutaway.jit(lambda a: a.shape)
    assert shape(a) == (4,)
    a.shape = (2, 2)
    assert shape(a) == (2, 2)


def test_names_changed_in_a_result_change_no_compiled_code():
    make = cutaway.jit(lambda n, dtype: np.zeros(n, dtype))
    dtype = np.dtype([("k", "u1"), ("inner", PAIR)])
    first = make(2, dtype)
    first.dtype.names = ("a", "b")
    first.dtype["b"].names = ("c", "d")
    second = make(2, np.dtype([("k", "u1"), ("inner", PAIR)]))
    assert second.dtype == np.dtype([("k", "u1"), ("inner", PAIR)])
    given = same(np.dtype(PAIR))
    given.names = ("p", "q")
    assert same(np.dtype(PAIR)).names == ("x", "n")


def test_the_name_of_a_field_runs_no_python_code():
    asked = []

    class Name(str):
        def __hash__(self):
            asked.append(self)
            return str.__hash__(self)

        def __eq__(self, other):
            asked.append(self)
            return str.__eq__(self, other)

    plain, odd = pairs(), np.zeros(2, [(Name("x"), "f8"), (Name("n"), "i4")])
    text, constants, _ = guard(typeof(plain))
    spec = _dispatch.Specialization(1, (text,), b"N", constants)
    call = _dispatch.Dispatcher(Slow(), ("a",), 1)
    call._add(spec)
    asked.clear()
    if any(type(name) is not str for name in odd.dtype.names):
        with pytest.raises(LookupError):
            call(odd)
        assert not asked


# --- objects ----------------------------------------------------------------------------------


def test_objects_are_compared_by_identity():
    @cutaway.jit
    def compared(a, b):
        return a is b, a is not b, a is None

    one, two = Thing(), Thing()
    assert compared(one, one) == (True, False, False)
    assert compared(one, two) == compared(one, Odd()) == (False, True, False)


def test_an_object_dies_when_python_lets_it_go():
    thing = Thing()
    gone = weakref.ref(thing)
    assert same(thing) is thing and same((thing, 1))[0] is thing
    maybe = cutaway.jit(lambda thing, n: thing if n else None)
    assert maybe(thing, 1) is thing and maybe(thing, 0) is None
    choose = cutaway.jit(lambda a, b, n: a if n else b)
    assert choose(thing, Thing(), 1) is thing
    del thing
    gc.collect()
    assert gone() is None


def test_compiled_functions_pass_objects_to_each_other():
    inner = cutaway.jit(lambda thing, n: (thing, n + 1))
    outer = cutaway.jit(lambda thing: inner(thing, 1))
    thing = Thing()
    before = sys.getrefcount(thing)
    for _ in range(100):
        assert outer(thing) == (thing, 2) or outer(thing)[0] is thing
    assert sys.getrefcount(thing) == before


def test_only_the_very_class_is_registered():
    with pytest.raises(TypingError, match="a value of type Special cannot be passed"):
        same(Special())
    assert extending.register_type(Thing) is THING is typeof(Thing())
    for cls in (int, np.float64, np.ndarray, tuple, type):
        with pytest.raises(OptionError, match="already have a type"):
            extending.register_type(cls)
    with pytest.raises(OptionError, match="only a class"):
        extending.register_type(5)  # type: ignore[arg-type]


# --- refusals ---------------------------------------------------------------------------------

REFUSED = [
    (lambda a: a + a, np.zeros(2, "U3"), r"\+ does not work between array"),
    (lambda a: a.sum(), np.zeros(2, "U3"), "method 'sum' of array.* does not accept"),
    (lambda a: min(a), np.zeros(2, "m8[s]"), "min does not accept"),
    (lambda a: np.ones_like(a), np.zeros(2, "m8[s]"), "np.ones_like does not accept"),
    (lambda a: a[0] == None, pairs(), "== does not work between record"),  # noqa: E711
    (lambda a: a[0].nn, pairs(), "has no attribute 'nn'"),
    (lambda a: a["y"], pairs(), "no field 'y' in record"),
    (lambda a: a[0]["nn"], pairs(), "no field 'nn' in record"),
    (lambda a: a + 1, np.timedelta64(1, "s"), r"\+ does not work between timedelta64"),
    (lambda a: a + np.timedelta64(1, "M"), np.timedelta64(1, "s"), "common metadata divisor"),
    (lambda a: a * a, np.timedelta64(1, "s"), r"\* does not work between"),
    (lambda a: a % 2, np.timedelta64(1, "s"), "% does not work between"),
    (lambda a: np.datetime64(1, "parsec"), 1, "'parsec' is not a unit of time"),
    (lambda a: float(a), np.timedelta64(1, "s"), "float does not accept"),
    (lambda a: f"{a}", np.timedelta64(1, "s"), "a value of type text.* cannot be returned"),
    (lambda a: a == 1, Thing(), "== does not work between object"),
    (lambda a: a.x, Thing(), "has no attribute 'x'"),
    (lambda a: a(), Odd(), "cannot be called"),
    (lambda a: np.zeros(2, a), np.datetime64, "np.zeros does not accept"),
]


def test_refusals_say_what_to_write():
    hints = {
        "arrays of anything but numbers": (lambda a: a.sum(), pairs()),
        "did you mean 'n'?": (lambda a: a["nn"], pairs()),
        "write the name of a field, r['x']": (lambda a: a[0][len(a) - 1], pairs()),
    }
    for hint, (function, value) in hints.items():
        with pytest.raises((TypingError, UnsupportedError)) as caught:
            cutaway.jit(function)(value)
        assert hint in caught.value.hint


@pytest.mark.parametrize(("function", "value", "message"), REFUSED)
def test_what_is_not_supported_is_refused_clearly(function, value, message):
    with pytest.raises((TypingError, UnsupportedError), match=message):
        cutaway.jit(function)(value)


ARGUMENTS = [
    (np.zeros(2, ">M8[s]"), "an array of big-endian datetime64"),
    (np.zeros(2, [("x", ">i4")]), "whose field 'x' is big-endian"),
    (np.zeros(2, [("x", ">f4", (2,))])[0], "a record whose field 'x' is big-endian"),
    (np.zeros(2, [("x", "O")]), "whose field 'x' is of object"),
    (pairs().view(Grid), "an array of class Grid"),
    (np.void(b"abc"), "a value of type void"),
    (np.str_("a"), "a value of type str_"),
    (np.bytes_(b"a"), "a value of type bytes_"),
    (np.dtype("O"), "the dtype object"),
    (np.dtype("g"), "the dtype "),
]


@pytest.mark.parametrize(("value", "message"), ARGUMENTS)
def test_an_argument_that_cannot_be_passed_is_named(value, message):
    with pytest.raises(TypingError, match=message) as caught:
        same(value)
    assert caught.value.hint


def test_signatures_name_times_with_their_unit():
    closed = cutaway.jit("timedelta64[s](datetime64[s], datetime64[s][::1])")(lambda m, a: m - a[0])
    a = np.array([3, 4], "M8[s]")
    assert closed(np.datetime64(7, "s"), a) == closed(a[1], a) + np.timedelta64(3, "s")
    for other in (np.datetime64(7, "ms"), np.timedelta64(7, "s"), 7):
        with pytest.raises(TypingError, match=r"no signature of .* accepts"):
            closed(other, a)
    with pytest.raises(SignatureError, match="has no unit of time"):
        cutaway.jit("(datetime64[parsec],)")(lambda m: m)


def test_a_descriptor_with_a_constant_of_another_kind_is_refused():
    for text, constant in [
        (b"D\0", np.dtype("f8")),
        (b"D\0", np.float64),
        (b"V\0\0", np.dtype("V3")),
        (b"V\0\0", np.dtype("M8[s]")),
        (b"G\0\1C\0", int),
        (b"X\0", np.dtype("f8")),
        (b"Y\0", 5),
        (b"Y\1", np.dtype("f8")),
    ]:
        with pytest.raises(ValueError, match="a constant that is not there"):
            _dispatch.Specialization(1, (text,), b"N", (constant,))
    for text in (b"D", b"V\0", b"G\0\1C", b"X", b"Y"):
        with pytest.raises(ValueError, match="cannot be read"):
            _dispatch.Specialization(1, (text,), b"N", (np.dtype("M8[s]"),))


def test_types_survive_pickling():
    import pickle

    for value in VALUES[:14]:
        ty = typeof(value)
        assert pickle.loads(pickle.dumps(ty)) is ty
    assert isinstance(typeof(VALUES[0]), types.DateTime)
