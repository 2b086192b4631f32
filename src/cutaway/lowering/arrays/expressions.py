"""Array expressions as kernels: an op's body with the resolutions of its operations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from cutaway.foundation.dataclass import replace
from cutaway.ir import nodes
from cutaway.ir.elements import ArrayOp, given, steps, wholes_of
from cutaway.lowering.arrays import apart, nests, reductions
from cutaway.lowering.arrays.kernels import WHOLE, Kernel, KernelStep
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import Value, array_parts, array_value
from cutaway.typing import types
from cutaway.typing.inference.resolutions import Chosen
from cutaway.typing.overloads.resolution import Reducing
from cutaway.typing.types import Array, Type

if TYPE_CHECKING:
    from cutaway.lowering.function import FunctionLowering


def operands_of(into: FunctionLowering, op: ArrayOp) -> list[Value]:
    """Return the operands, with one text for sizes that are proven equal, to avoid comparisons."""
    values, texts = [], dict[object, str]()
    for name in op.args:
        value = into.values[name]
        if isinstance(value.ty, Array):
            parts = array_parts(value)
            keys = into.sizes.of(name, into.label)
            shape = [_size(key, size, texts) for key, size in zip(keys, parts.shape, strict=True)]
            value = array_value(value.ty, replace(parts, shape=tuple(shape)))
        values.append(value)
    return values


def _size(key: object, size: str, texts: dict[object, str]) -> str:
    return str(key) if isinstance(key, int) else texts.setdefault(key, size)


def array_expr(into: FunctionLowering, op: nodes.ArrayExpr) -> Value:
    """Compute the new array."""
    kernel, returns = kernel_of(into, op), into.types[op.result]

    def emit(build: FunctionBuilder, operands: Sequence[Value]) -> Value:
        return nests.compute(build, kernel, operands, returns)

    return _apart_or_here(into, op, operands_of(into, op), returns, emit)


def array_store(into: FunctionLowering, op: nodes.ArrayStore) -> None:
    """Compute the elements into an existing array."""
    operands = operands_of(into, op)
    # The base array of an operand may be the target, in another order, without being an operand.
    wholes = wholes_of(op.body)  # which are not read where they are written
    tested = [(into.values[name], name in op.args and name not in wholes) for name in op.tested]
    kernel = kernel_of(into, op)
    same = [number for number, name in enumerate(op.args) if name == op.target]

    def emit(build: FunctionBuilder, values: Sequence[Value]) -> Value:
        (*given, target), others = values[: len(operands) + 1], values[len(operands) + 1 :]
        pairs = [(value, tested[k][1]) for k, value in enumerate(others)]
        nests.store_into(build, kernel, given, target, pairs, bool(same), same)
        return Value(types.none, ())

    values = [*operands, into.values[op.target], *(value for value, _ in tested)]
    _apart_or_here(into, op, values, types.none, emit)


def array_reduce(into: FunctionLowering, op: nodes.ArrayReduce) -> Value:
    """Reduce the elements to a number or an array."""
    how = Reducing(op.function, op.axis, op.keepdims)
    kernel, returns = kernel_of(into, op), into.types[op.result]

    def emit(build: FunctionBuilder, operands: Sequence[Value]) -> Value:
        return reductions.reduce(build, how, kernel, operands, returns)

    return _apart_or_here(into, op, operands_of(into, op), returns, emit)


def _apart_or_here(
    into: FunctionLowering, op: ArrayOp, values: Sequence[Value], returns: Type, emit: apart.Emit
) -> Value:
    """Emit the code inline, or as an outlined function where that is possible."""
    if apart.may_be_apart(into, op, values):
        made = apart.called(into, values, returns, emit)
        if made is not None:
            return made
    return emit(into.build, values)


def kernel_of(into: FunctionLowering, op: ArrayOp) -> Kernel:
    """Build the kernel of an op's body."""
    numbers = {name: k for k, name in enumerate(op.body.indices)}
    kernel_steps: list[KernelStep] = []
    wholes = wholes_of(op.body)
    numbers.update((name, WHOLE + k) for k, name in enumerate(wholes))
    first = len(op.args)
    for inner in steps(op.body):
        resolved = into.resolutions[inner.id]
        assert isinstance(resolved, Chosen)
        args = tuple(numbers[name] for name in inner.args)
        step = KernelStep(resolved.resolution, args, inner.loc, into.build.flags.vector_math)
        step.note(into.build)
        kernel_steps.append(step)
        numbers[inner.result] = first + len(kernel_steps) - 1
    operands = tuple(into.types[name] for name in op.args)
    values = tuple(into.values[name] for name in wholes)
    return Kernel(operands, tuple(kernel_steps), numbers[given(op.body)], values)
