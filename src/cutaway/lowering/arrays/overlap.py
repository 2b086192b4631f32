"""Run-time checks of whether arrays share memory."""

from __future__ import annotations

from collections.abc import Sequence

from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import ArrayParts, item_size
from cutaway.typing.types import Array


def extent(
    build: FunctionBuilder, data: str, shape: Sequence[str], strides: Sequence[str], size: int
) -> tuple[str, str]:
    """Compute the address of the first byte and past the last, of an array without empty axes."""
    low = build.convert("ptrtoint", "ptr", data, "i64")
    high = build.binary("add", "i64", low, str(size))
    for count, stride in zip(shape, strides, strict=True):
        last = build.binary("sub", "i64", count, "1")
        reach = build.binary("mul", "i64", last, stride)
        down = build.call("i64", "llvm.smin.i64", [("i64", reach), ("i64", "0")])
        up = build.call("i64", "llvm.smax.i64", [("i64", reach), ("i64", "0")])
        low, high = build.binary("add", "i64", low, down), build.binary("add", "i64", high, up)
    return low, high


def may_share(
    build: FunctionBuilder,
    ty: Array,
    parts: ArrayParts,
    other_type: Array,
    other: ArrayParts,
    is_operand: bool,
) -> str:
    """Emit an i1: whether the memory of two arrays may overlap; an operand that is exactly the same
    array is exempt, since each element is read before it is written."""
    is_exempt = is_operand and ty.dtype is other_type.dtype
    if (parts.data, parts.shape, parts.strides) == (other.data, other.shape, other.strides):
        if is_exempt:
            return "false"
    low, high = extent(build, parts.data, parts.shape, parts.strides, item_size(ty.dtype))
    first, last = extent(build, other.data, other.shape, other.strides, item_size(other_type.dtype))
    starts = build.compare("ult", "i64", first, high)
    shared = build.binary("and", "i1", starts, build.compare("ult", "i64", low, last))
    if not is_exempt or len(parts.shape) != len(other.shape):
        return shared
    differs = build.compare("ne", "ptr", parts.data, other.data)
    pairs = [*zip(parts.shape, other.shape), *zip(parts.strides, other.strides)]
    for mine, theirs in pairs:
        if mine != theirs:
            one = build.compare("ne", "i64", mine, theirs)
            differs = build.binary("or", "i1", differs, one)
    return build.binary("and", "i1", shared, differs)
