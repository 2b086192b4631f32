"""Queries about dtypes, answered at compile time: `result_type promote_types can_cast
min_scalar_type common_type isdtype issubdtype finfo iinfo`, and about kinds of values:
`iscomplexobj isrealobj isscalar iterable isfortran`."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from cutaway.errors import TypingError
from cutaway.extending.bodies import answers
from cutaway.library.arrays.kit.dtypes import WEAK, dtype_of, element_dtype
from cutaway.library.arrays.kit.shapes import is_in_order
from cutaway.library.arrays.kit.takes import Elements, numpy
from cutaway.library.arrays.kit.typers import element, is_number
from cutaway.typing import types
from cutaway.typing.types import Array, Tuple, Type
from cutaway.typing.types.buffers import Buffer

# --- dtypes of arguments ----------------------------------------------------------------------


def _dtype_named(argument: Any) -> np.dtype[Any] | None:
    """The dtype that an argument names; None if it is a value or not constant."""
    if isinstance(argument, types.Class | types.DType):
        return np.dtype(argument.value)
    item_type = dtype_of(argument, types.float64) if isinstance(argument, types.String) else None
    return None if item_type is None else types.to_dtype(item_type)


def _has_dtype(ty: Any) -> bool:
    return isinstance(ty, Type) and (types.is_number(ty) or types.has_other_elements(ty))


def _operand(argument: Any) -> Any:
    """An argument as an operand of dtype promotion: a dtype, or a Python number's type."""
    named = _dtype_named(argument)
    if named is not None:
        return named
    if isinstance(argument, types.Literal):
        argument = argument.literal_type
    if argument in WEAK:
        return WEAK[argument]
    return element_dtype(argument) if _has_dtype(element(argument)) else None


def _answer(function: Any, *args: Any) -> Any:
    """The result of calling NumPy. Raises TypingError with NumPy's message if it raises."""
    try:
        return function(*args)
    except (TypeError, ValueError) as error:
        raise TypingError(
            str(error),
            hint="the result depends on the dtypes alone, so it is computed at compile time",
        ) from None


# --- several dtypes ---------------------------------------------------------------------------


@answers(np.result_type)
def _result_type(*arrays_and_dtypes):
    operands = list(map(_operand, arrays_and_dtypes))
    if not operands or any(one is None for one in operands):
        return None
    return _answer(np.result_type, *operands)


@answers(np.promote_types)
def _promote_types(type1, type2, /):
    operands = list(map(_dtype_named, (type1, type2)))
    if any(one is None for one in operands):
        return None
    return _answer(np.promote_types, *operands)


@answers(np.can_cast)
def _can_cast(from_, to, casting="safe"):
    if isinstance(casting, types.String | types.Omitted):
        casting = casting.value
    target = _dtype_named(to)
    given = element_dtype(from_) if isinstance(from_, Array) else _dtype_named(from_)
    if target is None or given is None or not isinstance(casting, str):
        return None
    return bool(_answer(np.can_cast, given, target, casting))


@answers(np.min_scalar_type)
def _min_scalar_type(a):
    if isinstance(a, Array) and a.ndim:
        return element_dtype(a)
    if isinstance(a, types.Literal):
        return np.min_scalar_type(a.literal_value)
    raise TypingError(
        "the smallest type of a number depends on its value", hint="pass an array, or its dtype"
    )


@answers(np.common_type)
def _common_type(*arrays):
    if not all(isinstance(one, Array) for one in arrays):
        return None
    return _answer(np.common_type, *(np.zeros(1, element_dtype(one)) for one in arrays))


@answers(np.isdtype)
def _isdtype(dtype, kind):
    given = _dtype_named(dtype)
    kinds = kind.items if isinstance(kind, Tuple) else (kind,)
    wanted = tuple(_dtype_or_kind(one) for one in kinds)
    if given is None or any(one is None for one in wanted):
        return None
    return bool(_answer(np.isdtype, given, wanted))


def _dtype_or_kind(argument: Type) -> Any:
    return argument.value if isinstance(argument, types.String) else _dtype_named(argument)


@answers(np.issubdtype)
def _issubdtype(arg1, arg2):
    if not all(isinstance(one, types.Class | types.DType | types.String) for one in (arg1, arg2)):
        return None
    return bool(_answer(np.issubdtype, arg1.value, arg2.value))


# --- kinds of values --------------------------------------------------------------------------


@answers(np.iscomplexobj)
def _iscomplexobj(x):
    return isinstance(element(x), types.Complex) if _has_dtype(element(x)) else None


@answers(np.isrealobj)
def _isrealobj(x):
    return not isinstance(element(x), types.Complex) if _has_dtype(element(x)) else None


@answers(np.isscalar)
def _isscalar(element):
    is_bytes = isinstance(element, Buffer) and element.cls is bytes
    return types.is_number(element) or isinstance(element, _SINGLE) or is_bytes


_SINGLE = (types.Literal, types.String, types.Text, types.Str, types.DateTime, types.TimeDelta)


@answers(np.iterable)
def _iterable(y):
    return y.ndim > 0 if isinstance(y, Array) else isinstance(y, _ITERABLE)


_ITERABLE = (Tuple, types.String, types.Text, types.IterableType)


@numpy(np.isfortran)
def isfortran(a: Elements):
    return is_in_order(a.shape[::-1], a.strides[::-1], a.itemsize) and not is_in_order(
        a.shape, a.strides, a.itemsize
    )


# --- limits -----------------------------------------------------------------------------------


class FloatLimits(NamedTuple):
    """The attributes of `np.finfo(dtype)`."""

    bits: int
    eps: Any
    epsneg: Any
    iexp: int
    machep: int
    max: Any
    maxexp: int
    min: Any
    minexp: int
    negep: int
    nexp: int
    nmant: int
    precision: int
    resolution: Any
    smallest_normal: Any
    smallest_subnormal: Any
    tiny: Any
    dtype: np.dtype[Any]


class IntegerLimits(NamedTuple):
    """The attributes of `np.iinfo(dtype)`."""

    bits: int
    kind: str
    min: Any
    max: Any
    dtype: np.dtype[Any]


def _dtype_told(argument: Any) -> np.dtype[Any] | None:
    """The dtype that an argument names, or the dtype of its elements."""
    named = _dtype_named(argument)
    if named is not None:
        return named
    return element_dtype(argument) if is_number(argument) else None


@answers(np.finfo)
def _finfo(dtype):
    given = _dtype_told(dtype)
    if given is None:
        return None
    told = _answer(np.finfo, given)
    return FloatLimits(*(getattr(told, name) for name in FloatLimits._fields))


@answers(np.iinfo)
def _iinfo(type):  # noqa: A002  NumPy's name
    given = _dtype_told(type)
    if given is None:
        return None
    told = _answer(np.iinfo, given)
    beyond = np.uint64 if told.max >= 1 << 63 else int
    return IntegerLimits(told.bits, told.kind, beyond(told.min), beyond(told.max), told.dtype)
