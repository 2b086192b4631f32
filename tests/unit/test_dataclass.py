"""Our quick dataclasses do what those of the standard library do, as far as they go."""

from __future__ import annotations

import dataclasses
import pickle
import weakref
from typing import ClassVar

import pytest

from cutaway.foundation import dataclass as quick

DECORATORS = {"ours": quick, "standard": dataclasses}


def made(module, **options):
    """A class with a field of each kind."""

    @module.dataclass(**options)
    class Point:
        x: int
        y: int = 2
        tags: list = module.field(default_factory=list)
        hidden: int = module.field(default=0, compare=False, repr=False)
        kind: ClassVar[str] = "point"

        def norm(self):
            return abs(self.x) + abs(self.y)

    return Point


@pytest.fixture(params=DECORATORS)
def module(request):
    return DECORATORS[request.param]


@pytest.mark.parametrize("slots", [False, True])
@pytest.mark.parametrize("frozen", [False, True])
def test_objects_are_made_shown_and_compared(module, frozen, slots):
    Point = made(module, frozen=frozen, slots=slots)
    point = Point(1, hidden=5)
    assert (point.x, point.y, point.tags, point.hidden, point.kind) == (1, 2, [], 5, "point")
    assert repr(point).endswith("Point(x=1, y=2, tags=[])")
    assert point == Point(1, 2) and point != Point(1, 3) and point != (1, 2)
    assert point.tags is not Point(1).tags and point.norm() == 3
    assert hasattr(point, "__dict__") is not slots
    with pytest.raises(TypeError, match="x"):
        Point()
    match point:
        case Point(x, y):
            assert (x, y) == (1, 2)


def test_frozen_objects_do_not_change(module):
    point = made(module, frozen=True)(1)
    with pytest.raises(AttributeError):
        point.x = 3
    with pytest.raises(AttributeError):
        del point.x
    assert point.x == 1


def test_hashes_follow_from_equality(module):
    @module.dataclass(frozen=True)
    class Pair:
        a: int
        b: int = module.field(default=0, compare=False)

    assert hash(Pair(1, 2)) == hash(Pair(1, 3)) and {Pair(1): 1}[Pair(1, 9)] == 1
    with pytest.raises(TypeError, match="unhashable"):
        hash(made(module)(1))
    assert hash(made(module, eq=False)(1)) is not None
    assert made(module, eq=False)(1) != made(module, eq=False)(1)


def test_methods_of_the_class_itself_stay(module):
    @module.dataclass(frozen=True)
    class Own:
        a: int

        def __repr__(self):
            return "own"

        def __eq__(self, other):
            return True

        def __hash__(self):
            return 7

    assert repr(Own(1)) == "own" and Own(1) == 3 and hash(Own(1)) == 7


def test_fields_are_inherited_in_order(module):
    @module.dataclass(frozen=True, slots=True)
    class Base:
        a: int
        b: int = 1

    @module.dataclass(frozen=True, slots=True)
    class Derived(Base):
        b: int = 2
        c: int = 3

    assert repr(Derived(0)).endswith("Derived(a=0, b=2, c=3)")
    assert Derived.__match_args__ == ("a", "b", "c")


def test_what_is_to_be_done_behind_init_is_done(module):
    @module.dataclass
    class Doubled:
        a: int

        def __post_init__(self):
            self.a *= 2

    assert Doubled(2).a == 4


def test_the_standard_library_knows_them():
    point = made(quick, frozen=True, slots=True)(1)
    assert dataclasses.is_dataclass(point)
    assert [f.name for f in dataclasses.fields(point)] == ["x", "y", "tags", "hidden"]
    assert dataclasses.replace(point, y=5) == quick.replace(point, y=5)
    assert quick.replace(point, y=5).y == 5
    assert [f.name for f in quick.fields(point) if f.compare] == ["x", "y", "tags"]


@quick.dataclass(frozen=True, slots=True)
class Kept:
    """One that can be pickled."""

    a: int
    b: tuple = ()


@quick.dataclass(slots=True, eq=False, weakref_slot=True)
class Referred:
    """One that can be referred to weakly."""

    a: int


def test_they_are_pickled_and_referred_to_weakly():
    assert pickle.loads(pickle.dumps(Kept(1, (2,)))) == Kept(1, (2,))
    one = Referred(1)
    assert weakref.ref(one)() is one
