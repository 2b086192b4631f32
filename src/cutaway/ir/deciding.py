"""The parameters of a function whose values decide branches, where they are constants of a call.

    def total(a, keepdims):      # keepdims
        if keepdims:

A condition counts where nothing but such values, constants and types decide it.  An order (`n < 2`)
does not: code for other types seldom depends on one, and recursive functions count down by it.
"""

from __future__ import annotations

from collections.abc import Mapping

from cutaway.ir import nodes
from cutaway.ir.function import Function
from cutaway.ir.nodes import Op
from cutaway.ir.traversal import definition_table, walk

_COMPARED = frozenset({"==", "!=", "is", "is not", "in", "not in"})
_OF_TYPES = frozenset({"ndim", "dtype", "kind", "char", "itemsize"})  # attributes
_ASKING = (isinstance, len, type, bool)


def deciding(fn: Function) -> frozenset[int]:
    """The indices of the parameters whose values decide branches of a function in IR before SSA."""
    makers = {name: ops[0] for name, ops in definition_table(fn).items() if len(ops) == 1}
    indices: set[int] = set()
    for op in walk(fn):
        if isinstance(op, nodes.Branch):
            indices.update(_asked(op.cond, makers) or ())
    return frozenset(indices)


def _asked(name: str, makers: Mapping[str, Op]) -> frozenset[int] | None:
    """The parameters that a condition asks; None where something else decides it, too."""
    op = makers.get(name)
    match op:
        case nodes.Arg(index=index):
            return frozenset({index})
        case nodes.Const() | nodes.Global() | nodes.FreeVar():
            return frozenset()
        case nodes.Copy(value=value) | nodes.Cast(value=value) | nodes.Unary(value=value):
            return _asked(value, makers)
        case nodes.Binary(op=row, lhs=lhs, rhs=rhs) if row.symbol in _COMPARED:
            sides = (_asked(lhs, makers), _asked(rhs, makers))
            return None if None in sides else frozenset().union(*sides)
        case nodes.GetAttr(value=value, attr=attr) if attr in _OF_TYPES:
            return None if _asked(value, makers) is None else frozenset()
        case nodes.BuildTuple(items=items):
            asked = [_asked(item, makers) for item in items]
            return None if None in asked else frozenset().union(*asked)
        case nodes.Call(func=func, args=args) if args and not op.keywords and op.star is None:
            called = makers.get(func)
            value = called.value if isinstance(called, nodes.Global) else None
            if any(value is one for one in _ASKING):
                return _asked(args[0], makers) if value is bool else frozenset()
    return None
