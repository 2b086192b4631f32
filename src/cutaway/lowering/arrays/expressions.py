"""Array expressions as kernels: the body of an op, and what its operations were resolved to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cutaway.ir import nodes
from cutaway.ir.elements import ArrayOp, given, steps
from cutaway.lowering.arrays import nests
from cutaway.lowering.arrays.kernels import Kernel, Step
from cutaway.lowering.layout import Value
from cutaway.typing.inference.resolutions import Chosen

if TYPE_CHECKING:
    from cutaway.lowering.function import FunctionLowering


def array_expr(into: FunctionLowering, op: nodes.ArrayExpr) -> Value:
    """The new array."""
    operands = [into.values[name] for name in op.args]
    return nests.compute(into.build, kernel_of(into, op), operands, into.types[op.result])


def array_store(into: FunctionLowering, op: nodes.ArrayStore) -> None:
    """Store the elements in an array that is there."""
    operands = [into.values[name] for name in op.args]
    nests.store_into(into.build, kernel_of(into, op), operands, into.values[op.target])


def kernel_of(into: FunctionLowering, op: ArrayOp) -> Kernel:
    """The kernel that a body is."""
    numbers = {name: k for k, name in enumerate(op.body.indices)}
    made: list[Step] = []
    for inner in steps(op.body):
        resolved = into.resolutions[inner.id]
        assert isinstance(resolved, Chosen)
        made.append(Step(resolved.resolution, tuple(numbers[name] for name in inner.args)))
        numbers[inner.result] = len(numbers)
    operands = tuple(into.values[name].ty for name in op.args)
    return Kernel(operands, tuple(made), numbers[given(op.body)])
