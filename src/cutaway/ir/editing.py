"""The one way for a pass to change a function: an editor.

    editor.replace(block, position, new)
    editor.commit(FOLD, old.loc, old, new)

The edits since the last `commit` form one rewrite, by the rule that the commit names.  A pass runs
the same code whether or not it is observed: `Editor` makes the edits and records nothing, and the
editor of a unit whose rewrites are recorded (`stages/reporting.py`) makes a record of each.

Some passes compute many rewrites at once and apply them in one sweep, which is faster.  They
describe the rewrites of the sweep (`insert_each`, `rename_each`, `remove_each`, `version_each`), so
that a reporting editor can make the same edits one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any

from cutaway.foundation.dataclass import dataclass
from cutaway.foundation.source import Loc
from cutaway.ir.function import Function
from cutaway.ir.nodes import Block, Op, replace
from cutaway.ir.region_views import Place, RegionView, frozen, renew_regions, view
from cutaway.ir.traversal import change_blocks

Ops = Sequence[Op]


@dataclass(frozen=True, slots=True)
class Rule:
    """A kind of rewrite, defined in the file of the pass that makes it.

    `equation` is the pattern and its replacement in one line.  `note` is the sentence about one
    rewrite, with the subjects of its commit in braces: `{0!v}` a variable in the user's words,
    `{0!u}` the user's name of a variable, `{0}` text; or a function of the namer of variables and
    of the subjects.  A rule on single ops has a `rewrite` (`ir/rewriting.py`), and needs no note.
    """

    name: str
    equation: str
    rewrite: Callable[..., Op | None] | None = None
    note: str | Callable[..., str] = ""


# For an op that a sweep inserts: the rule and the subjects of its rewrite.
Reason = Callable[[Op], tuple[Any, ...]]


class Editor:
    """Edits the function `fn`, or a region as one, without reporting."""

    def __init__(self, fn: Function) -> None:
        self.fn = fn

    # --- edits ----------------------------------------------------------------------------------

    def replace(self, block: Block, position: int, *ops: Op) -> None:
        """Replace the op at a position by others."""
        self._touch(block.label)
        block.ops[position : position + 1] = ops

    def insert(self, block: Block, position: int, *ops: Op) -> None:
        """Insert ops before the one at a position."""
        self._touch(block.label)
        block.ops[position:position] = ops

    def remove(self, block: Block, op: Op) -> None:
        """Remove the op with this op's id, which may be in a region."""
        self._touch(block.label)
        change_blocks([block], lambda ops: [other for other in ops if other.id != op.id])

    def cut(self, block: Block, position: int, *ops: Op) -> None:
        """Replace all ops from a position on, to the end of the block."""
        self._touch(block.label)
        block.ops[position:] = ops

    def set_ops(self, block: Block, ops: Iterable[Op]) -> None:
        """Replace all ops of a block."""
        self._touch(block.label)
        block.ops[:] = ops

    def put(self, place: Place, op: Op) -> None:
        """Replace the op at a place, which may be in a region."""
        self._touch(place.block.label)
        place.put(op)

    def set_handler(self, block: Block, handler: int | None) -> None:
        """Change the handler of a block's exceptions."""
        self._touch(block.label)
        block.handler = handler

    def add_block(self, block: Block) -> None:
        """Add a block after all others."""
        self._touch(block.label)
        self.fn.blocks[block.label] = block

    def drop_block(self, label: int) -> None:
        """Remove a block."""
        self._touch(label)
        del self.fn.blocks[label]

    def order_blocks(self, labels: Iterable[int]) -> None:
        """Keep the blocks with these labels, in this order."""
        ordered = {label: self.fn.blocks[label] for label in labels}
        for label in self.fn.blocks:
            if label not in ordered:
                self._touch(label)
        self.fn.blocks = ordered

    def set_params(self, params: tuple[str, ...]) -> None:
        """Replace the parameters of the function."""
        self.fn.params = params

    def renew_regions(
        self,
        labels: Collection[int],
        origin: dict[str, str] | None = None,
        ids: dict[int, int] | None = None,
    ) -> None:
        """Assign fresh labels, ids and names to the regions in copied blocks, as
        `region_views.renew_regions` does."""
        for label in labels:
            self._touch(label)
        renew_regions(self.fn, labels, origin, ids)

    # --- sweeps ---------------------------------------------------------------------------------

    def insert_each(self, block: Block, ops: Ops, reason: Reason) -> None:
        """Set the ops of a block, which are its old and new ones: each new one is a rewrite."""
        block.ops[:] = ops

    def rename_each(
        self,
        names: Mapping[str, str],
        change: Callable[[Mapping[str, str], Ops], list[Op]],
        rule: Rule,
    ) -> None:
        """Change the ops of all blocks and regions by a table of names: each name is a rewrite,
        whose subjects are the old one and the new one.

        `change` for the whole table must be equivalent to applying its names one after the other.
        """
        if names:
            change_blocks(self.fn.blocks.values(), lambda ops: change(names, ops))

    def remove_each(self, is_dead: Callable[[Op], bool], rule: Rule, cycle: Rule) -> None:
        """Remove all dead ops: each is a rewrite of `rule`, whose subject is the op.  A group that
        only its own members use is one rewrite of `cycle`."""
        change_blocks(self.fn.blocks.values(), lambda ops: [op for op in ops if not is_dead(op)])

    def version_each(self, blocks: Mapping[int, list[Op]], rule: Rule) -> None:
        """Set the ops of blocks whose names alone have changed: each new name is a rewrite."""
        for label, ops in blocks.items():
            self.fn.blocks[label].ops[:] = ops

    def in_regions(self, run: Callable[[Editor], object]) -> bool:
        """Let `run` edit each region in the function's own blocks; True if any has changed.

        `run` calls this again for nested regions.
        """
        changed = False
        for block in self.fn.blocks.values():
            for position, op in enumerate(block.ops):
                for name in op.REGIONS:
                    changed |= self._edit_region(block, position, name, run)
        if changed:
            self.fn.forget_labels()
        return changed

    def _edit_region(
        self, block: Block, position: int, name: str, run: Callable[[Editor], object]
    ) -> bool:
        shown = view(self.fn, getattr(block.ops[position], name), block.label, position)
        run(self._inside(block, position, name, shown))
        return self._put_region(block, position, name, shown)

    def _inside(self, block: Block, position: int, name: str, shown: RegionView) -> Editor:
        return Editor(shown)

    def _put_region(self, block: Block, position: int, name: str, shown: RegionView) -> bool:
        """Replace the op of an edited region; False if the region has not changed."""
        op = block.ops[position]
        region = frozen(shown, getattr(op, name))
        if region is getattr(op, name):
            return False
        self.replace(block, position, replace(op, **{name: region}))
        return True

    # --- rewrites -------------------------------------------------------------------------------

    def commit(self, rule: Rule, loc: Loc, *subjects: Any, types: Iterable[str] = ()) -> None:
        """End a rewrite: all edits since the last one, if there are any.

        `loc` is the source location of the rewrite; `types` are the variables whose types it has
        added or changed.
        """

    def unsettle(self) -> None:
        """Declare that the program cannot run between the rewrites from here on."""

    def settle(self) -> None:
        """Declare that the program can run again after the last rewrite."""

    def _touch(self, label: int) -> None:
        """Note that a block is about to change."""
