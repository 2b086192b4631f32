"""Methods of arrays: `copy reshape ravel flatten fill`, `real`, `imag`, `flat`, and membership;
the functions of NumPy by these names.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from cutaway.extending.overloads import overload, overload_method
from cutaway.extending.registry import attribute, method, primitive
from cutaway.ir.operators import BINARY
from cutaway.library.arrays.creating.conversions import converted
from cutaway.library.arrays.indexing.basic import element_if, fitted, make_iterator, next_place
from cutaway.library.arrays.kit.typers import array_alone
from cutaway.lowering.arrays.elements import element_pointer, load_element, store_element
from cutaway.lowering.arrays.memory import TOO_BIG, allocate, checked_size, contiguous_strides
from cutaway.lowering.arrays.messages import raise_text
from cutaway.lowering.arrays.shapes import element_count
from cutaway.lowering.build.builder import FIRST_COLD
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import (
    ArrayParts,
    Value,
    array_parts,
    array_value,
    item_size,
    tuple_items,
)
from cutaway.typing import types
from cutaway.typing.inference.questions import advance, iterate
from cutaway.typing.overloads.resolution import Arguments, Signature
from cutaway.typing.types import Array, Complex, Flat, Float, Iterator, Tuple, Type

# --- views: real, imag, ravel, reshape --------------------------------------------------------


def _real_rule(ty: Array) -> Type:
    if isinstance(ty.dtype, Complex):
        return Array(ty.dtype.part, ty.ndim, "A", ty.readonly, ty.aligned)
    return ty


def _imag_rule(ty: Array) -> Type | None:
    if isinstance(ty.dtype, Complex):
        return _real_rule(ty)
    if not types.is_number(ty.dtype):
        return None
    return Array(ty.dtype, ty.ndim, "F" if ty.layout == "F" else "C", readonly=True)


@attribute(Array, "real", _real_rule)
def real(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`a.real`: a view of the real parts, the array itself where it is real."""
    if sig.returns is args[0].ty:
        return args[0]
    assert isinstance(sig.returns, Array)
    return array_value(sig.returns, array_parts(args[0]))


@attribute(Array, "imag", _imag_rule)
def imag(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`a.imag`: a view of the imaginary parts; of real numbers new zeros that are read-only."""
    assert isinstance(sig.returns, Array) and isinstance(args[0].ty, Array)
    if not isinstance(args[0].ty.dtype, Complex):
        return allocate(build, sig.returns, array_parts(args[0]).shape, zeroed=True)
    parts = array_parts(args[0])
    data = build.offset(parts.data, str(item_size(sig.returns.dtype)))
    return array_value(sig.returns, ArrayParts(parts.owner, data, parts.shape, parts.strides))


def _in_c_order(build: FunctionBuilder, value: Value) -> Value:
    """The array itself if it lies in C order, with one more owner, else a copy that does."""
    assert isinstance(value.ty, Array)
    if value.ty.layout == "C":
        build.call("void", "cutaway_incref", [("ptr", value.parts[0])])
        return value
    return _copied(build, value, "C")


def _copied(build: FunctionBuilder, value: Value, layout: str) -> Value:
    assert isinstance(value.ty, Array)
    return converted(build, Array(value.ty.dtype, value.ty.ndim, layout), value)


def _copy_rule(arguments: Arguments) -> Signature | None:
    ty = array_alone(arguments)
    if ty is None:
        return None
    return Signature(Array(ty.dtype, ty.ndim, "C"), (ty,))


def _flatten_rule(arguments: Arguments) -> Signature | None:
    ty = array_alone(arguments)
    return None if ty is None else Signature(Array(ty.dtype, 1, "C"), (ty,))


@primitive(method(Array, "copy"), _copy_rule, any_elements=True)
@primitive(method(Array, "flatten"), _flatten_rule, any_elements=True)
def copy(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`a.copy()`, `a.flatten()`: a new array in C order."""
    return _flattened(build, sig, _copied(build, args[0], "C"))


def _copy_keeping_order_rule(arguments: Arguments) -> Signature | None:
    ty = array_alone(arguments)
    if ty is None:
        return None
    return Signature(Array(ty.dtype, ty.ndim, "F" if ty.layout == "F" else "C"), (ty,))


@primitive(np.copy, _copy_keeping_order_rule, any_elements=True)
def copy_keeping_order(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`np.copy(a)`: a new array in the order of the old one."""
    assert isinstance(sig.returns, Array)
    return _copied(build, args[0], sig.returns.layout)


def _flat_rule(arguments: Arguments) -> Signature | None:
    ty = array_alone(arguments)
    if ty is None:
        return None
    readonly = ty.readonly and ty.layout == "C"
    return Signature(Array(ty.dtype, 1, "C", readonly, ty.aligned or ty.layout != "C"), (ty,))


@primitive(np.ravel, _flat_rule, any_elements=True)
@primitive(method(Array, "ravel"), _flat_rule, any_elements=True)
def ravel(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`a.ravel()`: one axis, a view where the array lies in C order."""
    return _flattened(build, sig, _in_c_order(build, args[0]))


def _flattened(build: FunctionBuilder, sig: Signature, value: Value) -> Value:
    assert isinstance(sig.returns, Array)
    if value.ty is sig.returns or sig.returns.ndim != 1:
        return Value(sig.returns, value.parts)
    parts = array_parts(value)
    count = element_count(build, parts.shape)
    size = str(item_size(sig.returns.dtype))
    return array_value(sig.returns, ArrayParts(parts.owner, parts.data, (count,), (size,)))


def _reshape_rule(arguments: Arguments) -> Signature | None:
    ty, shape = arguments.types[0], arguments.types[1:]
    if not isinstance(ty, Array) or not shape:
        return None
    if len(shape) == 1 and isinstance(shape[0], Tuple):
        shape = shape[0].items
    if not all(map(types.is_integral, shape)):
        return None
    readonly = ty.readonly and ty.layout == "C"
    reshaped = Array(ty.dtype, len(shape), "C", readonly, ty.aligned or ty.layout != "C")
    return Signature(reshaped, arguments.types)


@primitive(np.reshape, _reshape_rule, any_elements=True)
@primitive(method(Array, "reshape"), _reshape_rule, any_elements=True)
def reshape(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`a.reshape(shape)`, with one size left to be found by -1; a copy unless in C order."""
    given = tuple_items(args[1]) if isinstance(args[1].ty, Tuple) else args[1:]
    wanted = [build.cast(item, types.int64).parts[0] for item in given]
    count = element_count(build, array_parts(args[0]).shape)
    assert isinstance(args[0].ty, Array)
    shape = _completed(build, wanted, count, item_size(args[0].ty.dtype))
    value = _in_c_order(build, args[0])
    parts = array_parts(value)
    assert isinstance(sig.returns, Array)
    strides = contiguous_strides(build, shape, item_size(sig.returns.dtype), "C")
    return array_value(sig.returns, ArrayParts(parts.owner, parts.data, shape, strides))


def _completed(
    build: FunctionBuilder, wanted: list[str], count: str, itemsize: int
) -> tuple[str, ...]:
    """The sizes with one that is negative computed; raises where they do not hold `count`
    elements."""
    open_ = [build.compare("slt", "i64", size, "0") for size in wanted]
    unknown, known = "0", []
    for size, missing in zip(wanted, open_, strict=True):
        unknown = build.binary("add", "i64", unknown, build.convert("zext", "i1", missing, "i64"))
        known.append(build.select(missing, "i64", "1", size))
    several = build.compare("sgt", "i64", unknown, "1")
    build.raise_if(several, ValueError, "can only specify one unknown dimension")
    total, wrong = checked_size(build, tuple(known), "1")
    nothing = build.compare("eq", "i64", total, "0")
    divisor = build.select(nothing, "i64", "1", total)
    rest = build.binary("udiv", "i64", count, divisor)
    complete = build.compare("eq", "i64", unknown, "0")
    held = build.binary("mul", "i64", total, build.select(complete, "i64", "1", rest))
    lost = build.binary("and", "i1", nothing, build.binary("xor", "i1", complete, "true"))
    for reason in (build.compare("ne", "i64", held, count), lost):
        wrong = build.binary("or", "i1", wrong, reason)
    _raise_misfit(build, wrong, wanted, open_, count)
    result = [
        build.select(missing, "i64", rest, size)
        for size, missing in zip(wanted, open_, strict=True)
    ]
    _, too_big = checked_size(build, tuple(result), str(itemsize))
    build.raise_if(too_big, ValueError, TOO_BIG)
    return tuple(result)


def _raise_misfit(
    build: FunctionBuilder, wrong: str, wanted: list[str], open_: list[str], count: str
) -> None:
    """Raise in NumPy's words, which call a size that is left open a new axis, or nothing where it
    comes first."""
    bad, good = build.new_label("misfit"), build.new_label("fits")
    build.branch(wrong, bad, good, FIRST_COLD)
    build.start(bad)
    for place in (*range(len(wanted)), None):
        texts = ["newaxis" if k == place else "{}" for k in range(len(wanted))]
        shown = texts[1:] if place == 0 else texts
        shape = f"({','.join(shown)}{',' if len(texts) == 1 and shown else ''})"
        sizes = [Value(types.int64, (wanted[k],)) for k in range(len(wanted)) if k != place]
        message = f"cannot reshape array of size {{}} into shape {shape}"
        here = "true" if place is None else open_[place]
        raise_text(build, here, ValueError, message, [Value(types.int64, (count,)), *sizes])
    build.jump(good)
    build.start(good)


# --- flat -------------------------------------------------------------------------------------


@attribute(Array, "flat", Flat)
def flat(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`a.flat`: the elements in C order, to go through, to index, and to assign to."""
    return Value(sig.returns, args[0].parts)


def _array_of(value: Value) -> Value:
    assert isinstance(value.ty, Flat)
    return Value(value.ty.array, value.parts)


def _flat_pointer(build: FunctionBuilder, array: Value, position: str) -> str:
    """The address of the element at a position in C order."""
    parts, ty = array_parts(array), array.ty
    assert isinstance(ty, Array)
    if ty.layout == "C" or ty.ndim == 0:
        distance = build.binary("mul", "i64", position, str(item_size(ty.dtype)))
        return build.offset(parts.data, distance)
    index = [position]
    for size in parts.shape[:0:-1]:
        index[:1] = [
            build.binary("udiv", "i64", index[0], size),
            build.binary("urem", "i64", index[0], size),
        ]
    return element_pointer(build, parts.data, parts.strides, tuple(index))


def _flat_length_rule(arguments: Arguments) -> Signature | None:
    fits = len(arguments) == 1 and isinstance(arguments.types[0], Flat)
    return Signature(types.int64, arguments.types) if fits else None


@primitive(len, _flat_length_rule)
def flat_length(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`len(a.flat)`."""
    return Value(types.int64, (element_count(build, array_parts(_array_of(args[0])).shape),))


def _flat_item_rule(arguments: Arguments) -> Signature | None:
    owner, index = arguments.types
    if not isinstance(owner, Flat) or not types.is_integral(index):
        return None
    return Signature(owner.array.dtype, (owner, types.int64))


def _checked_position(build: FunctionBuilder, array: Value, index: str) -> str:
    count = element_count(build, array_parts(array).shape)
    negative = build.compare("slt", "i64", index, "0")
    position = build.select(negative, "i64", build.binary("add", "i64", index, count), index)
    outside = build.compare("uge", "i64", position, count)
    build.raise_if(
        outside, IndexError, "index {} is out of bounds for size {}", payload=(index, count)
    )
    return position


@primitive(operator.getitem, _flat_item_rule)
def flat_item(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`a.flat[k]`."""
    array = _array_of(args[0])
    assert isinstance(array.ty, Array)
    position = _checked_position(build, array, args[1].parts[0])
    return load_element(build, array.ty, _flat_pointer(build, array, position))


def _flat_assignment_rule(arguments: Arguments) -> Signature | None:
    owner, index, value = arguments.types
    if not isinstance(owner, Flat) or owner.array.readonly or not types.is_integral(index):
        return None
    fits = types.is_real(value) or (
        types.is_number(value) and isinstance(owner.array.dtype, Complex)
    )
    return Signature(types.none, (owner, types.int64, value)) if fits else None


@primitive(operator.setitem, _flat_assignment_rule)
def assign_flat_item(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`a.flat[k] = x`."""
    array = _array_of(args[0])
    assert isinstance(array.ty, Array)
    position = _checked_position(build, array, args[1].parts[0])
    value = fitted(build, args[2], array.ty.dtype)
    store_element(build, array.ty, value, _flat_pointer(build, array, position))
    return Value(types.none, ())


def _flat_iterator_rule(arguments: Arguments) -> Signature | None:
    ty = arguments.types[0]
    iterator = ty.iterator() if isinstance(ty, Flat) else None
    return None if iterator is None else Signature(iterator, (ty,))


primitive(iterate, _flat_iterator_rule)(make_iterator)  # as over an axis


def _flat_next_rule(arguments: Arguments) -> Signature | None:
    ty = arguments.types[0]
    fits = isinstance(ty, Iterator) and isinstance(ty.source, Flat)
    return Signature(ty.item, (ty,)) if fits else None


@primitive(advance, _flat_next_rule)
def next_of_flat(build: FunctionBuilder, sig: Signature, args: list[Value]) -> tuple[Value, str]:
    """The next element in C order; memory past the end is not read."""
    iterator = args[0].ty
    assert isinstance(iterator, Iterator) and isinstance(iterator.source, Flat)
    position, *parts = args[0].parts
    array = Value(iterator.source.array, tuple(parts))
    count = element_count(build, array_parts(array).shape)
    current, valid = next_place(build, position, count)
    ty = iterator.source.array
    return element_if(build, ty, valid, lambda: _flat_pointer(build, array, current)), valid


# --- arrays without axes as numbers -------------------------------------------------------------


def _register_number(function: Any) -> None:  # Any: a class of Python's, or `not`
    @overload(function)
    def typer(x):  # type: ignore[no-untyped-def]
        if not isinstance(x, Array) or x.ndim or not types.is_number(x.dtype):
            return None
        return lambda x: function(x[()])


for _function in (float, int, complex, bool, operator.not_):
    _register_number(_function)


# --- fill, in ---------------------------------------------------------------------------------


@overload_method(Array, "fill")
def _fill(array, value):  # type: ignore[no-untyped-def]
    complex_ = types.is_number(value) and isinstance(array.dtype, Complex)
    fits = types.is_real(value) and types.is_number(array.dtype) or complex_
    fits = fits or value is (
        array.element if isinstance(array.dtype, types.Record) else array.dtype
    )
    return _filled if fits and not array.readonly else None


def _filled(array, value):  # type: ignore[no-untyped-def]
    array[...] = value


def _are_numbers(item: Type, array: Type) -> bool:
    return isinstance(array, Array) and types.is_number(array.dtype) and types.is_number(item)


def _sought(item: Type, array: Array) -> type[np.generic] | None:
    """What is compared with the elements of an array: a number of Python's takes on their type
    where they are floats of less precision."""
    is_narrow = isinstance(array.dtype, Float) and array.dtype is not types.float64
    if is_narrow and item in (types.int64, types.float64):
        return types.to_dtype(array.dtype).type
    return None


@overload(BINARY["in"].function)
def _in(item, array):  # type: ignore[no-untyped-def]
    if not _are_numbers(item, array):
        return None
    kind = _sought(item, array)
    return _contains if kind is None else lambda item, array: kind(item) in array


def _contains(item, array):  # type: ignore[no-untyped-def]
    for element in array.flat:  # noqa: SIM110  loops are the point
        if element == item:
            return True
    return False


@overload(BINARY["not in"].function)
def _not_in(item, array):  # type: ignore[no-untyped-def]
    if not _are_numbers(item, array):
        return None
    kind = _sought(item, array)
    return _lacks if kind is None else lambda item, array: kind(item) not in array


def _lacks(item, array):  # type: ignore[no-untyped-def]
    for element in array.flat:  # noqa: SIM110
        if element == item:
            return False
    return True
