"""Arrays that are filled with a number when they are made: `np.ones(n)`, `np.full_like(a, x)`."""

from __future__ import annotations

import numpy as np

from cutaway.ir import nodes
from cutaway.ir.nodes import Op
from cutaway.stages.arrays.masking import keeps_value
from cutaway.stages.arrays.tables import Tables
from cutaway.stages.parallel.element_parfors import ElementParfors, is_plain
from cutaway.typing import types
from cutaway.typing.types import Array, Tuple

_BY_SHAPE = (np.ones, np.full)
_BY_EXAMPLE = (np.ones_like, np.full_like)
_FILLED = (np.full, np.full_like)


class Constructors:
    """Makes the ops of calls."""

    def __init__(self, maker: ElementParfors, tables: Tables) -> None:
        self.maker, self.tables, self.types = maker, tables, maker.types

    def text(self, op: nodes.Call) -> str:
        """Return the name of a call that can be a parfor; empty for others."""
        function, ty = self.tables.constants.get(op.func), self.types.get(op.result)
        is_known = any(function is one for one in (*_BY_SHAPE, *_BY_EXAMPLE))
        if not is_known or not isinstance(ty, Array) or ty.ndim == 0 or not is_plain(ty):
            return ""
        names = op.args[: len(op.args) - len(op.keywords)]
        count = 2 if function in _FILLED else 1
        if len(names) < count or op.star is not None or not set(op.keywords) <= {"dtype"}:
            return ""
        if function in _FILLED and not keeps_value(self.types[names[1]], ty.dtype):
            return ""
        if function in _BY_EXAMPLE:
            return f"np.{function.__name__}" if isinstance(self.types[names[0]], Array) else ""
        return f"np.{function.__name__}" if self._sizes(names[0]) else ""

    def of(self, op: nodes.Call) -> list[Op]:
        """Return the ops that replace such a call."""
        function, ty = self.tables.constants[op.func], self.types[op.result]
        assert isinstance(ty, Array)
        maker = self.maker
        maker.made = []
        value = op.args[1] if function in _FILLED else ""
        if not value:
            value = maker.constant(1.0, types.float64, op)
        if function in _BY_EXAMPLE:
            sizes = maker.names("size", [types.int64] * ty.ndim)
            number = maker.fn.new_id()
            (text,) = maker.texts(op.args[:1])
            maker.put(nodes.SizesOf(sizes, op.args[:1], None, (text,), loc=op.loc, id=number))
        else:
            sizes = self._sizes(op.args[0])
        new = nodes.NewArray(op.result, str(ty.dtype), ty.layout, sizes, loc=op.loc, id=op.id)
        maker.put(new)
        maker.fill(op, sizes, value)
        return maker.made

    def _sizes(self, name: str) -> tuple[str, ...]:
        """Return the variables that hold the sizes; none unless each is a single variable."""
        ty = self.types[name]
        if ty is types.int64:
            return (name,)
        maker = self.tables.makers.get(name)
        if isinstance(ty, Tuple) and isinstance(maker, nodes.BuildTuple):
            if all(self.types[item] is types.int64 for item in maker.items):
                return maker.items
        return ()
