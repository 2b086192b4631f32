"""Object mode at its edges: frames, signals, threads, recursion, and calls from other code."""

from __future__ import annotations

import pickle
import signal
import threading
import traceback

import pytest

import cutaway
from cutaway.errors import OptionError, SignatureError, TypingError, UnsupportedError

objects = cutaway.jit(forceobj=True)


@objects
def depth(n):
    return 0 if n == 0 else 1 + depth(n - 1)


def test_recursion_ends_with_an_exception():
    assert depth(100) == 100
    with pytest.raises(RecursionError):
        depth(10**6)


@objects
def counts_forever():
    n = 0
    while True:
        n += 1


class Alarm(Exception):  # noqa: N818  it is none of an error
    """Raised by the handler of a signal."""


def test_a_loop_is_ended_by_a_signal():
    def rings(*_):
        raise Alarm

    before = signal.signal(signal.SIGALRM, rings)
    signal.setitimer(signal.ITIMER_REAL, 0.2)
    try:
        with pytest.raises(Alarm):
            counts_forever()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_other_threads_run_during_a_loop():
    ended = threading.Event()

    @objects
    def until(event):
        while not event.is_set():
            pass
        return True

    threading.Timer(0.05, ended.set).start()
    assert until(ended)


@objects
def own_variables():
    x = 1  # noqa: F841
    return locals()


@objects
def evaluated(x):
    return eval("x")  # noqa: S307


@pytest.mark.parametrize("function", [own_variables, lambda: evaluated(1)])
def test_what_asks_for_the_frame_is_refused(function):
    with pytest.raises(UnsupportedError, match="looks at the frame that calls it") as refused:
        function()
    assert refused.value.hint


def test_a_traceback_has_the_place_of_each_instruction():
    @objects
    def fails(d):
        return d["there"] + d["missing"]

    with pytest.raises(KeyError) as raised:
        fails({"there": 1})
    last = traceback.extract_tb(raised.value.__traceback__)[-1]
    assert (last.name, last.line) == ("fails", 'return d["there"] + d["missing"]')
    assert last.colno is not None and last.end_colno - last.colno == len('d["missing"]')


def test_code_with_types_does_not_call_it():
    @cutaway.jit
    def calls(n):
        return depth(n)

    with pytest.raises(TypingError, match="depth is compiled in object mode"):
        calls(3)


def test_options_that_ask_for_something_else_are_refused():
    for options in ({"cache": True}, {"parallel": True}, {"nogil": True}, {"nopython": True}):
        with pytest.raises(OptionError, match="forceobj"):
            cutaway.jit(forceobj=True, **options)(lambda: 1)


def test_the_types_of_signatures_say_nothing():
    f = cutaway.jit(["int64(int64)", "float64(float64)"], forceobj=True)(lambda x: [x])
    assert len(f.signatures) == 1  # compiled when it is decorated
    assert f("a") == ["a"] and f(None) == [None]
    f.compile("int64(complex128)")
    assert len(f.signatures) == 1
    with pytest.raises(SignatureError, match="has 1 parameter, the signature 2"):
        cutaway.jit("int64(int64, int64)", forceobj=True)(lambda x: x)
    with pytest.raises(SignatureError, match="not a type"):
        cutaway.jit("int64(flaot64)", forceobj=True)(lambda x: x)

    @cutaway.jit("int64(int64, int64, int64)", forceobj=True)
    def taken(a, *rest, **named):
        return a, rest, named

    assert taken(1, 2, c=3) == (1, (2,), {"c": 3})


def test_arguments_of_all_kinds_get_to_their_parameters():
    @objects
    def taken(a, /, b, *rest, c=3, **named):
        return a, b, rest, c, named

    assert taken(1, 2) == (1, 2, (), 3, {})
    assert taken(1, 2, 4, 5, c=6, d=7, a=8) == (1, 2, (4, 5), 6, {"d": 7, "a": 8})
    assert taken(1, b=2) == (1, 2, (), 3, {})
    with pytest.raises(TypeError, match=r"taken\(\) missing 1 required positional argument: 'b'"):
        taken(1)


def test_it_is_pickled_by_its_name():
    assert pickle.loads(pickle.dumps(depth))(3) == 3


def test_a_float_that_somebody_else_has_keeps_its_value():
    @objects
    def adds(x, items):
        y = x + 0.5
        items.append(y)
        y = y + 1.0
        z = y * 2.0
        items.append(z)
        return y, z + y

    items = []
    assert adds(1.0, items) == (2.5, 7.5)
    assert items == [1.5, 5.0]


def classes(compiled):
    """Two classes, the methods of one of which are compiled."""

    class Base:
        def __init__(self, x):
            self.x = x

        def shown(self, k):
            return self.x, k

    class Derived(Base):
        @compiled
        def __init__(self, x):
            super().__init__(x)

        @compiled
        def shown(self, k):
            above = super()
            return above.shown(k), super().shown(lambda: self), __class__.__name__

        @compiled
        def each(self):
            yield super().shown(1)
            self = Derived(7)  # noqa: F841  which super() takes
            yield super().shown(2)

    return Derived


def test_super_in_a_method_takes_the_class_and_the_object():
    compiled, plain = classes(objects)(3), classes(lambda function: function)(3)
    assert compiled.shown(2)[::2] == plain.shown(2)[::2] == ((3, 2), "Derived")
    assert compiled.shown(2)[1][1]() is compiled
    assert list(compiled.each()) == list(plain.each()) == [(3, 1), (7, 2)]
    for one in (compiled, plain):
        with pytest.raises(TypeError, match=r"super\(type, obj\): obj"):
            type(one).shown(1, 2)


def test_super_outside_of_a_class_is_refused():
    with pytest.raises(UnsupportedError, match="`super` looks at the frame"):
        objects(lambda: super())()


def test_a_signature_may_say_nothing_or_what_has_no_values():
    both = cutaway.jit((), forceobj=True)(lambda a, b: [a, b])
    assert both(1, "b") == [1, "b"] and len(both.signatures) == 1
    f = cutaway.jit((cutaway.types.Dummy("list"),), forceobj=True)(bool_of)
    assert f([1]) is True and f([]) is False
    (specialization,) = f.overloads.values()
    assert specialization.objectmode and f.nopython_signatures == []
    assert specialization.entry_point([0]) is True
    compiled = cutaway.jit("int64(int64)")(lambda x: x + 1)
    (specialization,) = compiled.overloads.values()
    assert not specialization.objectmode and specialization.entry_point(1) == 2


def bool_of(x):
    return bool(x)
