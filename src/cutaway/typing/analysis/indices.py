"""Indices with arrays or bools in them: what they choose of an array, and of what type that is.

a[i]            of each place in i an element, or the part of the array that is there
a[m]            the elements where m is true, as if its places were given: a[m.nonzero()]
a[i, :, j]      i and j are broadcast against each other; where something stands between them, what
                they choose comes first, before the axes that are left: a number counts with them
a[True]         a new axis, of length one or none, along which nothing is chosen
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
from cutaway.typing.values.typeof import typeof_constant


@dataclass(frozen=True, slots=True)
class Item:
    """A part of an index: what it does, the place of its value among the parts, and the first axis
    that it is for.

    `new` adds an axis, `whole` and `slice` keep one, `number`, `places` and `mask` choose, and
    `bool` chooses all or nothing.
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
class Chosen:
    """What an index with arrays or bools in it chooses.

    `ndim` are the axes of the places, which stand in the result behind `before` of the axes that
    are left, of which there are `left`.
    """

    items: tuple[Item, ...]
    ndim: int
    before: int
    left: int

    def result(self, array: Array) -> Array:
        """The type of what is read, a new array: the places lie before what there is at each."""
        if self.before == 0:
            layout = "C"
        else:
            layout = "F" if (self.ndim, self.before, self.left) == (1, 1, 1) else "A"
        return Array(array.dtype, self.ndim + self.left, layout)


def items_of(index: Type) -> tuple[Type, ...]:
    """The types of the parts of an index."""
    is_tuple = isinstance(index, Tuple) and not isinstance(index, ListDisplay)
    return index.items if is_tuple else (index,)


def chooses(index: Type) -> bool:
    """True if an index has arrays or bools in it: what it gives of an array is a copy."""
    return any(isinstance(item, Array | Boolean) for item in items_of(index))


def _has_sequences(index: Type) -> bool:
    """True if an index is a list, or has lists or tuples in it, of which NumPy makes arrays."""
    return any(isinstance(item, Tuple | Collected) for item in items_of(index))


def gives_copy(op: Op, table: Mapping[str, Type]) -> bool:
    """True if an op reads or writes items that an index with arrays, bools or lists chooses."""
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
    """A part of an index, with a number in the place of an array of one integer without axes."""
    return item.dtype if isinstance(item, Array) and _is_single(item) else item


def _is_single(item: Array) -> bool:
    return item.ndim == 0 and isinstance(item.dtype, Integer)


def with_numbers(index: Type) -> Type | None:
    """The index with numbers for arrays of one integer; None where other parts choose, too."""
    items = tuple(map(as_number, items_of(index)))
    if any(isinstance(item, Array | Boolean) for item in items):
        return None
    return Tuple(items) if isinstance(index, Tuple) else items[0]


def chosen(array: Array, index: Type) -> Chosen | None:
    """What an index chooses of an array; None where it has parts that are none.

    Raises TypingError, in NumPy's words, where it has too many.
    """
    given = items_of(index)
    used = sum(map(_axes_of, given))
    if given.count(types.ellipsis) > 1 or not all(map(_is_part, given)):
        return None
    if used > array.ndim:
        raise TypingError(
            f"too many indices for array: array is {array.ndim}-dimensional, but {used} were"
            " indexed"
        )
    items: list[Item] = []
    axis, rest = 0, array.ndim - used
    for position, ty in enumerate(given):
        if ty is types.ellipsis:
            # One that stands for no axis parts what is on both sides of it, too.
            items.append(Item("nothing", position, axis))
            items += [Item("whole", position, axis + k) for k in range(rest)]
            axis += rest
            continue
        items.append(Item(_kind_of(ty), position, axis, ty))
        axis += _axes_of(ty)
    items += [Item("whole", len(given), k) for k in range(axis, array.ndim)]
    return _counted(tuple(items))


def _counted(items: tuple[Item, ...]) -> Chosen:
    places = [k for k, item in enumerate(items) if item.chooses]
    adjacent = places[-1] - places[0] + 1 == len(places)
    kept = [item.kind in ("new", "whole", "slice") for item in items]
    before = sum(kept[: places[0]]) if adjacent else 0
    ndim = max(_places_of(items[k]) for k in places)
    return Chosen(items, ndim, before, sum(kept))


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
    """The axes of an array that a part of an index is for."""
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
