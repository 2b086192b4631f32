"""The Python class of a value of a type: what `isinstance` and `type` ask."""

from __future__ import annotations

import numpy as np

from cutaway.typing import types
from cutaway.typing.types import Class, Tuple, Type

# Classes whose values are, or are not, NumPy's: no number, and no text.
_OF_ONE_KIND = (np.datetime64, np.timedelta64, np.ndarray, tuple, type(None))


def class_type(cls: type) -> Class:
    """The type of a class as a value."""
    ty: Class = types.constant_type(Class, cls)
    return ty


def is_instance(ty: Type, *kinds: Type) -> bool | None:
    """`isinstance(value of ty, kinds)`; None where that is not known.

    Whether a number is one of NumPy's is not: both kinds have one type.
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
