"""The parameters of a function whose values decide branches, if they are constants in a call.

    def total(a, axis, keepdims):      # axis, keepdims
        if axis < 0:
            axis += a.ndim
        if axis == 0 and keepdims:

A condition counts if it depends on such values, constants and types alone.  An order (`n < 2`) does
not: code for other types seldom depends on one, and recursive functions count down by it.  Nor does
a variable that a loop changes.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from cutaway.foundation.dataclass import dataclass
from cutaway.ir import nodes
from cutaway.ir.constants import MISSING
from cutaway.ir.function import Function
from cutaway.ir.graph import graph_of
from cutaway.ir.nodes import Op
from cutaway.ir.traversal import definition_table, definitions, walk, walk_block

_COMPARED = frozenset({"==", "!=", "is", "is not", "in", "not in"})
_MOVED = frozenset({"+", "-", "+=", "-="})
_REDUCED = frozenset({"%", "%="})  # types decide with it, as in `axis % a.ndim`
_OF_TYPES = frozenset({"ndim", "dtype", "kind", "char", "itemsize"})  # attributes
_ASKING = (isinstance, len, type, bool)

_Asked = frozenset[int] | None
_NONE_ASKED: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class Passed:
    """A call that passes parameters on unchanged: the callee, and for each argument the index of
    the parameter that it is, or None (Any: an object of the program)."""

    function: Any
    indices: tuple[int | None, ...]
    keywords: tuple[str, ...]


class Deciding:
    """The parameters of a function in IR before SSA that decide its branches."""

    def __init__(self, fn: Function) -> None:
        self.fn = fn
        self.table = definition_table(fn)
        labels = {label for loop in graph_of(fn).loops().values() for label in loop.body}
        self.in_loops = {
            name
            for label in labels
            for op in walk_block(fn.blocks[label])
            for name in definitions(op)
        }

    @property
    def indices(self) -> frozenset[int]:
        """The indices of the parameters whose values decide branches."""
        deciding: set[int] = set()
        for op in walk(self.fn):
            if isinstance(op, nodes.Branch):
                deciding.update(self._asked(op.cond, frozenset()) or ())
        return frozenset(deciding)

    @property
    def passed(self) -> Iterator[Passed]:
        """The calls of global functions that pass parameters on."""
        for op in walk(self.fn):
            if isinstance(op, nodes.Call) and op.star is None:
                function = self._global(op.func)
                indices = tuple(map(self._parameter, op.args))
                if function is not MISSING and any(index is not None for index in indices):
                    yield Passed(function, indices, op.keywords)

    def _global(self, name: str) -> Any:
        ops = self.table.get(name, [])
        is_one = len(ops) == 1 and isinstance(ops[0], nodes.Global | nodes.FreeVar)
        return ops[0].value if is_one else MISSING

    def _parameter(self, name: str) -> int | None:
        ops = self.table.get(name, [])
        seen: list[Op] = []
        while len(ops) == 1 and isinstance(ops[0], nodes.Copy) and ops[0] not in seen:
            seen += ops
            ops = self.table.get(ops[0].value, [])
        return ops[0].index if len(ops) == 1 and isinstance(ops[0], nodes.Arg) else None

    def _asked(self, name: str, above: frozenset[str]) -> _Asked:
        """Return the parameters that a variable depends on; None if on other values too."""
        ops = self.table.get(name, [])
        if not ops or (len(ops) > 1 and name in self.in_loops):
            return None
        if name in above:  # `axis += a.ndim`: its old value has a definition of its own
            return _NONE_ASKED
        return _together([self._asked_by(op, above | {name}) for op in ops])

    def _asked_by(self, op: Op, above: frozenset[str]) -> _Asked:
        match op:
            case nodes.Arg(index=index):
                return frozenset({index})
            case nodes.Const() | nodes.Global() | nodes.FreeVar():
                return _NONE_ASKED
            case nodes.Copy(value=value) | nodes.Cast(value=value) | nodes.Unary(value=value):
                return self._asked(value, above)
            case nodes.Binary(op=row, lhs=lhs, rhs=rhs) | nodes.Inplace(op=row, lhs=lhs, rhs=rhs):
                if row.symbol in _REDUCED and not self._is_of_type(rhs):
                    return None
                if row.symbol not in _COMPARED | _MOVED | _REDUCED:
                    return None
                return _together([self._asked(lhs, above), self._asked(rhs, above)])
            case nodes.GetAttr(value=value, attr=attr) if attr in _OF_TYPES:
                return None if self._asked(value, above) is None else _NONE_ASKED
            case nodes.BuildTuple(items=items):
                return _together([self._asked(item, above) for item in items])
            case nodes.Call(func=func, args=args) if args and not op.keywords and op.star is None:
                value = self._global(func)
                if any(value is one for one in _ASKING):
                    return self._asked(args[0], above) if value is bool else _NONE_ASKED
        return None

    def _is_of_type(self, name: str) -> bool:
        return all(
            isinstance(op, nodes.GetAttr) and op.attr in _OF_TYPES for op in self.table[name]
        )


def _together(asked: list[_Asked]) -> _Asked:
    """Return the parameters that several variables depend on."""
    parameters: set[int] = set()
    for one in asked:
        if one is None:
            return None
        parameters |= one
    return frozenset(parameters)
