"""The Python class of a value of a type: what `isinstance` and `type` ask."""

from __future__ import annotations

import numpy as np

from cutaway.typing import types
from cutaway.typing.types import Class, Tuple, Type


def class_type(cls: type) -> Class:
    """The type of a class as a value."""
    found: Class = types.constant_type(Class, cls)
    return found


def is_instance(given: Type, *asked: Type) -> bool | None:
    """`isinstance(value of given, asked)`; None where that is not known.

    Whether a number is one of NumPy's is not: both kinds have one type.
    """
    own, classes = given.value_class, _classes(asked)
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
