"""Differences along axes, and jumps taken out of angles: `gradient unwrap`."""

from __future__ import annotations

from typing import Any

import numpy as np

from cutaway.extending.bodies import Takes, refuse, static
from cutaway.library.arrays.kit.axes import axis_of
from cutaway.library.arrays.kit.dtypes import inexact_dtype, promoted
from cutaway.library.arrays.kit.lines import lines_along
from cutaway.library.arrays.kit.takes import (
    Constant,
    Integer,
    Numbers,
    Operands,
    Real,
    RealOrNone,
    SomeAxes,
    numpy,
)
from cutaway.library.arrays.kit.typers import (
    dimensions,
    is_array,
    is_complex,
    left_out,
    private,
)
from cutaway.library.arrays.layout.splitting import part_along
from cutaway.typing import types
from cutaway.typing.types import Omitted, Tuple

# --- gradient: uniform spacing ----------------------------------------------------------------


@private
def _even_inside(out, f, step):
    """Store central differences; `step` is a number or an array of one element."""
    out[..., 1:-1] = (f[..., 2:] - f[..., :-2]) / (2.0 * step)


@private
def _even_ends(out, f, step, edge_order):
    """Store one-sided differences in the first and last layers."""
    if edge_order == 2:
        a, b, c = -1.5 / step, 2.0 / step, -0.5 / step
        out[..., :1] = a * f[..., :1] + b * f[..., 1:2] + c * f[..., 2:3]
        a, b, c = 0.5 / step, -2.0 / step, 1.5 / step
        out[..., -1:] = a * f[..., -3:-2] + b * f[..., -2:-1] + c * f[..., -1:]
    else:
        out[..., :1] = (f[..., 1:2] - f[..., :1]) / step
        out[..., -1:] = (f[..., -1:] - f[..., -2:-1]) / step


# --- gradient: non-uniform spacing ------------------------------------------------------------


@private
def _uneven_inside(out, f, steps):
    before, after = steps[:-1], steps[1:]
    a = -(after) / (before * (before + after))
    b = (after - before) / (before * after)
    c = before / (after * (before + after))
    out[..., 1:-1] = a * f[..., :-2] + b * f[..., 1:-1] + c * f[..., 2:]


@private
def _uneven_ends(out, f, steps, edge_order):
    """Store one-sided differences in the first and last layers."""
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
    """The gradient along one axis; `f` has the dtype that it is computed in."""
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
    """The spacing along an axis as NumPy takes it: integer coordinates become floats."""
    if not isinstance(spacing, np.ndarray):
        return spacing
    if spacing.ndim == 0:
        return spacing[()]
    return spacing.astype(np.float64) if spacing.dtype.kind in "iu" else spacing


@private
def _place(f, axis, k):
    """The k-th axis that a gradient is computed along."""
    if axis is None:
        return k
    return axis_of(f, axis[k] if isinstance(axis, tuple) else axis)


@static
def _count_of(f: Any, axis: Any) -> int:
    """The number of axes that gradients are computed along."""
    if left_out(axis):
        return dimensions(f)
    return len(axis.items) if isinstance(axis, Tuple) else 1


@static
def _has_tables(spacings: Tuple) -> bool:
    return any(dimensions(one) > 1 for one in spacings.items)


@private
def _slopes_from(k, values, steps, axis, edge_order):
    """The gradients along the k-th and later axes; a single spacing applies to all of these."""
    step = _places_along(steps[0])
    first = _slopes_along(values, _place(values, axis, k), step, edge_order)
    if len(steps) == 1:
        return (first,)
    return (first, *_slopes_from(k + 1, values, steps[1:], axis, edge_order))


NotBools = Takes(
    "an array of numbers that are no bools",
    lambda f: is_array(f) and not isinstance(f.dtype, types.Boolean),
)


@numpy(np.gradient)
def gradient(f: NotBools, *varargs: Operands, axis: SomeAxes = None, edge_order: Integer = 1):
    count = _count_of(f, axis)
    if len(varargs) == count and _has_tables(varargs):
        raise ValueError("distances must be either scalars or 1d")
    if edge_order > 2:
        raise ValueError("'edge_order' greater than 2 not supported")
    values = f.astype(inexact_dtype(f))
    if count == 0:
        return ()
    if len(varargs) == 0:
        slopes = _slopes_from(0, values, (1.0,) * count, axis, edge_order)
    elif len(varargs) == 1 and dimensions(varargs[0]) == 0:
        slopes = _slopes_from(0, values, varargs * count, axis, edge_order)
    elif len(varargs) == count:
        slopes = _slopes_from(0, values, varargs, axis, edge_order)
    else:
        raise TypeError("invalid number of arguments")
    return slopes[0] if count == 1 else slopes


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
    added = np.where(is_small, kind.type(0), wrapped - steps)  # makes each step minimal
    out, size = p.astype(kind), p.shape[k]
    part_along(out, k, 1, size)[...] = part_along(p, k, 1, size) + added.cumsum(k)
    return out
