"""The operands of element-wise ops, and their texts in formulas."""

from __future__ import annotations

from collections.abc import Iterable

from cutaway.ir import nodes
from cutaway.ir.function import Function, is_temporary, user_name
from cutaway.ir.nodes import Op
from cutaway.ir.region_views import outermost
from cutaway.ir.traversal import uses, walk
from cutaway.typing.inference.resolutions import Chosen


def operands_of(op: Op, resolved: Chosen, places: tuple[int, ...]) -> tuple[str, ...] | None:
    """The variables at these places of an op's signature; None where one is no variable."""
    if isinstance(op, nodes.Call):
        if op.star is not None:
            return None
        names = op.args if resolved.owner is None else (op.func, *op.args)
        if resolved.owner is not None:
            return None
    else:
        names = uses(op)
    layout = [resolved.resolution.layout[place] for place in places]
    if any(place is None for place in layout):
        return None
    return tuple(names[place] for place in layout if place is not None)


def texts_of(fn: Function, names: Iterable[str]) -> list[str]:
    """The texts of variables in a formula: names of the user's, constants, or what they are."""
    constants = {}
    for op in walk(outermost(fn)):
        if isinstance(op, nodes.Const):
            constants[op.result] = repr(op.value)
    return [
        constants.get(name) or (name if is_temporary(name) else user_name(name)) for name in names
    ]
