"""The ops that whole-array operations become in parfors, outside of kernels and in them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cutaway.ir import nodes
from cutaway.ir.parfor_elements import named
from cutaway.ir.reductions import nothing_to_reduce
from cutaway.lowering.arrays import shapes
from cutaway.lowering.arrays.copying import assign
from cutaway.lowering.arrays.elements import load_element, store_element
from cutaway.lowering.arrays.memory import allocate
from cutaway.lowering.arrays.overlap import may_share
from cutaway.lowering.build.builder import SECOND_COLD
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import ArrayParts, Value, array_parts, array_value, item_size
from cutaway.typing import types
from cutaway.typing.types import Array

if TYPE_CHECKING:
    from cutaway.lowering.function import FunctionLowering


def sizes_of(into: FunctionLowering, op: nodes.SizesOf) -> None:
    """Emit the broadcast sizes; axes that are proven equal share one text, without comparisons."""
    texts: dict[object, str] = {}
    shapes_of = [_shape(into, name, texts) for name in op.args]
    build, count = into.build, len(op.args)
    if op.target is None:
        together = shapes.broadcast(build, shapes_of, suffix=named(op.texts[:count]))
    else:
        together = _shape(into, op.target, texts)
        if op.target in op.args:
            suffix = named(op.texts)
            together = shapes.broadcast_into(build, shapes_of, together, suffix)
        elif shapes_of:
            given = shapes.broadcast(build, shapes_of, suffix=named(op.texts[:count]))
            message = f"{shapes.COULD_NOT_BROADCAST} {named(op.texts)}"
            shapes.require_shape(build, given, together, message)
    for name, size in zip(op.results, together, strict=True):
        into.values[name] = Value(types.int64, (size,))


def _shape(into: FunctionLowering, name: str, texts: dict[object, str]) -> shapes.Shape:
    keys = into.sizes.of(name, into.label)
    own = array_parts(into.values[name]).shape
    return tuple(
        str(key) if isinstance(key, int) else texts.setdefault(key, size)
        for key, size in zip(keys, own, strict=True)
    )


def new_array(into: FunctionLowering, op: nodes.NewArray) -> Value:
    """Allocate the new array."""
    ty = into.types[op.result]
    assert isinstance(ty, Array)
    sizes = tuple(into.values[name].parts[0] for name in op.sizes)
    return allocate(into.build, ty, sizes, zeroed=False)


def apart(into: FunctionLowering, op: nodes.Apart) -> Value:
    """Return the array with one more reference, or a copy if it overlaps the target."""
    build, given, returns = into.build, into.values[op.value], into.types[op.result]
    target = into.values[op.target]
    assert isinstance(given.ty, Array) and isinstance(target.ty, Array)
    assert isinstance(returns, Array)
    parts, theirs = array_parts(given), array_parts(target)
    shared = may_share(build, target.ty, theirs, given.ty, parts, True)
    copies, joined = build.new_label("copied"), build.new_label("apart")
    build.call("void", "cutaway_incref", [("ptr", parts.owner)])
    before = build.block
    build.branch(shared, copies, joined, SECOND_COLD)
    build.start(copies)
    own_type = Array(given.ty.dtype, given.ty.ndim, "C")
    own = array_parts(allocate(build, own_type, parts.shape, zeroed=False))
    assign(build, item_size(given.ty.dtype), parts, own)
    build.call("void", "cutaway_decref", [("ptr", parts.owner)])
    end = build.block
    build.jump(joined)
    build.start(joined)

    def either(kind: str, new: str, old: str) -> str:
        return new if new == old else build.phi(kind, [(new, end), (old, before)])

    strides = [either("i64", a, b) for a, b in zip(own.strides, parts.strides, strict=True)]
    owner, data = either("ptr", own.owner, parts.owner), either("ptr", own.data, parts.data)
    return array_value(returns, ArrayParts(owner, data, parts.shape, tuple(strides)))


def require_elements(into: FunctionLowering, op: nodes.RequireElements) -> None:
    """Raise ValueError for a reduction of zero elements."""
    build = into.build
    count = shapes.element_count(build, [into.values[name].parts[0] for name in op.sizes])
    nothing = build.compare("eq", "i64", count, "0")
    build.raise_if(nothing, ValueError, nothing_to_reduce(op.function))


def load_of(into: FunctionLowering, op: nodes.Load) -> Value:
    """Load the element; along an axis of size 1, its only one."""
    array = into.values[op.array]
    assert isinstance(array.ty, Array)
    pointer = _place(into.build, array, [into.values[name].parts[0] for name in op.indices], True)
    return load_element(into.build, array.ty, pointer)


def line_of(into: FunctionLowering, op: nodes.Line) -> Value:
    """Return the line of the array, whose owner is that of the array."""
    build, array, returns = into.build, into.values[op.array], into.types[op.result]
    assert isinstance(array.ty, Array)
    parts = array_parts(array)
    places = [into.values[name].parts[0] for name in op.indices]
    places.insert(op.axis, "0")
    pointer = _place(build, array, places, True)
    size, stride = (row[op.axis] for row in (parts.shape, parts.strides))
    return array_value(returns, ArrayParts(parts.owner, pointer, (size,), (stride,)))


def store(into: FunctionLowering, op: nodes.Store) -> None:
    """Store the element."""
    target = into.values[op.target]
    assert isinstance(target.ty, Array)
    places = [into.values[name].parts[0] for name in op.indices]
    pointer = _place(into.build, target, places[len(places) - target.ty.ndim :], False)
    store_element(into.build, target.ty, into.values[op.value], pointer)


def _place(build: FunctionBuilder, array: Value, places: list[str], broadcast: bool) -> str:
    parts = array_parts(array)
    pointer = parts.data
    for place, size, stride in zip(places, parts.shape, parts.strides, strict=True):
        step = stride
        if broadcast:
            single = build.compare("eq", "i64", size, "1")
            step = build.select(single, "i64", "0", stride)
        pointer = build.offset(pointer, build.binary("mul nsw", "i64", place, step))
    return pointer
