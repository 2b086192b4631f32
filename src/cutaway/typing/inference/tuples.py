"""The typing constraints of unpacking and indexing tuples."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cutaway.errors import TypingError
from cutaway.ir import nodes
from cutaway.typing import types
from cutaway.typing.types import Tuple, Type

if TYPE_CHECKING:
    from cutaway.typing.inference.solver import Inference


def unpacked(run: Inference, op: nodes.Unpack) -> Type | None:
    """Return the type of the unpacked items, a tuple."""
    match run.types[op.value]:
        case types.ListDisplay(items=items) if len(items) == op.count:
            return Tuple(items)
        case Tuple(items=items) if len(items) == op.count:
            return run.types[op.value]
        case Tuple():
            return types.undefined  # raises ValueError when it is executed
    return run._answer(op)


def unpacked_with_star(run: Inference, op: nodes.UnpackStar) -> Type | None:
    """Return the type of the unpacked items; a tuple leaves a tuple for the starred target."""
    owner = run.types[op.value]
    if not isinstance(owner, Tuple):
        return run._answer(op)
    items, last = owner.items, len(owner.items) - op.after
    if last < op.before:
        return types.undefined  # raises ValueError when it is executed
    return Tuple((*items[: op.before], Tuple(items[op.before : last]), *items[last:]))


def item_at(run: Inference, op: nodes.StaticGetItem) -> Type | None:
    """Return the type of an item at a constant index."""
    owner = run.types[op.value]
    if isinstance(owner, Tuple):
        return _tuple_item(op, owner)
    return run._answer(op)


def _tuple_item(op: nodes.StaticGetItem, owner: Tuple) -> Type:
    if isinstance(op.index, slice):
        return owner.part(owner.items[op.index])
    if not isinstance(op.index, int):
        raise TypingError(f"a {owner.word} index must be an integer or a slice", op.loc)
    if not -len(owner.items) <= op.index < len(owner.items):
        return types.undefined  # raises IndexError when it is executed
    return owner.items[op.index]
