"""Reductions by ufuncs: `np.add.reduce` and those of the others, with every argument.

Elements are combined in NumPy's order.  Where the axis with the smallest step is reduced, each
result is made of whole lines, else one layer after the other is added to all results.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from cutaway.errors import TypingError
from cutaway.extending.bodies import static
from cutaway.foundation.element_functions import ufunc_half
from cutaway.foundation.marks import literal_unroll
from cutaway.ir.reductions import nothing_to_reduce
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
    with_axes_behind,
    with_front_behind,
)
from cutaway.library.arrays.kit.dtypes import element_dtype
from cutaway.library.arrays.kit.folding import add_where, combine_into, fold, fold_where
from cutaway.library.arrays.kit.lines import in_memory_order, line_at, line_count
from cutaway.library.arrays.kit.several_axes import (
    check_out,
    in_shape,
    left_over,
    shape_with_ones,
    stored,
)
from cutaway.library.arrays.kit.shapes import is_merged, merged, require, spread
from cutaway.library.arrays.kit.sums import buffer_sizes, buffered_sum
from cutaway.library.arrays.kit.takes import Axes, Dtype, Flag, Initial, Mask
from cutaway.library.arrays.kit.typers import (
    flag,
    is_array,
    is_everywhere,
    is_number,
    left_out,
    private,
)
from cutaway.library.math.number_classes import fitting
from cutaway.typing import types
from cutaway.typing.types import Array, Complex, Tuple

# Functions of NumPy that do the same with all elements.
PLAIN = {
    np.add: np.sum,
    np.multiply: np.prod,
    np.logical_or: np.any,
    np.logical_and: np.all,
}


@cache
def is_reorderable(function: Any) -> bool:
    """True if NumPy lets a ufunc reduce several axes at once."""
    if function.identity is not None:
        return True
    half = ufunc_half(function)
    asked = function if half is None else half.ufunc  # which gains no loop by this
    letter = asked.types[0][0]
    try:
        asked.reduce(np.ones((1, 1), letter), axis=(0, 1))
    except (ValueError, TypeError):
        return False
    return True


# --- what a reduction begins with -------------------------------------------------------------


@private
def begin(initial, neutral):
    """The number that a reduction begins with: one that is passed, or the neutral one."""
    if not is_given(initial):
        return neutral
    if is_time(neutral):
        return initial
    if isinstance(neutral, bool):
        return initial != 0
    if are_integers(neutral, initial):
        return fitting(initial, element_dtype(neutral))
    return element_dtype(neutral).type(initial)


@static
def is_given(initial: Any) -> bool:
    """True if a number is passed that a reduction begins with: neither None nor nothing."""
    return is_number(initial) or isinstance(initial, types.DateTime | types.TimeDelta)


@static
def is_time(argument: Any) -> bool:
    """True if an argument is a time or a duration."""
    return isinstance(argument, types.DateTime | types.TimeDelta)


@static
def are_integers(*given: Any) -> bool:
    """True if all arguments are integers."""
    return all(map(types.is_integral, given))


@static
def _neutral(function: Any, dtype: Any) -> Any:
    """The number to begin with, if a ufunc has one; else any."""
    identity = function.value.identity
    return np.array(0 if identity is None else identity).astype(dtype.value)[()]


# --- lines and blocks -------------------------------------------------------------------------


@static
def _adds_floats(function: Any, dtype: Any) -> bool:
    """True for sums of floats, but float16, whose sum is rounded after each run."""
    kind = dtype.value
    return function.value is np.add and kind.kind in "fc" and kind != np.float16


@private
def _combine(function, total, block, mask, dtype):
    """Combine a total with the elements of a block, in the order of memory."""
    if isinstance(mask, np.ndarray):
        return _combine_masked(function, total, block, mask, dtype)
    runs = in_memory_order(block)
    if block.dtype != dtype:
        return _add_converted(total, runs, dtype)
    for k in range(line_count(runs)):
        total = fold(function, total, line_at(runs, k))
    return total


@private
def _add_converted(total, runs, dtype):
    """Add elements that are converted, as many at a time as NumPy does."""
    size, outer = buffer_sizes(runs, True)
    buffer = np.empty(size, dtype)
    if runs.shape[-1] != runs.size:
        return buffered_sum(runs, buffer, outer, total)
    line = line_at(runs, 0)
    for start in range(0, len(line), max(size, 1)):
        part = line[start : start + size]
        buffer[: len(part)] = part
        total = fold(np.add, total, buffer[: len(part)])
    return total


@private
def _combine_masked(function, total, block, mask, dtype):
    if in_same_order(block, mask):
        runs, flags = in_memory_order(block), in_memory_order(mask)
        for k in range(line_count(runs)):
            total = _combine_line(function, total, line_at(runs, k), line_at(flags, k), dtype)
    else:
        for k in range(line_count(block)):
            total = _combine_line(function, total, line_at(block, k), line_at(mask, k), dtype)
    return total


@private
def _combine_line(function, total, line, mask, dtype):
    if _adds_floats(function, dtype):
        return add_where(total, line, mask)
    return fold_where(function, total, line, mask)


@private
def _combine_first(function, block):
    """Combine the elements of a block, which has one at least."""
    runs = in_memory_order(block)
    line = line_at(runs, 0)
    result = fold(function, line[0], line[1:])
    for k in range(1, line_count(runs)):
        result = fold(function, result, line_at(runs, k))
    return result


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


@static
def _no_identity(function: Any) -> str:
    return nothing_to_reduce(function.value.__name__)


@private
def _require_some(function, is_empty):
    if is_empty:
        raise ValueError(_no_identity(function))


@private
def _reduce_whole(function, a, initial, mask, dtype, first):
    """Reduce all elements; with `first` nothing comes before the first one."""
    if first and not isinstance(mask, np.ndarray):
        _require_some(function, a.size == 0)
        return _combine_first(function, a)
    return _combine(function, begin(initial, _neutral(function, dtype)), a, mask, dtype)


@private
def _first_sizes(shape, kept):
    """The first sizes of a shape, as many as another tuple has items."""
    sizes, k = (), 0
    for _ in literal_unroll(kept):
        sizes = (*sizes, shape[k])
        k += 1
    return sizes


@private
def _reduce_along(function, a, axes, kept, initial, mask, dtype, first):
    """Reduce elements along the last axes; `kept` has an item for each of the others."""
    out = np.empty(_first_sizes(a.shape, kept), dtype)
    if out.size == 0:
        for k in range(len(kept), a.ndim):
            _require_some(function, first and a.shape[k] == 0)
        return out
    _require_some(function, first and a.size == 0)
    if lies_inside(a, axes):
        line = out.ravel()
        for k in range(out.size):
            part = block_at(mask, k, axes) if isinstance(mask, np.ndarray) else mask
            line[k] = _reduce_whole(function, block_at(a, k, axes), initial, part, dtype, first)
        return out
    if not first:
        out[...] = begin(initial, _neutral(function, dtype))
    _combine_layers(function, out, of_dtype(a, dtype), mask, axes, kept, first)
    return out


# --- the mask ---------------------------------------------------------------------------------


@private
def mask_over(where, a):
    """A mask for each element of an array."""
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
    """How many axes are reduced."""
    return array.ndim if left_out(axis) else len(axis.items) if isinstance(axis, Tuple) else 1


@private
def _require_axis(array, axis):
    if isinstance(axis, tuple):
        axis_of(array, axis[0])  # there is none
    elif axis is not None:
        require_any_axis(array, axis)


@static
def _kept_axes(array: Array, axis: Any) -> tuple[int, ...]:
    """An item for each axis that is not reduced."""
    return (0,) * max(array.ndim - _count_of_axes(array, axis), 0)


@static
def _is_too_many(array: Array, axis: Any) -> bool:
    return _count_of_axes(array, axis) > max(array.ndim, 1)


@static
def _is_whole(array: Array, axis: Any) -> bool:
    """True if numbers are reduced along the only axis, or along all by None."""
    return is_array(array) and not isinstance(axis, Tuple) and not _kept_axes(array, axis)


@static
def _converts(function: Any, array: Array, dtype: Any, where: Any, first: Any) -> bool:
    """True if elements are converted while they are added."""
    own, adds = types.to_dtype(array.dtype), function.value is np.add and dtype.value.kind in "fc"
    whole = is_everywhere(where) and own.kind != "c" and not flag(first)
    return adds and own != dtype.value and whole


@private
def _reduced(function, array, axis, initial, where, dtype, first):
    """Reduce elements along axes; with `first` nothing comes before the first element."""
    a = array if _converts(function, array, dtype, where, first) else of_dtype(array, dtype)
    if array.ndim == 0:
        _require_axis(array, axis)
        one = a.reshape(1)
        if is_everywhere(where):
            return _reduce_whole(function, one, initial, where, dtype, first)
        return _reduce_whole(function, one, initial, mask_over(where, one), dtype, first)
    axes, kept = tuple_of_axes(array, axis), _kept_axes(array, axis)
    require_distinct(axes)
    if is_everywhere(where):
        ordered = with_axes_behind(a, axes)
        if len(kept) == 0:
            return _reduce_whole(function, ordered, initial, where, dtype, first)
        return _reduce_along(function, ordered, axes, kept, initial, where, dtype, first)
    mask = order_of_axes(mask_over(where, array), a, axes)
    ordered = order_of_axes(a, a, axes)
    if len(kept) == 0:
        return _reduce_whole(function, ordered, initial, mask, dtype, first)
    return _reduce_along(function, ordered, axes, kept, initial, mask, dtype, first)


def _checker(function: Any) -> Any:
    """The question whether a call of `reduce` is compiled, which refuses all others."""

    @static
    def check(array: Any, axis: Any, out: Any, keepdims: Any, initial: Any, where: Any) -> bool:
        """True where nothing comes before the first element."""
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

    return check


@static
def _check_parts(array: Any, initial: Any, dtype: Any) -> None:
    """Refuse complex numbers that would lose their imaginary parts."""
    kind = dtype.value.kind
    loses = isinstance(array.dtype, Complex) and kind not in "cb"
    if loses or (isinstance(initial, Complex) and kind != "c"):
        raise TypingError("complex numbers are not reduced to real ones", hint="take the real part")


def _register(function: Any) -> None:
    plain = PLAIN.get(function)
    has_plain = plain is not None
    computed_of, check = method_dtype(function, "reduce"), _checker(function)

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
        computed = computed_of(array, dtype, out)
        _check_parts(array, initial, computed)
        first = check(array, axis, out, keepdims, initial, where)
        if has_plain and dtype is None and out is None and not keepdims and is_everywhere(where):
            if is_default(initial) and _is_whole(array, axis):
                return plain(array, axis)
        if _is_too_many(array, axis):
            require_distinct(tuple_of_axes(array, axis))  # one is no axis, or there twice
            return _reduced(function, array, None, initial, where, computed, first)
        result = _reduced(function, array, axis, initial, where, computed, first)
        if keepdims:
            return stored(out, in_shape(result, shape_with_ones(array, axis)))
        return stored(out, result)


@static
def is_default(initial: Any) -> bool:
    """True if nothing is said about what a reduction begins with, which None is."""
    return initial is not types.none and not is_given(initial)


METHODS = {"reduce": _register}

for _function in UFUNCS:
    _register(_function)
