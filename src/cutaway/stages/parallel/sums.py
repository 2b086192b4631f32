"""Values as sums of products: `i * n + j`, as indices are computed.

A term is the sorted names of its factors; a number is the empty term.  Sizes of arrays are named by
the array and the axis, however the program reads them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cutaway.ir import nodes
from cutaway.ir.induction import DEEPEST_SUM, LinearValues
from cutaway.typing.types import Array, Type

Term = tuple[str, ...]
Sum = dict[Term, int]
_MOST_TERMS, _MOST_FACTORS = 10, 3
_SIZE = "|size"  # between an array and the number of an axis


def number(value: int) -> Sum:
    """Return a constant."""
    return {(): value} if value else {}


def variable(name: str) -> Sum:
    """Return a variable."""
    return {(name,): 1}


def added(one: Sum, other: Sum, times: int = 1) -> Sum:
    """Return the sum of a sum and a multiple of another one."""
    result = dict(one)
    for term, factor in other.items():
        result[term] = result.get(term, 0) + factor * times
    return {term: factor for term, factor in result.items() if factor}


def multiplied(one: Sum, other: Sum) -> Sum:
    """Return the product of two sums."""
    result: Sum = {}
    for left, factor in one.items():
        for right, times in other.items():
            term = tuple(sorted((*left, *right)))
            result[term] = result.get(term, 0) + factor * times
    return {term: factor for term, factor in result.items() if factor}


def replaced(one: Sum, name: str, other: Sum) -> Sum:
    """Return a sum with a variable replaced by another sum."""
    result: Sum = {}
    for term, factor in one.items():
        product = {(): factor}
        for each in term:
            product = multiplied(product, other if each == name else variable(each))
        result = added(result, product)
    return result


def origin(name: str) -> str:
    """Return the variable that a name of a sum is about: the array, for a size."""
    return name.partition(_SIZE)[0]


def size(array: str, axis: int) -> str:
    """Return the name of the size of an array along an axis."""
    return f"{array}{_SIZE}{axis}"


def is_size(name: str) -> bool:
    """True if a name of a sum is the size of an array."""
    return _SIZE in name


class Sums:
    """A function's variables as sums."""

    def __init__(self, values: LinearValues, table: Mapping[str, Type]) -> None:
        self.values, self.types = values, table
        self.makers, self.constants = values.definitions, values.constants
        self._known: dict[str, Sum] = {}

    def of(self, name: str, depth: int = 0) -> Sum:
        """Return a variable as a sum, as far as it can be followed."""
        if name not in self._known:
            self._known[name] = variable(name)  # ends a cycle
            found = self._followed(name, depth + 1) if depth <= DEEPEST_SUM else None
            if found is not None and len(found) <= _MOST_TERMS:
                if all(len(term) <= _MOST_FACTORS for term in found):
                    self._known[name] = found
        return self._known[name]

    def _followed(self, name: str, depth: int) -> Sum | None:
        constant = self.constants.get(name)
        if isinstance(constant, int) and not isinstance(constant, bool):
            return number(constant)
        op = self.makers.get(name)
        asked = self._size(op)
        if asked is not None:
            return variable(asked)
        if op is None or not self.values.is_exact(op):
            return None
        match op:
            case nodes.Copy(_, value) | nodes.Cast(_, value):
                return self.of(value, depth)
            case nodes.Unary(_, row, value) if row.symbol == "-":
                return added({}, self.of(value, depth), -1)
            case nodes.Binary(_, row, lhs, rhs) | nodes.Inplace(_, row, lhs, rhs):
                left, right = self.of(lhs, depth), self.of(rhs, depth)
                match row.symbol.rstrip("="):
                    case "+":
                        return added(left, right)
                    case "-":
                        return added(left, right, -1)
                    case "*":
                        return multiplied(left, right)
        return None

    def _size(self, op: Any) -> str | None:
        match op:
            case nodes.StaticGetItem(value=shape, index=int() as axis):
                array = self._shaped(shape)
                return None if array is None else size(array, axis)
            case nodes.Call(func=func, args=(array,), keywords=()) if op.star is None:
                is_array = isinstance(self.types.get(array), Array)
                if self.constants.get(func) is len and is_array:
                    return size(array, 0)
        return None

    def _shaped(self, shape: str) -> str | None:
        """Return the array whose shape a variable is."""
        op = self.makers.get(shape)
        while isinstance(op, nodes.Copy | nodes.Unpack):
            op = self.makers.get(op.value)
        if isinstance(op, nodes.GetAttr) and op.attr == "shape":
            return op.value
        return None
