"""The types of slices: indices of arrays, and ranges of numbers for `np.r_` and its like."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from cutaway.errors import TypingError
from cutaway.ir import nodes
from cutaway.ir.nodes import Op
from cutaway.ir.traversal import operands
from cutaway.typing import types
from cutaway.typing.types import Type
from cutaway.typing.types.enums import as_number


def slice_type(op: nodes.BuildSlice, known: Mapping[str, Type], ops: Sequence[Op]) -> Type:
    """Return the type of a slice.

    Raises TypingError if a bound is not an integer or None, unless it only indexes `np.r_` etc.
    """
    names = (op.start, op.stop) + (() if op.step is None else (op.step,))
    parts = [as_number(known[name]) for name in names]
    parts += [types.none] * (3 - len(parts))
    bounds = list(map(types.slice_bound, parts))
    if None not in bounds:
        return types.Slice(*bounds)
    wrong = parts[bounds.index(None)]
    if types.is_number(wrong) and _makes_arrays(op.result, known, ops):
        return types.Span(*(part if types.is_number(part) else types.none for part in parts))
    raise TypingError(
        f"the bounds of a slice must be integers or None, not {wrong}",
        op.loc,
        "convert the bound with int(...)",
    )


def _makes_arrays(name: str, known: Mapping[str, Type], ops: Sequence[Op]) -> bool:
    """True if a value is only used in indices of `np.r_` and its like."""
    users = [op for op in ops if name in operands(op)]
    return bool(users) and all(
        _makes_arrays(op.result, known, ops)
        if isinstance(op, nodes.BuildTuple)
        else isinstance(op, nodes.GetItem)
        and op.index == name
        and isinstance(known.get(op.value), types.IndexTool)
        for op in users
    )
