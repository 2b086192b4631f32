"""NumPy's generalized loops for stacks of matrices or lines: linear algebra, products, transforms.

A loop is named as in `runtime/numpy_loops.py`: `numpy.linalg.solve.dd.d`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cutaway.errors import TypingError
from cutaway.extending.registry import primitive
from cutaway.library.elements.kernels import KernelMaker
from cutaway.lowering.arrays import nests
from cutaway.lowering.arrays.loops import has_loop, ufunc_of
from cutaway.lowering.arrays.stacks import StackCall, call_stack, stack_call
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import Value, array_parts, make_tuple
from cutaway.typing import types
from cutaway.typing.overloads.resolution import Arguments, Signature
from cutaway.typing.types import Array, Type


def stacked(loop, *operands):
    """Whether an operation was invalid, and a loop's results in new arrays."""
    return _run(loop, operands, ())


def stacked_into(loop, out, *operands):
    """Store a loop's only result in an array of its type and shape."""
    _run(loop, operands, (out,))


def _run(loop: str, operands: Any, out: Any) -> Any:
    noted: list[int] = []
    *_, inputs, outputs = loop.split(".")
    ufunc = ufunc_of(loop)
    with np.errstate(all="ignore", invalid="call", call=lambda _, flag: noted.append(flag)):
        results = ufunc(*operands, *out, signature=f"{inputs}->{outputs}", casting="unsafe")
    return (bool(noted), *(results if isinstance(results, tuple) else (results,)))


def require_loop(loop: str) -> None:
    """Raise TypingError if NumPy's loop cannot be called."""
    if not has_loop(loop):
        name = ".".join(loop.split(".")[:-2])
        raise TypingError(
            f"{name} of this NumPy cannot be called from compiled code",
            hint="NumPy 2 is needed, and CUTAWAY_NUMPY_LOOPS must not be 0",
        )


def _call_of(loop: Type, operands: tuple[Type, ...]) -> StackCall | None:
    if not isinstance(loop, types.String):
        return None
    require_loop(loop.value)
    dimensions = [one.ndim if isinstance(one, Array) else 0 for one in operands]
    return stack_call(loop.value, ufunc_of(loop.value), dimensions)


def _rule(arguments: Arguments) -> Signature | None:
    loop, *operands = arguments.types
    call = _call_of(loop, tuple(operands))
    if call is None:
        return None
    return Signature(types.Tuple((types.boolean, *call.results())), arguments.types)


@primitive(stacked, _rule)
def lower_stacked(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """Emit one runtime call."""
    call = _call_of(sig.args[0], sig.args[1:])
    assert call is not None
    ready = [converted(build, *pair) for pair in zip(args[1:], call.types()[0], strict=True)]
    failed, results = call_stack(build, call, [value for value, _ in ready])
    free(build, ready)
    return make_tuple([Value(types.boolean, (failed,)), *results])


def _into_rule(arguments: Arguments) -> Signature | None:
    loop, out, *operands = arguments.types
    call = _call_of(loop, tuple(operands))
    if call is None or not isinstance(out, Array) or out.dtype is not call.types()[1][0]:
        return None
    return Signature(types.none, arguments.types)


@primitive(stacked_into, _into_rule)
def lower_stacked_into(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """Emit one runtime call."""
    call = _call_of(sig.args[0], sig.args[2:])
    assert call is not None
    ready = [converted(build, *pair) for pair in zip(args[2:], call.types()[0], strict=True)]
    call_stack(build, call, [value for value, _ in ready], args[1:2])
    free(build, ready)
    return Value(types.none, ())


# --- operands in the loop's types -------------------------------------------------------------


def converted(build: FunctionBuilder, value: Value, dtype: Type) -> tuple[Value, str]:
    """An operand in the type that a loop takes, and the slot of a new array that must be freed."""
    ty = value.ty
    if not isinstance(ty, Array):
        return build.cast(value, dtype), ""
    if ty.dtype is dtype and ty.aligned:
        return value, ""
    maker = KernelMaker(build, (ty,))
    kernel = maker.made(maker.step(f"as.{dtype}", 0))
    new = nests.compute(build, kernel, [value], Array(dtype, ty.ndim, "C"))
    return new, build.keep(array_parts(new).owner)


def free(build: FunctionBuilder, operands: list[tuple[Value, str]]) -> None:
    """Release the new arrays among operands."""
    for value, slot in operands:
        if slot:
            build.let_go(slot)
            build.call("void", "cutaway_decref", [("ptr", array_parts(value).owner)])
