"""Axes of arrays, counted from 0; invalid ones raise AxisError."""

from __future__ import annotations

import numpy as np

from cutaway.extending.registry import primitive
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import Value
from cutaway.typing import types
from cutaway.typing.overloads.resolution import REQUIRED, Arguments, Signature
from cutaway.typing.types import Array


def checked_axis(
    build: FunctionBuilder, axis: str, ndim: int, single: bool = False, role: str = ""
) -> str:
    """An axis counted from 0; raises AxisError, which names its `role`, if out of range. With
    `single`, a number counts as having one axis."""
    axes = 1 if single and ndim == 0 else ndim
    negative = build.compare("slt", "i64", axis, "0")
    counted = build.select(negative, "i64", build.binary("add", "i64", axis, str(axes)), axis)
    outside = build.compare("uge", "i64", counted, str(axes))
    bad, good = build.new_label("raise"), build.new_label("ok")
    build.branch(outside, bad, good)
    build.start(bad)
    named = Value(types.String(role) if role else types.none, ())
    payload = [Value(types.int64, (axis,)), Value(types.int64, (str(ndim),)), named]
    build.raise_values(np.exceptions.AxisError, payload)
    build.start(good)
    return counted


def require_any_axis(a, axis):
    """Raise AxisError for an axis out of range; a single number counts as having one axis."""
    if not -max(a.ndim, 1) <= axis < max(a.ndim, 1):
        raise np.exceptions.AxisError(axis, a.ndim, None)


def _check_rule(arguments: Arguments) -> Signature | None:
    ty = arguments.types[0]
    return Signature(types.none, (ty, types.int64)) if isinstance(ty, Array) else None


@primitive(require_any_axis, _check_rule)
def check_any_axis(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """Emit one comparison."""
    assert isinstance(args[0].ty, Array)
    checked_axis(build, args[1].parts[0], args[0].ty.ndim, single=True)
    return Value(types.none, ())


def axis_of(a, axis, role=None):
    """An axis counted from 0; raises AxisError if out of range."""
    return np.lib.array_utils.normalize_axis_index(axis, a.ndim, role)


def new_axis_of(a, axis):
    """The position of a new axis, counted from 0."""
    return np.lib.array_utils.normalize_axis_index(axis, a.ndim + 1)


def _axis_rule(arguments: Arguments) -> Signature | None:
    array, axis, *role = arguments.types
    fits = isinstance(array, Array) and types.is_integral(axis)
    return Signature(types.int64, (array, types.int64, *role)) if fits else None


@primitive(
    axis_of, _axis_rule, ("a", "axis", "role"), (REQUIRED, REQUIRED, None), any_elements=True
)
def check_axis(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """Emit one comparison."""
    array, axis, role = args
    assert isinstance(array.ty, Array)
    name = str(role.ty.value) if isinstance(role.ty, types.String) else ""
    return Value(types.int64, (checked_axis(build, axis.parts[0], array.ty.ndim, role=name),))


@primitive(new_axis_of, _axis_rule, any_elements=True)
def check_new_axis(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """Emit one comparison."""
    assert isinstance(args[0].ty, Array)
    return Value(types.int64, (checked_axis(build, args[1].parts[0], args[0].ty.ndim + 1),))
