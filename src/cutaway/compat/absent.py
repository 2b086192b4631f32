"""Stand-ins for Numba names that nothing in Cutaway answers to yet.

They can be imported, passed to `isinstance`, stored, and derived from; any use of one, or of a
class derived from it, raises an error with the missing feature and its alternative.
"""

from __future__ import annotations

import functools
from types import MappingProxyType
from typing import Any, NoReturn

from cutaway.errors import UnsupportedError

# Why a name is absent, and its alternative.
REASONS: MappingProxyType[str, tuple[str, str]] = MappingProxyType(
    {
        "ahead": (
            "Cutaway compiles no extension modules",
            "use jit with cache=True, which keeps compiled code on disk",
        ),
        "arrays": (
            "Cutaway's arrays have no such function for code of extensions",
            "use context.make_array and cutaway.extending.cgutils, or @overload",
        ),
        "cffi": (
            "Cutaway does not know functions of cffi by this name",
            "call C functions through ctypes",
        ),
        "classes": (
            "Cutaway compiles no classes yet",
            "use a namedtuple or a record, and functions of it",
        ),
        "containers": (
            "Cutaway has no lists, dicts and sets that compiled code shares with Python yet",
            "use arrays; lists and dicts of Python can be read",
        ),
        "extensions": (
            "Cutaway's extensions do not need it or have another way",
            "docs/extending.md shows how extensions are written",
        ),
        "features": ("Cutaway does not have it yet", "docs/from_numba.md lists what differs"),
        "functions": (
            "Cutaway has no types of functions by their addresses yet",
            "pass compiled functions as arguments",
        ),
        "gpu": ("Cutaway's CUDA has no such name", "docs/cuda.md lists what there is"),
        "internals": (
            "it is a part of Numba's own compiler",
            "ARCHITECTURE.md shows Cutaway's, and docs/extending.md how to extend it",
        ),
        "memory": (
            "Cutaway counts references in another way",
            "context.nrt of an extension's code counts them",
        ),
        "text": (
            "strings are stored in another way in Cutaway",
            "use the methods of strings",
        ),
        "tuples": (
            "Cutaway has no such function for code of extensions",
            "build tuples with context.make_tuple",
        ),
        "types": (
            "Cutaway has no such type",
            "cutaway.types has the types that compiled code knows",
        ),
        "ufuncs": ("Cutaway makes ufuncs in another way", "use vectorize or guvectorize"),
    }
)


class Absent(type):
    """The class of stand-ins, which are classes so that `isinstance` takes them.

    Each use raises an UnsupportedError: a call, a subscript, an attribute.
    """

    why: tuple[str, str]

    def __call__(cls, *args: Any, **keywords: Any) -> NoReturn:
        _refuse(cls)

    def __getitem__(cls, key: Any) -> NoReturn:
        _refuse(cls)

    def __getattr__(cls, name: str) -> NoReturn:
        if name.startswith("_"):  # Python itself asks for these, and many tools
            raise AttributeError(name)
        _refuse(cls)

    def __repr__(cls) -> str:
        return f"<{cls.__module__}.{cls.__qualname__}: not in Cutaway>"


def _refuse(cls: Absent) -> NoReturn:
    missing = next(base for base in cls.__mro__ if "why" in vars(base))
    why, hint = cls.why
    raise UnsupportedError(f"{missing.__module__}.{missing.__qualname__}: {why}", hint=hint)


@functools.cache
def stand_in(path: str, name: str, reason: str) -> Absent:
    """Return the stand-in for a name of a Numba module."""
    return Absent(name, (), {"__module__": path, "why": REASONS[reason]})
