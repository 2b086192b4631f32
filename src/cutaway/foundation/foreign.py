"""Inspects objects of the user's program without running their code, or survives its exceptions.

An object may claim another class (`__class__`), have every attribute that is read, or raise at
each access, and its metaclass may do the same.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from types import FunctionType, MethodType
from typing import Any, TypeVar

T = TypeVar("T")


def is_a(value: Any, classes: type | tuple[type, ...]) -> bool:
    """Return whether a value is an instance of `classes`, none of which has a user's metaclass;
    the object's own `__class__` is not consulted."""
    return issubclass(type(value), classes)


def attribute(value: Any, name: str, default: T) -> Any | T:
    """Return an attribute of a value, or the default where reading it raises anything."""
    try:
        return getattr(value, name)
    except Exception:  # user code may raise anything
        return default


def text_attribute(value: Any, name: str) -> str | None:
    """Return an attribute that is a str, such as `__name__`; None for any other value."""
    text = attribute(value, name, None)
    return text if type(text) is str else None


def class_name(cls: type) -> str:
    """Return the name of a class, bypassing its metaclass."""
    name: str = type.__dict__["__name__"].__get__(cls)
    return name


def module_of(cls: type) -> str:
    """Return the module name of a class, bypassing its metaclass; empty without one."""
    module = type.__dict__["__module__"].__get__(cls)
    return module if type(module) is str else ""


def bases_of(cls: type) -> tuple[type, ...]:
    """Return the method resolution order of a class, bypassing its metaclass."""
    bases: tuple[type, ...] = type.__dict__["__mro__"].__get__(cls)
    return bases


def body_of(cls: type) -> Mapping[str, Any]:
    """Return the namespace of a class itself, bypassing its metaclass."""
    body: Mapping[str, Any] = type.__dict__["__dict__"].__get__(cls)
    return body


def class_attribute(cls: type, name: str) -> Any:
    """Return an attribute from the namespace of a class or the nearest base; None if absent."""
    bodies = map(body_of, bases_of(cls))
    return next((body[name] for body in bodies if name in body), None)


def acts_as(cls: type, base: type) -> bool:
    """Return whether a subclass of a container inherits its items, length and truth value."""
    return all(class_attribute(cls, name) is class_attribute(base, name) for name in _OF_ITEMS)


_OF_ITEMS = ("__getattribute__", "__getattr__", "__len__", "__iter__", "__getitem__", "__bool__")


def computes_as(cls: type, base: type) -> bool:
    """Return whether a subclass of a number inherits its arithmetic, comparisons and
    conversions."""
    return all(class_attribute(cls, name) is class_attribute(base, name) for name in _OF_NUMBERS)


_BINARY = "add sub mul truediv floordiv mod divmod pow lshift rshift and or xor matmul".split()
_OF_NUMBERS = (
    *(f"__{prefix}{name}__" for prefix in ("", "r", "i") for name in _BINARY),
    *(f"__{name}__" for name in "eq ne lt le gt ge bool int float complex index hash".split()),
    *(f"__{name}__" for name in "neg pos abs invert round trunc floor ceil".split()),
)


def is_of_package(value: Any) -> bool:
    """Return whether the class of a value belongs to this package."""
    module = module_of(type(value))
    return module.partition(".")[0] == "cutaway"


def is_compared_by_value(value: Any) -> bool:
    """Return whether a value can be hashed and compared without running user code."""
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
    except Exception:  # a part of it is not hashable
        return False
    return True


class Same:
    """A key that compares an object by identity."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value

    def __hash__(self) -> int:
        return id(self.value)

    def __eq__(self, other: object) -> bool:
        return type(other) is Same and other.value is self.value


def key_of(value: Any) -> Hashable:
    """Return a dictionary key for a value: itself, or a `Same` if comparing it runs user code."""
    return value if is_compared_by_value(value) else Same(value)
