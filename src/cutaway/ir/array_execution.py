"""The interpretation of operations on whole arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from cutaway.ir import nodes
from cutaway.ir.elements import ArrayOp, apply_element, given

# Any, here and below: a run of the interpreter, and arrays or numbers of the program.


def _element(run: Any, op: nodes.Element) -> None:
    run.set(op, op.result, apply_element(op.function, [_typed(run, name) for name in op.args]))


def _array_expr(run: Any, op: nodes.ArrayExpr) -> None:
    run.set(op, op.result, np.array(_elements(run, op)))


def _array_store(run: Any, op: nodes.ArrayStore) -> None:
    run.value(op.target)[...] = _elements(run, op)


def _array_reduce(run: Any, op: nodes.ArrayReduce) -> None:
    reduce = getattr(np, op.function)
    run.set(op, op.result, reduce(_elements(run, op), axis=op.axis, keepdims=op.keepdims))


def _elements(run: Any, op: ArrayOp) -> Any:
    """Evaluate the body with whole arrays in place of elements, which has the same meaning.

    An in-place result counts as an output, also in errors.
    """
    in_place = isinstance(op, nodes.ArrayStore) and op.target in op.args
    values = {
        index: _typed(run, name) for index, name in zip(op.body.indices, op.args, strict=True)
    }
    for inner in op.body.blocks[0].ops:
        run.count(inner)
        if isinstance(inner, nodes.Element):
            args = [values[n] if n in values else run.value(n) for n in inner.args]
            is_output = in_place and inner.result == given(op.body)
            out = run.value(op.target) if is_output else None
            values[inner.result] = apply_element(inner.function, args, out)
            if run.observe is not None:
                run.observe(inner, inner.result, values[inner.result])
    return values[given(op.body)]


def _typed(run: Any, name: str) -> Any:
    """Return the value of an operand; a number as a NumPy scalar of its type, if typed."""
    value = run.value(name)
    if isinstance(value, np.ndarray) or run.types is None:
        return value
    return np.dtype(str(run.types[name])).type(value)


EXECUTED: dict[type[nodes.Op], Callable[[Any, Any], None]] = {
    nodes.Element: _element,
    nodes.ArrayExpr: _array_expr,
    nodes.ArrayStore: _array_store,
    nodes.ArrayReduce: _array_reduce,
}
