"""Executes instructions on Python objects symbolically: sets, dictionaries, patterns, imports, and
variables of other scopes that the function assigns."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from cutaway.frontend.bytecode import Instruction
from cutaway.ir import nodes

if TYPE_CHECKING:
    from cutaway.frontend.block_builder import BlockBuilder

# --- containers -----------------------------------------------------------------------------------


def build_set(block: BlockBuilder, i: Instruction) -> None:
    """BUILD_SET"""
    block.push(nodes.BuildSet, tuple(block.pop_many(i.arg)))


def build_map(block: BlockBuilder, i: Instruction) -> None:
    """BUILD_MAP"""
    items = block.pop_many(2 * i.arg)
    if i.arg > 1 and all(map(block.constant_behind, items[::2])):
        # Before 3.14 the keys are one constant, loaded after the values.
        _build_with_keys(block, [block.take_constant(key) for key in items[::2]], items[1::2])
    else:
        block.push(nodes.BuildDict, tuple(items))


def build_const_key_map(block: BlockBuilder, i: Instruction) -> None:
    """BUILD_CONST_KEY_MAP: the keys are a constant on the stack."""
    keys = block.constant_of(block.pop())
    _build_with_keys(block, keys, block.pop_many(i.arg))


def _build_with_keys(block: BlockBuilder, keys: Iterable[Any], values: list[Any]) -> None:
    items: list[str] = []
    for key, value in zip(keys, values, strict=True):
        items += [block.fresh(), value]
        block.add(nodes.Const, items[-2], key)
    block.push(nodes.BuildDict, tuple(items))


def _extend(block: BlockBuilder, how: str, place: int, items: tuple[Any, ...]) -> None:
    container = block.settled(block.stack[-place])
    block.stack[-place] = block.fresh()
    block.add(nodes.Extend, block.stack[-place], how, container, items)


def set_add(block: BlockBuilder, i: Instruction) -> None:
    """SET_ADD"""
    value = block.pop()
    _extend(block, "set_add", i.arg, (value,))


def set_update(block: BlockBuilder, i: Instruction) -> None:
    """SET_UPDATE"""
    value = block.pop()
    _extend(block, "set_update", i.arg, (value,))


def map_add(block: BlockBuilder, i: Instruction) -> None:
    """MAP_ADD"""
    key, value = block.pop_many(2)
    _extend(block, "dict_set", i.arg, (key, value))


def dict_update(block: BlockBuilder, i: Instruction) -> None:
    """DICT_UPDATE"""
    value = block.pop()
    _extend(block, "dict_update", i.arg, (value,))


def dict_merge(block: BlockBuilder, i: Instruction) -> None:
    """DICT_MERGE: merges the keywords of a call, whose function lies below."""
    value = block.pop()
    function = next(e for e in block.stack[-i.arg - 3 : -i.arg - 1] if isinstance(e, str))
    container = block.stack[-i.arg]
    block.stack[-i.arg] = block.fresh()
    items = (value,)
    block.add(nodes.Extend, block.stack[-i.arg], "dict_merge", container, items, function)


def delete_subscr(block: BlockBuilder, i: Instruction) -> None:
    """DELETE_SUBSCR"""
    target, index = block.pop_many(2)
    block.add(nodes.DelItem, target, index)


# --- patterns -------------------------------------------------------------------------------------


def get_len(block: BlockBuilder, i: Instruction) -> None:
    """GET_LEN: the subject stays on the stack, below its length."""
    subject = block.settled(block.stack[-1])
    block.push(nodes.Global, "len", len)
    block.push(nodes.Call, block.pop(), (subject,), ())


def match_sequence(block: BlockBuilder, i: Instruction) -> None:
    """MATCH_SEQUENCE"""
    block.push(nodes.IsPattern, "sequence", block.stack[-1])


def match_mapping(block: BlockBuilder, i: Instruction) -> None:
    """MATCH_MAPPING"""
    block.push(nodes.IsPattern, "mapping", block.stack[-1])


def match_keys(block: BlockBuilder, i: Instruction) -> None:
    """MATCH_KEYS"""
    block.push(nodes.MatchKeys, block.stack[-2], block.stack[-1])


def match_class(block: BlockBuilder, i: Instruction) -> None:
    """MATCH_CLASS"""
    value, cls, names = block.pop_many(3)
    block.push(nodes.MatchClass, value, cls, i.arg, tuple(block.constant_of(names)))


# --- variables of others --------------------------------------------------------------------------


def import_name(block: BlockBuilder, i: Instruction) -> None:
    """IMPORT_NAME"""
    level, names = block.pop_many(2)
    block.push(nodes.Import, i.value, block.constant_of(names), level)


def import_from(block: BlockBuilder, i: Instruction) -> None:
    """IMPORT_FROM"""
    block.push(nodes.ImportFrom, block.stack[-1], i.value)


def load_build_class(block: BlockBuilder, i: Instruction) -> None:
    """LOAD_BUILD_CLASS"""
    name = "__build_class__"
    block.push(nodes.Global, name, block.names.builtins[name])


def given_to_super(block: BlockBuilder, function: Any) -> list[str]:
    """Return the operands that `super()` takes from its frame, the class and the object of the
    method; an empty list for any other call."""
    code = block.names.code
    reads = (op for op in reversed(block.ops) if isinstance(op, nodes.ReadOuter))
    read = next((op for op in reads if op.result == function), None)
    if read is None or read.name != "super" or block.names.lookup("super") is not super:
        return []
    if "__class__" not in block.names.rebound or not code.co_argcount:
        return []
    block.push(nodes.ReadOuter, "nonlocal", "__class__", block.names.rebound["__class__"])
    block.push(nodes.Copy, code.co_varnames[0])
    return block.pop_many(2)
