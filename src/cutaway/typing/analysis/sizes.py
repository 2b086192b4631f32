"""The sizes of arrays as symbols: which variables hold the size of which axis.

A base name is either a variable of the function or `size(array, axis)`, written as such, for
the size of an axis that no variable need hold.  `n = a.shape[0]` makes n and `size(a, 0)` the
same; `b = np.zeros(n)` makes `size(b, 0)` and n the same.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from cutaway.ir import nodes
from cutaway.ir.function import Function
from cutaway.ir.graph import Loop
from cutaway.ir.induction import Linear, LinearValues
from cutaway.ir.nodes import Op
from cutaway.ir.traversal import definitions
from cutaway.typing import types
from cutaway.typing.types import Array, Tuple, Type

_BY_SHAPE = (np.empty, np.zeros, np.ones)
_BY_EXAMPLE = (np.empty_like, np.zeros_like, np.ones_like)


def _symbol(array: str, axis: int) -> str:
    return f"size({array}, {axis})"


class Sizes:
    """Symbols for the sizes of one function's arrays."""

    def __init__(self, values: LinearValues, table: Mapping[str, Type]) -> None:
        self.values = values
        self.types = table
        self._places: dict[str, tuple[str, int]] = {}

    def size(self, array: str, axis: int) -> Linear | None:
        """The size of an axis; None where nothing is known (a view, a merge)."""
        maker = self.values.definitions.get(array)
        match maker:
            case nodes.Copy(_, value) | nodes.Cast(_, value):
                return self.size(value, axis)
            case nodes.GetAttr(_, value, "T"):
                kind = self.types[array]
                assert isinstance(kind, Array)
                return self.size(value, kind.ndim - 1 - axis)
            case nodes.Call(func=func, args=args) if args:
                length = self._size_of_created(self.values.constants.get(func), args[0], axis)
                if length is not None:
                    return length
        symbol = _symbol(array, axis)
        self._places[symbol] = (array, axis)
        return Linear(symbol, 0)

    def _size_of_created(self, function: object, shape: str, axis: int) -> Linear | None:
        if function in _BY_EXAMPLE and isinstance(self.types[shape], Array):
            return self.size(shape, axis)
        if function not in _BY_SHAPE:
            return None
        if not isinstance(self.types[shape], Tuple):
            return self.canonical(self.values.linear(shape)) if axis == 0 else None
        maker = self.values.definitions.get(shape)
        if isinstance(maker, nodes.BuildTuple):
            return self.canonical(self.values.linear(maker.items[axis]))
        if isinstance(maker, nodes.GetAttr) and maker.attr == "shape":
            return self.size(maker.value, axis)
        return None

    def canonical(self, value: Linear) -> Linear:
        """The value with a variable that holds a size replaced by the size's symbol."""
        if value.base is None:
            return value
        held = self._size_held_by(value.base)
        return value if held is None else held.plus(value.offset)

    def _size_held_by(self, name: str) -> Linear | None:
        maker = self.values.definitions.get(name)
        match maker:
            case nodes.Copy(_, value) | nodes.Cast(_, value):
                return self._size_held_by(value)
            case nodes.Call(func=func, args=(array,)) if self.values.constants.get(func) is len:
                return self._size_of_axis(array, 0)
            case nodes.GetAttr(_, array, "size"):
                kind = self.types[array]
                flat = isinstance(kind, Array) and kind.ndim == 1
                return self.size(array, 0) if flat else None
            case nodes.StaticGetItem(_, shape, int() as axis):
                return self._size_in_shape(shape, axis)
            case nodes.GetItem(_, shape, index, _):
                axis = self.values.constants.get(index)
                return self._size_in_shape(shape, axis) if isinstance(axis, int) else None
        return None

    def _size_in_shape(self, shape: str, axis: int) -> Linear | None:
        maker = self.values.definitions.get(shape)
        match maker:
            case nodes.Unpack(_, value, _) | nodes.Copy(_, value):
                return self._size_in_shape(value, axis)
            case nodes.GetAttr(_, array, "shape"):
                return self._size_of_axis(array, axis)
        return None

    def _size_of_axis(self, array: str, axis: int) -> Linear | None:
        kind = self.types[array]
        if not isinstance(kind, Array) or not -kind.ndim <= axis < kind.ndim:
            return None
        return self.size(array, axis % kind.ndim)

    def place(self, base: str) -> tuple[str, int] | None:
        """The array and the axis whose size a symbol is; None for a variable."""
        return self._places.get(base)

    def is_size(self, base: str) -> bool:
        """True if the symbol or variable is a size, and so never negative."""
        return base in self._places or self._size_held_by(base) is not None

    def available(self, base: str, fn: Function, loop: Loop) -> bool:
        """True if the value is defined in front of the loop."""
        name = self._places[base][0] if base in self._places else base
        return not any(
            name in definitions(op) for label in loop.body for op in fn.blocks[label].ops
        )

    def materialize(
        self, base: str, fn: Function, ops: list[Op], like: Op, table: dict[str, Type]
    ) -> str:
        """A variable that holds the value; new ops are appended where none does yet."""
        if base not in self._places:
            return base
        array, axis = self._places[base]
        kind = table[array]
        assert isinstance(kind, Array)
        shape, size = fn.fresh("shape"), fn.fresh("size")
        table[shape], table[size] = Tuple((types.int64,) * kind.ndim), types.int64
        ops.append(nodes.GetAttr(shape, array, "shape", loc=like.loc, id=fn.new_id()))
        ops.append(nodes.StaticGetItem(size, shape, axis, loc=like.loc, id=fn.new_id()))
        return size
