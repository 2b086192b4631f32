"""Translates displays, lists that are written item by item: `[a, b]`, `[*a, b]`.

Python builds a list as a step to a tuple with stars.  Such a list exists only on the compiler's
stack; a list with any other use becomes an op at that use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cutaway.frontend.bytecode import Instruction
from cutaway.frontend.entries import Display
from cutaway.ir import nodes
from cutaway.ir.operators import BINARY
from cutaway.ir.traversal import definitions

if TYPE_CHECKING:
    from cutaway.frontend.block_builder import BlockBuilder


def built(block: BlockBuilder, display: Display) -> str:
    """Emit the ops that build a list, and return its variable."""
    items = _written_out(block, display)
    result = block.fresh()
    if items is not None:
        block.ops.append(nodes.BuildList(result, items, loc=display.loc))
        return result
    function, total = block.fresh(), _joined(block, display)
    block.ops.append(nodes.Global(function, "list", list, loc=display.loc))
    block.ops.append(nodes.Call(result, function, (total,), (), loc=display.loc))
    return result


def _written_out(block: BlockBuilder, display: Display) -> tuple[str, ...] | None:
    """Return the items of a display, with starred constants unpacked; None if another value is
    unpacked."""
    constants = {op.result: op for op in block.ops if isinstance(op, nodes.Const)}
    items: list[str] = []
    for k, item in enumerate(display.items):
        if k not in display.starred:
            items.append(item)
            continue
        constant = constants.get(item)
        if constant is None or type(constant.value) is not tuple:
            return None
        for value in constant.value:
            items.append(block.fresh())
            block.ops.append(nodes.Const(items[-1], value, loc=constant.loc))
    for k in display.starred:
        block.ops.remove(constants[display.items[k]])
    return tuple(items)


def build_list(block: BlockBuilder, i: Instruction) -> None:
    """BUILD_LIST"""
    items = tuple(map(block.settled, block.pop_many(i.arg)))
    block.stack.append(Display(items, i.loc))


def _grown(block: BlockBuilder) -> Display:
    """Return the list on top of the stack, which an instruction extends, as a display."""
    entry = block.stack[-1]
    assert block.instruction is not None
    if isinstance(entry, Display):
        return entry
    return Display((entry,), block.instruction.loc, frozenset((0,)))  # it came from another block


def list_extend(block: BlockBuilder, i: Instruction) -> None:
    """LIST_EXTEND"""
    value = block.settled(block.pop())
    assert i.arg == 1
    unpacked = not _is_constant_tuple(block, value)
    if block.names.live and (unpacked or not isinstance(block.stack[-1], Display)):
        _add_to_list(block, nodes.Extend, ("list_extend",), (value,))
        return
    grown = _grown(block)
    if unpacked:  # now: later code may change the iterable
        block.push(nodes.Global, "tuple", tuple)
        block.push(nodes.Call, block.pop(), (value,), ())
        value = block.pop()
    starred = grown.starred | {len(grown.items)}
    block.stack[-1] = Display((*grown.items, value), grown.loc, starred)


def list_append(block: BlockBuilder, i: Instruction) -> None:
    """LIST_APPEND"""
    value = block.settled(block.pop())
    if i.arg != 1:
        _collect(block, i, value)
        return
    if block.names.live and not isinstance(block.stack[-1], Display):
        _add_to_list(block, nodes.ListAppend, (), value)
        return
    grown = _grown(block)
    block.stack[-1] = Display((*grown.items, value), grown.loc, grown.starred)


def _add_to_list(
    block: BlockBuilder, cls: type[nodes.Extend | nodes.ListAppend], how: tuple[str, ...], what: Any
) -> None:
    """Extend the list on top of the stack, which exists as an object."""
    items = block.settled(block.stack[-1])
    block.stack[-1] = block.fresh()
    block.add(cls, block.stack[-1], *how, items, what)


def _collect(block: BlockBuilder, i: Instruction, value: str) -> None:
    """Append an item of a comprehension to its list, which lies below its iterators."""
    items = block.settled(block.stack[-i.arg])
    block.stack[-i.arg] = block.fresh()
    block.add(nodes.ListAppend, block.stack[-i.arg], items, value)


def list_to_tuple(block: BlockBuilder, i: Instruction) -> None:
    """LIST_TO_TUPLE"""
    grown = _grown(block)
    block.pop()
    block.stack.append(_joined(block, grown))


def _joined(block: BlockBuilder, grown: Display) -> str:
    """Emit `(*a, b, *c)`: concatenate tuples of the plain items with the starred ones."""
    total: str | None = None
    plain: list[str] = []
    for k, item in enumerate(grown.items):
        if k not in grown.starred:
            plain.append(item)
            continue
        if plain:
            total = _added(block, total, block.push(nodes.BuildTuple, tuple(plain)))
            block.pop()
            plain = []
        total = _added(block, total, _as_tuple(block, item))
    if plain or total is None:
        block.push(nodes.BuildTuple, tuple(plain))
        total = _added(block, total, block.pop())
    return total


def _is_constant_tuple(block: BlockBuilder, name: str) -> bool:
    return any(
        isinstance(op, nodes.Const) and op.result == name and type(op.value) is tuple
        for op in block.ops
    )


def _as_tuple(block: BlockBuilder, item: str) -> str:
    """Return a starred item as a tuple: it is one already, or a list from another block."""
    made = next((op for op in block.ops if item in definitions(op)), None)
    if isinstance(made, nodes.Call | nodes.Const):
        return item
    block.push(nodes.Global, "tuple", tuple)
    block.push(nodes.Call, block.pop(), (item,), ())
    return str(block.pop())


def _added(block: BlockBuilder, total: str | None, piece: str) -> str:
    if total is None:
        return piece
    block.push(nodes.Binary, BINARY["+"], total, piece)
    return str(block.pop())
