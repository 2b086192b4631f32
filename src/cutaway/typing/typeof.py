"""The type of a Python value, and the type of a constant in a program (SPEC B3, the last step).

The dispatcher's C code answers for the usual values by itself; this is the slow, complete
statement of the same rules.
"""

from __future__ import annotations

import types as python_types
from typing import Any

import numpy as np

from cutaway.errors import TypingError
from cutaway.typing import types
from cutaway.typing.conversions import of_constant
from cutaway.typing.types import Array, Range, Tuple, Type


def typeof(value: Any) -> Type:  # Any: any argument of a user's program
    """The type of an argument.

    Raises TypingError where values of this kind cannot be passed to a compiled function.
    """
    found = _typeof(value)
    if found is None:
        raise TypingError(
            f"a value of type {type(value).__name__} cannot be passed to a compiled function",
            hint="numbers, bool, None, tuples, ranges and NumPy arrays of numbers can",
        )
    return found


def _typeof(value: Any, depth: int = 0) -> Type | None:  # Any: any argument of a program
    if depth > types.DEEPEST_TUPLE:
        raise TypingError(f"tuples can be nested {types.DEEPEST_TUPLE} deep in compiled code")
    match value:
        case bool():
            return types.boolean
        case int():
            return types.int64
        case np.ndarray():
            return typeof_array(value)
        case np.generic():
            return types.from_dtype(value.dtype) if value.dtype.isnative else None
        case tuple() if type(value) is tuple:
            items = [_typeof(item, depth + 1) for item in value]
            return None if None in items else Tuple(tuple(items))  # type: ignore[arg-type]
        case range():
            return Range(types.int64, None)
        case float() | complex() | None:
            return of_constant(value)
    return None


def typeof_array(value: np.ndarray[Any, Any]) -> Array | None:
    """The type of an array; None where its dtype has no type."""
    dtype = types.from_dtype(value.dtype) if value.dtype.isnative else None
    if dtype is None:
        return None
    flags = value.flags
    layout = "C" if flags.c_contiguous else "F" if flags.f_contiguous else "A"
    return Array(dtype, value.ndim, layout, not flags.writeable, flags.aligned)


def typeof_constant(value: Any) -> Type | None:  # Any: any global of a user's program
    """The type of a constant, global or closure value; None where it has none."""
    number = of_constant(value) if type(value) in _PLAIN else None
    if number is not None or type(value) in _PLAIN:
        return number
    match value:
        case str() | bytes():
            return types.constant_type(types.String, value)
        case tuple():
            items = [typeof_constant(item) for item in value]
            return None if None in items else Tuple(tuple(items))  # type: ignore[arg-type]
        case type():
            return types.constant_type(types.Class, value)
        case python_types.ModuleType():
            return types.constant_type(types.Module, value)
        case np.dtype():
            return types.constant_type(types.DType, value)
        case np.generic():
            return types.from_dtype(value.dtype)
        case python_types.EllipsisType():
            return types.ellipsis
        case slice():
            parts = [typeof_constant(p) for p in (value.start, value.stop, value.step)]
            return None if None in parts else types.Slice(*parts)
        case range():
            return Range(types.int64, value.step)
        case np.ndarray():
            return _typeof_frozen_array(value)
    if hasattr(value, "py_func"):
        return types.constant_type(types.Dispatcher, value)
    if callable(value):
        return types.constant_type(types.Function, value)
    return None


def _typeof_frozen_array(value: np.ndarray[Any, Any]) -> Array | None:
    # A global array is frozen: a read-only, C-contiguous copy goes into the compiled code.
    found = typeof_array(value)
    return None if found is None else Array(found.dtype, found.ndim, "C", True, True)


_PLAIN = (bool, int, float, complex, type(None))
