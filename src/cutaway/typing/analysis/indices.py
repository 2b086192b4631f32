"""Advanced indices, with arrays or bools in them: the axes they select and the type of the result.

a[i]            for each index in i the element, or the subarray, at this index
a[m]            the elements where m is true, as a[m.nonzero()]
a[i, :, j]      i and j are broadcast against each other; if they are not adjacent, the axes of
                their broadcast shape come first, before the remaining axes; a number counts as one
a[True]         a new axis, of length one or zero
"""

from __future__ import annotations

from collections.abc import Mapping

from cutaway.errors import TypingError
from cutaway.foundation.dataclass import dataclass
from cutaway.ir import nodes
from cutaway.ir.nodes import Op
from cutaway.typing import types
from cutaway.typing.types import Array, Boolean, Integer, ListDisplay, Slice, Tuple, Type
from cutaway.typing.types.collected import Collected
from cutaway.typing.types.containers import List
from cutaway.typing.values.typeof import typeof_constant


@dataclass(frozen=True, slots=True)
class Item:
    """A part of an index: its kind, its position in the index, and the first axis that it applies
    to.

    `new` adds an axis, `whole` and `slice` keep one, `number`, `places` and `mask` select, and
    `bool` selects all or nothing.
    """

    kind: str
    position: int
    axis: int
    ty: Type | None = None

    @property
    def chooses(self) -> bool:
        """True if it counts as an array of indices."""
        return self.kind in ("number", "places", "mask", "bool")


@dataclass(frozen=True, slots=True)
class IndexSelection:
    """The selection of an advanced index.

    In the result, the `ndim` axes of the broadcast index arrays follow the first `before` of the
    `left` remaining axes.
    """

    items: tuple[Item, ...]
    ndim: int
    before: int
    left: int

    def result(self, array: Array) -> Array:
        """Return the type of the new array, in whose memory the index axes are outermost."""
        if self.before == 0:
            layout = "C"
        else:
            layout = "F" if (self.ndim, self.before, self.left) == (1, 1, 1) else "A"
        return Array(array.dtype, self.ndim + self.left, layout)


def items_of(index: Type) -> tuple[Type, ...]:
    """Return the types of the parts of an index."""
    is_tuple = isinstance(index, Tuple) and not isinstance(index, ListDisplay)
    return index.items if is_tuple else (index,)


def chooses(index: Type) -> bool:
    """True if an index has arrays or bools in it, so that a read with it is a copy."""
    return any(isinstance(item, Array | Boolean) for item in items_of(index))


def _has_sequences(index: Type) -> bool:
    """True if an index is a list, or has lists or tuples in it, which NumPy converts to arrays."""
    return any(isinstance(item, Tuple | Collected | List) for item in items_of(index))


def gives_copy(op: Op, table: Mapping[str, Type]) -> bool:
    """True if an op reads or writes items by an index with arrays, bools or lists."""
    match op:
        case nodes.GetItem(value=array, index=name) | nodes.SetItem(target=array, index=name):
            index = table[name]
            copies = chooses(index) or _has_sequences(index)
            return isinstance(table.get(array), Array) and copies
        case nodes.StaticGetItem(value=array, index=constant):
            return isinstance(table.get(array), Array) and _constant_chooses(constant)
        case nodes.StaticSetItem(target=array, index=constant):
            return isinstance(table.get(array), Array) and _constant_chooses(constant)
    return False


def _constant_chooses(constant: object) -> bool:
    parts = constant if isinstance(constant, tuple) else (constant,)
    if all(part is None or part is ... or type(part) in (int, slice) for part in parts):
        return False
    ty = typeof_constant(constant)
    return ty is not None and (chooses(ty) or _has_sequences(ty))


def is_mask_of(index: Type, array: Array) -> bool:
    """True for one mask, with as many axes as the array."""
    items = items_of(index)
    if len(items) != 1 or not isinstance(items[0], Array) or array.ndim == 0:
        return False
    return items[0].dtype is types.boolean and items[0].ndim == array.ndim


def as_number(item: Type) -> Type:
    """Return a part of an index, with a 0-dimensional array of an integer replaced by a number."""
    return item.dtype if isinstance(item, Array) and _is_single(item) else item


def _is_single(item: Array) -> bool:
    return item.ndim == 0 and isinstance(item.dtype, Integer)


def with_numbers(index: Type) -> Type | None:
    """Return the index with numbers for 0-dimensional arrays; None if it is still advanced."""
    items = tuple(map(as_number, items_of(index)))
    if any(isinstance(item, Array | Boolean) for item in items):
        return None
    return Tuple(items) if isinstance(index, Tuple) else items[0]


def chosen(array: Array, index: Type) -> IndexSelection | None:
    """Return the selection of an advanced index; None if it has an invalid part.

    Raises TypingError, in NumPy's words, if it has too many parts.
    """
    parts = items_of(index)
    used = sum(map(_axes_of, parts))
    if parts.count(types.ellipsis) > 1 or not all(map(_is_part, parts)):
        return None
    if used > array.ndim:
        raise TypingError(
            f"too many indices for array: array is {array.ndim}-dimensional, but {used} were"
            " indexed"
        )
    items: list[Item] = []
    axis, rest = 0, array.ndim - used
    for position, ty in enumerate(parts):
        if ty is types.ellipsis:
            # Even an ellipsis for no axis makes the parts on its two sides non-adjacent.
            items.append(Item("nothing", position, axis))
            items += [Item("whole", position, axis + k) for k in range(rest)]
            axis += rest
            continue
        items.append(Item(_kind_of(ty), position, axis, ty))
        axis += _axes_of(ty)
    items += [Item("whole", len(parts), k) for k in range(axis, array.ndim)]
    return _counted(tuple(items))


def _counted(items: tuple[Item, ...]) -> IndexSelection:
    positions = [k for k, item in enumerate(items) if item.chooses]
    adjacent = positions[-1] - positions[0] + 1 == len(positions)
    remains = [item.kind in ("new", "whole", "slice") for item in items]
    before = sum(remains[: positions[0]]) if adjacent else 0
    ndim = max(_places_of(items[k]) for k in positions)
    return IndexSelection(items, ndim, before, sum(remains))


def _places_of(item: Item) -> int:
    if item.kind == "places":
        assert isinstance(item.ty, Array)
        return item.ty.ndim
    return 0 if item.kind == "number" else 1


def _is_part(ty: Type) -> bool:
    if isinstance(ty, Array):
        return isinstance(ty.dtype, Integer | Boolean)
    plain = Integer | Slice | Boolean | types.NoneType | types.EllipsisType
    return isinstance(ty, plain)


def _axes_of(ty: Type) -> int:
    """Return the number of array axes that a part of an index consumes."""
    if isinstance(ty, Array):
        return ty.ndim if ty.dtype is types.boolean else 1
    return int(isinstance(ty, Integer | Slice))


def _kind_of(ty: Type) -> str:
    if isinstance(ty, Array):
        if ty.dtype is types.boolean:
            return "mask" if ty.ndim else "bool"
        return "places" if ty.ndim else "number"
    if isinstance(ty, Boolean):
        return "bool"
    if ty is types.none:
        return "new"
    return "slice" if isinstance(ty, Slice) else "number"
