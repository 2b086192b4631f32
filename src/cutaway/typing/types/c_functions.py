"""The types of ctypes functions, of their libraries, and of the addresses of arrays.

    libm = ctypes.CDLL("libm.so.6")          a library
    libm.lgamma                              a function of it
    a.ctypes, a.ctypes.data                  the address of an array, which keeps it alive

The callee is a compile-time constant, as with all functions.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterable
from typing import Any

from cutaway.foundation.foreign import text_attribute
from cutaway.typing.types import primitives
from cutaway.typing.types.arrays import Array
from cutaway.typing.types.base import CallableType, Type, shortened
from cutaway.typing.types.compound import Holder
from cutaway.typing.types.constants import Constant
from cutaway.typing.types.interning import Identity

FUNCTION = ctypes._CFuncPtr  # the base of all such functions


class CFunction(Constant, CallableType):
    """A C function, with its `argtypes` and `restype` at the time when it is typed."""

    __slots__ = ("takes", "gives")
    may_be_none = True
    kind = "C function"

    def __init__(self, identity: Identity, takes: Identity, gives: Identity) -> None:
        super().__init__(identity)
        self.takes, self.gives = takes, gives
        self.name = f"{self.kind}({c_name(identity.value)})"

    @property
    def argtypes(self) -> tuple[Any, ...] | None:
        """The `argtypes`; None if they are not set."""
        argtypes: tuple[Any, ...] | None = self.takes.value
        return argtypes

    @property
    def restype(self) -> Any:
        """The `restype`."""
        return self.gives.value


def type_of_function(function: Any) -> CFunction:
    """Return the type of a C function with its current `argtypes` and `restype`."""
    takes = None if function.argtypes is None else tuple(function.argtypes)
    return CFunction(Identity(function), Identity(takes), Identity(function.restype))


class CLibrary(Constant):
    """A library of C functions, which are its attributes."""

    __slots__ = ()
    kind = "C library"

    def __init__(self, identity: Identity) -> None:
        super().__init__(identity)
        self.name = f"{self.kind}({text_attribute(identity.value, '_name') or 'of the process'})"


def c_name(function: Any) -> str:
    """Return the name of a C function, or a description if it has none."""
    return shortened(text_attribute(function, "__name__") or "a C function")


class LentArray(Holder):
    """The address of an array for C functions, which keeps the array alive."""

    __slots__ = ("array",)
    can_leave = False
    what = "array"

    def __init__(self, array: Array) -> None:
        self.array = array
        self.name = f"{self.what} of {array}"

    def members(self) -> primitives.Members:
        return (("array", self.array),)

    def taken_apart(self, value: Any) -> tuple[Any, ...] | None:
        """Return None: constants cannot have this type."""
        return None

    def put_together(self, items: Iterable[Any]) -> Any:
        """Raise LookupError: the value never leaves compiled code."""
        raise LookupError(f"no Python value of type {self}")

    @property
    def held(self) -> Type:
        return self.array


class ArrayCTypes(LentArray):
    """`a.ctypes`."""

    __slots__ = ()
    what = "ctypes"


class ArrayAddress(LentArray):
    """`a.ctypes.data`: in Python an int."""

    __slots__ = ()
    what = "address"
