"""Compile each signature once: threads that want the same one wait for the first."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from cutaway.compiling import sessions
from cutaway.compiling.sessions import Compilable
from cutaway.errors import CutawayError
from cutaway.foundation import interrupts
from cutaway.typing.types import Type

Wanted = tuple[Compilable, int, tuple[Type, ...]]  # the number: the function's generation

LONGEST_SLEEP = 0.05  # seconds that the main thread sleeps between checks for Ctrl-C
MOST_AT_ONCE = 3  # compilations of one signature in one thread, each called for by the one before


class _Attempt:
    """A compilation under way."""

    def __init__(self) -> None:
        self.thread = threading.get_ident()
        self.over = threading.Event()

    def wait(self) -> None:
        """Wait until the compilation ends, successfully or not.

        Raises Interrupted where a signal handler raises meanwhile.
        """
        sleep = LONGEST_SLEEP if interrupts.in_main_thread() else None
        while not self.over.wait(sleep):
            interrupts.run_noted()


_UNDER_WAY: dict[Wanted, _Attempt] = {}


@contextmanager
def attempt(wanted: Wanted) -> Iterator[bool]:
    """Yield True if this thread is to compile, False if another thread has just tried.

    Deadlock is impossible: a waiting thread has begun no compilation, since one that has (it is
    called from within a pass) compiles for itself; and within a compilation a thread waits only for
    its turn, whose owner waits for nobody.
    """
    with interrupts.deferred():
        mine = _Attempt()
        first = _UNDER_WAY.setdefault(wanted, mine)
        if first is mine:
            try:
                yield True
            finally:
                del _UNDER_WAY[wanted]
                mine.over.set()
        elif sessions.current() is not None:
            with _again(wanted):
                yield True
        else:
            first.wait()
            yield False


class _Nested(threading.local):
    """The compilations that this thread began within another one."""

    def __init__(self) -> None:
        self.wanted: list[Wanted] = []


_NESTED = _Nested()


@contextmanager
def _again(wanted: Wanted) -> Iterator[None]:
    # A nested compilation may be called from within its own compilation.
    if _NESTED.wanted.count(wanted) >= MOST_AT_ONCE - 1:
        function, _, argtypes = wanted
        name, types = function.py_func.__name__, ", ".join(map(str, argtypes))
        raise CutawayError(
            f"compiling {name} for ({types}) itself calls {name} with these types",
            hint="call another function, or the Python function, from observers and passes",
        )
    _NESTED.wanted.append(wanted)
    try:
        yield
    finally:
        _NESTED.wanted.pop()


def _forget_others() -> None:
    # A forked process has neither the other threads nor their compilations.
    for wanted, attempt in list(_UNDER_WAY.items()):
        if attempt.thread != threading.get_ident():
            del _UNDER_WAY[wanted]


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_others)
