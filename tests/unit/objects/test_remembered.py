"""What object mode remembers of classes, and the integers that it keeps, are nobody's burden."""

from __future__ import annotations

import gc
import sys
import threading
import types
import weakref

import cutaway

objects = cutaway.jit(forceobj=True)


class Slotted:
    """An object without a dictionary."""

    __slots__ = ("__weakref__", "x")

    @property
    def twice(self):
        return self.x, self.x

    def method(self):
        return self.x


class Managing(Slotted):
    """A context manager with a dictionary."""

    def __init__(self, x=None):
        self.x = x

    def __enter__(self):
        return self.x

    def __exit__(self, *about):
        return None


@objects
def uses(cls, n):
    found = []
    one = cls()
    for _ in range(n):
        one.x = "value"
        with one as inside:
            found.append((one.x, one.twice, one.method(), inside))
        cls(5)
    return len(found)


def test_a_class_that_is_remembered_can_go():
    cls = type("Gone", (Managing,), {"twice": property(lambda self: 1)})
    gone = weakref.ref(cls)
    assert uses(cls, 5) == 5
    del cls
    gc.collect()
    assert gone() is None


def test_what_is_read_keeps_its_references():
    value = object()
    one = Slotted()
    one.x = value

    @objects
    def reads(one, n):
        for _ in range(n):
            _ = one.x, one.twice, one.method()

    @objects
    def writes(one, value, n):
        for _ in range(n):
            one.x = value

    watched = (
        value,
        one,
        Slotted,
        Slotted.__dict__["twice"],
        Slotted.__dict__["method"],
        Slotted.x,
    )
    reads(one, 10)
    before = [sys.getrefcount(each) for each in watched]
    reads(one, 100)
    writes(one, value, 100)
    assert [sys.getrefcount(each) for each in watched] == before


def test_a_class_may_change_while_other_threads_use_it():
    cls = type("Changing", (Managing,), {})
    one = cls(1)
    wrong = []

    @objects
    def reads(one, kind, n):
        for _ in range(n):
            found = one.twice
            if found != (1, 1) and found != "other":
                wrong.append(found)
            with one as inside:
                if inside != 1:
                    wrong.append(inside)
            if kind(2).x != 2 or one.method() not in (1, "other"):
                wrong.append(kind)

    def changes():
        for k in range(300):
            cls.twice = property(lambda self: "other")
            cls.method = lambda self: "other"
            cls.__init__ = (
                Managing.__init__ if k % 2 else lambda self, x=None: setattr(self, "x", x)
            )
            cls.__enter__ = lambda self: self.x
            del cls.twice, cls.method, cls.__enter__

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        threads = [threading.Thread(target=reads, args=(one, cls, 3000)) for _ in range(3)]
        threads.append(threading.Thread(target=changes))
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
    assert not wrong


def test_a_traceback_that_is_made_holds_together():
    @objects
    def fails(n):
        if n:
            fails(n - 1)
        raise ValueError(n)

    try:
        fails(3)
    except ValueError as error:
        entries = []
        entry = error.__traceback__.tb_next
        while entry is not None:
            assert gc.is_tracked(entry)
            entries.append((entry.tb_frame.f_code.co_name, entry.tb_lineno, entry.tb_lasti > 0))
            entry = entry.tb_next
    first = fails.py_func.__code__.co_firstlineno
    assert entries == [("fails", first + 3, True)] * 3 + [("fails", first + 4, True)]


def test_integers_that_are_kept_are_no_more_than_a_few():
    @objects
    def sums(n):
        s = 1 << 40
        for k in range(n):
            s += k * k
        return s

    sums(10)
    before = sys.getallocatedblocks()
    for _ in range(100):
        sums(1000)
    assert sys.getallocatedblocks() - before < 60


def test_names_of_the_class_of_modules_come_before_those_in_the_module():
    # (CPython's interpreter takes the module's own, from 3.12 on, once it has run a few times.)
    @objects
    def reads(module, n):
        return [(module.__dict__, module.__class__, module.x) for _ in range(n)]

    module = types.ModuleType("made")
    inside = vars(module)
    inside["__dict__"] = inside["__class__"] = inside["x"] = "of the module"
    assert reads(module, 5) == [(inside, types.ModuleType, "of the module")] * 5
