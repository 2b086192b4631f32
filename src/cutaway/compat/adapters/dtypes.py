"""Convert between NumPy's dtypes and types of compiled code; facts about arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from cutaway.errors import TypingError
from cutaway.typing import types
from cutaway.typing.types import Type
from cutaway.typing.values.typeof import from_dtype

numpy_version = tuple(int(part) for part in np.__version__.split(".")[:2])

_LAYOUTS = {(True, True): "C", (True, False): "C", (False, True): "F", (False, False): "A"}
_TEXTS = (types.Str, types.String, types.UnicodeCharSeq, types.CharSeq)
_SCALARS = (types.Number, types.Boolean, types.Dated, types.Record)


def as_dtype(ty: Type) -> np.dtype[Any]:
    """Return the dtype of elements of a type.

    Raises TypingError for a type that no array has elements of.
    """
    try:
        found = types.to_dtype(ty)
    except (AttributeError, KeyError, LookupError, TypeError):
        found = None
    if found is None:
        raise TypingError(f"no array has elements of type {ty}")
    return np.dtype(found)


def from_struct_dtype(dtype: np.dtype[Any]) -> Type:
    """Return the type of records of a dtype with fields.

    Raises TypeError for a dtype without fields.
    """
    if dtype.fields is None:
        raise TypeError(f"{dtype!r} has no fields")
    return from_dtype(dtype)


def parse_dtype(ty: Type) -> Type | None:
    """Return the element type that a `dtype` argument of this type requests; None for others."""
    if isinstance(ty, types.DType):
        return types.element_type(ty.value)
    if isinstance(ty, types.Class):
        return _of_class(ty.value)
    if isinstance(ty, types.String):
        return types.element_type(np.dtype(ty.value))
    return None


def _of_class(cls: type) -> Type | None:
    try:
        return from_dtype(np.dtype(cls))
    except (TypeError, TypingError):
        return None


def is_array(value: Any) -> bool:
    """True for a NumPy array."""
    return isinstance(value, np.ndarray)


def is_contiguous(array: Any) -> bool:
    """True for a C-contiguous array."""
    return bool(np.asarray(array).flags.c_contiguous)


def is_fortran(array: Any) -> bool:
    """True for an array that is Fortran-contiguous and not C-contiguous."""
    flags = np.asarray(array).flags
    return bool(flags.f_contiguous and not flags.c_contiguous)


def map_layout(array: np.ndarray[Any, Any]) -> str:
    """Return the layout of an array: C, F or A."""
    return _LAYOUTS[array.flags.c_contiguous, array.flags.f_contiguous]


def type_is_scalar(ty: Type) -> bool:
    """True for the type of a number, a time, or a record."""
    return isinstance(ty, _SCALARS)


def type_can_asarray(ty: Type) -> bool:
    """True for the type of a value that np.asarray takes."""
    sequences = (types.Array, types.Tuple, *_TEXTS)
    return type_is_scalar(ty) or isinstance(ty, sequences)
