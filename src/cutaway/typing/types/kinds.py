"""Classes that extensions build their own types on: known by a name, and by what they give."""

from __future__ import annotations

from typing import Any

from cutaway.typing.types import IterableType, IteratorType, Type
from cutaway.typing.types.primitives import OWNER, POINTER, STATE, Members


class Dummy(Type):
    """A value that needs no memory: all of it is in its type."""

    __slots__ = ()

    def members(self) -> Members:
        """See Type: none are needed."""
        return ()


class PyObject(Type):
    """A Python object of which nobody keeps account, as a member of an extension's values: whoever
    made them keeps it.  Compiled code takes and gives none."""

    __slots__ = ()

    def members(self) -> Members:
        """See Type."""
        return (("object", POINTER),)


class SimpleIteratorType(IteratorType):
    """An iterator known by name; `yield_type` is what it gives."""

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
    """Something to iterate over known by name; `iterator_type` is that of its iterator."""

    __slots__ = ("iterator_type",)

    def __init__(self, name: str, iterator_type: Type) -> None:
        super().__init__(name)
        self.iterator_type = iterator_type

    def __reduce__(self) -> tuple[type, tuple[str, Type]]:
        return (type(self), (self.name, self.iterator_type))


class AnyType(Type):
    """In a pattern of types: whichever."""

    __slots__ = ()


class VarArg(Type):
    """At the end of a pattern of types: any number of `dtype`, a type or a class of types."""

    __slots__ = ("dtype",)

    def __init__(self, dtype: Any) -> None:
        self.dtype = dtype
        self.name = f"*{dtype}"


class List(IterableType):
    """A list of one type of items; compiled code has none yet, extensions may speak of it."""

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
        """See Type."""
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
    """The address of the state of an iterator, of type `dtype`: memory on the stack of the function
    that began the iteration, or counted memory where the iterator outlives it.

    Code of "getiter" gives the address of any stack memory, of which the content is taken.
    """

    __slots__ = ()

    def members(self) -> Members:
        """See Type."""
        return STATE


class MemInfoPointer(Type):
    """An owner of memory that compiled code allocated: references are counted."""

    __slots__ = ("dtype",)

    def __init__(self, dtype: Type) -> None:
        self.dtype = dtype
        self.name = f"MemInfoPointer({dtype})"

    def members(self) -> Members:
        """See Type."""
        return (("owner", OWNER),)


any_type = AnyType("any")
voidptr = RawPointer("void*")
pyobject = PyObject("pyobject")
