"""Regions as functions of their own: how passes and analyses enter them.

What is written for the blocks of a function works on those of a region, which is shown to it as a
function.  A region never changes, so an edited one is put into a new op in the place of the old:

    def run(fn):
        ...                         what the pass does with fn.blocks
        edit_regions(fn, run)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from cutaway.foundation.dataclass import dataclass, field
from cutaway.ir.function import Function
from cutaway.ir.nodes import Block, Op
from cutaway.ir.regions import FrozenBlock, Region
from cutaway.ir.traversal import captured_by, regions, with_blocks, with_regions


@dataclass(slots=True)
class RegionView(Function):
    """A region as a function.

    It has the region's blocks, and ids, labels and names of the function around it, `outer`, in
    whose block `label` the owner stands at `position`.
    """

    outer: Function = field(default=None, compare=False)
    region: Region = field(default=None, compare=False)
    label: int = 0
    position: int = 0

    @property
    def arguments(self) -> tuple[str, ...]:
        """The variables that have a value at the entry."""
        return self.region.arguments

    def new_id(self) -> int:
        """A value id that no op of the whole function has."""
        return self.outer.new_id()

    def fresh(self, stem: str) -> str:
        """A variable name that is new in the whole function."""
        return self.outer.fresh(stem)

    def highest_label(self) -> int:
        """The highest label in use, here and in the function around."""
        return max(Function.highest_label(self), self.outer.highest_label())


def view(outer: Function, region: Region, label: int = 0, position: int = 0) -> RegionView:
    """A region as a function with blocks that can be changed."""
    blocks = {block.label: Block(block.label, list(block.ops)) for block in region.blocks}
    made = RegionView(outer.name, outer.params, blocks, outer.filename, outer.first_line)
    made.outer, made.region, made.label, made.position = outer, region, label, position
    return made


def views(fn: Function) -> Iterator[RegionView]:
    """The regions of a function's own blocks, to be looked at; those in them are not among them."""
    for block in fn.blocks.values():
        for position, op in enumerate(block.ops):
            if op.REGIONS:
                for region in regions(op):
                    yield view(fn, region, block.label, position)


def kept(fn: Function) -> frozenset[str]:
    """The variables that are needed wherever the blocks end: of a region, those that it captures,
    since it may run again."""
    return frozenset(captured_by(fn.region)) if isinstance(fn, RegionView) else frozenset()


def edit_regions(fn: Function, edit: Callable[[RegionView], object]) -> bool:
    """Let `edit` change the blocks of each region in a function's own blocks; whether any changed.

    It calls this again where it is to change those inside.
    """

    def edited(region: Region) -> Region:
        shown = view(fn, region)
        edit(shown)
        return _frozen(shown)

    changed = False
    for block in fn.blocks.values():
        for position, op in enumerate(block.ops):
            if op.REGIONS:
                block.ops[position] = with_regions(op, edited)
                changed = changed or block.ops[position] is not op
    return changed


def _frozen(shown: RegionView) -> Region:
    """The region as the view is now; the same object where nothing has changed."""
    region = shown.region
    old = {block.label: block for block in region.blocks}
    blocks = tuple(_frozen_block(block, old.get(label)) for label, block in shown.blocks.items())
    if len(blocks) == len(old) and all(a is b for a, b in zip(blocks, region.blocks, strict=True)):
        return region
    return with_blocks(region, blocks)


def _frozen_block(block: Block, old: FrozenBlock | None) -> FrozenBlock:
    ops = tuple(block.ops)
    same = old is not None and len(ops) == len(old.ops) and all(map(_is, ops, old.ops))
    return old if same and old is not None else FrozenBlock(block.label, ops)


def _is(one: Op, other: Op) -> bool:
    return one is other
