"""Calls of NumPy loops of generalized ufuncs, for a whole stack at once.

A generalized ufunc has a signature such as `(m,m),(m,n)->(m,n)`: the named sizes that one iteration
of its loop works on.  The axes before these are the stack's, which operands are broadcast along.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from cutaway.foundation.dataclass import dataclass
from cutaway.lowering.arrays.elements import load_element, store_element
from cutaway.lowering.arrays.loops import loop_pointer, stored
from cutaway.lowering.arrays.memory import allocate
from cutaway.lowering.arrays.messages import raise_text, shape_format
from cutaway.lowering.arrays.shapes import Shape, common_size, either, strides_over
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import ArrayParts, Value, array_parts
from cutaway.typing import types
from cutaway.typing.types import Array, Type

Names = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class StackCall:
    """A call of a loop: its name, NumPy's ufunc, the names of the core dimensions of each operand
    and each result, and the number of axes of the stack."""

    loop: str
    ufunc: Any
    inputs: tuple[Names, ...]
    outputs: tuple[Names, ...]
    ndim: int

    def types(self) -> list[tuple[Type, ...]]:
        """Return the element types of the operands and of the results."""
        sides = self.loop.split(".")[-2:]
        return [tuple(types.from_dtype(np.dtype(one)) for one in side) for side in sides]

    def results(self) -> list[Type]:
        """Return the types of the results: arrays, or scalars where these have no axes."""
        ndims = [self.ndim + len(names) for names in self.outputs]
        pairs = zip(self.types()[1], ndims, strict=True)
        return [Array(dtype, ndim, "C") if ndim else dtype for dtype, ndim in pairs]


def signature_of(ufunc: Any) -> list[list[Names]]:
    """Return the names of the core dimensions of each operand, and of each result."""
    return [
        [tuple(names.split(",")) if names else () for names in side[1:-1].split("),(")]
        for side in ufunc.signature.replace(" ", "").split("->")
    ]


def stack_call(loop: str, ufunc: Any, dimensions: Sequence[int]) -> StackCall | None:
    """Return the call of a loop with operands of these dimensions; None if one has too few."""
    inputs, outputs = signature_of(ufunc)
    missing: set[str] = set()  # sizes that an operand may omit
    for names, ndim in zip(inputs, dimensions, strict=True):
        optional = {one for one in names if one.endswith("?")}
        if ndim < len(names) - len(optional):
            return None
        if ndim < len(names):
            missing |= optional
    kept = [
        tuple(tuple(one for one in names if one not in missing) for names in side)
        for side in (inputs, outputs)
    ]
    outer = max(ndim - len(names) for ndim, names in zip(dimensions, kept[0], strict=True))
    return StackCall(loop, ufunc, kept[0], kept[1], outer)


# --- lowering -------------------------------------------------------------------------------------


def call_stack(
    build: FunctionBuilder, call: StackCall, inputs: list[Value], given: Sequence[Value] = ()
) -> tuple[str, list[Value]]:
    """Call a loop with operands of its own types.  Returns an i1, whether an operation was invalid,
    and the results: new arrays, or the `given` ones, whose sizes are right."""
    operands = [_parts_of(build, value) for value in inputs]
    sizes = _core_sizes(build, call, operands, [array_parts(value) for value in given])
    outer = _outer_shape(build, call, operands, sizes)
    results, kept = list(given), []
    for names, ty in zip(call.outputs, call.results(), strict=True):
        if not given and isinstance(ty, Array):
            shape = (*outer, *(sizes[one] for one in names))
            results.append(allocate(build, ty, shape, zeroed=False))
            kept.append(build.keep(array_parts(results[-1]).owner))
        elif not given:
            results.append(Value(ty, (build.alloca("i64", 2),)))
    places = [_result_parts(value) for value in results]
    status = _called(build, call, [*operands, *places], outer, sizes)
    build.propagate_if(build.compare("slt", "i32", status, "0"), "2")
    for slot in kept:
        build.let_go(slot)
    failed = build.compare("ne", "i32", status, "0")
    return failed, [_loaded(build, value) for value in results]


def _parts_of(build: FunctionBuilder, value: Value) -> ArrayParts:
    """Return the parts of an array, or of a scalar as an array without axes."""
    if isinstance(value.ty, Array):
        return array_parts(value)
    slot = build.alloca("i64", 2)
    store_element(build, Array(value.ty, 0, "C"), value, slot)
    return ArrayParts("null", slot, (), ())


def _result_parts(value: Value) -> ArrayParts:
    if isinstance(value.ty, Array):
        return array_parts(value)
    return ArrayParts("null", value.parts[0], (), ())


def _loaded(build: FunctionBuilder, value: Value) -> Value:
    if isinstance(value.ty, Array):
        return value
    return load_element(build, Array(value.ty, 0, "C"), value.parts[0])


def _core_sizes(
    build: FunctionBuilder, call: StackCall, operands: list[ArrayParts], given: list[ArrayParts]
) -> dict[str, str]:
    """Compute each named size; raises ValueError, in NumPy's words, if operands disagree."""
    sizes: dict[str, str] = {}
    for number, (names, parts) in enumerate(zip(call.inputs, operands, strict=True)):
        for place, name in enumerate(names):
            size = parts.shape[len(parts.shape) - len(names) + place]
            if sizes.setdefault(name, size) != size:
                message = (
                    f"{call.ufunc.__name__}: Input operand {number} has a mismatch in its core"
                    f" dimension {place}, with gufunc signature {call.ufunc.signature} (size"
                    " {} is different from {})"
                )
                differ = build.compare("ne", "i64", size, sizes[name])
                numbers = [Value(types.int64, (one,)) for one in (size, sizes[name])]
                raise_text(build, differ, ValueError, message, numbers)
    for names, parts in zip(call.outputs, given, strict=False):
        for place, name in enumerate(names):
            sizes.setdefault(name, parts.shape[len(parts.shape) - len(names) + place])
    if any("p" in names for names in call.outputs) and "p" not in sizes:  # in linear algebra
        pair = [("i64", sizes[one]) for one in ("m", "n")]
        sizes["p"] = build.call("i64", "llvm.smin.i64", pair)
    return sizes


def _outer_shape(
    build: FunctionBuilder, call: StackCall, operands: list[ArrayParts], sizes: dict[str, str]
) -> Shape:
    """Compute the axes of the stack; raises ValueError, in NumPy's words, if operands mismatch."""
    shapes = [
        parts.shape[: len(parts.shape) - len(names)]
        for names, parts in zip(call.inputs, operands, strict=True)
    ]
    wrong, outer = "false", []
    for axis in range(-call.ndim, 0):
        size = "1"
        for shape in shapes:
            if len(shape) >= -axis:
                size, bad = common_size(build, size, shape[axis])
                wrong = either(build, wrong, bad)
        outer.append(size)
    if wrong != "false":
        texts, numbers = [], []
        for shape, parts in zip(shapes, operands, strict=True):
            remapped = ["{}"] * len(shape) + ["newaxis"] * len(call.outputs[0])
            remapped += [""] * (call.ndim + len(call.outputs[0]) == 1)
            texts.append(f"{shape_format(len(parts.shape))}->({','.join(remapped)}) ")
            numbers += [*parts.shape, *shape]
        core = [sizes[one] for one in call.outputs[0]]
        message = (
            "operands could not be broadcast together with remapped shapes [original->remapped]: "
            f"{''.join(texts)} and requested shape {shape_format(len(core))}"
        )
        values = [Value(types.int64, (size,)) for size in (*numbers, *core)]
        raise_text(build, wrong, ValueError, message, values)
    return tuple(outer)


def _called(
    build: FunctionBuilder,
    call: StackCall,
    operands: list[ArrayParts],
    outer: Shape,
    sizes: dict[str, str],
) -> str:
    """Call the runtime, with the loop's arguments in the function's stack memory."""
    named = [*call.inputs, *call.outputs]
    order = dict.fromkeys(name for names in _all_names(call) for name in names)
    steps, strides = [], []
    for names, full, parts in zip(named, _all_names(call), operands, strict=True):
        core = len(parts.shape) - len(names)
        own = iter(parts.strides[core:])
        steps += [next(own) if name in names else "0" for name in full]
        stack = ArrayParts("null", parts.data, parts.shape[:core], parts.strides[:core])
        strides += strides_over(build, stack, outer)
    arguments = [
        ("ptr", loop_pointer(build, call.loop)),
        ("i64", str(len(operands))),
        ("ptr", stored(build, "ptr", [parts.data for parts in operands])),
        ("i64", str(len(outer))),
        ("ptr", stored(build, "i64", [*outer, *strides])),
        ("ptr", stored(build, "i64", ["1", *(sizes.get(name, "1") for name in order)])),
        ("ptr", stored(build, "i64", ["0"] * len(operands) + steps)),
    ]
    return build.call("i32", "cutaway_numpy_stack", arguments)


def _all_names(call: StackCall) -> list[Names]:
    return [names for side in signature_of(call.ufunc) for names in side]
