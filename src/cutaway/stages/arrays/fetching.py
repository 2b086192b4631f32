"""Elements that arrays of integers choose, read in the loop that uses them.

t = getitem(value=w, index=i)          s = arrayreduce(expr=sum(w[i] * x), args=(i, x))
s = arrayreduce(expr=sum(t * x))   ->      body(i, x):
                                               e = element fetch(w, i)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from cutaway.ir import nodes
from cutaway.ir.editing import Rule
from cutaway.ir.elements import formula
from cutaway.ir.nodes import Block, Op
from cutaway.ir.regions import Region
from cutaway.stages.arrays.operands import stem_of, texts_of
from cutaway.typing import types
from cutaway.typing.types import Array, Integer, Tuple
from cutaway.typing.ufuncs import FETCH, element_of, result_type

if TYPE_CHECKING:
    from cutaway.stages.arrays.fusing import ArrayFusion

MAKE_FETCH = Rule(
    "make_fetch",
    "a[i] => an array expression that reads an element of a for each of i",
    note="the elements of {0!v} are read by their indices",
)


class Fetches:
    """The reads by arrays of integers in one block."""

    def __init__(self, fusion: ArrayFusion) -> None:
        self.fusion = fusion
        self.unit = fusion.unit
        self._made: dict[int, nodes.ArrayExpr] = {}

    def is_one(self, op: Op | None) -> bool:
        """True if an op reads elements of an array by arrays of integers, one for each axis."""
        if not isinstance(op, nodes.GetItem):
            return False
        array = self.unit.types[op.value]
        names = self._indices(op)
        if not isinstance(array, Array) or names is None or len(names) != array.ndim:
            return False
        kinds = [self.unit.types[name] for name in names]
        fits = all(isinstance(element_of(ty), Integer) for ty in kinds)
        fits = fits and all(not isinstance(ty, Array) or ty.ndim for ty in kinds)
        is_held = types.is_number(array.dtype) and array.aligned
        return fits and is_held and any(isinstance(ty, Array) for ty in kinds)

    def _indices(self, op: nodes.GetItem) -> tuple[str, ...] | None:
        if not isinstance(self.unit.types[op.index], Tuple):
            return (op.index,)
        maker = self.fusion.tables.makers.get(op.index)
        return maker.items if isinstance(maker, nodes.BuildTuple) else None

    def made(self, op: Op) -> nodes.ArrayExpr:
        """Return the expression that reads the elements."""
        assert isinstance(op, nodes.GetItem)
        if op.id not in self._made:
            self._made[op.id] = self._expression(op)
        return self._made[op.id]

    def put(self, position: int) -> nodes.ArrayExpr:
        """Replace the op at a position by the expression."""
        fusion = self.fusion
        op = fusion.block.ops[position]
        made = self.made(op)
        self.unit.resolutions.pop(op.id, None)
        fusion.replace(position, made)
        own = [made.result, *made.body.indices, made.body.blocks[0].ops[0].result]  # an element
        fusion.editor.commit(MAKE_FETCH, op.loc, made.result, types=own)
        return made

    def _expression(self, op: nodes.GetItem) -> nodes.ArrayExpr:
        table, fn = self.unit.types, self.fusion.fn
        names = self._indices(op)
        assert names is not None
        indices = tuple(fn.fresh(stem_of(name)) for name in names)
        for index, name in zip(indices, names, strict=True):
            table[index] = element_of(table[name])
        element = fn.fresh("e")
        array = table[op.value]
        assert isinstance(array, Array)
        table[element] = array.dtype
        fetch = nodes.Element(element, FETCH, (op.value, *indices), loc=op.loc, id=fn.new_id())
        give = nodes.Give(element, loc=op.loc, id=fn.new_id())
        block = Block(self.fusion.tables.new_label(), [fetch, give])
        body = Region.of([block], indices)
        self.fusion.tables.resolve([fetch])
        texts = texts_of(self.fusion.tables.makers, names)
        expr = formula(block.ops, dict(zip(indices, texts, strict=True)))
        ty = result_type(array.dtype, [table[name] for name in names])
        return nodes.ArrayExpr(op.result, str(ty), expr, names, body, loc=op.loc, id=op.id)
