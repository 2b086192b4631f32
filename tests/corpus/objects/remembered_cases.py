"""Attributes at a place that remembers classes: each step of a course changes something there.

A function reads, writes, calls or deletes `x` of what it is given a few times, then the next step
changes the object, its class, a base or the class of its class.
"""

from __future__ import annotations

import functools
import sys
import types
from collections.abc import Callable, Iterator
from typing import Any

from corpus.control.cases import Case, Cases

# Any in this file: objects of the programs.

CASES = Cases()
Course = Callable[[], Iterator[Any]]
COURSES: dict[str, Course] = {}


def course(function: Course) -> Course:
    """A generator of the objects that a place meets, which changes things in between."""
    COURSES[function.__name__] = function
    return function


def said(error: BaseException) -> tuple[str, str]:
    """The class of an exception and what it says."""
    return type(error).__name__, str(error)


def plain(value: Any) -> Any:
    """What can be compared of a value."""
    known = (int, str, float, type(None), tuple, list, dict)
    return value if type(value) in known else type(value).__name__


class Data:
    """A data descriptor, which comes before what the instance has."""

    def __init__(self, value):
        self.value = value

    def __get__(self, instance, owner):
        return ("data", self.value, owner.__name__)

    def __set__(self, instance, value):
        self.value = value

    def __delete__(self, instance):
        self.value = "deleted"


class Shy:
    """A descriptor without `__set__`, which comes after what the instance has."""

    def __get__(self, instance, owner):
        return ("shy", owner.__name__)


class Writing:
    """A descriptor that can only be written."""

    def __set__(self, instance, value):
        instance.__dict__["x"] = ("written", value)


class Called:
    """A callable that is no descriptor."""

    def __call__(self, *args):
        return ("called", len(args))


def fresh(**inside: Any) -> Any:
    """A class that nobody has seen."""
    return type("Fresh", (), inside)


def slotted(*names: str, base: type = object, **inside: Any) -> Any:
    """A class without a dictionary."""
    return type("Slotted", (base,), {"__slots__": names, **inside})


def method(self, *args):
    """Any method."""
    return ("method", type(self).__name__, args)


# --- instances with a dictionary ------------------------------------------------------------------


@course
def what_the_class_gets():
    cls = fresh()
    one = cls()
    yield one
    one.x = 1
    yield one
    for value in (2, Shy(), Data(3), property(method), Writing(), method, Called(), 4):
        cls.x = value
        yield one
    one.__dict__.clear()
    for value in (2, Shy(), Data(3), property(method), Writing(), method, Called(), 4):
        cls.x = value
        yield one
    del cls.x
    yield one


@course
def what_a_base_gets():
    base = fresh()
    cls = type("Derived", (base,), {})
    one = cls()
    yield one
    for value in (Shy(), Data(3), property(lambda self: "property"), method, 5):
        base.x = value
        yield one
        cls.x = "nearer"
        yield one
        del cls.x
        yield one


@course
def hooks_that_come_and_go():
    cls = fresh()
    one = cls()
    yield one
    cls.__getattr__ = lambda self, name: "made up " + name
    yield one
    one.x = 1
    yield one
    cls.__getattribute__ = lambda self, name: "all " + name
    yield one
    del cls.__getattribute__
    yield one
    del cls.__getattr__
    yield one
    cls.__setattr__ = lambda self, name, value: None
    yield one
    del cls.__setattr__
    cls.__delattr__ = lambda self, name: None
    yield one


@course
def other_bases():
    first, second = fresh(x=1), fresh(x=property(lambda self: 2), y=3)
    third = fresh()
    cls = type("Derived", (first,), {})
    one = cls()
    for bases in ((first,), (second,), (third, second), (third,), (first, third)):
        cls.__bases__ = bases
        yield one


@course
def other_classes_of_an_object():
    first, second, third = fresh(x=1), fresh(x=property(method)), fresh(x=method)
    one = first()
    for cls in (first, second, third, first, third, second):
        one.__class__ = cls
        yield one
    one.__dict__["x"] = "own"
    for cls in (first, second, third):
        one.__class__ = cls
        yield one
    one.__dict__ = {"x": "another dictionary"}
    yield one


@course
def many_classes_in_turn():
    classes = [fresh(x=k) for k in range(6)]
    classes += [slotted("x"), slotted("y", "x"), fresh(x=property(method)), fresh(x=method)]
    made = [cls() for cls in classes]
    for _ in range(5):
        yield from made


@course
def classes_that_are_gone():
    for k in range(40):
        one = slotted(*"abcx"[k % 4 :])()
        one.x = k
        yield one
        yield slotted(*"xcba"[k % 4 :], x2=1)()
        yield fresh(x=property(lambda self, k=k: k))()


@course
def a_class_without_a_number():
    cls = fresh(x=0)
    one = cls()
    for k in range(1100):  # CPython 3.13 gives a class no more than 1000 numbers
        cls.x = k
        one.x  # noqa: B018
    yield one
    cls.x = property(method)
    yield one
    one.__dict__["x"] = 2
    yield one
    del cls.x
    yield one


# --- properties -----------------------------------------------------------------------------------


@course
def properties_of_all_kinds():
    cls = fresh()
    one = cls()
    one.x = "hidden"

    def fails(self):
        raise AttributeError("from inside")

    def changes(self):
        cls.x = "changed meanwhile"
        return "before"

    def two(self, other):
        return other

    for get in (method, fails, None, len, two, functools.partial(method, 1), changes, method):
        cls.x = property(get)
        yield one
    cls.__getattr__ = lambda self, name: "fallback"
    cls.x = property(fails)
    yield one


def a_property_made_anew():
    made = property(lambda self: "first")
    cls = fresh(x=made)
    one = cls()
    yield one
    made.__init__(lambda self: "second")
    yield one
    made.__init__(None)
    yield one
    made.__init__(method, lambda self, value: None, lambda self: None)
    yield one


# CPython 3.14 itself crashes there: its specialized bytecode keeps the getter that is gone.
if sys.version_info[:2] != (3, 14):
    course(a_property_made_anew)


@course
def a_property_with_a_class_of_its_own():
    class Own(property):
        def __get__(self, instance, owner=None):
            return "own"

    cls = fresh(x=property(method))
    yield cls()
    cls.x = Own(method)
    yield cls()
    cls.x = functools.cached_property(lambda self: "cached")
    one = cls()
    yield one
    yield cls()


# --- slots ----------------------------------------------------------------------------------------


@course
def slots_with_and_without_a_value():
    cls = slotted("w", "x")
    one, other = cls(), cls()
    yield one
    one.x = 1
    yield one
    yield other
    del one.x
    yield one
    cls.__getattr__ = lambda self, name: "fallback"
    yield one
    yield other
    member = cls.x
    cls.x = 5
    yield one
    cls.x = member
    yield one


@course
def slots_of_other_classes():
    first, second = slotted("x"), slotted("x")
    derived = type("Derived", (first,), {})
    one = derived()
    yield one
    one.__dict__["x"] = "in the dictionary"
    yield one
    second.x = first.x  # of another class: it does not apply
    yield second()
    other = slotted("y")
    one = other()
    one.y = "where the first has x"
    other.x = first.x
    yield one
    yield other()
    one = derived()
    derived.x = method
    yield one
    one = first()
    one.x = "first"
    third = slotted("x")
    yield one
    one.__class__ = third
    yield one


@course
def members_of_builtin_classes():
    def generic():
        return None

    yield from (slice(1, 2), generic, property(method), 3, "text", [1])
    yield types.SimpleNamespace(x=4)
    yield functools.partial(method)
    yield types.MethodType(method, 1)
    yield ValueError("no")
    with_own = type("Error", (ValueError,), {"x": 1})()
    yield with_own
    with_own.x = 5
    yield with_own
    yield type("List", (list,), {"x": 6, "__slots__": ()})()


# --- modules and classes --------------------------------------------------------------------------


@course
def modules():
    module = types.ModuleType("made")
    yield module
    module.x = 1
    yield module
    module.__getattr__ = lambda name: "of the module " + name
    yield module
    del module.x
    yield module
    del module.__getattr__
    yield module

    class Special(types.ModuleType):
        x = property(lambda self: "of the class")

    module.x = method
    yield module
    module.__class__ = Special
    yield module
    yield Special("other")
    yield types.ModuleType.__new__(types.ModuleType)


@course
def classes_as_objects():
    class Meta(type):
        """The class of a class."""

    cls = Meta("Class", (), {})
    yield cls
    cls.x = 1
    yield cls
    Meta.x = Data(2)
    yield cls
    cls.x = Shy()
    yield cls
    Meta.x = property(lambda self: "of the class's class")
    yield cls
    del Meta.x
    yield cls
    Meta.__getattr__ = lambda self, name: "made up " + name
    yield cls
    yield Meta
    del Meta.__getattr__
    yield cls


# --- methods --------------------------------------------------------------------------------------


@course
def methods_of_all_kinds():
    for cls in (fresh(), slotted("y")):
        one = cls()
        yield one
        every = (method, staticmethod(method), classmethod(method), Called(), Shy(), Data(1))
        for value in (*every, len, property(lambda self: method), functools.partial(method, 2), 7):
            cls.x = value
            yield one
    cls = fresh(x=method)
    one = cls()
    yield one
    one.x = Called()
    yield one
    del one.x
    yield one


def for_each(cases: Cases, courses: dict[str, Course]) -> Callable[[Any], Any]:
    """A case of a function for each course: its places know nothing at first."""

    def add(function: Any) -> Any:
        for name in courses:
            own = f"{function.__name__}_of_{name}"
            copied = types.FunctionType(function.__code__, function.__globals__, own)
            cases.append(Case(copied, ((name,),)))
        return function

    return add


# --- the places -----------------------------------------------------------------------------------


@for_each(CASES, COURSES)
def remembered_reads(name):
    log = []
    for one in COURSES[name]():
        for _ in range(3):
            try:
                log.append(plain(one.x))
            except (AttributeError, TypeError) as error:
                log.append(said(error))
    return log


@for_each(CASES, COURSES)
def remembered_reads_of_every_second(name):
    log = []
    for k, one in enumerate(COURSES[name]()):
        if k % 2:
            try:
                log.append(plain(one.x))
            except (AttributeError, TypeError) as error:
                log.append(said(error))
    return log


@for_each(CASES, COURSES)
def remembered_calls(name):
    log = []
    for one in COURSES[name]():
        for _ in range(3):
            try:
                log.append(plain(one.x()))
            except (AttributeError, TypeError) as error:
                log.append(said(error))
    return log


@for_each(CASES, COURSES)
def remembered_writes(name):
    log = []
    for one in COURSES[name]():
        for k in range(3):
            try:
                one.x = k
                log.append(plain(one.x))
            except (AttributeError, TypeError) as error:
                log.append(said(error))
    return log


@for_each(CASES, COURSES)
def remembered_writes_in_place(name):
    log = []
    for one in COURSES[name]():
        for _ in range(2):
            try:
                one.x += 1
                log.append(plain(one.x))
            except (AttributeError, TypeError) as error:
                log.append(said(error))
    return log


@for_each(CASES, COURSES)
def remembered_deletions(name):
    log = []
    for one in COURSES[name]():
        for _ in range(3):
            try:
                del one.x
                log.append("gone")
            except (AttributeError, TypeError) as error:
                log.append(said(error))
            try:
                one.x = "again"
                log.append(plain(one.x))
            except (AttributeError, TypeError) as error:
                log.append(said(error))
    return log


@CASES.case()
def a_getter_that_leaves_no_class():
    log = []
    for k in range(4):
        cls = fresh(x=property(lambda self: (log.append(type(self).__name__), self.change())))
        cls.change = lambda self, k=k: setattr(self, "__class__", fresh(x=k))
        one = cls()
        del cls
        one.x  # noqa: B018
        log.append(one.x)
    return log
