"""The part of a key for the extensions that programs have registered, and why one has none.

An extension is Python code that runs while others are compiled, so a key covers more of it than of
a compiled function: the functions that it names with all that these name, and classes whole.  Its
other inputs (a file, the clock) cannot be seen: an extension must be a function of types.
"""

from __future__ import annotations

import functools
import inspect
from collections import namedtuple
from collections.abc import Iterable
from operator import is_
from types import (
    BuiltinFunctionType,
    CellType,
    FunctionType,
    GetSetDescriptorType,
    MemberDescriptorType,
    MethodDescriptorType,
    ModuleType,
    WrapperDescriptorType,
)
from typing import Any

import numpy as np

from cutaway.caching.dependencies import UnstableError, is_fixed
from cutaway.caching.digests import digest
from cutaway.caching.identity import ABSENT, Origin, Walk, names_of
from cutaway.dispatch_c._dispatch import Dispatcher
from cutaway.extending.lowered import Intrinsic
from cutaway.foundation.addresses import MemoryMap
from cutaway.foundation.registrations import REGISTERED, Registration, maker_of
from cutaway.typing.types import Signature, Type

_LRU = type(functools.lru_cache(lambda: None))
_FIELD = type(namedtuple("_FIELD", "one").one)  # of named tuples
# Immutable, apart from the attributes that a walk reads by name.
_LASTING = (
    *(type(None), bool, int, float, complex, str, bytes, tuple, range, slice, np.generic, np.dtype),
    *(Type, Signature, type, ModuleType, FunctionType, BuiltinFunctionType, np.ufunc, Intrinsic),
    *(_LRU, _FIELD, functools.partial, staticmethod, classmethod, property, type(Ellipsis)),
    *(MemberDescriptorType, GetSetDescriptorType, WrapperDescriptorType, MethodDescriptorType),
)
_CONTAINERS = frozenset({list, set, dict, frozenset})
# Attributes that Python adds to a class, and those without effect on its code.
_OF_EVERY_CLASS = frozenset(
    "__dict__ __weakref__ __doc__ __module__ __annotations__ __slots__ __parameters__"
    " __abstractmethods__ __orig_bases__ _abc_impl __static_attributes__ __firstlineno__"
    " __annotate__ __annotate_func__ __annotations_cache__ __conditional_annotations__".split()
)


class ExtensionWalk(Walk):
    """A walk over all that the code of an extension depends on when it runs.

    `read_names` are the values that it found in namespaces and cells, `bodies` the functions with
    their parts, `sizes` the numbers of attributes of classes, `containers` the contents of lists
    and dicts.  Where `lasts` is true, the next walk would find the same as long as all these are
    the same.  A walk continues the one `before` it and skips whatever that has met: a program may
    register hundreds of functions, each of which names the others.
    """

    def __init__(self, before: ExtensionWalk | None = None) -> None:
        super().__init__("")
        if before is not None:
            self.seen, self.kept, self.asked = before.seen, before.kept, before.asked
        self.met_before = len(self.kept)
        self.asked_here: list[tuple[int, list[str]]] = []
        self.read_names: list[tuple[Any, str, object]] = []
        self.bodies: list[tuple[FunctionType, tuple[object, ...]]] = []
        self.sizes: list[tuple[type, int]] = []
        self.flags: list[tuple[Any, object]] = []
        self.containers: list[tuple[Any, list[object]]] = []
        self.lasts = True
        self.memory = MemoryMap()

    def new_names(self, holder: object, names: Iterable[str]) -> list[str]:
        """See Walk."""
        new = super().new_names(holder, names)
        self.asked_here.append((id(holder), new))
        return new

    def undo(self) -> None:
        """Restore the state of the walk that this one continued."""
        for thing in self.kept[self.met_before :]:
            del self.seen[id(thing)]
        del self.kept[self.met_before :]
        for holder, names in self.asked_here:
            self.asked[holder].difference_update(names)
        self.asked_here.clear()

    def read(self, holder: Any, name: str, value: object) -> None:
        """See Walk."""
        self.read_names.append((holder, name, value))

    def is_up_to_date(self) -> bool:
        """True if nothing has changed since the walk, as far as can be seen without another
        walk."""
        return (
            self.lasts
            and all(_found(holder, name) is value for holder, name, value in self.read_names)
            and all(all(map(is_, _consists_of(f), parts)) for f, parts in self.bodies)
            and all(len(vars(cls)) == size for cls, size in self.sizes)
            and all(half.flags is flags for half, flags in self.flags)
            and all(_holds(one, content) for one, content in self.containers)
        )

    def value(self, value: object, place: Origin) -> None:
        """See Walk."""
        if type(value) in _CONTAINERS:
            self.containers.append((value, _content(value)))
        elif isinstance(value, Dispatcher):
            self.bodies.append((value.py_func, _consists_of(value.py_func)))
            self.flags.append((value.half, value.half.flags))
        else:
            self.lasts = self.lasts and isinstance(value, _LASTING)
        if isinstance(value, Signature):
            self.put("signature")
            self.value((value.returns, *value.args), place.inside())
        elif isinstance(value, _LRU):
            self.put("remembered")
            self.value(inspect.unwrap(value, stop=lambda one: not isinstance(one, _LRU)), place)
        elif type(value) is _FIELD:
            self.put("field", value.__reduce__()[1])  # its place
        elif type(value) is functools.partial:
            self.put("partial")
            self.value((value.func, value.args, value.keywords), place.inside())
        else:
            if type(value) is int and self.memory.may_hold(value):
                what = f"{place.what} is {value}, which may be an address of this process"
                raise UnstableError(what)
            super().value(value, place)

    def body(self, function: FunctionType) -> None:
        """See Walk."""
        super().body(function)
        self.bodies.append((function, _consists_of(function)))
        self.defaults(function)
        self.free_variables(function)
        self.globals(function)

    def definition(self, cls: type, place: Origin) -> None:
        """Add a class with everything that the class and its bases define."""
        known = id(cls) in self.seen
        super().definition(cls, place)
        if known or is_fixed(cls):
            return
        self.lasts = self.lasts and type(cls).__subclasscheck__ is type.__subclasscheck__
        for base in cls.__mro__:
            if not is_fixed(base):
                self.sizes.append((base, len(vars(base))))
                self._whole(base, place.inside())

    def _whole(self, cls: type, place: Origin) -> None:
        names = (str(name) for name in vars(cls) if name not in _OF_EVERY_CLASS)
        for name in self.new_names(cls, names):
            self.put("attribute", name)
            self.read(vars(cls), name, vars(cls)[name])
            self._named(name, vars(cls)[name], place.inside(f"{cls.__qualname__}.{name}"))

    def type(self, ty: Type, place: Origin) -> None:
        """Add a type with the class of one that an extension defines."""
        super().type(ty, place)
        self.definition(type(ty), place)


def _found(holder: Any, name: str) -> object:
    if type(holder) is not CellType:
        return holder.get(name, ABSENT)
    try:
        return holder.cell_contents
    except ValueError:
        return ABSENT


def _content(container: Any) -> list[object]:
    pairs = container.items() if type(container) is dict else ()
    return [part for pair in pairs for part in pair] if pairs else list(container)


def _holds(container: Any, content: list[object]) -> bool:
    """True if a container still holds the same objects."""
    found = _content(container)
    return len(found) == len(content) and all(map(is_, found, content))


def _consists_of(function: FunctionType) -> tuple[object, ...]:
    return function.__code__, function.__defaults__, function.__kwdefaults__, function.__closure__


def registered() -> str:
    """Return a digest of all that programs have registered.

    Raises UnstableError for a dependency that no other process can identify.
    """
    known = next((k for k, (walk, _) in enumerate(_WALKED) if not walk.is_up_to_date()), None)
    for walk, _ in reversed(_WALKED[known:] if known is not None else []):
        walk.undo()
        _WALKED.pop()
    for index, walk, reason in _FAILED:
        if index == len(_WALKED) and known is None and walk.is_up_to_date():
            raise UnstableError(reason)
    _FAILED.clear()
    memory = MemoryMap()
    for one in REGISTERED[len(_WALKED) :]:
        _WALKED.append(_walked(one, memory))
    return digest(" ".join(text for _, text in _WALKED))


# One walk for each registration, each continuing the one before, with its digest.
_WALKED: list[tuple[ExtensionWalk, str]] = []
# The walk, if any, that met a value that no other process can identify, with its index and reason:
# an exception would hold the frames of the call, and with them its arguments.
_FAILED: list[tuple[int, ExtensionWalk, str]] = []


def _walked(one: Registration, memory: MemoryMap) -> tuple[ExtensionWalk, str]:
    walk = ExtensionWalk(_WALKED[-1][0] if _WALKED else None)
    walk.memory = memory
    walk.put(one.role)
    try:
        for part in one.parts:
            _put(walk, part)
    except UnstableError as error:
        walk.undo()  # later walks must not skip what this one met
        if not one.is_told:
            reason = f"{_shown(one.parts[0])}, an extension: {error}"
            _FAILED.append((len(_WALKED), walk, reason))
            raise UnstableError(reason) from None
        walk.put("and what cannot be identified")
    text = digest("\0".join(walk.parts))
    walk.parts.clear()
    return walk, text


def reason(thing: Any) -> str:
    """Return why code of an extension's function is not cached; empty where it is."""
    for one in (thing, maker_of(thing)):
        try:
            if one is not None:
                _put(ExtensionWalk(), one)
        except UnstableError as error:
            return f"it uses {_shown(thing)}, an extension: {error}"
    return ""


def _put(walk: ExtensionWalk, part: object) -> None:
    """Add a part of a registration to a walk.

    Raises UnstableError for one that no other process can identify.
    """
    names = names_of(part.__code__) if isinstance(part, FunctionType) else frozenset[str]()
    try:
        if isinstance(part, Intrinsic):
            walk.put("intrinsic")
            part = part._function
        walk.value(part, Origin(_shown(part), names))
    except UnstableError:
        raise
    except Exception as error:  # raised by a user's object that is inspected
        message = f"{type(error).__name__} was raised by a value it depends on"
        raise UnstableError(message) from error


def _shown(thing: Any) -> str:
    name = getattr(thing, "__qualname__", None)
    return str(thing) if name is None else f"{thing.__module__}.{name}"
