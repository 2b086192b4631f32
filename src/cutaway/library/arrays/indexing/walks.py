"""`np.nditer`: several arrays traversed together, in the order of memory.

The state of an iterator is whether it has begun, whether it is past the end, and the position along
each axis, the outermost first; then, in order `K`, the operand axis of each position.
"""

from __future__ import annotations

import operator
from typing import Any, NamedTuple

import numpy as np

from cutaway.errors import TypingError
from cutaway.extending.registry import attribute, fields, method, primitive
from cutaway.ir import nodes
from cutaway.library.arrays.indexing.walk_arguments import INDICES, wanted, words
from cutaway.library.arrays.kit.typers import left_out
from cutaway.lowering.arrays.elements import store_element
from cutaway.lowering.arrays.loops import stored
from cutaway.lowering.arrays.memory import allocate
from cutaway.lowering.arrays.messages import raise_text
from cutaway.lowering.arrays.shapes import Shape, broadcast, either, element_count
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import (
    ArrayParts,
    Value,
    array_parts,
    array_value,
    make_tuple,
    part_types,
    tuple_items,
)
from cutaway.typing import types
from cutaway.typing.inference.questions import advance, iterate
from cutaway.typing.overloads.resolution import REQUIRED, Arguments, Signature
from cutaway.typing.types import Array, Iterator, NdIter, String, Tuple, Type

# --- the type -----------------------------------------------------------------------------------


def _operands(ty: Type) -> tuple[Type, ...] | None:
    """The types of the operands; None unless all are arrays or numbers."""
    given = ty.items if isinstance(ty, Tuple) else (ty,)
    if any(left_out(one) for one in given):
        raise TypingError(
            "np.nditer makes no operands in compiled code", hint="pass np.empty_like(a) for None"
        )
    fits = all(isinstance(one, Array) or types.is_number(one) for one in given)
    return given if given and fits else None


def _nditer_rule(arguments: Arguments) -> Signature | None:
    operands = _operands(arguments.types[0])
    if operands is None:
        return None
    said = wanted(arguments, len(operands))
    for ty, way in zip(operands, said.ways, strict=True):
        if way != "readonly" and (not isinstance(ty, Array) or ty.readonly):
            raise TypingError("operand array with iterator write flag set is read-only")
    lines = "external_loop" in said.flags
    tracked = tuple(flag for flag in said.flags if flag in INDICES)
    arrays = [ty if isinstance(ty, Array) else Array(ty, 0, "C") for ty in operands]
    ndim = max(max(array.ndim for array in arrays), int(lines))
    order = _order(arrays, said.order, ndim)
    if _is_line(arrays, order) and not lines and not tracked:
        ndim = min(ndim, 1)
    layout = "C" if ndim == 0 or _is_line(arrays, order) and ndim == 1 else "A"
    views = tuple(
        Array(array.dtype, ndim, layout, way == "readonly", array.aligned)
        for array, way in zip(arrays, said.ways, strict=True)
    )
    alone = len(operands) == 1
    return Signature(NdIter(views, order, alone, lines, tracked), arguments.types)


def _order(arrays: list[Array], order: str, ndim: int) -> str:
    """The order if it is known statically: "K" becomes "C" or "F" if the layouts are known."""
    if order != "K":
        return order
    if all(array.layout == "C" for array in arrays):
        return "C"
    return "F" if len(arrays) == 1 and arrays[0].layout == "F" else "K"


def _is_line(arrays: list[Array], order: str) -> bool:
    """True for one array that is contiguous in the order of the walk."""
    return len(arrays) == 1 and (arrays[0].layout == order or arrays[0].ndim == 0)


# --- construction -------------------------------------------------------------------------------


_PLACES = 2  # the state's word where the positions begin


class Axes(NamedTuple):
    """The axes of a walk, the outermost first, with the start address and strides of each array."""

    shape: list[str]
    data: list[str]
    strides: list[list[str]]


@primitive(
    np.nditer,
    _nditer_rule,
    ("op", "flags", "op_flags", "op_dtypes", "order", "casting", "op_axes", "itershape")
    + ("buffersize",),  # noqa: RUF005  the line would be too long
    (REQUIRED, None, None, None, "K", "safe", None, None, 0),
    any_elements=True,
)
def nditer(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`np.nditer(a)`, `np.nditer([a, b])`."""
    ty = sig.returns
    assert isinstance(ty, NdIter)
    items = tuple_items(args[0]) if isinstance(args[0].ty, Tuple) else [args[0]]
    flags = words(sig.args[1], "flags")
    made = {k: _single(build, one) for k, one in enumerate(items) if not isinstance(one.ty, Array)}
    operands = [made.get(k, item) for k, item in enumerate(items)]
    slots = [build.keep(array_parts(one).owner) for one in made.values()]
    shape = _joint_shape(build, ty, operands, "reduce_ok" in flags)
    empty = build.compare("eq", "i64", element_count(build, shape), "0")
    if "zerosize_ok" not in flags:
        build.raise_if(empty, ValueError, "Iteration of zero-sized operands is not enabled")
    for one in slots:
        build.let_go(one)
    for k, operand in enumerate(operands):
        if k not in made:
            build.call("void", "cutaway_incref", [("ptr", array_parts(operand).owner)])
    ordered = ty.arrays[0].ndim if ty.order == "K" else 0
    memory, state = build.new_cell(_PLACES + ty.ndim + ordered)
    axes = _axes(build, ty, operands, shape, _order_at(build, ty, state))
    parts = [memory, state, *axes.shape[: ty.ndim]]
    for number, (view, operand) in enumerate(zip(ty.arrays, operands, strict=True)):
        sizes = _sizes(view, axes.shape)
        given = ArrayParts(
            array_parts(operand).owner, axes.data[number], sizes, tuple(axes.strides[number])
        )
        parts += array_value(view, given).parts
    walk = Value(ty, tuple(parts))
    _rewind(build, walk)
    return walk


def _sizes(view: Array, shape: list[str]) -> Shape:
    return tuple(shape[: view.ndim])


def _single(build: FunctionBuilder, value: Value) -> Value:
    """A number as a new array without axes."""
    ty = Array(value.ty, 0, "C")
    made = allocate(build, ty, (), zeroed=False)
    store_element(build, ty, value, array_parts(made).data)
    return made


def _joint_shape(build: FunctionBuilder, ty: NdIter, operands: list[Value], reduces: bool) -> Shape:
    """The shape that all operands broadcast to. Raises ValueError for a mismatch, or if a written
    operand would be broadcast."""
    shapes = [array_parts(operand).shape for operand in operands]
    shape = broadcast(build, shapes)
    for view, own in zip(ty.arrays, shapes, strict=True):
        if view.readonly or reduces:
            continue
        for place in range(1, len(shape) + 1):  # counted from the last axis, as in the message
            size = own[-place] if place <= len(own) else "1"
            if size != shape[-place]:
                fewer = build.compare("ne", "i64", size, shape[-place])
                raise_text(build, fewer, ValueError, _REDUCES.format(place - 1), [])
    return shape


_REDUCES = (
    "output operand requires a reduction along dimension {}, but the reduction is not enabled. The"
    " dimension size of 1 does not match the expected output shape."
)


def _order_at(build: FunctionBuilder, ty: NdIter, state: str) -> str:
    """The address of the words that hold the operand axis of each position."""
    return build.offset(state, str(8 * (_PLACES + ty.ndim)))


def _axes(
    build: FunctionBuilder, ty: NdIter, operands: list[Value], shape: Shape, places: str
) -> Axes:
    parts = [array_parts(operand) for operand in operands]
    data = [one.data for one in parts]
    ndim = ty.arrays[0].ndim
    if ndim < len(shape):  # a single line of elements
        size = element_count(build, shape)
        step = str(types.to_dtype(ty.arrays[0].dtype).itemsize)
        return Axes([size], data, [[step]])
    strides = [_strides(build, one, shape) for one in parts]
    if not shape and ndim:
        shape, strides = ("1",), [["0"] for _ in parts]
    axes = Axes(list(shape), data, strides)
    if ty.order == "F":
        axes = Axes(axes.shape[::-1], data, [one[::-1] for one in strides])
    elif ty.order == "K" and ndim:
        axes = _sorted(build, axes, places)
    return _joined(build, axes) if ty.lines else axes


def _strides(build: FunctionBuilder, parts: ArrayParts, shape: Shape) -> list[str]:
    """The strides over the axes of a shape, 0 along axes of length one."""
    strides = ["0"] * (len(shape) - len(parts.shape))
    for size, stride in zip(parts.shape, parts.strides, strict=True):
        single = build.compare("eq", "i64", size, "1")
        strides.append(build.select(single, "i64", "0", stride))
    return strides


def _sorted(build: FunctionBuilder, axes: Axes, places: str) -> Axes:
    """The axes sorted by memory order, from the lowest address on; their numbers are stored at
    `places`."""
    ndim, count = len(axes.shape), len(axes.data)
    words = stored(build, "i64", [*axes.shape, *(step for steps in axes.strides for step in steps)])
    numbers = [("i64", str(ndim)), ("i64", str(count))]
    strides_at = build.offset(words, str(8 * ndim))
    operands = [("ptr", words), ("ptr", strides_at), ("ptr", places)]
    build.call("void", "cutaway_axis_order", [*numbers, *operands])
    result = Axes([], list(axes.data), [[] for _ in range(count)])
    for place in range(ndim):
        axis, turned = _axis_at(build, places, place)
        size = _word_at(build, words, axis)
        result.shape.append(size)
        last = build.binary("sub", "i64", size, "1")
        for k in range(count):
            steps = build.offset(strides_at, str(8 * ndim * k))
            step = _word_at(build, steps, axis)
            way = build.binary("mul", "i64", last, step)
            first = build.select(turned, "i64", way, "0")
            result.data[k] = build.offset(result.data[k], first, inbounds=False)
            back = build.binary("sub", "i64", "0", step)
            result.strides[k].append(build.select(turned, "i64", back, step))
    return result


def _word_at(build: FunctionBuilder, memory: str, index: str) -> str:
    return build.load("i64", build.offset(memory, index, "i64"), 8)


def _axis_at(build: FunctionBuilder, places: str, place: int) -> tuple[str, str]:
    """The operand axis of a walk position, and an i1: whether it is traversed backward."""
    word = build.load("i64", build.offset(places, str(8 * place)), 8)
    turned = build.compare("slt", "i64", word, "0")
    other = build.binary("xor", "i64", word, "-1")
    return build.select(turned, "i64", other, word), turned


def _joined(build: FunctionBuilder, axes: Axes) -> Axes:
    """The axes with the last one merged with those before it that are contiguous with it."""
    shape, strides = list(axes.shape), [list(steps) for steps in axes.strides]
    goes_on = "true"
    for place in range(len(shape) - 2, -1, -1):
        for steps in strides:
            goes_on = build.binary("and", "i1", goes_on, _continues(build, shape, steps, place))
        for steps in strides:
            none = build.compare("eq", "i64", steps[-1], "0")
            taken = build.binary("and", "i1", none, goes_on)
            steps[-1] = build.select(taken, "i64", steps[place], steps[-1])
        product = build.binary("mul", "i64", shape[-1], shape[place])
        shape[-1] = build.select(goes_on, "i64", product, shape[-1])
        shape[place] = build.select(goes_on, "i64", "1", shape[place])
    return axes._replace(shape=shape, strides=strides)


def _continues(build: FunctionBuilder, shape: list[str], steps: list[str], place: int) -> str:
    """An i1: whether an axis and the last one can be merged for an array."""
    whole = build.binary("mul", "i64", steps[-1], shape[-1])
    fits = build.compare("eq", "i64", whole, steps[place])
    for k in (place, -1):
        single = build.compare("eq", "i64", shape[k], "1")
        still = build.compare("eq", "i64", steps[k], "0")
        fits = either(build, fits, build.binary("and", "i1", single, still))
    return fits


# --- iteration ----------------------------------------------------------------------------------


class NditerParts(NamedTuple):
    """The unpacked parts of an iterator."""

    state: str
    shape: Shape
    arrays: list[Value]


def _walk(value: Value) -> NditerParts:
    ty = value.ty
    assert isinstance(ty, NdIter)
    _, state, *rest = value.parts
    shape, arrays = tuple(rest[: ty.ndim]), []
    del rest[: ty.ndim]
    for view in ty.arrays:
        count = len(part_types(view))
        arrays.append(Value(view, tuple(rest[:count])))
        del rest[:count]
    return NditerParts(state, shape, arrays)


def _slot(build: FunctionBuilder, walk: NditerParts, number: int) -> str:
    return build.offset(walk.state, str(8 * number))


def _is_over(build: FunctionBuilder, walk: NditerParts) -> str:
    return build.compare("ne", "i64", build.load("i64", _slot(build, walk, 1), 8), "0")


def _rewind(build: FunctionBuilder, value: Value) -> None:
    """Reset an iterator to its beginning, which is its end for an empty shape."""
    walk = _walk(value)
    shape = list(walk.shape)
    if isinstance(value.ty, NdIter) and value.ty.lines:
        shape.append(array_parts(walk.arrays[0]).shape[-1])
    over = build.compare("eq", "i64", element_count(build, shape), "0")
    words = ["0", build.convert("zext", "i1", over, "i64"), *["0"] * len(walk.shape)]
    for k, word in enumerate(words):
        build.store("i64", word, _slot(build, walk, k), 8)


def _move(build: FunctionBuilder, walk: NditerParts, carry: str) -> str:
    """Advance if carry is "1", stay if "0"; an i1: whether there is an element."""
    over = _is_over(build, walk)
    carry = build.select(over, "i64", "0", carry)
    for k in range(len(walk.shape) - 1, -1, -1):
        slot = _slot(build, walk, _PLACES + k)
        moved = build.binary("add", "i64", build.load("i64", slot, 8), carry)
        full = build.compare("eq", "i64", moved, walk.shape[k])
        build.store("i64", build.select(full, "i64", "0", moved), slot, 8)
        carry = build.select(full, "i64", carry, "0")
    ended = either(build, over, build.compare("ne", "i64", carry, "0"))
    build.store("i64", build.convert("zext", "i1", ended, "i64"), _slot(build, walk, 1), 8)
    return build.binary("xor", "i1", ended, "true")


def _item(build: FunctionBuilder, ty: NdIter, walk: NditerParts) -> Value:
    """The arrays at the iterator's position."""
    places = [build.load("i64", _slot(build, walk, _PLACES + k), 8) for k in range(len(walk.shape))]
    views = ty.item.items if isinstance(ty.item, Tuple) else (ty.item,)
    items = []
    for array, view in zip(walk.arrays, views, strict=True):
        assert isinstance(view, Array)
        parts, data = array_parts(array), array_parts(array).data
        for place, stride in zip(places, parts.strides, strict=False):
            data = build.offset(data, build.binary("mul", "i64", place, stride), inbounds=False)
        inner = ArrayParts(parts.owner, data, parts.shape[ty.ndim :], parts.strides[ty.ndim :])
        items.append(array_value(view, inner))
    return items[0] if ty.alone else make_tuple(items)


def _begin_rule(arguments: Arguments) -> Signature | None:
    ty = arguments.types[0]
    return Signature(ty.iterator(), (ty,)) if isinstance(ty, NdIter) else None


@primitive(iterate, _begin_rule)
def begin_walk(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`iter(it)`: the iterator itself, at its current position."""
    return Value(sig.returns, args[0].parts)


def _next_rule(arguments: Arguments) -> Signature | None:
    ty = arguments.types[0]
    fits = isinstance(ty, Iterator) and isinstance(ty.source, NdIter)
    return Signature(ty.item, (ty,)) if fits else None


@primitive(advance, _next_rule)
def next_of_walk(build: FunctionBuilder, sig: Signature, args: list[Value]) -> tuple[Value, str]:
    """The next arrays; the first call returns those at the current position."""
    source = args[0].ty
    assert isinstance(source, Iterator) and isinstance(source.source, NdIter)
    walk = _walk(Value(source.source, args[0].parts))
    begun = _slot(build, walk, 0)
    valid = _move(build, walk, build.load("i64", begun, 8))
    build.store("i64", "1", begun, 8)
    return _item(build, source.source, walk), valid


# --- attributes and methods ---------------------------------------------------------------------

_PAST = "Iterator is past the end"


def _place(build: FunctionBuilder, value: Value) -> list[str]:
    """The current index along the operands' axes."""
    ty, walk = value.ty, _walk(value)
    assert isinstance(ty, NdIter)
    build.raise_if(_is_over(build, walk), ValueError, _PAST)
    places = [build.load("i64", _slot(build, walk, _PLACES + k), 8) for k in range(ty.ndim)]
    if ty.order != "K":
        return places[::-1] if ty.order == "F" else places
    found, order = build.alloca("i64", max(ty.ndim, 1)), _order_at(build, ty, walk.state)
    for k, place in enumerate(places):
        axis, turned = _axis_at(build, order, k)
        last = build.binary("sub", "i64", walk.shape[k], "1")
        back = build.binary("sub", "i64", last, place)
        at = build.offset(found, axis, "i64")
        build.store("i64", build.select(turned, "i64", back, place), at, 8)
    return [build.load("i64", build.offset(found, str(8 * k)), 8) for k in range(ty.ndim)]


def _sizes_of_operands(build: FunctionBuilder, value: Value) -> list[str]:
    """The shape that the operands broadcast to."""
    ty, walk = value.ty, _walk(value)
    assert isinstance(ty, NdIter)
    if ty.order != "K" or not ty.ndim:
        return list(walk.shape[::-1] if ty.order == "F" else walk.shape)
    found, order = build.alloca("i64", ty.ndim), _order_at(build, ty, walk.state)
    for k, size in enumerate(walk.shape):
        axis, _ = _axis_at(build, order, k)
        build.store("i64", size, build.offset(found, axis, "i64"), 8)
    return [build.load("i64", build.offset(found, str(8 * k)), 8) for k in range(ty.ndim)]


def _index_tuple(ty: NdIter) -> Type | None:
    if "multi_index" not in ty.tracked:
        raise TypingError(
            "Iterator is not tracking a multi-index", hint='np.nditer(a, flags=["multi_index"])'
        )
    return Tuple((types.int64,) * ty.ndim)


@attribute(NdIter, "multi_index", _index_tuple)
def multi_index(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`it.multi_index`."""
    return make_tuple([Value(types.int64, (place,)) for place in _place(build, args[0])])


@attribute(NdIter, "shape", _index_tuple)
def shape(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`it.shape`, of an iterator with a multi-index."""
    build.raise_if(_is_over(build, _walk(args[0])), ValueError, _PAST)
    sizes = _sizes_of_operands(build, args[0])
    return make_tuple([Value(types.int64, (size,)) for size in sizes])


def _index_type(ty: NdIter) -> Type | None:
    if not {"c_index", "f_index"}.intersection(ty.tracked):
        raise TypingError("Iterator does not have an index", hint='np.nditer(a, flags=["c_index"])')
    return types.int64


@attribute(NdIter, "index", _index_type)
def index(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`it.index`: the flat index in C or F order."""
    ty = args[0].ty
    assert isinstance(ty, NdIter)
    pairs = list(zip(_place(build, args[0]), _sizes_of_operands(build, args[0]), strict=True))
    number = "0"
    for place, size in pairs if "c_index" in ty.tracked else pairs[::-1]:
        number = build.binary("add", "i64", build.binary("mul", "i64", number, size), place)
    return Value(types.int64, (number,))


def _operand_rule(arguments: Arguments) -> Signature | None:
    ty, number = arguments.types[0], arguments.constants[1]
    if not isinstance(ty, NdIter) or type(number) is not int:
        return None
    count = len(ty.arrays)
    if not -count <= number < count:
        raise TypingError(f"Iterator operand index {number} is out of bounds")
    item = ty.item.items[number] if isinstance(ty.item, Tuple) else ty.item
    return Signature(item, (ty, types.constant_type(String, str(number % count))))


@primitive(operator.getitem, _operand_rule)
def operand(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`it[0]`: one operand's array at the iterator's position."""
    assert isinstance(args[0].ty, NdIter)
    walk = _walk(args[0])
    build.raise_if(_is_over(build, walk), ValueError, _PAST)
    item = _item(build, args[0].ty, walk)
    number = sig.args[1]
    assert isinstance(number, String)
    return item if args[0].ty.alone else tuple_items(item)[int(number.value)]


_COUNTS = ("iterindex", "itersize", "nop")


def _count_type(ty: NdIter, name: str) -> Type | None:
    if name == "finished":
        return types.boolean
    if name == "value":
        return ty.item
    return types.int64 if name in _COUNTS else None


@fields(NdIter, _count_type)
def count(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`it.finished`, `it.itersize` and the like."""
    assert isinstance(build.op, nodes.GetAttr) and isinstance(args[0].ty, NdIter)
    walk, ty = _walk(args[0]), args[0].ty
    match build.op.attr:
        case "nop":
            return build.constant(types.int64, len(ty.arrays))
        case "finished":
            return Value(types.boolean, (_is_over(build, walk),))
        case "value":
            build.raise_if(_is_over(build, walk), ValueError, _PAST)
            return _item(build, ty, walk)
        case "itersize":
            inner = array_parts(walk.arrays[0]).shape[ty.ndim :]
            return Value(types.int64, (element_count(build, (*walk.shape, *inner)),))
    build.raise_if(_is_over(build, walk), ValueError, _PAST)
    number = "0"
    for k, size in enumerate(walk.shape):
        place = build.load("i64", _slot(build, walk, _PLACES + k), 8)
        number = build.binary("add", "i64", build.binary("mul", "i64", number, size), place)
    for size in array_parts(walk.arrays[0]).shape[ty.ndim :]:
        number = build.binary("mul", "i64", number, size)
    return Value(types.int64, (number,))


def _alone(returns: Type) -> Any:
    def rule(arguments: Arguments) -> Signature | None:
        fits = len(arguments) == 1 and isinstance(arguments.types[0], NdIter)
        return Signature(returns, arguments.types) if fits else None

    return rule


@primitive(method(NdIter, "iternext"), _alone(types.boolean))
def iternext(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`it.iternext()`: advance; False at the end."""
    return Value(types.boolean, (_move(build, _walk(args[0]), "1"),))


@primitive(method(NdIter, "reset"), _alone(types.none))
def reset(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`it.reset()`: start over."""
    _rewind(build, args[0])
    return Value(types.none, ())
