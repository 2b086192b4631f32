"""Elements that a kernel gathers by indices, which are bounds-checked before its loop begins."""

from __future__ import annotations

from collections.abc import Sequence

from cutaway.lowering.arrays.kernels import WHOLE, Kernel, KernelStep
from cutaway.lowering.arrays.shapes import Shape, broadcast, strides_over
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import ArrayParts, Value, array_parts, item_size
from cutaway.typing import types
from cutaway.typing.types import Array, Integer

OUT_OF_BOUNDS = "index {} is out of bounds for axis {} with size {}"


def shape_of_fetch(
    build: FunctionBuilder, kernel: Kernel, step: KernelStep, operands: Sequence[Value]
) -> Shape:
    """Compute the shape that the indices of an array broadcast to.  Raises IndexError if they do
    not broadcast, and for the first that is out of bounds."""
    whole = kernel.wholes[step.args[0] - WHOLE]
    indices = [operands[arg] for arg in step.args[1:]]
    shapes = [array_parts(one).shape for one in indices if isinstance(one.ty, Array)]
    shape = shapes[0]
    if len(shapes) > 1:
        shape = broadcast(build, shapes, IndexError, "shape mismatch: indexing arrays")
    words = [str(len(shape)), str(len(indices)), "0", "1", *shape, *["0"] * len(shape)]
    sizes = array_parts(whole).shape
    for axis, (index, size) in enumerate(zip(indices, sizes, strict=True)):
        words += _words_of(build, index, axis, size, shape)
    _check(build, words)
    return shape


def _words_of(
    build: FunctionBuilder, index: Value, axis: int, size: str, shape: Shape
) -> list[str]:
    """Return the runtime's description of an array of indices."""
    if isinstance(index.ty, Array):
        assert isinstance(index.ty.dtype, Integer)
        parts, itemsize = array_parts(index), item_size(index.ty.dtype)
        kind = itemsize if index.ty.dtype.signed else -itemsize
    else:
        slot = build.alloca("i64")
        build.store("i64", build.cast(index, types.int64).parts[0], slot, 8)
        parts, kind = ArrayParts("null", slot, (), ()), 8
    address = build.convert("ptrtoint", "ptr", parts.data, "i64")
    return [address, str(kind), size, "0", str(axis), *strides_over(build, parts, shape)]


def _check(build: FunctionBuilder, words: Sequence[str]) -> None:
    row, fault = build.alloca("i64", len(words)), build.alloca("i64", 3)
    for k, word in enumerate(words):
        build.store("i64", word, build.offset(row, str(8 * k)), 8)
    args = [("ptr", row), ("ptr", fault)]
    status = build.call("i32", "cutaway_check_indices", args)
    numbers = [build.load("i64", build.offset(fault, str(8 * k)), 8) for k in range(3)]
    failed = build.compare("ne", "i32", status, "0")
    build.raise_if(failed, IndexError, OUT_OF_BOUNDS, payload=tuple(numbers))
