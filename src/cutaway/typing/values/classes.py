"""Which Python class a value of a type has: what `isinstance` and `type` ask."""

from __future__ import annotations

import numpy as np

from cutaway.typing import types
from cutaway.typing.types import Class, Tuple, Type
from cutaway.typing.types.buffers import Buffer
from cutaway.typing.types.enums import EnumMember


def class_of(ty: Type) -> type | None:
    """The class of the Python value that a value of the type stands for; None: not known."""
    match ty:
        case types.Boolean():
            return bool
        case types.Integer():
            return int
        case types.Float():
            return float
        case types.Complex():
            return complex
        case types.Array():
            return np.ndarray
        case types.Range():
            return range
        case types.Str():
            return str
        case Buffer(cls=cls) | EnumMember(cls=cls):
            return cls
        case types.Slice():
            return slice
        case types.NoneType():
            return type(None)
        case types.Omitted(value=value) | types.Constant(value=value):
            return type(value)
        case types.NamedTuple(cls=cls) | types.Opaque(cls=cls):
            return cls
        case types.DateTime():
            return np.datetime64
        case types.TimeDelta():
            return np.timedelta64
        case types.Record(named=named):
            return np.record if named else np.void
        case Tuple():
            return tuple
    return None


def class_type(cls: type) -> Class:
    """The type of a class as a value."""
    found: Class = types.constant_type(Class, cls)
    return found


def is_instance(given: Type, *asked: Type) -> bool | None:
    """`isinstance(value of given, asked)`; None where that is not known.

    Whether a number is one of NumPy's is not: both kinds have one type.
    """
    own, classes = class_of(given), _classes(asked)
    if own is None or classes is None or any(issubclass(cls, np.generic) for cls in classes):
        return None
    return any(issubclass(own, cls) for cls in classes)


def _classes(asked: tuple[Type, ...]) -> tuple[type, ...] | None:
    found: list[type] = []
    for ty in asked:
        inner: tuple[type, ...] | None = None
        if isinstance(ty, Class):
            inner = (ty.value,)
        elif isinstance(ty, Tuple):
            inner = _classes(ty.items)
        if inner is None:
            return None
        found += inner
    return tuple(found)
