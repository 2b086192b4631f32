"""Converts Python classes and annotations to types."""

from __future__ import annotations

import types as python_types
import typing
from typing import Any

import numpy as np

from cutaway.foundation.foreign import bases_of, is_a
from cutaway.typing import types
from cutaway.typing.types import Optional, Tuple, Type

# The types of the instances of classes that extensions registered.
REGISTERED: dict[Any, Type] = {}

_KNOWN: dict[Any, Type] = {
    int: types.int64,
    float: types.float64,
    complex: types.complex128,
    bool: types.boolean,
    str: types.str_type,
    type(None): types.none,
    None: types.none,
}


def type_of_class(annotation: Any) -> Type | None:
    """Return the type that a class or annotation denotes; None if it denotes none."""
    if is_a(annotation, Type):
        return annotation
    try:
        known = REGISTERED.get(annotation) or _KNOWN.get(annotation)
    except Exception:  # the annotation is not hashable or comparable
        return None
    if known is not None:
        return known
    if is_a(annotation, type) and np.generic in bases_of(annotation):
        try:
            return types.from_dtype(np.dtype(annotation))
        except TypeError:  # `np.number` and the like have no dtype
            return None
    return _generic(typing.get_origin(annotation), typing.get_args(annotation))


def _generic(origin: Any, args: tuple[Any, ...]) -> Type | None:
    if origin not in (tuple, typing.Union, python_types.UnionType):
        return None
    items = [type_of_class(arg) for arg in args]
    known = tuple(item for item in items if item is not None)
    if len(known) < len(items):
        return None
    if origin is tuple:
        return Tuple(known)
    rest = [item for item in known if item is not types.none]
    return Optional(rest[0]) if len(rest) == 1 and len(known) == 2 else None
