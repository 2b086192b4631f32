"""Walking, reading and renaming ops by the roles of their fields, nested bodies included.

The only place that knows how to find the variables of an op; nothing else may look at fields
to collect definitions and uses.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import TypeVar

from cutaway.ir.function import Function
from cutaway.ir.nodes import Block, Op, Role, replace

T = TypeVar("T")
_USE_ROLES = (Role.USE, Role.OPTIONAL_USE, Role.USES)


@cache
def fields_of(cls: type[Op], *roles: Role) -> tuple[tuple[str, Role], ...]:
    """The fields of an op class that have one of `roles`, as (name, role)."""
    return tuple((spec.name, spec.role) for spec in cls.FIELDS if spec.role in roles)


# The two questions asked most often, remembered by class alone: hashing roles would cost more
# than the answer.


@cache
def _definition_fields(cls: type[Op]) -> tuple[str, ...]:
    return tuple(name for name, _ in fields_of(cls, Role.DEF))


@cache
def _use_fields(cls: type[Op]) -> tuple[tuple[str, Role], ...]:
    return fields_of(cls, *_USE_ROLES)


@cache
def _body_fields(cls: type[Op]) -> tuple[str, ...]:
    return tuple(name for name, _ in fields_of(cls, Role.BODY))


def definitions(op: Op) -> tuple[str, ...]:
    """The variables that the op itself defines (bodies not included)."""
    return tuple([getattr(op, name) for name in _definition_fields(type(op))])


def uses(op: Op) -> tuple[str, ...]:
    """The variables that the op uses, in field order; with a body, also its free variables."""
    found: list[str] = []
    for name, role in _use_fields(type(op)):
        value = getattr(op, name)
        if role is Role.USES:
            found.extend(value)
        elif value is not None:
            found.append(value)
    for name in _body_fields(type(op)):
        found.extend(_free_variables(getattr(op, name)))
    return tuple(found)


def _free_variables(blocks: tuple[Block, ...]) -> list[str]:
    inner = [op for block in blocks for op in block.ops]
    defined = {name for op in inner for name in definitions(op)}
    return list(dict.fromkeys(n for op in inner for n in uses(op) if n not in defined))


def targets(op: Op) -> tuple[int, ...]:
    """The labels that control may go to after the op."""
    return tuple(getattr(op, name) for name, _ in fields_of(type(op), Role.LABEL))


def by_place_and_name(
    given: Sequence[T], keywords: tuple[str, ...]
) -> tuple[tuple[T, ...], dict[str, T]]:
    """What a call, or a function's defaults, give: by position, and last that by these names."""
    count = len(given) - len(keywords)
    return tuple(given[:count]), dict(zip(keywords, given[count:], strict=True))


def successors(block: Block) -> tuple[int, ...]:
    """The labels of the blocks that may follow, each once."""
    return tuple(dict.fromkeys(targets(block.terminator)))


def walk(fn: Function) -> Iterator[Op]:
    """Every op of the function in block order, those of nested bodies after their owner."""
    for block in fn.blocks.values():
        yield from walk_block(block)


def walk_block(block: Block) -> Iterator[Op]:
    """Every op of the block, those of nested bodies after their owner."""
    for op in block.ops:
        yield op
        for name in _body_fields(type(op)):
            for inner in getattr(op, name):
                yield from walk_block(inner)


Rename = Callable[[str], str]


def rename_uses(op: Op, rename: Rename) -> Op:
    """The op with each used variable renamed, in bodies too; the same object if none is."""
    return _rename(op, _USE_ROLES, rename)


def rename_definitions(op: Op, rename: Rename) -> Op:
    """The op with each defined variable renamed, in bodies too."""
    return _rename(op, (Role.DEF,), rename)


def _rename(op: Op, roles: tuple[Role, ...], rename: Rename) -> Op:
    changes = {}
    for name, role in fields_of(type(op), *roles):
        old = getattr(op, name)
        if old is None:
            continue
        new = tuple(map(rename, old)) if role is Role.USES else rename(old)
        if new != old:
            changes[name] = new
    for name, _ in fields_of(type(op), Role.BODY):
        old = getattr(op, name)
        new = tuple(Block(b.label, [_rename(o, roles, rename) for o in b.ops]) for b in old)
        if new != old:
            changes[name] = new
    return replace(op, **changes) if changes else op


def retarget(op: Op, relabel: Callable[[int], int]) -> Op:
    """The op with the labels it goes to, and a phi's predecessor labels, mapped."""
    changes = {}
    for name, role in fields_of(type(op), Role.LABEL, Role.LABELS):
        old = getattr(op, name)
        new = tuple(map(relabel, old)) if role is Role.LABELS else relabel(old)
        if new != old:
            changes[name] = new
    return replace(op, **changes) if changes else op


def definition_table(fn: Function) -> dict[str, list[Op]]:
    """Each variable's defining ops, in block order."""
    table: dict[str, list[Op]] = {}
    for op in walk(fn):
        for name in definitions(op):
            table.setdefault(name, []).append(op)
    return table


def use_table(fn: Function) -> dict[str, list[Op]]:
    """Each variable's using ops, in block order."""
    table: dict[str, list[Op]] = {}
    for op in walk(fn):
        for name in uses(op):
            table.setdefault(name, []).append(op)
    return table
