"""Lists in machine code: a block with a header, which all who share the list refer to.

    owner -> references, ...                  64 bytes, as of all memory
             items, size, capacity            where the items are, how many, and room for how many
             bytes and owners of an item      by which the runtime copies and releases items

Numbers lie side by side as in an array; an item of any other type takes a slot of 8 bytes for each
of its parts.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from cutaway.errors import UnsupportedError
from cutaway.ir import nodes
from cutaway.lowering.arrays.elements import load_element, store_element
from cutaway.lowering.build.builder import FIRST_COLD, Scopes
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import (
    CAPACITY,
    ITEMS,
    OWNERS,
    SIZE,
    Value,
    item_bytes,
    owner_bits,
    owner_positions,
    part_types,
    tuple_items,
    zero,
)
from cutaway.lowering.slots import load_slots, store_slots
from cutaway.typing import types
from cutaway.typing.types import Array, ListLike, OpenTuple, Type

if TYPE_CHECKING:
    from cutaway.lowering.function import FunctionLowering

EXPORTS = OWNERS + 16  # the offset of the number of such buffers
EXPORTED = "Existing exports of data: object cannot be re-sized"  # Python's words of a bytearray


def make(into: FunctionLowering, op: nodes.MakeList) -> Value:
    """Make a list of the values of a display."""
    ty = into.types[op.result]
    assert isinstance(ty, ListLike)
    return list_of(into.build, ty, [into.values[name] for name in op.items])


def list_of(build: FunctionBuilder, ty: ListLike, values: list[Value]) -> Value:
    """Make a list of these values."""
    made = new_list(build, ty, str(len(values)))
    if values:
        data = items_of(build, made)
        for k, one in enumerate(values):
            value, fresh = build.converted(one, ty.item)
            count_in(build, "cutaway_incref", value)
            store_item(build, value, build.offset(data, str(k * item_bytes(ty.item))))
            build.release(fresh)
        set_size(build, made, str(len(values)))
    return made


def opened(build: FunctionBuilder, ty: OpenTuple, value: Value) -> Value:
    """Make a tuple of run-time length of one of known length, which the op that is lowered owns."""
    made = list_of(build, ty, tuple_items(value))
    build.cells[made.parts[0]] = build.keep(made.parts[0])
    return made


def new_list(build: FunctionBuilder, ty: ListLike, capacity: str) -> Value:
    """Make an empty list with room for this many items.

    Raises UnsupportedError for a target without containers.
    """
    check_hosted(build, "lists")
    words = [str(item_bytes(ty.item)), str(owner_bits(ty.item)), capacity]
    owner = build.call("ptr", "cutaway_list_new", [("i64", word) for word in words])
    build.raise_if(build.compare("eq", "ptr", owner, "null"), MemoryError)
    return Value(ty, (owner,))


def check_hosted(build: FunctionBuilder, what: str) -> None:
    """Raise UnsupportedError if the code runs on a GPU."""
    if not build.links.target.hosted:
        raise UnsupportedError(
            f"{what} are not supported in code for a GPU",
            build.loc,
            "use an array: cuda.local.array(shape, dtype)",
        )


# The scope of headers of containers: no item lies in one, so that LLVM may load a size once in a
# loop that stores items.
_HEADERS = -1
HEADER, ITEM = Scopes((_HEADERS,), ()), Scopes((), (_HEADERS,))


@contextmanager
def marking(build: FunctionBuilder, scopes: Scopes) -> Iterator[None]:
    """Mark the loads and stores that are emitted meanwhile with an alias scope."""
    first = len(build.code.lines)
    yield
    for line in build.code.lines[first:]:
        if " = load " in line.text or line.text.startswith("store "):
            line.scopes = scopes


def field(build: FunctionBuilder, made: Value, offset: int, kind: str = "i64") -> str:
    """Load a field of a container's header."""
    with marking(build, HEADER):
        return build.load(kind, build.offset(made.parts[0], str(offset)), 8)


def items_of(build: FunctionBuilder, made: Value) -> str:
    """Load the address of a list's items."""
    return field(build, made, ITEMS, "ptr")


def size_of(build: FunctionBuilder, made: Value) -> str:
    """Load the number of a list's items."""
    return field(build, made, SIZE)


def set_size(build: FunctionBuilder, made: Value, size: str) -> None:
    """Store the number of a list's items."""
    with marking(build, HEADER):
        build.store("i64", size, build.offset(made.parts[0], str(SIZE)), 8)


def place_of(build: FunctionBuilder, made: Value, index: str) -> str:
    """Return the address of an item at an index that is in range."""
    ty = made.ty
    assert isinstance(ty, ListLike)
    distance = build.binary("mul nsw", "i64", index, str(item_bytes(ty.item)))
    return build.offset(items_of(build, made), distance)


def load_item(build: FunctionBuilder, item: Type, address: str) -> Value:
    """Load an item; its memory has no reference more."""
    with marking(build, ITEM):
        if types.is_number(item):
            return load_element(build, Array(item, 0, "C"), address)
        return load_slots(build, item, address)


def store_item(build: FunctionBuilder, value: Value, address: str) -> None:
    """Store an item, whose references the list takes over."""
    with marking(build, ITEM):
        if types.is_number(value.ty):
            store_element(build, Array(value.ty, 0, "C"), value, address)
        else:
            store_slots(build, value, address)


def count_in(build: FunctionBuilder, function: str, value: Value) -> None:
    """Call `cutaway_incref` or `cutaway_decref` for all memory that a value owns."""
    for position in owner_positions(value.ty):
        build.call("void", function, [("ptr", value.parts[position])])


def take_item(build: FunctionBuilder, value: Value) -> None:
    """Count a reference for an item that is read, unless it is lent."""
    if not build.lends:
        count_in(build, "cutaway_incref", value)


def append(build: FunctionBuilder, made: Value, value: Value) -> None:
    """Put an item at the end of a list."""
    size, capacity = size_of(build, made), field(build, made, CAPACITY)
    grow, fits = build.new_label("grow"), build.new_label("append")
    build.branch(build.compare("eq", "i64", size, capacity), grow, fits, FIRST_COLD)
    build.start(grow)
    room = build.call("i32", "cutaway_list_grow", [("ptr", made.parts[0]), ("i64", "1")])
    check_room(build, made, room)
    build.jump(fits)
    build.start(fits)
    count_in(build, "cutaway_incref", value)
    store_item(build, value, place_of(build, made, size))
    set_size(build, made, build.binary("add nuw nsw", "i64", size, "1"))


def check_room(build: FunctionBuilder, made: Value, status: str) -> None:
    """Raise an exception where the runtime found no room for more items."""
    assert isinstance(made.ty, ListLike)
    if made.ty.native:
        build.raise_if(build.compare("eq", "i32", status, "-2"), BufferError, EXPORTED)
    build.raise_if(build.compare("ne", "i32", status, "0"), MemoryError)


def check_free(build: FunctionBuilder, made: Value) -> None:
    """Raise BufferError if a buffer of Python has the items of a native list."""
    assert isinstance(made.ty, ListLike)
    if made.ty.native:
        is_exported = build.compare("ne", "i64", field(build, made, EXPORTS), "0")
        build.raise_if(is_exported, BufferError, EXPORTED)


def checked_index(build: FunctionBuilder, made: Value, index: Value, message: str) -> str:
    """Return the offset of an item from the beginning; raise IndexError where there is none."""
    position, size = build.cast(index, types.int64).parts[0], size_of(build, made)
    from_end = build.compare("slt", "i64", position, "0")
    wrapped = build.binary("add", "i64", position, build.select(from_end, "i64", size, "0"))
    outside = build.compare("uge", "i64", wrapped, size)
    build.raise_if(outside, IndexError, message)
    return wrapped


def merged(build: FunctionBuilder, value: Value, last: str, other: str) -> Value:
    """Return a value where the block `last` computed it, and zeros after the block `other`."""
    kinds = part_types(value.ty)
    pairs = zip(kinds, value.parts, strict=True)
    parts = tuple(build.phi(kind, [(part, last), (zero(kind), other)]) for kind, part in pairs)
    return Value(value.ty, parts)
