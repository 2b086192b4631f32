"""Classes that are called and context managers at a place that remembers classes: each step of a
course changes something there."""

from __future__ import annotations

import dataclasses
import functools
import io
import threading
from abc import ABC, abstractmethod
from collections import namedtuple
from collections.abc import Callable, Iterator
from typing import Any

from corpus.control.cases import Cases
from corpus.objects.remembered_cases import for_each, fresh, said, slotted

# Any in this file: objects of the programs.

CASES = Cases()
Course = Callable[[], Iterator[Any]]
CLASSES: dict[str, Course] = {}
MANAGERS: dict[str, Course] = {}


def classes(function: Course) -> Course:
    """A generator of what a place calls, which changes things in between."""
    CLASSES[function.__name__] = function
    return function


def managers(function: Course) -> Course:
    """A generator of context managers."""
    MANAGERS[function.__name__] = function
    return function


def about(one: Any) -> Any:
    """What can be compared of an instance."""
    own = getattr(one, "__dict__", {})
    kind = "a class" if isinstance(one, type) else type(one).__name__
    return kind, [(name, own[name]) for name in own if not name.startswith("__")]


def keeps(self, *args, **named):
    """An `__init__` that keeps what it gets."""
    self.args = args
    self.named = sorted(named)


# --- classes --------------------------------------------------------------------------------------


@classes
def an_init_that_changes():
    cls = fresh()
    yield cls
    cls.__init__ = keeps
    yield cls
    for init in (lambda self: 3, lambda self, *rest, **named: None, lambda *rest, **named: [1]):
        cls.__init__ = init
        yield cls
    cls.__init__ = functools.partialmethod(keeps, "partial")
    yield cls
    cls.__init__ = staticmethod(lambda *rest, **named: None)
    yield cls
    cls.__init__ = functools.partial(keeps, cls)
    yield cls
    cls.__init__ = keeps
    yield cls
    del cls.__init__
    yield cls


@classes
def a_new_that_comes_and_goes():
    cls = type("Derived", (fresh(),), {"__init__": keeps})
    yield cls
    cls.__new__ = lambda cls, *rest, **named: object.__new__(cls)
    yield cls
    cls.__new__ = lambda cls, *rest, **named: "no instance"
    yield cls
    del cls.__new__
    yield cls
    del cls.__init__
    cls.__bases__ = (fresh(__init__=keeps),)
    yield cls


@classes
def a_class_of_classes_that_is_called():
    class Meta(type):
        def __call__(cls, *args, **named):
            return "made by the class's class"

    class Quiet(type):
        pass

    yield fresh(__init__=keeps)
    cls = Quiet("Quiet", (), {"__init__": keeps})
    for meta in (Quiet, Meta, Quiet):
        cls.__class__ = meta
        yield cls
    yield fresh(__init__=keeps)
    del Meta.__call__
    cls.__class__ = Meta
    yield cls


@classes
def abstract_classes():
    class Abstract(ABC):
        @abstractmethod
        def method(self):
            """Missing."""

        def __init__(self, *args, **named):
            self.args = args

    class Concrete(Abstract):
        def method(self):
            return 1

    yield from (Abstract, Concrete, Abstract, Concrete)
    plain = fresh(__init__=keeps)
    yield plain
    plain.__abstractmethods__ = frozenset({"missing"})
    yield plain
    plain.__abstractmethods__ = frozenset()
    yield plain


@classes
def classes_of_all_kinds():
    yield type("Pair", (namedtuple("Pair", "a b"),), {})
    yield dataclasses.make_dataclass("Record", ["a", ("b", int, 3)])
    yield slotted("args", "named", __init__=keeps)
    yield type("Error", (ValueError,), {"__init__": keeps})
    yield type("List", (list,), {"__init__": keeps})
    yield type("Number", (int,), {"__init__": keeps})
    yield type("Derived", (fresh(__init__=keeps),), {})
    yield type("Deleted", (), {"__init__": keeps, "__del__": lambda self: None})
    yield from (object, type, int, str, tuple, dict, list, property, ValueError, range)
    yield type("Callable", (), {"__call__": keeps})()


@classes
def classes_that_change_as_they_are_called():
    def once(self, *args, **named):
        self.first = True
        type(self).__init__ = keeps

    def other(self, *args, **named):
        self.__class__ = fresh(__init__=keeps)

    def fails(self, *args, **named):
        del type(self).__init__
        raise ValueError("no instance")

    for init in (once, other, fails):
        yield (cls := fresh(__init__=init))
        yield cls


@classes
def classes_in_turn():
    made = [
        fresh(__init__=lambda self, *args, k=k, **named: setattr(self, "k", k)) for k in range(70)
    ]
    for _ in range(3):
        yield from made


@for_each(CASES, CLASSES)
def remembered_instances(name):
    log = []
    for cls in CLASSES[name]():
        for _ in range(2):
            try:
                log.append(about(cls()))
            except (TypeError, ValueError) as error:
                log.append(said(error))
            try:
                log.append(about(cls(1)))
            except (TypeError, ValueError) as error:
                log.append(said(error))
    return log


@for_each(CASES, CLASSES)
def remembered_instances_with_names(name):
    log = []
    for cls in CLASSES[name]():
        for _ in range(2):
            try:
                log.append(about(cls(1, 2, a=3, b=4)))
            except (TypeError, ValueError) as error:
                log.append(said(error))
            try:
                log.append(about(cls(*(1, 2), b=4)))
            except (TypeError, ValueError) as error:
                log.append(said(error))
    return log


class Holder:
    """An object with classes among its attributes and methods."""

    def __init__(self, cls):
        self.own = cls

    def method(self, *args):
        return self, args


@for_each(CASES, CLASSES)
def remembered_instances_of_attributes(name):
    log = []
    for cls in CLASSES[name]():
        holder = Holder(cls)
        Holder.shared = cls
        for _ in range(2):
            try:
                log.append(about(holder.own(5, *(6,))))
                log.append(about(holder.own(5, 6)))
                log.append(about(holder.shared(7)))
            except (TypeError, ValueError) as error:
                log.append(said(error))
    return log


@CASES.case((3,))
def instances_within_instances(n):
    class Tree:
        def __init__(self, depth, *more):
            self.below = [Tree(depth - 1, depth), Tree(depth - 1)] if depth else list(more)

        def size(self):
            return 1 + sum(one.size() if isinstance(one, Tree) else one for one in self.below)

    return [Tree(k).size() for k in range(n)]


# --- context managers -----------------------------------------------------------------------------


def enters(self):
    """Any `__enter__`."""
    self.log.append("enters")
    return self


def leaves(self, kind, error, traceback):
    """Any `__exit__`."""
    self.log.append(("leaves", error.args if error else None, traceback is None))


def swallows(self, kind, error, traceback):
    """An `__exit__` after which there is no exception."""
    self.log.append(("swallows", error.args if error else None))
    return True


def fails(self, *about):
    """A method that raises."""
    self.log.append("fails")
    raise LookupError("failed")


@managers
def methods_that_change():
    cls = fresh(log=[])
    one = cls()
    yield one
    cls.__enter__ = enters
    yield one
    cls.__exit__ = leaves
    yield one
    one.__exit__ = one.__enter__ = "of the instance: ignored"
    yield one
    for change in (swallows, fails, None, Called3(), staticmethod(lambda *about: None), leaves):
        cls.__exit__ = change
        yield one
    for change in (
        fails,
        None,
        classmethod(enters),
        staticmethod(lambda: 5),
        property(lambda s: enters),
    ):
        cls.__enter__ = change
        yield one
    cls.__enter__ = enters
    yield one
    del cls.__exit__
    yield one


class Called3:
    """A callable that is no descriptor."""

    def __call__(self, *about):
        return len(about)


@managers
def methods_of_bases():
    base = fresh(log=[], __enter__=enters, __exit__=leaves)
    cls = type("Derived", (base,), {})
    one = cls()
    yield one
    base.__exit__ = swallows
    yield one
    cls.__exit__ = leaves
    yield one
    cls.__bases__ = (fresh(log=[], __enter__=fails, __exit__=fails),)
    yield one
    one.__class__ = fresh(log=[], __enter__=enters, __exit__=swallows)
    yield one
    one.__class__ = fresh(log=[])
    yield one


@managers
def managers_that_change_as_they_are_entered():
    def other_exit(self):
        type(self).__exit__ = fails
        return self

    def other_class(self):
        self.__class__ = fresh(log=[])
        return self

    def no_exit(self):
        del type(self).__exit__
        return self

    for enter in (other_exit, other_class, no_exit):
        cls = fresh(log=[], __enter__=enter, __exit__=leaves)
        yield cls()
        yield cls()


@managers
def managers_of_other_kinds():
    yield threading.Lock()
    yield io.StringIO("text")
    yield memoryview(b"bytes")
    yield slotted(__enter__=lambda self: 1, __exit__=lambda self, *about: None)()
    meta = type(
        "Meta", (type,), {"__enter__": lambda cls: cls, "__exit__": lambda cls, *about: True}
    )
    cls = meta("Class", (), {})
    yield cls
    yield fresh(__enter__=enters, __exit__=leaves, __getattr__=lambda self, name: [])()
    yield from (3, None, "text")


def log_of(one: Any) -> Any:
    """What a manager has noted."""
    return [*one.log] if hasattr(one, "log") and isinstance(one.log, list) else None


@for_each(CASES, MANAGERS)
def remembered_managers(name):
    log = []
    for one in MANAGERS[name]():
        for k in range(3):
            try:
                with one as inside:
                    log.append(type(inside).__name__)
                    if k:
                        raise KeyError(k)
            except (AttributeError, TypeError, LookupError, ValueError) as error:
                log.append(said(error))
            log.append(log_of(one))
    return log


@for_each(CASES, MANAGERS)
def remembered_managers_that_are_left_early(name):
    log = []
    for one in MANAGERS[name]():
        for k in range(3):
            try:
                with one:
                    if k == 1:
                        continue
                    if k == 2:
                        break
                    log.append(k)
            except (AttributeError, TypeError, LookupError, ValueError) as error:
                log.append(said(error))
        log.append(log_of(one))
    return log


@for_each(CASES, MANAGERS)
def remembered_managers_that_nobody_else_has(name):
    log = []

    def returned(manager):
        with manager as inside:
            del manager
            return type(inside).__name__

    for one in MANAGERS[name]():
        for _ in range(2):
            try:
                log.append(returned(one))
            except (AttributeError, TypeError, LookupError, ValueError) as error:
                log.append(said(error))
    return log


def made(log, result=None):
    """A manager that nobody else has."""
    cls = fresh(log=log, __enter__=enters, __exit__=leaves)
    cls.__exit__ = lambda self, kind, error, traceback: (
        log.append(("left", error is None)) or result
    )
    return cls()


@CASES.case((0,), (1,), (2,), (3,))
def a_generator_that_waits_in_contexts(stop):
    log = []

    def waits():
        for k in range(3):
            with made(log) as first, made(log, k == 2):
                log.append(type(first).__name__)
                yield k
                if k == 2:
                    raise ValueError(k)
        return "end"

    items = waits()
    for k in range(stop):
        log.append(next(items, "none"))
        if k == 2:
            log.append(list(items))
    items.close()
    return log


@CASES.case()
def a_context_within_a_context():
    log = []
    for k in range(3):
        try:
            with made(log), made(log, True) as second:
                with made(log):
                    log.append(k)
                    raise ValueError(k)
                log.append(type(second).__name__)
            with made(log, False):
                raise KeyError(k)
        except KeyError as error:
            log.append(said(error))
    return log
