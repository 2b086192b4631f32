"""Reductions by ufuncs, `np.add.reduce` and the like, and the functions that are built on them.

A row of `ir/reductions.py` has a loop of its own where elements are taken in their order
(`kit/reducing.py`). All other calls are compiled here. Elements are combined in NumPy's order: if
the axis with the smallest stride is reduced, each result is folded from whole lines; else layer
after layer is combined with all results.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from cutaway.errors import TypingError
from cutaway.extending.bodies import static
from cutaway.foundation.element_functions import ufunc_half
from cutaway.foundation.marks import literal_unroll
from cutaway.ir.reductions import BY_UFUNC, nothing_to_reduce
from cutaway.library.arrays.elementwise.ufunc_methods import (
    UFUNCS,
    Combined,
    CombinedOrNone,
    method_dtype,
    of_dtype,
    ufunc_body,
)
from cutaway.library.arrays.kit.axes import axis_of, require_any_axis
from cutaway.library.arrays.kit.blocks import (
    block_at,
    in_same_order,
    lies_inside,
    order_of_axes,
    require_distinct,
    tuple_of_axes,
    with_front_behind,
)
from cutaway.library.arrays.kit.dtypes import element_dtype
from cutaway.library.arrays.kit.folding import combine_into, fold, fold_where
from cutaway.library.arrays.kit.lines import (
    in_memory_order,
    is_innermost,
    layers_along,
    line_at,
    line_count,
    lines_along,
)
from cutaway.library.arrays.kit.reducing import ufunc_reduces
from cutaway.library.arrays.kit.several_axes import (
    check_out,
    in_shape,
    left_over,
    shape_with_ones,
    stored,
)
from cutaway.library.arrays.kit.shapes import is_merged, merged, require, spread
from cutaway.library.arrays.kit.sums import combine_all, fold_lines
from cutaway.library.arrays.kit.takes import Axes, Dtype, Flag, Initial, Mask
from cutaway.library.arrays.kit.typers import (
    is_array,
    is_everywhere,
    is_number,
    left_out,
    private,
)
from cutaway.library.math.number_classes import fitting
from cutaway.typing import types
from cutaway.typing.types import Array, Complex, Tuple


@cache
def is_reorderable(function: Any) -> bool:
    """True if NumPy lets a ufunc reduce several axes at once."""
    if function.identity is not None:
        return True
    half = ufunc_half(function)
    asked = function if half is None else half.ufunc  # asking gains no loop
    letter = asked.types[0][0]
    try:
        asked.reduce(np.ones((1, 1), letter), axis=(0, 1))
    except (ValueError, TypeError):
        return False
    return True


# --- initial values ---------------------------------------------------------------------------


@private
def begin(initial, neutral):
    """The `initial` argument in the type of the neutral element."""
    if is_time(neutral):
        return initial
    if isinstance(neutral, bool):
        return initial != 0
    if are_integers(neutral, initial):
        return fitting(initial, element_dtype(neutral))
    return element_dtype(neutral).type(initial)


@static
def is_given(initial: Any) -> bool:
    """True if an `initial` number is passed, not None."""
    return is_number(initial) or isinstance(initial, types.Dated)


@static
def is_time(argument: Any) -> bool:
    """True if an argument is a time or a duration."""
    return isinstance(argument, types.Dated)


@static
def are_integers(*given: Any) -> bool:
    """True if all arguments are integers."""
    return all(map(types.is_integral, given))


@static
def _neutral(function: Any, dtype: Any) -> Any:
    """The identity of a ufunc, or zero if it has none."""
    identity = function.value.identity
    return np.array(0 if identity is None else identity).astype(dtype.value)[()]


# --- blocks: all elements as one --------------------------------------------------------------


@private
def _of_block(function, block, start, mask, dtype, first):
    """Reduce all elements; `first` says that the first element is the initial value."""
    if isinstance(mask, np.ndarray):
        return _of_selected(function, block, start, mask)
    if not first:
        return combine_all(function, start, block, dtype)
    if block.size == 0:
        raise ValueError(_nothing(function))
    if block.ndim == 1:
        return fold(function, block[0], block[1:])
    runs = in_memory_order(block)
    line = line_at(runs, 0)
    result = fold(function, line[0], line[1:])
    for k in range(1, runs.size // len(line)):
        result = fold(function, result, line_at(runs, k))
    return result


@private
def _of_selected(function, block, total, mask):
    if in_same_order(block, mask):
        runs, flags = in_memory_order(block), in_memory_order(mask)
        for k in range(line_count(runs)):
            total = fold_where(function, total, line_at(runs, k), line_at(flags, k))
    else:
        for k in range(line_count(block)):
            total = fold_where(function, total, line_at(block, k), line_at(mask, k))
    return total


@static
def _nothing(function: Any) -> str:
    return nothing_to_reduce(function.value.__name__)


@private
def _require_some(function, is_empty):
    if is_empty:
        raise ValueError(_nothing(function))


# --- along one axis ---------------------------------------------------------------------------


@private
def _along(function, a, axis, start, dtype, first):
    """Reduce lines along one of several axes."""
    count = a.shape[axis_of(a, axis)]
    if first and count == 0:
        raise ValueError(_nothing(function))
    if _is_by_lines(function, dtype) or is_innermost(a, axis):
        lines = lines_along(a, axis)
        out = np.empty(lines.shape[:-1], dtype)
        for k in range(out.size):
            line = line_at(lines, k)
            if first:
                out.flat[k] = fold(function, line[0], line[1:])
            elif line.dtype == dtype:
                out.flat[k] = fold(function, start, line)
            else:
                out.flat[k] = combine_all(function, start, line, dtype)
        return out
    if not _mixes(a, dtype):
        return _along(function, of_dtype(a, dtype), axis, start, dtype, first)
    layers = layers_along(a, axis)
    out = np.empty(layers.shape[1:], dtype)
    out[...] = layers[0] if first else start
    for k in range(int(first), count):
        combine_into(function, out, out, layers[k])
    return out


@static
def _is_by_lines(function: Any, dtype: Any) -> bool:
    """True if lines are folded along any axis, because a call per pair of numbers is slower."""
    return dtype.value.kind == "c" and function.value in (np.minimum, np.maximum)


@static
def _mixes(a: Array, dtype: Any) -> bool:
    """True if the ufunc computes in `dtype` with one operand of it and one of `a`'s dtype."""
    return np.result_type(types.to_dtype(a.dtype), dtype.value) == dtype.value


# --- along several axes, or with a mask -------------------------------------------------------


@private
def _combine_layers(function, out, a, mask, axes, kept, first):
    """Combine the results with one layer of elements after the other."""
    rest, count = with_front_behind(a, kept), 1
    for k in range(len(axes)):
        count *= rest.shape[k]
    if isinstance(mask, np.ndarray):
        flags = with_front_behind(mask, kept)
        for k in range(count):
            layer, chosen = block_at(rest, k, kept), block_at(flags, k, kept)
            function(out, layer, out=out, where=chosen)
        return
    for k in range(count):
        if first and k == 0:
            out[...] = block_at(rest, 0, kept)
        else:
            combine_into(function, out, out, block_at(rest, k, kept))


@private
def _first_sizes(shape, kept):
    """The leading sizes of a shape, as many as `kept` has items."""
    sizes, k = (), 0
    for _ in literal_unroll(kept):
        sizes = (*sizes, shape[k])
        k += 1
    return sizes


@private
def _along_last(function, a, axes, kept, start, mask, dtype, first):
    """Reduce elements along the last axes; `kept` has an item for each other axis."""
    out = np.empty(_first_sizes(a.shape, kept), dtype)
    if out.size == 0:
        for k in range(len(kept), a.ndim):
            _require_some(function, first and a.shape[k] == 0)
        return out
    _require_some(function, first and a.size == 0)
    if lies_inside(a, axes):
        line = out.ravel()
        for k in range(out.size):
            block = block_at(a, k, axes)
            part = block_at(mask, k, axes) if isinstance(mask, np.ndarray) else mask
            if first or isinstance(mask, np.ndarray) or a.dtype != dtype:
                line[k] = _of_block(function, block, start, part, dtype, first)
            else:
                line[k] = fold_lines(function, start, block)
        return out
    if not first:
        out[...] = start
    _combine_layers(function, out, of_dtype(a, dtype), mask, axes, kept, first)
    return out


# --- the mask ---------------------------------------------------------------------------------


@private
def mask_over(where, a):
    """The mask, broadcast to every element of the array."""
    if not isinstance(where, np.ndarray):
        return spread(np.asarray(where), a.shape)
    shape = merged(a.shape, where.shape)
    unlike = (
        "operands could not be broadcast together with remapped shapes [original->remapped]: {} {} "
    )
    require(is_merged(shape), unlike, (a.shape, where.shape))
    larger = "non-broadcastable operand with shape {} doesn't match the broadcast shape {}"
    require(shape == a.shape, larger, (a.shape, shape))
    return spread(where, a.shape)


def _check_mask(function: Any, where: Any, begins: bool, ndim: int) -> None:
    element = where.dtype if isinstance(where, Array) else where
    if element is not types.boolean:
        dtype = types.to_dtype(element)
        raise TypingError(
            f"Cannot cast array data from {dtype!r} to dtype('bool') according to the rule 'safe'",
            hint="write where=mask != 0",
        )
    if isinstance(where, Array) and where.ndim > ndim:
        raise TypingError(
            "input operand has more dimensions than allowed by the axis remapping",
            hint="a mask has as many axes as the array at most",
        )
    if not begins:
        raise TypingError(
            f"reduction operation '{function.__name__}' does not have an identity, so to use a"
            " where mask one has to specify 'initial'",
            hint="pass what the result is where the mask leaves nothing: initial=...",
        )


# --- calls ------------------------------------------------------------------------------------


def _count_of_axes(array: Array, axis: Any) -> int:
    """The number of reduced axes."""
    return array.ndim if left_out(axis) else len(axis.items) if isinstance(axis, Tuple) else 1


@static
def _kept_axes(array: Array, axis: Any) -> tuple[int, ...]:
    """A tuple with one item for each axis that is not reduced."""
    return (0,) * max(array.ndim - _count_of_axes(array, axis), 0)


@static
def _is_too_many(array: Array, axis: Any) -> bool:
    return _count_of_axes(array, axis) > max(array.ndim, 1)


@static
def _is_taken(function: Any, array: Array, dtype: Any, where: Any, first: Any) -> bool:
    """True if elements are combined without a prior conversion of the array."""
    own, target = types.to_dtype(array.dtype), dtype.value
    if own == target:
        return True
    if first.literal_value or not is_everywhere(where):
        return False
    adds = function.value is np.add and target.kind in "fc" and own.kind != "c"
    return adds or (own.kind + target.kind in ("bi", "bu", "ii", "uu") and _mixes(array, dtype))


@private
def _combined(function, array, axis, start, where, dtype, first):
    """Reduce elements along axes; `first` says that the first element is the initial value."""
    if not _is_taken(function, array, dtype, where, first):
        converted = np.asarray(of_dtype(array, dtype))  # without axes the result is a number
        return _combined(function, converted, axis, start, where, dtype, first)
    a = array
    if is_everywhere(where) and not isinstance(axis, tuple):
        if axis is not None:
            if a.ndim > 1:
                return _along(function, a, axis, start, dtype, first)
            require_any_axis(a, axis)
        if not first and a.ndim > 0:
            return combine_all(function, start, a, dtype)
        return _of_block(function, a.reshape(1) if a.ndim == 0 else a, start, True, dtype, first)
    if a.ndim == 0:
        if axis is not None:
            require_any_axis(a, axis[0] if isinstance(axis, tuple) else axis)
        line = a.reshape(1)
        return _of_block(function, line, start, mask_over(where, line), dtype, first)
    axes, kept = tuple_of_axes(array, axis), _kept_axes(array, axis)
    require_distinct(axes)
    mask = where if is_everywhere(where) else order_of_axes(mask_over(where, array), a, axes)
    ordered = order_of_axes(a, a, axes)
    if len(kept) == 0:
        return _of_block(function, ordered, start, mask, dtype, first)
    return _along_last(function, ordered, axes, kept, start, mask, dtype, first)


@static
def _is_first(  # noqa: PLR0913  all that a call says
    ufunc: Any, array: Any, axis: Any, out: Any, keepdims: Any, initial: Any, where: Any, dtype: Any
) -> bool:
    """True if the first element is the initial value; calls that are not compiled are refused."""
    function, kind = ufunc.value, dtype.value.kind
    if (isinstance(array.dtype, Complex) and kind not in "cb") or (
        isinstance(initial, Complex) and kind != "c"
    ):  # imaginary parts would be lost
        raise TypingError("complex numbers are not reduced to real ones", hint="take the real part")
    first = function.identity is None or initial is types.none
    if is_given(initial) and not is_array(array) and initial is not array.dtype:
        raise TypingError(
            f"a reduction of {array.dtype} begins with one, not with {initial}",
            hint="convert the number that it begins with to the unit of the array",
        )
    if _count_of_axes(array, axis) > 1 and not is_reorderable(function):
        raise TypingError(
            f"reduction operation '{function.__name__}' is not reorderable, so at most one axis"
            " may be specified",
            hint="reduce one axis after the other",
        )
    if not is_everywhere(where):
        _check_mask(function, where, is_given(initial) or not first, array.ndim)
    if not left_out(out):
        check_out(function, out, left_over(array, axis, keepdims))
    return first and not is_given(initial)


def _register(function: Any) -> None:
    @ufunc_body(function, "reduce")
    def reduce(  # noqa: PLR0913  NumPy's parameters
        array: Combined,
        axis: Axes = 0,
        dtype: Dtype = None,
        out: CombinedOrNone = None,
        keepdims: Flag = False,
        initial: Initial = ...,
        where: Mask = True,
    ):
        computed = method_dtype(function, "reduce", array, dtype, out)
        first = _is_first(function, array, axis, out, keepdims, initial, where, computed)
        if _is_too_many(array, axis):
            require_distinct(tuple_of_axes(array, axis))  # raises for axes out of range or repeated
        start = _neutral(function, computed)
        if is_given(initial):
            start = begin(initial, start)
        result = _combined(function, array, axis, start, where, computed, first)
        if keepdims:
            result = in_shape(result, shape_with_ones(array, axis))
        return result if out is None else stored(out, result)


METHODS = {"reduce": _register}

for _row in BY_UFUNC.values():  # registered first: their calls need no implementation
    ufunc_reduces(_row)
for _function in UFUNCS:
    _register(_function)
