"""The bodies of array expressions: their formulas, and their fusion.

    $x = arrayexpr(ty=array(float64, 1d, C), expr=a * b + c, args=(a, b, c))
    body(x, y, z):
    label 1:
        $1 = element multiply(x, y)
        $2 = element add($1, z)
        give $2
    end

A body is one block of `nodes.Element`, so NumPy evaluates it with whole arrays in place of
elements.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from cutaway.errors import did_you_mean
from cutaway.foundation import element_functions
from cutaway.ir import nodes
from cutaway.ir.function import user_name
from cutaway.ir.nodes import Op
from cutaway.ir.operators import BINARY, UNARY
from cutaway.ir.regions import Region

ArrayOp = nodes.ArrayExpr | nodes.ArrayStore | nodes.ArrayReduce

LONGEST_FORMULA = 160  # letters

# The operators of Python by the names of their ufuncs.
_SYMBOLS = {row.ufunc: row for row in BINARY.values() if row.ufunc}
_SIGNS = {row.ufunc: row.symbol for row in UNARY.values() if row.level}
_SIGN, _ATOM = 8, 10


def steps(body: Region) -> Iterator[nodes.Element]:
    """Yield the operations of a body."""
    for op in body.blocks[0].ops:
        if isinstance(op, nodes.Element):
            yield op


def wholes_of(body: Region) -> tuple[str, ...]:
    """Return the arrays that a body reads by indices, each once."""
    fetched = (step.args[0] for step in steps(body) if step.function == "fetch")
    return tuple(dict.fromkeys(fetched))


def given(body: Region) -> str:
    """Return the variable that holds the element of the result."""
    end = body.blocks[0].terminator
    assert isinstance(end, nodes.Give)
    return end.value


def wrong_body(op: ArrayOp) -> str:
    """Return the violation in the body of an array expression; empty if there is none."""
    body = op.body
    if len(body.blocks) != 1 or body.carried:
        return "the body of an array expression is one block, which carries nothing"
    if len(body.indices) != len(op.args):
        counts = f"{len(op.args)} operands, and its body takes {len(body.indices)} elements"
        return f"the array expression has {counts}: there is one for each"
    *inner, end = body.blocks[0].ops
    if not isinstance(end, nodes.Give):
        return "the body of an array expression ends in a give, which tells the element"
    if not all(isinstance(one, nodes.Element) for one in inner):
        return "the body of an array expression has operations on elements alone, and a give"
    return ""


def wrong_element(op: nodes.Element) -> str:
    """Return the violation of an operation on elements; empty if there is none."""
    name, _, rest = op.function.partition(".")
    if name in ("as", "python"):
        return _wrong_dtype(op, rest)
    if name == "fetch":
        return "" if len(op.args) > 1 else "fetch takes an array and an index for each axis"
    if name in ("where", "clip"):
        wanted = 3
    else:
        function = element_functions.called(name)
        if not isinstance(function, np.ufunc) and element_functions.ufunc_half_named(name) is None:
            known = [one for one in dir(np) if isinstance(getattr(np, one), np.ufunc)]
            hint = did_you_mean(name, known, "the names are those of NumPy's ufuncs")
            return f"{name} is no operation on elements: {hint}"
        wanted = function.nin
        results = [str(k) for k in range(function.nout)] if function.nout > 1 else [""]
        if rest not in results:
            return f"{op.function} is no result of {name}: there are {', '.join(results) or 'one'}"
    if len(op.args) != wanted:
        return f"{name} takes {wanted} elements, not {len(op.args)}"
    return ""


def _wrong_dtype(op: nodes.Element, name: str) -> str:
    try:
        np.dtype(name)
    except TypeError:
        return f"{name} is not a type of elements"
    return "" if len(op.args) == 1 else f"{op.function} takes 1 element, not {len(op.args)}"


def apply_element(function: str, args: Sequence[Any], out: Any = None) -> Any:
    """Apply an operation to elements, or to arrays of them; stores the result in `out`, if any."""
    name, _, rest = function.partition(".")
    if name == "as":
        return np.asarray(args[0]).astype(rest)[()]
    if name == "python":
        value = args[0]
        return np.dtype(rest).type(value.item() if isinstance(value, np.generic) else value)
    if name == "fetch":
        return args[0][tuple(args[1:])]
    called = element_functions.called(name)
    if out is not None and isinstance(called, np.ufunc) and not rest:
        return called(*args, out=out, casting="unsafe")
    result = called(*args)
    return result[int(rest)] if rest else result


def formula(ops: Sequence[Op], names: Mapping[str, str]) -> str:
    """Return the formula of a body, from the texts of its operands."""
    for op in ops:
        if isinstance(op, nodes.Give):
            return {**names, **texts_of_steps(ops, names)}[op.value]
    raise ValueError("the body gives nothing")


def texts_of_steps(ops: Iterable[Op], names: Mapping[str, str]) -> dict[str, str]:
    """Return the formula of each operation, by its result."""
    texts = {name: (text, _ATOM) for name, text in names.items()}
    for op in ops:
        if isinstance(op, nodes.Element):
            args = [texts.get(name, (user_name(name), _ATOM)) for name in op.args]
            texts[op.result] = _operation(op.function, args)
    return {name: text for name, (text, _) in texts.items()}


Text = tuple[str, int]  # a formula, and its precedence


def _operation(function: str, args: Sequence[Text]) -> Text:
    stem, _, rest = function.partition(".")
    if stem == "python":
        return args[0]
    if stem == "fetch":
        array, *indices = (text for text, _ in args)
        return _short(f"{array}[{', '.join(indices)}]"), _ATOM
    if stem in _SIGNS:
        return _short(f"{_SIGNS[stem]}{_inside(args[0], _SIGN)}"), _SIGN
    if function in _SYMBOLS:
        symbol, level = _SYMBOLS[function].symbol, _SYMBOLS[function].level
        # Operators of a level associate to the left; comparisons cannot be chained here.
        left = _inside(args[0], level + (level in (1, 9)))
        return _short(f"{left} {symbol} {_inside(args[1], level + 1)}"), level
    name = rest if stem == "as" else function
    return _short(f"{name}({', '.join(text for text, _ in args)})"), _ATOM


def _inside(text: Text, level: int) -> str:
    return text[0] if text[1] >= level else f"({text[0]})"


def _short(text: str) -> str:
    return text if len(text) <= LONGEST_FORMULA else f"{text[: LONGEST_FORMULA - 3]}..."
