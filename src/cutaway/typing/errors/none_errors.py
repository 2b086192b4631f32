"""Python's own messages for operations on None.

The operation is performed once, on None and on samples of the other operands, and the exception
is stored: no message is duplicated here.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping
from typing import Any

from cutaway.ir import nodes
from cutaway.ir.nodes import Op
from cutaway.ir.operators import INPLACE
from cutaway.typing import types
from cutaway.typing.types import Type


def what_python_says(
    op: Op, name: str, table: Mapping[str, Type], constants: Mapping[str, Any]
) -> Exception | None:
    """Return the exception that an op raises if variable `name` is None; None if it raises none."""

    def value(used: str) -> Any:
        if used == name:
            return None
        return constants[used] if used in constants else table[used].sample()

    try:
        _perform(op, value, table)
    except (TypeError, AttributeError, ValueError) as error:
        return error
    except Exception:  # noqa: BLE001  not about None
        return None
    return None


def _perform(op: Op, value: Any, table: Mapping[str, Type]) -> None:
    match op:
        case nodes.Unary(_, row, operand):
            row.function(value(operand))
        case nodes.Binary(_, row, lhs, rhs):
            row.function(value(lhs), value(rhs))
        case nodes.Inplace(_, row, lhs, rhs):
            INPLACE[row.symbol].function(value(lhs), value(rhs))
        case nodes.GetItem(_, owner, index, _):
            operator.getitem(value(owner), value(index))
        case nodes.StaticGetItem(_, owner, index):
            operator.getitem(value(owner), index)
        case nodes.SetItem(owner, index, item, _):
            operator.setitem(value(owner), value(index), value(item))
        case nodes.StaticSetItem(owner, index, item):
            operator.setitem(value(owner), index, value(item))
        case nodes.GetAttr(_, owner, attr):
            getattr(value(owner), attr)
        case nodes.SetAttr(owner, attr, item):
            setattr(value(owner), attr, value(item))
        case nodes.DelAttr(owner, attr):
            delattr(value(owner), attr)
        case nodes.Raise(exception=exception) | nodes.RaiseFrom(exception=exception):
            if value(exception) is None:
                raise TypeError("exceptions must derive from BaseException")
        case nodes.GetIter(_, owner):
            iter(value(owner))
        case nodes.Unpack(_, owner, _):
            (_a,) = value(owner)
        case nodes.UnpackStar(_, owner, _, _):
            _a, *_b = value(owner)
        case nodes.Call(_, func, args, keywords, None):
            match table[func]:
                case types.BoundMethod(owner=owner_type, attr=attr):
                    function = getattr(owner_type.sample(), attr)
                case types.Dispatcher() | types.Functions() | types.Closure() if (
                    value(func) is not None
                ):
                    return  # a user's function may accept None
                case _:
                    function = value(func)
            values = [value(arg) for arg in args]
            count = len(values) - len(keywords)
            function(*values[:count], **dict(zip(keywords, values[count:], strict=True)))
