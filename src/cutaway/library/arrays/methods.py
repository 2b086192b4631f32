"""Array methods `copy flatten fill`, `real`, `imag`, `flat`, and membership; the NumPy functions by
these names."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from cutaway.errors import TypingError
from cutaway.extending.bodies import body, static
from cutaway.extending.overloads import overload, overload_method
from cutaway.extending.registry import attribute, method, primitive
from cutaway.ir.operators import BINARY
from cutaway.library.arrays.indexing.basic import element_if, fitted, next_place
from cutaway.library.arrays.kit.copies import converted
from cutaway.library.arrays.kit.takes import Number, Numbers
from cutaway.library.arrays.kit.typers import array_alone
from cutaway.library.arrays.reshaping import as_line
from cutaway.lowering.arrays.elements import element_pointer, load_element, store_element
from cutaway.lowering.arrays.memory import allocate
from cutaway.lowering.arrays.shapes import element_count
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import (
    ArrayParts,
    Value,
    array_parts,
    array_value,
    item_size,
)
from cutaway.typing import types
from cutaway.typing.inference.questions import advance, iterate
from cutaway.typing.overloads.resolution import Arguments, Signature
from cutaway.typing.types import (
    Array,
    Complex,
    Dated,
    Flat,
    Float,
    Integer,
    Iterator,
    Type,
)

# --- views: real, imag --------------------------------------------------------


def _real_rule(ty: Array) -> Type:
    if isinstance(ty.dtype, Complex):
        return Array(ty.dtype.part, ty.ndim, "A", ty.readonly, ty.aligned)
    return ty


def _imag_rule(ty: Array) -> Type | None:
    return _real_rule(ty) if isinstance(ty.dtype, Complex) else None


def _no_imag_rule(ty: Array) -> Type | None:
    if isinstance(ty.dtype, Complex) or not types.is_number(ty.dtype):
        return None
    return Array(ty.dtype, ty.ndim, "F" if ty.layout == "F" else "C", readonly=True)


@attribute(Array, "real", _real_rule)
def real(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`a.real`: a view of the real parts, or a real array itself."""
    if sig.returns is args[0].ty:
        return args[0]
    assert isinstance(sig.returns, Array)
    return array_value(sig.returns, array_parts(args[0]))


@attribute(Array, "imag", _imag_rule)
def imag(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`a.imag` of complex numbers: a view of the imaginary parts."""
    assert isinstance(sig.returns, Array)
    parts = array_parts(args[0])
    data = build.offset(parts.data, str(item_size(sig.returns.dtype)))
    return array_value(sig.returns, ArrayParts(parts.owner, data, parts.shape, parts.strides))


@attribute(Array, "imag", _no_imag_rule, gives_new_reference=True)
def no_imag(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`a.imag` of real numbers: a new read-only array of zeros."""
    assert isinstance(sig.returns, Array)
    return allocate(build, sig.returns, array_parts(args[0]).shape, zeroed=True)


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
    return as_line(build, sig, _copied(build, args[0], "C"))


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


# --- flat -------------------------------------------------------------------------------------


def _flat_rule(array: Array) -> Type | None:
    has_flat = types.is_number(array.dtype) or isinstance(array.dtype, Dated)
    return Flat(array) if has_flat else None


@attribute(Array, "flat", _flat_rule, any_elements=True)
def flat(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`a.flat`: the elements in C order, iterable, indexable and assignable."""
    return flat_of(build, args[0])


def flat_of(build: FunctionBuilder, array: Value) -> Value:
    """The flat iterator of an array, at its beginning."""
    assert isinstance(array.ty, Array)
    memory, position = build.new_cell(1)
    build.store("i64", "0", position, 8)
    return Value(Flat(array.ty), (memory, position, *array.parts))


def _array_of(value: Value) -> Value:
    assert isinstance(value.ty, Flat)
    return Value(value.ty.array, value.parts[2:])


def _flat_pointer(build: FunctionBuilder, array: Value, position: str) -> str:
    """The address of the element at a flat index."""
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


@primitive(len, _flat_length_rule, any_elements=True)
def flat_length(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`len(a.flat)`."""
    return Value(types.int64, (element_count(build, array_parts(_array_of(args[0])).shape),))


def _flat_item_rule(arguments: Arguments) -> Signature | None:
    owner, index = arguments.types
    if not isinstance(owner, Flat) or not types.is_integral(index):
        return None
    return Signature(owner.array.dtype, (owner, types.int64))


def _chosen(build: FunctionBuilder, elements: Value, index: str) -> tuple[Array, str]:
    """The array's type, and the address of the element at an index. As in NumPy, indexing restarts
    iteration."""
    array = _array_of(elements)
    build.store("i64", "0", elements.parts[1], 8)
    count = element_count(build, array_parts(array).shape)
    negative = build.compare("slt", "i64", index, "0")
    position = build.select(negative, "i64", build.binary("add", "i64", index, count), index)
    outside = build.compare("uge", "i64", position, count)
    build.raise_if(
        outside, IndexError, "index {} is out of bounds for size {}", payload=(index, count)
    )
    assert isinstance(array.ty, Array)
    return array.ty, _flat_pointer(build, array, position)


@primitive(operator.getitem, _flat_item_rule, any_elements=True)
def flat_item(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`a.flat[k]`."""
    return load_element(build, *_chosen(build, args[0], args[1].parts[0]))


def _flat_assignment_rule(arguments: Arguments) -> Signature | None:
    owner, index, value = arguments.types
    if not isinstance(owner, Flat) or owner.array.readonly or not types.is_integral(index):
        return None
    dtype = owner.array.dtype
    fits = value is dtype or (not isinstance(dtype, Dated) and types.is_real(value))
    fits = fits or (types.is_number(value) and isinstance(dtype, Complex))
    return Signature(types.none, (owner, types.int64, value)) if fits else None


@primitive(operator.setitem, _flat_assignment_rule, any_elements=True)
def assign_flat_item(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`a.flat[k] = x`."""
    ty, pointer = _chosen(build, args[0], args[1].parts[0])
    store_element(build, ty, fitted(build, args[2], ty.dtype), pointer)
    return Value(types.none, ())


def _flat_iterator_rule(arguments: Arguments) -> Signature | None:
    ty = arguments.types[0]
    iterator = ty.iterator() if isinstance(ty, Flat) else None
    return None if iterator is None else Signature(iterator, (ty,))


@primitive(iterate, _flat_iterator_rule, any_elements=True)
def iterator_of_flat(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`iter(a.flat)`: the iterator itself, at its current position."""
    return Value(sig.returns, args[0].parts)


def _flat_next_rule(arguments: Arguments) -> Signature | None:
    ty = arguments.types[0]
    fits = isinstance(ty, Iterator) and isinstance(ty.source, Flat)
    return Signature(ty.item, (ty,)) if fits else None


@primitive(advance, _flat_next_rule, any_elements=True)
def next_of_flat(build: FunctionBuilder, sig: Signature, args: list[Value]) -> tuple[Value, str]:
    """The next element in C order; memory past the end is not read."""
    iterator = args[0].ty
    assert isinstance(iterator, Iterator) and isinstance(iterator.source, Flat)
    _, position, *parts = args[0].parts
    array = Value(iterator.source.array, tuple(parts))
    count = element_count(build, array_parts(array).shape)
    current, valid = next_place(build, position, count)
    ty = iterator.source.array
    return element_if(build, ty, valid, lambda: _flat_pointer(build, array, current)), valid


# --- arrays without axes as numbers -------------------------------------------------------------


def _register_number(function: Any) -> None:
    @overload(function)
    def typer(x):
        if not isinstance(x, Array) or x.ndim or not types.is_number(x.dtype):
            return None
        return lambda x: function(x[()])


for _function in (float, int, complex, bool, operator.not_):
    _register_number(_function)


# --- lists ------------------------------------------------------------------------------------


def as_python_has_it(ty: Type) -> Type:
    """The type of an element as a Python number; uint64 stays as it is."""
    if isinstance(ty, Float):
        return types.float64
    if isinstance(ty, Complex):
        return types.complex128
    return ty if ty is types.uint64 or not isinstance(ty, Integer) else types.int64


def _listed(a):
    """The elements of an array as nested lists."""
    return a.tolist()


@overload(_listed)
def _list_of(a):
    return (lambda a: list(a)) if a.ndim == 1 else _rows_of


def _rows_of(a):
    rows = []
    for part in a:
        rows.append(_listed(part))
    return rows


@overload_method(Array, "tolist")
def _tolist(a):
    if not types.is_number(a.dtype):
        raise TypingError(
            f"`tolist` of elements of type {a.dtype} is not supported in compiled code",
            hint="go through the elements: for x in a.flat",
        )
    if not a.ndim:
        return lambda a: a.item()
    wide = types.to_dtype(as_python_has_it(a.dtype))
    return lambda a: _listed(a.astype(wide, copy=False))


# --- fill, in ---------------------------------------------------------------------------------


@overload_method(Array, "fill")
def _fill(array, value):
    complex_ = types.is_number(value) and isinstance(array.dtype, Complex)
    fits = types.is_real(value) and types.is_number(array.dtype) or complex_
    fits = fits or value is (
        array.element if isinstance(array.dtype, types.Record) else array.dtype
    )
    return _filled if fits and not array.readonly else None


def _filled(array, value):
    array[...] = value


@static
def _sought(item: Type, array: Array) -> np.dtype[Any]:
    """The dtype in which a sought item is compared; a Python number adopts that of narrower
    floats."""
    is_narrow = isinstance(array.dtype, Float) and array.dtype is not types.float64
    of_python = item in (types.int64, types.float64)
    return types.to_dtype(array.dtype if is_narrow and of_python else item)


@body(BINARY["in"].function)
def contains(item: Number, array: Numbers):
    sought = _sought(item, array).type(item)
    for element in array.flat:  # noqa: SIM110  loops are the point
        if element == sought:
            return True
    return False


@body(BINARY["not in"].function)
def lacks(item: Number, array: Numbers):
    return not (item in array)  # noqa: E713  the operator that is meant
