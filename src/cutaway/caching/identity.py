"""Keys: the dependencies of code, as a digest that is the same in every process.

`dependencies` lists them; here they are walked.  Of modules and classes, those attributes count
whose names occur in the code, whether or not they are really read.
"""

from __future__ import annotations

import _abc
import opcode
from collections.abc import Iterable
from functools import cache
from types import CodeType, FunctionType, ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

from cutaway.caching import extensions as walks
from cutaway.caching import type_names
from cutaway.caching.dependencies import (
    OF_FUNCTION,
    OF_PROCESS,
    OF_SETTINGS,
    TYPES,
    UnstableError,
    has_name_in,
    is_fixed,
    is_fixed_module,
    is_our_type,
    kind_of,
    own_names,
    unknown,
)
from cutaway.caching.digests import digest
from cutaway.foundation import registrations
from cutaway.foundation.dataclass import dataclass, fields, replace
from cutaway.foundation.source import is_ours

if TYPE_CHECKING:
    from cutaway.dispatch.dispatcher import Half
    from cutaway.foundation.options import Flags
    from cutaway.typing.types import Type

DEEPEST = 50  # levels of nested values
QUICK = 1 << 20  # the most bytes of values that are looked at where every compilation does it
_OF_VALUE = 256  # as which any value counts that is neither array nor text: 1 µs for a walk
ABSENT = object()
# Attributes of these classes in Python and NumPy count by value, since a program can change them.
_CHANGEABLE = (type(None), bool, int, float, complex, str, bytes, np.generic, ModuleType, type)


def environment() -> str:
    """Return the part of every key that all code of a process shares; all but settings is computed
    once."""
    return f"{process_digest()} {settings()}"


def settings() -> str:
    """Return the part for settings."""
    return " ".join(str(fact.tell()) for fact in OF_SETTINGS)


@cache
def process_digest() -> str:
    """Return a digest of the facts that stay the same while a process runs."""
    return digest(repr([(fact.name, fact.tell()) for fact in OF_PROCESS]))


@cache
def digest_anywhere() -> str:
    """Return such a digest that is equal on other computers with the same installation."""
    return digest(repr([(fact.name, (fact.anywhere or fact.tell)()) for fact in OF_PROCESS]))


def told(half: Half, with_extensions: bool = True) -> str:
    """Return the dependencies of a function's code, besides argument types and the computer.

    Extensions are many and take long: a function that is not cached leaves them out, and its code
    has no key if it uses one. Raises UnstableError for a dependency that has no digest.
    """
    left_out = f"{_OF_EXTENSIONS}{_LEFT_OUT}" if registrations.REGISTERED else ""
    extended = extensions() if with_extensions else left_out
    return f"{settings()} {function_digest(half)} {'loop ' if half.is_loop else ''}{extended}"


def identity_of(half: Half, with_extensions: bool = True) -> str | None:
    """Return a function's dependencies; note in its cache why if others cannot identify one."""
    try:
        return told(half, with_extensions)
    except UnstableError as error:
        half.cache.give_up(str(error))
        return None


def extensions() -> str:
    """Return the part for the extensions that programs have registered; empty if there are none.

    Raises UnstableError for a part that has no digest.
    """
    if not registrations.REGISTERED:
        return ""
    return f"{_OF_EXTENSIONS}{walks.registered()} "


_OF_EXTENSIONS = "extended "
_LEFT_OUT = "unread "


def check_has_extensions(identity: str) -> None:
    """Raise UnstableError if extensions were left out."""
    if identity.endswith(_LEFT_OUT):
        raise UnstableError(
            "it uses extensions: a pickle takes such code along from functions with cache=True"
        )


def without_extensions(identity: str) -> str:
    """Return an identity without the part for extensions."""
    return identity.partition(_OF_EXTENSIONS)[0]


def function_digest(half: Half) -> str:
    """Return the digest of a compiled function.

    Raises UnstableError for a dependency that has none, or that takes long to digest for a function
    that is not to be cached.
    """
    return digest("\0".join(walked(half).parts))


def walked(half: Half) -> Walk:
    """Walk over all that a compiled function depends on.

    Raises UnstableError as `function_digest` does.
    """
    walk = Walk(half.py_func.__code__.co_filename, None if half.flags.cache else QUICK)
    try:
        walk.function(half)
    except UnstableError:
        raise
    except Exception as error:  # raised by a user's object that is inspected
        message = f"{type(error).__name__} was raised by a value it depends on"
        raise UnstableError(message) from error
    return walk


def classes_digest(classes: Iterable[type]) -> str:
    """Return the digest of the definitions of argument classes; empty where all are fixed."""
    walk = Walk("")
    for cls in classes:
        if not is_fixed(cls):
            walk.definition(cls, Origin(f"class {cls.__qualname__}"))
    return digest("\0".join(walk.parts)) if walk.parts else ""


@dataclass(frozen=True, slots=True)
class Origin:
    """The place where a value was met: its name in messages, the names that code may ask it for,
    and the number of values around it."""

    what: str
    names: frozenset[str] = frozenset()
    depth: int = 0

    def inside(self, what: str = "") -> Origin:
        """Return the context of a nested value, with a name of its own or its parent's."""
        return replace(self, what=what or self.what, depth=self.depth + 1)


class Walk:
    """One walk over all that a function depends on; `parts` are the texts to digest.

    With `most` it is quick: it stops after that many bytes of values.
    """

    def __init__(self, filename: str, most: int | None = None) -> None:
        self.filename = filename  # the function's own file, which may have moved with its cache
        self.most, self.weight = most, 0
        self.parts: list[str] = []
        self.seen: dict[int, int] = {}
        self.kept: list[object] = []  # keeps the objects in `seen` alive, so that no id is reused
        self.arrays: dict[str, Any] = {}  # those that were met, by the digest of their items
        self.asked: dict[int, set[str]] = {}  # the names that a module or class was asked for

    def put(self, *parts: object) -> None:
        """Add texts to the digest."""
        self.parts += map(str, parts)

    def met(self, thing: object) -> bool:
        """True if an object was met before; its index in the walk then becomes part of the
        digest."""
        index = self.seen.get(id(thing))
        if index is not None:
            self.put("again", index)
            return True
        self.seen[id(thing)] = len(self.seen)
        self.kept.append(thing)
        return False

    def new_names(self, holder: object, names: Iterable[str]) -> list[str]:
        """Return the names that were not yet read from a module or class: each function has its
        own."""
        before = self.asked.setdefault(id(holder), set())
        new = sorted(set(names) - before)
        before.update(new)
        return new

    def read(self, holder: object, name: str, value: object) -> None:
        """Record a lookup by name, in a namespace or a cell; a hook of subclasses."""

    # --- functions ----------------------------------------------------------------------------

    def function(self, half: Half) -> None:
        """Add a compiled function."""
        if not self.met(half):
            for part in OF_FUNCTION:
                self.put(part.name)
                part.put(self, half)

    def options(self, flags: Flags) -> None:
        """Add the options that change the code, its own or that of its callers."""
        self.put(flags_text(flags), flags.forceinline)
        self.value(flags.inline, Origin("its option inline"))

    def pipeline(self, pipeline: Any) -> None:
        """Add a custom pipeline by the names of its passes."""
        self.put(pipeline_text(pipeline))

    def returns(self, declared: dict[tuple[Type, ...], Type]) -> None:
        """Add the result types of explicit signatures."""
        for argtypes, ty in declared.items():
            self.put(*map(type_name, (*argtypes, ty)))

    def declared(self, signatures: tuple[tuple[Type, ...], ...]) -> None:
        """Add the argument types of explicit signatures, which calls convert to."""
        for argtypes in signatures:
            self.put("signature", *map(type_name, argtypes))

    def code(self, code: CodeType) -> None:
        """Add a code object with its lines, and its nested ones."""
        filename = "" if code.co_filename == self.filename else code.co_filename
        self.put("code", filename, code.co_qualname, code.co_firstlineno, code.co_flags)
        self.put(code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount)
        # With the lines: tracebacks of compiled code name them.
        self.put(code.co_code.hex(), code.co_linetable.hex(), code.co_exceptiontable.hex())
        self.put(code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars)
        for const in code.co_consts:
            if isinstance(const, CodeType):
                self.code(const)
            else:
                self.value(const, Origin("a constant"))

    def body(self, function: FunctionType) -> None:
        """Add the parts of a plain Python function."""
        self.registered(function)
        self.code(function.__code__)

    def registered(self, thing: object) -> None:
        """Add the roles in which programs have registered something; `extensions` has the rest."""
        places = registrations.places_of(thing)
        if places:
            self.put("registered", *places)

    def defaults(self, function: FunctionType) -> None:
        """Add the defaults of parameters."""
        names = names_of(function.__code__)
        self.value(function.__defaults__, Origin("a default", names))
        self.value(function.__kwdefaults__, Origin("a default", names))

    def free_variables(self, function: FunctionType) -> None:
        """Add the variables that the function closes over."""
        names = names_of(function.__code__)
        for name, cell in zip(function.__code__.co_freevars, function.__closure__ or ()):
            self.put(name)
            try:
                value = cell.cell_contents
            except ValueError:
                self.put("empty")
                self.read(cell, name, ABSENT)
                continue
            self.read(cell, name, value)
            self.value(value, Origin(f"{name!r}, which it closes over,", names))

    def globals(self, function: FunctionType) -> None:
        """Add the globals that the function, and those in it, read by name."""
        names = names_of(function.__code__)
        for name in sorted(globals_of(function.__code__)):
            for space in (function.__globals__, function.__builtins__):
                self.read(space, name, space.get(name, ABSENT))
                if name in space:
                    self.put("global", name)
                    self._named(name, space[name], Origin(f"global {name!r}", names))
                    break

    # --- values -------------------------------------------------------------------------------

    def value(self, value: object, place: Origin) -> None:
        """Add a value that code can name.

        Raises UnstableError for one of no known kind.
        """
        if place.depth > DEEPEST:
            raise UnstableError(f"{place.what} is nested too deep")
        kind = kind_of(value) or (TYPES if is_our_type(value) else None)
        if kind is None:
            raise unknown(value, place.what)
        if self.most is not None:
            self.weight += _weight(value)
            if self.weight > self.most:
                raise UnstableError(f"{place.what} is large: only cache=True has it looked at")
        kind.put(self, value, place)

    def _named(self, name: str, value: object, place: Origin) -> None:
        """Add a named value, by its name if a module of Python or NumPy defines it."""
        module = type(value).__module__
        if kind_of(value) is None and has_name_in(module, name, value):
            self.put("named", module)
        else:
            self.value(value, place)

    def subclass(self, value: object, base: type, place: Origin) -> None:
        """Add the class of a value that is not of the base class itself."""
        if type(value) is not base:
            self.definition(type(value), place)

    def module(self, module: ModuleType, place: Origin) -> None:
        """Add a module, with the attributes that the code may read."""
        self.put("module", module.__name__)
        self.met(module)
        fixed = is_fixed_module(module.__name__)
        for name in self.new_names(module, place.names):
            attribute = _attribute(module, name, fixed)
            self.read(vars(module), name, vars(module).get(name, ABSENT))
            if attribute is ABSENT:
                continue
            self.put("attribute", name)
            if not fixed or isinstance(attribute, _CHANGEABLE):
                self.value(attribute, place.inside(f"{module.__name__}.{name}"))

    def definition(self, cls: type, place: Origin) -> None:
        """Add a class: its bases, fields and members, and the attributes that the code may read."""
        self.put("class", cls.__module__, cls.__qualname__)
        self.registered(cls)
        known = self.met(cls)
        if not known:
            self._registered(cls, place)
        if is_fixed(cls):
            return
        if not known:
            self._made_of(cls, place)
        for name in self.new_names(cls, place.names):
            owner = next((base for base in cls.__mro__ if name in vars(base)), None)
            if owner is not None and not is_fixed(owner):
                self.put("attribute", name)
                self.read(vars(owner), name, vars(owner)[name])
                self._named(name, vars(owner)[name], place.inside(f"{cls.__qualname__}.{name}"))

    def _made_of(self, cls: type, place: Origin) -> None:
        """Add the bases of a class, its fields and its members."""
        for base, names in own_names(cls):
            self.put(base.__module__, base.__qualname__, names)
        fields = getattr(cls, "_fields", ()) if issubclass(cls, tuple) else ()
        self.value(fields, place)
        self.value(getattr(cls, "_field_defaults", None), place.inside())
        members = getattr(cls, "__members__", {})
        for name, member in members.items():
            self.put(name)
            value = getattr(member, "_value_", member)
            self.value(value, place.inside(f"{cls.__qualname__}.{name}"))
        self.new_names(cls, (*fields, *members))  # added below

    def _registered(self, cls: type, place: Origin) -> None:
        """Add the classes that were registered with an abstract class as its subclasses."""
        # `isinstance` on an abstract class asks a registry that any code may add to; a plain class
        # has none.
        if type(cls).__subclasscheck__ is type.__subclasscheck__:
            return
        try:
            classes = [reference() for reference in _abc._get_dump(cls)[0]]
        except (TypeError, AttributeError):
            reason = f"{place.what}: {cls.__qualname__} defines its own check of subclasses"
            raise UnstableError(reason) from None
        names = (f"{c.__module__}.{c.__qualname__}" for c in classes if c and not is_fixed(c))
        self.put(sorted(names))

    def type(self, ty: Type, place: Origin) -> None:
        """Add a type of compiled code, `cutaway.int8`."""
        self.put("type", type_name(ty))


def _weight(value: object) -> int:
    if isinstance(value, np.ndarray):
        return value.nbytes
    return len(value) if type(value) in (str, bytes) else _OF_VALUE


def _attribute(module: ModuleType, name: str, fixed: bool) -> object:
    """Return an attribute of a module as compiled code finds it, ABSENT for one that all modules
    have; the `__getattr__` of a fixed module is not called."""
    if fixed or name in vars(module) or hasattr(ModuleType, name):
        return vars(module).get(name, ABSENT)
    return getattr(module, name, ABSENT)


_LOAD_GLOBAL, _EXTENDED = opcode.opmap["LOAD_GLOBAL"], opcode.opmap["EXTENDED_ARG"]


def globals_of(code: CodeType) -> set[str]:
    """Return the names that a code object and its nested ones look up as globals."""
    names, extended = set(), 0
    for operation, low in zip(code.co_code[::2], code.co_code[1::2]):
        argument = extended | low
        # EXTENDED_ARG brings the higher bytes of the next argument.
        extended = argument << 8 if operation == _EXTENDED else 0
        if operation == _LOAD_GLOBAL:
            # The lowest bit of the argument is the NULL that a call wants.
            names.add(code.co_names[argument >> 1])
    return names.union(*map(globals_of, _inner(code)))


def names_of(code: CodeType) -> frozenset[str]:
    """Return the globals and attributes that a code object and its nested ones name."""
    return frozenset(code.co_names).union(*map(names_of, _inner(code)))


def _inner(code: CodeType) -> list[CodeType]:
    return [const for const in code.co_consts if isinstance(const, CodeType)]


def type_name(ty: Type) -> str:
    """Return the name of a type; a process with types has loaded `type_names`, or soon will."""
    return str(type_names.name_of_type(ty))


def flags_text(flags: Flags) -> str:
    """Return the options that change the code, by which flags are compared."""
    return " ".join(_option_text(getattr(flags, f.name)) for f in fields(flags) if f.compare)


def _option_text(value: Any) -> str:
    if isinstance(value, frozenset):
        return ",".join(sorted(value))
    if isinstance(value, tuple):  # variables and their types
        named = (f"{key}={ty if isinstance(ty, str) else type_name(ty)}" for key, ty in value)
        return f"({' '.join(named)})"
    return repr(value)


def pipeline_text(pipeline: Any) -> str:
    """Return the names of a custom pipeline's passes; empty for the default one."""
    if pipeline is None:
        return ""
    own = [p.name for p in pipeline.passes if not is_ours(p.run)]
    if own:
        raise UnstableError(f"its pipeline has passes from outside Cutaway: {', '.join(own)}")
    return str(pipeline)
