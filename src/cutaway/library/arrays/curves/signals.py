"""Differences along axes, and jumps taken out of angles: `gradient unwrap`."""

from __future__ import annotations

from typing import Any

import numpy as np

from cutaway.extending.bodies import refuse, static
from cutaway.foundation.marks import literal_unroll
from cutaway.library.arrays.kit.axes import axis_of
from cutaway.library.arrays.kit.dtypes import inexact, promoted
from cutaway.library.arrays.kit.lines import lines_along
from cutaway.library.arrays.kit.takes import Constant, Numbers, Real, RealOrNone, numpy
from cutaway.library.arrays.kit.typers import (
    dimensions,
    is_array,
    is_complex,
    is_integral,
    is_integral_or_default,
    is_number,
    is_shape,
    left_out,
    private,
)
from cutaway.library.arrays.kit.typers import numpy as numpy_typer
from cutaway.library.arrays.layout.splitting import part_along
from cutaway.typing import types
from cutaway.typing.types import Omitted, Tuple

# --- gradient: steps of one size --------------------------------------------------------------


@private
def _even_inside(out, f, step):
    """Central differences; `step` is a number, or an array of one element."""
    out[..., 1:-1] = (f[..., 2:] - f[..., :-2]) / (2.0 * step)


@private
def _even_ends(out, f, step, edge_order):
    """Differences of the first layers and the last ones."""
    if edge_order == 2:
        a, b, c = -1.5 / step, 2.0 / step, -0.5 / step
        out[..., :1] = a * f[..., :1] + b * f[..., 1:2] + c * f[..., 2:3]
        a, b, c = 0.5 / step, -2.0 / step, 1.5 / step
        out[..., -1:] = a * f[..., -3:-2] + b * f[..., -2:-1] + c * f[..., -1:]
    else:
        out[..., :1] = (f[..., 1:2] - f[..., :1]) / step
        out[..., -1:] = (f[..., -1:] - f[..., -2:-1]) / step


# --- gradient: steps between places that are given --------------------------------------------


@private
def _uneven_inside(out, f, steps):
    before, after = steps[:-1], steps[1:]
    a = -(after) / (before * (before + after))
    b = (after - before) / (before * after)
    c = before / (after * (before + after))
    out[..., 1:-1] = a * f[..., :-2] + b * f[..., 1:-1] + c * f[..., 2:]


@private
def _uneven_ends(out, f, steps, edge_order):
    """Differences of the first layers and the last ones."""
    if edge_order == 2:
        first, second = steps[:1], steps[1:2]
        a = -(2.0 * first + second) / (first * (first + second))
        b = (first + second) / (first * second)
        c = -first / (second * (first + second))
        out[..., :1] = a * f[..., :1] + b * f[..., 1:2] + c * f[..., 2:3]
        first, second = steps[-2:-1], steps[-1:]
        a = second / (first * (first + second))
        b = -(second + first) / (first * second)
        c = (2.0 * second + first) / (second * (first + second))
        out[..., -1:] = a * f[..., -3:-2] + b * f[..., -2:-1] + c * f[..., -1:]
    else:
        out[..., :1] = (f[..., 1:2] - f[..., :1]) / steps[:1]
        out[..., -1:] = (f[..., -1:] - f[..., -2:-1]) / steps[-1:]


@private
def _are_alike(steps):
    for one in steps:
        if one != steps[0]:
            return False
    return True


@private
def _check_size(size, edge_order):
    if size < edge_order + 1:
        raise ValueError(
            "Shape of array too small to calculate a numerical gradient, at least (edge_order + 1)"
            " elements are required."
        )


# --- gradient along axes ----------------------------------------------------------------------


@private
def _slopes_along(f, axis, spacing, edge_order):
    """The gradient along one axis; `f` has the type in which it is computed."""
    out = np.empty(f.shape, f.dtype)
    lines, target = lines_along(f, axis), lines_along(out, axis)
    if not isinstance(spacing, np.ndarray):
        _check_size(lines.shape[-1], edge_order)
        _even_inside(target, lines, spacing)
        _even_ends(target, lines, spacing, edge_order)
        return out
    if len(spacing) != f.shape[axis]:
        raise ValueError("when 1d, distances must match the length of the corresponding dimension")
    steps = np.diff(spacing)
    if not len(steps):
        raise IndexError("index 0 is out of bounds for axis 0 with size 0")
    _check_size(lines.shape[-1], edge_order)
    if _are_alike(steps):
        _even_inside(target, lines, steps[:1])
        _even_ends(target, lines, steps[:1], edge_order)
    else:
        _uneven_inside(target, lines, steps)
        _uneven_ends(target, lines, steps, edge_order)
    return out


@private
def _places_along(spacing):
    """Distances as NumPy takes them: places that are integers become floats."""
    if not isinstance(spacing, np.ndarray):
        return spacing
    if spacing.ndim == 0:
        return spacing[()]
    return spacing.astype(np.float64) if spacing.dtype.kind in "iu" else spacing


@private
def _place(f, axis, k):
    """The k-th axis that there is a gradient along."""
    if axis is None:
        return k
    return axis_of(f, axis[k] if isinstance(axis, tuple) else axis)


def _axes_of(f: Any, axis: Any) -> int | None:
    """How many axes there are gradients along; None where that is not known."""
    if left_out(axis):
        return dimensions(f)
    if isinstance(axis, Tuple) and is_shape(axis):
        return len(axis.items)
    return 1 if is_integral(axis) else None


@numpy_typer(np.gradient)
def _gradient(f, *varargs, axis=None, edge_order=1):
    if not is_array(f) or not is_integral_or_default(edge_order):
        return None
    count, given = _axes_of(f, axis), len(varargs)
    are_spacings = all(is_number(one) or is_array(one) for one in varargs)
    if count is None or not are_spacings or f.dtype is types.boolean:
        return None
    has_tables = any(dimensions(one) > 1 for one in varargs) and given == count
    one_for_all = given == 1 and not dimensions(varargs[0])
    is_misfit = given > 0 and not one_for_all and given != count
    kind, numbers = inexact(types.to_dtype(f.dtype)), tuple(range(count))
    each = given > 0 and not one_for_all

    def gradient(f, *varargs, axis=None, edge_order=1):
        if has_tables:
            raise ValueError("distances must be either scalars or 1d")
        elif is_misfit:
            raise TypeError("invalid number of arguments")
        if edge_order > 2:
            raise ValueError("'edge_order' greater than 2 not supported")
        values, out = f.astype(kind), ()
        if each:
            k = 0
            for one in literal_unroll(varargs):
                step = _places_along(one)
                out = out + (_slopes_along(values, _place(f, axis, k), step, edge_order),)  # noqa: RUF005  a list cannot be typed
                k += 1
        else:
            step = _places_along(varargs[0]) if one_for_all else 1.0
            for k in literal_unroll(numbers):
                out = out + (_slopes_along(values, _place(f, axis, k), step, edge_order),)  # noqa: RUF005
        return out[0] if count == 1 else out

    return gradient


# --- unwrap -----------------------------------------------------------------------------------


@static
def _unwrapped_dtype(p: Any, period: Any) -> np.dtype[Any]:
    return promoted(p, types.float64 if isinstance(period, Omitted) else period)


@numpy(np.unwrap)
def unwrap(
    p: Numbers, discont: RealOrNone = None, axis: Constant = -1, *, period: Real = 2 * np.pi
):
    if is_complex(p):
        refuse("angles are real numbers")
    if p.ndim == 0:
        raise ValueError("diff requires input that is at least one dimensional")
    kind, k = _unwrapped_dtype(p, period), axis_of(p, axis)
    is_whole, steps = kind.kind in "iu", np.diff(p, axis=k)
    high = period // 2 if is_whole else period / 2
    low = -high
    wrapped = np.mod(steps - low, period) + low
    if not is_whole or period % 2 == 0:  # both ends of the interval are half a period away
        at_low = (wrapped == low) & (steps > 0)
        wrapped = np.where(at_low, kind.type(high), wrapped)
    is_small = np.abs(steps) < (high if discont is None else discont)
    added = np.where(is_small, kind.type(0), wrapped - steps)  # makes each step the smallest one
    out, size = p.astype(kind), p.shape[k]
    part_along(out, k, 1, size)[...] = part_along(p, k, 1, size) + added.cumsum(k)
    return out
