"""A number that is assigned where a mask is true, stored in the loop that computes the mask.

    m = arrayexpr(expr=a < 0.0)        a[...] = arrayexpr(expr=where(a < 0.0, 0.0, a))
    a[m] = 0.0                    ->

All elements are written, most of them as they were: that takes one loop, without a branch and
without a mask in memory.  The mask must be known to have the shape of the array.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from cutaway.ir import nodes
from cutaway.ir.elements import formula
from cutaway.ir.nodes import Block
from cutaway.ir.regions import Region
from cutaway.stages.arrays.operands import element_of_body, stem_of, texts_of
from cutaway.typing import types
from cutaway.typing.types import Array, Boolean, Complex, Float, Integer, Type
from cutaway.typing.ufuncs import element_of, is_python_number

if TYPE_CHECKING:
    from cutaway.stages.arrays.fusing import ArrayFusion


class MaskedStores:
    """The assignments of numbers by masks in one block."""

    def __init__(self, fusion: ArrayFusion) -> None:
        self.fusion = fusion
        self.unit = fusion.unit

    def store(self, op: nodes.SetItem | nodes.StaticSetItem) -> nodes.ArrayStore | None:
        """Return the store that replaces an assignment; None where it stays."""
        if not isinstance(op, nodes.SetItem) or not self._fits(op):
            return None
        names = (op.index, op.value, op.target)
        body = self._body(op, names)
        texts = texts_of(self.fusion.tables.makers, names)
        expr = formula(body.blocks[0].ops, dict(zip(body.indices, texts, strict=True)))
        tested = self.fusion.tested(names, op.target)
        return nodes.ArrayStore(op.target, expr, names, body, tested, loc=op.loc, id=op.id)

    def _fits(self, op: nodes.SetItem) -> bool:
        table, sizes, place = self.unit.types, self.fusion.sizes, self.fusion.place
        array, mask, value = table[op.target], table[op.index], table[op.value]
        if not isinstance(array, Array) or not isinstance(mask, Array) or array.ndim == 0:
            return False
        if mask.dtype is not types.boolean or not keeps_value(value, array.dtype):
            return False
        return sizes.of(op.index, place) == sizes.of(op.target, place)

    def _body(self, op: nodes.SetItem, names: tuple[str, ...]) -> Region:
        table, fn = self.unit.types, self.fusion.fn
        indices = tuple(fn.fresh(stem_of(name)) for name in names)
        for index, name in zip(indices, names, strict=True):
            table[index] = element_of(table[name])
        mask, value, own = indices
        steps: list[nodes.Element] = []
        wanted = table[own]
        if table[value] is not wanted:
            stem = "python" if is_python_number(table[value]) else "as"
            steps.append(self._step(f"{stem}.{wanted}", (value,), op))
            value = steps[-1].result
        steps.append(self._step("where", (mask, value, own), op))
        give = nodes.Give(steps[-1].result, loc=op.loc, id=fn.new_id())
        self.fusion.tables.resolve(steps)
        return Region.of([Block(self.fusion.tables.new_label(), [*steps, give])], indices)

    def _step(self, function: str, args: tuple[str, ...], op: nodes.SetItem) -> nodes.Element:
        return element_of_body(self.fusion.fn, self.unit.types, function, args, op)


def keeps_value(value: Type, dtype: Type) -> bool:
    """True if a number becomes an element without a change of its kind, by one rounding."""
    if value is dtype:
        return types.is_number(dtype)
    if isinstance(value, Boolean) or not types.is_number(value):
        return False
    if isinstance(value, Integer):
        wide = dtype in (types.float64, types.complex128)
        return isinstance(dtype, Integer) and value is types.int64 or wide
    if isinstance(value, Float):
        return value is types.float64 and isinstance(dtype, Float | Complex)
    return False
