"""Objects that are not what they say: each gives Python's answer or a Python error."""

from __future__ import annotations

import array
import collections
import enum
import gc
from collections import namedtuple
from typing import Any

import numpy as np
import pytest

import cutaway
from cutaway.errors import CutawayError

pytestmark = pytest.mark.sampled(fast=4)

CALLS = 40


@cutaway.jit
def total(a):
    s = 0.0
    for k in range(len(a)):
        s += a[k]
    return s


@cutaway.jit
def same(a, b=2, *rest, c=3):
    return a


def test_array_subclasses_that_lie_are_refused():
    class Liar(np.ndarray):
        shape = property(lambda self: (10**9,))
        strides = property(lambda self: (0,))
        dtype = property(lambda self: np.dtype("i1"))
        flags = property(lambda self: None)
        __len__ = lambda self: 10**9  # noqa: E731

    total(np.ones(3))
    for _ in range(CALLS):
        with pytest.raises(CutawayError, match="array of class Liar"):
            total(np.ones(3).view(Liar))
    mapped = np.ones(3).view(np.memmap)
    assert total(mapped) == 3.0


def test_an_array_may_be_turned_into_another_between_calls():
    a = np.arange(6.0)
    assert total(a) == 15.0
    a.dtype = np.int64
    assert total(a) == float(sum(a.tolist()))
    a.dtype = np.float64
    a.shape = (2, 3)
    with pytest.raises(CutawayError):
        total(a)
    a.shape = (6,)
    a.flags.writeable = False
    assert total(a) == 15.0
    a = np.arange(6.0)
    for size in (0, 1, 100_000, 3):
        a.resize(size, refcheck=False)
        assert total(a) == a.sum()


def test_an_object_may_change_its_class():
    class Whole(int):
        __index__ = __int__ = lambda self: 1 / 0

    for _ in range(CALLS):
        with pytest.raises(cutaway.errors.TypingError, match="Whole, which computes in its own"):
            same(Whole(5))

    class Plain:
        pass

    class Registered:
        pass

    cutaway.extending.register_type(Registered)
    thing: Any = Registered()
    assert same(thing) is thing
    for _ in range(CALLS):
        thing.__class__ = Plain
        with pytest.raises(CutawayError, match="type Plain"):
            same(thing)
        thing.__class__ = Registered
        assert same(thing) is thing


def test_a_class_that_claims_to_be_another():
    class Claims:
        __class__ = np.ndarray
        shape, strides, ndim, dtype, flags = (3,), (8,), 1, np.dtype("f8"), np.ones(1).flags

    class ClaimsInt:
        __class__ = int

    total(np.ones(3))
    for value in (Claims(), ClaimsInt()):
        for _ in range(CALLS):
            with pytest.raises((CutawayError, TypeError)):
                total(value)
            with pytest.raises((CutawayError, TypeError)):
                same(value)


def test_tuples_of_a_subclass_that_lie():
    class Long(tuple):
        __len__ = lambda self: 10**6  # noqa: E731
        __getitem__ = lambda self, k: 1 / 0  # noqa: E731
        __iter__ = None

    point = namedtuple("point", "x y")
    short = tuple.__new__(point, (1,))
    assert same((1, 2)) == (1, 2) and same(point(1, 2)) == (1, 2)
    for _ in range(CALLS):
        with pytest.raises(CutawayError):
            same(Long((1, 2)))
        with pytest.raises((CutawayError, TypeError, ValueError)):
            same(short)
        assert same(point(1, 2)) == (1, 2)


def test_members_that_are_made_up():
    class Color(enum.Enum):
        red = 1

    assert same(Color.red) is Color.red
    stray = object.__new__(Color)
    for _ in range(CALLS):
        with pytest.raises(CutawayError):
            same(stray)
        assert same(Color.red) is Color.red


@pytest.mark.parametrize("make", [bytearray, lambda b: array.array("B", b)])
def test_buffers_may_shrink_between_calls_and_not_within(make):
    buffer = make(bytes(range(100)))
    view = memoryview(make(bytes(50)))
    assert total(buffer) == sum(range(100)) and total(view) == 0.0
    for size in (50, 1, 0):
        del buffer[size:]
        assert total(buffer) == sum(range(size))
    view.release()
    with pytest.raises((CutawayError, ValueError)):
        total(view)
    buffer.extend(b"abc")  # nothing is exported any more
    assert total(buffer) == 97.0 + 98 + 99


def test_keywords_from_odd_mappings():
    class Odd(dict):
        keys = lambda self: ["b", "c"]  # noqa: E731
        __getitem__ = lambda self, name: {"b": 7, "c": 8}[name]  # noqa: E731
        __len__ = lambda self: 10**9  # noqa: E731

    class Name(str):
        __eq__ = lambda self, other: True  # noqa: E731
        __hash__ = lambda self: 1  # noqa: E731

    assert same(1) == 1
    for f in (same, same.py_func):
        assert f(1, **Odd(b=1)) == 1
        assert f(1, **collections.OrderedDict(b=1, c=2)) == 1
        assert f(1, **collections.ChainMap({"b": 1}, {"c": 2})) == 1
        assert f(1, **{"".join(["b"]): 5}) == 1
        for wrong in ({1: 2}, {"d": 1}, {"a": 1}, {b"b": 1}, {("b",): 1}):
            with pytest.raises(TypeError):
                f(1, **wrong)
        with pytest.raises(ZeroDivisionError):
            f(1, **type("M", (), {"keys": lambda self: 1 / 0})())
    with pytest.raises(TypeError):
        same(1, **{Name("z"): 1})
    for _ in range(CALLS):
        assert same(1, **{Name("b"): 2}) == 1


def test_arguments_from_odd_iterables():
    def endless():
        yield 1
        raise KeyError("in the middle")

    for f in (same, same.py_func):
        assert f(*range(3)) == 0 and f(*iter([5, 6])) == 5
        with pytest.raises(KeyError):
            f(*endless())
        with pytest.raises(TypeError):
            f(*5)


def test_more_arguments_than_anyone_passes():
    @cutaway.jit
    def count(*args):
        return len(args)

    names = [f"p{k}" for k in range(300)]
    space: dict[str, Any] = {}
    exec(f"def many({', '.join(names)}): return p0 + p299", space)
    many = cutaway.jit(space["many"])
    values = list(range(300))
    for _ in range(3):
        assert many(*values) == 299
        assert many(**dict(zip(names, values))) == 299
        assert many(*values[:150], **dict(zip(names[150:], values[150:]))) == 299
        assert count(*values) == 300
    with pytest.raises(TypeError):
        many(*values, 1)
    with pytest.raises(CutawayError, match="tuple"):
        count(*range(100_000))


def test_classes_with_a_metaclass_that_misbehaves():
    class Meta(type):
        def __eq__(cls, other):
            raise AssertionError("asked")

        def __hash__(cls):
            raise AssertionError("asked")

        def __getattribute__(cls, name):
            if name in ("__mro__", "__dict__", "__name__", "__qualname__", "__module__"):
                return super().__getattribute__(name)
            raise AssertionError(name)

    class Strange(metaclass=Meta):
        pass

    for _ in range(3):
        with pytest.raises((CutawayError, AssertionError)):
            same(Strange())
        gc.collect()
    assert same(1) == 1
