"""The sizes of arrays as keys: two axes with equal keys have the same number of elements.

a[1:-1], a[2:], a[:-2]      all have ("less", size of a, 2): two fewer, and none at least
np.empty_like(a), a * 2     those of a
np.zeros((n, 3))            the value of n, and 3
a[i:j]                      what i and j cut out of a, the same for the same i and j
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from cutaway.ir import nodes
from cutaway.ir.function import Function
from cutaway.ir.traversal import definition_table
from cutaway.typing.inference.questions import constants_of
from cutaway.typing.types import Array, Tuple, Type

Key = Any  # Any: an int, or a tuple that begins with a word
_NO_CONSTANT = object()
_BY_SHAPE = (np.empty, np.zeros, np.ones, np.full)
_BY_EXAMPLE = (np.empty_like, np.zeros_like, np.ones_like, np.full_like, np.copy)


class Extents:
    """The keys of one function's arrays."""

    def __init__(self, fn: Function, table: Mapping[str, Type]) -> None:
        self.types = table
        self.makers = {name: ops[0] for name, ops in definition_table(fn).items()}
        self.constants = constants_of(fn)
        self._known: dict[str, tuple[Key, ...]] = {}

    def of(self, name: str) -> tuple[Key, ...]:
        """A key for each axis of an array; none for a number."""
        ty = self.types.get(name)
        if not isinstance(ty, Array):
            return ()
        if name not in self._known:
            self._known[name] = self._own(name, ty)  # for a loop that leads back here
            self._known[name] = self._extents_of(name, ty)
        return self._known[name]

    def together(self, names: Sequence[str]) -> tuple[Key, ...] | None:
        """The keys of what arrays and numbers are broadcast to; None where they may not fit, or
        where it is not known which of them are repeated."""
        rows = [self.of(name) for name in names]
        ndim = max(map(len, rows), default=0)
        result = []
        for axis in range(-ndim, 0):
            keys = {row[axis] for row in rows if len(row) >= -axis} - {1}
            if len(keys) > 1:
                return None
            result.append(keys.pop() if keys else 1)
        return tuple(result)

    def _own(self, name: str, ty: Array) -> tuple[Key, ...]:
        return tuple(("size", name, axis) for axis in range(ty.ndim))

    def _extents_of(self, name: str, ty: Array) -> tuple[Key, ...]:
        own = self._own(name, ty)
        found: tuple[Key, ...] | None = None
        match self.makers.get(name):
            case nodes.Copy(_, value) | nodes.Cast(_, value):
                found = self.of(value)
            case nodes.ArrayExpr(args=args):
                found = self.together(args)
            case nodes.ArrayReduce(axis=axis, keepdims=True, args=args):
                whole = self.together(args)
                if whole is not None:
                    found = _with_ones(whole, axis)
            case nodes.GetAttr(_, value, "T"):
                found = self.of(value)[::-1]
            case nodes.StaticGetItem(_, value, index) if isinstance(self.types[value], Array):
                found = self._cut(value, index if isinstance(index, tuple) else (index,))
            case nodes.GetItem(_, value, index, _) if isinstance(self.types[value], Array):
                found = self._cut(value, self._parts(index))
            case nodes.Call(func=func, args=args, keywords=keywords):
                # The first argument is the shape, or the example, where it is no keyword, and no
                # keyword gives another one.
                if len(args) > len(keywords) and "shape" not in keywords:
                    found = self._of_call(self.constants.get(func), args[0])
        return found if found is not None and len(found) == ty.ndim else own

    # --- slices ---------------------------------------------------------------------------------

    def _parts(self, index: str) -> tuple[Any, ...]:  # Any: parts of an index, or variables
        """The parts of an index: constants, slices of constants and variables, variables."""
        maker = self.makers.get(index)
        if isinstance(maker, nodes.BuildTuple):
            return tuple(self._part(item) for item in maker.items)
        value = self.constants.get(index, _NO_CONSTANT)
        return value if isinstance(value, tuple) else (self._part(index),)

    def _part(self, name: str) -> Any:  # Any: a constant, a slice, or a variable
        maker = self.makers.get(name)
        if isinstance(maker, nodes.BuildSlice):
            bounds = (maker.start, maker.stop, *([] if maker.step is None else [maker.step]))
            return slice(*(self.constants.get(bound, ("value", bound)) for bound in bounds))
        value = self.constants.get(name, _NO_CONSTANT)
        return ("value", name) if value is _NO_CONSTANT else value

    def _cut(self, array: str, parts: Sequence[Any]) -> tuple[Key, ...] | None:
        # Any: see _parts
        sizes = self.of(array)
        if parts.count(...) > 1 or any(isinstance(self._type(part), Array) for part in parts):
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

    def _type(self, part: Any) -> Type | None:  # Any: see _parts
        return self.types.get(part[1]) if isinstance(part, tuple) and len(part) == 2 else None

    # --- new arrays -----------------------------------------------------------------------------

    def _of_call(self, function: Any, first: str) -> tuple[Key, ...] | None:  # Any: of NumPy
        if any(function is one for one in _BY_EXAMPLE):
            return self.of(first)
        if any(function is one for one in _BY_SHAPE):
            return self._shape(first)
        return None

    def _shape(self, name: str) -> tuple[Key, ...] | None:
        """The keys that a shape stands for."""
        maker = self.makers.get(name)
        match maker:
            case nodes.GetAttr(_, array, "shape"):
                return self.of(array)
            case nodes.BuildTuple(_, items):
                return tuple(map(self._number, items))
        if isinstance(self.types[name], Tuple):
            value = self.constants.get(name)
            return value if isinstance(value, tuple) else None
        return (self._number(name),)

    def _number(self, name: str) -> Key:
        """The key of a size that is the value of a variable."""
        value = self.constants.get(name, _NO_CONSTANT)
        if isinstance(value, int):
            return value
        maker = self.makers.get(name)
        match maker:
            case nodes.Copy(_, source) | nodes.Cast(_, source):
                return self._number(source)
            case nodes.StaticGetItem(_, shape, int() as axis):
                keys = self._shape_of(shape)
                if keys is not None and -len(keys) <= axis < len(keys):
                    return keys[axis]
            case nodes.Call(func=func, args=(array,)) if self.constants.get(func) is len:
                keys = self.of(array)
                return keys[0] if keys else ("value", name)
            case nodes.GetAttr(_, array, "size") if len(self.of(array)) == 1:
                return self.of(array)[0]
        return ("value", name)

    def _shape_of(self, name: str) -> tuple[Key, ...] | None:
        match self.makers.get(name):
            case nodes.GetAttr(_, array, "shape"):
                return self.of(array)
            case nodes.Unpack(_, value, _) | nodes.Copy(_, value):
                return self._shape_of(value)
        return None


def _with_ones(keys: tuple[Key, ...], axis: int | None) -> tuple[Key, ...]:
    if axis is None:
        return (1,) * len(keys)
    ones = list(keys)
    ones[axis] = 1
    return tuple(ones)


def _sliced(size: Key, part: slice) -> Key:
    """The key of the size of a slice of an axis."""
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
    """The key of so many elements fewer, and none at least."""
    if count == 0:
        return size
    if isinstance(size, int):
        return max(size - count, 0)
    if size[0] == "less":
        return ("less", size[1], size[2] + count)
    return ("less", size, count)
