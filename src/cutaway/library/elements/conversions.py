"""Conversions between element types, selection, and operations common to all numbers."""

from __future__ import annotations

from cutaway.library.arrays.indexing.basic import fitted
from cutaway.library.elements.table import inline
from cutaway.library.elements.times import in_unit
from cutaway.lowering.arrays.elements import converted_element
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import Value, part_types
from cutaway.typing import types
from cutaway.typing.types import Boolean, Complex
from cutaway.typing.ufuncs import Loop


@inline("as", "biuefcMm")
def converted(build: FunctionBuilder, loop: Loop, args: list[Value]) -> Value:
    """An element converted to another dtype, as by `astype`."""
    value, target = args[0], loop.outputs[0]
    if value.ty is target:
        return value
    if isinstance(target, types.Dated):
        return in_unit(build, value, target)
    if isinstance(value.ty, types.Dated):
        value = Value(types.int64, value.parts)
    if isinstance(value.ty, Complex) and not isinstance(target, Complex | Boolean):
        value = Value(value.ty.part, value.parts[:1])  # the imaginary part is dropped
    return converted_element(build, value, target)


@inline("python", "biuefc")
def taken_on(build: FunctionBuilder, loop: Loop, args: list[Value]) -> Value:
    """A Python number as an element; raises OverflowError for an integer that does not fit."""
    if isinstance(loop.outputs[0], types.Dated):
        return in_unit(build, args[0], loop.outputs[0])
    return fitted(build, args[0], loop.outputs[0], always=True)


@inline("where", "biuefcMm")
def where(build: FunctionBuilder, loop: Loop, args: list[Value]) -> Value:
    """One of two elements, selected by a condition."""
    condition, chosen, other = args
    kinds = part_types(chosen.ty)
    parts = zip(kinds, chosen.parts, other.parts, strict=True)
    truth = condition.parts[0]
    return Value(chosen.ty, tuple(build.select(truth, kind, a, b) for kind, a, b in parts))
