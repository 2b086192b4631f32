"""Functions applied to arrays: `apply_along_axis apply_over_axes fromfunction fromiter`; arrays put
together from blocks, and broadcast against each other: `block broadcast_arrays`."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from cutaway.errors import TypingError
from cutaway.extending.overloads import overload
from cutaway.foundation.marks import literal_unroll
from cutaway.library.arrays.kit.axes import axis_of
from cutaway.library.arrays.kit.dtypes import element_dtype, wanted_dtype
from cutaway.library.arrays.kit.lines import line_at, line_count, lines_along
from cutaway.library.arrays.kit.shapes import (
    expanded,
    inserted,
    joint_shape,
    removed,
    spread,
    strided,
)
from cutaway.library.arrays.kit.typers import (
    OPTIONS,
    are_elements,
    dimensions,
    is_array,
    is_integral,
    is_integral_or_default,
    is_number,
    is_shape,
    left_out,
    numpy,
    private,
)
from cutaway.typing import types
from cutaway.typing.types import ListDisplay, Tuple

# --- along an axis ----------------------------------------------------------------------------


def collected(first, lines, axis, function, more):
    """What a function makes of each line; `first` is what it made of the first one."""
    return np.apply_along_axis(function, axis, np.moveaxis(lines, -1, axis), *more)


@overload(collected, jit_options=OPTIONS)
def _collected(first, lines, axis, function, more):
    if not are_elements(first):
        return None
    kind, depth = element_dtype(first), dimensions(first)

    def of_numbers(first, lines, axis, function, more):
        out = np.empty(lines.shape[:-1], kind)
        line = out.ravel()
        line[0] = first
        for k in range(1, len(line)):
            line[k] = function(line_at(lines, k), *more)
        return out

    def of_arrays(first, lines, axis, function, more):
        count = line_count(lines)
        parts = np.empty((count,) + first.shape, kind)  # noqa: RUF005  a list cannot be typed
        parts[0] = first
        for k in range(1, count):
            parts[k] = function(line_at(lines, k), *more)
        out = parts.reshape(lines.shape[:-1] + first.shape)
        return layers_moved(out, axis, depth)

    return of_arrays if depth else of_numbers


@private
def layers_moved(a, axis, depth):
    """A view with so many last axes moved to a place."""
    shape, strides = a.shape, a.strides
    for _ in range(depth):
        size, step = shape[a.ndim - 1], strides[a.ndim - 1]
        shape = inserted(removed(shape, a.ndim - 1), axis, size)
        strides = inserted(removed(strides, a.ndim - 1), axis, step)
    return strided(a, shape, strides)


@numpy(np.apply_along_axis)
def _apply_along_axis(func1d, axis, arr, *args):
    if not is_array(arr) or not is_integral(axis):
        return None

    def apply_along_axis(func1d, axis, arr, *args):
        k = axis_of(arr, axis)
        lines = lines_along(arr, k)
        if not line_count(lines):
            raise ValueError("Cannot apply_along_axis when any iteration dimensions are 0")
        return collected(func1d(line_at(lines, 0), *args), lines, k, func1d, args)

    return apply_along_axis


# --- over several axes ------------------------------------------------------------------------


def in_dimensions(result, before, axis):
    """A result with as many dimensions as the array before."""
    return result if np.ndim(result) == before.ndim else np.expand_dims(result, axis)


@overload(in_dimensions, jit_options=OPTIONS)
def _in_dimensions(result, before, axis):
    def misfit(result, before, axis):
        raise ValueError("function is not returning an array of the correct shape")

    if not are_elements(result):
        return None
    missing = before.ndim - dimensions(result)
    if missing == 0:
        return lambda result, before, axis: result
    if missing != 1:
        return misfit
    if is_number(result):
        return lambda result, before, axis: np.full(1, result)
    return lambda result, before, axis: expanded(result, axis)


@numpy(np.apply_over_axes)
def _apply_over_axes(func, a, axes):
    if not is_array(a):
        return None
    ndim = a.ndim

    def of_axis(func, a, axes):
        place = axes + ndim if axes < 0 else axes
        return in_dimensions(func(a, place), a, place)

    def of_axes(func, a, axes):
        out = a
        for axis in literal_unroll(axes):
            place = axis + ndim if axis < 0 else axis
            out = in_dimensions(func(out, place), out, place)
        return out

    if is_integral(axes):
        return of_axis
    return of_axes if is_shape(axes) and axes.items else None


# --- of indices, and of what is iterated ------------------------------------------------------


@numpy(np.fromfunction)
def _fromfunction(function, shape, *, dtype=float):
    kind = wanted_dtype(dtype, types.float64)
    if kind is None or not is_shape(shape):
        return None
    numbers = tuple(range(len(shape.items)))

    def fromfunction(function, shape, *, dtype=float):
        table, places = np.indices(shape, kind), ()
        for k in literal_unroll(numbers):
            places = places + (table[k],)  # noqa: RUF005  a list cannot be typed
        return function(*places)

    return fromfunction


@private
def _grown(line):
    out = np.empty(2 * len(line) + 8, line.dtype)
    out[: len(line)] = line
    return out


@numpy(np.fromiter)
def _fromiter(iter, dtype, count=-1):  # noqa: A002  NumPy's name
    kind = wanted_dtype(dtype, types.float64)
    if kind is None or left_out(dtype) or not is_integral_or_default(count):
        return None

    def fromiter(iter, dtype, count=-1):  # noqa: A002
        line, n = np.empty(max(count, 0), kind), 0
        for x in iter:
            if n == count:
                break
            if n == len(line):
                line = _grown(line)
            line[n] = x
            n += 1
        if n < count:
            raise ValueError(
                f"iterator too short: Expected {count} but iterator had only {n} items."
            )
        return line[:n].copy()

    return fromiter


# --- blocks -----------------------------------------------------------------------------------


def _depth(ty: Any) -> int | None:
    """How deep tuples are nested, all alike; None where they are not."""
    if not isinstance(ty, Tuple):
        return 0 if are_elements(ty) else None
    if not isinstance(ty, ListDisplay):
        raise TypingError("np.block takes lists, and no tuple", hint="write [...] for (...)")
    depths = {_depth(item) for item in ty.items}
    depth = depths.pop() if len(depths) == 1 else None
    return None if depth is None else depth + 1


def _most_dimensions(ty: Any) -> int:
    return max(map(_most_dimensions, ty.items)) if isinstance(ty, Tuple) else dimensions(ty)


@cache
def _with_dimensions(ndim: int) -> Any:
    """The function that puts axes in front of an array until there are so many."""

    def typer(x):
        ones = (1,) * (ndim - dimensions(x))
        if not ones and is_array(x):
            return lambda x: x
        if not is_array(x):
            return lambda x: np.full(ones, x)
        return lambda x: x.reshape(ones + x.shape)

    def with_dimensions(x):
        return np.array(x, ndmin=ndim, copy=None)

    overload(with_dimensions, jit_options=OPTIONS)(typer)
    return with_dimensions


@cache
def _blocks_at(depth: int, ndim: int) -> Any:
    """The function that joins blocks nested so deep."""
    if depth == 0:
        return _with_dimensions(ndim)
    inner = _blocks_at(depth - 1, ndim)

    @private
    def joined(blocks):
        parts = ()
        for one in literal_unroll(blocks):
            parts = parts + (inner(one),)  # noqa: RUF005  a list cannot be typed
        return np.concatenate(parts, axis=-depth)

    return joined


@numpy(np.block)
def _block(arrays):
    depth = _depth(arrays)
    if depth is None:
        return None
    if not depth:
        return lambda arrays: np.copy(np.asarray(arrays))
    join = _blocks_at(depth, max(depth, _most_dimensions(arrays)))
    return lambda arrays: join(arrays)


# --- broadcast --------------------------------------------------------------------------------


@numpy(np.broadcast_arrays)
def _broadcast_arrays(*args):
    def broadcast_arrays(*args):
        shape, out = joint_shape(args), ()
        for one in literal_unroll(args):
            a = np.asarray(one)  # a view of it can be written to, as NumPy's
            view = strided(a, shape, spread(a, shape).strides)
            out = out + (view,)  # noqa: RUF005  a list cannot be typed
        return out

    return broadcast_arrays if are_elements(*args) else None
