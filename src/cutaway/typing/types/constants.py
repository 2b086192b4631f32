"""Values that are known when compiling: the value is the type."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from types import BuiltinFunctionType
from typing import Any, ClassVar

import numpy as np

from cutaway.foundation.source import is_at_top
from cutaway.ir.constants import MISSING
from cutaway.typing.types import primitives
from cutaway.typing.types.base import CallableType, Type, describe, in_place
from cutaway.typing.types.elements import element_type, to_dtype
from cutaway.typing.types.interning import Identity, identified
from cutaway.typing.types.numbers import from_dtype

# Constants that pickle by value, or by their names.
_NAMED = (str, bytes, type, BuiltinFunctionType, np.ufunc, np.dtype, type(np.sum))


class Constant(Type):
    """A value that is known when compiling and needs no memory: a function, a class, a module,
    a string, a dtype.  The value is the type."""

    __slots__ = ("identity",)
    adapts = True

    @classmethod
    def adapt(cls, args: tuple[Any, ...], named: dict[str, Any]) -> tuple[Any, tuple[Any, ...]]:
        """See Type; the value can be given as it is."""
        return cls, identified((*args, *in_place(cls, args, named)))

    def __init__(self, identity: Identity) -> None:
        self.identity = identity
        self.name = f"{self.kind}({describe(identity.value)})"

    kind: ClassVar[str] = "constant"
    can_be_written = True

    def members(self) -> primitives.Members:
        """See Type: none are needed."""
        return ()

    def crossing(self, cross: primitives.Crossing) -> bytes:
        """See Type."""
        return b"K" + cross.constant(self.value)

    def taken_apart(self, value: Any) -> tuple[Any, ...]:
        """See Type."""
        return ()

    @property
    def value_class(self) -> type:
        """See Type."""
        return type(self.value)

    def put_together(self, items: Iterable[Any]) -> Any:
        """See Type."""
        return self.value

    def sample(self) -> Any:
        """See Type."""
        return self.value

    def argument(self, numbers: Iterator[int]) -> Any:
        """See Type."""
        raise LookupError(f"no sample of type {self}")

    @property
    def is_stable(self) -> bool:
        """See Type."""
        return isinstance(self.value, _NAMED) or is_at_top(self.value)

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(self), (self.identity,))

    @property
    def value(self) -> Any:
        """The constant."""
        return self.identity.value

    @property
    def constant(self) -> Any:
        """See Type."""
        return self.identity.value


def constant_type(cls: Callable[[Any], Any], value: Any) -> Any:
    """The interned constant type of class `cls` for `value`."""
    return cls(Identity(value))


class Class(Constant, CallableType):
    """A class that can be called (`int`, `np.float32`) or raised (`ValueError`)."""

    __slots__ = ()
    kind = "class"

    def coerced(self, value: Any) -> Any:
        """See Type: the interpreter has NumPy's numbers as Python's, so asks for their class."""
        of_numpy = issubclass(self.value, np.generic)
        return self.value if of_numpy and value in (int, float, complex) else value

    @property
    def may_be_none(self) -> bool:  # of a class it is an attribute
        """See Type: not exceptions and named tuples, which are made in their own way."""
        return not issubclass(self.value, BaseException) and not hasattr(self.value, "_fields")

    @property
    def instance_type(self) -> Type | None:
        """The type of its objects, where it is a class of numbers."""
        return (
            from_dtype(self.value)
            if issubclass(self.value, np.generic | int | float | complex)
            else None
        )

    dtype = instance_type


class Module(Constant):
    """A module; its attributes are looked up when compiling."""

    __slots__ = ()
    kind = "module"

    @property
    def pymod(self) -> Any:
        """The module."""
        return self.value


class DType(Constant):
    """A NumPy dtype object, or an attribute `a.dtype`."""

    __slots__ = ()
    kind = "dtype"
    adapts = True

    @classmethod
    def adapt(cls, args: tuple[Any, ...], named: dict[str, Any]) -> tuple[Any, tuple[Any, ...]]:
        """See Type: a type stands for the dtype of its elements."""
        (given, *rest) = (*args, *in_place(cls, args, named))
        told = Identity(to_dtype(given)) if isinstance(given, Type) else given
        return cls, (told, *rest)

    numbers: ClassVar[tuple[str, ...]] = ("itemsize", "num", "alignment", "ndim")

    @property
    def dtype(self) -> Type | None:
        """The type of elements of this dtype."""
        return element_type(self.value)

    def constant_attribute(self, name: str) -> Any:
        """See Type."""
        return getattr(self.value, name) if name in self.numbers else MISSING

    def crossing(self, cross: primitives.Crossing) -> bytes:
        """See Type."""
        element = self.dtype
        return super().crossing(cross) if element is None else b"Y" + cross.dtype(element)


class IndexTool(Constant):
    """What NumPy has to make arrays of what it is indexed by: `np.r_`, `np.c_`, `np.mgrid` and
    `np.ogrid`."""

    __slots__ = ()
    kind = "index tool"

    def __reduce__(self) -> tuple[Any, ...]:
        return (
            index_tool,
            (next(name for name in INDEX_TOOLS if getattr(np, name) is self.value),),
        )


INDEX_TOOLS = ("r_", "c_", "mgrid", "ogrid")


def index_tool(name: str) -> IndexTool:
    """The type of one of NumPy's index tools; another process finds it by its name."""
    return IndexTool(Identity(getattr(np, name)))


MOST_CHOICES = 100
