"""What a compiled function depends on, as a digest that is the same in every process.

Its code, defaults, options, what it closes over, and every global and attribute of a module or
class that its code may name: constants by value, functions that are compiled too with all that
they depend on, everything else by its name.  Which attributes are really read is not asked: all
names that occur in the code are taken.
"""

from __future__ import annotations

import builtins
import enum
from collections.abc import Iterable
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

from cutaway.caching.digests import digest
from cutaway.dataclass import fields
from cutaway.dispatch_c._dispatch import Dispatcher
from cutaway.source import is_ours

if TYPE_CHECKING:
    from cutaway.dispatcher import Half
    from cutaway.options import Flags

_PLAIN = (bool, int, float, complex, str, bytes, type(None), type(Ellipsis), range)
_NUMPY_FUNCTION = type(np.sum)  # of those that are written in Python
DEEPEST = 50  # values inside of each other


class UnstableError(Exception):
    """Something has no identity that another process could find again: the reason."""


def function_digest(half: Half) -> str:
    """The digest of a compiled function.

    Raises UnstableError where it depends on something that has none.
    """
    walk = _Walk(half.py_func.__code__.co_filename)
    walk.function(half)
    return digest("\0".join(walk.parts))


class _Walk:
    """One walk over all that a function depends on; `parts` is what is digested."""

    def __init__(self, filename: str) -> None:
        self.filename = filename  # of the function itself: it may have moved with its cache
        self.parts: list[str] = []
        self.seen: dict[int, int] = {}
        self.kept: list[object] = []  # what is in `seen`: no address is used twice

    def put(self, *parts: object) -> None:
        self.parts += map(str, parts)

    def function(self, half: Half) -> None:
        """A compiled function."""
        if self._met(half):
            return
        function = half.py_func
        self.put("function", flags_text(half.flags), pipeline_text(half._pipeline), half.returns)
        self.code(function.__code__)
        self.value(function.__defaults__, "a default")
        self.value(function.__kwdefaults__, "a default")
        names = names_of(function.__code__)
        for name, cell in zip(function.__code__.co_freevars, function.__closure__ or ()):
            self._free_variable(name, cell, names)
        for name in sorted(names):
            if name in function.__globals__:
                self.put("global", name)
                self.value(function.__globals__[name], f"global {name!r}", names)
            elif hasattr(builtins, name):
                self.put("builtin", name)

    def _free_variable(self, name: str, cell: Any, names: set[str]) -> None:  # Any: a cell
        self.put("free", name)
        try:
            value = cell.cell_contents
        except ValueError:
            self.put("empty")
            return
        self.value(value, f"{name!r}, which it closes over,", names)

    def code(self, code: CodeType) -> None:
        """A code object with its lines, and those in it."""
        filename = "" if code.co_filename == self.filename else code.co_filename
        self.put("code", filename, code.co_qualname, code.co_firstlineno, code.co_flags)
        self.put(code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount)
        self.put(code.co_code.hex(), code.co_linetable.hex(), code.co_exceptiontable.hex())
        self.put(code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars)
        for const in code.co_consts:
            if isinstance(const, CodeType):
                self.code(const)
            else:
                self.value(const, "a constant")

    def value(self, value: object, what: str, names: Iterable[str] = (), depth: int = 0) -> None:
        """A value that code can name; `names` are those that it may ask a module or class for."""
        match value:
            case _ if type(value) in _PLAIN:
                self.put(type(value).__name__, repr(value))
            case _ if depth > DEEPEST:
                raise UnstableError(f"{what} is nested too deep")
            case enum.Enum():
                self.put("member", value.name)
                self._class(type(value), what, names, depth)
            case tuple() | list() | set() | frozenset() | dict():
                self._container(value, what, names, depth)
            case np.generic():
                self.put("scalar", dtype_text(value.dtype), value.tobytes().hex())
            case np.dtype():
                self.put("dtype", dtype_text(value))
            case np.ndarray() if not value.dtype.hasobject:
                data = digest(np.ascontiguousarray(value).tobytes())
                self.put("array", dtype_text(value.dtype), value.shape, value.flags.aligned, data)
            case ModuleType():
                self._module(value, names, depth)
            case Dispatcher():
                self.function(value.half)
            case type():
                self._class(value, what, names, depth)
            case FunctionType():
                if not self._met(value):
                    self.put("python", value.__module__, value.__qualname__)
                    self.code(value.__code__)
            case BuiltinFunctionType() | np.ufunc() | _NUMPY_FUNCTION():
                self.put("native", getattr(value, "__module__", ""), value.__name__)
            case _ if what.startswith("global") and _is_callable_object(value):
                raise UnstableError(f"{what} is an object of {type(value).__qualname__}")
            case _:  # of no type that compiled code knows
                self.put("object", type(value).__module__, type(value).__qualname__)

    def _container(self, value: Any, what: str, names: Iterable[str], depth: int) -> None:
        # Any: one of Python's containers
        self.put(type(value).__module__, type(value).__qualname__, len(value))
        if isinstance(value, set | frozenset):
            value = sorted(value, key=lambda item: (type(item).__name__, repr(item)))
        elif isinstance(value, dict):
            value = [part for pair in value.items() for part in pair]
        for item in value:
            self.value(item, what, names, depth + 1)

    def _module(self, module: ModuleType, names: Iterable[str], depth: int) -> None:
        self.put("module", module.__name__)
        if self._met(module):
            return
        for name in sorted(names):
            found = vars(module).get(name)
            if found is not None:
                self.put("attribute", name)
                self.value(found, f"{module.__name__}.{name}", names, depth + 1)

    def _class(self, cls: type, what: str, names: Iterable[str], depth: int) -> None:
        self.put("class", cls.__module__, cls.__qualname__)
        if self._met(cls) or cls.__module__ in ("builtins", "numpy"):
            return
        if issubclass(cls, enum.Enum):
            for name, member in cls.__members__.items():
                self.put(name)
                self.value(member.value, f"{cls.__qualname__}.{name}", (), depth + 1)
            return
        self.value(getattr(cls, "_fields", None), what, (), depth + 1)
        for name in sorted(names):
            found = next((vars(base)[name] for base in cls.__mro__ if name in vars(base)), None)
            if found is not None:
                self.put("attribute", name)
                self.value(found, f"{cls.__qualname__}.{name}", (), depth + 1)

    def _met(self, thing: object) -> bool:
        """Whether something was met before; where it was, is part of the digest."""
        place = self.seen.get(id(thing))
        if place is not None:
            self.put("again", place)
            return True
        self.seen[id(thing)] = len(self.seen)
        self.kept.append(thing)
        return False


def _is_callable_object(value: object) -> bool:
    """Whether extensions could have taught the compiler what a call of this very object does."""
    return callable(value) and not hasattr(type(value), "__get__")


def names_of(code: CodeType) -> set[str]:
    """The globals and attributes that a code object names, and those in it."""
    names = set(code.co_names)
    for const in code.co_consts:
        if isinstance(const, CodeType):
            names |= names_of(const)
    return names


def dtype_text(dtype: np.dtype[Any]) -> str:
    """All that there is to a dtype."""
    return f"{dtype!r} {dtype.itemsize} {dtype.isalignedstruct}"


def flags_text(flags: Flags) -> str:
    """The options that change the code: those that flags are compared by."""
    return " ".join(_option_text(getattr(flags, f.name)) for f in fields(flags) if f.compare)


def _option_text(value: object) -> str:
    return ",".join(sorted(value)) if isinstance(value, frozenset) else repr(value)


def pipeline_text(pipeline: Any) -> str:  # Any: a Pipeline; naming its class loads the compiler
    """A pipeline of passes that are ours, by their names; empty for the usual one."""
    if pipeline is None:
        return ""
    own = [p.name for p in pipeline.passes if not is_ours(p.run)]
    if own:
        raise UnstableError(f"its pipeline has passes from elsewhere: {', '.join(own)}")
    return str(pipeline)
