"""Assignments of arrays and numbers to parts of arrays, as stores of elements.

a[1:-1] = b[2:]      ->      $w = getitem(value=a, index=slice(1, -1))
                             $w[...] = arrayexpr(expr=b[2:], args=($b))
"""

from __future__ import annotations

from cutaway.ir import nodes
from cutaway.ir.nodes import Block
from cutaway.ir.regions import Region
from cutaway.stages.arrays.masking import keeps_value
from cutaway.stages.arrays.operands import element_of_body, stem_of, texts_of
from cutaway.stages.arrays.tables import Tables
from cutaway.stages.unit import CompileUnit
from cutaway.typing.analysis.indices import gives_copy
from cutaway.typing.types import Array, Complex, Type
from cutaway.typing.ufuncs import element_of, is_python_number

View = nodes.GetItem | nodes.StaticGetItem


class SliceStores:
    """Makes the ops of one function."""

    def __init__(self, unit: CompileUnit, tables: Tables) -> None:
        self.unit, self.tables, self.fn, self.types = unit, tables, unit.fn, unit.types

    def of(
        self, op: nodes.SetItem | nodes.StaticSetItem
    ) -> tuple[View | None, nodes.ArrayStore | None]:
        """Return the view of the array's part, and the store in it; None for a single element, for
        a part chosen by other arrays, and for a value that is not a plain number or array."""
        target, own = self.types.get(op.target), self.types[op.value]
        if not isinstance(target, Array) or gives_copy(op, self.types):
            return None, None
        if not self._fits(own, target.dtype):
            return None, None
        view = self._view(op)
        return (None, None) if view is None else (view, self._store(op, view.result))

    def _fits(self, own: Type, dtype: Type) -> bool:
        if isinstance(own, Array):
            return isinstance(dtype, Complex) or not isinstance(own.dtype, Complex)
        return keeps_value(own, dtype)

    def _view(self, op: nodes.SetItem | nodes.StaticSetItem) -> View | None:
        part, number = self.fn.fresh(stem_of(op.target)), self.fn.new_id()
        get: View
        if isinstance(op, nodes.SetItem):
            get = nodes.GetItem(part, op.target, op.index, op.bounds, loc=op.loc, id=number)
        else:
            get = nodes.StaticGetItem(part, op.target, op.index, loc=op.loc, id=number)
        self.tables.resolve([get])
        resolution = getattr(self.unit.resolutions.get(number), "resolution", None)
        ty = None if resolution is None else resolution.signature.returns
        if not isinstance(ty, Array) or ty.ndim == 0:
            self.unit.resolutions.pop(number, None)
            return None
        self.types[part] = ty
        return get

    def _store(self, op: nodes.SetItem | nodes.StaticSetItem, part: str) -> nodes.ArrayStore:
        own, dtype = self.types[op.value], self.types[part].dtype
        index = self.fn.fresh(stem_of(op.value))
        self.types[index] = element_of(own)
        steps: list[nodes.Element] = []
        value = index
        if not isinstance(own, Array) and own is not dtype:
            stem = "python" if is_python_number(own) else "as"
            step = element_of_body(self.fn, self.types, f"{stem}.{dtype}", (index,), op)
            steps, value = [step], step.result
            self.tables.resolve(steps)
        give = nodes.Give(value, loc=op.loc, id=self.fn.new_id())
        body = Region.of([Block(self.tables.new_label(), [*steps, give])], (index,))
        (expr,) = texts_of(self.tables.makers, (op.value,))
        return nodes.ArrayStore(part, expr, (op.value,), body, (), loc=op.loc, id=op.id)
