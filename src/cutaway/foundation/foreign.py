"""Looks at objects of the user's program that run none of their code, or survive what it raises.

An object may say that it is of another class (`__class__`), have whatever is asked for or raise
at each question, and its metaclass may do the same.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from types import FunctionType, MethodType
from typing import Any, TypeVar

T = TypeVar("T")


def is_a(value: Any, classes: type | tuple[type, ...]) -> bool:
    """Return whether a value is of one of some classes, of which none has a metaclass of a user;
    what the object says of its own class does not count."""
    return issubclass(type(value), classes)


def attribute(value: Any, name: str, default: T) -> Any | T:
    """Return an attribute of a value, or the default where reading it raises anything."""
    try:
        return getattr(value, name)
    except Exception:  # code of the user's
        return default


def text_attribute(value: Any, name: str) -> str | None:
    """Return an attribute that is a text, such as `__name__`; None where there is none."""
    found = attribute(value, name, None)
    return found if type(found) is str else None


def class_name(cls: type) -> str:
    """Return the name of a class, whatever its metaclass says."""
    name: str = type.__dict__["__name__"].__get__(cls)
    return name


def module_of(cls: type) -> str:
    """Return the name of the module of a class, whatever its metaclass says; empty without one."""
    module = type.__dict__["__module__"].__get__(cls)
    return module if type(module) is str else ""


def bases_of(cls: type) -> tuple[type, ...]:
    """Return a class and its bases, in their order."""
    bases: tuple[type, ...] = type.__dict__["__mro__"].__get__(cls)
    return bases


def body_of(cls: type) -> Mapping[str, Any]:
    """Return what the body of a class defines."""
    body: Mapping[str, Any] = type.__dict__["__dict__"].__get__(cls)
    return body


def class_attribute(cls: type, name: str) -> Any:
    """Return what the body of a class or of one of its bases defines; None where none does."""
    bodies = map(body_of, bases_of(cls))
    return next((body[name] for body in bodies if name in body), None)


def acts_as(cls: type, base: type) -> bool:
    """Return whether a class that is derived from a container's has its items, length and truth."""
    return all(class_attribute(cls, name) is class_attribute(base, name) for name in _OF_ITEMS)


_OF_ITEMS = ("__getattribute__", "__getattr__", "__len__", "__iter__", "__getitem__", "__bool__")


def computes_as(cls: type, base: type) -> bool:
    """Return whether a class that is derived from a number's computes, compares and converts as
    that does."""
    return all(class_attribute(cls, name) is class_attribute(base, name) for name in _OF_NUMBERS)


_BINARY = "add sub mul truediv floordiv mod divmod pow lshift rshift and or xor matmul".split()
_OF_NUMBERS = (
    *(f"__{prefix}{name}__" for prefix in ("", "r", "i") for name in _BINARY),
    *(f"__{name}__" for name in "eq ne lt le gt ge bool int float complex index hash".split()),
    *(f"__{name}__" for name in "neg pos abs invert round trunc floor ceil".split()),
)


def is_of_package(value: Any) -> bool:
    """Return whether the class of a value is one of this package's own."""
    module = module_of(type(value))
    return module.partition(".")[0] == "cutaway"


def is_compared_by_value(value: Any) -> bool:
    """Return whether a value can be hashed and compared without running code of the user's."""
    cls = type(value)
    if cls is tuple:
        return all(map(is_compared_by_value, value))
    if cls is MethodType:
        return type(value.__func__) is FunctionType
    if is_of_package(value):
        return class_attribute(cls, "__hash__") is not None
    for name in ("__hash__", "__eq__"):
        method = class_attribute(cls, name)
        if method is None or isinstance(method, FunctionType):
            return False
    try:
        hash(value)
    except Exception:  # of a part of it
        return False
    return True


class Same:
    """An object as a key that is equal to itself alone."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value

    def __hash__(self) -> int:
        return id(self.value)

    def __eq__(self, other: object) -> bool:
        return type(other) is Same and other.value is self.value


def key_of(value: Any) -> Hashable:
    """Return a key for a value: itself, or one by identity where it cannot be compared."""
    return value if is_compared_by_value(value) else Same(value)
