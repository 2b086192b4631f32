"""How arguments find their places, and what happens when a call changes its own dispatcher."""

from __future__ import annotations

import ctypes
import gc
import sys
import weakref
from collections import namedtuple

import numpy as np
import pytest

from cutaway.dispatch_c import _dispatch, reference_guards
from cutaway.dispatch_c._dispatch import ABSENT

pytestmark = pytest.mark.sampled(others=4, fast=15)

ROUNDS = 300
COLLECTIONS = 5
ENTRY = ctypes.PYFUNCTYPE(ctypes.c_int32, *[ctypes.c_void_p] * 3)
Point = namedtuple("Point", "x y")


class Half:
    """A Python half that notes what it is asked, and answers as it is told."""

    answer = None

    def __init__(self):
        self.asked = []

    def resolve(self, args, kwargs):
        self.asked.append((args, kwargs))
        if self.answer is None:
            raise LookupError("slow path")
        return self.answer(args, kwargs)


def made(entry, descriptors, names, positional, star=False, unnamed=0, result=b"N"):
    """A dispatcher with one specialization of these argument descriptors, and its half."""
    half = Half()
    call = _dispatch.Dispatcher(half, tuple(map(sys.intern, names)), positional, star, unnamed)
    call._add(_dispatch.Specialization(entry, tuple(descriptors), result, ()))
    return call, half


@pytest.fixture
def nothing(native):
    ctypes.c_int64.in_dll(native, "count").value = 0
    return ctypes.cast(native.nothing, ctypes.c_void_p).value


@pytest.fixture
def slots(native):
    """What the last call of `nothing` got in its first slots."""

    def read(count):
        return list((ctypes.c_int64 * 1024).in_dll(native, "seen")[:count])

    def keep(count):
        ctypes.c_int64.in_dll(native, "count").value = count
        return read

    return keep


def slow(call, half, *args, **kwargs):
    """That the call is one that the Python half has to see to."""
    with pytest.raises(LookupError):
        call(*args, **kwargs)
    assert half.asked.pop() == (args, kwargs)


def test_more_arguments_become_a_tuple(nothing, slots):
    read = slots(3)
    call, half = made(nothing, [b"i8", b"(i8f8)"], ["a"], 1, star=True)
    call(1, 2, 0.0)
    assert read(3) == [1, 2, 0] and not half.asked
    slow(call, half, 1)
    slow(call, half, 1, 2)
    slow(call, half, 1, 2, 3)
    slow(call, half, 1, 2, 0.0, 4)
    slow(call, half, 1, 2, 0.0, a=1)
    empty, half = made(nothing, [b"i8", b"()"], ["a"], 1, star=True)
    assert empty(1) is None and empty(a=1) is None
    slow(empty, half, 1, 2)
    slow(empty, half)
    slow(empty, half, b=1)


def test_a_keyword_stands_beside_more_arguments(nothing, slots):
    read = slots(4)
    call, half = made(nothing, [b"i8", b"i8", b"(i8i8)"], ["a", "k"], 1, star=True)
    call(1, 3, 4, k=2)
    assert read(4) == [1, 2, 3, 4] and not half.asked
    slow(call, half, 1, 3, 4)
    slow(call, half, 1, 3, 4, a=5, k=2)


def test_a_parameter_that_is_keyword_only_takes_no_position(nothing, slots):
    read = slots(2)
    call, half = made(nothing, [b"i8", b"i8"], ["a", "k"], 1)
    call(1, k=2)
    assert read(2) == [1, 2]
    call(k=3, a=4)
    assert read(2) == [4, 3]
    slow(call, half, 1, 2)
    slow(call, half, 1)
    slow(call, half, 1, k=2, a=3)


def test_a_parameter_that_is_positional_only_takes_no_name(nothing):
    call, half = made(nothing, [b"i8", b"i8"], ["a", "b"], 2, unnamed=1)
    assert call(1, 2) is None and call(1, b=2) is None
    slow(call, half, a=1, b=2)
    slow(call, half, 1, 2, a=1)


@pytest.mark.parametrize("places", [(-1, 0), (2, 3), (3, 0)])
def test_positions_are_within_the_parameters(places):
    with pytest.raises(ValueError, match="positional"):
        _dispatch.Dispatcher(Half(), ("a", "b"), places[0], False, places[1])


def test_an_argument_that_is_left_out_fits_only_its_own_descriptor(nothing, slots):
    read = slots(2)
    call, half = made(nothing, [b"i8", b"O", b"i8"], ["a", "b", "c"], 3)
    call(1, c=2)
    assert read(2) == [1, 2]
    call(1, ABSENT, 3)
    assert read(2) == [1, 3]
    slow(call, half, 1, 5, 3)
    slow(call, half, 1, None, 3)
    slow(call, half, 1)
    slow(call, half, ABSENT, c=1)
    assert reference_guards.match((b"i8", b"O", b"i8"), (), (1, ABSENT, 3)) == [1, 3]
    assert reference_guards.match((b"i8", b"O"), (), (1,)) == [1]
    assert reference_guards.match((b"i8", b"O"), (), (1, 2)) is None
    assert reference_guards.match((b"O", b"i8"), (), (ABSENT,)) is None


@pytest.mark.parametrize("count", [31, 32, 33, 63, 64, 200])
def test_there_may_be_many_parameters(nothing, slots, count):
    read, names = slots(count), [sys.intern(f"p{k}") for k in range(count)]
    values = list(range(count))
    call, half = made(nothing, [b"i8"] * count, names, count)
    call(*values)
    assert read(count) == values
    call(**dict(zip(reversed(names), reversed(values))))
    assert read(count) == values
    call(*values[:-1], **{names[-1]: -1})
    assert read(count) == [*values[:-1], -1] and not half.asked
    slow(call, half, *values[1:])
    packed, half = made(nothing, [b"i8"] * count + [b"(i8)"], names, count, star=True)
    packed(*values, 7)
    assert read(count) == values and not half.asked
    slow(packed, half, *values)


def test_a_name_that_is_not_interned_finds_its_place(nothing):
    call, half = made(nothing, [b"i8"], ["parameter"], 1)
    name = "".join(["para", "meter"])
    assert call(**{name: 1}) is None and not half.asked
    slow(call, half, 1, **{name: 1})


@pytest.mark.parametrize("star", [False, True])
def test_references_stay_flat_however_a_call_ends(nothing, star):
    array, text = np.zeros(3), "".join(["a", "text"])
    half = Half()
    descriptor = b"A\x0c\x01C\x00"
    call = _dispatch.Dispatcher(half, ("a", "b"), 2, star)
    shapes = (descriptor, descriptor) + ((b"(" + descriptor + b")",) if star else ())
    spec = _dispatch.Specialization(nothing, shapes, b"N", ())
    call._add(spec)
    given = (array, array) + ((array,) if star else ())
    error, junk = KeyError("given"), object()
    answers = [
        lambda args, kwargs: error,
        lambda args, kwargs: junk,
        lambda args, kwargs: (spec, junk),
        lambda args, kwargs: (spec, given),
        lambda args, kwargs: (spec, (text,)),
        None,
    ]
    watched = (array, text, error, junk, spec, half, call)

    def run():
        for answer in answers:
            half.answer = answer
            for args, kwargs in [(given, {}), ((text,), {}), ((array,), {"b": text})]:
                try:
                    call(*args, **kwargs)
                except (KeyError, TypeError, LookupError):
                    error.__traceback__ = error.__context__ = None
        half.asked.clear()

    run()
    gc.collect()
    before = [sys.getrefcount(one) for one in watched]
    for _ in range(ROUNDS):
        run()
    gc.collect()
    after = [sys.getrefcount(one) for one in watched]
    assert all(abs(a - b) < ROUNDS // 2 for a, b in zip(after, before)), (before, after)


def test_a_guard_raises_nothing_and_leaves_an_overflow_to_others(nothing):
    call, half = made(nothing, [b"i8", b"i8"], ["a", "b"], 2)
    call._add(_dispatch.Specialization(nothing, (b"f8", b"f8"), b"N", ()))
    hot = call._hot
    for _ in range(ROUNDS):
        slow(call, half, 1, 2**64)
        slow(call, half, 2**64, None)
    assert call._hot == hot
    half.answer = lambda args, kwargs: (hot[0], args)
    for _ in range(ROUNDS):
        with pytest.raises(OverflowError):
            call(1, 2**64)


# --- calls that change their dispatcher -----------------------------------------------------------


def test_a_call_may_clear_its_own_dispatcher():
    @ENTRY
    def entry(result, arguments, exc):
        call._clear()
        gc.collect()
        return 0

    address = ctypes.cast(entry, ctypes.c_void_p).value
    call, half = made(address, [b"i8"], ["a"], 1)
    for _ in range(COLLECTIONS):
        assert call(1) is None and call._made == ()
        call._add(_dispatch.Specialization(address, (b"i8",), b"N", ()))


@pytest.mark.parametrize("change", ["clear", "append", "promote", "replace", "recurse"])
def test_the_chain_may_change_while_its_second_is_called(nothing, change):
    @ENTRY
    def entry(result, arguments, exc):
        if change == "clear":
            call._clear()
        elif change == "append":
            call._add(other)
        elif change == "promote":
            call(None)
        elif change == "replace":
            call._clear()
            call._add(other)
            call._add(first)
        elif depth:
            depth.pop()
            call(1.5)
            call(1)
        return 0

    depth = [1, 2, 3]
    half = Half()
    call = _dispatch.Dispatcher(half, ("a",), 1)
    address = ctypes.cast(entry, ctypes.c_void_p).value
    first = _dispatch.Specialization(nothing, (b"i8",), b"N", ())
    second = _dispatch.Specialization(address, (b"f8",), b"N", ())
    other = _dispatch.Specialization(nothing, (b"N",), b"N", ())
    for spec in (first, second, other):
        call._add(spec)
    assert call(2.5) is None
    expected = {
        "clear": [],
        "append": [second, first, other, other],
        "promote": [other, first, second],
        "replace": [other, first],
        "recurse": [second, first, other],
    }[change]
    assert sorted(map(id, call._made)) == sorted(map(id, expected))
    count = [sys.getrefcount(spec) for spec in (first, second, other)]
    assert max(count) < 12 and not half.asked
    for _ in range(ROUNDS):
        call._clear()
        for spec in (first, second, other):
            call._add(spec)
        depth[:] = [1]
        call(2.5)
    after = [sys.getrefcount(spec) for spec in (first, second, other)]
    assert max(after) < 12


def test_a_conversion_may_clear_the_dispatcher(nothing):
    class Clearing:
        def __index__(self):
            call._clear()
            gc.collect()
            return 3

        __float__ = __index__

    call, half = made(nothing, [b"i8", b"i8"], ["a", "b"], 2)
    half.answer = lambda args, kwargs: (call._made or (again(),))[0:1] + (args,)

    def again():
        return _dispatch.Specialization(nothing, (b"i8", b"i8"), b"N", ())

    for _ in range(COLLECTIONS):
        assert call(Clearing(), Clearing()) is None
        assert call._made == ()
        call._add(again())


def test_no_guard_runs_python_code(nothing, slots):
    class Sly(np.int64):
        def __index__(self):
            raise AssertionError("a guard asked")

        __int__ = __float__ = __index__

    class Faint(np.complex64):
        def __complex__(self):
            raise AssertionError("a guard asked")

    read = slots(2)
    call, half = made(nothing, [b"i8", b"c8"], ["a", "b"], 2)
    assert call(Sly(5), Faint(1j)) is None and read(2) == [5, 0]
    half.answer = lambda args, kwargs: KeyError("slow path")
    with pytest.raises(KeyError):
        call(Sly(5), 1)
    narrow = _dispatch.Specialization(nothing, (b"u1",), b"N", ())
    assert narrow(Sly(5)) is None


def test_a_dispatcher_in_a_cycle_is_collected_with_its_specializations(nothing):
    class Kept:
        pass

    kept, half = Kept(), Half()
    call = _dispatch.Dispatcher(half, ("a",), 1)
    call._add(_dispatch.Specialization(nothing, (b"i8",), b"K\0", (call,), kept))
    assert call(1) is call
    kept.call = call
    gone = weakref.ref(call), weakref.ref(kept)
    del call, kept, half
    gc.collect()
    assert [reference() for reference in gone] == [None, None]


# --- descriptors ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [b"i3", b"ig", b"f1", b"c2", b"c4", b"A\x0c\x41C\0", b"i8i8", b"Mi8i8", b"()N", b"T\0", b"S"],
)
def test_a_descriptor_that_means_nothing_is_refused(nothing, text):
    with pytest.raises(ValueError, match="descriptor"):
        _dispatch.Specialization(nothing, (text,), b"N", (Point,))
    with pytest.raises(ValueError, match="descriptor"):
        _dispatch.Specialization(nothing, (), text, (Point,))


@pytest.mark.parametrize("text", [b"K\2", b"(K\0K\5)", b"T\2i8)", b"T\1i8)", b"MT\1)"])
def test_constants_must_be_there_and_classes_be_of_tuples(nothing, text):
    with pytest.raises(ValueError, match="constant"):
        _dispatch.Specialization(nothing, (text,), b"N", (Point, list))
    with pytest.raises(ValueError, match="constant"):
        _dispatch.Specialization(nothing, (), text, (Point, list))


def test_a_tuple_may_have_more_items_than_a_short_counts(nothing):
    many = 70_000
    spec = _dispatch.Specialization(nothing, (b"(" + b"N" * many + b")",), b"N", ())
    assert spec((None,) * many) is None
    with pytest.raises(TypeError):
        spec((None,) * (many - 65_536))


def test_nesting_without_end_is_an_error(nothing):
    with pytest.raises((RecursionError, ValueError)):
        _dispatch.Specialization(nothing, (b"(" * 200_000 + b")" * 200_000,), b"N", ())
    deep = 150
    value = ()
    for _ in range(deep - 1):
        value = (value,)
    assert _dispatch.Specialization(nothing, (b"(" * deep + b")" * deep,), b"N", ())(value) is None
