"""Calls of element-wise operations, with numbers and with arrays, as overloads."""

from __future__ import annotations

from typing import Any

from cutaway.library.elements.kernels import computed, kernel_of
from cutaway.lowering.arrays import nests
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import Value, make_tuple
from cutaway.typing.overloads.resolution import Arguments, ElementWise, Signature
from cutaway.typing.types import Array, Tuple, Type
from cutaway.typing.ufuncs import Loop, loop_of, result_type


def rule_of(name: str) -> Any:
    """The types of a call of a ufunc, with numbers or arrays."""

    def rule(arguments: Arguments) -> Signature | None:
        operands = arguments.types
        loop = loop_of(name, operands)
        if loop is None:
            return None
        if not any(isinstance(ty, Array) for ty in operands):
            return Signature(_together(loop.outputs), loop.inputs)
        return Signature(_together([result_type(ty, operands) for ty in loop.outputs]), operands)

    return rule


def _together(outputs: Any) -> Type:
    return outputs[0] if len(outputs) == 1 else Tuple(tuple(outputs))


def lowering_of(name: str) -> Any:
    """What a call of a ufunc computes."""

    def lower(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
        if not any(isinstance(ty, Array) for ty in sig.args):
            outputs = sig.returns.items if isinstance(sig.returns, Tuple) else (sig.returns,)
            result = computed(build, name, Loop(sig.args, outputs), args, of_array=False)
            return make_tuple(list(result)) if isinstance(result, tuple) else result
        if isinstance(sig.returns, Tuple):
            items = enumerate(sig.returns.items)
            return make_tuple([new_array(build, f"{name}.{k}", sig, ty, args) for k, ty in items])
        return new_array(build, name, sig, sig.returns, args)

    lower.__name__ = name
    return lower


def new_array(
    build: FunctionBuilder, function: str, sig: Signature, returns: Type, args: list[Value]
) -> Value:
    """The array that an operation computes, or the number."""
    return nests.compute(build, kernel_of(build, function, sig.args), args, returns)


def elements_of(name: str, count: int) -> Any:
    """What a call does with each element, of so many operands."""

    def elements(sig: Signature) -> ElementWise | None:
        if not isinstance(sig.returns, Array) or not sig.returns.ndim:
            return None
        return ElementWise(name, tuple(range(count)))

    return elements
