"""Updates of an array that are computed in the loop which computed its elements before.

x = a + b; x *= c           one loop, and x is written once
out += w * a; out += v * b  one loop, and out is read and written once
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from cutaway.ir import nodes
from cutaway.ir.elements import given, wholes_of
from cutaway.ir.nodes import Op
from cutaway.ir.traversal import operands
from cutaway.stages.arrays.decisions import Earlier, fits_in_one
from cutaway.typing.analysis.indices import gives_copy
from cutaway.typing.analysis.memory import OUTSIDE
from cutaway.typing.types import Array

if TYPE_CHECKING:
    from cutaway.stages.arrays.fusing import ArrayFusion

FARTHEST = 64  # ops between the two
# Ops that take a part of an array, or its attributes, and read none of its elements.
_VIEWS = (nodes.Copy, nodes.GetItem, nodes.StaticGetItem, nodes.GetAttr)
_CANNOT_RAISE = (nodes.Const, nodes.Global, nodes.FreeVar, nodes.Copy, nodes.Del, nodes.GetAttr)


class Updates:
    """The updates in one block."""

    def __init__(self, fusion: ArrayFusion) -> None:
        self.fusion = fusion
        self.types, self.memory = fusion.unit.types, fusion.memory

    def earlier(self, position: int) -> int | None:
        """Return the position of the op that computed the elements which a store updates, if both
        can be merged.  A reason against it is recorded."""
        store = self.fusion.block.ops[position]
        assert isinstance(store, nodes.ArrayStore)
        if wholes_of(store.body):
            return None  # one of them may be the updated array
        array = self.array_of(store.target)
        others = [name for name in self._arrays(store.args) if self.array_of(name) != array]
        if len(others) == len(self._arrays(store.args)):
            return None  # it does not read its target
        before = self._before(position, array)
        if before is None:
            return None
        producer = self.fusion.block.ops[before]
        assert isinstance(producer, Earlier)
        if wholes_of(producer.body):
            return None
        ty, reasons = self.types[array], self.fusion.reasons
        assert isinstance(ty, Array)
        shared = [name for name in others if self.memory.may_share(name, array)]
        if shared:
            reasons.missed(producer, reasons.updated_with(store, shared))
        elif self.types[given(producer.body)] is not ty.dtype:
            reasons.missed(producer, reasons.converted(store, ty))
        elif not self._sizes_fit(producer, store, others, array):
            reasons.missed(producer, reasons.unknown_sizes(store))
        elif fits_in_one(producer, store):
            return before
        return None

    def _sizes_fit(
        self, producer: Earlier, store: nodes.ArrayStore, others: list[str], array: str
    ) -> bool:
        """True if an error that one of both raises is the same in one loop."""
        if isinstance(producer, nodes.ArrayExpr):
            # An update does not broadcast the array, as an expression would.
            fits = self._fit(others, array)
        else:
            # The message names the array that is updated.
            fits = self._fit(self._arrays(producer.args), array)
            fits = fits and not self.fusion.may_raise(producer)
        # Elements computed before the error would be stored.
        return fits and not (self._is_visible(array) and self.fusion.may_raise(store))

    def array_of(self, name: str) -> str:
        """Return the variable that first held a variable's array."""
        op = self.memory.makers.get(name)
        while isinstance(op, nodes.Copy):
            name = op.value
            op = self.memory.makers.get(name)
        return name

    def copies(self, before: int, position: int, array: str) -> Iterator[int]:
        """Yield the positions between two where other variables are assigned the array."""
        for index in range(before + 1, position):
            op = self.fusion.block.ops[index]
            if isinstance(op, nodes.Copy) and self.array_of(op.result) == array:
                yield index

    def _fit(self, names: Iterable[str], array: str) -> bool:
        """True if arrays are known to broadcast to the shape of another, and not the reverse."""
        sizes, place = self.fusion.sizes, self.fusion.place
        whole = sizes.of(array, place)
        for name in names:
            keys = sizes.of(name, place)
            if len(keys) > len(whole):
                return False
            pairs = zip(keys, whole[len(whole) - len(keys) :], strict=True)
            if not all(key in (1, size) for key, size in pairs):
                return False
        return True

    def _arrays(self, names: Iterable[str]) -> list[str]:
        return [name for name in names if isinstance(self.types[name], Array)]

    def _is_visible(self, array: str) -> bool:
        """True if the array is visible to others after the function has raised."""
        return OUTSIDE in self.memory.roots(array)

    def _before(self, position: int, array: str) -> int | None:
        ops, visible = self.fusion.block.ops, self._is_visible(array)
        for before in range(position - 1, max(position - FARTHEST, 0) - 1, -1):
            op = ops[before]
            if isinstance(op, nodes.ArrayStore) and self.array_of(op.target) == array:
                return before
            if isinstance(op, nodes.ArrayExpr) and op.result == array:
                return before if self._is_unused(before, position, array) else None
            if not self._leaves_alone(op, array, visible):
                return None
        return None

    def _is_unused(self, before: int, position: int, array: str) -> bool:
        """True if nothing between needs the array, which is then made later."""
        taken = set(self.copies(before, position, array))
        return not any(
            self.array_of(name) == array
            for index in range(before + 1, position)
            if index not in taken
            for name in operands(self.fusion.block.ops[index])
        )

    def _leaves_alone(self, op: Op, array: str, visible: bool) -> bool:
        """True if an op neither reads nor writes elements of an array; if that is visible, the op
        cannot raise either, since a handler would see the array unchanged."""
        if self.fusion.is_barrier(op) or (op.REGIONS and not isinstance(op, Earlier)):
            return False
        if visible and not isinstance(op, _CANNOT_RAISE) and not self._is_slice(op):
            return False
        is_view = isinstance(op, _VIEWS) and not gives_copy(op, self.types)
        if is_view and isinstance(self.types.get(op.result), Array):
            return True
        if isinstance(op, nodes.GetAttr):
            return True
        return not any(self.memory.may_share(name, array) for name in self._arrays(operands(op)))

    def _is_slice(self, op: Op) -> bool:
        """True for a slice by constants, or of a whole: it cannot be out of bounds."""
        if not isinstance(op, nodes.StaticGetItem):
            return False
        parts = op.index if isinstance(op.index, tuple) else (op.index,)
        return all(isinstance(part, slice) and part.step != 0 for part in parts)
