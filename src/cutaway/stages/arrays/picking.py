"""A reduction of the elements that a mask picks, in one loop over all of them.

t = a[m]; s = arrayreduce(sum(t))   ->   s = arrayreduce(sum(where(m, a, 0)))

Other elements count as the identity: 0 in a sum, 1 in a product.  Only integers and bools are
combined so: floats are rounded in an order that depends on their number.  The mask must be known to
have the shape of the array.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from cutaway.ir import nodes
from cutaway.ir.editing import Rule
from cutaway.ir.elements import given, steps, wholes_of
from cutaway.ir.nodes import Block, Op
from cutaway.ir.reductions import REDUCTIONS
from cutaway.ir.regions import Region
from cutaway.stages.arrays.operands import element_of_body, stem_of
from cutaway.typing import types
from cutaway.typing.analysis.indices import is_mask_of
from cutaway.typing.types import Array, Boolean, Integer
from cutaway.typing.ufuncs import element_of

if TYPE_CHECKING:
    from cutaway.stages.arrays.fusing import ArrayFusion

REDUCE_WHERE = Rule(
    "reduce_where",
    "sum(expression of a[m]) => sum(where(m, expression of a, 0))",
    note="{0!v} counts what the mask does not pick as nothing",
)

# Operations that may be computed for elements that the mask does not pick: none can raise.
_HARMLESS = frozenset(
    (
        "add subtract multiply negative absolute square bitwise_and bitwise_or bitwise_xor invert"
        " logical_and logical_or logical_not less less_equal greater greater_equal equal not_equal"
        " maximum minimum where isnan isfinite isinf"
    ).split()
)


class PickedReductions:
    """The reductions of one block whose elements a mask picks."""

    def __init__(self, fusion: ArrayFusion) -> None:
        self.fusion = fusion
        self.unit = fusion.unit

    def combine(self, position: int, op: Op) -> int | None:
        """Make a reduction one of all elements; return its position, None where it stays."""
        if not isinstance(op, nodes.ArrayReduce):
            return None
        if REDUCTIONS[op.function].gives not in ("total", "truth"):
            return None
        for name in op.args:
            read = self.fusion.tables.makers.get(name)
            if isinstance(read, nodes.GetItem) and self._fits(op, read, position):
                return self._put(position, op, read)
        return None

    def _fits(self, op: nodes.ArrayReduce, read: nodes.GetItem, position: int) -> bool:
        table, fusion = self.unit.types, self.fusion
        array, mask = table[read.value], table[read.index]
        before = fusion.order.position(read)
        if not isinstance(array, Array) or not is_mask_of(mask, array) or before is None:
            return False
        if not types.is_number(array.dtype) or not array.aligned:
            return False
        others = [name for name in op.args if name != read.result]
        if any(isinstance(table[name], Array) for name in others) or wholes_of(op.body):
            return False
        if len(fusion.tables.users(read.result)) > 1 or not self._is_exact(op, array):
            return False
        place = fusion.place
        if fusion.sizes.of(read.index, place) != fusion.sizes.of(read.value, place):
            return False
        moved = (read.value, read.index)
        between = fusion.order.barriers(before, position)
        return not any(fusion.memory.writes_to(one, moved) for one in between)

    def _is_exact(self, op: nodes.ArrayReduce, array: Array) -> bool:
        """True if the order of elements does not matter, and all of them may be computed."""
        whole = op.axis is None and not op.keepdims
        if not whole and (array.ndim > 1 or op.keepdims or op.axis not in (0, -1)):
            return False
        if not isinstance(self.unit.types[given(op.body)], Integer | Boolean):
            return False
        return all(
            step.function in _HARMLESS or step.function.startswith(("as.", "python."))
            for step in steps(op.body)
        )

    def _put(self, position: int, op: nodes.ArrayReduce, read: nodes.GetItem) -> int:
        fusion, table, fn = self.fusion, self.unit.types, self.fusion.fn
        before = fusion.order.position(read)
        assert before is not None
        wanted = table[given(op.body)]
        nothing = fn.fresh("nothing")
        identity = REDUCTIONS[op.function].identity
        value = bool(identity) if isinstance(wanted, Boolean) else identity
        constant = nodes.Const(nothing, value, loc=op.loc, id=fn.new_id())
        table[nothing] = types.boolean if isinstance(wanted, Boolean) else types.int64
        args, body = self._body(op, read, nothing)
        fusion.tables.renew((), (constant,))
        new = nodes.replace(op, axis=None, args=args, body=body, expr=fusion.formula_of(args, body))
        fusion.replace(position, constant, new)
        fusion.drop(before, new)
        own = [nothing, *body.indices, *(step.result for step in steps(body))]
        fusion.editor.commit(REDUCE_WHERE, op.loc, op.result, types=own)
        after = fusion.order.position(new)
        assert after is not None
        return after

    def _body(
        self, op: nodes.ArrayReduce, read: nodes.GetItem, nothing: str
    ) -> tuple[tuple[str, ...], Region]:
        """Return the operands and the body, where the mask selects element or identity."""
        table, fn = self.unit.types, self.fusion.fn
        args = tuple(read.value if name == read.result else name for name in op.args)
        mask, number = fn.fresh(stem_of(read.index)), fn.fresh(stem_of(nothing))
        table[mask], table[number] = types.boolean, element_of(table[nothing])
        result = given(op.body)
        wanted, last = table[result], number
        more: list[nodes.Element] = []
        if table[number] is not wanted:
            more.append(self._step(f"python.{wanted}", (number,), op))
            last = more[-1].result
        more.append(self._step("where", (mask, result, last), op))
        self.fusion.tables.resolve(more)
        inner = [one for one in op.body.blocks[0].ops if not isinstance(one, nodes.Give)]
        give = nodes.Give(more[-1].result, loc=op.loc, id=fn.new_id())
        block = Block(self.fusion.tables.new_label(), [*inner, *more, give])
        return (*args, read.index, nothing), Region.of([block], (*op.body.indices, mask, number))

    def _step(self, function: str, args: tuple[str, ...], op: Op) -> nodes.Element:
        return element_of_body(self.fusion.fn, self.unit.types, function, args, op)
