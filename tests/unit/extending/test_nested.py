"""Extension types in extension types, and in the hands of library functions."""

from __future__ import annotations

import sys

import numpy as np
import pytest

import cutaway
from cutaway import types
from cutaway.errors import CutawayError
from cutaway.extending import (
    NativeValue,
    box,
    cgutils,
    make_attribute_wrapper,
    models,
    overload_method,
    register_model,
    typeof_impl,
    unbox,
)
from extending.point import Point, point_type

pytestmark = pytest.mark.sampled(fast=5)


class Segment:
    def __init__(self, start, end, weights):
        self.start, self.end, self.weights = start, end, weights


class SegmentType(types.Type):
    def __init__(self):
        super().__init__(name="Segment")


array_type = types.Array(types.float64, 1, "C")
MEMBERS = [
    ("start", point_type),
    ("end", point_type),
    ("weights", array_type),
    ("pair", types.Tuple((point_type, types.int64))),
]


@typeof_impl.register(Segment, fingerprint=())
def typeof_segment(value, c):
    return SegmentType()


@register_model(SegmentType)
class SegmentModel(models.StructModel):
    def __init__(self, dmm, fe_type):
        super().__init__(dmm, fe_type, MEMBERS)


for _name, _ in MEMBERS:
    make_attribute_wrapper(SegmentType, _name, _name)


@unbox(SegmentType)
def unbox_segment(typ, obj, c):
    segment = cgutils.create_struct_proxy(typ)(c.context, c.builder)
    failed = cgutils.false_bit
    for name, ty in MEMBERS[:3]:
        member = c.pyapi.object_getattr_string(obj, name)
        native = c.unbox(ty, member)
        setattr(segment, name, native.value)
        failed = c.builder.or_(failed, native.is_error)
        c.pyapi.decref(member)
    pair = [segment.start, c.context.get_constant(types.int64, 3)]
    segment.pair = c.context.make_tuple(c.builder, MEMBERS[3][1], pair)
    return NativeValue(segment._getvalue(), is_error=failed)


@box(SegmentType)
def box_segment(typ, val, c):
    segment = cgutils.create_struct_proxy(typ)(c.context, c.builder, value=val)
    given = [c.box(ty, getattr(segment, name)) for name, ty in MEMBERS[:3]]
    cls = c.pyapi.unserialize(Segment)
    found = c.pyapi.call_function_objargs(cls, given)
    for used in (cls, *given):
        c.pyapi.decref(used)
    return found


@overload_method(SegmentType, "length")
def length(s):
    return lambda s: ((s.end.x - s.start.x) ** 2 + (s.end.y - s.start.y) ** 2) ** 0.5


def segment():
    return Segment(Point(0.0, 0.0), Point(3.0, 4.0), np.array([1.0, 2.0]))


def test_members_of_members():
    f = cutaway.jit(lambda s: (s.end.x, s.pair[0].y, s.pair[1], s.weights[1], s.length(), s.end))
    assert f(segment()) == (3.0, 0.0, 3, 2.0, 5.0, Point(3.0, 4.0))


def test_round_trips_keep_the_references():
    f = cutaway.jit(lambda s: (s, s.start, s))
    given = segment()
    before = sys.getrefcount(given.weights), sys.getrefcount(given.start), sys.getrefcount(given)
    for _ in range(20):
        first, start, second = f(given)
        assert start == Point(0.0, 0.0) and first.end == second.end == Point(3.0, 4.0)
        assert first.weights is given.weights
        del first, second
    assert before == (
        sys.getrefcount(given.weights),
        sys.getrefcount(given.start),
        sys.getrefcount(given),
    )


def test_a_member_that_cannot_be_unboxed():
    f = cutaway.jit(lambda s: s.length())
    bad = segment()
    assert f(bad) == 5.0
    bad.end.y = "high"
    with pytest.raises(TypeError):
        f(bad)
    bad.end = 3
    with pytest.raises(AttributeError):
        f(bad)


LIBRARY = {
    "tuple": lambda p: tuple((p, p))[1].x,
    "zip": lambda p: sum_of(zip((p, p), (1, 2))),
    "enumerate": lambda p: weighted((p, p)),
    "min": lambda p: min(p, p).x,
    "repr": lambda p: str(p),
    "isinstance": lambda p: isinstance(p, Point),
    "is": lambda p: p is p,
    "hash": lambda p: hash(p),
    "array": lambda p: np.array([p, p]),
    "full": lambda p: np.full(3, p),
    "sorted": lambda p: sorted((p, p)),
    "f-string": lambda p: f"{p}",
    "print": lambda p: print(p),
    "power": lambda p: p**2,
    "ufunc": lambda p: np.sin(p),
    "item of": lambda p: np.zeros(3)[p],
    "range": lambda p: range(p),
    "raise": lambda p: raising(p),
}


@cutaway.jit
def sum_of(pairs):
    total = 0.0
    for p, n in pairs:
        total += p.x * n
    return total


@cutaway.jit
def weighted(points):
    total = 0.0
    for n, p in enumerate(points):
        total += p.x * n
    return total


@cutaway.jit
def raising(p):
    raise ValueError("a point", p)


@pytest.mark.parametrize("name", LIBRARY)
def test_the_library_takes_a_point_or_says_why_not(name, capsys):
    try:
        cutaway.jit(LIBRARY[name])(Point(1.0, 2.0))
    except cutaway.errors.InternalError:
        raise
    except (CutawayError, ValueError):
        pass
