"""Symbolic sizes of arrays, as keys: two axes with equal keys have the same number of elements.

a[1:-1], a[2:], a[:-2]      all have ("less", size of a, 2): two fewer, but not below 0
np.empty_like(a), a * 2     those of a
np.zeros((n + 1, 3))        ("plus", the value of n, 1), and 3
a[i:j]                      ("cut", size of a, i, j, None): equal for the same i and j

If a program has compared sizes (`assert a.shape == b.shape`), they are equal in the blocks that are
reached only if the comparison holds.

Passes that compare sizes with indices use the form `base + constant` (`Linear`).  The base is then
a variable of the function, or the text `size(array, axis)` for the size of an axis, which no
variable need hold.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from cutaway.foundation.foreign import attribute
from cutaway.ir import induction, nodes
from cutaway.ir.function import Function
from cutaway.ir.graph import Loop, graph_of
from cutaway.ir.nodes import Op
from cutaway.ir.traversal import definitions
from cutaway.typing import types
from cutaway.typing.analysis import comparisons, counting
from cutaway.typing.types import Array, Tuple, Type

Key = Any
_NO_CONSTANT = object()
_BY_SHAPE = (np.empty, np.zeros, np.ones, np.full)
TAKES_SHAPE = "__takes_shape__"  # an attribute of functions that create an array of constant shape
_PRODUCTS = (np.dot, np.matmul)
_BY_EXAMPLE = (np.empty_like, np.zeros_like, np.ones_like, np.full_like, np.copy)


class Sizes:
    """The sizes of one function's arrays."""

    def __init__(
        self, fn: Function, table: Mapping[str, Type], values: induction.LinearValues | None = None
    ) -> None:
        self.fn = fn
        self.types = table
        self.values = counting.linear_values(fn, table) if values is None else values
        self.makers, self.constants = self.values.definitions, self.values.constants
        self._known: dict[str, tuple[Key, ...]] = {}
        # The axes that have each size, and the size that each symbol stands for.
        self._axes: dict[Key, list[tuple[str, int]]] = {}
        self._keys: dict[str, Key] = {}
        self._blocks: dict[str, int] | None = None  # the block that defines each variable
        self._same: dict[int, dict[Key, Key]] = {}
        self._compared: list[tuple[int, Key, Key]] | None = None

    # --- keys -----------------------------------------------------------------------------------

    def of(self, name: str, block: int | None = None) -> tuple[Key, ...]:
        """Return a key for each axis of an array; an empty tuple for a number.  With a block, sizes
        that were compared equal on every path to it have the same key."""
        ty = self.types.get(name)
        if not isinstance(ty, Array):
            return ()
        if name not in self._known:
            self._known[name] = self._own(name, ty)  # if a loop leads back here
            self._known[name] = self._keys_of(name, ty)
            for axis, key in enumerate(self._known[name]):
                self._axes.setdefault(key, []).append((name, axis))
        keys = self._known[name]
        return keys if block is None else tuple(self._in_block(key, block) for key in keys)

    def together(self, names: Sequence[str], block: int | None = None) -> tuple[Key, ...] | None:
        """Return the keys of the broadcast shape of arrays and numbers; None if it cannot be
        determined, as they may not fit or an axis of unknown size may be repeated."""
        rows = [self.of(name, block) for name in names]
        ndim = max(map(len, rows), default=0)
        result = []
        for axis in range(-ndim, 0):
            keys = {row[axis] for row in rows if len(row) >= -axis} - {1}
            if len(keys) > 1:
                return None
            result.append(keys.pop() if keys else 1)
        return tuple(result)

    def _of_elements(self, result: str, names: Sequence[str]) -> tuple[Key, ...] | None:
        """Return the keys of the result of an element-wise operation."""
        kinds = [self.types.get(name) for name in names]
        is_plain = all(isinstance(ty, Array) or (ty and types.is_number(ty)) for ty in kinds)
        return self.together(names, self.block_of(result)) if is_plain else None

    def block_of(self, name: str) -> int | None:
        """Return the block that defines a variable; None for a variable of a region."""
        if self._blocks is None:
            rows = self.fn.blocks.items()
            self._blocks = {
                name: label for label, at in rows for op in at.ops for name in definitions(op)
            }
        return self._blocks.get(name)

    def _own(self, name: str, ty: Array) -> tuple[Key, ...]:
        return tuple(("size", name, axis) for axis in range(ty.ndim))

    def _keys_of(self, name: str, ty: Array) -> tuple[Key, ...]:
        keys: tuple[Key, ...] | None = None
        match self.makers.get(name):
            case nodes.Copy(_, value) | nodes.Cast(_, value) | nodes.Apart(_, value):
                keys = self.of(value)
            case nodes.Binary(_, row, lhs, rhs):
                is_product = row.symbol == "@"
                keys = (
                    self._product(lhs, rhs) if is_product else self._of_elements(name, (lhs, rhs))
                )
            case nodes.Unary(_, _, value):
                keys = self.of(value)
            case nodes.Phi(values=values):
                keys = self._merged(name, ty, values)
            case nodes.Global(_, _, np.ndarray() as value) | nodes.FreeVar(
                _, _, np.ndarray() as value
            ):
                keys = value.shape
            case nodes.NewArray(sizes=sizes):
                keys = tuple(_existing(self.number(size)) for size in sizes)
            case nodes.ArrayExpr(args=args):
                keys = self.together(args, self.block_of(name))
            case nodes.ArrayReduce(axis=axis, keepdims=True, args=args):
                whole = self.together(args)
                keys = None if whole is None else _with_ones(whole, axis)
            case nodes.GetAttr(_, value, "T"):
                keys = self.of(value)[::-1]
            case nodes.StaticGetItem(_, value, index) if isinstance(self.types[value], Array):
                keys = self._cut(value, index if isinstance(index, tuple) else (index,))
            case nodes.GetItem(_, value, index, _) if isinstance(self.types[value], Array):
                keys = self._chosen(value, index) or self._cut(value, self._parts(index))
            case nodes.Call() as call:
                keys = self._of_call(call)
        return keys if keys is not None and len(keys) == ty.ndim else self._own(name, ty)

    def _merged(self, name: str, ty: Array, values: Sequence[str]) -> tuple[Key, ...] | None:
        """Return the keys of a phi of arrays, if all sources have the same; else None."""
        own = self._own(name, ty)
        merged = {keys for value in values if (keys := self.of(value)) != own}
        # Results computed in between assumed that this array has unique sizes.
        for other in [one for one, keys in self._known.items() if not set(own).isdisjoint(keys)]:
            if other != name:
                del self._known[other]
        return merged.pop() if len(merged) == 1 else None

    # --- slices ---------------------------------------------------------------------------------

    def _parts(self, index: str) -> tuple[Any, ...]:
        """Return the parts of an index: constants, variables, and slices of both."""
        maker = self.makers.get(index)
        if isinstance(maker, nodes.BuildTuple):
            return tuple(self._part(item) for item in maker.items)
        value = self.constants.get(index, _NO_CONSTANT)
        return value if isinstance(value, tuple) else (self._part(index),)

    def _part(self, name: str) -> Any:
        maker = self.makers.get(name)
        if isinstance(maker, nodes.BuildSlice):
            bounds = (maker.start, maker.stop, *([] if maker.step is None else [maker.step]))
            return slice(*(self.constants.get(bound, ("value", bound)) for bound in bounds))
        value = self.constants.get(name, _NO_CONSTANT)
        return ("value", name) if value is _NO_CONSTANT else value

    def _cut(self, array: str, parts: Sequence[Any]) -> tuple[Key, ...] | None:
        sizes = self.of(array)
        if parts.count(...) > 1 or not all(map(self._is_plain, parts)):
            return None
        used = sum(part is not None and part is not ... for part in parts)
        result: list[Key] = []
        axis = 0
        for part in parts:
            if part is None:
                result.append(1)
            elif part is ...:
                result += sizes[axis : axis + len(sizes) - used]
                axis += len(sizes) - used
            else:
                if isinstance(part, slice):
                    result.append(_sliced(sizes[axis], part))
                axis += 1
        return (*result, *sizes[axis:])

    def _chosen(self, array: str, index: str) -> tuple[Key, ...] | None:
        """Return the keys of the result of indexing by one array of integers; None for another
        index."""
        ty = self.types[index]
        if not isinstance(ty, Array) or not isinstance(ty.dtype, types.Integer) or ty.ndim == 0:
            return None
        return (*self.of(index), *self.of(array)[1:])

    def _is_plain(self, part: Any) -> bool:
        """True for an integer, a slice of constants and integers, a new axis and an ellipsis."""
        if isinstance(part, tuple):  # ("value", name); constant tuples are not plain
            is_variable = part[:1] == ("value",)
            return is_variable and isinstance(self.types.get(part[1]), types.Integer)
        return part is None or part is ... or type(part) in (int, slice)

    # --- new arrays -----------------------------------------------------------------------------

    def _of_call(self, call: nodes.Call) -> tuple[Key, ...] | None:
        function = self.constants.get(call.func)
        if isinstance(function, np.ufunc):
            plain = function.signature is None and not call.keywords and call.star is None
            return self._of_elements(call.result, call.args) if plain else None
        # The first positional argument is the shape or the example, unless the keyword `shape`
        # overrides it.
        if len(call.args) <= len(call.keywords) or "shape" in call.keywords:
            return None
        if any(function is one for one in _BY_EXAMPLE):
            return self.of(call.args[0])
        if any(function is one for one in _PRODUCTS):
            return self._product(*call.args) if len(call.args) == 2 else None
        if any(function is one for one in _BY_SHAPE):
            return self._shape(call.args[0])
        if attribute(function, TAKES_SHAPE, None) is True:
            shape = self._shape(call.args[0])
            return None if shape is None or 0 in shape else shape  # 0: the launch determines it
        return None

    def _product(self, one: str, other: str) -> tuple[Key, ...] | None:
        """Return the keys of a matrix product: all axes except the contracted one."""
        left, right = self.of(one), self.of(other)
        if not 1 <= len(left) <= 2 or not 1 <= len(right) <= 2:
            return None
        return (*left[:-1], *right[1:])

    def _shape(self, name: str) -> tuple[Key, ...] | None:
        """Return the keys of a shape, a tuple or a number."""
        maker = self.makers.get(name)
        if isinstance(maker, nodes.BuildTuple):
            return tuple(_existing(self.number(item)) for item in maker.items)
        if isinstance(self.types[name], Tuple):
            value = self.constants.get(name)
            return value if isinstance(value, tuple) else self._shape_held_by(name)
        return (_existing(self.number(name)),)

    def number(self, name: str, block: int | None = None) -> Key:
        """Return the key of an integer variable's value; `block` as in `of`."""
        linear = self.values.linear(name)
        if linear.base is None:
            return linear.offset
        held = self._size_held_by(linear.base)
        key = _plus(("value", linear.base) if held is None else held, linear.offset)
        return key if block is None else self._in_block(key, block)

    def _size_held_by(self, name: str) -> Key | None:
        match self.makers.get(name):
            case nodes.SizesOf(results, args, target):
                names = args if target is None else (target,)
                return self._at(self.together(names, self.block_of(name)), results.index(name))
            case nodes.StaticGetItem(_, shape, int() as axis):
                return self._at(self._shape_held_by(shape), axis)
            case nodes.GetItem(_, shape, index, _):
                constant = self.constants.get(index)
                is_plain = type(constant) is int
                return self._at(self._shape_held_by(shape), constant) if is_plain else None
            case nodes.Call(func=func, args=(array,)) if self.constants.get(func) is len:
                return self._at(self.of(array), 0)
            case nodes.GetAttr(_, array, "size") if len(self.of(array)) == 1:
                return self.of(array)[0]
        return None

    def _at(self, keys: Sequence[Key] | None, axis: int) -> Key | None:
        return None if keys is None or not -len(keys) <= axis < len(keys) else keys[axis]

    def _shape_held_by(self, name: str) -> tuple[Key, ...] | None:
        match self.makers.get(name):
            case nodes.GetAttr(_, array, "shape"):
                return self.of(array)
            case nodes.BuildTuple(_, items):
                numbers = [self.types.get(item) for item in items]
                if all(isinstance(ty, types.Integer) for ty in numbers):
                    return tuple(self.number(item) for item in items)
            case nodes.Unpack(_, value, _) | nodes.Copy(_, value):
                return self._shape_held_by(value)
        return None

    # --- comparisons ----------------------------------------------------------------------------

    def _in_block(self, key: Key, block: int) -> Key:
        """Return the representative of the keys that are equal to a key in a block."""
        same = self._same_in(block)
        if isinstance(key, tuple) and key[0] in ("less", "plus", "cut"):
            other = (key[0], self._in_block(key[1], block), *key[2:])
            # A size that no array has could not be materialized as a number.
            if other[0] == "plus" or other in self._axes:
                key = other
        return same.get(key, key)

    def _same_in(self, block: int) -> dict[Key, Key]:
        if self._compared is None:
            self._compared = []
            for fact in self._comparisons():  # each may simplify the keys of later ones
                self._compared.append(fact)
                self._same.clear()
        if block not in self._same:
            same: dict[Key, Key] = {}
            graph = graph_of(self.fn) if self._compared else None
            for reached, one, other in self._compared:
                assert graph is not None
                if graph.dominates(reached, block):
                    _join(same, one, other)
            self._same[block] = same
        return self._same[block]

    def _comparisons(self) -> Iterator[tuple[int, Key, Key]]:
        """Yield each block and two keys that are equal in it and in the blocks it dominates."""
        for block, lhs, rhs in comparisons.compared(self.fn, self.makers):
            if isinstance(self.types.get(lhs), Tuple):
                one, other = self._shape_held_by(lhs), self._shape_held_by(rhs)
                if one is not None and other is not None and len(one) == len(other):
                    yield from ((block, a, b) for a, b in zip(one, other, strict=True))
            elif all(isinstance(self.types.get(name), types.Integer) for name in (lhs, rhs)):
                yield block, self.number(lhs), self.number(rhs)

    # --- as bases and constants -----------------------------------------------------------------

    def size(self, array: str, axis: int, block: int | None = None) -> induction.Linear:
        """Return the size of an axis."""
        return self._linear(self.of(array, block)[axis])

    def least(self, array: str, axis: int, block: int | None = None) -> induction.Linear | None:
        """Return a lower bound of the size of a slice: the size of the whole axis minus the number
        of elements cut off; None for other axes."""
        key = self.of(array, block)[axis]
        is_part = isinstance(key, tuple) and key[0] == "less"
        return self._linear(key[1]).plus(-key[2]) if is_part else None

    def canonical(self, value: induction.Linear, block: int | None = None) -> induction.Linear:
        """Return the value with a variable that holds a size replaced by the size's symbol."""
        if value.base is None:
            return value
        key = self._size_held_by(value.base)
        if key is None:
            key = ("value", value.base)
        if block is not None:
            key = self._in_block(key, block)
        return self._linear(key).plus(value.offset)

    def _linear(self, key: Key) -> induction.Linear:
        if isinstance(key, int):
            return induction.Linear(None, key)
        match key:
            case ("value", name):
                return induction.Linear(name, 0)
            case ("plus", inner, count):
                return self._linear(inner).plus(count)
        array, axis = self._axes[key][0]
        symbol = f"size({array}, {axis})"
        self._keys[symbol] = key
        return induction.Linear(symbol, 0)

    def place(self, base: str) -> tuple[str, int] | None:
        """Return an array and the axis whose size a symbol stands for; None for a variable."""
        return self._axes[self._keys[base]][0] if base in self._keys else None

    def is_size(self, base: str) -> bool:
        """True if the symbol or variable is a size, and so never negative."""
        return base in self._keys or self._size_held_by(base) is not None

    def available(self, base: str, loop: Loop) -> bool:
        """True if the value is defined before the loop."""
        if base not in self._keys:
            return self._is_before(base, loop)
        return self._place_before(base, loop) is not None

    def _place_before(self, base: str, loop: Loop) -> tuple[str, int] | None:
        places = self._axes[self._keys[base]]
        return next((place for place in places if self._is_before(place[0], loop)), None)

    def _is_before(self, name: str, loop: Loop) -> bool:
        """True if a variable is defined outside of a loop on every path to it."""
        label = self.block_of(name)
        if label is None or label in loop.body:
            return False
        return graph_of(self.fn).completes(label, loop.header)

    def materialize(
        self, base: str, loop: Loop, ops: list[Op], like: Op, table: dict[str, Type]
    ) -> str:
        """Return a variable that holds the value before a loop; append ops that compute it if
        there is none."""
        if base not in self._keys:
            return base
        position = self._place_before(base, loop)
        assert position is not None
        (array, axis), fn = position, self.fn
        kind = table[array]
        assert isinstance(kind, Array)
        shape, size = fn.fresh("shape"), fn.fresh("size")
        table[shape], table[size] = Tuple((types.int64,) * kind.ndim), types.int64
        ops.append(nodes.GetAttr(shape, array, "shape", loc=like.loc, id=fn.new_id()))
        ops.append(nodes.StaticGetItem(size, shape, axis, loc=like.loc, id=fn.new_id()))
        return size


def _join(same: dict[Key, Key], one: Key, other: Key) -> None:
    """Unite two keys; the representative is preferably a number, then a size, then a value."""
    one, other = same.get(one, one), same.get(other, other)
    if one == other:
        return
    if _rank(other) < _rank(one):
        one, other = other, one
    same[other] = one
    for key, standing in list(same.items()):
        if standing == other:
            same[key] = one


def _rank(key: Key) -> int:
    if isinstance(key, int):
        return 0
    return ("size", "value").index(key[0]) + 1 if key[0] in ("size", "value") else 3


def _with_ones(keys: tuple[Key, ...], axis: int | None) -> tuple[Key, ...]:
    if axis is None:
        return (1,) * len(keys)
    ones = list(keys)
    ones[axis] = 1
    return tuple(ones)


def _sliced(size: Key, part: slice) -> Key:
    """Return the key of the size of a slice of an axis."""
    start, stop, step = part.start, part.stop, part.step
    if step not in (None, 1):
        return ("cut", size, start, stop, step)
    first = 0 if start is None else start
    if isinstance(first, int) and first >= 0:
        if stop is None:
            return _less(size, first)
        if isinstance(stop, int) and stop < 0:
            return _less(size, first - stop)
    return ("cut", size, start, stop, None)


def _less(size: Key, count: int) -> Key:
    """Return the key of `max(size - count, 0)`."""
    if count == 0:
        return size
    if isinstance(size, int):
        return max(size - count, 0)
    if size[0] == "less":
        return ("less", size[1], size[2] + count)
    return ("less", size, count)


def _existing(size: Key) -> Key:
    """Return the key of a size that an array was created with, which is therefore not negative:
    `n - 2` is `max(n - 2, 0)`."""
    match size:
        case ("plus", whole, count) if count < 0:
            return _less(whole, -count)
    return size


def _plus(number: Key, count: int) -> Key:
    """Return the key of `number + count`."""
    if count == 0:
        return number
    return number + count if isinstance(number, int) else ("plus", number, count)
