"""Type codes: every value has the code of the type that `typeof` gives it, found without Python."""

from __future__ import annotations

import array
import enum
import gc
import random
import sys
import weakref
from collections import namedtuple
from typing import Any

import numpy as np
import pytest

import cutaway
from cutaway.dispatch import resolution
from cutaway.dispatch_c import _dispatch
from cutaway.dispatch_c._dispatch import ABSENT
from cutaway.errors import CutawayError
from cutaway.typing import types
from cutaway.typing.types.conversions import Conversion, conversion
from cutaway.typing.values.typeof import typeof
from dispatch.test_random_calls import a_value

pytestmark = pytest.mark.sampled(others=3, fast=4)

VALUES = 6000
PARTS = 4


def learned(value: Any) -> types.Type | None:
    """The type of a value, which the C half was told; None where it has none."""
    try:
        ty = typeof(value)
    except CutawayError:
        return None
    _dispatch.learn(value, ty.typecode)
    return ty


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("part", range(PARTS))
def test_a_code_stands_for_the_type_that_typeof_gives(part):
    rng = random.Random(part)
    pool, kept = [a_value(rng) for _ in range(VALUES // PARTS)], set()
    _dispatch.forget_codes()
    found_by: dict[str, int] = {}
    typed = 0
    for value in pool:
        if value is ABSENT:
            continue
        before, way = _dispatch.code_of(value)
        ty = learned(value)
        kept.add(ty)
        if ty is None:
            assert not before, value  # nothing without a type has the fingerprint of one with it
            continue
        assert before in (0, ty.typecode), (value, ty)
        assert way != "typeof", value
        assert _dispatch.code_of(value) == (ty.typecode, way)
        found_by[way] = found_by.get(way, 0) + 1
        typed += 1
    for value in pool:  # and nobody's code was taken by another type
        ty = None if value is ABSENT else learned(value)
        if ty is not None:
            assert _dispatch.code_of(value)[0] == ty.typecode, value
    assert typed > VALUES // PARTS // 2 and min(found_by.values()) > 50


def test_every_type_has_a_code_of_its_own():
    known = [types.int64, types.float64, types.Array(types.int8, 1, "C"), types.Tuple(())]
    assert len({ty.typecode for ty in known}) == len(known)
    assert types.Array(types.int8, 1, "C").typecode == known[2].typecode
    gone = types.Tuple((types.int8,) * 17).typecode
    gc.collect()
    assert types.Tuple((types.int8,) * 17).typecode > gone, "never used again"


def test_a_class_may_die_and_another_one_take_its_place():
    codes = set()
    for k in range(300):
        made = namedtuple("made", "x y" if k % 2 else "x")
        value = made(*[1] * len(made._fields))
        assert _dispatch.code_of(value)[0] == 0, "nothing is known of a new class"
        codes.add(learned(value).typecode)
        gone = weakref.ref(made)
        del made, value
        gc.collect(0)
    assert len(codes) == 300
    gc.collect()
    assert gone() is None


def test_objects_without_weak_references_are_not_kept_for_good():
    ufuncs = [np.frompyfunc(lambda x: x, 1, 1) for _ in range(3000)]
    assert all(_dispatch.fingerprint(ufunc) for ufunc in ufuncs)
    assert sum(sys.getrefcount(ufunc) > 3 for ufunc in ufuncs) <= 1100


def test_fingerprints_are_bounded_and_forgotten_codes_are_found_again():
    @cutaway.jit
    def size(t):
        return len(t)

    assert size((1, 2.5)) == 2
    code = typeof((1, 2.5)).typecode
    for k in range(70_000):
        _dispatch.learn((k % 7,) * (k // 7 % 100) + (1.0,) * (k // 700), 1)
    assert size((1, 2.5)) == 2 and size((1, 2.5)) == 2
    assert size._made[0].calls == 3 and size._made[0].codes == (code,)
    _dispatch.forget_codes()


@pytest.mark.parametrize("deep", [50, 99, 150, 5000])
def test_deep_and_long_tuples_are_no_danger(deep):
    nested: Any = 1
    for _ in range(deep):
        nested = (nested,)
    assert (_dispatch.fingerprint(nested) is None) == (deep > 101)
    wide = (1,) * (deep * 100)
    assert (_dispatch.fingerprint(wide) is None) == (deep * 100 > 8000)
    while isinstance(nested, tuple):
        nested = nested[0]


def test_a_registered_class_is_known_by_itself_and_its_attributes():
    class Held:
        __slots__ = ("x", "y")

        def __init__(self, x, y):
            self.x, self.y = x, y

        @property
        def asked(self):
            raise AssertionError("the fingerprint ran Python code")

    class Free:
        pass

    assert _dispatch.fingerprint(Held(1, 2)) is None
    _dispatch.register_class(Held, ("x", "y"))
    assert _dispatch.fingerprint(Held(1, 2)) == _dispatch.fingerprint(Held(3, 4))
    assert _dispatch.fingerprint(Held(1, 2)) != _dispatch.fingerprint(Held(1, 2.0))
    assert _dispatch.fingerprint(Held(1, Free())) is None
    unset = Held.__new__(Held)
    assert _dispatch.fingerprint(unset) is None
    _dispatch.register_class(Free, None)
    one, other = Free(), Free()
    assert _dispatch.fingerprint(one) == _dispatch.fingerprint(one)
    assert _dispatch.fingerprint(one) != _dispatch.fingerprint(other)
    with pytest.raises(TypeError):
        _dispatch.register_class(Held, ["x"])
    with pytest.raises(TypeError):
        _dispatch.register_class(1, ())


def test_the_table_of_conversions_agrees_with_the_rules():
    basic = [*types.SCALARS.values(), types.none]
    arrays = [types.Array(types.float64, 2, layout) for layout in "CFA"]
    for source in basic + arrays:
        for wanted in basic + arrays:
            kind = _dispatch.conversion(source.typecode, wanted.typecode)
            assert kind == conversion(source, wanted), (source, wanted)
    assert _dispatch.conversion(arrays[0].typecode, arrays[2].typecode) == Conversion.PROMOTION
    with pytest.raises(LookupError):
        _dispatch.conversion(2**31 - 1, types.int64.typecode)


def test_hooks_that_misbehave_are_errors():
    hook = resolution._conversion
    try:
        for wrong in (lambda a, b: 9, lambda a, b: "x", lambda a, b: None):
            _dispatch.set_conversion_hook(wrong)
            with pytest.raises((ValueError, TypeError)):
                _dispatch.conversion(2**31 - 1, 2**31 - 2)
    finally:
        _dispatch.set_conversion_hook(hook)
    with pytest.raises(ValueError, match="positive"):
        _dispatch.learn(1, 0)
    with pytest.raises(ValueError, match="each pair"):
        _dispatch.set_conversions((1, 2), b"\0")


def test_no_call_runs_python_code_once_its_specialization_exists():
    @cutaway.jit
    def one(*args):
        return 1

    point = namedtuple("point", "x y")
    color = enum.IntEnum("color", "red green")
    calls = [
        (1,), (1.0,), (1j,), (True,), (None,), (np.int8(1),), (np.zeros(3),), (np.zeros((2, 2)).T,),
        ((1, 2.0),), (((1,), np.zeros(3)),), (point(1, 2.0),), (range(3),), (slice(1, None),),
        (np.float64,), (np.dtype("f8"),), (one,), (len,), (), (1, 2, 3),
        (np.zeros(2, [("x", "f8")]),), (np.datetime64(1, "s"),), (np.zeros(2, "M8[ns]"),),
        (np.array(["a"]),), (np.zeros(1, [("x", "f8")])[0],), ("text",), ("t\xe9xt",), (b"b",),
        (bytearray(3),), (memoryview(b"abc"),), (array.array("d", [1]),), (color.red,),
    ]  # fmt: skip
    for args in calls:
        assert one(*args) == 1
    half, seen = one.half, []
    sys.setprofile(None)
    resolve, type(half).resolve = type(half).resolve, lambda *a: seen.append(a)
    try:
        for _ in range(3):
            for args in calls:
                assert one(*args) == 1, args
    finally:
        type(half).resolve = resolve
    assert not seen


ROADS = ["guards", "codes", "conversion", "resolution", "defaults", "rest"]


@pytest.mark.parametrize("road", ROADS)
def test_references_stay_flat_on_every_road(road):
    def chosen(a, b=(1, 2.5), *rest, c=3.5):
        return c

    def converted(a, c=3.5):
        return c

    rounds = 300
    big, array_, pair = 2**40 + 1, np.zeros(3), (1, 2.0)
    several = [big, 1.5, 1j, array_, pair, np.int8(1)]
    f = cutaway.jit("(float64, float64)")(converted) if road == "conversion" else None
    f = f or cutaway.jit(chosen)
    calls = {
        "guards": [((big,), {})],
        "codes": [((value,), {}) for value in several],
        "conversion": [((big,), {"c": True}), ((1.5, np.int8(1)), {})],
        "resolution": [((big,), {"d": 1}), ((), {}), ((object(),), {})],
        "defaults": [((big,), {"c": 1.5}), ((big, pair), {})],
        "rest": [((big, pair, array_, big), {}), ((big, pair, array_, big), {"c": 2})],
    }[road]

    def run():
        for args, kwargs in calls:
            try:
                f(*args, **kwargs)
                f._plan(*args, **kwargs)
            except (TypeError, CutawayError):
                assert road == "resolution"

    run()
    watched = [big, array_, pair, f, f.half, f.__defaults__, *f._made]
    before = [sys.getrefcount(one) for one in watched]
    for _ in range(rounds):
        run()
    gc.collect()
    after = [sys.getrefcount(one) for one in watched]
    assert all(abs(a - b) < 10 for a, b in zip(after, before)), (before, after)
    if road != "resolution":
        way = road if road in f.stats.hits else "guards"
        assert f.stats.hits[way] >= rounds
