"""A function of the IR: blocks by label, and fresh names for additions by passes.

Types are not part of it: they are a side table (`dict[str, Type]`) on the compile unit, so that one
function can be typed for many signatures.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from cutaway.foundation.dataclass import dataclass, field
from cutaway.ir.nodes import Block
from cutaway.ir.regions import FrozenBlock


@dataclass(slots=True)
class Function:
    """A function in IR.

    `params` are the parameter names in order.  The first block of `blocks` is the entry.  `next_id`
    is the next free value id, `next_temp` the next free number of `fresh`.  `namespace` are the
    globals of the user's module (Any: the user's objects), for inner functions that the interpreter
    makes.  A call of a `generator` returns one.  `closure` are the cells of the variables that it
    shares with enclosing functions.
    """

    name: str
    params: tuple[str, ...]
    blocks: dict[int, Block]
    filename: str = field(default="", compare=False)
    first_line: int = field(default=0, compare=False)
    next_id: int = field(default=1, compare=False)
    next_temp: int = field(default=0, compare=False)
    namespace: dict[str, Any] = field(default_factory=dict, compare=False, repr=False)
    generator: bool = False
    closure: dict[str, Any] = field(default_factory=dict, compare=False, repr=False)
    graph: Any = field(default=None, compare=False, repr=False)
    _last_label: tuple[int, int] = field(default=(-1, 0), compare=False, repr=False)

    @property
    def entry(self) -> Block:
        """The block that control enters first."""
        return next(iter(self.blocks.values()))

    def copy(self) -> Function:
        """Copy the function with blocks of its own; ops and their regions are immutable and shared,
        so this is cheap."""
        return Function(
            self.name,
            self.params,
            {label: block.copy() for label, block in self.blocks.items()},
            self.filename,
            self.first_line,
            self.next_id,
            self.next_temp,
            self.namespace,
            self.generator,
            self.closure,
        )

    def new_id(self) -> int:
        """Return a value id that no op of this function has."""
        self.next_id += 1
        return self.next_id - 1

    def new_label(self) -> int:
        """Return a label that no block of this function has: one more than the highest."""
        # Passes that split a loop's blocks request many labels: searching for the highest each time
        # would be quadratic.
        label, count = self._last_label
        blocks = self.blocks
        if label in blocks and len(blocks) == count + 1 and label + 1 not in blocks:
            label += 1  # only the block of the last label has been added since
        else:
            label = self.highest_label() + 1
        self._last_label = (label, len(blocks))
        return label

    def forget_labels(self) -> None:
        """Invalidate the cached highest label, after regions may have got new ones."""
        self._last_label = (-1, 0)

    def highest_label(self) -> int:
        """Return the highest label of a block, those of regions included."""
        return max(max(self.blocks), _highest_inside(self.blocks.values()))

    def fresh(self, stem: str) -> str:
        """Return a fresh name of a compiler temporary: `$stem.7`."""
        self.next_temp += 1
        return f"${stem}.{self.next_temp - 1}"


def _highest_inside(blocks: Iterable[Block | FrozenBlock]) -> int:
    highest = -1
    for block in blocks:
        for op in block.ops:
            for name in op.REGIONS:
                inner = getattr(op, name).blocks
                highest = max(highest, _highest_inside(inner), *[one.label for one in inner])
    return highest


BOUND_FLAG = "$bound."  # prefix of the name of the flag for whether a variable is bound


def is_temporary(name: str) -> bool:
    """True if a variable is a compiler temporary, not a variable of the user."""
    return name.startswith("$")


def user_name(name: str) -> str:
    """Return the user's name of an SSA version or of an inner function's variable: `s.2` and
    `s@inner` to `s`; a temporary stays as it is."""
    return name if is_temporary(name) else name.partition(".")[0].partition("@")[0]


def stem_of(name: str) -> str:
    """Return the name without version: `s@inner` of `s@inner.2` and its copy `$s@inner.2.17`."""
    return name.lstrip("$").partition(".")[0]


def flagged_stem(name: str) -> str:
    """Return the stem of the variable that a flag, or a version of it, is for; empty for others."""
    stem, _, rest = name.partition(".")
    return rest.partition(".")[0] if f"{stem}." == BOUND_FLAG else ""
