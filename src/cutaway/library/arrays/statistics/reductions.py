"""Reductions of arrays: `sum prod mean min max any all argmin argmax`.

They are of the whole array, along one axis or several, and with axes that stay as ones.  Whether
axes stay is part of the result's type: `keepdims` has to be a constant.  Most calls are loops
without an implementation (`kit/reducing.py`); the others have one here, for all elements or along
an axis, or are those of a ufunc's `reduce`, which takes all arguments.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cutaway.extending.bodies import refuse, static
from cutaway.library.arrays.kit.axes import axis_of, require_any_axis
from cutaway.library.arrays.kit.dtypes import element_dtype, mean_dtype, sum_dtype
from cutaway.library.arrays.kit.lines import (
    in_memory_order,
    is_innermost,
    layers_along,
    line_at,
    lines_along,
)
from cutaway.library.arrays.kit.means import in_half, mean_by
from cutaway.library.arrays.kit.operations import REDUCTIONS, Reduction
from cutaway.library.arrays.kit.order import above, at_least, at_most, below
from cutaway.library.arrays.kit.reducing import reduces
from cutaway.library.arrays.kit.several_axes import in_shape, reduced_by, shape_with_ones, stored
from cutaway.library.arrays.kit.sums import total
from cutaway.library.arrays.kit.takes import (
    Axes,
    Axis,
    Dtype,
    Flag,
    Mask,
    NumberOrNone,
    Numbers,
    Output,
    numpy,
)
from cutaway.library.arrays.kit.typers import is_complex, is_everywhere, is_in_rows, private
from cutaway.library.arrays.statistics.extremes import (
    has_place_by_numpy,
    place_of_largest,
    place_of_smallest,
)
from cutaway.library.arrays.statistics.halves import product_of_halves
from cutaway.typing import types

# --- which implementation a call has ----------------------------------------------------------


def _reducer(function: Any, whole: Any, along: Any) -> Any:
    """The reduction by an implementation for all elements, and one along an axis."""

    @private
    def reduced(a, axis, keepdims):
        if keepdims:
            return in_shape(function(a, axis), shape_with_ones(a, axis))
        if axis is None:
            return whole(a)
        if a.ndim < 2:
            require_any_axis(a, axis)  # the only one, or that of a single number
            return function(a)
        return along(a, axis)

    return reduced


def _register_total(row: Reduction, reduced: Any) -> None:
    function, combine = row.function, row.combined

    @numpy(function, function.__name__)
    def reduction(
        a: Numbers,
        axis: Axes = None,
        dtype: Dtype = None,
        out: Output = None,
        keepdims: Flag = False,
        initial: NumberOrNone = None,
        where: Mask = True,
    ):
        usual = dtype is None and out is None and initial is None and is_everywhere(where)
        if usual and not isinstance(axis, tuple):
            return reduced(a, axis, keepdims)
        return reduced_by(combine.reduce, a, axis, dtype, out, keepdims, initial, where)


def _register_extreme(row: Reduction, reduced: Any) -> None:
    function, combine = row.function, row.combined

    @numpy(function, function.__name__, also=row.also)
    def reduction(
        a: Numbers,
        axis: Axes = None,
        out: Output = None,
        keepdims: Flag = False,
        initial: NumberOrNone = None,
        where: Mask = True,
    ):
        usual = out is None and initial is None and is_everywhere(where)
        if usual and not isinstance(axis, tuple):
            return reduced(a, axis, keepdims)
        return reduced_by(combine.reduce, a, axis, None, out, keepdims, initial, where)


def _register_truth(row: Reduction, reduced: Any) -> None:
    function, combine = row.function, row.combined

    @numpy(function, function.__name__)
    def reduction(
        a: Numbers,
        axis: Axes = None,
        out: Output = None,
        keepdims: Flag = False,
        where: Mask = True,
    ):
        if out is None and is_everywhere(where) and not isinstance(axis, tuple):
            return reduced(a, axis, keepdims)
        return combine.reduce(a, axis, None, out, keepdims=keepdims, where=where)


def _register_place(row: Reduction, reduced: Any) -> None:
    function = row.function

    @numpy(function, function.__name__)
    def reduction(a: Numbers, axis: Axis = None, out: Output = None, keepdims: Flag = False):
        if out is not None and element_dtype(out) != np.int64:
            refuse("an output for indices has the dtype int64")
        if a.ndim == 0 and axis is not None:  # NumPy takes it for a line
            return stored(out, function(a.reshape(1), axis))
        return stored(out, reduced(a, axis, keepdims))


@static
def _computed_dtype(a: Any, dtype: Any) -> np.dtype[Any] | None:
    """The dtype in which NumPy computes a mean."""
    halves = element_dtype(a) == np.float16 and isinstance(dtype, types.NoneType | types.Omitted)
    return np.dtype(np.float32) if halves else mean_dtype(a, dtype)


for _row in REDUCTIONS:  # asked first: their calls need no implementation
    if _row.gives != "place":
        reduces(_row.function.__name__, _row.function, *_row.also)


@numpy(np.mean, "mean")
def mean(
    a: Numbers,
    axis: Axes = None,
    dtype: Dtype = None,
    out: Output = None,
    keepdims: Flag = False,
    *,
    where: Mask = True,
):
    """The mean of elements, of float16 computed in float32."""
    computed = _computed_dtype(a, dtype)
    if computed is None:
        refuse("a mean is computed in floats, or in complex numbers of an array of such")
    if a.ndim == 0 and axis is not None:
        axis_of(a, axis)  # raises AxisError
    result = mean_by(a, axis, computed, keepdims, where)
    if dtype is None and out is None and element_dtype(a) == np.float16:
        return in_half(result)
    return stored(out, result)


# --- sums -------------------------------------------------------------------------------------


@private
def _sum_of_all(a):
    if a.dtype.kind not in "biu":
        return total(a)
    result = sum_dtype(a, None).type(0)
    for element in a.flat:
        result += element
    return result


@private
def _sum_along(a, axis):
    axis_of(a, axis)  # raises AxisError
    if a.dtype.kind not in "biu" and is_innermost(a, axis):
        lines = lines_along(a, axis)
        out = np.empty(lines.shape[:-1], a.dtype)
        for k in range(out.size):
            out.flat[k] = total(line_at(lines, k))
        return out
    layers = layers_along(a, axis)
    out = np.zeros(layers.shape[1:], sum_dtype(a, None))
    for layer in layers:
        out += layer
    return out


# --- products ---------------------------------------------------------------------------------


@private
def _product_of_all(a):
    if a.dtype == np.float16:
        return product_of_halves(a)
    result = sum_dtype(a, None).type(1)
    for element in in_memory_order(a).flat:
        result *= element
    return result


@private
def _product_along(a, axis):
    axis_of(a, axis)  # raises AxisError
    if a.dtype == np.float16 and is_innermost(a, axis):
        lines = lines_along(a, axis)
        out = np.ones(lines.shape[:-1], a.dtype)
        for k in range(out.size):
            out.flat[k] = product_of_halves(line_at(lines, k))
        return out
    layers = layers_along(a, axis)
    out = np.ones(layers.shape[1:], sum_dtype(a, None))
    for layer in layers:
        out *= layer
    return out


# --- min, max ---------------------------------------------------------------------------------


def _by_line(function: Any, dtype: Any = None, empty: str | None = None) -> Any:
    """Reduces each line by itself; raises `empty` where there is nothing in a line."""

    @private
    def by_line(a, axis):
        lines = lines_along(a, axis)
        if empty is not None and lines.shape[-1] == 0 and a.size == 0:
            raise ValueError(empty)
        out = np.empty(lines.shape[:-1], a.dtype if dtype is None else dtype)
        for k in range(out.size):
            out.flat[k] = function(line_at(lines, k))
        return out

    return by_line


def _extreme(comes_before: Any, empty: str) -> Any:
    """Finds the element that comes before all others, or a NaN where there is one."""

    @private
    def extreme(a):
        if a.size == 0:
            raise ValueError(empty)
        # Their order decides among several complex numbers with a NaN.
        elements = in_memory_order(a).flat if is_complex(a) else a.flat
        best = elements[0]
        for element in elements:
            if comes_before(element, best) or element != element:  # noqa: PLR0124
                best = element
            if best != best:  # noqa: PLR0124
                break
        return best

    return extreme


# --- argmin, argmax ---------------------------------------------------------------------------


def _place(by_numpy: Any, is_no_better: Any, empty: str) -> Any:
    """Finds the index of the first of the best elements; the first NaN is the best."""

    @private
    def place(a):
        if a.size == 0:
            raise ValueError(empty)
        if has_place_by_numpy(a):
            return by_numpy(np.ascontiguousarray(a.ravel()))
        best, place, k = a.flat[0], 0, 0
        if best != best:  # noqa: PLR0124
            return 0
        for element in a.flat:
            if not is_no_better(element, best):  # better, or NaN
                best, place = element, k
                if best != best:  # noqa: PLR0124
                    break
            k += 1
        return place

    return place


def _place_along(place: Any, empty: str) -> Any:
    by_line = _by_line(place, np.int64, empty)

    @private
    def along(a, axis):
        if is_in_rows(a) and axis_of(a, axis) == a.ndim - 1 and a.size:
            out = np.empty(a.shape[:-1], np.int64)
            for k in range(out.size):
                out.flat[k] = place(line_at(a, k))  # a row is known to lie in one piece
            return out
        return by_line(a, axis)

    return along


# --- any, all ---------------------------------------------------------------------------------


@private
def _any_element(a):
    for element in a.flat:  # noqa: SIM110
        if element:
            return True
    return False


@private
def _all_elements(a):
    for element in a.flat:  # noqa: SIM110
        if not element:
            return False
    return True


# --- the rows ---------------------------------------------------------------------------------


def _none_in(ufunc: str) -> str:
    return f"zero-size array to reduction operation {ufunc} which has no identity"


_NO_ARGMIN = "attempt to get argmin of an empty sequence"
_NO_ARGMAX = "attempt to get argmax of an empty sequence"
_SMALLEST = _place(place_of_smallest, at_least, _NO_ARGMIN)
_LARGEST = _place(place_of_largest, at_most, _NO_ARGMAX)

# How all elements are reduced, and those along one of several axes.
_IMPLEMENTATIONS: dict[Any, tuple[Any, Any, Any]] = {
    np.sum: (_register_total, _sum_of_all, _sum_along),
    np.prod: (_register_total, _product_of_all, _product_along),
    np.min: (
        _register_extreme,
        _extreme(below, _none_in("minimum")),
        _by_line(np.min, None, _none_in("minimum")),
    ),
    np.max: (
        _register_extreme,
        _extreme(above, _none_in("maximum")),
        _by_line(np.max, None, _none_in("maximum")),
    ),
    np.any: (_register_truth, _any_element, _by_line(np.any, np.bool_)),
    np.all: (_register_truth, _all_elements, _by_line(np.all, np.bool_)),
    np.argmin: (
        _register_place,
        _SMALLEST,
        _place_along(_SMALLEST, _NO_ARGMIN),
    ),
    np.argmax: (
        _register_place,
        _LARGEST,
        _place_along(_LARGEST, _NO_ARGMAX),
    ),
}

for _row in REDUCTIONS:
    if _row.function in _IMPLEMENTATIONS:
        _register, *_ways = _IMPLEMENTATIONS[_row.function]
        _register(_row, _reducer(_row.function, *_ways))
