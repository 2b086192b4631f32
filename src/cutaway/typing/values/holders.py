"""Attributes of modules, classes and ufuncs that are compile-time constants, as globals are."""

from __future__ import annotations

import enum
from ctypes import CDLL
from types import ClassMethodDescriptorType, FunctionType, ModuleType
from typing import Any

import numpy as np

from cutaway.foundation.element_functions import ufunc_half
from cutaway.foundation.foreign import (
    attribute,
    bases_of,
    body_of,
    class_attribute,
    is_a,
    key_of,
)
from cutaway.ir.constants import is_compiled
from cutaway.typing import types
from cutaway.typing.overloads.context import TypingContext
from cutaway.typing.overloads.resolution import MISSING
from cutaway.typing.types import Type
from cutaway.typing.types.enums import member_of

UFUNC_METHODS = frozenset(("reduce", "accumulate", "reduceat", "outer", "at"))


_BOUND: dict[Any, Any] = {}


def held_by(holder: Any, name: str) -> Any:
    """Return an attribute of a module, a C library, a class or a ufunc; MISSING for any other
    object, if there is none, and if reading the attribute runs code (a property, a class method).

    For a static method it is the function.
    """
    if is_a(holder, (ModuleType, CDLL)):
        return attribute(holder, name, MISSING)
    if is_a(holder, np.ufunc):
        return getattr(holder, name) if name in UFUNC_METHODS else MISSING
    if ufunc_half(holder) is not None:  # a user's ufunc, which compiles loops on demand
        return getattr(holder, name, MISSING) if name in UFUNC_METHODS else MISSING
    if not is_a(holder, type):
        return MISSING
    raw = raw_attribute(holder, name)
    if is_a(raw, staticmethod):
        return raw.__func__
    if is_a(raw, ClassMethodDescriptorType):  # of a built-in class: no code of the program runs
        bound = attribute(holder, name, MISSING)
        return _BOUND.setdefault((key_of(holder), name), bound)  # Python makes one at each access
    as_it_is = is_a(raw, FunctionType) or is_compiled(raw)
    return raw if as_it_is or class_attribute(type(raw), "__get__") is None else MISSING


def raw_attribute(cls: type, name: str) -> Any:
    """Return an attribute from the namespace of a class or a base, unbound; MISSING if absent."""
    bodies = map(body_of, bases_of(cls))
    return next((body[name] for body in bodies if name in body), MISSING)


def held_attribute(context: TypingContext, owner: Type, name: str) -> Any:
    """Return an attribute of a module, class or ufunc by its type; MISSING if it is not a constant,
    for values of other types, and for class methods that extensions add to a class."""
    if isinstance(owner, types.Module | types.CLibrary | types.Function):
        return held_by(owner.value, name)
    if not isinstance(owner, types.Class) or context.method_of(owner, name) is not None:
        return MISSING
    cls = owner.value
    if is_a(cls, enum.EnumMeta) and name in cls.__members__:
        member = member_of(owner, name)
        return MISSING if member is None else member
    return held_by(cls, name)
