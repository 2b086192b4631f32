"""The Python class of a value of a type, for `isinstance` and `type`."""

from __future__ import annotations

import numpy as np

from cutaway.typing import types
from cutaway.typing.types import Class, Tuple, Type

# Classes for which a type determines whether a value is NumPy's, unlike numbers and strings.
_OF_ONE_KIND = (np.datetime64, np.timedelta64, np.ndarray, tuple, type(None))


def class_type(cls: type) -> Class:
    """Return the type of a class as a value."""
    ty: Class = types.constant_type(Class, cls)
    return ty


def is_instance(ty: Type, *kinds: Type) -> bool | None:
    """Return `isinstance(value of ty, kinds)`; None if the type does not determine it.

    NumPy's numbers and Python's have the same type, so it does not for them.
    """
    own, classes = ty.value_class, _classes(kinds)
    if own is None or classes is None:
        return None
    if any(issubclass(cls, np.generic) for cls in classes) and not issubclass(own, _OF_ONE_KIND):
        return None
    return any(issubclass(own, cls) for cls in classes)


def _classes(kinds: tuple[Type, ...]) -> tuple[type, ...] | None:
    classes: list[type] = []
    for ty in kinds:
        inner: tuple[type, ...] | None = None
        if isinstance(ty, Class):
            inner = (ty.value,)
        elif isinstance(ty, Tuple):
            inner = _classes(ty.items)
        if inner is None:
            return None
        classes += inner
    return tuple(classes)
