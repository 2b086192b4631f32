"""`np.empty zeros ones full` and their `_like` forms, `np.arange`, `np.linspace`."""

from __future__ import annotations

from typing import Any

import numpy as np

from cutaway.errors import TypingError
from cutaway.extending.bodies import Takes
from cutaway.extending.registry import primitive
from cutaway.library.arrays.indexing.basic import fitted
from cutaway.library.arrays.kit.dtypes import dtype_like, dtype_of
from cutaway.library.arrays.kit.takes import (
    Anything,
    Dtype,
    Number,
    Numbers,
    SizesOrNone,
    numpy,
    require_usual,
)
from cutaway.library.arrays.kit.typers import left_out, said
from cutaway.lowering.arrays.copying import assign
from cutaway.lowering.arrays.elements import converted_element, store_element
from cutaway.lowering.arrays.memory import allocate
from cutaway.lowering.arrays.shapes import element_count
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import (
    ArrayParts,
    Value,
    array_parts,
    item_size,
    tuple_items,
)
from cutaway.typing import types
from cutaway.typing.overloads.resolution import (
    REQUIRED,
    Arguments,
    Rule,
    Signature,
)
from cutaway.typing.types import Array, Tuple, Type

# Parameters that follow `dtype` in the functions and in their `_like` forms, and their defaults.
_BEHIND = ("order", "device", "like")
_BEHIND_LIKE = ("order", "subok", "shape", "device")
_DEFAULTS = ("C", None, None)
_DEFAULTS_LIKE = ("K", True, None, None)


def _dims(shape: Type) -> tuple[Type, ...] | None:
    """The types of a shape's sizes; None if the argument is not a shape."""
    dims = shape.items if isinstance(shape, Tuple) else (shape,)
    return dims if all(map(types.is_integral, dims)) else None


def _layout(order: Any, ndim: int, like: Array | None = None) -> str | None:
    """The layout of a new array for an `order` argument; None for unknown orders."""
    layouts = {"C": "C", "F": "F", None: "C"}
    if like is not None:
        same = "F" if like.layout == "F" and like.ndim == ndim else "C"
        layouts |= {"K": same, "A": same, None: same}
    if order not in layouts:
        if isinstance(order, str):
            raise TypingError(f"there is no order {order!r}", hint=f"use one of {[*layouts][:-1]}")
        return None
    return layouts[order] if ndim > 1 else "C"


def _shape_rule(arguments: Arguments) -> Signature | None:
    shape, dtype_argument, _, _, like = arguments.types
    require_usual(arguments.constants[3], like)
    dtype, dims = dtype_of(dtype_argument, types.float64), _dims(shape)
    layout = None if dims is None else _layout(arguments.constants[2], len(dims))
    if dtype is None or dims is None or layout is None:
        return None
    return Signature(Array(dtype, len(dims), layout), arguments.types)


def _like_rule(arguments: Arguments) -> Signature | None:
    array, dtype_argument, _, _, shape, _ = arguments.types
    require_usual(arguments.constants[5], None)
    if not isinstance(array, Array):
        return None
    dtype = dtype_of(dtype_argument, array.dtype)
    dims = () if left_out(shape) else _dims(shape)
    ndim = array.ndim if left_out(shape) or dims is None else len(dims)
    layout = _layout(arguments.constants[2], ndim, array)
    if dtype is None or dims is None or layout is None:
        return None
    return Signature(Array(dtype, ndim, layout), arguments.types)


def _shape_like(build: FunctionBuilder, array: Value, shape: Value) -> tuple[str, ...]:
    """The sizes of an array like another, or those of its `shape` argument."""
    return array_parts(array).shape if left_out(shape.ty) else _dimensions(build, shape)


def _dimensions(build: FunctionBuilder, shape: Value) -> tuple[str, ...]:
    items = tuple_items(shape) if isinstance(shape.ty, Tuple) else [shape]
    return tuple(_dimension(build, item) for item in items)


def _dimension(build: FunctionBuilder, item: Value) -> str:
    part = build.cast(item, types.int64).parts[0]
    if item.ty is types.uint64:
        beyond = build.compare("slt", "i64", part, "0")
        build.raise_if(beyond, ValueError, "Maximum allowed dimension exceeded")
    return part


FEW = 32  # elements that are stored by unrolled code


def _create(build: FunctionBuilder, ty: Array, shape: tuple[str, ...], fill: Any) -> Value:
    array = allocate(build, ty, shape, zeroed=fill == 0 and fill is not None)
    if fill:
        _fill(build, array, build.constant(ty.dtype, fill))
    return array


def _fill(build: FunctionBuilder, array: Value, value: Value) -> None:
    """Fill a new array with one value; floats are converted as array elements are."""
    ty, parts = array.ty, array_parts(array)
    assert isinstance(ty, Array)
    unit = str(item_size(ty.dtype))
    if not isinstance(value.ty, types.Float):
        value = fitted(build, value, ty.dtype, always=True)
    value = converted_element(build, value, ty.dtype)
    count = element_count(build, parts.shape)
    if not count.isdigit() or int(count) > FEW:  # the runtime's fill saturates memory bandwidth
        one = build.alloca("i64", (item_size(ty.dtype) + 7) // 8)
        store_element(build, ty, value, one)
        line = ArrayParts(parts.owner, parts.data, (count,), (unit,))
        assign(build, item_size(ty.dtype), ArrayParts("null", one, (), ()), line)
        return

    def store(k: str) -> None:
        where = build.offset(parts.data, build.binary("mul", "i64", k, unit))
        store_element(build, ty, value, where)

    build.loop(count, store)


def _register(function: Any, like: Any, fill: Any, of: str = "a") -> None:
    """Register a NumPy function and its `_like` form, whose array parameter is named `of`."""

    def filled(rule: Rule) -> Rule:
        """The rule, refusing element types that cannot hold the fill value."""

        def fits(arguments: Arguments) -> Signature | None:
            signature = rule(arguments)
            other = signature is not None and types.has_other_elements(signature.returns)
            return None if fill and other else signature

        return fits

    @primitive(
        function, filled(_shape_rule), ("shape", "dtype", *_BEHIND), (REQUIRED, None, *_DEFAULTS)
    )
    def create(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
        assert isinstance(sig.returns, Array)
        return _create(build, sig.returns, _dimensions(build, args[0]), fill)

    @primitive(
        like,
        filled(_like_rule),
        (of, "dtype", *_BEHIND_LIKE),
        (REQUIRED, None, *_DEFAULTS_LIKE),
        any_elements=True,
    )
    def create_like(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
        assert isinstance(sig.returns, Array)
        return _create(build, sig.returns, _shape_like(build, args[0], args[4]), fill)


_register(np.empty, np.empty_like, None, "prototype")
_register(np.zeros, np.zeros_like, 0)
_register(np.ones, np.ones_like, 1)


# --- full -------------------------------------------------------------------------------------


def _full_rule(arguments: Arguments) -> Signature | None:
    fill = arguments.types[1]
    whole = _without_fill(arguments)
    dtype = dtype_of(whole.types[1], fill)
    made = None if dtype is None else _shape_rule(whole)
    if dtype is None or made is None or not _fills(dtype, fill):
        return None
    assert isinstance(made.returns, Array)
    returns = Array(dtype, made.returns.ndim, made.returns.layout)
    return Signature(returns, arguments.types)


def _without_fill(arguments: Arguments) -> Arguments:
    """The arguments of a filling function without the fill value."""
    given, constants = arguments.types, arguments.constants
    return Arguments((given[0], *given[2:]), (constants[0], *constants[2:]))


def _fills(dtype: Type, fill: Type) -> bool:
    if isinstance(dtype, types.Dated | types.Record):
        return fill is dtype
    complex_ = types.is_number(fill) and isinstance(dtype, types.Complex)
    return types.is_number(dtype) and (types.is_real(fill) or complex_)


@primitive(
    np.full,
    _full_rule,
    ("shape", "fill_value", "dtype", *_BEHIND),
    (REQUIRED, REQUIRED, None, *_DEFAULTS),
)
def full(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`np.full(shape, fill_value, dtype=None)`."""
    assert isinstance(sig.returns, Array)
    array = allocate(build, sig.returns, _dimensions(build, args[0]), zeroed=False)
    _fill(build, array, args[1])
    return array


def _full_like_rule(arguments: Arguments) -> Signature | None:
    fill, like = arguments.types[1], _like_rule(_without_fill(arguments))
    if like is None or not isinstance(like.returns, Array):
        return None
    return Signature(like.returns, arguments.types) if _fills(like.returns.dtype, fill) else None


@primitive(
    np.full_like,
    _full_like_rule,
    ("a", "fill_value", "dtype", *_BEHIND_LIKE),
    (REQUIRED, REQUIRED, None, *_DEFAULTS_LIKE),
    any_elements=True,
)
def full_like(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`np.full_like(a, fill_value, dtype=None)`."""
    assert isinstance(sig.returns, Array)
    shape = _shape_like(build, args[0], args[5])
    array = allocate(build, sig.returns, shape, zeroed=False)
    _fill(build, array, args[1])
    return array


# --- like a number ----------------------------------------------------------------------------


def _register_like(function: Any, fill: Any) -> None:
    @numpy(function)
    def like(a: Number, dtype: Dtype = None):
        return np.full((), fill, dtype_like(a, dtype))


_register_like(np.zeros_like, 0)
_register_like(np.ones_like, 1)


@numpy(np.empty_like)
def empty_like(prototype: Number, dtype: Dtype = None):
    return np.full((), 0, dtype_like(prototype, dtype))


@numpy(np.full_like)
def full_like_number(a: Number, fill_value: Number, dtype: Dtype = None):
    return np.full((), fill_value, dtype_like(a, dtype))


# --- filled with an array ---------------------------------------------------------------------

OwnOrder = Takes("'K'", lambda order: left_out(order) or said(order) == "K")
AnyShape = Takes("an int, or a tuple of ints", lambda shape: _dims(shape) is not None)


@numpy(np.full_like)
def full_like_of_array(
    a: Numbers,
    fill_value: Numbers,
    dtype: Dtype = None,
    order: OwnOrder = "K",
    subok: Anything = True,
    shape: SizesOrNone = None,
    *,
    device: Anything = None,
):
    kind = dtype_like(a, dtype)
    out = np.empty_like(a, kind) if shape is None else np.empty_like(a, kind, shape=shape)
    out[...] = fill_value
    return out


@numpy(np.full)
def full_of_array(
    shape: AnyShape,
    fill_value: Numbers,
    dtype: Dtype = None,
    order: Anything = "C",
    *,
    device: Anything = None,
    like: Anything = None,
):
    require_usual(device, like)
    kind = dtype_like(fill_value, dtype)
    out = np.empty(shape, kind, "F") if order == "F" else np.empty(shape, kind)
    out[...] = fill_value
    return out
