"""The dependencies of compiled code: one list, from which the key of every file of code is made.

`OF_PROCESS` and `OF_SETTINGS` hold for all code of a process, `OF_FUNCTION` for one function, and
`KINDS` lists, for each kind of value that a function can name, the facts that its code depends on.
A value of any other kind has no identity in another process: a function that names one is not
cached.
"""

from __future__ import annotations

import ctypes  # which NumPy has loaded
import enum
import os
import struct
import sys
from collections.abc import Callable, Iterable
from functools import cache
from types import (
    BuiltinFunctionType,
    ClassMethodDescriptorType,
    FunctionType,
    GetSetDescriptorType,
    MemberDescriptorType,
    MethodDescriptorType,
    MethodType,
    ModuleType,
    WrapperDescriptorType,
)
from typing import TYPE_CHECKING, Any

import numpy as np

from cutaway import config
from cutaway.caching import machine
from cutaway.caching.digests import digest
from cutaway.dispatch_c._dispatch import Dispatcher, GrowingUfunc
from cutaway.foundation import element_functions
from cutaway.foundation.dataclass import dataclass
from cutaway.foundation.foreign import class_attribute, class_name, is_a
from cutaway.foundation.stencil_functions import StencilFunction

if TYPE_CHECKING:
    from cutaway.caching.identity import Origin, Walk


class UnstableError(Exception):
    """Something has no identity in another process: the reason."""


# --- dependencies of all code of a process ----------------------------------------------------

FORMAT = 5  # of the files; a new number invalidates all existing ones


@dataclass(frozen=True, slots=True)
class Factor:
    """Something that all code of a process depends on, and a function that identifies it.

    It may use paths and times of this computer, which is quick; where it does, `anywhere`
    identifies the same thing as on any other computer.
    """

    name: str
    tell: Callable[[], object]
    anywhere: Callable[[], object] | None = None


OF_PROCESS: tuple[Factor, ...] = (
    Factor("the format of the files", lambda: FORMAT),
    Factor(
        "the version of Python",
        lambda: (sys.implementation.cache_tag, sys.version),
        lambda: (sys.implementation.cache_tag, getattr(sys, "abiflags", "")),
    ),
    Factor("the kind of computer", lambda: machine.platform_name()),
    Factor("the processor", lambda: machine.processor()),
    Factor("the version of NumPy", lambda: np.__version__),
    Factor("LLVM", lambda: machine.llvm(), lambda: machine.llvm_version()),
    Factor("the compiler", lambda: machine.compiler(), lambda: machine.compiler_content()),
)


# Settings, which a program can change while it runs.
OF_SETTINGS: tuple[Factor, ...] = (
    Factor("the processor to compile for", lambda: machine.compiled_for()),
    Factor("whether NumPy's loops are called", lambda: config.value("NUMPY_LOOPS")),
)


# --- dependencies of the code of a function ---------------------------------------------------


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a compiled function: `put` adds it to a walk."""

    name: str
    put: Callable[[Walk, Any], None]


OF_FUNCTION: tuple[Piece, ...] = (
    Piece("its options", lambda walk, half: walk.options(half.flags)),
    Piece("its pipeline", lambda walk, half: walk.pipeline(half._pipeline)),
    Piece("the results that its signatures say", lambda walk, half: walk.returns(half.returns)),
    Piece("the arguments that they ask for", lambda walk, half: walk.declared(half.declared)),
    Piece("its code, with the lines", lambda walk, half: walk.code(half.py_func.__code__)),
    Piece("its defaults", lambda walk, half: walk.defaults(half.py_func)),
    Piece("what it closes over", lambda walk, half: walk.free_variables(half.py_func)),
    Piece("the globals and builtins that it loads", lambda walk, half: walk.globals(half.py_func)),
)
# Besides, for each specialization: the names of the argument types (`type_names`), and the
# definitions of their classes.


# --- values -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class DependencyKind:
    """A kind of value: its classes, and `put`, which adds the facts that code depends on to a
    walk."""

    name: str
    classes: tuple[type, ...]
    put: Callable[[Walk, Any, Origin], None]


def kind_of(value: object) -> DependencyKind | None:
    """Return the kind of a value; None for one that compiled code cannot have as a constant."""
    known = _EXACT.get(type(value))
    if known is not None:
        return known
    found = next((kind for kind in KINDS if is_a(value, kind.classes)), None)
    if found is None and class_attribute(type(value), "runs_on_gpus") is True:
        return FOR_GPUS
    if found is None and class_attribute(type(value), "is_intrinsic") is True:
        return INTRINSICS
    return found


def _plain(walk: Walk, value: Any, place: Origin) -> None:
    base = _exact_base(value)
    # Python formats no decimal integer of more than 4300 digits.
    walk.put(base.__name__, int.__format__(value, "x") if base is int else base.__repr__(value))  # type: ignore[call-arg]
    walk.subclass(value, base, place)


def _exact_base(value: Any) -> type:
    return next(base for base in type(value).__mro__ if base in _EXACT)


def _bits(walk: Walk, value: Any, place: Origin) -> None:
    parts = (value,) if isinstance(value, float) else (value.real, value.imag)
    base = float if isinstance(value, float) else complex
    walk.put(base.__name__, struct.pack(f"<{len(parts)}d", *parts).hex())  # NaN has a sign
    walk.subclass(value, base, place)


def _member(walk: Walk, value: enum.Enum, place: Origin) -> None:
    walk.put("member", value._name_)
    walk.definition(type(value), place)


def _items(walk: Walk, value: Any, place: Origin) -> None:
    # A mutable container is met again through others that hold it, and may hold these: each is
    # walked once. Equal tuples may be identical or not, which differs from process to process.
    if isinstance(value, list | set | dict):
        known, new = walk.met(value), walk.new_names(value, place.names)
        if known and not new:
            return
    walk.put(type(value).__name__, len(value))
    base = next(base for base in (tuple, list, set, frozenset, dict) if isinstance(value, base))
    walk.subclass(value, base, place)
    if base in (set, frozenset):
        # The order of a set follows hashes of texts, which Python seeds anew for each process.
        value = sorted(value, key=lambda item: (type(item).__name__, repr(item)))
    elif base is dict:
        value = [part for pair in value.items() for part in pair]
    for item in base.__iter__(value) if base in (tuple, list) else value:
        walk.value(item, place.inside())


def _slice(walk: Walk, value: slice, place: Origin) -> None:
    walk.put("slice")
    for part in (value.start, value.stop, value.step):
        walk.value(part, place.inside())


def _scalar(walk: Walk, value: np.generic, place: Origin) -> None:
    _refuse_objects(value.dtype, place)
    walk.put("scalar", type(value).__qualname__, dtype_text(value.dtype), value.tobytes().hex())
    if not is_fixed(type(value)):
        walk.definition(type(value), place)


def _array(walk: Walk, value: np.ndarray[Any, Any], place: Origin) -> None:
    _refuse_objects(value.dtype, place)
    walk.put("array", type(value).__module__, type(value).__qualname__, dtype_text(value.dtype))
    # The type of a global array has layout and access in it, so that they are compiled in.
    walk.put(value.shape, value.strides, value.flags.aligned, value.flags.writeable)
    content = digest(np.asarray(value).tobytes())
    walk.put(content)
    walk.arrays[content] = value


def _refuse_objects(dtype: np.dtype[Any], place: Origin) -> None:
    if dtype.hasobject:
        raise UnstableError(f"{place.what} has Python objects in it")


def dtype_text(dtype: np.dtype[Any]) -> str:
    """Return a text with all properties of a dtype."""
    return f"{dtype!r} {dtype.itemsize} {dtype.isalignedstruct}"


def _native(walk: Walk, value: Any, place: Origin) -> None:
    owner = getattr(value, "__self__", None)
    if isinstance(owner, np.ufunc):
        _native(walk, owner, place)
        walk.put("method", value.__name__)
        return
    if not isinstance(owner, ModuleType | type | None):
        raise UnstableError(f"{place.what} is a method of {_an_object(owner)}")
    maker = element_functions.ufunc_half(value)
    if maker is not None:
        _vectorized(walk, maker)
        return
    # A ufunc may be made of Python code, by `np.frompyfunc`.
    if isinstance(value, np.ufunc) and getattr(np, value.__name__, None) is not value:
        raise UnstableError(f"{place.what} is a ufunc that is not NumPy's")
    owner = owner.__name__ if owner is not None else getattr(value, "__objclass__", None)
    module = getattr(value, "__module__", "")
    walk.put("native", owner, module, getattr(value, "__qualname__", value.__name__))


def _vectorized(walk: Walk, half: Any) -> None:
    """Add a user's vectorized function: its kernel, and its loops so far, of which a call takes the
    first that fits."""
    walk.put("ufunc", half.layout_text, half.types, half.frozen)
    walk.function(half.half)


def _stencil(walk: Walk, value: StencilFunction, place: Origin) -> None:
    walk.put("stencil", value.options.neighborhood, value.options.standard_indexing)
    walk.value(value.options.cval, place.inside())
    walk.function(value.kernel.half)


def _python(walk: Walk, value: FunctionType, place: Origin) -> None:
    walk.put("python", value.__module__, value.__qualname__)
    if not is_fixed(value) and not walk.met(value):
        walk.body(value)


def _wrapped(walk: Walk, value: Any, place: Origin) -> None:
    walk.put(type(value).__name__)
    inner = value.fget if isinstance(value, property) else value.__func__
    walk.value(inner, place.inside())


def _intrinsic(walk: Walk, value: Any, place: Origin) -> None:
    """Add an intrinsic of an extension, which is registered with all of its parts."""
    walk.put("intrinsic", value.__module__, value.__qualname__)
    walk.registered(value)


def _our_types() -> tuple[type, ...]:
    """Return the class of types if it is loaded, as it is for whoever has a type."""
    module = sys.modules.get("cutaway.typing.types.base")
    return () if module is None else (module.Type,)


def is_our_type(value: object) -> bool:
    """True if a value is a type of compiled code, `cutaway.int8`."""
    return isinstance(value, _our_types())


def _method(walk: Walk, value: MethodType, place: Origin) -> None:
    # A process that has not loaded the module has no such method.
    module = sys.modules.get("numpy.random.mtrand")
    if module is None or value.__self__ is not module._rand:
        raise UnstableError(f"{place.what} is a method of {_an_object(value.__self__)}")
    walk.put("method of NumPy's own random state", value.__name__)


def _in_memory(walk: Walk, value: object, place: Origin) -> None:
    raise UnstableError(f"{place.what} is of ctypes: its address is another one in each process")


KINDS: tuple[DependencyKind, ...] = (
    DependencyKind("member of an enumeration", (enum.Enum,), _member),
    DependencyKind("NumPy scalar", (np.generic,), _scalar),
    DependencyKind("None", (type(None),), _plain),
    DependencyKind("bool", (bool,), _plain),
    DependencyKind("integer", (int,), _plain),
    DependencyKind("float", (float,), _bits),
    DependencyKind("complex number", (complex,), _bits),
    DependencyKind("text", (str,), _plain),
    DependencyKind("bytes", (bytes,), _plain),
    DependencyKind("Ellipsis", (type(Ellipsis),), _plain),
    DependencyKind("range", (range,), _plain),
    DependencyKind("slice", (slice,), _slice),
    DependencyKind("tuple", (tuple,), _items),
    DependencyKind("other container", (list, set, frozenset, dict), _items),
    DependencyKind(
        "dtype", (np.dtype,), lambda walk, value, _: walk.put("dtype", dtype_text(value))
    ),
    DependencyKind("array", (np.ndarray,), _array),
    DependencyKind("module", (ModuleType,), lambda walk, value, place: walk.module(value, place)),
    DependencyKind(
        "compiled function", (Dispatcher,), lambda walk, value, _: walk.function(value.half)
    ),
    DependencyKind("ufunc of a user", (GrowingUfunc,), _native),
    DependencyKind("stencil", (StencilFunction,), _stencil),
    DependencyKind("class", (type,), lambda walk, value, place: walk.definition(value, place)),
    DependencyKind("Python function", (FunctionType,), _python),
    DependencyKind(
        "function written in C",
        (
            *(BuiltinFunctionType, np.ufunc, type(np.sum), WrapperDescriptorType),
            *(MethodDescriptorType, MemberDescriptorType, GetSetDescriptorType),
            ClassMethodDescriptorType,
        ),
        _native,
    ),
    DependencyKind(
        "index tool of NumPy",
        tuple(map(type, (np.r_, np.c_, np.mgrid, np.ogrid, np.s_))),
        lambda walk, value, _: walk.put(
            "index tool", type(value).__qualname__, getattr(value, "maketuple", False)
        ),
    ),
    DependencyKind(
        "C function, or library of C",
        (ctypes._CFuncPtr, ctypes.CDLL),  # the base of all
        _in_memory,
    ),
    DependencyKind("method of an object", (MethodType,), _method),
    DependencyKind("method of a class", (staticmethod, classmethod, property), _wrapped),
)
# Its class stands above.
FOR_GPUS = DependencyKind(
    "function for a GPU", (), lambda walk, value, _: walk.function(value.half)
)
# Its class is loaded with extensions.
INTRINSICS = DependencyKind("intrinsic", (), _intrinsic)
TYPES = DependencyKind("type", (), lambda walk, value, place: walk.type(value, place))
_EXACT = {cls: kind for kind in KINDS for cls in kind.classes if cls is not enum.Enum}


# --- values identified by name, since their version is part of the key -------------------------


def is_fixed(value: Any) -> bool:
    """True if a class or function is found by its name in Python, NumPy or Cutaway."""
    module = getattr(value, "__module__", None)
    if not isinstance(module, str) or not is_fixed_module(module):
        return False
    # A class can claim any module and name; trust both only if they lead back to it.
    current: Any = sys.modules.get(module)
    for name in value.__qualname__.split("."):
        current = getattr(current, name, None)
    return current is value


@cache
def is_fixed_module(name: str) -> bool:
    """True if a module belongs to Python, NumPy or Cutaway, not to a user's file of the same name.

    The module of settings does not count: its values come from the environment.
    """
    if name == config.__name__:
        return False
    root = name.partition(".")[0]
    if root in ("numpy", "cutaway", "llvmlite"):  # whose versions are in every key
        return True
    file = getattr(sys.modules.get(name), "__file__", None) or ""
    if root == "numba" and file.startswith(_OURS):  # Numba's names for what is ours
        return True
    if root not in sys.stdlib_module_names or root == "__main__":
        return False
    path = getattr(sys.modules.get(name), "__file__", None) or ""
    return not path or (path.startswith(_LIBRARY) and "site-packages" not in path)


_OURS = os.path.dirname(os.path.dirname(__file__)) + os.sep
_LIBRARY = os.path.dirname(os.__file__) + os.sep


def has_name_in(module: str, name: str, value: object) -> bool:
    """True if a fixed module has this very value under a name."""
    return is_fixed_module(module) and getattr(sys.modules.get(module), name, None) is value


def _an_object(value: object) -> str:
    return f"an object of {class_name(type(value))}"


def unknown(value: object, what: str) -> UnstableError:
    """Return the error for a function that names a value of no known kind, and so is not cached."""
    return UnstableError(f"{what} is {_an_object(value)}, which another process cannot identify")


def own_names(cls: type) -> Iterable[tuple[type, list[str]]]:
    """Yield the classes of a class's hierarchy with the names that each of them defines."""
    for base in cls.__mro__:
        yield base, [] if is_fixed(base) else sorted(map(str, vars(base)))
