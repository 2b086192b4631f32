"""Classes that extensions derive their own types from, identified by a name."""

from __future__ import annotations

from typing import Any

from cutaway.typing.types import IterableType, IteratorType, Type
from cutaway.typing.types.primitives import OWNER, POINTER, STATE, Members


class Dummy(Type):
    """The type of a value without memory: the type determines it."""

    __slots__ = ()

    def members(self) -> Members:
        return ()


class PyObject(Type):
    """An uncounted Python object, as a member of an extension's values: their creator keeps it
    alive.  Compiled code neither accepts nor returns one."""

    __slots__ = ()

    def members(self) -> Members:
        return (("object", POINTER),)


class SimpleIteratorType(IteratorType):
    """An iterator identified by name, with items of type `yield_type`."""

    __slots__ = ("_yields",)

    def __init__(self, name: str, yield_type: Type) -> None:
        super().__init__(name)
        self._yields = yield_type

    @property
    def yield_type(self) -> Type:
        """The type of an item."""
        return self._yields

    def __reduce__(self) -> tuple[type, tuple[str, Type]]:
        return (type(self), (self.name, self._yields))


class SimpleIterableType(IterableType):
    """An iterable identified by name; `iterator_type` is that of its iterator."""

    __slots__ = ("iterator_type",)

    def __init__(self, name: str, iterator_type: Type) -> None:
        super().__init__(name)
        self.iterator_type = iterator_type

    def __reduce__(self) -> tuple[type, tuple[str, Type]]:
        return (type(self), (self.name, self.iterator_type))


class AnyType(Type):
    """Any type, in a pattern of types."""

    __slots__ = ()


class VarArg(Type):
    """Any number of `dtype`, a type or a class of types, at the end of a pattern of types."""

    __slots__ = ("dtype",)

    def __init__(self, dtype: Any) -> None:
        self.dtype = dtype
        self.name = f"*{dtype}"


class List(IterableType):
    """A list of items of one type; compiled code has none yet, but extensions may refer to it."""

    __slots__ = ("dtype",)

    def __init__(self, dtype: Type) -> None:
        self.dtype = dtype
        self.name = f"list({dtype})"

    @property
    def iterator_type(self) -> Type:
        """The type of its iterator."""
        return SimpleIteratorType(f"iter({self.name})", self.dtype)


class RawPointer(Type):
    """The address of memory that is not owned, `voidptr`."""

    __slots__ = ()

    def members(self) -> Members:
        return (("address", POINTER),)


class CPointer(RawPointer):
    """A pointer to values of type `dtype`, with no owner."""

    __slots__ = ("dtype", "addrspace")
    arity = 2
    trailing = (None,)

    def __init__(self, dtype: Type, addrspace: int | None = None) -> None:
        self.dtype = dtype
        self.addrspace = addrspace
        super().__init__(f"{dtype}*" if addrspace is None else f"{dtype}_{addrspace}*")


class EphemeralPointer(CPointer):
    """The address of the state of an iterator, of type `dtype`: on the stack of the function that
    started the iteration, or in counted memory if the iterator outlives it.

    An extension's "getiter" returns the address of any stack memory, whose content is copied.
    """

    __slots__ = ()

    def members(self) -> Members:
        return STATE


class MemInfoPointer(Type):
    """A counted reference to memory that compiled code allocated."""

    __slots__ = ("dtype",)

    def __init__(self, dtype: Type) -> None:
        self.dtype = dtype
        self.name = f"MemInfoPointer({dtype})"

    def members(self) -> Members:
        return (("owner", OWNER),)


any_type = AnyType("any")
voidptr = RawPointer("void*")
pyobject = PyObject("pyobject")
