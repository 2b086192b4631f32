"""Elements of arrays in memory: addresses, loads and stores."""

from __future__ import annotations

from cutaway.ir import nodes
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import (
    ArrayParts,
    Value,
    array_parts,
    item_size,
    memory_type,
    part_types,
)
from cutaway.typing import types
from cutaway.typing.types import Array, Boolean, Complex, Float, Integer, Record, Type


def memory_unit(ty: Type) -> str:
    """Return the LLVM type of an element in memory."""
    if isinstance(ty, Record | types.FixedString):
        return f"[{item_size(ty)} x i8]"
    if isinstance(ty, Complex):
        return f"{{ {memory_type(ty.part)}, {memory_type(ty.part)} }}"
    return memory_type(ty)


def element_pointer(
    build: FunctionBuilder, data: str, strides: list[str] | tuple[str, ...], index: tuple[str, ...]
) -> str:
    """Compute the address of an element by its (checked) indices."""
    for position, stride in zip(index, strides, strict=True):
        if stride != "0":
            data = build.offset(data, build.binary("mul nsw", "i64", position, stride))
    return data


def distance(build: FunctionBuilder, ty: Array, parts: ArrayParts, axis: int) -> str:
    """Compute the bytes from an element to the next one along an axis.

    In a contiguous array that is the product of the inner sizes and the item size.  LLVM knows
    nothing of a stride in a parameter, but that this product is greater than a row, in which the
    indices of a loop stay: so it keeps elements of one row in registers across a write to another.
    A loop across rows is better with a stride: it multiplies less.  The stride of an axis of size 1
    may differ from the product, but is only multiplied by 0.
    """
    stride = parts.strides[axis]
    if _array_of(build) not in build.rows or stride not in build.parameters:
        return stride
    inner = axis + 1 if ty.layout == "C" else axis - 1
    below = distance(build, ty, parts, inner)
    if below == parts.strides[inner] and below != str(item_size(ty.dtype)):
        return stride
    key = (stride, below, parts.shape[inner])
    if key not in build.distances:
        name = build.distances[key] = build.fresh()
        build.at_entry(f"{name} = mul nsw i64 {parts.shape[inner]}, {below}")
    return build.distances[key]


def _array_of(build: FunctionBuilder) -> str:
    match build.op:
        case nodes.GetItem(_, array) | nodes.SetItem(array):
            return array
    return ""


def load_element(build: FunctionBuilder, ty: Array, pointer: str, owner: str = "null") -> Value:
    """Load an element; a record is a view of it, whose memory has that owner.  A text is not
    copied: the caller copies it at once."""
    if isinstance(ty.dtype, Record | types.FixedString):
        kind = ty.element if isinstance(ty.dtype, Record) else ty.dtype
        return Value(kind, (owner, pointer))
    kind = memory_type(ty.dtype)
    align = item_size(ty.dtype) if ty.aligned else 1
    if isinstance(ty.dtype, Boolean):
        byte = build.load("i8", pointer, 1)
        return Value(ty.dtype, (build.compare("ne", "i8", byte, "0"),))
    if isinstance(ty.dtype, Complex):
        half = item_size(ty.dtype) // 2
        real = build.load(kind, pointer, min(align, half))
        imag = build.load(kind, build.offset(pointer, str(half)), min(align, half))
        return Value(ty.dtype, (real, imag))
    return Value(ty.dtype, (build.load(kind, pointer, align),))


def fetched(build: FunctionBuilder, array: Value, indices: list[Value]) -> Value:
    """Load an element of an array by indices within bounds; negative ones count from the end."""
    assert isinstance(array.ty, Array)
    parts = array_parts(array)
    data = parts.data
    unit = memory_unit(array.ty.dtype)
    for index, size, stride in zip(indices, parts.shape, parts.strides, strict=True):
        position = build.cast(index, types.int64).parts[0]
        negative = build.compare("slt", "i64", position, "0")
        wrapped = build.binary("add", "i64", position, build.select(negative, "i64", size, "0"))
        if stride == str(item_size(array.ty.dtype)):
            data = build.offset(data, wrapped, unit)
        else:
            data = build.offset(data, build.binary("mul nsw", "i64", wrapped, stride))
    return load_element(build, array.ty, data)


def store_element(build: FunctionBuilder, ty: Array, value: Value, pointer: str) -> None:
    """Store an element; a number out of its type's range is converted as in C."""
    value = converted_element(build, value, ty.dtype)
    if isinstance(ty.dtype, Record | types.FixedString):
        move_bytes(build, pointer, value.parts[1], item_size(ty.dtype))
        return
    align = item_size(ty.dtype) if ty.aligned else 1
    if isinstance(ty.dtype, Boolean):
        build.store("i8", build.convert("zext", "i1", value.parts[0], "i8"), pointer, 1)
        return
    width = item_size(ty.dtype) // len(value.parts)
    for k, (kind, part) in enumerate(zip(part_types(ty.dtype), value.parts, strict=True)):
        build.store(kind, part, build.offset(pointer, str(k * width)), min(align, width))


def move_bytes(build: FunctionBuilder, target: str, source: str, count: int) -> None:
    """Copy memory that may overlap, as memmove does."""
    args = [("ptr", target), ("ptr", source), ("i64", str(count)), ("i1", "false")]
    build.call("void", "llvm.memmove.p0.p0.i64", args)


def converted_element(build: FunctionBuilder, value: Value, wanted: Type) -> Value:
    """Convert an element to another element type, as NumPy converts whole arrays."""
    if isinstance(value.ty, Float) and isinstance(wanted, Integer):
        return _cut_off(build, value, wanted)
    return build.cast(value, wanted)


def _cut_off(build: FunctionBuilder, value: Value, wanted: Integer) -> Value:
    # As the processor does: in 32 bits for types that fit there, else in 64; a number out of range
    # becomes the smallest one of that size.
    if value.ty is types.float16:  # float16 cannot hold the limits
        value = build.cast(value, types.float32)
    assert isinstance(value.ty, Float)
    part, kind = value.parts[0], part_types(value.ty)[0]
    bits = 64 if wanted.bits == 64 or (wanted.bits == 32 and not wanted.signed) else 32
    limit = build.constant(value.ty, 2.0 ** (bits - 1)).parts[0]
    if wanted is types.uint64:
        high = build.fcompare("oge", kind, part, limit)
        part = build.select(high, kind, build.binary("fsub", kind, part, limit), part)
    fits = build.fcompare("olt", kind, build.math("fabs", value.ty, part), limit)
    result = build.convert("fptosi", kind, part, f"i{bits}")  # chosen only where it fits
    result = build.select(fits, f"i{bits}", result, str(-(1 << (bits - 1))))
    if wanted is types.uint64:
        raised = build.binary("xor", "i64", result, str(-(1 << 63)))
        result = build.select(high, "i64", raised, result)
    return build.cast(Value(types.int64 if bits == 64 else types.int32, (result,)), wanted)
