"""Operations of a kernel on its window: reading elements and slices around a position, and the
array's shape.

Indices are relative and must lie within the type's neighborhood: constant ones are checked at
compile time, others at run time. So no access leaves the array, and negative indices do not count
from the end.
"""

from __future__ import annotations

import operator

from cutaway.errors import TypingError
from cutaway.extending.registry import attribute, primitive
from cutaway.lowering.arrays.elements import element_pointer, load_element, store_element
from cutaway.lowering.arrays.messages import raise_text
from cutaway.lowering.arrays.shapes import element_count
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import (
    ArrayParts,
    Value,
    array_parts,
    array_value,
    slice_bounds,
    tuple_items,
)
from cutaway.typing import types
from cutaway.typing.overloads.resolution import MISSING, Arguments, Signature
from cutaway.typing.types import Array, Slice, Tuple, Type, Window

_OUTSIDE = "index {} is outside of the neighborhood ({}, {}) of axis {} of the stencil"


# --- a window ---------------------------------------------------------------------------------


def window(array, neighborhood, *place):
    """The window of an array at a position; only compiled code has windows."""
    raise NotImplementedError


def _window_rule(arguments: Arguments) -> Signature | None:
    array, neighborhood, *place = arguments.types
    value = arguments.constants[1]
    assert isinstance(array, Array) and value is not MISSING and len(place) == array.ndim
    return Signature(Window(array, value), (array, neighborhood, *[types.int64] * len(place)))


@primitive(window, _window_rule)
def make_window(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """Build a window: the element's address, and the array's shape and strides."""
    array, _, *place = args
    parts = array_parts(array)
    data = element_pointer(build, parts.data, parts.strides, tuple(p.parts[0] for p in place))
    return Value(sig.returns, (data, *parts.shape, *parts.strides))


def put(array, value, *place):
    """Store an element at a position known to be in bounds."""
    array[place] = value


def _put_rule(arguments: Arguments) -> Signature | None:
    array, value, *place = arguments.types
    assert isinstance(array, Array)
    return Signature(types.none, (array, value, *[types.int64] * len(place)))


@primitive(put, _put_rule)
def put_element(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """Emit a store without checks."""
    array, value, *place = args
    assert isinstance(array.ty, Array)
    parts = array_parts(array)
    pointer = element_pointer(build, parts.data, parts.strides, tuple(p.parts[0] for p in place))
    store_element(build, array.ty, value, pointer)
    return Value(types.none, ())


# --- reading ----------------------------------------------------------------------------------


def _items(index: Type) -> tuple[Type, ...]:
    return index.items if isinstance(index, Tuple) else (index,)


def _getitem_rule(arguments: Arguments) -> Signature | None:
    ty, index = arguments.types
    if not isinstance(ty, Window):
        return None
    items = _items(index)
    for item in items:
        if not isinstance(item, types.Integer | Slice):
            raise TypingError(
                f"a relatively indexed array cannot be indexed by {item}",
                hint="use integers, slices, or a tuple of them; name the array in"
                " standard_indexing= to index it as usual",
            )
    if len(items) != ty.array.ndim:
        raise _wrong_count(ty, len(items))
    _check_constants(ty, arguments.constants[1], len(items))
    cut = [item for item in items if isinstance(item, Slice)]
    if any(item.step is not types.none for item in cut):
        raise TypingError(
            "a relative slice has no step", hint="write the loop over the neighborhood"
        )
    if any(types.none in item.bounds[:2] for item in cut):
        raise TypingError(
            "a relative slice needs both of its ends", hint="write a[-1:2] for the indices -1, 0, 1"
        )
    returns = (
        ty.array.dtype if not cut else Array(ty.array.dtype, len(cut), "A", True, ty.array.aligned)
    )
    return Signature(returns, arguments.types)


def _wrong_count(ty: Window, count: int) -> TypingError:
    axes, plural = ty.array.ndim, "index" if count == 1 else "indices"
    return TypingError(
        f"a relatively indexed array of {axes} dimension{'' if axes == 1 else 's'} is indexed"
        f" by {count} {plural}",
        hint="a kernel names one index for each dimension: a[0, -1] in two",
    )


def _check_constants(ty: Window, value: object, count: int) -> None:
    """Raise TypingError for a constant index outside the neighborhood."""
    if value is MISSING:
        return
    indices = value if isinstance(value, tuple) else (value,)
    pairs = zip(indices[:count], ty.neighborhood, strict=False)
    for axis, (index, (low, high)) in enumerate(pairs):
        if isinstance(index, int) and not low <= index <= high:
            raise TypingError(
                _OUTSIDE.format(index, low, high, axis), hint="widen neighborhood=, or leave it out"
            )


@primitive(operator.getitem, _getitem_rule)
def getitem(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`w[i]`, `w[i, j]`, `w[i, -1:2]`."""
    ty = args[0].ty
    assert isinstance(ty, Window)
    parts = _parts(args[0])
    items = tuple_items(args[1]) if isinstance(args[1].ty, Tuple) else [args[1]]
    first, shape, strides = [], [], []
    for axis, item in enumerate(items):
        stride = parts.strides[axis]
        if not isinstance(item.ty, Slice):
            first.append(_checked(build, ty, item, axis))
            continue
        start, size = _checked_span(build, ty, item, axis)
        first.append(start)
        shape.append(size)
        strides.append(stride)
    data = element_pointer(build, parts.data, parts.strides, tuple(first))
    if not isinstance(sig.returns, Array):
        return load_element(build, ty.array, data)
    # The caller of the kernel keeps the memory alive, and no array can escape it.
    return array_value(sig.returns, ArrayParts("null", data, tuple(shape), tuple(strides)))


def _parts(value: Value) -> ArrayParts:
    assert isinstance(value.ty, Window)
    return array_parts(Value(value.ty.array, ("null", *value.parts)))


def _checked(build: FunctionBuilder, ty: Window, index: Value, axis: int) -> str:
    """A relative index. Raises IndexError outside the neighborhood."""
    place = build.cast(index, types.int64)
    low, high = ty.neighborhood[axis]
    _require(build, place, low, high, (low, high, axis))
    return place.parts[0]


def _checked_span(build: FunctionBuilder, ty: Window, index: Value, axis: int) -> tuple[str, str]:
    """The first index of a relative slice, and its length."""
    start, stop = (build.cast(bound, types.int64) for bound in slice_bounds(index)[:2])
    low, high = ty.neighborhood[axis]
    _require(build, start, low, high + 1, (low, high, axis))
    _require(build, stop, low, high + 1, (low, high, axis))
    size = build.binary("sub nsw", "i64", stop.parts[0], start.parts[0])
    empty = build.compare("slt", "i64", size, "0")
    return start.parts[0], build.select(empty, "i64", "0", size)


def _require(
    build: FunctionBuilder, index: Value, low: int, high: int, said: tuple[int, int, int]
) -> None:
    above = build.binary("sub", "i64", index.parts[0], str(low))
    outside = build.compare("ugt", "i64", above, str(high - low))
    message = _OUTSIDE.format("{}", *said)
    raise_text(build, outside, IndexError, message, [index])


def _setitem_rule(arguments: Arguments) -> Signature | None:
    if isinstance(arguments.types[0], Window):
        raise TypingError(
            "a kernel of a stencil cannot write to a relatively indexed array",
            hint="return the new value of the element; pass out= for where results are stored",
        )
    return None


@primitive(operator.setitem, _setitem_rule)
def setitem(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """Never called: the rule raises."""
    raise NotImplementedError


# --- attributes of the whole array ------------------------------------------------------------


@attribute(Window, "shape", lambda ty: Tuple((types.int64,) * ty.array.ndim))
def shape(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`w.shape`."""
    return Value(sig.returns, _parts(args[0]).shape)


@attribute(Window, "ndim", lambda ty: types.int64)
def ndim(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`w.ndim`."""
    return build.constant(types.int64, len(_parts(args[0]).shape))


@attribute(Window, "size", lambda ty: types.int64)
def size(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`w.size`."""
    return Value(types.int64, (element_count(build, _parts(args[0]).shape),))


def _len_rule(arguments: Arguments) -> Signature | None:
    fits = len(arguments) == 1 and isinstance(arguments.types[0], Window)
    return Signature(types.int64, arguments.types) if fits else None


@primitive(len, _len_rule)
def length(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`len(w)`."""
    return Value(types.int64, (_parts(args[0]).shape[0],))
