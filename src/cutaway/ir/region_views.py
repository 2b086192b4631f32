"""Regions as functions of their own: how passes and analyses enter them.

Code for the blocks of a function works on those of a region, through a view of it as a function.  A
region is immutable, so an edited one is put into a new op that replaces the old:

    def run(editor):
        ...                         the pass's edits of editor.fn.blocks
        editor.in_regions(run)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from operator import is_

from cutaway.foundation.dataclass import dataclass, field
from cutaway.ir.function import Function
from cutaway.ir.nodes import Block, Op, replace
from cutaway.ir.regions import FrozenBlock, Region
from cutaway.ir.traversal import (
    bound_names,
    captured_by,
    definitions,
    regions,
    rename_definitions,
    rename_uses,
    retarget,
    with_blocks,
    with_regions,
)


@dataclass(slots=True)
class RegionView(Function):
    """A region as a function.

    It has the region's blocks, and takes ids, labels and names from the function around it,
    `outer`, whose block `label` has the region's op at `position`.
    """

    outer: Function = field(default=None, compare=False)
    region: Region = field(default=None, compare=False)
    label: int = 0
    position: int = 0

    @property
    def arguments(self) -> tuple[str, ...]:
        """The variables that are bound at the entry."""
        return self.region.arguments

    def new_id(self) -> int:
        """Return a value id that no op of the whole function has."""
        return self.outer.new_id()

    def fresh(self, stem: str) -> str:
        """Return a variable name that is fresh in the whole function."""
        return self.outer.fresh(stem)

    def highest_label(self) -> int:
        """Return the highest label in use, here and in the function around."""
        return max(Function.highest_label(self), self.outer.highest_label())


def view(outer: Function, region: Region, label: int = 0, position: int = 0) -> RegionView:
    """Return a region as a function with blocks that can be changed."""
    blocks = {block.label: Block(block.label, list(block.ops)) for block in region.blocks}
    inner = RegionView(outer.name, outer.params, blocks, outer.filename, outer.first_line)
    inner.outer, inner.region, inner.label, inner.position = outer, region, label, position
    return inner


def views(fn: Function) -> Iterator[RegionView]:
    """Views of the regions of a function's own blocks, for reading, without nested ones."""
    for block in fn.blocks.values():
        for position, op in enumerate(block.ops):
            if op.REGIONS:
                for region in regions(op):
                    yield view(fn, region, block.label, position)


def needed_at_end(fn: Function) -> frozenset[str]:
    """Return the variables that are live wherever the blocks end: for a region, those that it
    captures, since it may run again."""
    return frozenset(captured_by(fn.region)) if isinstance(fn, RegionView) else frozenset()


def entry_variables(fn: Function) -> tuple[str, ...]:
    """Return the variables that are bound at the entry of a region; none at that of a function."""
    return fn.region.arguments if isinstance(fn, RegionView) else ()


def outermost(fn: Function) -> Function:
    """Return the function that contains a region."""
    while isinstance(fn, RegionView):
        fn = fn.outer
    return fn


def frozen(shown: RegionView, region: Region) -> Region:
    """Return the region with the blocks of its view; the same object if nothing has changed."""
    old = {block.label: block for block in region.blocks}
    blocks = tuple(_frozen_block(block, old.get(label)) for label, block in shown.blocks.items())
    if len(blocks) == len(old) and all(map(is_, blocks, region.blocks)):
        return region
    return with_blocks(region, blocks)


def _frozen_block(block: Block, old: FrozenBlock | None) -> FrozenBlock:
    ops = tuple(block.ops)
    same = old is not None and len(ops) == len(old.ops) and all(map(is_, ops, old.ops))
    return old if same and old is not None else FrozenBlock(block.label, ops)


# --- single ops in regions ----------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Place:
    """The position of an op of a region: a block of the function, the position of the outer op, and
    from there inward the field, the block and the position."""

    block: Block
    position: int
    path: tuple[tuple[str, int, int], ...]

    @property
    def op(self) -> Op:
        """The op that stands there now."""
        op = self.block.ops[self.position]
        for name, k, position in self.path:
            op = getattr(op, name).blocks[k].ops[position]
        return op

    def put(self, op: Op) -> None:
        """Replace the op, in new ops around it."""
        owner = self.block.ops[self.position]
        self.block.ops[self.position] = _with_inner_op(owner, self.path, op)


def places(fn: Function) -> Iterator[Place]:
    """Yield every op of the function, those of regions after their owner."""
    for block in fn.blocks.values():
        for position in range(len(block.ops)):
            yield Place(block, position, ())
            yield from places_in(block, position)


def places_in(block: Block, position: int) -> Iterator[Place]:
    """Yield the ops in the regions of an op, nested ones after their owners.  Each may be replaced
    by one op during the iteration."""
    yield from _places(block, position, block.ops[position], ())


def _places(
    block: Block, position: int, op: Op, path: tuple[tuple[str, int, int], ...]
) -> Iterator[Place]:
    for name in op.REGIONS:
        for k, inner in enumerate(getattr(op, name).blocks):
            for inner_position, one in enumerate(inner.ops):
                further = (*path, (name, k, inner_position))
                yield Place(block, position, further)
                yield from _places(block, position, one, further)


def _with_inner_op(owner: Op, path: tuple[tuple[str, int, int], ...], op: Op) -> Op:
    if not path:
        return op
    (name, k, position), *rest = path
    region = getattr(owner, name)
    block = region.blocks[k]
    new = _with_inner_op(block.ops[position], tuple(rest), op)
    ops = (*block.ops[:position], new, *block.ops[position + 1 :])
    blocks = (*region.blocks[:k], FrozenBlock(block.label, ops), *region.blocks[k + 1 :])
    return replace(owner, **{name: with_blocks(region, blocks)})


def renew_regions(
    fn: Function,
    labels: Iterable[int],
    origin: dict[str, str] | None = None,
    ids: dict[int, int] | None = None,
) -> None:
    """Assign fresh labels, ids and names to the regions in copied blocks.

    `origin` receives the new names and `ids` the new ids, with the original ones.
    """
    known: dict[int, int] = {} if ids is None else ids
    for label in labels:
        ops = fn.blocks[label].ops
        for position, op in enumerate(ops):
            if op.REGIONS:
                own = set(bound_names(op)) - set(definitions(op))
                names = {name: fn.fresh(name.lstrip("$")) for name in sorted(own)}
                if origin is not None:
                    origin.update((new, old) for old, new in names.items())
                ops[position] = _renewed(op, names, fn, known)


def _renewed(op: Op, names: dict[str, str], fn: Function, ids: dict[int, int]) -> Op:
    def renamed(name: str) -> str:
        return names.get(name, name)

    first = fn.new_label()
    inside = [block.label for region in regions(op) for block in _blocks_in(region)]
    labels = {label: first + k for k, label in enumerate(inside)}
    return _relabeled(rename_uses(rename_definitions(op, renamed), renamed), labels, fn, ids)


def _blocks_in(region: Region) -> Iterator[FrozenBlock]:
    for block in region.blocks:
        yield block
        for op in block.ops:
            for inner in regions(op):
                yield from _blocks_in(inner)


def _relabeled(op: Op, labels: dict[int, int], fn: Function, ids: dict[int, int]) -> Op:
    def changed(region: Region) -> Region:
        return with_blocks(region, [copied(block) for block in region.blocks])

    def copied(block: FrozenBlock) -> FrozenBlock:
        ops = [retarget(_relabeled(one, labels, fn, ids), new_label) for one in block.ops]
        return FrozenBlock(new_label(block.label), tuple(map(renumbered, ops)))

    def renumbered(one: Op) -> Op:
        renewed = replace(one, id=fn.new_id())
        ids[renewed.id] = one.id
        return renewed

    def new_label(label: int) -> int:
        return labels.get(label, label)

    return with_regions(op, changed)
