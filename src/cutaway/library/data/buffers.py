"""bytes, bytearray, memoryview and array.array: items, length, truth, iteration, attributes.

Their memory is read and written like an array's; item types, index checks and error messages follow
Python.
"""

from __future__ import annotations

import array
import operator

import numpy as np

from cutaway.extending.overloads import overload
from cutaway.extending.registry import attribute, primitive
from cutaway.library.arrays.indexing.basic import element_if, make_iterator, next_place
from cutaway.library.core.comparisons import compare
from cutaway.library.math.numbers import both_ways
from cutaway.lowering.arrays.elements import element_pointer, load_element, store_element
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import ArrayParts, Value, array_parts, make_tuple, tuple_items
from cutaway.typing import types
from cutaway.typing.inference.questions import advance, iterate
from cutaway.typing.overloads.resolution import Arguments, Signature
from cutaway.typing.types import Boolean, Integer, Iterator, Slice, Tuple, Type
from cutaway.typing.types.buffers import FORMATS, Buffer, bytes_type
from cutaway.typing.types.texts import is_written


def as_array(value: Value) -> Value:
    """An array over the same memory."""
    assert isinstance(value.ty, Buffer)
    return Value(value.ty.array, value.parts)


def _parts(value: Value) -> ArrayParts:
    return array_parts(as_array(value))


# --- length and truth -------------------------------------------------------------------------


def _buffer_rule(returns: Type, arguments: Arguments) -> Signature | None:
    if len(arguments) == 1 and is_written(arguments.types[0], bytes):
        return Signature(returns, (bytes_type,))
    fits = len(arguments) == 1 and isinstance(arguments.types[0], Buffer)
    return Signature(returns, arguments.types) if fits else None


@primitive(len, lambda arguments: _buffer_rule(types.int64, arguments))
def length(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`len(b)`."""
    return Value(types.int64, (_parts(args[0]).shape[0],))


@both_ways(bool, operator.not_, lambda arguments: _buffer_rule(types.boolean, arguments))
def _truth(build: FunctionBuilder, value: Value) -> str:
    return build.compare("ne", "i64", _parts(value).shape[0], "0")


# --- items ------------------------------------------------------------------------------------


def _is_item(buffer: Type, index: Type) -> bool:
    """True if an index selects one item."""
    if not isinstance(buffer, Buffer):
        return False
    if isinstance(index, Tuple):
        fits = buffer.cls is memoryview and len(index.items) == buffer.ndim
        return fits and all(map(types.is_integral, index.items))
    return buffer.ndim == 1 and types.is_integral(index)


def _getitem_rule(arguments: Arguments) -> Signature | None:
    buffer, index = arguments.types
    if not isinstance(buffer, Buffer) or not _is_item(buffer, index):
        return None
    return Signature(buffer.item, arguments.types)


@primitive(operator.getitem, _getitem_rule)
def getitem(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`b[i]`, `m[i, j]`."""
    assert isinstance(args[0].ty, Buffer)
    pointer = _locate(build, args[0], args[1], _OUTSIDE[args[0].ty.cls][0])
    return build.cast(load_element(build, args[0].ty.array, pointer), sig.returns)


# The messages for an index out of range, when reading and when writing.
_OUTSIDE = {
    bytes: ("index out of range",) * 2,
    bytearray: ("bytearray index out of range",) * 2,
    array.array: ("array index out of range", "array assignment index out of range"),
    memoryview: ("index out of bounds on dimension {}",) * 2,
}


def _locate(build: FunctionBuilder, buffer: Value, index: Value, message: str) -> str:
    """The address of an item."""
    parts = _parts(buffer)
    items = tuple_items(index) if isinstance(index.ty, Tuple) else [index]
    places = tuple(
        _checked(build, item, size, message.format(axis))
        for axis, (item, size) in enumerate(zip(items, parts.shape, strict=True), 1)
    )
    return element_pointer(build, parts.data, parts.strides, places)


def _checked(build: FunctionBuilder, index: Value, size: str, message: str) -> str:
    """An index checked against the size; negative ones count from the end."""
    signed = isinstance(index.ty, Integer) and index.ty.signed
    part = build.cast(index, types.int64 if signed else types.uint64).parts[0]
    if signed:
        negative = build.compare("slt", "i64", part, "0")
        part = build.select(negative, "i64", build.binary("add", "i64", part, size), part)
    build.raise_if(build.compare("uge", "i64", part, size), IndexError, message)
    return part


def _setitem_rule(arguments: Arguments) -> Signature | None:
    buffer, index, value = arguments.types
    if not isinstance(buffer, Buffer) or buffer.readonly or not _is_item(buffer, index):
        return None
    whole = isinstance(FORMATS[buffer.format], Integer)
    fits = types.is_integral(value) if whole else types.is_real(value)
    return Signature(types.none, arguments.types) if fits else None


@primitive(operator.setitem, _setitem_rule)
def setitem(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`b[i] = x`, `m[i, j] = x`. A bytearray checks the value first, others the index."""
    buffer, index, value = args
    assert isinstance(buffer.ty, Buffer)
    ty, message = buffer.ty.array, _OUTSIDE[buffer.ty.cls][1]
    if buffer.ty.cls is bytearray:
        _check_value(build, buffer.ty, value)
    pointer = _locate(build, buffer, index, message)
    if buffer.ty.cls is not bytearray:
        _check_value(build, buffer.ty, value)
    store_element(build, ty, build.cast(value, ty.dtype), pointer)
    return Value(types.none, ())


@overload(operator.getitem)
def _part_of_bytes(b, part):
    if b is not bytes_type or not isinstance(part, Slice):
        return None
    return lambda b, part: (np.frombuffer(b, np.uint8) if b else _NOTHING)[part].tobytes()


_NOTHING = np.empty(0, np.uint8)  # `np.frombuffer` refuses empty buffers


# --- values out of range ----------------------------------------------------------------------

# array.array's messages by typecode, with the limits in the order of its checks.
_TOO_LARGE = "Python int too large to convert to C long"
_SHORT = "signed short integer is {} than {}imum"
_INT = "signed integer is {} than {}imum"
_ARRAY_LIMITS: dict[str, tuple[tuple[Integer, str, str], ...]] = {
    "b": (
        (types.int64, _TOO_LARGE, ""),
        (types.int16, _SHORT, _SHORT),
        (types.int8, "signed char is {} than {}imum", "signed char is {} than {}imum"),
    ),
    "B": (
        (types.int64, _TOO_LARGE, ""),
        (types.uint8, *("unsigned byte integer is {} than {}imum",) * 2),
    ),
    "h": ((types.int64, _TOO_LARGE, ""), (types.int16, _SHORT, _SHORT)),
    "H": (
        (types.int64, _TOO_LARGE, ""),
        (types.int32, _INT, _INT),
        (types.uint16, *("unsigned short is {} than {}imum",) * 2),
    ),
    "i": ((types.int64, _TOO_LARGE, ""), (types.int32, _INT, _INT)),
    "I": (
        (
            types.uint32,
            "unsigned int is greater than maximum",
            "can't convert negative value to unsigned int",
        ),
    ),
    "l": ((types.int64, _TOO_LARGE, ""),),
    "L": ((types.uint64, "", "can't convert negative value to unsigned int"),),
    "q": ((types.int64, "int too big to convert", ""),),
    "Q": ((types.uint64, "", "can't convert negative int to unsigned"),),
}


def _limits(ty: Buffer) -> tuple[type[Exception], tuple[tuple[Integer, str, str], ...]]:
    """The exception for a value out of range, and the limits with the messages for values above and
    below."""
    stored = FORMATS[ty.format]
    if not isinstance(stored, Integer):
        return OverflowError, ()
    if ty.cls is array.array:
        return OverflowError, _ARRAY_LIMITS[ty.format]
    message = "byte must be in range(0, 256)"
    if ty.cls is memoryview:
        message = f"memoryview: invalid value for format {ty.format!r}"
    return ValueError, ((stored, message, message),)


def _check_value(build: FunctionBuilder, ty: Buffer, value: Value) -> None:
    """Raise for an integer that a buffer's items cannot hold."""
    if isinstance(value.ty, Boolean) or not isinstance(value.ty, Integer):
        return
    exception, limits = _limits(ty)
    for limit, above, below in limits:
        if value.ty.high > limit.high:
            high = build.constant(value.ty, limit.high)
            outside = compare(build, ">", value, high)
            build.raise_if(outside, exception, above.format("greater", "max"))
        if value.ty.low < limit.low:
            low = build.constant(value.ty, limit.low)
            outside = compare(build, "<", value, low)
            build.raise_if(outside, exception, below.format("less", "min"))


# --- iteration --------------------------------------------------------------------------------


def _iterator_rule(arguments: Arguments) -> Signature | None:
    ty = arguments.types[0]
    result = ty.iterator() if isinstance(ty, Buffer) else None
    return None if result is None else Signature(result, (ty,))


primitive(iterate, _iterator_rule)(make_iterator)  # like that of an array


def _next_rule(arguments: Arguments) -> Signature | None:
    ty = arguments.types[0]
    fits = isinstance(ty, Iterator) and isinstance(ty.source, Buffer)
    return Signature(ty.item, (ty,)) if fits else None


@primitive(advance, _next_rule)
def next_of_buffer(build: FunctionBuilder, sig: Signature, args: list[Value]) -> tuple[Value, str]:
    """The next item."""
    iterator = args[0].ty
    assert isinstance(iterator, Iterator) and isinstance(iterator.source, Buffer)
    _, position, *rest = args[0].parts
    ty, parts = iterator.source.array, _parts(Value(iterator.source, tuple(rest)))
    current, valid = next_place(build, position, parts.shape[0])

    def pointer() -> str:
        return element_pointer(build, parts.data, parts.strides, (current,))

    return build.cast(element_if(build, ty, valid, pointer), iterator.item), valid


# --- attributes -------------------------------------------------------------------------------


def _of_memoryview(ty: Buffer, returns: Type) -> Type | None:
    return returns if ty.cls is memoryview else None


@attribute(Buffer, "shape", lambda ty: _of_memoryview(ty, ty.shape))
def shape(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`m.shape`."""
    return make_tuple([Value(types.int64, (size,)) for size in _parts(args[0]).shape])


@attribute(Buffer, "strides", lambda ty: _of_memoryview(ty, ty.shape))
def strides(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`m.strides`, in bytes."""
    return make_tuple([Value(types.int64, (step,)) for step in _parts(args[0]).strides])


@attribute(Buffer, "ndim", lambda ty: _of_memoryview(ty, types.int64))
def ndim(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`m.ndim`."""
    return build.constant(types.int64, len(_parts(args[0]).shape))


@attribute(Buffer, "readonly", lambda ty: _of_memoryview(ty, types.boolean))
def readonly(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`m.readonly`."""
    assert isinstance(args[0].ty, Buffer)
    return build.constant(types.boolean, args[0].ty.readonly)


def _item_size(ty: Buffer) -> int:
    return types.to_dtype(FORMATS[ty.format]).itemsize


@attribute(
    Buffer, "itemsize", lambda ty: types.int64 if ty.cls in (memoryview, array.array) else None
)
def itemsize(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`m.itemsize`."""
    assert isinstance(args[0].ty, Buffer)
    return build.constant(types.int64, _item_size(args[0].ty))


@attribute(Buffer, "nbytes", lambda ty: _of_memoryview(ty, types.int64))
def nbytes(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`m.nbytes`."""
    assert isinstance(args[0].ty, Buffer)
    total = str(_item_size(args[0].ty))
    for size in _parts(args[0]).shape:
        total = build.binary("mul", "i64", total, size)
    return Value(types.int64, (total,))
