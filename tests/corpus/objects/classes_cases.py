"""Classes made in functions: bodies, inheritance, metaclasses, and what they close over."""

# ruff: noqa: F821, UP008, UP037  programs as they may be written

from __future__ import annotations

import abc
import dataclasses
import enum
from collections import namedtuple

from corpus.control.cases import Cases

CASES = Cases()


def said(error):
    """The class of an exception and what it says."""
    return type(error).__name__, error.args


class Base:
    """A class to inherit from."""

    kind = "base"

    def __init__(self, *args, **named):
        self.args, self.named = args, named

    def name(self):
        return "Base"

    @classmethod
    def make(cls, *args):
        return cls(*args)


# --- bodies ---------------------------------------------------------------------------------------


@CASES.case((3,), (0,))
def classes_run_their_bodies_as_programs(n):
    """A body has loops, conditions and exceptions, and its names become attributes."""
    log = []

    class Made:
        total = 0
        for k in range(n):
            total += k
        if n:
            many = True
        else:
            few = True
        try:
            broken = 1 // n
        except ZeroDivisionError as error:
            broken = error.args
        squares = [x * x for x in range(n)]
        log.append(total)
        del total

    names = sorted(name for name in Made.__dict__ if not name.startswith("_"))
    return names, Made.broken, Made.squares, log, Made.__name__, Made.__qualname__


@CASES.case((1,), ("x",))
def classes_do_not_show_names_of_their_body_to_methods(x):
    """A method sees the function's variables and not those of the class's body."""
    value = "function"

    class Made:
        value = "class"
        inside = value
        lengths = [len(value), x]

        def read(self):
            return value

        def own(self):
            return self.value

    one = Made()
    value = "changed"
    return one.read(), one.own(), Made.inside, Made.lengths, x


@CASES.case(("before",), (5,))
def classes_close_over_variables_that_change(x):
    """Methods share variables with the function, and write them."""
    count = 0

    class Counter:
        def up(self, by=1):
            nonlocal count
            count += by
            return count

        @staticmethod
        def read():
            return x, count

    one = Counter()
    one.up()
    x = "after"
    one.up(5)
    count *= 2
    return one.up(), Counter.read(), count


@CASES.case((2,))
def classes_made_by_a_loop_close_over_one_variable(n):
    """All classes of a loop see the last value, unless their body keeps it."""
    made = []
    for k in range(n):

        class Made:
            kept = k

            def late(self):
                return k

            def early(self, k=k):
                return k

        made.append(Made)
    k = "end"
    return [(one.kept, one().late(), one().early()) for one in made], made[0] is made[1]


@CASES.case((1,))
def classes_in_classes(x):
    """An inner class does not see the names of the outer one's body."""

    class Outer:
        y = x + 1

        class Inner:
            z = x + 2

            class Deep:
                w = x + 10

        try:
            found = Inner.z

            class Fails:
                bad = y
        except NameError as error:
            found = error.args

        alias = Inner.Deep

    return Outer.found, Outer.Inner.z, Outer.alias.w, Outer.Inner.Deep.__qualname__, Outer.y


@CASES.case((0,), (1,))
def classes_with_documentation_and_annotations(n):
    """Texts and annotations of a body are attributes."""

    class Made:
        """What it is."""

        x: int = n
        y: "str"
        if n:
            z: float = 1.0

    return Made.__doc__, sorted(Made.__annotations__), Made.x, hasattr(Made, "y"), Made.__module__


@CASES.case((5,))
def classes_that_refer_to_themselves(n):
    """A method refers to its class by name, and by `__class__`."""

    class Node:
        def __init__(self, value, following=None):
            self.value, self.following = value, following

        def push(self, value):
            return Node(value, self)

        def same(self):
            return __class__ is Node, type(self) is __class__

        def __iter__(self):
            node = self
            while node is not None:
                yield node.value
                node = node.following

    items = Node(0)
    for k in range(1, n):
        items = items.push(k)
    found = list(items), items.same()
    kept, Node = Node, None
    try:
        return found, kept(1).same(), kept(2).push(3)
    except TypeError as error:
        return found, said(error)


# --- inheritance ----------------------------------------------------------------------------------


@CASES.case((1,), ([],))
def classes_ask_their_base(x):
    """`super` in methods, class methods and properties."""

    class Derived(Base):
        kind = "derived"

        def __init__(self, *args, **named):
            super().__init__(*args, extra=x, **named)

        def name(self):
            return "Derived", super().name(), super(Derived, self).kind, self.kind

        @classmethod
        def make(cls, *args):
            return super().make(x, *args)

        @property
        def both(self):
            return super().kind + self.kind

    one = Derived.make(2)
    return one.args, one.named, one.name(), one.both, Base.name(one), isinstance(one, Base)


@CASES.case(())
def classes_with_several_bases():
    """The order of the bases decides, and each class is asked once."""
    log = []

    class Top:
        def run(self):
            log.append("top")

    class Left(Top):
        def run(self):
            log.append("left")
            super().run()

    class Right(Top):
        def run(self):
            log.append("right")
            super().run()

    class Both(Left, Right):
        def run(self):
            log.append("both")
            super().run()

    Both().run()
    order = [cls.__name__ for cls in Both.__mro__]
    try:

        class Wrong(Top, Both):
            pass
    except TypeError as error:
        return log, order, error.args[0].split("\n")[0]


@CASES.case((0,), (1,), (2,), (3,), (4,))
def classes_with_bases_that_are_refused(kind):
    """What cannot be inherited from."""
    bases = [(5,), (bool,), (int, str), (Base, Base), (None,)][kind]

    class Made(*bases):
        pass

    return Made


@CASES.case((1,), ("a",))
def classes_with_bases_that_are_computed(x):
    """Bases and keywords are computed, with stars, before the body runs."""
    log = []

    class Keyed:
        def __init_subclass__(cls, key=None, **named):
            log.append((cls.__name__, key, named))

    def note(value):
        log.append("computed")
        return value

    class Made(note(Keyed), *[Base], key=note(x), **{}):
        log.append("body")

    class Odd(Base if x == 1 else Keyed):
        pass

    return [base.__name__ for base in Made.__bases__ + Odd.__bases__], log, Made(1, k=x).named


@CASES.case((0,), (1,), (2,))
def classes_with_bases_that_stand_for_others(kind):
    """`__mro_entries__` gives the bases, and the original ones are kept."""

    class Stands:
        def __init__(self, *bases):
            self.bases = bases

        def __mro_entries__(self, bases):
            return self.bases

    given = [Stands(Base), Stands(), Stands(Base, dict)][kind]

    class Made(given):
        pass

    return [base.__name__ for base in Made.__bases__], Made.__orig_bases__ == (given,)


@CASES.case(({"b": 1},), ({},))
def classes_derived_from_those_of_python(items):
    """Subclasses of `dict`, `list`, `str` and `int` with methods of their own."""

    class Default(dict):
        def __missing__(self, key):
            self[key] = value = len(self)
            return value

    class Loud(str):
        def __add__(self, other):
            return Loud(str.__add__(self, other).upper())

    class Stack(list):
        def push(self, *items):
            self.extend(items)
            return self

    named = Default(items)
    named["x"], named["y"] = named["a"], named["b"]
    text = Loud("a") + "b"
    text += "c"
    stack = Stack("ab").push(1, 2)
    return named, text, type(text).__name__, text.lower(), stack, stack + [3], len(stack), stack[-1]


# --- how classes and objects are made -------------------------------------------------------------


@CASES.case((1,), (-1,), ("x",))
def classes_that_make_their_objects_themselves(x):
    """`__new__` may give another object, for which `__init__` is not called."""
    log = []

    class Chooses:
        def __new__(cls, value):
            log.append(("new", value))
            if value == "x":
                return "text"
            return super().__new__(cls)

        def __init__(self, value):
            log.append(("init", value))
            if value == -1:
                return value
            self.value = value

    try:
        one = Chooses(x)
    except TypeError as error:
        return said(error), log
    return type(one).__name__, getattr(one, "value", None), log


@CASES.case((1, 2), ((), None))
def classes_whose_objects_cannot_be_changed(x, y):
    """A subclass of `tuple` takes its items in `__new__`."""

    class Pair(tuple):
        def __new__(cls, first, second):
            return super().__new__(cls, (first, second))

        first = property(lambda self: self[0])

        def swapped(self):
            return Pair(*self[::-1])

    pair = Pair(x, y)
    a, b = pair.swapped()
    try:
        pair[0] = 1
    except TypeError as error:
        return pair, pair.first, a, b, pair == (x, y), said(error), pair + (1,)


@CASES.case((1,), (2,))
def classes_made_by_a_metaclass(x):
    """A metaclass sees the name, bases and body, and is called for each object."""
    log = []

    class Meta(type):
        @classmethod
        def __prepare__(mcs, name, bases, **named):
            log.append(("prepare", name, named))
            return {"given": x}

        def __new__(mcs, name, bases, body, **named):
            log.append(("new", [key for key in body if not key.startswith("__")]))
            return super().__new__(mcs, name + "Made", bases, body)

        def __init__(cls, name, bases, body, **named):
            log.append(("init", cls.__name__, name))

        def __call__(cls, *args):
            log.append(("call", args))
            return super().__call__(*args)

    class One(metaclass=Meta, option=x):
        double = given * 2

        def __init__(self, value=0):
            self.value = value

    class Two(One):
        pass

    return One(5).value, Two(6).value, One.double, Two.__name__, type(Two) is Meta, log


@CASES.case((0,), (1,), (2,))
def classes_whose_metaclass_is_found(kind):
    """The most derived metaclass wins, a conflict is an error, a function may stand for one."""

    class First(type):
        pass

    class Second(First):
        pass

    class Third(type):
        pass

    a, b, c = First("A", (), {}), Second("B", (), {"x": 1}), Third("C", (), {})
    if kind == 0:

        class Made(a, b):
            pass

        return type(Made).__name__, Made.x
    if kind == 1:

        class Made(
            a, metaclass=lambda name, bases, body, **named: (name, bases[0] is a, named), k=5
        ):
            pass

        return Made

    class Made(a, c):
        pass


@CASES.case((1, 2), ("a", None))
def classes_made_by_calling_type(x, y):
    """`type` with three arguments makes a class; with one it tells it."""
    Made = type("Made", (Base,), {"x": x, "get": lambda self: (self.x, y), "__len__": lambda s: 3})
    one = Made(1, k=2)
    Made.y = y
    again = type(one)(5)
    return one.get(), len(one), one.args, again.y, type(x).__name__, Made.__mro__[1] is Base


@CASES.case((1,))
def classes_with_hooks_for_attributes(x):
    """`__set_name__` and `__init_subclass__` are called when the class is there."""
    log = []

    class Named:
        def __set_name__(self, owner, name):
            log.append((owner.__name__, name))

    class Hooks:
        def __init_subclass__(cls, /, level=0):
            log.append((cls.__name__, level, hasattr(cls, "second")))

    class One(Hooks, level=x):
        first = Named()
        second = third = Named()

    class Two(One):
        pass

    try:

        class Three(Two, unknown=1):
            pass
    except TypeError as error:
        return log, error.args


@CASES.case((2.0,), ("side",))
def classes_that_are_abstract(side):
    """An abstract class makes no objects until all methods are there."""

    class Shape(abc.ABC):
        @abc.abstractmethod
        def area(self):
            return "shape"

        @property
        @abc.abstractmethod
        def corners(self): ...

    class Square(Shape):
        corners = 4

        def area(self):
            return side * 2, super().area()

    Shape.register(int)
    found = [Square().area(), isinstance(5, Shape), issubclass(Square, Shape)]
    try:
        Shape()
    except TypeError as error:
        return found, type(error).__name__, sorted(Shape.__abstractmethods__)


@CASES.case((3, 4), (0, "y"))
def classes_made_by_decorators_of_the_library(x, y):
    """Data classes, enumerations and named tuples."""

    @dataclasses.dataclass(order=True)
    class Point:
        x: int
        other: object = y
        tags: list = dataclasses.field(default_factory=list, compare=False)

    class Level(enum.IntEnum):
        LOW = 1
        HIGH = 2

        @property
        def other(self):
            return Level(3 - self)

    Row = namedtuple("Row", "a b", defaults=[y])
    one = Point(x)
    one.tags.append(Level.LOW)
    two = dataclasses.replace(one, x=x + 1)
    row = Row(x)._replace(b=1)
    found = one == Point(x), one < two, dataclasses.asdict(two), [level.name for level in Level]
    return found, Level.HIGH.other is Level.LOW, Level["HIGH"] + 1, row, row.a, Row._fields


@CASES.case((1,), (None,))
def classes_that_change_the_class_of_an_object(x):
    """`__class__` can be assigned where the layouts fit."""

    class Other(Base):
        def name(self):
            return "Other", self.args

    one = Base(x)
    one.__class__ = Other
    found = [one.name(), isinstance(one, Other)]
    try:
        one.__class__ = int
    except TypeError as error:
        found.append(said(error))
    Other.__bases__ = (type("Between", (Base,), {"kind": "between"}),)
    return found, one.kind, one.make(5).args


@CASES.case(*((cls,) for cls in (int, (str, (int, float)), int | None, Base, 5, (5,), [int])))
def classes_of_objects_are_asked_for(cls):
    """`isinstance` and `issubclass` take classes, tuples in tuples, and unions."""
    found = []
    for value in (1, True, "a", None, 2.5, Base()):
        try:
            found.append((isinstance(value, cls), issubclass(type(value), cls)))
        except TypeError as error:
            found.append(said(error))
    return found
