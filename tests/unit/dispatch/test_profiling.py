"""Profilers, tracers and other tools see a compiled function as they see a Python function."""

from __future__ import annotations

import cProfile
import functools
import gc
import pstats
import sys
import threading
import traceback
import types
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

import cutaway

pytestmark = pytest.mark.sampled(others=2, fast=20)

ROUNDS = 200
Decorator = Callable[[types.FunctionType], Any]  # Any: a function of either kind
DECORATORS: list[Decorator] = [lambda function: function, cutaway.jit]


@pytest.fixture(params=DECORATORS, ids=["python", "compiled"])
def decorate(request) -> Decorator:
    return request.param


class Refusal(ValueError):
    """An exception whose making is Python code of the user."""

    def __init__(self, x: float) -> None:
        super().__init__(x)
        self.x = x


def made(decorate: Decorator) -> Any:  # Any: a function of either kind
    @decorate
    def root(x, scale=1.0, *rest, shift=0.0):
        if x < 0:
            raise ValueError("negative")
        if x > 1000:
            raise Refusal(x)
        return x**0.5 * scale + shift

    root(4.0), root(4.0, 2.0), root(4.0, 2.0, 3, shift=1.0)
    for wrong in (-1.0, 1001.0):
        with pytest.raises(ValueError):
            root(wrong)
    return root


def user(f, x, count=2):
    total = 0.0
    for _ in range(count):
        total += f(x)
    return total


@contextmanager
def installed(install: Callable[..., None], tool: Any) -> Iterator[None]:
    """With a profiler or tracer, which need not be there any more at the end."""
    before = sys.getprofile() if install is sys.setprofile else sys.gettrace()
    install(tool)
    try:
        yield
    finally:
        install(before)


def events_of(install: Callable[..., None], action: Callable[[], Any]) -> list[tuple[Any, ...]]:
    """What a profiler or tracer is told during an action, lines aside."""
    found: list[tuple[Any, ...]] = []

    def tool(frame, event, arg):
        code = frame.f_code
        if event != "line" and code.co_filename == __file__:
            place = (code.co_name, code.co_qualname, code.co_firstlineno)
            shown = arg if isinstance(arg, float) else type(arg).__name__
            if event == "exception":
                shown = arg[0].__name__
            found.append((event, *place, shown))
        return tool

    with installed(install, tool):
        action()
    return [event for event in found if "installed" not in event[2]]


def quietly(f, *args):
    try:
        f(*args)
    except ValueError:
        pass


ACTIONS: dict[str, Callable[[Any], Any]] = {
    "a call": lambda f: f(4.0),
    "a call with keywords": lambda f: f(4.0, shift=1.0),
    "a call with more": lambda f: f(4.0, 2.0, 3),
    "calls from a function": lambda f: user(f, 4.0),
    "a call from C": lambda f: list(map(f, (4.0, 9.0))),
    "an exception": lambda f: quietly(f, -1.0),
    "an exception of the user's": lambda f: quietly(f, 1001.0),
    "a call that does not fit": lambda f: no_fit(f),
}


def no_fit(f):
    try:
        f()
    except TypeError:
        pass


@pytest.mark.parametrize("install", [sys.setprofile, sys.settrace], ids=["profile", "trace"])
@pytest.mark.parametrize("action", ACTIONS.values(), ids=ACTIONS)
def test_they_are_told_what_they_are_told_of_a_python_function(install, action):
    of_python, of_compiled = (
        events_of(install, lambda: action(made_function)) for made_function in map(made, DECORATORS)
    )
    if action is ACTIONS["a call that does not fit"]:
        # Python refuses before there is a frame; compiled code in the frame of the function
        of_compiled = [event for event in of_compiled if event[1] != "root"]
    assert of_compiled == of_python and len(of_python) >= 2


def test_events_bring_result_name_and_place():
    f = made(cutaway.jit)
    line = f.__code__.co_firstlineno
    place = ("root", "made.<locals>.root", line)
    assert events_of(sys.setprofile, lambda: f(9.0))[1:3] == [
        ("call", *place, "NoneType"),
        ("return", *place, 3.0),
    ]


def test_frames_are_nested_as_calls_are(decorate):
    f, callers = made(decorate), []

    def tool(frame, event, arg):
        if frame.f_code.co_name == "root":
            callers.append((event, frame.f_back.f_code.co_name, frame.f_globals is globals()))

    with installed(sys.setprofile, tool):
        user(f, 4.0, 1)
    assert callers == [("call", "user", True), ("return", "user", True)]


def test_cprofile_counts_calls_and_callers(decorate):
    f, profile = made(decorate), cProfile.Profile()
    profile.enable()
    user(f, 4.0, 5)
    quietly(f, -1.0)
    f(4.0)
    profile.disable()
    stats: Any = pstats.Stats(profile).stats
    named = {key[2]: (key, value) for key, value in stats.items() if key[0] == __file__}
    key, (primitive, calls, own, cumulative, callers) = named["root"]
    assert key == (__file__, f.__code__.co_firstlineno, "root")
    assert primitive == calls == 7
    by_name = {caller[2]: numbers[1] for caller, numbers in callers.items()}
    assert by_name["user"] == 5 and by_name["quietly"] == 1
    assert 0 < own <= cumulative <= named["user"][1][3] + named["quietly"][1][3] + cumulative
    assert named["user"][1][3] >= callers[named["user"][0]][3]
    assert set(named) == {"root", "user", "quietly"}
    assert {key[2] for key in stats if key[0] == "~"} <= {
        "<method 'disable' of '_lsprof.Profiler' objects>"
    }


def test_profilers_of_threads_see_calls(decorate):
    f, seen = made(decorate), []

    def tool(frame, event, arg):
        if frame.f_code.co_name == "root":
            seen.append((event, threading.current_thread().name))

    threading.setprofile(tool)
    try:
        threads = [threading.Thread(target=f, args=(4.0,), name=f"t{k}") for k in range(3)]
        for thread in threads:
            thread.start()
            thread.join()
    finally:
        threading.setprofile(None)
    f(4.0)
    assert seen == [(event, f"t{k}") for k in range(3) for event in ("call", "return")]


def test_a_profiler_of_one_thread_sees_no_other(decorate):
    f, seen = made(decorate), []

    def tool(frame, event, arg):
        if frame.f_code.co_name == "root":
            seen.append(threading.current_thread())

    with installed(sys.setprofile, tool):
        thread = threading.Thread(target=f, args=(4.0,))
        thread.start()
        thread.join()
        f(4.0)
    assert seen == [threading.main_thread()] * 2


@pytest.mark.skipif(sys.version_info < (3, 12), reason="there is no sys.monitoring")
def test_monitoring_tools_see_calls(decorate):
    monitoring = sys.monitoring
    wanted = ("PY_START", "PY_RETURN", "PY_UNWIND", "CALL", "RAISE")
    f, seen = made(decorate), []

    def record(name):
        def callback(code, *rest):
            if code.co_name == "root":
                seen.append((name, code.co_qualname, code.co_firstlineno))

        return callback

    monitoring.use_tool_id(3, "test")
    try:
        for name in wanted:
            monitoring.register_callback(3, getattr(monitoring.events, name), record(name))
        monitoring.set_events(3, sum(getattr(monitoring.events, name) for name in wanted))
        f(4.0)
        quietly(f, -1.0)
    finally:
        monitoring.set_events(3, 0)
        monitoring.free_tool_id(3)
    f(4.0)
    place = ("made.<locals>.root", f.__code__.co_firstlineno)
    got = [event for event in seen if event[0] != "CALL"]  # Python's calls ValueError
    assert got[:3] == [("PY_START", *place), ("PY_RETURN", *place), ("PY_START", *place)]
    assert got[-1] == ("PY_UNWIND", *place) and got.count(("PY_UNWIND", *place)) == 1
    assert got[3:-1] == [("RAISE", *place)]
    if isinstance(f, types.FunctionType):
        assert len(seen) > len(got)
    else:
        assert seen == got


@pytest.mark.parametrize("wrong", [-1.0, 1001.0, "text", None])
def test_tracebacks_are_the_same_with_and_without_a_profiler(wrong):
    f = made(cutaway.jit)

    def entries() -> list[tuple[str, int | None]]:
        try:
            f(wrong)
        except Exception as error:
            return [(e.name, e.lineno) for e in traceback.extract_tb(error.__traceback__)]
        raise AssertionError("it raises")

    alone = entries()
    for install in (sys.setprofile, sys.settrace):
        with installed(install, lambda *event: None):
            assert entries() == alone


def test_a_tool_may_call_the_function_itself(decorate):
    f, results = made(decorate), []

    def tool(frame, event, arg):
        if frame.f_code.co_name == "root":
            results.append((event, f(9.0)))
            quietly(f, -1.0)

    with installed(sys.setprofile, tool):
        assert f(4.0) == 2.0
    assert results == [("call", 3.0), ("return", 3.0)]


@pytest.mark.parametrize("at", ["call", "return"])
@pytest.mark.parametrize("wrong", [False, True])
def test_a_tool_may_raise(decorate, at, wrong):
    f = made(decorate)

    def tool(frame, event, arg):
        if frame.f_code.co_name == "root" and event == at:
            raise LookupError(event)

    with installed(sys.setprofile, tool), pytest.raises(LookupError, match=at) as caught:
        f(-1.0 if wrong else 4.0)
    names = [entry.name for entry in traceback.extract_tb(caught.value.__traceback__)]
    assert names[0].startswith("test_a_tool") and names[-1] == "tool"
    assert f(4.0) == 2.0


def test_a_tool_may_end_or_begin_within_a_call(decorate):
    class Switch(Exception):
        def __init__(self, on: float) -> None:
            sys.setprofile(tool if on else None)

    @decorate
    def f(on):
        raise Switch(on)

    seen: list[tuple[str, str]] = []

    def tool(frame, event, arg):
        seen.append((event, frame.f_code.co_name))

    for first in (1.0, 0.0):
        for on in (0.0, 1.0, 0.0):
            with installed(sys.setprofile, tool if first else None), pytest.raises(Switch):
                f(on)
            assert sys.getprofile() is None
    assert ("call", "f") in seen and ("return", "__init__") in seen


def test_nothing_is_made_for_profilers_before_there_is_one():
    f = made(cutaway.jit)
    before = len(gc.get_referents(f))
    f(4.0)
    assert len(gc.get_referents(f)) == before
    events_of(sys.setprofile, lambda: f(4.0))
    (added,) = [r for r in gc.get_referents(f) if isinstance(r, types.FunctionType)]
    assert added.__code__.co_filename == __file__ and added.__qualname__ == f.__qualname__


def test_a_call_is_done_once_whoever_gets_hold_of_it():
    f, pending = made(cutaway.jit), []

    def tool(frame, event, arg):
        if frame.f_code.co_name == "root":
            pending.append(frame.f_locals["call"])

    with installed(sys.setprofile, tool):
        assert f(4.0) == 2.0
    assert pending[0] is pending[1]
    with pytest.raises(RuntimeError, match="done already"):
        ~pending[0]
    with pytest.raises(TypeError):
        type(pending[0])()


def test_no_other_thread_can_do_a_call():
    f, errors = made(cutaway.jit), []

    def meddle(call) -> None:
        try:
            errors.append(~call)
        except RuntimeError as error:
            errors.append(str(error))

    def tool(frame, event, arg):
        if event == "call" and frame.f_code.co_name == "root":
            thread = threading.Thread(target=meddle, args=(frame.f_locals["call"],))
            thread.start()
            thread.join()

    with installed(sys.setprofile, tool):
        assert f(4.0) == 2.0
    assert errors == ["this call is of another thread"]


def test_a_tool_may_do_the_call_before_the_function_does():
    f = made(cutaway.jit)

    def tool(frame, event, arg):
        if event == "call" and frame.f_code.co_name == "root":
            assert ~frame.f_locals["call"] == 2.0

    with installed(sys.setprofile, tool), pytest.raises(RuntimeError, match="done already"):
        f(4.0)


def test_references_stay_flat_while_a_tool_is_active(decorate):
    f, value = made(decorate), 1234.5

    def use() -> None:
        f(value - 1234.0, shift=value)
        quietly(f, -value)
        quietly(f, value)
        no_fit(f)

    with installed(sys.setprofile, lambda *event: None):
        use()
        gc.collect()
        before = sys.getrefcount(f), sys.getrefcount(value), len(gc.get_objects())
        for _ in range(ROUNDS):
            use()
        gc.collect()
        after = sys.getrefcount(f), sys.getrefcount(value), len(gc.get_objects())
    assert all(abs(a - b) < ROUNDS // 10 for a, b in zip(after, before, strict=True))


def test_a_function_that_was_profiled_is_collected():
    f = made(cutaway.jit)
    events_of(sys.setprofile, functools.partial(f, 4.0))
    with installed(sys.setprofile, lambda *event: None):
        quietly(f, -1.0)
    gone = weakref.ref(f)
    del f
    gc.collect()
    assert gone() is None


def test_threads_call_while_tools_come_and_go():
    f, stop = made(cutaway.jit), threading.Event()
    wrong: list[Any] = []

    def calling() -> None:
        while not stop.is_set():
            if f(4.0) != 2.0:
                wrong.append(1)
            quietly(f, -1.0)

    threads = [threading.Thread(target=calling) for _ in range(3)]
    for thread in threads:
        thread.start()
    for _ in range(200):
        with installed(sys.setprofile, lambda *event: None):
            f(4.0)
        with installed(sys.settrace, lambda *event: None):
            f(4.0)
    stop.set()
    for thread in threads:
        thread.join()
    assert not wrong
