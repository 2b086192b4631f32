"""Dicts and sets in machine code: calls of the runtime's tables (`runtime/tables.h`).

A key is passed as its slots, or in a register if it is one word.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from cutaway.ir import nodes
from cutaway.lowering import lists
from cutaway.lowering.build.constants import frozen_bytes
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import (
    META_BYTES,
    Value,
    item_bytes,
    key_fields,
    owner_bits,
    slot_types,
)
from cutaway.lowering.slots import load_slots, store_slots
from cutaway.typing.inference.questions import UPDATES
from cutaway.typing.types import Container, Dict

if TYPE_CHECKING:
    from cutaway.lowering.function import FunctionLowering

# Where the header of a table has its fields, in bytes from the owner.
ENTRIES, SIZE, USED = META_BYTES, META_BYTES + 8, META_BYTES + 16
HASHES, CHANGES = META_BYTES + 32, META_BYTES + 112


def make(into: FunctionLowering, op: nodes.BuildSet | nodes.BuildDict) -> Value:
    """Make a set or a dict of the values of a display."""
    build, ty = into.build, into.types[op.result]
    assert isinstance(ty, Container)
    made = new_table(build, ty)
    slot = build.keep(made.parts[0])
    values = [into.values[name] for name in op.items]
    if isinstance(ty, Dict):
        for key, value in zip(values[::2], values[1::2], strict=True):
            _enter(build, made, key, value)
    else:
        for value in values:
            _enter(build, made, value)
    build.let_go(slot)
    return made


def extend(into: FunctionLowering, op: nodes.Extend) -> Value:
    """Put the values of a comprehension into its container."""
    build, made = into.build, into.values[op.container]
    if op.how in UPDATES:
        into._answer(op)
        return made
    _enter(build, made, *(into.values[name] for name in op.items))
    return made


def _enter(build: FunctionBuilder, made: Value, *values: Value) -> None:
    """Put a key, or a key and a value, into a table."""
    assert isinstance(made.ty, Container)
    pairs = zip(values, made.ty.contents, strict=True)
    own, fresh = zip(*(build.converted(value, ty) for value, ty in pairs), strict=True)
    (store if isinstance(made.ty, Dict) else put)(build, made, *own)
    for one in fresh:
        build.release(one)


def new_table(build: FunctionBuilder, ty: Container) -> Value:
    """Make an empty set or dict.

    Raises UnsupportedError for a target without containers.
    """
    lists.check_hosted(build, f"{ty.word}s")
    key, *value = ty.contents
    fields = frozen_bytes(build, key_fields(key).encode() + b"\0")
    words = [8 * len(slot_types(key)), owner_bits(key)]
    words += [item_bytes(value[0]), owner_bits(value[0])] if value else [0, 0]
    operands = [("ptr", fields), *(("i64", str(word)) for word in words)]
    owner = build.call("ptr", "cutaway_table_new", operands)
    build.raise_if(build.compare("eq", "ptr", owner, "null"), MemoryError)
    return Value(ty, (owner,))


def field(build: FunctionBuilder, made: Value, offset: int, kind: str = "i64") -> str:
    """Load a field of a table's header."""
    return lists.field(build, made, offset, kind)


def size_of(build: FunctionBuilder, made: Value) -> str:
    """Load the number of a table's entries."""
    return field(build, made, SIZE)


def _call(build: FunctionBuilder, name: str, made: Value, key: Value) -> str:
    """Call the runtime with a key, which is a word or slots."""
    owner = ("ptr", made.parts[0])
    if key_fields(key.ty) == "w":
        slots = build.alloca("i64")
        store_slots(build, key, slots)
        word = build.load("i64", slots, 8)
        build.declare("i64", f"cutaway_table_{name}_further", ["ptr", "i64"])
        return build.call("i64", f"cutaway_table_{name}_word", [owner, ("i64", word)])
    slots = build.alloca("i64", max(len(slot_types(key.ty)), 1))
    store_slots(build, key, slots)
    return build.call("i64", f"cutaway_table_{name}", [owner, ("ptr", slots)])


def entries_before(into: FunctionLowering, block: nodes.Block) -> dict[tuple[str, ...], str]:
    """Return the entries that were looked up on the one way to a block."""
    before = into.graph.predecessors(block.label)
    if len(before) != 1 or into.fn.blocks[before[0]].handler == block.label:
        return {}
    return dict(into.entries.get(before[0], {}))


def find(build: FunctionBuilder, made: Value, key: Value) -> str:
    """Return the number of the entry with a key; -1 where there is none."""
    looked_up = (made.parts[0], *key.parts)
    if looked_up not in build.entries:
        build.entries[looked_up] = _call(build, "find", made, key)
    return build.entries[looked_up]


def put(build: FunctionBuilder, made: Value, key: Value) -> str:
    """Return the number of the entry with a key, which is added if it is missing."""
    looked_up = (made.parts[0], *key.parts)
    known = build.entries.get(looked_up)
    build.entries = {}  # of others it is not known any more that they are missing
    if known is None:
        number = build.entries[looked_up] = _put(build, made, key)
        return number
    reason = "the entry of the key was looked up before, and no op between changes a dict"
    build.note("the store", "one_probe", reason)
    missing, stored = build.new_label("missing"), build.new_label("stored")
    before = build.block
    build.branch(build.compare("slt", "i64", known, "0"), missing, stored)
    build.start(missing)
    added, last = _put(build, made, key), build.block
    build.jump(stored)
    build.start(stored)
    number = build.entries[looked_up] = build.phi("i64", [(known, before), (added, last)])
    return number


def _put(build: FunctionBuilder, made: Value, key: Value) -> str:
    number = _call(build, "put", made, key)
    failed = build.compare("eq", "i64", number, "-1")
    build.raise_if(failed, MemoryError)
    is_new = build.compare("slt", "i64", number, "0")
    added = build.binary("sub", "i64", "-2", number)
    return build.select(is_new, "i64", added, number)


def store(build: FunctionBuilder, made: Value, key: Value, value: Value) -> None:
    """Set the value of a key."""
    number = put(build, made, key)
    address = value_address(build, made, number)
    before = lists.load_item(build, value.ty, address)
    lists.count_in(build, "cutaway_incref", value)
    lists.store_item(build, value, address)
    lists.count_in(build, "cutaway_decref", before)
    note_change(build, made)


def note_change(build: FunctionBuilder, made: Value) -> None:
    """Note that a value was stored."""
    where = build.offset(made.parts[0], str(CHANGES))
    build.store("i64", build.binary("or", "i64", build.load("i64", where, 8), "1"), where, 8)


def entry_address(build: FunctionBuilder, made: Value, number: str) -> str:
    """Return the address of an entry."""
    assert isinstance(made.ty, Container)
    distance = build.binary("mul nsw", "i64", number, str(entry_bytes(made.ty)))
    return build.offset(field(build, made, ENTRIES, "ptr"), distance)


def entry_bytes(ty: Container) -> int:
    """Return the size of an entry: a key in slots, and a value as an item of a list."""
    key, *value = ty.contents
    return 8 * len(slot_types(key)) + ((item_bytes(value[0]) + 7) // 8 * 8 if value else 0)


def value_address(build: FunctionBuilder, made: Value, number: str) -> str:
    """Return the address of an entry's value."""
    assert isinstance(made.ty, Dict)
    distance = str(8 * len(slot_types(made.ty.key)))
    return build.offset(entry_address(build, made, number), distance)


def load_key(build: FunctionBuilder, made: Value, number: str) -> Value:
    """Load the key of an entry; its memory has no reference more."""
    assert isinstance(made.ty, Container)
    return load_slots(build, made.ty.item, entry_address(build, made, number))


def load_value(build: FunctionBuilder, made: Value, number: str) -> Value:
    """Load the value of an entry; its memory has no reference more."""
    assert isinstance(made.ty, Dict)
    return lists.load_item(build, made.ty.value, value_address(build, made, number))
