"""Element types: the meaning of a `dtype` argument, and the dtypes that NumPy computes in."""

from __future__ import annotations

from typing import Any

import numpy as np

from cutaway.errors import TypingError
from cutaway.extending.bodies import static
from cutaway.library.arrays.kit.typers import element, left_out
from cutaway.library.core.conversions import CLASS_TYPES
from cutaway.typing import types
from cutaway.typing.types import Array, Class, DType, Integer, Literal, Omitted, String, Type

# --- the `dtype` argument ---------------------------------------------------------------------

CASTINGS = ("no", "equiv", "safe", "same_kind", "unsafe")  # NumPy's rules, the strictest first


def dtype_of(ty: Type, default: Type) -> Type | None:
    """The element type that a `dtype` argument requests; None if it is not one."""
    match ty:
        case Omitted(value=None) | types.NoneType():
            return default
        case Class(value=value):
            return CLASS_TYPES.get(value)
        case DType(value=value):
            return types.element_type(value)
        case String(value=value):
            return _named_dtype(value)
    return None


def _named_dtype(name: str) -> Type | None:
    try:
        return types.element_type(np.dtype(name))
    except (TypeError, ValueError):  # ValueError: not encodable, or with a null
        raise TypingError(
            f"{name!r} is not a dtype", hint="for example np.float64, or 'float64'"
        ) from None


def wanted_dtype(dtype: Any, default: Any) -> np.dtype[Any] | None:
    """The dtype of a new array whose `dtype` argument may have a class as its default."""
    item_type = default if isinstance(dtype, type) else asked_dtype(dtype, default)
    if isinstance(dtype, types.Omitted):
        item_type = default
    return None if item_type is None else types.to_dtype(item_type)


@static
def float_or(dtype: Any) -> np.dtype[Any] | None:
    """The requested dtype, or float64."""
    return wanted_dtype(dtype, types.float64)


@static
def dtype_like(one: Any, dtype: Any) -> np.dtype[Any]:
    """The dtype of an array like a number or an array, or the requested one."""
    item_type = asked_dtype(dtype, element(one))
    if item_type is None:
        raise TypingError("this dtype is not one of numbers", hint="for example np.float64")
    return types.to_dtype(item_type)


# --- dtypes of computations -------------------------------------------------------------------


@static
def element_dtype(argument: Any) -> np.dtype[Any]:
    """The dtype of the elements of an array, or of a number."""
    return types.to_dtype(element(argument))


# Python numbers adopt the dtype of arrays of their kind or a higher one.
WEAK: dict[Type, Any] = {types.int64: 0, types.float64: 0.0, types.complex128: 0j}

# The type of such a number in an inexact computation.
WEAK_INEXACT: dict[Type, Type] = {
    types.int64: types.float64,
    types.float64: types.float64,
    types.complex128: types.complex128,
}


def promoted(*arguments: Any) -> np.dtype[Any]:
    """The dtype that NumPy promotes the operands to."""
    numbers = (element(one) if isinstance(one, Literal) else one for one in arguments)
    operands = [WEAK.get(one, one) for one in numbers]
    return np.result_type(
        *(element_dtype(one) if isinstance(one, Type) else one for one in operands)
    )


@static
def joint_dtype(one: Any, other: Any) -> np.dtype[Any]:
    """The dtype that NumPy promotes two arrays, or numbers with dtypes, to."""
    return np.result_type(element_dtype(one), element_dtype(other))


@static
def require_safe_places(places: Any) -> None:
    """Raise TypingError for uint64 positions, which NumPy refuses."""
    if not np.can_cast(element_dtype(places), np.int64):
        raise TypingError(
            f"Cannot cast array data from {element_dtype(places)!r} to dtype('int64') according to"
            " the rule 'safe'",
            hint="convert it: a.astype(np.int64)",
        )


def joint(*arguments: Any) -> np.dtype[Any]:
    """The promoted dtype of arrays and numbers when NumPy makes the numbers arrays first."""
    return np.result_type(*map(element_dtype, arguments))


def inexact(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """The dtype in which NumPy divides numbers of a dtype."""
    return dtype if dtype.kind in "fc" else np.dtype(np.float64)


@static
def sum_dtype(argument: Array, dtype: Any) -> np.dtype[Any] | None:
    """The dtype in which an array is summed, by default or as requested."""
    item_type = asked_dtype(dtype, sum_type(argument.dtype))
    return None if item_type is None else types.to_dtype(item_type)


def asked_dtype(dtype: Any, default: Type) -> Type | None:
    """The numeric element type that a `dtype` argument requests; None for others."""
    item_type = default if left_out(dtype) else dtype_of(dtype, default)
    return item_type if item_type is not None and types.is_number(item_type) else None


def sum_type(dtype: Type) -> Type:
    """The type in which numbers of a type are summed."""
    if not types.is_integral(dtype):
        return dtype
    unsigned = isinstance(dtype, Integer) and not dtype.signed
    return types.uint64 if unsigned else types.int64


@static
def real_dtype(dtype: Any) -> np.dtype[Any]:
    """The dtype of the real part of numbers of a dtype."""
    return dtype.value.type(0).real.dtype


@static
def inexact_dtype(argument: Any) -> np.dtype[Any]:
    """The dtype in which NumPy divides elements of an array."""
    return inexact(element_dtype(argument))


@static
def mean_dtype(argument: Array, dtype: Any) -> np.dtype[Any] | None:
    """The dtype in which NumPy computes a mean, by default or as requested; None if that is not
    inexact."""
    item_type = asked_dtype(dtype, types.from_dtype(inexact(element_dtype(argument))))
    if item_type is None or types.is_integral(item_type):
        return None
    narrows = isinstance(argument.dtype, types.Complex) and not isinstance(item_type, types.Complex)
    return None if narrows else types.to_dtype(item_type)
