"""The types of Python objects in compiled code: those that it only passes on, exceptions, any
object in object mode, and NumPy's sources of random numbers.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Iterable
from typing import Any

from cutaway.foundation.foreign import attribute, module_of
from cutaway.typing.types import primitives
from cutaway.typing.types.base import OpaqueType, Type, describe
from cutaway.typing.types.constants import Class
from cutaway.typing.types.functions import BoundMethod
from cutaway.typing.types.interning import Identity
from cutaway.typing.types.tuples import Tuple


class Opaque(OpaqueType):
    """An object of exactly the class `cls`: compiled code can pass it on, return it, and compare it
    with `is`."""

    __slots__ = ("identity",)
    passable = may_be_none = True

    def __init__(self, identity: Identity) -> None:
        self.identity = identity
        self.name = f"object({describe(identity.value)})"

    def members(self) -> primitives.Members:
        return (("object", primitives.OWNER),)

    def crossing(self, cross: primitives.Crossing) -> bytes:
        return b"X" + cross.constant(self.cls)

    @property
    def value_class(self) -> type:
        return self.cls

    def taken_apart(self, value: Any) -> None:
        return None

    def put_together(self, items: Iterable[Any]) -> Any:
        raise LookupError(f"no Python value of type {self}")

    def sample(self) -> Any:
        return object()

    @property
    def cls(self) -> type:
        """The class."""
        cls: type = self.identity.value
        return cls


def opaque(cls: type) -> Opaque:
    """Return the type of a class's objects, which compiled code only passes on."""
    return Opaque(Identity(cls))


class ObjectReference(Opaque):
    """An object of Python that compiled code has by a reference."""

    __slots__ = ()

    def taken_apart(self, value: Any) -> tuple[Any, ...]:
        return (primitives.Kept(value),)

    def put_together(self, items: Iterable[Any]) -> Any:
        """Return the object; its owner is the object's address with a tag bit."""
        (owner,) = items
        if isinstance(owner, primitives.Kept):
            return owner.value
        return ctypes.cast(owner & ~1, ctypes.py_object).value


class CaughtException(ObjectReference):
    """An exception of any class."""

    __slots__ = ()
    passable = False
    can_be_written = can_be_printed = True
    value_class = None  # known only at run time

    def __init__(self) -> None:
        super().__init__(Identity(BaseException))
        self.name = "exception"

    def sample(self) -> Any:
        return BaseException()

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(self), ())


class ExceptionPart(CaughtException):
    """A part of a handled exception, known only at run time: its class, its arguments, or one of
    these."""

    __slots__ = ()

    def __init__(self, name: str) -> None:
        Opaque.__init__(self, Identity(object))
        self.name = name

    def sample(self) -> Any:
        return self.name

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(self), (self.name,))


def classes_of(ty: Any) -> tuple[type[BaseException], ...] | None:
    """Return the classes after `except`, by the type of the expression there; None if it is neither
    a class nor a tuple of classes."""
    if isinstance(ty, Class):
        return (ty.value,) if issubclass(ty.value, BaseException) else None
    if not isinstance(ty, Tuple) or not all(isinstance(item, Class) for item in ty.items):
        return None
    nested = [classes_of(item) for item in ty.items]
    if None in nested:
        return None
    return tuple(cls for classes in nested for cls in classes or ())


class PythonObject(ExceptionPart):
    """An object whose class is known only at run time."""

    __slots__ = ()
    passable = True

    def __init__(self) -> None:
        super().__init__("pyobject")

    def crossing(self, cross: primitives.Crossing) -> bytes:
        return b"W"

    def sample(self) -> Any:
        return object()

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(self), ())


class RandomSource(ObjectReference):
    """A NumPy object that random numbers are drawn from."""

    __slots__ = ()
    is_frozen = False  # whether NumPy guarantees that its streams never change

    def __init__(self, identity: Identity) -> None:
        super().__init__(identity)
        self.name = identity.value.__name__

    def sample(self) -> Any:
        return self.cls(sys.modules["numpy.random"].PCG64(0))

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(self), (self.identity,))


class GeneratorSource(RandomSource):
    """A `numpy.random.Generator`."""

    __slots__ = ()


class StateSource(RandomSource):
    """A `numpy.random.RandomState`; the functions of `numpy.random` draw from one as well."""

    __slots__ = ()
    is_frozen = True


def source_of(value: Any) -> RandomSource | None:
    """Return the type of a source of random numbers; None for any other value."""
    # A process that has not loaded the module has no such object.
    module: Any = sys.modules.get("numpy.random")
    cls = type(value)
    if module is None or module_of(cls) not in _MODULES:
        return None
    if cls is module.Generator:
        return GeneratorSource(Identity(cls))
    return StateSource(Identity(cls)) if cls is module.RandomState else None


def method_of(value: Any) -> Type | None:
    """Return the type of a method of a source of random numbers; None for any other value."""
    source = source_of(attribute(value, "__self__", None))
    return None if source is None else BoundMethod(source, value.__name__)


_MODULES = ("numpy.random._generator", "numpy.random.mtrand")
