"""The types of compile-time constants, each of one value."""

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
    """The type of one compile-time constant, which needs no memory: a function, a class, a module,
    a string, a dtype."""

    __slots__ = ("identity",)
    adapts = True

    @classmethod
    def adapt(cls, args: tuple[Any, ...], named: dict[str, Any]) -> tuple[Any, tuple[Any, ...]]:
        """Wrap the value in an Identity."""
        return cls, identified((*args, *in_place(cls, args, named)))

    def __init__(self, identity: Identity) -> None:
        self.identity = identity
        self.name = f"{self.kind}({describe(identity.value)})"

    kind: ClassVar[str] = "constant"
    can_be_written = True

    def members(self) -> primitives.Members:
        return ()

    def crossing(self, cross: primitives.Crossing) -> bytes:
        return b"K" + cross.constant(self.value)

    def taken_apart(self, value: Any) -> tuple[Any, ...]:
        return ()

    @property
    def value_class(self) -> type:
        return type(self.value)

    def put_together(self, items: Iterable[Any]) -> Any:
        return self.value

    def sample(self) -> Any:
        return self.value

    def argument(self, numbers: Iterator[int]) -> Any:
        raise LookupError(f"no sample of type {self}")

    @property
    def is_stable(self) -> bool:
        return isinstance(self.value, _NAMED) or is_at_top(self.value)

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(self), (self.identity,))

    @property
    def value(self) -> Any:
        """The constant."""
        return self.identity.value

    @property
    def constant(self) -> Any:
        return self.identity.value


def constant_type(cls: Callable[[Any], Any], value: Any) -> Any:
    """Return the constant type of class `cls` for `value`."""
    return cls(Identity(value))


class Class(Constant, CallableType):
    """A class that can be called (`int`, `np.float32`) or raised (`ValueError`)."""

    __slots__ = ()
    kind = "class"

    def coerced(self, value: Any) -> Any:
        """Replace Python's classes of numbers by NumPy's: the interpreter represents NumPy's
        numbers as Python's."""
        of_numpy = issubclass(self.value, np.generic)
        return self.value if of_numpy and value in (int, float, complex) else value

    @property
    def may_be_none(self) -> bool:  # some classes have an attribute instead
        """False for exceptions and named tuples, whose creation is special."""
        return not issubclass(self.value, BaseException) and not hasattr(self.value, "_fields")

    @property
    def instance_type(self) -> Type | None:
        """The type of its instances if it is a class of numbers; else None."""
        return (
            from_dtype(self.value)
            if issubclass(self.value, np.generic | int | float | complex)
            else None
        )

    dtype = instance_type


class TypeConstant(Constant):
    """A type of compiled code as a value: an argument of functions that make containers."""

    __slots__ = ()
    kind = "type"


class Module(Constant):
    """A module; its attributes are looked up at compile time."""

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
        """Convert a type to the dtype of its elements."""
        (dtype, *rest) = (*args, *in_place(cls, args, named))
        identity = Identity(to_dtype(dtype)) if isinstance(dtype, Type) else dtype
        return cls, (identity, *rest)

    numbers: ClassVar[tuple[str, ...]] = ("itemsize", "num", "alignment", "ndim")

    @property
    def dtype(self) -> Type | None:
        """The type of elements of this dtype."""
        return element_type(self.value)

    def constant_attribute(self, name: str) -> Any:
        return getattr(self.value, name) if name in self.numbers else MISSING

    def crossing(self, cross: primitives.Crossing) -> bytes:
        element = self.dtype
        return super().crossing(cross) if element is None else b"Y" + cross.dtype(element)


class IndexTool(Constant):
    """An object of NumPy that creates arrays by indexing: `np.r_`, `np.c_`, `np.mgrid`,
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
    """Return the type of a NumPy index tool, by its name: used by pickle."""
    return IndexTool(Identity(getattr(np, name)))


MOST_CHOICES = 100
