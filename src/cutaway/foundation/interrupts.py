"""Defers handlers of signals, Ctrl-C's among them, while the compiler must not be interrupted.

Python runs the handler of a signal in the main thread between any two instructions, and one that
raises, as Ctrl-C's does, would leave whatever is under way half done: a module half imported, a
lock held, LLVM's memory lost.  Inside of `deferred` handlers are only noted.  They run where the
compiler calls `run_noted`, in front of each pass, and at the end.  Handlers of C (`SIG_DFL` among
them) are left alone, and so are other threads, in which Python never runs any.
"""

from __future__ import annotations

import _signal  # the functions of `signal` without its enumerations, which cost more than the rest
import _thread
import importlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType, ModuleType
from typing import Any

Handler = Callable[[int, FrameType | None], Any]


class Interrupted(BaseException):
    """Carries what a handler raised through the compiler, which explains other exceptions and
    would take a TimeoutError for a bug of its own.  `deferred` turns it back into that."""

    def __init__(self, error: BaseException) -> None:
        super().__init__(error)
        self.error = error


class _Deferral:
    """The deferred signals, in the main thread; no other one touches it."""

    def __init__(self) -> None:
        self.active = False
        self.noted: dict[int, FrameType | None] = {}
        self.handlers: dict[int, Handler] = {}  # those that `_note` stands in for


_STATE = _Deferral()


def _note(number: int, frame: FrameType | None) -> None:
    """Stands in for the handler of a signal."""
    if _STATE.active:
        _STATE.noted[number] = frame
    else:  # put back too late: see _put_back
        _STATE.handlers[number](number, frame)


def in_main_thread() -> bool:
    """True if handlers of signals run in this thread."""
    main: int = _threading().main_thread().ident
    return _thread.get_ident() == main


def _threading() -> ModuleType:
    """Loaded with the compiler, which needs it as well: not to decorate a function."""
    return importlib.import_module("threading")


@contextmanager
def deferred() -> Iterator[None]:
    """Handlers wait until the end, or until `run_noted`.

    Raises what a handler raises.
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
    """Run the handlers of signals that have come meanwhile; called where the compiler can be left.

    Raises Interrupted where one raises.
    """
    while _STATE.noted and in_main_thread():
        noted = _STATE.noted.popitem()
        try:
            _run(noted)
        except BaseException as error:  # noqa: BLE001  handed on
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
    # A handler may raise as soon as it is back; the others then stay queued by `_note`, which calls
    # them, until the next time.
    try:
        for number, handler in _STATE.handlers.items():
            if _signal.getsignal(number) is _note:
                _signal.signal(number, handler)
    finally:
        _STATE.active = False
