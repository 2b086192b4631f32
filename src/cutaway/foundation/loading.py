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
import marshal
import os
import sys
from _frozen_importlib_external import MAGIC_NUMBER, cache_from_source  # `importlib.util`'s
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib.machinery import ModuleSpec, SourceFileLoader
from io import open_code
from types import CodeType, ModuleType
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


def running() -> str:
    """Return the name of the module that is being executed, the innermost one; else empty."""
    return next((module.__name__ for module in _RUNNING[-1:]), "")


class _Later(ModuleType):
    """A module that was not executed yet.  Submodules of a package are read without executing it:
    `__init__.py` defines the other names."""

    def __getattribute__(self, name: str) -> Any:
        if name not in _OF_IMPORTS:
            own: dict[str, Any] = ModuleType.__getattribute__(self, "__dict__")
            if (path := own.get("__path__")) is not None:
                module = own.get(name)
                if module is None and (file := _FINDER.file_of(name, path)):
                    module = own[name] = _FINDER.module(f"{own['__name__']}.{name}", file)
                if module is not None:
                    return module
            _run(self)
        return ModuleType.__getattribute__(self, name)

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in _OF_IMPORTS and type(value) not in (_Later, ModuleType):
            _run(self)
        ModuleType.__setattr__(self, name, value)

    def __reduce__(self) -> tuple[Any, ...]:
        return importlib.import_module, (self.__name__,)


# The attributes that `import` itself and pickles read and set.
_OF_IMPORTS = frozenset(
    "__name__ __loader__ __package__ __spec__ __path__ __file__ __cached__ __class__"
    " __reduce_ex__ __reduce__".split()
)


def _run(module: ModuleType) -> None:
    with _LOCK:
        if _RUNNING:  # this one is needed by a module that this thread executes
            _run_here(module)
        else:
            with interrupts.deferred(), uncollected():
                _run_here(module)


_RUNNING: list[ModuleType] = []


def _run_here(module: ModuleType) -> None:
    if type(module) is not _Later or module in _RUNNING:
        return  # another thread has executed it meanwhile, or this one is executing it
    own: dict[str, Any] = ModuleType.__getattribute__(module, "__dict__")
    before = dict(own)
    _RUNNING.append(module)
    try:
        own["__spec__"].loader.run(module)
    except BaseException:
        own.clear()
        own.update(before)
        raise
    finally:
        _RUNNING.pop()
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

    is_new = False

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        self.is_new = True
        module = _FINDER.importing.get(spec.name)
        return module if module is not None and module.__spec__ is spec else _Later(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        if not self.is_new:  # it is reloaded
            module.__class__ = _Later
        self.is_new = False

    def run(self, module: ModuleType) -> None:
        """Execute a module now."""
        super().exec_module(module)

    def get_code(self, fullname: str) -> CodeType | None:
        """Return a module's code: as `import` does, in less time if the cached code is valid."""
        try:
            source = os.stat(self.path)
            with open_code(_cached(self.path)) as file:
                data = file.read()
        except OSError:
            return super().get_code(fullname)
        numbers = (0, int(source.st_mtime), source.st_size)
        head = MAGIC_NUMBER + b"".join((n & 0xFFFFFFFF).to_bytes(4, "little") for n in numbers)
        if data[:16] == head:
            code: CodeType = marshal.loads(memoryview(data)[16:])  # noqa: S302
            if code.co_filename == self.path:
                return code
        return super().get_code(fullname)


def _spec(name: str, file: str) -> ModuleSpec:
    spec = ModuleSpec(name, _Loader(name, file), origin=file)
    spec.has_location = True
    spec.cached = _cached(file)
    if file.endswith(_INIT):
        spec.submodule_search_locations = [os.path.dirname(file)]
    return spec


def _cached(file: str) -> str:
    """Return the file of a module's cached code, as `cache_from_source` does, in less time."""
    if sys.pycache_prefix:
        return cache_from_source(file)
    folder, _, name = file.rpartition(os.sep)
    return f"{folder}{os.sep}__pycache__{os.sep}{name[:-3]}{_SUFFIX}"


def _created(name: str, file: str) -> ModuleType:
    """Create a module with the attributes that `import` sets."""
    spec, module = _spec(name, file), _Later(name)
    own: dict[str, Any] = ModuleType.__getattribute__(module, "__dict__")
    own.update(__spec__=spec, __loader__=spec.loader, __file__=file, __cached__=spec.cached)
    own["__package__"] = spec.parent
    if spec.submodule_search_locations is not None:
        own["__path__"] = spec.submodule_search_locations
    return module


class _Finder:
    """A finder of the package's modules and subpackages that are Python files."""

    def __init__(self) -> None:
        self.names: dict[str, frozenset[str]] = {}  # the file names in each folder
        self.importing: dict[str, ModuleType] = {}

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        package, _, last = name.rpartition(".")
        if not package.startswith(_PACKAGE):
            return None
        file = self.file_of(last, path)
        if not file:
            run(sys.modules[package])  # a module in C may need what its package has imported
            return None
        if target is not None:
            return _spec(name, file)
        module = self.importing[name] = self.module(name, file)
        return module.__spec__

    def module(self, name: str, file: str) -> ModuleType:
        """Return the module of a file, unexecuted if it is new; as `import` does, in less time."""
        module = sys.modules.get(name)
        if module is None:
            # For a moment, `import` takes the module that it is importing out of `sys.modules`.
            module = self.importing.get(name)
            if module is None or not getattr(module.__spec__, "_initializing", False):
                module = sys.modules.setdefault(name, _created(name, file))
        return module

    def file_of(self, name: str, path: Sequence[str] | None) -> str:
        """Return the file of a module in a package, or an empty string."""
        if not path or not path[0].startswith(_HOME):
            return ""
        folder = path[0]
        names = self._names(folder)
        if f"{name}.py" in names:
            return f"{folder}{os.sep}{name}.py"
        is_package = name in names and _INIT in self._names(folder + os.sep + name)
        return f"{folder}{os.sep}{name}{os.sep}{_INIT}" if is_package else ""

    def _names(self, folder: str) -> frozenset[str]:
        if folder not in self.names:
            try:
                self.names[folder] = frozenset(os.listdir(folder))
            except NotADirectoryError:
                self.names[folder] = frozenset()
        return self.names[folder]

    def invalidate_caches(self) -> None:
        """Forget the listed folders; called by `importlib.invalidate_caches`."""
        self.names.clear()


_INIT = "__init__.py"
_SUFFIX = cache_from_source("x.py").rpartition("x")[2]  # such as `.cpython-311.pyc`
_FINDER = _Finder()
sys.meta_path.insert(0, _FINDER)


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
