"""The modules of the layer: each looks its names up in the table at their first use."""

from __future__ import annotations

import functools
import importlib
import sys
from collections.abc import Iterator, Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

from cutaway.compat.absent import stand_in
from cutaway.compat.table import Section, folders, sections
from cutaway.compat.version import VERSION
from cutaway.errors import did_you_mean
from cutaway.foundation.loading import load

ROOT = "numba"
_PAGE = "docs/from_numba.md says how to report a name that is missing"


class LayerModule(ModuleType):
    """A Numba module with our names; nothing is loaded before its first use."""

    def __init__(self, path: str) -> None:
        super().__init__(path, f"Numba's {path}, by names of Cutaway.")
        self.__path__: list[str] = []  # so that a missing name of `from ... import` is a module's
        self.__file__ = __file__
        if path == ROOT:
            self.__version__ = VERSION

    def __getattr__(self, name: str) -> Any:
        path = self.__name__
        if name == "__all__":
            return [known for known in dir(self) if known not in folders().get(path, ())]
        if not name.startswith("__"):
            for value in _found(path, sections()[path], name):
                setattr(self, name, value)
                return value
        raise MissingNameError(path, name)

    def __setattr__(self, name: str, value: Any) -> None:
        section = sections()[self.__name__]
        if not (isinstance(value, LayerModule) and name in (*section.named, *section.absent)):
            super().__setattr__(name, value)  # else `import` hides a name behind a module

    def __dir__(self) -> list[str]:
        return sorted({*(name for name in vars(self) if name[:2] != "__"), *_names(self.__name__)})

    def __reduce__(self) -> tuple[object, ...]:
        return load, (self.__name__,)


class MissingNameError(AttributeError):
    """A name that a module of the layer does not have; alternatives are looked up when somebody
    reads the message, since programs often just test whether a name exists."""

    def __init__(self, path: str, name: str) -> None:
        super().__init__(path, name)

    def __str__(self) -> str:
        return _unknown(*self.args)


def _found(path: str, section: Section, name: str) -> Iterator[Any]:
    """Yield the value of a name: ours, a stand-in, or a module below."""
    if name in section.named:
        home, ours = section.named[name]
        if hasattr(_loaded(home), ours):
            yield getattr(_loaded(home), ours)
    if name in folders().get(path, ()) and name not in section.absent:
        yield module(f"{path}.{name}")
    for ours in section.whole:
        if name in _public(_loaded(ours)):
            yield getattr(_loaded(ours), name)
    if name in section.absent:
        yield stand_in(path, name, section.absent[name])


def module(path: str) -> ModuleType:
    """Return a module of the layer, installed or not."""
    if FINDER in sys.meta_path:  # not by `load`: a thread that imports it may wait for its lock
        return importlib.import_module(path)
    same = sections()[path].same
    return load(same) if same else _made(path)


@functools.cache
def _made(path: str) -> LayerModule:
    return LayerModule(path)


def _names(path: str) -> set[str]:
    """Return all names of a module of the layer."""
    section = sections()[path]
    ours = {name for module in section.whole for name in _public(_loaded(module))}
    here = {name for name, (module, own) in section.named.items() if hasattr(_loaded(module), own)}
    return {*ours, *here, *section.absent, *folders().get(path, ())}


def _loaded(module: str) -> ModuleType | None:
    """Import one of our modules; None if it does not exist."""
    try:
        return load(module)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{module}.".startswith(f"{error.name}."):
            raise
        return None


_PUBLIC: dict[str, frozenset[str]] = {}


def _public(module: ModuleType | None) -> frozenset[str]:
    """Return the names that one of our modules exports: its `__all__`, or its definitions."""
    if module is None:
        return frozenset()
    name = module.__name__
    if name not in _PUBLIC:
        offered = getattr(module, "__all__", None)
        _PUBLIC[name] = frozenset(_defined(module) if offered is None else offered)
    return _PUBLIC[name]


def _defined(module: ModuleType) -> Iterator[str]:
    for name, value in vars(module).items():
        is_made = isinstance(value, type) or callable(value)
        home = str(getattr(value, "__module__", "")) if is_made else ""
        is_ours = home.partition(".")[0] in ("", "cutaway")
        if name[:2] != "__" and is_ours and not isinstance(value, ModuleType):
            yield name


def _unknown(path: str, name: str) -> str:
    known = _names(path)
    near = did_you_mean(name, known, _PAGE)
    return f"{path} has no {name!r} in Cutaway, which runs in the place of Numba; {near}"


class Finder:
    """Finds the modules of the layer, for `import`, and loads them.

    It has the methods that Python calls; the classes of `importlib.abc` take 12 ms to load.
    """

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return the spec of a module of the layer.

        Raises ModuleNotFoundError, with an explanation, for any other Numba module; it names no
        module, since Python would replace the message by its own about the missing module.
        """
        parent, _, name = fullname.rpartition(".")
        if fullname != ROOT and not isinstance(sys.modules.get(parent), LayerModule):
            return None
        if fullname in sections():
            return ModuleSpec(fullname, self, origin=__file__, is_package=True)  # type: ignore[arg-type]
        raise ModuleNotFoundError(_unknown(parent, name))

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """Return an empty module, which looks its names up."""
        return _made(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        """Replace it by our own module where that is the same."""
        same = sections()[module.__name__].same
        if same:
            sys.modules[module.__name__] = load(same)


FINDER = Finder()
