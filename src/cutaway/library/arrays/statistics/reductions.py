"""Reductions of arrays: `sum prod mean min max any all argmin argmax`.

They are of the whole array, along one axis or several, and with axes that stay as ones.  Whether
axes stay is part of the result's type: `keepdims` has to be a constant.  Most calls are loops
without an implementation (`kit/reducing.py`); the others have one here.
"""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Any

import numpy as np

from cutaway.extending.overloads import overload, overload_method, register_jitable
from cutaway.library.arrays.kit.axes import axis_of, require_any_axis
from cutaway.library.arrays.kit.dtypes import mean_dtype, sum_type
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
from cutaway.library.arrays.kit.several_axes import (
    check_out,
    in_shape,
    left_over,
    reduced_as_told,
    shape_with_ones,
    store_result,
)
from cutaway.library.arrays.kit.sums import total, total_of
from cutaway.library.arrays.kit.typers import (
    flag,
    is_array,
    is_integral,
    is_shape,
    is_told,
    left_out,
    private,
)
from cutaway.library.arrays.statistics.extremes import in_one_piece
from cutaway.library.arrays.statistics.halves import product_of_halves
from cutaway.library.arrays.statistics.means import mean_along, mean_whole
from cutaway.typing import types
from cutaway.typing.types import Array, Complex, Integer, Tuple, Type

# Gives the implementation for an array of a type: a function of it, or of it and `axis`.
Chooser = Callable[[Array], FunctionType]

# --- which implementation a call has ----------------------------------------------------------


def _fits(a: Any, axis: Any, keepdims: Any) -> bool:
    """True if numbers are reduced along known axes, and it is known whether those stay."""
    if not is_array(a) or flag(keepdims) is None or (flag(keepdims) and a.ndim == 0):
        return False
    if isinstance(axis, Tuple):
        return is_shape(axis) and len(axis.items) > 0
    return left_out(axis) or isinstance(axis, Integer)


def _reduced(function: Any, a: Array, axis: Any, whole: Chooser, along: Chooser) -> FunctionType:
    if not isinstance(axis, Type):
        return whole(a)
    if isinstance(axis, Integer):
        return along(a)
    return lambda a, axis: function(a)


def _total_as_told(by_ufunc: Any, dtype: Any, keepdims: Any, initial: Any, where: Any) -> Any:
    reduced = reduced_as_told(by_ufunc, dtype, keepdims, initial, where)

    def total(a, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=True):
        return reduced(a, axis, out, initial, where)

    return None if reduced is None else total


def _element_as_told(by_ufunc: Any, keepdims: Any, initial: Any, where: Any) -> Any:
    reduced = reduced_as_told(by_ufunc, None, keepdims, initial, where)

    def element(a, axis=None, out=None, keepdims=False, initial=None, where=True):
        return reduced(a, axis, out, initial, where)

    return element


def _truth_as_told(by_ufunc: Any, keepdims: Any, where: Any) -> Any:
    reduced = reduced_as_told(by_ufunc, None, keepdims, None, where)

    def truth(a, axis=None, out=None, keepdims=False, where=True):
        return reduced(a, axis, out, None, where)

    return truth


def _register_total(row: Reduction, whole: Chooser, along: Chooser) -> None:
    """Register a reduction that takes a `dtype`, and its method."""
    function, by_ufunc = row.function, row.combined.reduce

    def kept(a, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=True):
        return in_shape(function(a, axis), shape_with_ones(a, axis))

    def plain(a, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=True):
        return function(a, axis)

    @overload_method(Array, function.__name__, strict=False)
    @overload(function, strict=False)
    def total(a, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=True):
        if not _fits(a, axis, keepdims):
            return None
        if isinstance(axis, Tuple) or is_told(dtype, out, initial, where):
            return _total_as_told(by_ufunc, dtype, keepdims, initial, where)
        if any(isinstance(one, Type) for one in (dtype, out, keepdims, initial, where)):
            return kept if flag(keepdims) else plain
        return _reduced(function, a, axis, whole, along)


def _register_mean(row: Reduction, whole: Chooser, along: Chooser) -> None:
    """Register the mean, and its method."""
    function = row.function

    def kept(a, axis=None, dtype=None, out=None, keepdims=False, where=True):
        return in_shape(function(a, axis), shape_with_ones(a, axis))

    def plain(a, axis=None, dtype=None, out=None, keepdims=False, where=True):
        return function(a, axis)

    @overload_method(Array, function.__name__, strict=False)
    @overload(function, strict=False)
    def mean(a, axis=None, dtype=None, out=None, keepdims=False, where=True):
        if not _fits(a, axis, keepdims):
            return None
        if isinstance(axis, Tuple) or is_told(dtype, out, where):
            return _mean_as_told(a, axis, dtype, out, keepdims, where)
        if any(isinstance(one, Type) for one in (dtype, out, keepdims, where)):
            return kept if flag(keepdims) else plain
        return _reduced(function, a, axis, whole, along)


def _mean_as_told(a: Array, axis: Any, dtype: Any, out: Any, keepdims: Any, where: Any) -> Any:
    """The implementation of a mean that is told more than an axis; None where it is not
    compiled."""

    def misfit(a, axis=None, dtype=None, out=None, keepdims=False, where=True):
        return np.mean(a, axis)  # raises AxisError

    if not a.ndim and is_integral(axis):
        return misfit
    halves = a.dtype is types.float16 and left_out(dtype)
    computed = np.dtype(np.float32) if halves else mean_dtype(a, dtype)  # as NumPy has it
    if computed is None or not (left_out(out) or is_array(out)):
        return None
    if not left_out(out):
        check_out(np.add, out, left_over(a, axis, keepdims))
    keeps = bool(flag(keepdims))

    @private
    def mean(a, axis, where):
        return mean_by(a, axis, computed, keeps, where)

    def told(a, axis=None, dtype=None, out=None, keepdims=False, where=True):
        return mean(a, axis, where)

    def stored(a, axis=None, dtype=None, out=None, keepdims=False, where=True):
        store_result(out, np.asarray(mean(a, axis, where)))
        return out

    def narrowed(a, axis=None, dtype=None, out=None, keepdims=False, where=True):
        return in_half(mean(a, axis, where))

    if left_out(out):
        return narrowed if halves else told
    return stored


def _register_element(row: Reduction, whole: Chooser, along: Chooser) -> None:
    """Register a reduction that takes no `dtype`, by all its names in NumPy, and its method."""
    function = row.function
    register = _register_truth if function in (np.any, np.all) else _register_extreme
    overloaded = register(row, whole, along)
    overload_method(Array, function.__name__, strict=False)(overloaded)
    for each in (function, *row.also):
        overload(each, strict=False)(overloaded)


def _register_extreme(row: Reduction, whole: Chooser, along: Chooser) -> Any:
    function, by_ufunc = row.function, row.combined.reduce

    def kept(a, axis=None, out=None, keepdims=False, initial=None, where=True):
        return in_shape(function(a, axis), shape_with_ones(a, axis))

    def plain(a, axis=None, out=None, keepdims=False, initial=None, where=True):
        return function(a, axis)

    def extreme(a, axis=None, out=None, keepdims=False, initial=None, where=True):
        if not _fits(a, axis, keepdims):
            return None
        if isinstance(axis, Tuple) or is_told(out, initial, where):
            return _element_as_told(by_ufunc, keepdims, initial, where)
        if any(isinstance(one, Type) for one in (out, keepdims, initial, where)):
            return kept if flag(keepdims) else plain
        return _reduced(function, a, axis, whole, along)

    return extreme


def _register_truth(row: Reduction, whole: Chooser, along: Chooser) -> Any:
    function, by_ufunc = row.function, row.combined.reduce

    def kept(a, axis=None, out=None, keepdims=False, where=True):
        return in_shape(function(a, axis), shape_with_ones(a, axis))

    def plain(a, axis=None, out=None, keepdims=False, where=True):
        return function(a, axis)

    def truth(a, axis=None, out=None, keepdims=False, where=True):
        if not _fits(a, axis, keepdims):
            return None
        if isinstance(axis, Tuple) or is_told(out, where):
            return _truth_as_told(by_ufunc, keepdims, where)
        if any(isinstance(one, Type) for one in (out, keepdims, where)):
            return kept if flag(keepdims) else plain
        return _reduced(function, a, axis, whole, along)

    return truth


def _register_place(row: Reduction, whole: Chooser, along: Chooser) -> None:
    """Register a reduction that gives places, and its method."""
    function = row.function

    def kept(a, axis=None, out=None, keepdims=False):
        return in_shape(function(a, axis), shape_with_ones(a, axis))

    def plain(a, axis=None, out=None, keepdims=False):
        return function(a, axis)

    def stored(a, axis=None, out=None, keepdims=False):
        store_result(out, np.asarray(function(a, axis)))
        return out

    def stored_kept(a, axis=None, out=None, keepdims=False):
        store_result(out, in_shape(function(a, axis), shape_with_ones(a, axis)))
        return out

    @overload_method(Array, function.__name__, strict=False)
    @overload(function, strict=False)
    def place(a, axis=None, out=None, keepdims=False):
        if isinstance(axis, Tuple) or not _fits(a, axis, keepdims):
            return None
        if not left_out(out):
            fits = is_array(out) and out.dtype is types.int64
            return (stored_kept if flag(keepdims) else stored) if fits else None
        if any(isinstance(one, Type) for one in (out, keepdims)):
            return kept if flag(keepdims) else plain
        return _reduced(function, a, axis, whole, along)


# --- along one axis ---------------------------------------------------------------------------


def _along(function: Any, chooser: Chooser) -> Chooser:
    """Along its only axis an array is reduced as a whole, and so is a single number."""

    def of_line(a, axis):
        require_any_axis(a, axis)
        return function(a)

    return lambda a: chooser(a) if a.ndim > 1 else of_line


def _by_line(function: Any, dtype: Any = None, empty: str | None = None) -> Chooser:
    """Reduces each line by itself; `empty` is said where there is nothing in a line."""

    def by_line(a, axis):
        lines = lines_along(a, axis)
        if empty is not None and lines.shape[-1] == 0 and a.size == 0:
            raise ValueError(empty)
        out = np.empty(lines.shape[:-1], a.dtype if dtype is None else dtype)
        for k in range(out.size):
            out.flat[k] = function(line_at(lines, k))
        return out

    return _along(function, lambda a: by_line)


# --- sums -------------------------------------------------------------------------------------


def _sum_whole(a: Array) -> FunctionType:
    zero = types.to_dtype(sum_type(a.dtype)).type(0)

    def sum_of_integers(a):
        total = zero
        for element in a.flat:
            total += element
        return total

    return sum_of_integers if types.is_integral(a.dtype) else total_of(a)


def _sum_along(a: Array) -> FunctionType:
    dtype = types.to_dtype(sum_type(a.dtype))

    def sum_of_integers_along(a, axis):
        layers = layers_along(a, axis)
        out = np.zeros(layers.shape[1:], dtype)
        for layer in layers:
            out += layer
        return out

    return sum_of_integers_along if types.is_integral(a.dtype) else _sum_of_inexact_along


def _sum_of_inexact_along(a, axis):
    lines = lines_along(a, axis)
    out = np.zeros(lines.shape[:-1], a.dtype)
    if is_innermost(a, axis):
        for k in range(out.size):
            out.flat[k] = total(line_at(lines, k))
    else:
        for layer in layers_along(a, axis):
            out += layer
    return out


# --- products ---------------------------------------------------------------------------------


def _product_whole(a: Array) -> FunctionType:
    one = types.to_dtype(sum_type(a.dtype)).type(1)

    def product(a):
        total = one
        for element in in_memory_order(a).flat:
            total *= element
        return total

    return product_of_halves if a.dtype is types.float16 else product


def _product_along(a: Array) -> FunctionType:
    if a.dtype is types.float16:
        return _product_of_halves_along
    dtype = types.to_dtype(sum_type(a.dtype))

    def product_along(a, axis):
        layers = layers_along(a, axis)
        out = np.ones(layers.shape[1:], dtype)
        for layer in layers:
            out *= layer
        return out

    return product_along


def _product_of_halves_along(a, axis):
    lines = lines_along(a, axis)
    out = np.ones(lines.shape[:-1], a.dtype)
    if is_innermost(a, axis):
        for k in range(out.size):
            out.flat[k] = product_of_halves(line_at(lines, k))
    else:
        for layer in layers_along(a, axis):
            out *= layer
    return out


# --- min, max ---------------------------------------------------------------------------------

_NO_MINIMUM = "zero-size array to reduction operation minimum which has no identity"
_NO_MAXIMUM = "zero-size array to reduction operation maximum which has no identity"


def _extreme(comes_before: Any, empty: str) -> Chooser:
    """Gives the element that comes before all others, or a NaN where there is one."""

    @register_jitable
    def extreme(a):
        if a.size == 0:
            raise ValueError(empty)
        elements = a.flat
        best = elements[0]
        for element in elements:
            if comes_before(element, best) or element != element:  # noqa: PLR0124
                best = element
            if best != best:  # noqa: PLR0124
                break
        return best

    def of_complex(a):
        return extreme(in_memory_order(a))  # it decides among several numbers with a NaN

    return lambda a: of_complex if isinstance(a.dtype, Complex) else extreme


# --- argmin, argmax ---------------------------------------------------------------------------

_NO_ARGMIN = "attempt to get argmin of an empty sequence"
_NO_ARGMAX = "attempt to get argmax of an empty sequence"


def _place(function: Any, is_no_better: Any, empty: str) -> Chooser:
    """Gives the place of the first of the best elements; the first NaN is the best."""

    def place(a):
        if a.size == 0:
            raise ValueError(empty)
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

    def chosen(a: Array) -> FunctionType:
        by_numpy = in_one_piece(function, a.viewed(1, "C") if a.ndim == 1 else a)
        if by_numpy is None:
            return place

        def place_by_numpy(a):
            if a.size == 0:
                raise ValueError(empty)
            return by_numpy(np.ascontiguousarray(a.ravel()))

        return place_by_numpy

    return chosen


def _place_along(function: Any, empty: str) -> Chooser:
    by_line = _by_line(function, np.int64, empty)

    def of_number(a, axis):
        return function(a.reshape(1), axis)  # NumPy takes it for a line

    def chosen(a: Array) -> FunctionType:
        along_any = register_jitable(by_line(a))

        def along_rows(a, axis):
            if axis_of(a, axis) != a.ndim - 1 or a.size == 0:
                return along_any(a, axis)
            out = np.empty(a.shape[:-1], np.int64)
            for k in range(out.size):
                out.flat[k] = function(line_at(a, k))  # a row is known to lie in one piece
            return out

        return along_rows if a.layout == "C" and a.ndim > 1 else along_any

    return lambda a: chosen(a) if a.ndim else of_number


# --- any, all ---------------------------------------------------------------------------------


def _any_element(a):
    for element in a.flat:  # noqa: SIM110
        if element:
            return True
    return False


def _all_elements(a):
    for element in a.flat:  # noqa: SIM110
        if not element:
            return False
    return True


# --- the rows ---------------------------------------------------------------------------------

_IMPLEMENTATIONS: dict[Any, tuple[Chooser, ...]] = {
    np.sum: (_sum_whole, _along(np.sum, _sum_along)),
    np.prod: (_product_whole, _along(np.prod, _product_along)),
    np.mean: (mean_whole, mean_along),
    np.min: (_extreme(below, _NO_MINIMUM), _by_line(np.min, None, _NO_MINIMUM)),
    np.max: (_extreme(above, _NO_MAXIMUM), _by_line(np.max, None, _NO_MAXIMUM)),
    np.any: (lambda a: _any_element, _by_line(np.any, np.bool_)),
    np.all: (lambda a: _all_elements, _by_line(np.all, np.bool_)),
    np.argmin: (_place(np.argmin, at_least, _NO_ARGMIN), _place_along(np.argmin, _NO_ARGMIN)),
    np.argmax: (_place(np.argmax, at_most, _NO_ARGMAX), _place_along(np.argmax, _NO_ARGMAX)),
}
_REGISTER: dict[str, Callable[..., None]] = {
    "total": _register_total,
    "mean": _register_mean,
    "element": _register_element,
    "place": _register_place,
}

for _row in REDUCTIONS:
    if _row.gives != "place":
        reduces(_row.function.__name__, _row.function, *_row.also)
    _REGISTER[_row.gives](_row, *_IMPLEMENTATIONS[_row.function])
