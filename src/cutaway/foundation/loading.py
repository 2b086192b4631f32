"""Runs the modules of the package at their first use: completely, or not at all.

`import` makes a module and does not run it: it runs when one of its names is needed, which `from
module import name` does at once, and a module that is imported as such does later or never.  So a
program runs what it needs of the compiler, whatever the modules that it needs import.

The library registers its functions when it runs; a second time, after Ctrl-C has ended the first,
each of them would be there twice.  And a process that is forked while another thread runs a module
would find it locked by nobody.
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
    """A module by its full name; it runs now."""
    module = importlib.import_module(name)
    run(module)
    return module


def run(*modules: ModuleType) -> None:
    """Run modules that have not run yet, in this order: for what they register."""
    for module in modules:
        if type(module) is _Later:
            _run(module)


def has_run(name: str) -> bool:
    """True if a module of the package has run in this process."""
    return type(sys.modules.get(name)) is ModuleType


class _Later(ModuleType):
    """A module that has not run yet."""

    def __getattribute__(self, name: str) -> Any:
        if name not in _OF_IMPORTS:
            _run(self)
        return ModuleType.__getattribute__(self, name)

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in _OF_IMPORTS:
            _run(self)
        ModuleType.__setattr__(self, name, value)


# What `import` itself asks of a module and sets.
_OF_IMPORTS = frozenset(
    "__name__ __loader__ __package__ __spec__ __path__ __file__ __cached__ __class__".split()
)


def _run(module: ModuleType) -> None:
    own: dict[str, Any] = ModuleType.__getattribute__(module, "__dict__")
    spec = own["__spec__"]
    with interrupts.deferred(), _LOCK, uncollected():
        if type(module) is not _Later or spec.loader_state:
            return  # another thread has run it meanwhile, or this one is about to
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
    """Look for no garbage meanwhile, nor among what was made meanwhile when this ends: what is
    loaded is none, and to look through it takes a fifth of the time that loading it takes."""
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            if not gc.get_freeze_count():  # else the program has put objects aside
                gc.freeze()
                gc.unfreeze()  # they are old ones now
            gc.enable()


class _Loader(SourceFileLoader):
    """Leaves running a module to its first use."""

    def exec_module(self, module: ModuleType) -> None:
        module.__class__ = _Later

    def run(self, module: ModuleType) -> None:
        """Run a module now."""
        super().exec_module(module)


class _Finder:
    """The modules of the package that are files of Python, but for packages."""

    def __init__(self) -> None:
        self.names: dict[str, frozenset[str]] = {}  # of the files in a folder

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
        """Forget which files there are, which `importlib.invalidate_caches` asks for."""
        self.names.clear()


sys.meta_path.insert(0, _Finder())


def environment_of_child() -> dict[str, str]:
    """The environment of a process of our own: the same package, wherever it was found, and none of
    our settings."""
    home = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    kept = {name: value for name, value in os.environ.items() if not name.startswith(_OURS)}
    paths = [home, *filter(None, [os.environ.get("PYTHONPATH", "")])]
    return {**kept, "PYTHONPATH": os.pathsep.join(paths)}


_OURS = ("CUTAWAY_", "NUMBA_")


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
