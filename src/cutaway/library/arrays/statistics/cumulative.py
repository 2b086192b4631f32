"""Cumulative sums and products, and differences: `cumsum cumprod diff ediff1d`."""

from __future__ import annotations

from typing import Any

import numpy as np

from cutaway.errors import TypingError
from cutaway.extending.bodies import refuse, static
from cutaway.library.arrays.kit.axes import axis_of
from cutaway.library.arrays.kit.dtypes import element_dtype, joint, promoted, sum_dtype
from cutaway.library.arrays.kit.folding import accumulate_line, accumulate_numbers
from cutaway.library.arrays.kit.lines import line_at, lines_along
from cutaway.library.arrays.kit.several_axes import stored, without_nan
from cutaway.library.arrays.kit.shapes import replaced
from cutaway.library.arrays.kit.takes import (
    Axis,
    Constant,
    Dtype,
    Flag,
    Numbers,
    Operand,
    Output,
    Real,
    numpy,
)
from cutaway.library.arrays.kit.typers import is_complex, is_constant, left_out, private
from cutaway.library.arrays.layout.splitting import part_along
from cutaway.library.math.number_classes import fitting
from cutaway.typing import types

# --- sums and products ------------------------------------------------------------------------


@static
def _cumulative_dtype(a: Any, dtype: Any, out: Any) -> np.dtype[Any] | None:
    """The dtype in which elements are accumulated: by default that of the output."""
    if left_out(dtype) and not left_out(out):
        return element_dtype(out)
    return sum_dtype(a, dtype)


def _register(function: Any, ufunc: np.ufunc, step: Any, *methods: str) -> None:
    skips, neutral = step is accumulate_numbers, ufunc.identity

    @private
    def up_to_each(a, axis: Axis, dtype):
        if axis is None or a.ndim == 1:
            if axis is not None:
                axis_of(a, axis)
            out = np.empty(a.size, dtype)
            if a.ndim == 1:
                step(ufunc, out, a)
            else:
                out.reshape(a.shape)[...] = a
                step(ufunc, out, out)
            return out
        table = np.empty(a.shape, dtype)
        source, target = lines_along(a, axis), lines_along(table, axis)
        for k in range(source.size // max(source.shape[-1], 1)):
            step(ufunc, line_at(target, k), line_at(source, k))
        return table

    @numpy(function, *methods)
    def cumulative(a: Numbers, axis: Axis = None, dtype: Dtype = None, out: Output = None):
        computed = _cumulative_dtype(a, dtype, out)
        if computed is None or (is_complex(a) and computed.kind != "c"):
            refuse("complex numbers are added up, and multiplied, as such")
        if out is not None and element_dtype(out) != computed:
            refuse("an output must have the dtype that is computed in")
        if a.ndim == 0 and axis is not None:  # NumPy treats it as a line
            return stored(out, function(a.reshape(1), axis, dtype))
        if computed.kind in "iu" and a.dtype.kind in "fc":  # each element is converted first
            numbers = without_nan(a, neutral) if skips else a
            return stored(out, up_to_each(numbers.astype(computed), axis, computed))
        return stored(out, up_to_each(a, axis, computed))


_register(np.cumsum, np.add, accumulate_line, "cumsum")
_register(np.cumprod, np.multiply, accumulate_line, "cumprod")
_register(np.nancumsum, np.add, accumulate_numbers)
_register(np.nancumprod, np.multiply, accumulate_numbers)


# --- differences ------------------------------------------------------------------------------


@private
def _step(a, axis):
    size = a.shape[axis]
    after, before = part_along(a, axis, 1, size), part_along(a, axis, 0, max(size - 1, 0))
    return after != before if a.dtype.kind == "b" else after - before


@private
def _differences(a, n, axis):
    if n == 0:  # both branches must return the same type
        return a if a.flags.writeable else a.copy()
    now = _step(a, axis)
    for _ in range(1, min(n, a.shape[axis] + 1)):  # beyond that, the result is empty
        now = _step(now, axis)
    return now


@numpy(np.diff)
def diff(
    a: Numbers,
    n: Constant = 1,
    axis: Axis = -1,
    prepend: Operand = None,
    append: Operand = None,
):
    """The n-th differences of neighbors along an axis."""
    if n < 0:
        raise ValueError(f"order must be non-negative but got {n}")
    if a.ndim == 0:
        raise ValueError("diff requires input that is at least one dimensional")
    index = axis_of(a, axis)
    if prepend is None and append is None:
        return a if is_constant(n) and n == 0 else _differences(a, n, index)
    whole = longer(a, prepend, append, index, joined_dtype(a, prepend, append))
    return _differences(whole, n, index)


@static
def joined_dtype(a: Any, *others: Any) -> np.dtype[Any]:
    """The dtype of an array joined with the values passed for its ends."""
    return joint(a, *(one for one in others if not left_out(one)))


@private
def longer(a, before, behind, axis, dtype):
    """An array of a dtype extended at the front and the back along an axis."""
    first, last, count = size_along(before, axis), size_along(behind, axis), a.shape[axis]
    out = np.empty(replaced(a.shape, axis, first + count + last), dtype)
    target = lines_along(out, axis)
    put_along(target[..., :first], before, axis)
    target[..., first : first + count] = lines_along(a, axis)
    put_along(target[..., first + count :], behind, axis)
    return out


@private
def size_along(x, axis):
    """The number of elements that a value adds along an axis."""
    if x is None:
        return 0
    return x.shape[axis] if isinstance(x, np.ndarray) and x.ndim else 1


@private
def put_along(target, x, axis):
    """Assign to lines along an axis: the elements of an array, or a single number."""
    if isinstance(x, np.ndarray) and x.ndim:
        target[...] = lines_along(x, axis)
    elif x is not None:
        target[...] = x


@static
def _check_ends(ary: Any, *ends: Any) -> None:
    """Refuse end values that do not convert to the dtype of the differences."""
    for one in ends:
        if not left_out(one) and not np.can_cast(
            element_dtype(one), element_dtype(ary), "same_kind"
        ):
            raise TypingError(
                "dtype of `to_begin` and `to_end` must be compatible with input `ary` under the"
                " `same_kind` rule",
                hint="convert them first",
            )


@numpy(np.ediff1d)
def ediff1d(ary: Numbers, to_end: Operand = None, to_begin: Operand = None):
    """The differences of neighbors in the flattened array."""
    if ary.dtype.kind == "b":
        refuse("bools have no difference", "use np.diff, or convert them")
    steps = np.diff(ary.ravel())
    if to_end is None and to_begin is None:
        return steps
    _check_ends(ary, to_end, to_begin)
    return longer(steps, _flat_if_array(to_begin), _flat_if_array(to_end), 0, ary.dtype)


@private
def _flat_if_array(x):
    return x.ravel() if isinstance(x, np.ndarray) else x


# --- the area under a curve -------------------------------------------------------------------


@static
def _product_dtype(y: Any, x: Any, dx: Any) -> np.dtype[Any]:
    """The dtype in which heights are multiplied by widths."""
    return promoted(y, dx if left_out(x) else x)


@static
def _area_dtype(y: Any, x: Any, dx: Any) -> np.dtype[Any]:
    return promoted(types.from_dtype(_product_dtype(y, x, dx)), types.float64)


@private
def _heights(y, axis, dtype):
    """The sums of neighbors along an axis in the array's dtype, where they may wrap, converted."""
    size = y.shape[axis]
    high, low = part_along(y, axis, 1, size), part_along(y, axis, 0, max(size - 1, 0))
    return (high + low).astype(y.dtype).astype(dtype)


@numpy(getattr(np, "trapezoid", None) or np.trapz)
def trapezoid(y: Numbers, x: Output = None, dx: Real = 1.0, axis: Axis = -1):
    """The area under a curve along an axis; `x` holds its points' positions, `dx` their spacing."""
    if y.ndim == 0 or is_complex(y) or (x is not None and (is_complex(x) or x.ndim == 0)):
        refuse("the points of a curve are real numbers along an axis")
    index, product, dtype = axis_of(y, axis), _product_dtype(y, x, dx), _area_dtype(y, x, dx)
    heights = _heights(y, index, product)
    if x is None:
        return ((heights * fitting(dx, product)) / 2.0).astype(dtype).sum(index)
    if x.ndim == 1:
        areas = (np.diff(x).astype(product) * lines_along(heights, index)) / 2.0
    elif x.ndim == y.ndim:
        widths = lines_along(np.diff(x, 1, axis), index).astype(product)
        areas = (widths * lines_along(heights, index)) / 2.0
    else:
        refuse("`x` has one axis, or as many as `y`")
    if y.ndim == 1:
        return areas.astype(dtype).sum()
    in_place = np.empty(replaced(y.shape, index, areas.shape[-1]), dtype)
    lines_along(in_place, index)[...] = areas
    return in_place.sum(index)


# --- with the initial value -------------------------------------------------------------------


def _register_inclusive(function: Any, cumulative: Any, neutral: int) -> None:
    @numpy(function)
    def inclusive(
        x: Numbers,
        /,
        *,
        axis: Axis = None,
        dtype: Dtype = None,
        out: Output = None,
        include_initial: Flag = False,
    ):
        if axis is None and x.ndim > 1:
            raise ValueError(
                "For arrays which have more than one dimension ``axis`` argument is required."
            )
        computed = sum_dtype(x, dtype)
        if computed is None:
            refuse("elements are added up, and multiplied, as numbers")
        if axis is None:
            values = cumulative(x.ravel(), 0, computed)
        else:
            values = cumulative(x, axis, computed)
        if not include_initial:
            return stored(out, values)
        k = 0 if values.ndim == 1 else axis_of(values, axis)
        begun = np.full(replaced(values.shape, k, values.shape[k] + 1), neutral, computed)
        lines_along(begun, k)[..., 1:] = lines_along(values, k)
        return stored(out, begun)


_register_inclusive(np.cumulative_sum, np.cumsum, 0)
_register_inclusive(np.cumulative_prod, np.cumprod, 1)
