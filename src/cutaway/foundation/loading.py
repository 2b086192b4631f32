"""Executes the modules of the package at their first use: completely, or not at all.

`import` creates a module without executing it: it is executed when one of its names is read, which
`from module import name` does at once, and `import module` later or never.  So a program executes
only the part of the compiler that it needs, whatever the modules of that part import.

The library registers its functions when it is executed; executed a second time, after Ctrl-C has
ended the first, it would register each of them twice.  And a process that is forked while another
thread executes a module would inherit a lock that no thread releases.
"""

from __future__ import annotations

import _thread  # `threading` itself is not needed to decorate a function
import gc
import importlib
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib.machinery import ModuleSpec, SourceFileLoader
from types import ModuleType
from typing import Any, NamedTuple

from cutaway.foundation import interrupts

_PACKAGE = __name__.partition(".")[0]
_HOME = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

_LOCK = _thread.RLock()
_GUARDS: list[_Guard] = []
_held: list[_Guard] = []  # the guards taken while a process is forked


class _Guard(NamedTuple):
    """A lock that the forking thread takes, so that no fork interrupts another thread's work.

    A thread that holds one may wait for one of a higher `rank`, never of a lower one: the thread
    that forks takes them in that order, too.
    """

    take: Callable[[], object]
    leave: Callable[[], object]
    leave_in_child: Callable[[], object]
    rank: int


def load(name: str) -> ModuleType:
    """Import a module by its full name, and execute it now."""
    module = importlib.import_module(name)
    run(module)
    return module


def run(*modules: ModuleType) -> None:
    """Execute modules that were not executed yet, in this order, for their registrations."""
    for module in modules:
        if type(module) is _Later:
            _run(module)


def has_run(name: str) -> bool:
    """True if a module of the package was executed in this process."""
    return type(sys.modules.get(name)) is ModuleType


class _Later(ModuleType):
    """A module that was not executed yet."""

    def __getattribute__(self, name: str) -> Any:
        if name not in _OF_IMPORTS:
            _run(self)
        return ModuleType.__getattribute__(self, name)

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in _OF_IMPORTS:
            _run(self)
        ModuleType.__setattr__(self, name, value)


# The attributes that `import` itself reads and sets.
_OF_IMPORTS = frozenset(
    "__name__ __loader__ __package__ __spec__ __path__ __file__ __cached__ __class__".split()
)


def _run(module: ModuleType) -> None:
    own: dict[str, Any] = ModuleType.__getattribute__(module, "__dict__")
    spec = own["__spec__"]
    with interrupts.deferred(), _LOCK, uncollected():
        if type(module) is not _Later or spec.loader_state:
            return  # another thread has executed it meanwhile, or this one is executing it
        before = dict(own)
        spec.loader_state = True
        try:
            spec.loader.run(module)
        except BaseException:
            own.clear()
            own.update(before)
            raise
        finally:
            spec.loader_state = None
        ModuleType.__setattr__(module, "__class__", ModuleType)


@contextmanager
def uncollected() -> Iterator[None]:
    """Disable the garbage collector, and leave the new objects in the oldest generation: loaded
    modules are not garbage, and to traverse them takes a fifth of the time that loading takes."""
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            if not gc.get_freeze_count():  # else the program itself has frozen objects
                gc.freeze()
                gc.unfreeze()  # moves all objects to the oldest generation
            gc.enable()


class _Loader(SourceFileLoader):
    """A loader that defers the execution of a module to its first use."""

    def exec_module(self, module: ModuleType) -> None:
        module.__class__ = _Later

    def run(self, module: ModuleType) -> None:
        """Execute a module now."""
        super().exec_module(module)


class _Finder:
    """A finder of the package's modules that are Python files; it leaves packages to Python's."""

    def __init__(self) -> None:
        self.names: dict[str, frozenset[str]] = {}  # the file names in each folder

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        package, _, file = name.rpartition(".")
        if not package.startswith(_PACKAGE) or not path or not path[0].startswith(_HOME):
            return None
        folder, file = path[0], file + ".py"
        if folder not in self.names:
            self.names[folder] = frozenset(os.listdir(folder))
        if file not in self.names[folder]:
            return None
        file = os.path.join(folder, file)
        spec = ModuleSpec(name, _Loader(name, file), origin=file)
        spec.has_location = True
        return spec

    def invalidate_caches(self) -> None:
        """Forget the listed folders; called by `importlib.invalidate_caches`."""
        self.names.clear()


sys.meta_path.insert(0, _Finder())


def environment_of_child() -> dict[str, str]:
    """Return the environment of a child process that the package starts: it imports this copy of
    the package, and has none of its settings."""
    home = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    others = {name: value for name, value in os.environ.items() if not name.startswith(_OURS)}
    paths = [home, *filter(None, [os.environ.get("PYTHONPATH", "")])]
    return {**others, "PYTHONPATH": os.pathsep.join(paths)}


_OURS = ("CUTAWAY_", "NUMBA_")


OUTERMOST, PASSES, USUAL, INNERMOST = range(4)  # ranks


def guard_forks(
    take: Callable[[], object],
    leave: Callable[[], object],
    leave_in_child: Callable[[], object] | None = None,
    rank: int = USUAL,
) -> None:
    """Register a lock that a thread takes before it forks, and releases in both processes."""
    _GUARDS.append(_Guard(take, leave, leave_in_child or leave, rank))


def _take_all() -> None:
    while True:
        guards = sorted(_GUARDS, key=lambda guard: guard.rank)
        for guard in guards:
            guard.take()
            _held.append(guard)
        _LOCK.acquire()
        if len(guards) == len(_GUARDS):
            return
        _leave_all()  # a module loaded meanwhile has registered more guards


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
