"""Walking, reading and renaming ops by the roles of their fields, regions included.

The only place that knows how to find the variables of an op; other code must not read fields to
collect definitions and uses.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from operator import is_
from typing import TypeVar

from cutaway.ir.constants import MISSING
from cutaway.ir.effects import SHOWN, Effect
from cutaway.ir.function import Function
from cutaway.ir.nodes import Block, FreeVar, Global, Op, Role, Yield, replace
from cutaway.ir.op import keep_answer
from cutaway.ir.regions import FrozenBlock, Region

T = TypeVar("T")
_DEFINITION_ROLES = (Role.DEF, Role.DEFS)
_USE_ROLES = (Role.USE, Role.OPTIONAL_USE, Role.USES)


@cache
def fields_of(cls: type[Op], *roles: Role) -> tuple[tuple[str, Role], ...]:
    """Return the fields of an op class that have one of `roles`, as (name, role)."""
    return tuple((spec.name, spec.role) for spec in cls.FIELDS if spec.role in roles)


# The two most frequent queries, cached by class alone: hashing roles would cost more than the
# result.


@cache
def _definition_fields(cls: type[Op]) -> tuple[tuple[str, ...], str]:
    """Return the fields that define a variable, and the one for several; empty if none does."""
    several = [name for name, _ in fields_of(cls, Role.DEFS)]
    return tuple(name for name, _ in fields_of(cls, Role.DEF)), "".join(several)


@cache
def _use_fields(cls: type[Op]) -> tuple[tuple[str, Role], ...]:
    return fields_of(cls, *_USE_ROLES)


def definitions(op: Op) -> tuple[str, ...]:
    """Return the variables that the op itself defines, for the ops after it."""
    try:
        return op.known_definitions
    except AttributeError:
        single, several = _definition_fields(type(op))
        names = tuple([getattr(op, name) for name in single])
        if several:
            names += getattr(op, several)
        keep_answer(op, "known_definitions", names)
        return names


def uses(op: Op) -> tuple[str, ...]:
    """Return the variables that the op uses, in field order, then captured ones of its regions."""
    try:
        return op.known_uses
    except AttributeError:
        names = _operands(op)
        if op.REGIONS:
            names.extend(captured(op))
        answer = tuple(names)
        keep_answer(op, "known_uses", answer)
        return answer


def operands(op: Op) -> tuple[str, ...]:
    """Return the variables that the op itself uses, in field order, then the initial values of its
    regions; without captured ones."""
    return tuple(_operands(op))


def required(op: Op) -> list[str]:
    """Return the variables that must be bound for the op to be executed.  The initial values of its
    regions may be unbound: as a phi's, such a value is only passed on."""
    names: list[str] = []
    for name, role in _use_fields(type(op)):
        value = getattr(op, name)
        if role is Role.USES:
            names.extend(value)
        elif value is not None:
            names.append(value)
    return names


def _operands(op: Op) -> list[str]:
    names = required(op)
    if op.REGIONS:
        names.extend(name for region in regions(op) for name in region.initial)
    return names


# --- regions ------------------------------------------------------------------------------------


def regions(op: Op) -> tuple[Region, ...]:
    """Return the regions of an op; nested ones are not included."""
    return tuple(getattr(op, name) for name in op.REGIONS)


def arguments(op: Op) -> tuple[str, ...]:
    """Return the variables that the op binds in its regions, in the order of the regions."""
    return tuple(name for region in regions(op) for name in region.arguments)


def captured(op: Op) -> tuple[str, ...]:
    """Return the outer variables that the regions of an op use, each once."""
    return tuple(dict.fromkeys(n for region in regions(op) for n in captured_by(region)))


def captured_by(region: Region) -> tuple[str, ...]:
    """Return the outer variables that a region uses, each once: none that it defines."""
    own = set(region.arguments)
    for block in region.blocks:
        for op in block.ops:
            own.update(definitions(op))
    names = (name for block in region.blocks for op in block.ops for name in uses(op))
    return tuple(dict.fromkeys(name for name in names if name not in own))


def yields(region: Region) -> tuple[Yield, ...]:
    """Return the ops that end a run of the region."""
    return tuple(b.terminator for b in region.blocks if isinstance(b.terminator, Yield))


def effects(op: Op) -> frozenset[Effect]:
    """Return the effects of the op, its regions included."""
    all_effects = op.EFFECT
    for region in regions(op):
        all_effects = all_effects.union(
            *(effects(one) for block in region.blocks for one in block.ops)
        )
    return all_effects


def may_raise(op: Op) -> bool:
    """True if the op may raise, other than by reading an unbound variable."""
    if isinstance(op, Global | FreeVar):
        return op.value is MISSING
    return Effect.RAISES in (op.EFFECT if not op.REGIONS else effects(op))


def is_droppable(op: Op) -> bool:
    """True if the op can be dropped where its results are unused."""
    return op.DROPPABLE and (not op.REGIONS or effects(op).isdisjoint(SHOWN))


def targets(op: Op) -> tuple[int, ...]:
    """Return the labels that the op may jump to."""
    try:
        return op.known_targets
    except AttributeError:
        labels = tuple(getattr(op, name) for name, _ in fields_of(type(op), Role.LABEL))
        keep_answer(op, "known_targets", labels)
        return labels


def by_place_and_name(
    values: Sequence[T], keywords: tuple[str, ...]
) -> tuple[tuple[T, ...], dict[str, T]]:
    """Split a call's values, or a function's defaults: positional ones, and the last by name."""
    count = len(values) - len(keywords)
    return tuple(values[:count]), dict(zip(keywords, values[count:], strict=True))


def successors(block: Block | FrozenBlock) -> tuple[int, ...]:
    """Return the labels of the successor blocks, each once, the handler last."""
    labels = targets(block.terminator)
    if block.handler is not None:
        labels = (*labels, block.handler)
    return labels if len(labels) < 2 else tuple(dict.fromkeys(labels))


def walk(fn: Function) -> Iterator[Op]:
    """Yield every op of the function in block order, those of regions after their owner."""
    for block in fn.blocks.values():
        yield from walk_block(block)


def walk_block(block: Block | FrozenBlock) -> Iterator[Op]:
    """Yield every op of the block, those of regions after their owner."""
    for op in block.ops:
        yield op
        if op.REGIONS:
            for region in regions(op):
                for inner in region.blocks:
                    yield from walk_block(inner)


def located(fn: Function) -> Iterator[tuple[Block | FrozenBlock, int, Op]]:
    """Yield every op with its block and its position there, those of regions after their owner."""
    for block in fn.blocks.values():
        yield from _located_in(block)


def _located_in(
    block: Block | FrozenBlock,
) -> Iterator[tuple[Block | FrozenBlock, int, Op]]:
    for position, op in enumerate(block.ops):
        yield block, position, op
        if op.REGIONS:
            for region in regions(op):
                for inner in region.blocks:
                    yield from _located_in(inner)


def bound_names(op: Op) -> Iterator[str]:
    """Yield all variables that the op binds: its results, and all definitions in its regions."""
    yield from definitions(op)
    if op.REGIONS:
        yield from arguments(op)
        for region in regions(op):
            for block in region.blocks:
                for inner in block.ops:
                    yield from bound_names(inner)


Rename = Callable[[str], str]


def rename_uses(op: Op, rename: Rename) -> Op:
    """Return the op with each used variable renamed, in regions too; the same object if none is."""
    return _rename(op, _USE_ROLES, rename)


def rename_definitions(op: Op, rename: Rename) -> Op:
    """Return the op with each defined variable renamed, in regions too with their arguments."""
    return _rename(op, _DEFINITION_ROLES, rename)


def _rename(op: Op, roles: tuple[Role, ...], rename: Rename) -> Op:
    changes: dict[str, object] = {}
    for name, _ in fields_of(type(op), *roles):
        old = getattr(op, name)
        if old is None:
            continue
        new = rename(old) if isinstance(old, str) else tuple(map(rename, old))
        if new != old:
            changes[name] = new
    for name in op.REGIONS:
        old = getattr(op, name)
        inner = with_ops(old, lambda ops: [_rename(one, roles, rename) for one in ops])
        inner = _with_names(inner, roles, rename)
        if inner is not old:
            changes[name] = inner
    return replace(op, **changes) if changes else op


def _with_names(region: Region, roles: tuple[Role, ...], rename: Rename) -> Region:
    """Return the region with its arguments, or its initial values, renamed."""
    indices, carried, initial = region.indices, region.carried, region.initial
    if Role.DEF in roles:
        indices, carried = tuple(map(rename, indices)), tuple(map(rename, carried))
    else:
        initial = tuple(map(rename, initial))
    same = (indices, carried, initial) == (region.indices, region.carried, region.initial)
    return region if same else Region(indices, carried, initial, region.blocks)


def with_ops(region: Region, change: Callable[[Sequence[Op]], Iterable[Op]]) -> Region:
    """Return the region with the ops of each block changed; the same object if no op changes."""
    blocks = []
    same = True
    for block in region.blocks:
        ops = tuple(change(block.ops))
        if len(ops) == len(block.ops) and all(map(is_, ops, block.ops)):
            blocks.append(block)
        else:
            blocks.append(FrozenBlock(block.label, ops))
            same = False
    return region if same else with_blocks(region, blocks)


def with_blocks(region: Region, blocks: Iterable[FrozenBlock]) -> Region:
    """Return the region with other blocks."""
    return Region(region.indices, region.carried, region.initial, tuple(blocks))


def with_regions(op: Op, change: Callable[[Region], Region]) -> Op:
    """Return the op with each of its regions changed; the same object if none changes."""
    changes = {}
    for name in op.REGIONS:
        old = getattr(op, name)
        new = change(old)
        if new is not old:
            changes[name] = new
    return replace(op, **changes) if changes else op


def change_blocks(blocks: Iterable[Block], change: Callable[[Sequence[Op]], Iterable[Op]]) -> None:
    """Replace the ops of each block by their changed ones, inner regions first."""
    for block in blocks:
        block.ops[:] = change(_with_inner(block.ops, change))


def _with_inner(ops: Sequence[Op], change: Callable[[Sequence[Op]], Iterable[Op]]) -> Sequence[Op]:
    if not any([op.REGIONS for op in ops]):
        return ops

    def inside(region: Region) -> Region:
        return with_ops(region, lambda inner: change(_with_inner(inner, change)))

    return [with_regions(op, inside) if op.REGIONS else op for op in ops]


def retarget(op: Op, relabel: Callable[[int], int]) -> Op:
    """Return the op with its targets, and a phi's predecessor labels, mapped."""
    changes = {}
    for name, role in fields_of(type(op), Role.LABEL, Role.LABELS):
        old = getattr(op, name)
        new = tuple(map(relabel, old)) if role is Role.LABELS else relabel(old)
        if new != old:
            changes[name] = new
    return replace(op, **changes) if changes else op


def definition_table(fn: Function) -> dict[str, list[Op]]:
    """Return each variable's defining ops in block order; for a region's argument, its owner."""
    table: dict[str, list[Op]] = {}
    for op in walk(fn):
        for name in definitions(op):
            table.setdefault(name, []).append(op)
        if op.REGIONS:
            for name in arguments(op):
                table.setdefault(name, []).append(op)
    return table


def makers_of(fn: Function) -> dict[str, Op]:
    """Return each variable's defining op: the only one, in SSA form."""
    return {name: ops[0] for name, ops in definition_table(fn).items()}


def use_table(fn: Function) -> dict[str, list[Op]]:
    """Return each variable's using ops in block order; for captured ones, those in the region."""
    table: dict[str, list[Op]] = {}
    for op in walk(fn):
        for name in operands(op):
            table.setdefault(name, []).append(op)
    return table
