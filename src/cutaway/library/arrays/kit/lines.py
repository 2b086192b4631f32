"""Views of arrays line by line: along one axis, or in the order of memory."""

from __future__ import annotations

import numpy as np
from numpy.lib.stride_tricks import as_strided

from cutaway.extending.registry import primitive
from cutaway.library.arrays.kit.axes import axis_of, checked_axis
from cutaway.library.arrays.kit.shapes import count_of
from cutaway.library.arrays.kit.typers import private
from cutaway.lowering.arrays import loops
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import ArrayParts, Value, array_parts, array_value
from cutaway.typing import types
from cutaway.typing.overloads.resolution import Arguments, Signature
from cutaway.typing.types import Array, Type

# --- lines along the last axis, in C order ----------------------------------------------------


@private
def lines_in(shape):
    """The number of lines that an array of a shape has along its last axis."""
    return count_of(shape[:-1])


@private
def line_count(a):
    """The number of lines that an array has along its last axis."""
    return lines_in(a.shape)


def line_at(a, k):
    """The k-th line along the last axis, a view."""
    return a[np.unravel_index(k, a.shape[:-1])] if a.ndim > 1 else a


def _line_rule(arguments: Arguments) -> Signature | None:
    ty = arguments.types[0]
    if not isinstance(ty, Array) or ty.ndim == 0:
        return None
    return Signature(ty.viewed(1, "A" if ty.layout in "AF" else "C"), (ty, types.int64))


@primitive(line_at, _line_rule, any_elements=True, shares=True)
def take_line(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """Emit a view of one axis."""
    return part_at(build, sig.returns, args)


def part_at(build: FunctionBuilder, ty: Type, args: list[Value]) -> Value:
    """A view of an array along its last axes, at a flat index of the other axes; one division per
    axis except the first."""
    parts, position = array_parts(args[0]), args[1].parts[0]
    assert isinstance(ty, Array)
    data, outer = parts.data, len(parts.shape) - ty.ndim
    for k in range(outer - 1, -1, -1):
        index = position
        if k:
            index = build.binary("urem", "i64", position, parts.shape[k])
            position = build.binary("udiv", "i64", position, parts.shape[k])
        data = build.offset(data, build.binary("mul", "i64", index, parts.strides[k]))
    view = ArrayParts(parts.owner, data, parts.shape[outer:], parts.strides[outer:])
    return array_value(ty, view)


# --- one axis moved to an end -----------------------------------------------------------------


def lines_along(a, axis):
    """A view with one axis moved to the end."""
    return np.moveaxis(a, axis_of(a, axis), -1)


def layers_along(a, axis):
    """A view with one axis moved to the front."""
    return np.moveaxis(a, axis_of(a, axis), 0)


def _moved_rule(arguments: Arguments) -> Signature | None:
    ty, axis = arguments.types
    if not isinstance(ty, Array) or not types.is_integral(axis):
        return None
    return Signature(ty.viewed(ty.ndim, "A"), (ty, types.int64))


@primitive(lines_along, _moved_rule, any_elements=True, shares=True)
def move_axis_to_end(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """Emit two selects per axis."""
    return _with_axis_moved(build, sig, args, front=False)


@primitive(layers_along, _moved_rule, any_elements=True, shares=True)
def move_axis_to_front(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """Emit two selects per axis."""
    return _with_axis_moved(build, sig, args, front=True)


def _with_axis_moved(
    build: FunctionBuilder, sig: Signature, args: list[Value], front: bool
) -> Value:
    assert isinstance(sig.returns, Array)
    parts, ndim = array_parts(args[0]), sig.returns.ndim
    axis = checked_axis(build, args[1].parts[0], ndim)
    later = [build.compare("sge", "i64", str(k), axis) for k in range(ndim - 1)]
    chosen = [build.compare("eq", "i64", axis, str(k)) for k in range(ndim - 1)]
    moved = []
    for numbers in (parts.shape, parts.strides):
        pairs = zip(later, numbers[1:], numbers[:-1], strict=True)
        rest = [build.select(cond, "i64", after, before) for cond, after, before in pairs]
        number = numbers[-1]
        for cond, other in zip(chosen, numbers[:-1], strict=True):
            number = build.select(cond, "i64", other, number)
        moved.append((number, *rest) if front else (*rest, number))
    return array_value(sig.returns, ArrayParts(parts.owner, parts.data, *moved))


# --- the order of memory ----------------------------------------------------------------------


@private
def is_innermost(a, axis):
    """True if no axis has a smaller stride than this one: NumPy's loops go along it first."""
    shape, strides = a.shape, a.strides
    place = axis if axis >= 0 else axis + a.ndim
    step = abs(strides[place])
    for k in range(a.ndim):
        other = abs(strides[k])
        if k != place and shape[k] != 1 and (other < step or (other == step and k > place)):
            return False
    return True


def sorted_axes(axes: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Axes (size, stride) by descending stride, after those of length one.

    An axis of stride 0 keeps its position, as in NumPy.
    """
    inner_first: list[tuple[int, int]] = []
    for size, step in reversed(axes):
        place = len(inner_first)
        for k in range(len(inner_first) - 1, -1, -1):
            if step and inner_first[k][1]:
                if abs(inner_first[k][1]) <= abs(step):
                    break
                place = k
        if size != 1:
            inner_first.insert(place, (size, step))
    return [axis for axis in axes if axis[0] == 1] + inner_first[::-1]


def in_memory_order(a):
    """A view of the same elements in the order in which NumPy reduces them.

    The last axis is the longest run with one stride; axes of length one are in front.
    """
    axes = sorted_axes(list(zip(a.shape, a.strides, strict=True))) or [(1, 0)]
    sizes, steps = [size for size, _ in axes], [step for _, step in axes]
    for k in range(len(sizes) - 2, -1, -1):
        if sizes[k] != 1 and steps[k] != sizes[-1] * steps[-1]:
            break
        sizes[-1], sizes[k] = sizes[-1] * sizes[k], 1
    return as_strided(a, sizes, steps)


def _memory_order_rule(arguments: Arguments) -> Signature | None:
    ty = arguments.types[0]
    if not isinstance(ty, Array):
        return None
    return Signature(ty.viewed(max(ty.ndim, 1), "A"), arguments.types)


@primitive(in_memory_order, _memory_order_rule, any_elements=True, shares=True)
def order_as_memory(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """Sort the axes, and merge those that are contiguous with the last one."""
    parts = array_parts(args[0])
    rows = loops.in_memory_order(build, parts.shape, parts.strides)
    sizes, steps = [list(row) or [default] for row, default in zip(rows, "10", strict=True)]
    run, going = sizes[-1], "true"
    for k in range(len(sizes) - 2, -1, -1):
        single = build.compare("eq", "i64", sizes[k], "1")
        follows = build.compare("eq", "i64", steps[k], build.binary("mul", "i64", run, steps[-1]))
        joins = build.binary("or", "i1", single, follows)
        going = build.binary("and", "i1", going, joins)
        longer = build.binary("mul", "i64", run, sizes[k])
        run = build.select(going, "i64", longer, run)
        sizes[k] = build.select(going, "i64", "1", sizes[k])
    sizes[-1] = run
    assert isinstance(sig.returns, Array)
    view = ArrayParts(parts.owner, parts.data, tuple(sizes), tuple(steps))
    return array_value(sig.returns, view)
