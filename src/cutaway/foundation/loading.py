"""Loads modules at their first use: completely, or not at all.

The library registers its functions when it is loaded; a second time, after Ctrl-C has ended the
first, each of them would be there twice.  And a process that is forked while another thread loads
would find modules locked by nobody.
"""

from __future__ import annotations

import _thread  # `threading` itself is not needed to decorate a function
import importlib
import os
from collections.abc import Callable
from types import ModuleType
from typing import NamedTuple

from cutaway.foundation import interrupts

_LOCK = _thread.RLock()
_GUARDS: list[_Guard] = []
_held: list[_Guard] = []  # while a process is forked


class _Guard(NamedTuple):
    """A way to hold what must not be forked in the middle of another thread's work.

    A thread that holds one may wait for one of a higher `rank`, never of a lower one: the thread
    that forks takes them in that order, too.
    """

    take: Callable[[], object]
    leave: Callable[[], object]
    leave_in_child: Callable[[], object]
    rank: int


def load(name: str) -> ModuleType:
    """A module by its full name."""
    with interrupts.deferred(), _LOCK:
        return importlib.import_module(name)


def environment_of_child() -> dict[str, str]:
    """The environment of a process of our own: the same package, wherever it was found, and none of
    our settings."""
    home = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    kept = {name: value for name, value in os.environ.items() if not name.startswith(_OURS)}
    paths = [home, *filter(None, [os.environ.get("PYTHONPATH", "")])]
    return {**kept, "PYTHONPATH": os.pathsep.join(paths)}


_OURS = ("CUTAWAY_", "NUMBA_")


def load_light(name: str) -> ModuleType:
    """The same for a module that brings nothing of the compiler with it: Ctrl-C may end it, and
    it is loaded again."""
    with _LOCK:
        return importlib.import_module(name)


OUTERMOST, PASSES, USUAL, INNERMOST = range(4)  # ranks


def guard_forks(
    take: Callable[[], object],
    leave: Callable[[], object],
    leave_in_child: Callable[[], object] | None = None,
    rank: int = USUAL,
) -> None:
    """Have the thread that forks take something before, and leave it in both processes."""
    _GUARDS.append(_Guard(take, leave, leave_in_child or leave, rank))


def _take_all() -> None:
    while True:
        wanted = sorted(_GUARDS, key=lambda guard: guard.rank)
        for guard in wanted:
            guard.take()
            _held.append(guard)
        _LOCK.acquire()
        if len(wanted) == len(_GUARDS):
            return
        _leave_all()  # what was loaded meanwhile has more


def _leave_all() -> None:
    _LOCK.release()
    while _held:
        _held.pop().leave()


def _leave_all_in_child() -> None:
    _LOCK.release()
    while _held:
        _held.pop().leave_in_child()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_take_all, after_in_parent=_leave_all, after_in_child=_leave_all_in_child
    )
