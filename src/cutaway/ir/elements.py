"""The bodies of array expressions: what they compute, as a formula, and how two become one.

    $x = arrayexpr(ty=array(float64, 1d, C), expr=a * b + c, args=(a, b, c))
    body(x, y, z):
    label 1:
        $1 = element multiply(x, y)
        $2 = element add($1, z)
        give $2
    end

A body is one block of `nodes.Element`, so with whole arrays in the place of elements NumPy computes
what it means.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from cutaway.ir import nodes
from cutaway.ir.nodes import Op
from cutaway.ir.regions import Region

ArrayOp = nodes.ArrayExpr | nodes.ArrayStore

LONGEST_FORMULA = 160  # letters

_SYMBOLS = {
    "add": "+",
    "subtract": "-",
    "multiply": "*",
    "divide": "/",
    "floor_divide": "//",
    "remainder": "%",
    "power": "**",
    "equal": "==",
    "not_equal": "!=",
    "less": "<",
    "less_equal": "<=",
    "greater": ">",
    "greater_equal": ">=",
    "bitwise_and": "&",
    "bitwise_or": "|",
    "bitwise_xor": "^",
    "left_shift": "<<",
    "right_shift": ">>",
}


def steps(body: Region) -> Iterator[nodes.Element]:
    """The operations of a body."""
    for op in body.blocks[0].ops:
        if isinstance(op, nodes.Element):
            yield op


def given(body: Region) -> str:
    """The variable that holds the element of the result."""
    end = body.blocks[0].terminator
    assert isinstance(end, nodes.Give)
    return end.value


def wrong_body(op: ArrayOp) -> str:
    """The violation in the body of an array expression; empty where there is none."""
    body = op.body
    if len(body.blocks) != 1 or body.carried or len(body.indices) != len(op.args):
        return "the body of an array expression is one block, with an element of each operand"
    *inner, end = body.blocks[0].ops
    if not isinstance(end, nodes.Give) or not all(isinstance(one, nodes.Element) for one in inner):
        return "the body of an array expression has elements, and gives one"
    return ""


def apply_element(function: str, args: Sequence[Any]) -> Any:  # Any: numbers, or whole arrays
    """The result of an operation on elements, or on arrays of them."""
    name, _, rest = function.partition(".")
    if name == "as":
        return np.asarray(args[0]).astype(rest)[()]
    if name == "python":
        value = args[0]
        return np.dtype(rest).type(value.item() if isinstance(value, np.generic) else value)
    result = getattr(np, name)(*args)
    return result[int(rest)] if rest else result


def formula(ops: Sequence[Op], names: Mapping[str, str]) -> str:
    """The formula that operations compute, by the texts of what they begin with."""
    texts = {name: (text, True) for name, text in names.items()}
    for op in ops:
        match op:
            case nodes.Element(result, function, args):
                texts[result] = _operation(function, [texts[name] for name in args])
            case nodes.Give(value):
                return texts[value][0]
    raise ValueError("the body gives nothing")


def _operation(function: str, args: Sequence[tuple[str, bool]]) -> tuple[str, bool]:
    """The text of an operation, and whether it needs no parentheses."""
    stem, _, rest = function.partition(".")
    if stem == "python":
        return args[0]
    if stem == "negative":
        return _short(f"-{_inside(args[0])}"), False
    if function in _SYMBOLS:
        left, right = map(_inside, args)
        return _short(f"{left} {_SYMBOLS[function]} {right}"), False
    name = rest if stem == "as" else function
    return _short(f"{name}({', '.join(text for text, _ in args)})"), True


def _inside(text: tuple[str, bool]) -> str:
    return text[0] if text[1] else f"({text[0]})"


def _short(text: str) -> str:
    return text if len(text) <= LONGEST_FORMULA else f"{text[: LONGEST_FORMULA - 3]}..."
