"""Methods of arrays: `copy reshape ravel flatten fill sum min max mean any all`, `real`, `imag`,
`flat`, and membership; the functions of NumPy by these names.

Sums of floats are made in NumPy's order, pairwise in blocks of 128, wherever NumPy goes through
the memory in one sweep.
"""

from __future__ import annotations

import operator

import numpy as np

from cutaway.extending import abstract, attribute, implemented, method
from cutaway.ir.operators import BINARY
from cutaway.library.array_attributes import element_count
from cutaway.library.array_creation import allocate
from cutaway.library.array_indexing import (
    OUT_OF_BOUNDS,
    element_pointer,
    load_element,
    store_element,
)
from cutaway.lowering.function_builder import FunctionBuilder
from cutaway.lowering.layout import (
    ArrayParts,
    Value,
    array_parts,
    array_value,
    item_size,
    part_types,
    tuple_items,
    zero,
)
from cutaway.typing import types
from cutaway.typing.calls import advance, iterate
from cutaway.typing.signatures import iterator_over
from cutaway.typing.templates import Arguments, Signature
from cutaway.typing.types import Array, Complex, Flat, Float, Integer, Iterator, Tuple, Type

# --- views: real, imag, ravel, reshape --------------------------------------------------------


def _real_rule(ty: Array) -> Type:
    if isinstance(ty.dtype, Complex):
        return Array(ty.dtype.part, ty.ndim, "A", ty.readonly, ty.aligned)
    return ty


def _imag_rule(ty: Array) -> Type | None:
    return _real_rule(ty) if isinstance(ty.dtype, Complex) else None


@attribute(Array, "real", _real_rule)
def real(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`a.real`: a view of the real parts, the array itself where it is real."""
    if sig.returns is args[0].ty:
        return args[0]
    assert isinstance(sig.returns, Array)
    return array_value(sig.returns, array_parts(args[0]))


@attribute(Array, "imag", _imag_rule)
def imag(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`a.imag`: a view of the imaginary parts of a complex array."""
    assert isinstance(sig.returns, Array)
    parts = array_parts(args[0])
    data = build.offset(parts.data, str(item_size(sig.returns.dtype)))
    return array_value(sig.returns, ArrayParts(parts.owner, data, parts.shape, parts.strides))


def _contiguous_strides(
    build: FunctionBuilder, shape: tuple[str, ...], size: int
) -> tuple[str, ...]:
    strides, stride = [], str(size)
    for dimension in reversed(shape):
        strides.append(stride)
        stride = build.binary("mul", "i64", stride, dimension)
    return tuple(reversed(strides))


def _in_c_order(build: FunctionBuilder, value: Value) -> Value:
    """The array itself if it lies in C order, with one more owner, else a copy that does."""
    assert isinstance(value.ty, Array)
    if value.ty.layout == "C":
        build.call("void", "cutaway_incref", [("ptr", value.parts[0])])
        return value
    return _copied(build, value, "C")


def _copied(build: FunctionBuilder, value: Value, layout: str) -> Value:
    source, ty = array_parts(value), value.ty
    assert isinstance(ty, Array)
    made_type = Array(ty.dtype, ty.ndim, layout)
    made = allocate(build, made_type, source.shape, zeroed=False)
    target = array_parts(made)
    order = range(ty.ndim) if layout == "C" else range(ty.ndim - 1, -1, -1)

    def move(index: tuple[str, ...]) -> None:
        place = tuple(index[list(order).index(axis)] for axis in range(ty.ndim))
        element = load_element(
            build, ty, element_pointer(build, source.data, source.strides, place)
        )
        pointer = element_pointer(build, target.data, target.strides, place)
        store_element(build, made_type, element, pointer)

    build.loop_nest([source.shape[axis] for axis in order], move)
    return made


def _array_alone(arguments: Arguments) -> Array | None:
    ty = arguments.types[0] if len(arguments) == 1 else None
    return ty if isinstance(ty, Array) else None


def _copy_rule(arguments: Arguments) -> Signature | None:
    ty = _array_alone(arguments)
    if ty is None:
        return None
    return Signature(Array(ty.dtype, ty.ndim, "C"), (ty,))


@abstract(method(Array, "copy"), _copy_rule)
@abstract(method(Array, "flatten"), lambda arguments: _flat_rule(arguments))
def copy(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`a.copy()`, `a.flatten()`: a new array in C order."""
    return _flattened(build, sig, _copied(build, args[0], "C"))


def _copy_keeping_order_rule(arguments: Arguments) -> Signature | None:
    ty = _array_alone(arguments)
    if ty is None:
        return None
    return Signature(Array(ty.dtype, ty.ndim, "F" if ty.layout == "F" else "C"), (ty,))


@abstract(np.copy, _copy_keeping_order_rule)
def copy_keeping_order(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`np.copy(a)`: a new array in the order of the old one."""
    assert isinstance(sig.returns, Array)
    return _copied(build, args[0], sig.returns.layout)


def _flat_rule(arguments: Arguments) -> Signature | None:
    ty = _array_alone(arguments)
    if ty is None:
        return None
    readonly = ty.readonly and ty.layout == "C"
    return Signature(Array(ty.dtype, 1, "C", readonly, ty.aligned or ty.layout != "C"), (ty,))


@abstract(np.ravel, _flat_rule)
@abstract(method(Array, "ravel"), _flat_rule)
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
    made = Array(ty.dtype, len(shape), "C", readonly, ty.aligned or ty.layout != "C")
    return Signature(made, arguments.types)


@abstract(np.reshape, _reshape_rule)
@abstract(method(Array, "reshape"), _reshape_rule)
def reshape(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`a.reshape(shape)`, with one size left to be found by -1; a copy unless in C order."""
    given = tuple_items(args[1]) if isinstance(args[1].ty, Tuple) else args[1:]
    wanted = [build.cast(item, types.int64).parts[0] for item in given]
    count = element_count(build, array_parts(args[0]).shape)
    shape = _completed(build, wanted, count)
    value = _in_c_order(build, args[0])
    parts = array_parts(value)
    assert isinstance(sig.returns, Array)
    strides = _contiguous_strides(build, shape, item_size(sig.returns.dtype))
    return array_value(sig.returns, ArrayParts(parts.owner, parts.data, shape, strides))


def _completed(build: FunctionBuilder, wanted: list[str], count: str) -> tuple[str, ...]:
    """The sizes with one that is -1 computed; raises where they do not hold `count` elements."""
    known, unknown = "1", "0"
    for size in wanted:
        open_ = build.compare("slt", "i64", size, "0")
        unknown = build.binary("add", "i64", unknown, build.convert("zext", "i1", open_, "i64"))
        known = build.binary("mul", "i64", known, build.select(open_, "i64", "1", size))
    several = build.compare("sgt", "i64", unknown, "1")
    build.raise_if(several, ValueError, "can only specify one unknown dimension")
    none = build.compare("eq", "i64", unknown, "0")
    divisor = build.select(build.compare("eq", "i64", known, "0"), "i64", "1", known)
    rest = build.binary("udiv", "i64", count, divisor)
    total = build.binary("mul", "i64", known, build.select(none, "i64", "1", rest))
    wrong = build.compare("ne", "i64", total, count)
    shape = f"({','.join(['{}'] * len(wanted))}{',' if len(wanted) == 1 else ''})"
    if len(wanted) < 4:
        message = f"cannot reshape array of size {{}} into shape {shape}"
        build.raise_if(wrong, ValueError, message, payload=(count, *wanted))
    else:
        message = "cannot reshape array of size {} into the shape"
        build.raise_if(wrong, ValueError, message, payload=(count,))
    found = []
    for size in wanted:
        open_ = build.compare("slt", "i64", size, "0")
        found.append(build.select(open_, "i64", rest, size))
    return tuple(found)


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


@abstract(len, _flat_length_rule)
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
    build.raise_if(outside, IndexError, OUT_OF_BOUNDS, payload=(index, "0", count))
    return position


@abstract(operator.getitem, _flat_item_rule)
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


@abstract(operator.setitem, _flat_assignment_rule)
def assign_flat_item(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`a.flat[k] = x`."""
    array = _array_of(args[0])
    assert isinstance(array.ty, Array)
    position = _checked_position(build, array, args[1].parts[0])
    store_element(build, array.ty, args[2], _flat_pointer(build, array, position))
    return Value(types.none, ())


def _flat_iterator_rule(arguments: Arguments) -> Signature | None:
    ty = arguments.types[0]
    found = iterator_over(ty) if isinstance(ty, Flat) else None
    return None if found is None else Signature(found, (ty,))


@abstract(iterate, _flat_iterator_rule)
def flat_iterator(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """A loop over `a.flat`."""
    position = build.alloca("i64")
    build.store("i64", "0", position, 8)
    return Value(sig.returns, (position, *args[0].parts))


def _flat_next_rule(arguments: Arguments) -> Signature | None:
    ty = arguments.types[0]
    fits = isinstance(ty, Iterator) and isinstance(ty.source, Flat)
    return Signature(ty.item, (ty,)) if fits else None


@abstract(advance, _flat_next_rule)
def next_of_flat(build: FunctionBuilder, sig: Signature, args: list[Value]) -> tuple[Value, str]:
    """The next element in C order; memory past the end is not read."""
    iterator = args[0].ty
    assert isinstance(iterator, Iterator) and isinstance(iterator.source, Flat)
    position, *parts = args[0].parts
    array = Value(iterator.source.array, tuple(parts))
    current = build.load("i64", position, 8)
    count = element_count(build, array_parts(array).shape)
    valid = build.compare("slt", "i64", current, count)
    build.store("i64", build.binary("add nuw nsw", "i64", current, "1"), position, 8)
    before, inside, after = build.block, build.new_label("read"), build.new_label("next")
    build.branch(valid, inside, after)
    build.start(inside)
    pointer = _flat_pointer(build, array, current)
    item = load_element(build, iterator.source.array, pointer)
    last = build.block
    build.jump(after)
    build.start(after)
    kinds = part_types(iterator.item)
    merged = [
        build.phi(kind, [(part, last), ("false" if kind == "i1" else zero(kind), before)])
        for kind, part in zip(kinds, item.parts, strict=True)
    ]
    return Value(iterator.item, tuple(merged)), valid


# --- fill, in ---------------------------------------------------------------------------------


def _fill_fits(arguments: Arguments) -> bool:
    if len(arguments) != 2:
        return False
    array, value = arguments.types
    assert isinstance(array, Array)
    complex_ = types.is_number(value) and isinstance(array.dtype, Complex)
    return not array.readonly and (types.is_real(value) or complex_)


@implemented(method(Array, "fill"), _fill_fits)
def _fill(array, value):  # type: ignore[no-untyped-def]
    array[...] = value


def _membership_fits(arguments: Arguments) -> bool:
    item, owner = arguments.types
    return isinstance(owner, Array) and types.is_number(item)


@implemented(BINARY["in"].function, _membership_fits)
def _contains(item, array):  # type: ignore[no-untyped-def]
    for element in array.flat:  # noqa: SIM110  loops are the point
        if element == item:
            return True
    return False


@implemented(BINARY["not in"].function, _membership_fits)
def _lacks(item, array):  # type: ignore[no-untyped-def]
    for element in array.flat:  # noqa: SIM110
        if element == item:
            return False
    return True


# --- sum, mean --------------------------------------------------------------------------------

_BLOCK = 128  # elements that NumPy adds in eight lanes


def _pairwise(a, start, count):  # type: ignore[no-untyped-def]
    if count < 8:
        total = a[start]
        for k in range(1, count):
            total += a[start + k]
        return total
    if count <= _BLOCK:
        r0, r1, r2, r3 = a[start], a[start + 1], a[start + 2], a[start + 3]
        r4, r5, r6, r7 = a[start + 4], a[start + 5], a[start + 6], a[start + 7]
        whole = count - count % 8
        for k in range(start + 8, start + whole, 8):
            r0 += a[k]
            r1 += a[k + 1]
            r2 += a[k + 2]
            r3 += a[k + 3]
            r4 += a[k + 4]
            r5 += a[k + 5]
            r6 += a[k + 6]
            r7 += a[k + 7]
        total = ((r0 + r1) + (r2 + r3)) + ((r4 + r5) + (r6 + r7))
        for k in range(start + whole, start + count):
            total += a[k]
        return total
    half = count // 2
    half -= half % 8
    return _pairwise_half(a, start, half) + _pairwise_half(a, start + half, count - half)


def _is_array(arguments: Arguments) -> bool:
    return isinstance(arguments.types[0], Array)


def _pairwise_half(a, start, count):  # type: ignore[no-untyped-def]
    raise NotImplementedError


implemented(_pairwise_half, _is_array)(_pairwise)


def _is_swept(ty: Type) -> bool:
    """Whether NumPy goes through the array's memory in one sweep."""
    return isinstance(ty, Array) and (ty.layout != "A" or ty.ndim <= 1)


def _floats(arguments: Arguments) -> bool:
    ty = arguments.types[0]
    return len(arguments) == 1 and isinstance(ty, Array) and isinstance(ty.dtype, Float | Complex)


def _swept_floats(arguments: Arguments) -> bool:
    return _floats(arguments) and _is_swept(arguments.types[0])


def _integers(arguments: Arguments) -> bool:
    ty = arguments.types[0]
    return len(arguments) == 1 and isinstance(ty, Array) and types.is_integral(ty.dtype)


_SUM = method(Array, "sum")


@implemented(np.sum, _swept_floats)
@implemented(_SUM, _swept_floats)
def _sum_of_floats(a):  # type: ignore[no-untyped-def]
    if a.size == 0:
        return a.dtype.type(0)
    return _in_one_sweep(a)


def _in_one_sweep(a):  # type: ignore[no-untyped-def]
    raise NotImplementedError


def _is_line(arguments: Arguments) -> bool:
    ty = arguments.types[0]
    return isinstance(ty, Array) and ty.ndim == 1


@implemented(_in_one_sweep, _is_line)
def _sum_of_line(a):  # type: ignore[no-untyped-def]
    return _pairwise_half(a, 0, a.size)


def _is_block(arguments: Arguments) -> bool:
    ty = arguments.types[0]
    return isinstance(ty, Array) and ty.ndim != 1 and ty.layout != "F"


@implemented(_in_one_sweep, _is_block)
def _sum_of_block(a):  # type: ignore[no-untyped-def]
    return _pairwise_half(a.ravel(), 0, a.size)


@implemented(_in_one_sweep, _is_array)
def _sum_of_columns(a):  # type: ignore[no-untyped-def]
    return _pairwise_half(a.T.ravel(), 0, a.size)


@implemented(np.sum, _floats)
@implemented(_SUM, _floats)
def _sum_of_strided_floats(a):  # type: ignore[no-untyped-def]
    total = a.dtype.type(0)
    for element in a.flat:
        total += element
    return total


@implemented(np.sum, _integers)
@implemented(_SUM, _integers)
def _sum_of_integers(a):  # type: ignore[no-untyped-def]
    total = _no_sum(a)
    for element in a.flat:
        total += element
    return total


def _no_sum(a):  # type: ignore[no-untyped-def]
    raise NotImplementedError


def _no_sum_rule(arguments: Arguments) -> Signature | None:
    ty = arguments.types[0]
    assert isinstance(ty, Array)
    unsigned = isinstance(ty.dtype, Integer) and not ty.dtype.signed
    return Signature(types.uint64 if unsigned else types.int64, (ty,))


@abstract(_no_sum, _no_sum_rule)
def no_sum(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """The sum of no integers: what decides the type of the sum."""
    return build.constant(sig.returns, 0)


_MEAN = method(Array, "mean")


@implemented(np.mean, _floats)
@implemented(_MEAN, _floats)
def _mean_of_floats(a):  # type: ignore[no-untyped-def]
    if a.size == 0:
        return a.dtype.type(np.nan)
    return a.dtype.type(a.sum() / a.dtype.type(a.size))


@implemented(np.mean, _integers)
@implemented(_MEAN, _integers)
def _mean_of_integers(a):  # type: ignore[no-untyped-def]
    if a.size == 0:
        return np.nan
    total = 0.0
    for element in a.flat:
        total += element
    return total / a.size


# --- min, max, any, all -----------------------------------------------------------------------

_NO_MINIMUM = "zero-size array to reduction operation minimum which has no identity"
_NO_MAXIMUM = "zero-size array to reduction operation maximum which has no identity"


def _ordered(arguments: Arguments) -> bool:
    ty = arguments.types[0]
    return len(arguments) == 1 and isinstance(ty, Array) and types.is_real(ty.dtype)


@implemented(np.min, _ordered)
@implemented(method(Array, "min"), _ordered)
def _minimum(a):  # type: ignore[no-untyped-def]
    if a.size == 0:
        raise ValueError(_NO_MINIMUM)
    best = a.flat[0]
    for element in a.flat:
        if element < best or element != element:  # noqa: PLR0124  NaN is the least
            best = element
        if best != best:  # noqa: PLR0124
            break
    return best


@implemented(np.max, _ordered)
@implemented(method(Array, "max"), _ordered)
def _maximum(a):  # type: ignore[no-untyped-def]
    if a.size == 0:
        raise ValueError(_NO_MAXIMUM)
    best = a.flat[0]
    for element in a.flat:
        if element > best or element != element:  # noqa: PLR0124  NaN is the greatest
            best = element
        if best != best:  # noqa: PLR0124
            break
    return best


def _alone(arguments: Arguments) -> bool:
    return _array_alone(arguments) is not None


@implemented(np.any, _alone)
@implemented(method(Array, "any"), _alone)
def _any(a):  # type: ignore[no-untyped-def]
    for element in a.flat:  # noqa: SIM110
        if element:
            return True
    return False


@implemented(np.all, _alone)
@implemented(method(Array, "all"), _alone)
def _all(a):  # type: ignore[no-untyped-def]
    for element in a.flat:  # noqa: SIM110
        if not element:
            return False
    return True
