"""The broadcast shape of operands, and the strides to traverse them with.

Sizes are texts of LLVM IR; two that are the same text are the same size, and need no comparison.
"""

from __future__ import annotations

from collections.abc import Sequence

from cutaway.lowering.arrays.messages import raise_text, shape_format
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import ArrayParts, Value, array_parts, item_size
from cutaway.typing import types

Shape = tuple[str, ...]


def element_count(build: FunctionBuilder, shape: Sequence[str]) -> str:
    """Compute the number of elements of a shape."""
    count = "1"
    for size in shape:
        count = size if count == "1" else build.binary("mul", "i64", count, size)
    return count


def is_in_order(build: FunctionBuilder, array: Value, layout: str) -> str:
    """Emit an i1: whether elements lie in C or in Fortran order without gaps.  The strides of axes
    of size 1 do not count, nor those of an empty array."""
    assert isinstance(array.ty, types.Array)
    parts, expected = array_parts(array), str(item_size(array.ty.dtype))
    lies, step = "true", 1 if layout == "F" else -1
    for size, stride in list(zip(parts.shape, parts.strides, strict=True))[::step]:
        single = build.compare("eq", "i64", size, "1")
        here = build.compare("eq", "i64", stride, expected)
        lies = build.binary("and", "i1", lies, build.binary("or", "i1", single, here))
        expected = build.binary("mul", "i64", expected, size)
    return or_empty(build, parts.shape, lies)


def or_empty(build: FunctionBuilder, shape: Shape, otherwise: str) -> str:
    """Emit an i1: whether a condition holds, or the shape has no elements."""
    none = build.compare("eq", "i64", element_count(build, shape), "0")
    return build.binary("or", "i1", none, otherwise)


def broadcast(
    build: FunctionBuilder,
    shapes: Sequence[Shape],
    exception: type[Exception] = ValueError,
    what: str = "operands",
    suffix: str = "",
) -> Shape:
    """Compute the shape that the operands of an operation broadcast to; raises in NumPy's words if
    they do not: `what` names the operands, and the suffix ends the message."""
    ndim = max(map(len, shapes))
    wrong, result = "false", []
    for axis in range(-ndim, 0):
        size = "1"
        for shape in shapes:
            if len(shape) >= -axis:
                size, bad = common_size(build, size, shape[axis])
                wrong = either(build, wrong, bad)
        result.append(size)
    if wrong != "false":
        numbers = [Value(types.int64, (size,)) for shape in shapes for size in shape]
        texts = "".join(f"{shape_format(len(shape))} " for shape in shapes)
        message = f"{what} could not be broadcast together with shapes {texts}{suffix}"
        raise_text(build, wrong, exception, message, numbers)
    return tuple(result)


def broadcast_into(
    build: FunctionBuilder, shapes: Sequence[Shape], output: Shape, suffix: str = ""
) -> Shape:
    """Compute the shape of an output that operands are broadcast to; raises ValueError, in NumPy's
    words, which end with the suffix, if they do not broadcast together, or it is too small."""
    together = broadcast(build, [*shapes, output], suffix=suffix)
    wrong = "true" if len(together) > len(output) else "false"
    for size, wanted in zip(together, output, strict=False):
        if size != wanted and wrong != "true":
            wrong = either(build, wrong, build.compare("ne", "i64", size, wanted))
    if wrong != "false":
        numbers = [Value(types.int64, (size,)) for size in (*output, *together)]
        message = (
            f"non-broadcastable output operand with shape {shape_format(len(output))} doesn't match"
            f" the broadcast shape {shape_format(len(together))}{suffix and ' ' + suffix}"
        )
        raise_text(build, wrong, ValueError, message, numbers)
    return output


def common_size(build: FunctionBuilder, size: str, other: str) -> tuple[str, str]:
    """Compute the common size of an axis of two operands, and an i1: whether they mismatch."""
    if size == other or other == "1":
        return size, "false"
    if size == "1":
        return other, "false"
    differ = build.compare("ne", "i64", size, other)
    single = build.compare("eq", "i64", size, "1")
    many = build.compare("ne", "i64", other, "1")
    not_single = build.binary("xor", "i1", single, "true")
    bad = build.binary("and", "i1", differ, build.binary("and", "i1", not_single, many))
    return build.select(single, "i64", other, size), bad


def either(build: FunctionBuilder, a: str, b: str) -> str:
    """Emit an i1: whether one of two holds; folds constants."""
    if "false" in (a, b):
        return b if a == "false" else a
    return build.binary("or", "i1", a, b)


def strides_over(build: FunctionBuilder, parts: ArrayParts, shape: Shape) -> list[str]:
    """Compute the strides of an operand over the shape: 0 along axes that it is broadcast along."""
    missing = len(shape) - len(parts.shape)
    strides = ["0"] * missing
    for size, stride, wanted in zip(parts.shape, parts.strides, shape[missing:], strict=True):
        if size == wanted:
            strides.append(stride)
        elif size == "1":
            strides.append("0")
        else:
            same = build.compare("eq", "i64", size, wanted)
            strides.append(build.select(same, "i64", stride, "0"))
    return strides


COULD_NOT_BROADCAST = "could not broadcast input array from shape {} into shape {}"


def require_shape(
    build: FunctionBuilder, shape: Shape, target: Shape, message: str = COULD_NOT_BROADCAST
) -> None:
    """Raise ValueError unless a shape can be broadcast to that of the target."""
    wrong = misfit(build, shape, target)
    if wrong != "false":
        raise_mismatch(build, wrong, shape, target, message)


def misfit(build: FunctionBuilder, shape: Shape, target: Shape) -> str:
    """Emit an i1: whether a shape cannot be broadcast to another."""
    missing = len(shape) - len(target)
    wrong = "false"
    for size in shape[: max(missing, 0)]:  # more axes than the target has
        if size != "1":
            wrong = either(build, wrong, build.compare("ne", "i64", size, "1"))
    axes = zip(shape[max(missing, 0) :], target[max(-missing, 0) :], strict=True)
    for size, wanted in axes:
        if size not in (wanted, "1"):
            differ = build.compare("ne", "i64", size, wanted)
            many = build.compare("ne", "i64", size, "1")
            wrong = either(build, wrong, build.binary("and", "i1", differ, many))
    return wrong


def raise_mismatch(
    build: FunctionBuilder,
    wrong: str,
    shape: Shape,
    target: Shape,
    message: str = COULD_NOT_BROADCAST,
) -> None:
    """Raise NumPy's ValueError for an assignment if an i1 is true."""
    text = message.format(shape_format(len(shape)), shape_format(len(target)))
    numbers = [Value(types.int64, (size,)) for size in (*shape, *target)]
    raise_text(build, wrong, ValueError, text, numbers)
