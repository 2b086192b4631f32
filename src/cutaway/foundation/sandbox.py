"""Runs work in a forked child process: a crash or an endless loop leaves the user's process alone.

    answer = in_child(lambda: f(*args), seconds=10)
    answer.kind         "returned", "raised", "died", "ran out of time", or "not run"
    answer.value        the result of the work
    answer.words        the outcome, as the end of a sentence

The child is a fork, so that it sees the parent's memory and changes none of it.  The package's
locks are held during the fork (`loading.guard_forks`).
"""

from __future__ import annotations

import faulthandler
import gc
import importlib
import os
import pickle
import select
import signal
import sys
import warnings
from collections.abc import Callable
from contextlib import suppress
from time import sleep
from typing import Any, Generic, TypeVar

from cutaway.foundation.allowance import Allowance
from cutaway.foundation.dataclass import dataclass

T = TypeVar("T")

IS_AVAILABLE = hasattr(os, "fork")
OUT_OF_TIME = "had not ended after"
_CHUNK = 1 << 20
_GLANCE = 0.05  # seconds between polls of a child that writes nothing


@dataclass(frozen=True, slots=True)
class Answer(Generic[T]):
    """The outcome of work in a child process.

    `kind` is "returned" with `value`, "raised" with the class of the exception in `reason` and
    its text in `words`, "died" with the name of the signal (or the exit status) in `reason`, "ran
    out of time", or "not run" where the system has no fork.
    """

    kind: str
    value: T | None = None
    reason: str = ""
    words: str = ""

    @property
    def is_returned(self) -> bool:
        """True if the work returned."""
        return self.kind == "returned"


def in_child(work: Callable[[], T], seconds: float) -> Answer[T]:
    """Do work in a forked child process, for at most so many seconds of processor time.

    Its result must be picklable.  Side effects of the work stay in the child, and its output is
    discarded, unless the work itself replaces `sys.stdout`.
    """
    if not IS_AVAILABLE:
        return Answer("not run", words="was not run: this system cannot fork a process")
    reading, writing = os.pipe()
    try:
        child = _fork()
        if child == 0:
            _be_child(work, reading, writing)  # does not return
        os.close(writing)
        writing = -1
        data, status = _listen(child, reading, Allowance(child, seconds))
    finally:
        os.close(reading)
        if writing >= 0:
            os.close(writing)
    return _answer(data, status, seconds)


def _fork() -> int:
    with warnings.catch_warnings():
        # From 3.12 on Python warns of a fork while there are threads.  The package's threads are
        # covered by the guards, and the child uses nothing of the others.
        warnings.simplefilter("ignore", DeprecationWarning)
        return os.fork()


# --- the child --------------------------------------------------------------------------------


def _be_child(work: Callable[[], Any], reading: int, writing: int) -> None:
    """Do the work, send its outcome, and end without any of the parent's duties at exit."""
    try:
        os.close(reading)
        _prepare()
        with os.fdopen(writing, "wb") as pipe:
            pipe.write(_outcome(work))
    finally:
        # Not `sys.exit`: it would run the parent's exit handlers and write its buffers, twice in
        # all.
        os._exit(0)


def _prepare() -> None:
    """Silence the child: its output would mix with the parent's, and the dump of a crash is
    useless."""
    gc.disable()  # finalizers of the parent's garbage must not run here
    faulthandler.disable()
    with suppress(ImportError, OSError, ValueError):
        resource = importlib.import_module("resource")
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with suppress(OSError, ValueError):
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    with suppress(OSError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 1)
        os.dup2(nowhere, 2)
    sys.stdout = sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115  until the end


def _outcome(work: Callable[[], Any]) -> bytes:
    """Return the pickled result after `=`, or the pickled exception's name and text after `!`."""
    try:
        return b"=" + pickle.dumps(work(), protocol=pickle.HIGHEST_PROTOCOL)
    except BaseException as error:
        return b"!" + pickle.dumps((type(error).__name__, _text_of(error)))


def _text_of(error: BaseException) -> str:
    try:
        return str(error)
    except Exception:  # a user's class may do anything here
        return ""


# --- the parent -------------------------------------------------------------------------------


def _listen(child: int, reading: int, allowance: Allowance) -> tuple[bytes, int | None]:
    """Return the output of a child, and its exit status; None as the status if it ran out of time.

    On every exit, exceptions included, the child has ended and was waited for.
    """
    parts: list[bytes] = []
    status: int | None = None
    is_open = True
    try:
        while status is None and not allowance.is_spent():
            if is_open:
                is_open = _read(reading, parts, min(allowance.seconds, _GLANCE))
            else:
                sleep(0.0005)
            status = _ended(child)
        while is_open and status is not None and _read(reading, parts, 0.0):
            pass  # the rest of its output
    finally:
        if status is None:
            with suppress(ProcessLookupError):
                os.kill(child, signal.SIGKILL)
            with suppress(ChildProcessError):
                os.waitpid(child, 0)
    return b"".join(parts), status


def _read(reading: int, parts: list[bytes], wait: float) -> bool:
    """Append the available output to `parts`, and return whether there may be more."""
    ready, _, _ = select.select([reading], [], [], max(wait, 0.0))
    if not ready:
        return wait > 0
    part = os.read(reading, _CHUNK)
    parts.append(part)
    return bool(part)


def _ended(child: int) -> int | None:
    try:
        gone, status = os.waitpid(child, os.WNOHANG)
    except ChildProcessError:  # the program reaps all children itself, or ignores SIGCHLD
        return 0
    return os.waitstatus_to_exitcode(status) if gone else None


def _answer(data: bytes, status: int | None, seconds: float) -> Answer[Any]:
    if status is None:
        return Answer("ran out of time", words=f"{OUT_OF_TIME} {seconds:g} seconds")
    if status < 0:
        return _died(_signal_name(-status))
    try:
        value = pickle.loads(data[1:])  # noqa: S301  from our own child
    except Exception:  # a broken process may write anything
        return _died(f"status {status}")
    if data[:1] == b"=":
        return Answer("returned", value)
    name, text = value
    return Answer("raised", reason=name, words=f"raised {name}: {text}")


def _died(reason: str) -> Answer[Any]:
    return Answer("died", reason=reason, words=f"died of {reason}")


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
