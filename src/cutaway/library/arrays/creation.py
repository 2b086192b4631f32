"""`np.empty zeros ones full` and their `_like` forms, `np.arange`, `np.linspace`."""

from __future__ import annotations

from typing import Any

import numpy as np

from cutaway.extending.registry import primitive
from cutaway.library.arrays.indexing import fitted
from cutaway.library.arrays.kit.dtypes import asked_dtype, dtype_like, dtype_of
from cutaway.library.arrays.kit.typers import is_array, is_number, numpy
from cutaway.lowering.arrays.elements import converted_element, store_element
from cutaway.lowering.arrays.memory import allocate
from cutaway.lowering.arrays.shapes import element_count
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import (
    Value,
    array_parts,
    item_size,
    tuple_items,
)
from cutaway.typing import types
from cutaway.typing.overloads.resolution import REQUIRED, Arguments, Rule, Signature
from cutaway.typing.types import Array, Tuple, Type


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
            signature = rule(arguments)
            other = signature is not None and types.has_other_elements(signature.returns)
            return None if fill and other else signature

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
    like = _like_rule(Arguments((example, dtype), arguments.constants[::2]))
    if like is None or not isinstance(like.returns, Array):
        return None
    return Signature(like.returns, arguments.types) if _fills(like.returns.dtype, fill) else None


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


# --- like a number ----------------------------------------------------------------------------


def _register_like(function: Any, fill: Any) -> None:  # Any: a function of NumPy, a number
    @numpy(function)
    def like(a, dtype=None):  # type: ignore[no-untyped-def]
        out_dtype = dtype_like(a, dtype)
        return None if out_dtype is None else (lambda a, dtype=None: np.full((), fill, out_dtype))


@numpy(np.full_like)
def _full_like(a, fill_value, dtype=None):  # type: ignore[no-untyped-def]
    if is_array(a) and is_array(fill_value):
        return _full_of_array(a, dtype)
    out_dtype = dtype_like(a, dtype) if is_number(fill_value) else None
    if out_dtype is None:
        return None
    return lambda a, fill_value, dtype=None: np.full((), fill_value, out_dtype)


def _full_of_array(a, dtype):  # type: ignore[no-untyped-def]
    item_type = asked_dtype(dtype, a.dtype)
    if item_type is None:
        return None
    out_dtype = types.to_dtype(item_type)

    def full_like(a, fill_value, dtype=None):  # type: ignore[no-untyped-def]
        out = np.empty(a.shape, out_dtype)
        out[...] = fill_value
        return out

    return full_like


_register_like(np.zeros_like, 0)


_register_like(np.ones_like, 1)


_register_like(np.empty_like, 0)
