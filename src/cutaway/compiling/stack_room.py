"""Run LLVM on a stack that is large enough: threads may have less than it needs.

A thread can be created with 64 kB (`threading.stack_size`), and recursion can have used up a large
stack.  Such a thread compiles in a new thread with a stack of its own.
"""

from __future__ import annotations

import _thread
import importlib
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import TypeVar

from cutaway.dispatch_c import _dispatch
from cutaway.foundation import loading

T = TypeVar("T")
Entered = AbstractContextManager[None]


def nothing() -> AbstractContextManager[Entered]:
    """The default `waiting` of `with_room`: an outer and an inner context that do nothing."""
    return nullcontext(nullcontext())


ENOUGH = 512 * 1024  # bytes
ROOMY = 16 * 1024 * 1024

_STARTING = _thread.allocate_lock()  # the stack size of new threads is one setting for all threads

# A child process must not inherit the lock held by a thread that it does not have.
loading.guard_forks(_STARTING.acquire, _STARTING.release, rank=loading.INNERMOST)


def with_room(
    work: Callable[[], T], waiting: Callable[[], AbstractContextManager[Entered]] = nothing
) -> T:
    """Run some work of the compiler with enough stack; return its result or raise its exception.

    A thread that waits for another one to do the work waits within `waiting()`; the other one
    enters the context that `waiting()` yields.
    """
    if _dispatch.stack_room() >= ENOUGH:
        return work()
    results: list[T] = []
    errors: list[BaseException] = []
    with waiting() as entered:

        def run() -> None:
            try:
                with entered:
                    results.append(work())
            except BaseException as error:  # noqa: BLE001  raised in the thread that waits
                errors.append(error)

        _work_elsewhere(run)
    if errors:
        raise errors[0]
    return results[0]


def _work_elsewhere(run: Callable[[], None]) -> None:
    threading = importlib.import_module("threading")  # seldom needed, and slow to load
    thread = threading.Thread(target=run, daemon=True)
    with _STARTING:
        before = threading.stack_size(ROOMY)
        try:
            thread.start()
        finally:
            threading.stack_size(before)
    thread.join()
