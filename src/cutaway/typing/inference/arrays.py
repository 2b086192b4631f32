"""The typing constraints of array expressions; loaded only for programs that have some."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cutaway.errors import TypingError
from cutaway.ir import nodes
from cutaway.ir.elements import given
from cutaway.typing import types
from cutaway.typing.reductions import reduced_type
from cutaway.typing.types import Type
from cutaway.typing.ufuncs import element_of, result_type

if TYPE_CHECKING:
    from cutaway.typing.inference.solver import Inference


def array_expr(run: Inference, op: nodes.ArrayExpr) -> tuple[Type | None, ...]:
    """Return the type of an array expression, and the element types of its operands."""
    element = run.types.get(given(op.body))
    operands = [run.types[name] for name in op.args]
    result = None if element is None else result_type(element, operands)
    if result is not None and str(result) != op.ty:
        raise TypingError(f"the array expression is of type {result}, not {op.ty}", op.loc)
    return (result, *map(element_of, operands))


def array_reduce(run: Inference, op: nodes.ArrayReduce) -> tuple[Type | None, ...]:
    """Return the type of a reduction, and the element types of its operands."""
    element = run.types.get(given(op.body))
    operands = [run.types[name] for name in op.args]
    result = None
    if element is not None:
        whole = result_type(element, operands)
        result = reduced_type(op.function, whole, op.axis, op.keepdims)
    return (result, *map(element_of, operands))


def array_store(run: Inference, op: nodes.ArrayStore) -> tuple[Type | None, ...]:
    """Return the element types of the operands of an array store."""
    return tuple(element_of(run.types[name]) for name in op.args)


def new_array(op: nodes.NewArray) -> Type:
    """Return the type of a new array."""
    dtype = types.element_type(np.dtype(op.dtype))
    assert dtype is not None
    return types.Array(dtype, len(op.sizes), op.layout)


def apart(run: Inference, op: nodes.Apart) -> Type | None:
    """Return the type of an array that may be copied, which has the layout of either."""
    return apart_type(run.types[op.value])


def apart_type(ty: Type | None) -> Type | None:
    """Return the type that an array and its copy in C order have in common."""
    if not isinstance(ty, types.Array) or ty.layout == "C":
        return ty
    return ty.copy(layout="A")


def load_of(run: Inference, op: nodes.Load) -> Type | None:
    """Return the type of an element."""
    ty = run.types[op.array]
    return None if ty is None else element_of(ty)


def line_of(run: Inference, op: nodes.Line) -> Type | None:
    """Return the type of a line of an array."""
    ty = run.types[op.array]
    return line_type(ty, op.axis) if isinstance(ty, types.Array) else None


def line_type(ty: types.Array, axis: int) -> types.Array:
    """Return the type of a line along an axis."""
    is_unit = (ty.layout, axis) in (("C", ty.ndim - 1), ("F", 0))
    return types.Array(ty.dtype, 1, "C" if is_unit else "A", ty.readonly, ty.aligned)
