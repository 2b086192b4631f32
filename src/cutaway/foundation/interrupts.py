"""Defers signal handlers, that of Ctrl-C among them, while the compiler must not be interrupted.

Python runs the handler of a signal in the main thread between any two instructions, and one that
raises, as Ctrl-C's does, would leave the current work half done: a module half imported, a
lock held, LLVM's memory leaked.  Within `deferred`, signals are only recorded.  Their handlers run
where the compiler calls `run_noted`, before each pass, and at the end.  Handlers in C (`SIG_DFL`
among them) are left alone, and so are other threads, in which Python never runs a handler.
"""

from __future__ import annotations

import _signal  # the functions of `signal` without its enumerations, which cost more than the rest
import _thread
import importlib
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType, ModuleType
from typing import Any

Handler = Callable[[int, FrameType | None], Any]


class Interrupted(BaseException):
    """Carries a handler's exception through the compiler, which explains other exceptions and
    would report a TimeoutError as its own bug.  `deferred` raises the original again."""

    def __init__(self, error: BaseException) -> None:
        super().__init__(error)
        self.error = error


class _Deferral:
    """The recorded signals; only the main thread accesses it."""

    def __init__(self) -> None:
        self.active = False
        self.noted: dict[int, FrameType | None] = {}
        self.handlers: dict[int, Handler] = {}  # those that `_note` replaces


_STATE = _Deferral()


def _note(number: int, frame: FrameType | None) -> None:
    """Record a signal; installed in the place of its handler."""
    if _STATE.active:
        _STATE.noted[number] = frame
    else:  # not restored in time: see _put_back
        _STATE.handlers[number](number, frame)


def in_main_thread() -> bool:
    """True if signal handlers run in this thread."""
    if "threading" not in sys.modules and not _thread._count():
        return True  # the only thread
    main: int = _threading().main_thread().ident
    return _thread.get_ident() == main


def _threading() -> ModuleType:
    """Import `threading` late: the compiler loads it, and decorating a function needs none."""
    return importlib.import_module("threading")


@contextmanager
def deferred() -> Iterator[None]:
    """Defer signal handlers until the end of the block, or until `run_noted`.

    Raises the exception of a handler.
    """
    if _STATE.active or not in_main_thread():
        yield
        return
    try:
        _STATE.active = True
        _stand_in()
        yield
    except Interrupted as interrupted:
        raise interrupted.error from None
    finally:
        _put_back()
        while _STATE.noted:
            _run(_STATE.noted.popitem())


def run_noted() -> None:
    """Run the handlers of the recorded signals; called where the compiler may be interrupted.

    Raises Interrupted if a handler raises.
    """
    while _STATE.noted and in_main_thread():
        noted = _STATE.noted.popitem()
        try:
            _run(noted)
        except BaseException as error:  # noqa: BLE001  passed on
            raise Interrupted(error) from None


def _run(noted: tuple[int, FrameType | None]) -> None:
    number, frame = noted
    handler = _signal.getsignal(number)  # the program may have set another one meanwhile
    if handler is _note:
        handler = _STATE.handlers[number]
    if callable(handler):
        handler(number, frame)


def _stand_in() -> None:
    for number in range(1, _signal.NSIG):
        handler = _signal.getsignal(number)
        if callable(handler) and handler is not _note:
            try:
                _signal.signal(number, _note)
            except ValueError:  # not the main interpreter: no handler runs here
                return
            _STATE.handlers[number] = handler


def _put_back() -> None:
    # A handler may raise as soon as it is restored; for the others `_note` then stays installed
    # until the next time, and calls them.
    try:
        for number, handler in _STATE.handlers.items():
            if _signal.getsignal(number) is _note:
                _signal.signal(number, handler)
    finally:
        _STATE.active = False
