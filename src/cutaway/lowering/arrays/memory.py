"""Memory of whole arrays: the bytes of new ones, overflow checks, and copies."""

from __future__ import annotations

from math import prod

from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import META_BYTES, ArrayParts, Value, array_value, item_size
from cutaway.typing.types import Array


def allocate(build: FunctionBuilder, ty: Array, shape: tuple[str, ...], zeroed: bool) -> Value:
    """Allocate a new array, zeroed or uninitialized."""
    if build.on_stack and all(size.isdigit() for size in shape):
        return _on_stack(build, ty, shape, zeroed)
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


def _on_stack(build: FunctionBuilder, ty: Array, shape: tuple[str, ...], zeroed: bool) -> Value:
    size = item_size(ty.dtype)
    nbytes = size * prod(map(int, shape))
    data = build.alloca("i64", max((nbytes + 7) // 8, 1))
    if zeroed:
        arguments = [("ptr", data), ("i8", "0"), ("i64", str(nbytes)), ("i1", "false")]
        build.call("void", "llvm.memset.p0.i64", arguments)
    strides = []
    for k in range(len(shape)):
        inner = shape[:k] if ty.layout == "F" else shape[k + 1 :]
        strides.append(str(size * prod(map(int, inner))))
    return array_value(ty, ArrayParts("null", data, shape, tuple(strides)))


TOO_BIG = (
    "array is too big; `arr.size * arr.dtype.itemsize` is larger than the maximum possible size."
)


def checked_size(build: FunctionBuilder, shape: tuple[str, ...], size: str) -> tuple[str, str]:
    """Compute an array's bytes, and whether they overflow, which an empty axis does not excuse."""
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
    """Compute the strides of a contiguous array, in C or in F order."""
    order = shape if layout == "F" else shape[::-1]
    strides, stride = [], str(size)
    for dimension in order:
        strides.append(stride)
        if len(strides) < len(order):
            stride = build.binary("mul", "i64", stride, dimension)
    return tuple(strides if layout == "F" else strides[::-1])
