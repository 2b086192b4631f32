"""Facts about one parfor, in the words of the source, as plain data."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from cutaway.foundation.source import Loc, source_line
from cutaway.inspection.graphs.parfors import carried_names, index_names, shown_name, text_of
from cutaway.ir import nodes
from cutaway.ir.nodes import Op
from cutaway.ir.traversal import bound_names, captured, makers_of
from cutaway.stages.unit import CompileUnit
from cutaway.typing.analysis.counting import linear_values
from cutaway.typing.analysis.items import axes_of
from cutaway.typing.inference.questions import constants_of
from cutaway.typing.types import Array, Function, Type

Plain = dict[str, Any]

OPERATORS = {
    "add": "added up",
    "multiply": "multiplied",
    "min": "the smallest is kept",
    "max": "the largest is kept",
    "and": "combined by &",
    "or": "combined by |",
    "xor": "combined by ^",
    "minimum": "the smallest is kept, or a NaN",
    "maximum": "the largest is kept, or a NaN",
    "last": "what the last iteration leaves",
    "first_least": "the first of the smallest is kept",
    "last_least": "the last of the smallest is kept",
    "first_greatest": "the first of the largest is kept",
    "last_greatest": "the last of the largest is kept",
    "with": "that of the iteration whose other variable is kept",
    "given": "that of the last iteration that assigned it",
}
_STORES = (nodes.SetItem, nodes.StaticSetItem, nodes.ArrayStore, nodes.Store)


class Nests:
    """The parfors of a function at level `parfor`."""

    def __init__(self, unit: CompileUnit) -> None:
        self.unit = unit
        self.makers = makers_of(unit.fn)
        self.values = linear_values(unit.fn, unit.types, constants_of(unit.fn), self.makers)

    def facts(self, op: nodes.Parfor) -> Plain:
        """Return the facts about one parfor."""
        inner = self._inner_loops(op)
        return {
            "id": op.id,
            "indices": self._indices(op),
            "schedule": op.schedule,
            "why": self._why_scheduled(op, inner),
            "reductions": self._reductions(op),
            "shared": [self._shared(name) for name in self._captured(op)],
            "stores": list(self._stores(op)),
            "inner": inner,
            "lines": self._lines(op),
        }

    def _indices(self, op: nodes.Parfor) -> list[Plain]:
        rows = zip(index_names(op), op.starts, op.stops, op.steps, strict=True)
        return [
            {
                "name": index,
                **{
                    word: self._text(name)
                    for word, name in zip(("start", "stop", "step"), bounds, strict=True)
                },
            }
            for index, *bounds in rows
        ]

    def _text(self, name: str) -> str:
        return text_of(name, self.makers)

    def _why_scheduled(self, op: nodes.Parfor, inner: list[int]) -> str:
        if op.schedule == "static":
            return "each iteration does the same, so that equal parts take equal time"
        if inner:
            return f"the loop of line {inner[0]} may make some iterations longer than others"
        return "its iterations may take uneven time"

    def _inner_loops(self, op: nodes.Parfor) -> list[int]:
        """Return the lines of the loops in the body."""
        inside = (one for block in op.body.blocks for one in block.ops)
        lines = [one.loc.line for one in inside if isinstance(one, nodes.IterNext)]
        return sorted(set(lines))

    def _reductions(self, op: nodes.Parfor) -> list[Plain]:
        rows = zip(carried_names(op), op.operators, op.results, strict=True)
        return [
            {
                "name": shown_name(name),
                "operator": how,
                "type": str(self.unit.types.get(result, "")),
            }
            for name, how, result in rows
        ]

    def _captured(self, op: nodes.Parfor) -> list[str]:
        return [name for name in captured(op) if not self._is_constant(name)]

    def _is_constant(self, name: str) -> bool:
        known = isinstance(self.unit.types.get(name), Function)
        constant = isinstance(self.makers.get(name), nodes.Const | nodes.Global | nodes.FreeVar)
        return known or constant

    def _shared(self, name: str) -> Plain:
        return {"name": self._text(name), "type": str(self.unit.types.get(name, ""))}

    def _lines(self, op: nodes.Parfor) -> list[int]:
        """Return the source lines of the body."""
        filename = self.unit.fn.filename
        inside = [one.loc for block in op.body.blocks for one in block.ops]
        return sorted({loc.line for loc in inside if loc.line and loc.filename == filename})

    # --- stores ---------------------------------------------------------------------------------

    def _stores(self, op: nodes.Parfor) -> Iterator[Plain]:
        own = {*op.body.arguments}
        inside = [one for block in op.body.blocks for one in block.ops]
        own.update(name for one in inside for name in bound_names(one))
        known = set()
        for one in inside:
            if not isinstance(one, _STORES) or (one.loc, type(one)) in known:
                continue
            known.add((one.loc, type(one)))
            yield {"text": _line_of(one.loc), "line": one.loc.line, **self._judged(one, op, own)}

    def _judged(self, one: Op, op: nodes.Parfor, own: set[str]) -> Plain:
        """Say whether iterations store to distinct elements."""
        target = self._text(one.target)  # all stores have one
        if one.target in own:
            return {"apart": True, "why": f"`{target}` is the iteration's own"}
        if isinstance(one, nodes.Store) and set(op.body.indices) <= set(one.indices):
            return {"apart": True, "why": f"each iteration has an element of `{target}` of its own"}
        axis = self._axis_apart(one, op, own)
        if axis is not None:
            why = f"along axis {axis[0]} of `{target}` its place is another for each `{axis[1]}`"
            return {"apart": True, "why": why}
        why = f"it is not known to be another place of `{target}` in each iteration"
        return {"apart": False, "why": why}

    def _axis_apart(self, one: Op, op: nodes.Parfor, own: set[str]) -> tuple[int, str] | None:
        """An axis along which each iteration stores to another element, and the index that moves
        it; None if unknown."""
        ty: Type | None = self.unit.types.get(getattr(one, "target", ""))
        if not isinstance(one, nodes.SetItem) or not isinstance(ty, Array):
            return None
        axes: dict[str, int] = {}
        for k, axis in enumerate(axes_of(one, self.values.definitions)):
            terms: Mapping[str, int] = dict(self.values.affine(axis).terms)
            moving = [name for name in terms if name in own]
            if len(moving) == 1 and moving[0] in op.body.indices:
                axes.setdefault(moving[0], k)
        if len(axes) < len(op.body.indices):
            return None
        name, axis_number = next(iter(axes.items()))
        return axis_number, shown_name(name)


def _line_of(loc: Loc) -> str:
    return source_line(loc.filename, loc.line).strip()
