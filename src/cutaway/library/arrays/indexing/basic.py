"""`a[index]` and `a[index] = value`: elements, views, assignment with broadcasting; iteration.

An index is read axis by axis. Integers are checked against the axis and negative ones wrap, unless
the bounds pass has put `proved` on the axis; slices clamp as in Python; None adds an axis, an
ellipsis stands for the remaining axes.
"""

from __future__ import annotations

import operator
from collections.abc import Callable

from cutaway.extending.registry import primitive
from cutaway.foundation.dataclass import dataclass
from cutaway.foundation.loading import load
from cutaway.ir import nodes
from cutaway.library.arrays.indexing.slice_bounds import slice_extent
from cutaway.library.core.conversions import integer_within
from cutaway.library.math.numbers import is_literal
from cutaway.lowering.arrays.copying import assign
from cutaway.lowering.arrays.elements import (
    converted_element,
    distance,
    element_pointer,
    load_element,
    memory_unit,
    store_element,
)
from cutaway.lowering.arrays.messages import raise_text
from cutaway.lowering.arrays.shapes import raise_mismatch
from cutaway.lowering.arrays.texts import taken_out
from cutaway.lowering.build.builder import SECOND_COLD
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import (
    ArrayParts,
    Value,
    array_parts,
    array_value,
    item_size,
    part_types,
    tuple_items,
    zero_value,
)
from cutaway.typing import types
from cutaway.typing.inference.questions import advance, iterate
from cutaway.typing.overloads.resolution import Arguments, Signature
from cutaway.typing.types import (
    Array,
    Complex,
    Float,
    Integer,
    Iterator,
    Record,
    Slice,
    Tuple,
    Type,
)
from cutaway.typing.types.elements import alignment_of

OUT_OF_BOUNDS = "index {} is out of bounds for axis {} with size {}"


# --- typing: types of indexed arrays ----------------------------------------------------------


def index_items(index: Type) -> tuple[Type, ...]:
    """The types of the parts of an index."""
    return index.items if _is_taken_apart(index) else (index,)


def _is_taken_apart(index: Type) -> bool:  # a list indexes the first axis as a whole
    return isinstance(index, Tuple) and not isinstance(index, types.ListDisplay)


def expand(items: tuple[Type, ...], ndim: int) -> tuple[Type | None, ...] | None:
    """One entry per axis and per new axis; a None entry is a whole axis.
    None if the index has too many parts, or parts that are not basic indices."""
    if any(not _is_index(item) for item in items) or items.count(types.ellipsis) > 1:
        return None
    used = sum(item is not types.none and item is not types.ellipsis for item in items)
    if used > ndim:
        return None
    result: list[Type | None] = []
    for item in items:
        result += [None] * (ndim - used) if item is types.ellipsis else [item]
    return tuple(result + ([] if types.ellipsis in items else [None] * (ndim - used)))


def _is_index(item: Type) -> bool:
    return isinstance(item, Integer | Slice | types.NoneType | types.EllipsisType)


def view_layout(ty: Array, axes: tuple[Type | None, ...]) -> str:
    """The statically known layout of a view: "C" for a block of whole trailing axes."""
    ndim = sum(not isinstance(axis, Integer) for axis in axes)
    if ty.layout == "F" and all(axis is None for axis in axes):
        return "F"
    if ty.layout != "C" or types.none in axes:
        return "A"
    rest = [axis for axis in axes if not isinstance(axis, Integer)]
    leading = all(isinstance(axis, Integer) for axis in axes[: len(axes) - ndim])
    first_whole = not rest or rest[0] is None or _is_unit_slice(rest[0])
    return "C" if leading and first_whole and not any(rest[1:]) else "A"


def _is_unit_slice(axis: Type) -> bool:
    return isinstance(axis, Slice) and axis.step is types.none


def selection_type(array: Array, index: Type) -> Type | None:
    """The type of `array[index]`: a number or a view; None if it cannot be indexed so."""
    axes = expand(index_items(index), array.ndim)
    if axes is None:
        return None
    ndim = sum(not isinstance(axis, Integer) for axis in axes)
    if ndim == 0 and types.ellipsis not in index_items(index):
        return array.element
    return array.viewed(ndim, view_layout(array, axes))


def _is_borrowed(array: Type, selected: Type) -> bool:
    """True unless the selected element is a text, which is copied."""
    is_text = isinstance(array, Array) and isinstance(array.dtype, types.FixedString)
    return isinstance(selected, Array) or not is_text


def _getitem_rule(arguments: Arguments) -> Signature | None:
    array, index = arguments.types
    selected = selection_type(array, index) if isinstance(array, Array) else None
    if selected is None or not _is_borrowed(array, selected):
        return None
    return Signature(selected, arguments.types)


def _setitem_rule(arguments: Arguments) -> Signature | None:
    array, index, value = arguments.types
    if not isinstance(array, Array) or array.readonly:
        return None
    selected = selection_type(array, index)
    if selected is None or not is_storable(selected, array.dtype, value):
        return None
    return Signature(types.none, arguments.types)


def is_storable(selected: Type, dtype: Type, value: Type) -> bool:
    """True if a value can be assigned to a selection of elements of type `dtype`."""
    if isinstance(value, Tuple):
        numbers = all(is_storable(dtype, dtype, item) for item in value.items)
        return isinstance(selected, Array) and selected.ndim > 0 and numbers
    if isinstance(value, Array):
        if value.ndim and not isinstance(selected, Array):
            return False
        value = value.dtype
    if not types.is_number(dtype):
        same = value.protected(False) if isinstance(value, Record) else value
        return same is dtype
    return types.is_number(value) and (isinstance(dtype, Complex) or types.is_real(value))


# --- lowering: from an index to an address ----------------------------------------------------


@dataclass(slots=True)
class PartialIndex:
    """The address in an array while its index is being read, and the axes that remain."""

    data: str
    shape: list[str]
    strides: list[str]


def locate(build: FunctionBuilder, array: Value, index: Value) -> PartialIndex:
    """The address and the axes that an index selects."""
    assert isinstance(array.ty, Array)
    parts = array_parts(array)
    items = tuple_items(index) if _is_taken_apart(index.ty) else [index]
    axes = expand(index_items(index.ty), array.ty.ndim)
    assert axes is not None
    args = iter([item for item in items if item.ty is not types.ellipsis])
    place = PartialIndex(parts.data, [], [])
    axis = 0
    for entry in axes:
        if entry is types.none:
            next(args)
            place.shape.append("1")
            place.strides.append("0")
            continue
        size, stride = parts.shape[axis], parts.strides[axis]
        if entry is None:
            place.shape.append(size)
            place.strides.append(stride)
        elif isinstance(entry, Slice):
            select_slice(build, place, next(args), size, stride)
        else:
            extent = (size, distance(build, array.ty, parts, axis))
            _select_index(build, place, array.ty, next(args), axis, extent)
        axis += 1
    return place


def _select_index(
    build: FunctionBuilder,
    place: PartialIndex,
    ty: Array,
    index: Value,
    axis: int,
    extent: tuple[str, str],
) -> None:
    size, stride = extent
    part = checked_index(build, index, axis, size)
    step = item_size(ty.dtype)
    if stride == str(step):
        place.data = build.offset(place.data, part, memory_unit(ty.dtype))
    else:
        place.data = build.offset(place.data, build.binary("mul nsw", "i64", part, stride))


def checked_index(build: FunctionBuilder, index: Value, axis: int, size: str) -> str:
    """An index as a number from 0 to `size`, checked as the tag of its axis requires."""
    signed = isinstance(index.ty, Integer) and index.ty.signed
    part = build.cast(index, types.int64 if signed else types.uint64).parts[0]
    how = _tag(build, axis)
    if how in ("proved", "unchecked"):
        return part
    if how == "wrap":
        return _wrapped(build, part, size) if signed else part
    return _checked(build, part, axis, size, signed, how)


def _wrapped(build: FunctionBuilder, part: str, size: str) -> str:
    negative = build.compare("slt", "i64", part, "0")
    return build.select(negative, "i64", build.binary("add", "i64", part, size), part)


def _checked(
    build: FunctionBuilder, part: str, axis: int, size: str, signed: bool, how: str
) -> str:
    """Emit the bounds check: an index from 0 to the size takes one comparison.

    A check that the block has made already, as in `counts[k] += 1`, is reused.
    """
    computed, question = build.computed, f"{part} below {size}"
    if question in computed:
        return computed[question]
    inside = build.compare("ult", "i64", part, size)
    if how == "below":
        outside = build.binary("xor", "i1", inside, "true")
        build.raise_if(outside, IndexError, OUT_OF_BOUNDS, payload=(part, str(axis), size))
        computed[question] = part
        return part
    if not signed:
        outside = build.binary("xor", "i1", inside, "true")
        message = OUT_OF_BOUNDS.format("{}", axis, "{}")
        args = [Value(types.uint64, (part,)), Value(types.int64, (size,))]
        raise_text(build, outside, IndexError, message, args)
        computed[question] = part
        return part
    usual, unusual, after = build.block, build.new_label("unusual"), build.new_label("index")
    build.branch(inside, after, unusual, SECOND_COLD)
    build.start(unusual)
    wrapped = build.binary("add", "i64", part, size)
    positive = build.compare("sge", "i64", part, "0")
    low = build.compare("slt", "i64", wrapped, "0")
    outside = build.binary("or", "i1", positive, low)
    build.raise_if(outside, IndexError, OUT_OF_BOUNDS, payload=(part, str(axis), size))
    last = build.block
    build.jump(after)
    build.start(after, computed)
    index = computed[question] = build.phi("i64", [(part, usual), (wrapped, last)])
    return index


def _tag(build: FunctionBuilder, axis: int) -> str:
    op = build.op
    if isinstance(op, nodes.GetItem | nodes.SetItem) and op.bounds:
        return op.bounds[axis]
    return "check" if build.flags.boundscheck else "wrap"


def select_slice(
    build: FunctionBuilder, place: PartialIndex, value: Value, size: str, stride: str
) -> None:
    """Apply a slice to the next axis."""
    start, count, step = slice_extent(build, value, size)
    place.data = build.offset(place.data, build.binary("mul", "i64", start, stride), inbounds=False)
    place.shape.append(count)
    place.strides.append(_times(build, stride, step))


def _times(build: FunctionBuilder, stride: str, step: str) -> str:
    """The product of a stride and a step; constants are folded so that LLVM sees them early."""
    if is_literal(stride) and is_literal(step):
        return str(int(stride) * int(step))
    return stride if step == "1" else build.binary("mul", "i64", stride, step)


# --- elements ---------------------------------------------------------------------------------


def fitted(build: FunctionBuilder, value: Value, wanted: Type, always: bool = False) -> Value:
    """A number converted to an element type, truncated to an integer if need be.

    Raises OverflowError for a float or a constant out of the type's range. A computed integer is
    checked with `always` and under overflow="raise"; otherwise it wraps.
    """
    if not isinstance(wanted, Integer):
        return build.cast(value, wanted)
    if isinstance(value.ty, Float):
        return _cut_off_within(build, value, wanted)
    if not isinstance(value.ty, Integer) or not (always or _is_looked_at(build, value, wanted)):
        return build.cast(value, wanted)
    own, outside = value.ty, "false"
    kind, part = part_types(own)[0], value.parts[0]
    if own.high > wanted.high:
        outside = build.compare("sgt" if own.signed else "ugt", kind, part, str(wanted.high))
    if own.low < wanted.low:
        below = build.compare("slt", kind, part, str(wanted.low))
        outside = below if outside == "false" else build.binary("or", "i1", outside, below)
    if outside != "false":
        raise_text(build, outside, OverflowError, _out_of_bounds(wanted), [value])
    return build.cast(value, wanted)


def _is_looked_at(build: FunctionBuilder, value: Value, wanted: Integer) -> bool:
    wraps = wanted is types.int64 and value.ty is types.uint64  # like all 64-bit integers
    return not wraps and (build.flags.overflow == "raise" or is_literal(value.parts[0]))


def _out_of_bounds(wanted: Integer) -> str:
    return f"Python integer {{}} out of bounds for {wanted}"


def _cut_off_within(build: FunctionBuilder, value: Value, wanted: Integer) -> Value:
    if build.flags.float_to_int == "astype":
        return converted_element(build, value, wanted)

    def complain(outside: str) -> None:
        bad, good = build.new_label("outside"), build.new_label("within")
        build.branch(outside, bad, good)
        build.start(bad)
        if wanted is types.uint32:  # NumPy converts it through uint64
            large = Value(types.uint64, build.cast(value, types.uint64).parts)
            high = build.compare("slt", "i64", large.parts[0], "0")
            full = build.compare("ne", "i64", large.parts[0], "-1")
            high = build.binary("and", "i1", high, full)
            raise_text(build, high, OverflowError, _out_of_bounds(wanted), [large])
        whole = integer_within(build, value, types.int64, too_large)
        raise_text(build, "true", OverflowError, _out_of_bounds(wanted), [whole])
        build.jump(good)
        build.start(good)

    def too_large(outside: str) -> None:
        build.raise_if(outside, OverflowError, _NO_C_LONG)

    wide = wanted is types.int64
    return integer_within(build, value, wanted, too_large if wide else complain)


_NO_C_LONG = "Python int too large to convert to C long"  # NumPy's name for 64 bits


@primitive(operator.getitem, _getitem_rule, any_elements=True)
def getitem(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`a[index]`."""
    array, index = args
    assert isinstance(array.ty, Array)
    place = locate(build, array, index)
    if not isinstance(sig.returns, Array):
        return taken_out(build, load_element(build, array.ty, place.data, array.parts[0]))
    return _view(sig.returns, array, place)


def _view(ty: Array, array: Value, place: PartialIndex) -> Value:
    owner = array_parts(array).owner
    return array_value(ty, ArrayParts(owner, place.data, tuple(place.shape), tuple(place.strides)))


@primitive(operator.setitem, _setitem_rule, any_elements=True)
def setitem(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`a[index] = value`."""
    array, index, value = args
    assert isinstance(array.ty, Array)
    selected, place = selection_type(array.ty, index.ty), locate(build, array, index)
    if not isinstance(selected, Array):
        if isinstance(value.ty, Array):  # of one element, converted like arrays
            value = load_element(build, value.ty, array_parts(value).data)
        else:
            value = fitted(build, value, array.ty.dtype)
        store_element(build, array.ty, value, place.data)
        return Value(types.none, ())
    if isinstance(value.ty, Tuple):
        value = array_of_items(build, value, array.ty.dtype)
    if isinstance(value.ty, Array):
        _assign_array(build, selected, array, place, _trimmed(build, value, place))
    else:
        _fill(build, selected, place, value)
    return Value(types.none, ())


def array_of_items(build: FunctionBuilder, value: Value, dtype: Type) -> Value:
    """A tuple of numbers as an array in stack memory."""
    items, size = tuple_items(value), item_size(dtype)
    ty = Array(dtype, 1, "C")
    data = build.alloca("i64", max(1, (size * len(items) + 7) // 8))
    for k, item in enumerate(items):
        store_element(build, ty, fitted(build, item, dtype), build.offset(data, str(k * size)))
    return array_value(ty, ArrayParts("null", data, (str(len(items)),), (str(size),)))


def _fill(build: FunctionBuilder, ty: Array, place: PartialIndex, value: Value) -> None:
    value = fitted(build, value, ty.dtype, always=True)
    build.has_nests = True
    build.loop_nest(
        place.shape,
        lambda index: store_element(
            build, ty, value, element_pointer(build, place.data, place.strides, index)
        ),
    )


# --- assignment of arrays ---------------------------------------------------------------------


def _trimmed(build: FunctionBuilder, value: Value, place: PartialIndex) -> Value:
    """A value without surplus leading axes; raises ValueError if one is not of length one."""
    assert isinstance(value.ty, Array)
    parts, ndim = array_parts(value), len(place.shape)
    extra = value.ty.ndim - ndim
    if extra <= 0:
        return value
    for k in range(extra):
        many = build.compare("ne", "i64", parts.shape[k], "1")
        raise_mismatch(build, many, parts.shape[k:], tuple(place.shape))
    inner = ArrayParts(parts.owner, parts.data, parts.shape[extra:], parts.strides[extra:])
    return array_value(value.ty.viewed(ndim, "A"), inner)


def _assign_array(
    build: FunctionBuilder, ty: Array, array: Value, place: PartialIndex, value: Value
) -> None:
    assert isinstance(value.ty, Array)
    if value.ty.dtype is ty.dtype:
        _copy_array(build, ty, place, value)
        return
    nests = load("cutaway.lowering.arrays.nests")
    kernels = load("cutaway.lowering.arrays.kernels")
    as_it_is = kernels.Kernel((value.ty,), (), 0)
    nests.store_into(build, as_it_is, [value], _view(ty, array, place))


def _copy_array(build: FunctionBuilder, ty: Array, place: PartialIndex, value: Value) -> None:
    source = array_parts(value)
    target = ArrayParts("null", place.data, tuple(place.shape), tuple(place.strides))
    assert isinstance(value.ty, Array)
    align = alignment_of(ty.dtype) if ty.aligned and value.ty.aligned else 1
    status = assign(build, item_size(ty.dtype), source, target, align)
    mismatch = build.compare("eq", "i32", status, "1")
    raise_mismatch(build, mismatch, source.shape, target.shape)
    no_memory = build.compare("eq", "i32", status, "2")
    build.raise_if(no_memory, MemoryError)


# --- iteration --------------------------------------------------------------------------------


def _iterator_rule(arguments: Arguments) -> Signature | None:
    ty = arguments.types[0]
    result = ty.iterator() if isinstance(ty, Array) else None
    return None if result is None else Signature(result, (ty,))


@primitive(iterate, _iterator_rule, any_elements=True)
def make_iterator(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`iter(a)` over the first axis."""
    memory, position = build.new_cell(1)
    build.store("i64", "0", position, 8)
    return Value(sig.returns, (memory, position, *args[0].parts))


def _next_rule(arguments: Arguments) -> Signature | None:
    ty = arguments.types[0]
    fits = isinstance(ty, Iterator) and isinstance(ty.source, Array) and not ty.source.items_are_new
    return Signature(ty.item, (ty,)) if fits else None


def next_place(build: FunctionBuilder, position: str, count: str) -> tuple[str, str]:
    """The current position of an iterator, which advances, and an i1: whether it is before the
    end."""
    current = build.load("i64", position, 8)
    valid = build.compare("slt", "i64", current, count)
    build.store("i64", build.binary("add nuw nsw", "i64", current, "1"), position, 8)
    return current, valid


@primitive(advance, _next_rule)
def next_of_array(build: FunctionBuilder, sig: Signature, args: list[Value]) -> tuple[Value, str]:
    """The next element or row; the value at the end is never used."""
    iterator = args[0].ty
    assert isinstance(iterator, Iterator) and isinstance(iterator.source, Array)
    _, position, *rest = args[0].parts
    array = Value(iterator.source, tuple(rest))
    current, valid = next_place(build, position, array_parts(array).shape[0])
    if isinstance(iterator.item, Array):
        return row_at(build, iterator.item, array, current), valid
    parts = array_parts(array)

    def pointer() -> str:
        return element_pointer(build, parts.data, parts.strides, (current,))

    return element_if(build, iterator.source, valid, pointer, parts.owner), valid


def row_at(build: FunctionBuilder, ty: Array, array: Value, index: str) -> Value:
    """A view of the array at an index of its first axis."""
    parts = array_parts(array)
    distance = build.binary("mul", "i64", index, parts.strides[0])
    data = build.offset(parts.data, distance, inbounds=False)
    return array_value(ty, ArrayParts(parts.owner, data, parts.shape[1:], parts.strides[1:]))


def element_if(
    build: FunctionBuilder,
    ty: Array,
    valid: str,
    pointer: Callable[[], str],
    owner: str = "null",
) -> Value:
    """The element at a pointer if `valid`: memory past the end must not be read."""
    before, inside, after = build.block, build.new_label("read"), build.new_label("next")
    build.branch(valid, inside, after)
    build.start(inside)
    item = taken_out(build, load_element(build, ty, pointer(), owner))
    last = build.block
    build.jump(after)
    build.start(after)
    nothing = zero_value(ty.element).parts
    merged = [
        build.phi(kind, [(part, last), (zero, before)])
        for kind, part, zero in zip(part_types(ty.element), item.parts, nothing, strict=True)
    ]
    return Value(ty.element, tuple(merged))
