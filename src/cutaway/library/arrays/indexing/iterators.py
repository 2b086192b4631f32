"""Iterators over all indices of a shape: `np.ndindex`, and with elements `np.ndenumerate`; open
meshes: `np.ix_`."""

from __future__ import annotations

import numpy as np

from cutaway.errors import TypingError
from cutaway.extending.registry import primitive
from cutaway.library.arrays.indexing import gathering
from cutaway.library.arrays.methods import flat_of
from cutaway.library.containers.iteration import begin
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import (
    ArrayParts,
    Value,
    array_parts,
    array_value,
    make_tuple,
    tuple_items,
)
from cutaway.typing import types
from cutaway.typing.inference.questions import advance
from cutaway.typing.overloads.resolution import Arguments, Signature
from cutaway.typing.types import (
    Array,
    Boolean,
    Flat,
    Indices,
    Integer,
    Iterator,
    Tuple,
    Zipped,
)


def indices_of(ndim: int) -> Iterator:
    """The type of an iterator over the indices of a shape."""
    return Iterator(Indices(ndim), Tuple((types.int64,) * ndim))


def _ndindex_rule(arguments: Arguments) -> Signature | None:
    sizes = arguments.types
    if len(sizes) == 1 and isinstance(sizes[0], Tuple):
        sizes = sizes[0].items
    if not all(map(types.is_integral, sizes)):
        return None
    return Signature(indices_of(len(sizes)), arguments.types)


@primitive(np.ndindex, _ndindex_rule)
def ndindex(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`np.ndindex(shape)`, `np.ndindex(n, m)`."""
    items = tuple_items(args[0]) if len(args) == 1 and isinstance(args[0].ty, Tuple) else args
    sizes = [build.cast(item, types.int64).parts[0] for item in items]
    for size in sizes:
        negative = build.compare("slt", "i64", size, "0")
        build.raise_if(negative, ValueError, "negative dimensions are not allowed")
    return _begin(build, sizes)


def _begin(build: FunctionBuilder, sizes: list[str]) -> Value:
    """Build an iterator, whose state is its index; of an empty shape it begins past the end."""
    memory, places = build.new_cell(max(len(sizes), 1))
    empty = "false"
    for size in sizes[1:]:
        none = build.compare("eq", "i64", size, "0")
        empty = build.binary("or", "i1", empty, none)
    first = build.select(empty, "i64", sizes[0], "0") if sizes else "0"
    build.store("i64", first, places, 8)
    for k in range(1, len(sizes)):
        build.store("i64", "0", build.offset(places, str(8 * k)), 8)
    return Value(indices_of(len(sizes)), (memory, places, *sizes))


def _next_rule(arguments: Arguments) -> Signature | None:
    ty = arguments.types[0]
    fits = isinstance(ty, Iterator) and isinstance(ty.source, Indices)
    return Signature(ty.item, (ty,)) if fits else None


@primitive(advance, _next_rule)
def next_index(build: FunctionBuilder, sig: Signature, args: list[Value]) -> tuple[Value, str]:
    """The next index: the last position advances, and carries into those before it."""
    _, places, *sizes = args[0].parts
    slots = [build.offset(places, str(8 * k)) for k in range(max(len(sizes), 1))]
    index = [build.load("i64", slot, 8) for slot in slots]
    valid = build.compare("slt", "i64", index[0], sizes[0] if sizes else "1")
    carry = "1"
    for k in range(len(slots) - 1, -1, -1):
        moved = build.binary("add", "i64", index[k], carry)
        if k == 0:
            build.store("i64", moved, slots[0], 8)
            break
        full = build.compare("eq", "i64", moved, sizes[k])
        build.store("i64", build.select(full, "i64", "0", moved), slots[k], 8)
        carry = build.convert("zext", "i1", full, "i64")
    items = [Value(types.int64, (place,)) for place in index[: len(sizes)]]
    return make_tuple(items), valid


def _ix_rule(arguments: Arguments) -> Signature | None:
    count, items = len(arguments), []
    for ty in arguments.types:
        if not isinstance(ty, Array) or not isinstance(ty.dtype, Integer | Boolean):
            return None
        if ty.ndim != 1:
            raise TypingError("Cross index must be 1 dimensional")
        dtype = types.int64 if ty.dtype is types.boolean else ty.dtype
        items.append(Array(dtype, count, "A" if count > 1 else ty.layout))
    return Signature(Tuple(tuple(items)), arguments.types) if items else None


@primitive(np.ix_, _ix_rule)
def ix(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`np.ix_(rows, columns)`: each line along its own axis."""
    assert isinstance(sig.returns, Tuple)
    items = []
    for k, (arg, ty) in enumerate(zip(args, sig.returns.items, strict=True)):
        assert isinstance(arg.ty, Array) and isinstance(ty, Array)
        if arg.ty.dtype is types.boolean:
            (arg,) = gathering.true_places(build, arg)
        else:
            build.call("void", "cutaway_incref", [("ptr", arg.parts[0])])
        parts = array_parts(arg)
        shape, strides = ["1"] * len(args), ["0"] * len(args)
        shape[k], strides[k] = parts.shape[0], parts.strides[0]
        view = ArrayParts(parts.owner, parts.data, tuple(shape), tuple(strides))
        items.append(array_value(ty, view))
    return make_tuple(items)


def _ndenumerate_rule(arguments: Arguments) -> Signature | None:
    array = arguments.types[0] if len(arguments) == 1 else None
    if not isinstance(array, Array):
        return None
    elements = Flat(array).iterator()
    if elements is None:
        return None
    return Signature(Zipped((indices_of(array.ndim), elements)).iterator(), (array,))


@primitive(np.ndenumerate, _ndenumerate_rule)
def ndenumerate(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`np.ndenumerate(a)`."""
    parts = array_parts(args[0])
    assert isinstance(args[0].ty, Array)
    build.call("void", "cutaway_incref", [("ptr", parts.owner)])
    elements = begin(build, flat_of(build, args[0]))
    assert isinstance(sig.returns, Iterator)
    return Value(sig.returns, (*_begin(build, list(parts.shape)).parts, *elements.parts))
