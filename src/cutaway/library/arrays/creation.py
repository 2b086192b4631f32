"""`np.empty zeros ones full` and their `_like` forms, `np.arange`, `np.linspace`."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from cutaway.errors import TypingError
from cutaway.extending.registry import implemented, primitive
from cutaway.library.arrays.attributes import element_count
from cutaway.library.arrays.indexing import converted_element, fitted, store_element
from cutaway.library.core import messages
from cutaway.library.core.conversions import CLASS_TYPES
from cutaway.library.math.weak_numbers import fitting
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import (
    META_BYTES,
    ArrayParts,
    Value,
    array_parts,
    array_value,
    item_size,
    tuple_items,
)
from cutaway.typing import types
from cutaway.typing.overloads.resolution import REQUIRED, Arguments, Rule, Signature
from cutaway.typing.types import Array, Class, DType, Omitted, String, Tuple, Type


def dtype_of(ty: Type, default: Type) -> Type | None:
    """The element type that a `dtype` argument asks for; None where it is not one."""
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
    except TypeError:
        raise TypingError(
            f"{name!r} is no dtype", hint="write for instance np.float64, or 'float64'"
        ) from None


def _shape_rule(arguments: Arguments) -> Signature | None:
    shape, dtype_argument = arguments.types
    dtype = dtype_of(dtype_argument, types.float64)
    dims = shape.items if isinstance(shape, Tuple) else (shape,)
    if dtype is None or not all(map(types.is_integral, dims)):
        return None
    return Signature(Array(dtype, len(dims), "C"), arguments.types)


def _like_rule(arguments: Arguments) -> Signature | None:
    array, dtype_argument = arguments.types
    if not isinstance(array, Array):
        return None
    dtype = dtype_of(dtype_argument, array.dtype)
    layout = "F" if array.layout == "F" else "C"
    return None if dtype is None else Signature(Array(dtype, array.ndim, layout), arguments.types)


def allocate(build: FunctionBuilder, ty: Array, shape: tuple[str, ...], zeroed: bool) -> Value:
    nbytes, overflow = checked_size(build, shape, str(item_size(ty.dtype)))
    build.raise_if(overflow, ValueError, TOO_BIG)
    name = "cutaway_alloc_zeroed" if zeroed else "cutaway_alloc"
    owner = build.call("ptr", name, [("i64", nbytes)])
    failed = build.compare("eq", "ptr", owner, "null")
    build.raise_if(
        failed, MemoryError, "unable to allocate an array of {} bytes", payload=(nbytes,)
    )
    data = build.offset(owner, str(META_BYTES))
    strides = contiguous_strides(build, shape, item_size(ty.dtype), ty.layout)
    return array_value(ty, ArrayParts(owner, data, shape, strides))


TOO_BIG = (
    "array is too big; `arr.size * arr.dtype.itemsize` is larger than the maximum possible size."
)


def checked_size(build: FunctionBuilder, shape: tuple[str, ...], size: str) -> tuple[str, str]:
    """The bytes of an array, and whether they are too many; an axis without elements does not
    excuse others that are too long."""
    name = "llvm.umul.with.overflow.i64"
    total, overflow, empty = size, "false", "false"
    for dimension in shape:
        negative = build.compare("slt", "i64", dimension, "0")
        build.raise_if(negative, ValueError, "negative dimensions are not allowed")
        none = build.compare("eq", "i64", dimension, "0")
        empty = build.binary("or", "i1", empty, none)
        length = build.select(none, "i64", "1", dimension)
        pair = build.call("{ i64, i1 }", name, [("i64", total), ("i64", length)])
        total = build.result(f"extractvalue {{ i64, i1 }} {pair}, 0")
        bit = build.result(f"extractvalue {{ i64, i1 }} {pair}, 1")
        overflow = build.binary("or", "i1", overflow, bit)
    too_large = build.compare("slt", "i64", total, "0")
    overflow = build.binary("or", "i1", overflow, too_large)
    return build.select(empty, "i64", "0", total), overflow


def contiguous_strides(
    build: FunctionBuilder, shape: tuple[str, ...], size: int, layout: str
) -> tuple[str, ...]:
    """The strides of an array in one piece, in C or in F order."""
    order = shape if layout == "F" else shape[::-1]
    strides, stride = [], str(size)
    for dimension in order:
        strides.append(stride)
        if len(strides) < len(order):
            stride = build.binary("mul", "i64", stride, dimension)
    return tuple(strides if layout == "F" else strides[::-1])


def _dimensions(build: FunctionBuilder, shape: Value) -> tuple[str, ...]:
    items = tuple_items(shape) if isinstance(shape.ty, Tuple) else [shape]
    return tuple(_dimension(build, item) for item in items)


def _dimension(build: FunctionBuilder, item: Value) -> str:
    part = build.cast(item, types.int64).parts[0]
    if item.ty is types.uint64:
        beyond = build.compare("slt", "i64", part, "0")
        build.raise_if(beyond, ValueError, "Maximum allowed dimension exceeded")
    return part


def _create(build: FunctionBuilder, ty: Array, shape: tuple[str, ...], fill: Any) -> Value:
    # Any: None for memory as it is, or the number to fill with
    array = allocate(build, ty, shape, zeroed=fill == 0 and fill is not None)
    if fill:
        _fill(build, array, build.constant(ty.dtype, fill))
    return array


def _fill(build: FunctionBuilder, array: Value, value: Value) -> None:
    """Give every element of a new array the same value; a float is converted as arrays are."""
    ty, parts = array.ty, array_parts(array)
    assert isinstance(ty, Array)
    unit = str(item_size(ty.dtype))
    if not isinstance(value.ty, types.Float):
        value = fitted(build, value, ty.dtype, always=True)
    value = converted_element(build, value, ty.dtype)

    def store(k: str) -> None:
        where = build.offset(parts.data, build.binary("mul", "i64", k, unit))
        store_element(build, ty, value, where)

    build.loop(element_count(build, parts.shape), store)


def _register(function: Any, like: Any, fill: Any) -> None:  # Any: NumPy functions, a number
    parameters, defaults = ("shape", "dtype"), (REQUIRED, None)

    def filled(rule: Rule) -> Rule:
        """The rule, but for elements that cannot be given the number."""

        def fits(arguments: Arguments) -> Signature | None:
            found = rule(arguments)
            other = found is not None and types.has_other_elements(found.returns)
            return None if fill and other else found

        return fits

    @primitive(function, filled(_shape_rule), parameters, defaults)
    def create(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
        assert isinstance(sig.returns, Array)
        return _create(build, sig.returns, _dimensions(build, args[0]), fill)

    @primitive(like, filled(_like_rule), ("a", "dtype"), defaults, any_elements=True)
    def create_like(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
        assert isinstance(sig.returns, Array)
        return _create(build, sig.returns, array_parts(args[0]).shape, fill)


_register(np.empty, np.empty_like, None)
_register(np.zeros, np.zeros_like, 0)
_register(np.ones, np.ones_like, 1)


# --- full -------------------------------------------------------------------------------------


def _full_rule(arguments: Arguments) -> Signature | None:
    shape, fill, dtype_argument = arguments.types
    dtype = dtype_of(dtype_argument, fill)
    dims = shape.items if isinstance(shape, Tuple) else (shape,)
    if dtype is None or not _fills(dtype, fill) or not all(map(types.is_integral, dims)):
        return None
    return Signature(Array(dtype, len(dims), "C"), arguments.types)


def _fills(dtype: Type, fill: Type) -> bool:
    if isinstance(dtype, types.DateTime | types.TimeDelta | types.Record):
        return fill is dtype
    complex_ = types.is_number(fill) and isinstance(dtype, types.Complex)
    return types.is_number(dtype) and (types.is_real(fill) or complex_)


@primitive(np.full, _full_rule, ("shape", "fill_value", "dtype"), (REQUIRED, REQUIRED, None))
def full(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`np.full(shape, fill_value, dtype=None)`."""
    assert isinstance(sig.returns, Array)
    array = allocate(build, sig.returns, _dimensions(build, args[0]), zeroed=False)
    _fill(build, array, args[1])
    return array


def _full_like_rule(arguments: Arguments) -> Signature | None:
    example, fill, dtype = arguments.types
    made = _like_rule(Arguments((example, dtype), arguments.constants[::2]))
    if made is None or not isinstance(made.returns, Array):
        return None
    return Signature(made.returns, arguments.types) if _fills(made.returns.dtype, fill) else None


@primitive(
    np.full_like,
    _full_like_rule,
    ("a", "fill_value", "dtype"),
    (REQUIRED, REQUIRED, None),
    any_elements=True,
)
def full_like(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`np.full_like(a, fill_value, dtype=None)`."""
    assert isinstance(sig.returns, Array)
    array = allocate(build, sig.returns, array_parts(args[0]).shape, zeroed=False)
    _fill(build, array, args[1])
    return array


# --- arange and linspace ----------------------------------------------------------------------


def _arange_fits(kind: Callable[[Type], bool], arguments: Arguments) -> bool:
    numbers = [ty for ty in arguments.types[:3] if not isinstance(ty, Omitted | types.NoneType)]
    real = all(map(types.is_real, numbers))
    dtype = dtype_of(arguments.types[3], types.float64)
    return real and dtype is not None and kind(_arange_type(numbers, arguments.types[3]))


def _arange_type(numbers: list[Type], dtype: Type) -> Type:
    floats = any(isinstance(ty, types.Float) for ty in numbers)
    return dtype_of(dtype, types.float64 if floats else types.int64) or types.int64


_ARANGE = (REQUIRED, None, None, None)
_ARANGE_ZERO_STEP = messages.message_of(lambda: np.arange(0, 1, 0))


@implemented(np.arange, lambda arguments: _arange_fits(types.is_integral, arguments), _ARANGE)
def _arange_of_integers(start, stop, step, dtype):  # type: ignore[no-untyped-def]
    first, last, stride = start, stop, step
    if stop is None:
        first, last = 0, start
    if step is None:
        stride = 1
    array = np.empty(_step_count(first, last, stride), _dtype_or(dtype, np.int64))
    _go_up(array, first, stride)
    return array


@implemented(np.arange, lambda arguments: _arange_fits(_is_float, arguments), _ARANGE)
def _arange_of_floats(start, stop, step, dtype):  # type: ignore[no-untyped-def]
    first, last, stride = start, stop, step
    if stop is None:
        first, last = 0, start
    if step is None:
        stride = 1
    array = np.empty(_step_count(first, last, stride), _dtype_or(dtype, np.float64))
    _go_up(array, first, stride)
    return array


def _step_count(first, last, stride):  # type: ignore[no-untyped-def]
    raise NotImplementedError


@implemented(_step_count, lambda arguments: all(map(types.is_integral, arguments.types)))
def _step_count_of_integers(first, last, stride):  # type: ignore[no-untyped-def]
    if stride == 0:
        raise ZeroDivisionError(_ARANGE_ZERO_STEP)
    return len(range(int(first), int(last), int(stride)))


@implemented(_step_count, lambda arguments: True)
def _step_count_of_floats(first, last, stride):  # type: ignore[no-untyped-def]
    if stride == 0:
        raise ZeroDivisionError(messages.FLOAT_DIVISION)
    distance = float(last - first)
    ratio = distance / stride
    if ratio == 0 and distance != 0:  # too little to be told from nothing
        return int(math.copysign(1.0, ratio) > 0)
    if math.isnan(ratio):
        raise ValueError("arange: cannot compute length")
    if not -9223372036854775808.0 <= ratio < 9223372036854775808.0:
        raise ValueError("Maximum allowed size exceeded")
    return max(math.ceil(ratio), 0)


def _go_up(array, first, stride):  # type: ignore[no-untyped-def]
    raise NotImplementedError


def _are_integers(arguments: Arguments) -> bool:
    array, *numbers = arguments.types
    return isinstance(array, Array) and all(map(types.is_integral, (array.dtype, *numbers)))


@implemented(_go_up, _are_integers)
def _go_up_by_integers(array, first, stride):  # type: ignore[no-untyped-def]
    """NumPy looks at whether the first two fit; the others wrap around."""
    count = len(array)
    if count > 0:
        fitting(first, array.dtype)
    if count > 1:
        fitting(first + stride, array.dtype)
    for k in range(count):
        array[k] = first + k * stride


@implemented(_go_up, lambda arguments: True)
def _go_up_from_first_two(array, first, stride):  # type: ignore[no-untyped-def]
    """NumPy stores the first two, which have to fit, and goes on from these in the array's type."""
    count = len(array)
    if count > 1:
        low = array.dtype.type(fitting(first, array.dtype))
        high = array.dtype.type(fitting(first + stride, array.dtype))
        step = array.dtype.type(high - low)
        for k in range(count):  # from the beginning, where vectors of elements are aligned
            array[k] = low + array.dtype.type(k) * step
        array[0], array[1] = low, high
    elif count > 0:
        array[0] = fitting(first, array.dtype)


def _is_float(ty: Type) -> bool:
    return isinstance(ty, types.Float)


def _dtype_or(dtype, default):  # type: ignore[no-untyped-def]
    raise NotImplementedError


def _dtype_rule(arguments: Arguments) -> Signature | None:
    given, default = arguments.types
    found = dtype_of(given, CLASS_TYPES[default.value])  # type: ignore[attr-defined]
    assert found is not None
    made = types.constant_type(DType, types.to_dtype(found))
    return Signature(made, arguments.types)


@primitive(_dtype_or, _dtype_rule)
def dtype_or(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """The dtype that was asked for, or the default where none was."""
    return Value(sig.returns, ())


def _linspace_fits(arguments: Arguments) -> bool:
    start, stop, num, endpoint = arguments.types
    plain = all(isinstance(ty, Omitted) or types.is_integral(ty) for ty in (num, endpoint))
    return types.is_real(start) and types.is_real(stop) and plain


@implemented(np.linspace, _linspace_fits, (REQUIRED, REQUIRED, 50, True))
def _linspace(start, stop, num, endpoint):  # type: ignore[no-untyped-def]
    if num < 0:
        raise ValueError(f"Number of samples, {num}, must be non-negative.")
    steps = num - 1 if endpoint else num
    first, delta = float(start), float(stop) - float(start)
    array = np.empty(num)
    step = delta / steps if steps > 0 else math.nan
    for k in range(num):
        if steps <= 0:
            array[k] = k * delta + first
        elif step == 0.0:
            array[k] = k / steps * delta + first
        else:
            array[k] = k * step + first
    if endpoint and num > 1:
        array[num - 1] = stop
    return array
