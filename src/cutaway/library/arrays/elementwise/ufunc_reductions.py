"""Reductions by ufuncs: `np.add.reduce` and those of the others, with all that they may be told.

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
from cutaway.library.arrays.elementwise.ufunc_methods import (
    UFUNCS,
    computed_dtype,
    is_axis,
    of_dtype,
    ufunc_method,
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
    store_result,
)
from cutaway.library.arrays.kit.shapes import is_merged, merged, require, spread
from cutaway.library.arrays.kit.sums import buffer_sizes, buffered_sum
from cutaway.library.arrays.kit.typers import (
    flag,
    is_array,
    is_everywhere,
    is_number,
    is_shape,
    left_out,
    private,
)
from cutaway.library.math.weak_numbers import fitting
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
    """What a reduction begins with: a number that is given, or the neutral one."""
    if initial is None:
        return neutral
    if is_time(neutral):
        return initial
    if isinstance(neutral, bool):
        return initial != 0
    if are_integers(neutral, initial):
        return fitting(initial, element_dtype(neutral))
    return element_dtype(neutral).type(initial)


@static
def is_time(argument: Any) -> bool:
    """True if an argument is a time or a duration."""
    return isinstance(argument, types.DateTime | types.TimeDelta)


@static
def are_integers(*given: Any) -> bool:
    """True if all arguments are integers."""
    return all(map(types.is_integral, given))


# --- lines and blocks -------------------------------------------------------------------------


class Ways:
    """The implementations of one ufunc for one dtype, from a block of elements to an array."""

    def __init__(self, function: Any, dtype: np.dtype[Any]) -> None:
        self.function = function
        self.dtype = dtype
        name = function.__name__
        self.nothing = f"zero-size array to reduction operation {name} which has no identity"

    @property
    def neutral(self) -> Any:
        """The number to begin with, if the ufunc has one; else any."""
        identity = self.function.identity
        return np.array(0 if identity is None else identity).astype(self.dtype)[()]

    def block(self) -> Any:
        """Combines a total with the elements of a block."""
        function = self.function

        @private
        def of_block(total, block, mask):
            runs = in_memory_order(block)
            for k in range(line_count(runs)):
                total = fold(function, total, line_at(runs, k))
            return total

        return of_block

    def converted_block(self) -> Any:
        """The same of a sum of elements that are converted, as many at a time as NumPy does."""
        function, dtype = self.function, self.dtype

        @private
        def of_block(total, block, mask):
            runs = in_memory_order(block)
            size, outer = buffer_sizes(runs, True)
            buffer = np.empty(size, dtype)
            if runs.shape[-1] != runs.size:
                return buffered_sum(runs, buffer, outer, total)
            line = line_at(runs, 0)
            for start in range(0, len(line), max(size, 1)):
                part = line[start : start + size]
                buffer[: len(part)] = part
                total = fold(function, total, buffer[: len(part)])
            return total

        return of_block

    def masked_block(self) -> Any:
        """The same of the elements that a mask tells."""
        function = self.function
        # A sum of float16 is rounded after each run.
        adds = function is np.add and self.dtype.kind in "fc" and self.dtype != np.float16

        @private
        def of_line(total, line, mask):
            if adds:
                return add_where(total, line, mask)
            return fold_where(function, total, line, mask)

        @private
        def of_block(total, block, mask):
            if in_same_order(block, mask):
                runs, flags = in_memory_order(block), in_memory_order(mask)
                for k in range(line_count(runs)):
                    total = of_line(total, line_at(runs, k), line_at(flags, k))
            else:
                for k in range(line_count(block)):
                    total = of_line(total, line_at(block, k), line_at(mask, k))
            return total

        return of_block

    def first_block(self) -> Any:
        """Combines the elements of a block, which has one at least."""
        function = self.function

        @private
        def of_block(total, block, mask):
            runs = in_memory_order(block)
            line = line_at(runs, 0)
            result = fold(function, line[0], line[1:])
            for k in range(1, line_count(runs)):
                result = fold(function, result, line_at(runs, k))
            return result

        return of_block

    def layers(self, masked: bool, first: bool) -> Any:
        """Combines the results with one layer of elements after the other."""
        function = self.function

        @private
        def add_layers(out, a, mask, axes, kept):
            rest = with_front_behind(a, kept)
            count = 1
            for k in range(len(axes)):
                count *= rest.shape[k]
            if masked:
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

        return add_layers


def _reducer(
    function: Any,
    dtype: np.dtype[Any],
    outer: int,
    masked: bool,
    given: bool,
    converts: bool,
    is_first: bool,
) -> tuple[Any, Any]:
    """Reduces all elements, and those along some axes: of an array whose elements are of the dtype,
    or are converted while they are added.  `is_first` says that nothing comes before the first
    element, where no number is given."""
    ways = Ways(function, dtype)
    first = is_first and not given
    neutral, nothing = ways.neutral, ways.nothing
    if masked:
        of_block = ways.masked_block()
    elif converts:
        of_block = ways.converted_block()
    else:
        of_block = ways.first_block() if first else ways.block()
    add_layers = ways.layers(masked, first)

    @private
    def whole(a, initial, mask):
        if first and a.size == 0:
            raise ValueError(nothing)
        return of_block(begin(initial, neutral), a, mask)

    @private
    def along(a, axes, kept, initial, mask):
        out = np.empty(a.shape[:outer], dtype)
        if out.size == 0:
            for k in range(outer, a.ndim):
                if first and a.shape[k] == 0:
                    raise ValueError(nothing)
            return out
        if first and a.size == 0:
            raise ValueError(nothing)
        if lies_inside(a, axes):
            line = out.ravel()
            for k in range(out.size):
                part = block_at(mask, k, axes) if masked else mask
                line[k] = of_block(begin(initial, neutral), block_at(a, k, axes), part)
            return out
        if not first:
            out[...] = begin(initial, neutral)
        add_layers(out, of_dtype(a, dtype), mask, axes, kept)
        return out

    return whole, along


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


def _count_of_axes(array: Array, axis: Any) -> int | None:
    """How many axes are reduced; None where the axes are not."""
    if left_out(axis):
        return array.ndim
    if isinstance(axis, Tuple):
        return len(axis.items) if is_shape(axis) and axis.items else None
    return 1 if is_axis(axis) else None


def _is_initial(initial: Any, array: Array) -> bool:
    """True for what a reduction of an array can begin with."""
    if left_out(initial) or is_array(array):
        return left_out(initial) or is_number(initial)
    if initial is not array.dtype:
        raise TypingError(
            f"a reduction of {array.dtype} begins with one, not with {initial}",
            hint="convert the number that it begins with to the unit of the array",
        )
    return True


def _reduced(
    function: Any,
    array: Array,
    dtype: np.dtype[Any],
    count: int,
    masked: bool,
    given: bool,
    is_first: bool,
) -> Any:
    """The implementation of a reduction of so many axes."""
    own = types.to_dtype(array.dtype)
    adds_up = function is np.add and dtype.kind in "fc"
    converts = adds_up and own != dtype and not masked and own.kind != "c" and not is_first
    outer = max(array.ndim - count, 0)
    whole, along = _reducer(function, dtype, outer, masked, given, converts, is_first)
    kept = (0,) * outer

    @private
    def taken(array):
        return array if converts else of_dtype(array, dtype)

    def of_number(array, axis, initial, where):
        _require_axis(array, axis)
        one = taken(array).reshape(1)
        return whole(one, initial, mask_over(where, one))

    def of_all(array, axis, initial, where):
        axes = tuple_of_axes(array, axis)
        require_distinct(axes)
        a = taken(array)
        if masked:
            mask = order_of_axes(mask_over(where, array), a, axes)
            return whole(order_of_axes(a, a, axes), initial, mask)
        return whole(with_axes_behind(a, axes), initial, where)

    def of_some(array, axis, initial, where):
        axes = tuple_of_axes(array, axis)
        require_distinct(axes)
        a = taken(array)
        if masked:
            mask = order_of_axes(mask_over(where, array), a, axes)
            return along(order_of_axes(a, a, axes), axes, kept, initial, mask)
        return along(with_axes_behind(a, axes), axes, kept, initial, where)

    if array.ndim == 0:
        return private(of_number)
    return private(of_some if kept else of_all)


@private
def _require_axis(array, axis):
    if isinstance(axis, tuple):
        axis_of(array, axis[0])  # there is none
    elif axis is not None:
        require_any_axis(array, axis)


def reduce_by(  # noqa: PLR0913  NumPy's parameters
    function: Any,
    array: Any,
    axis: Any,
    dtype: Any,
    out: Any,
    keepdims: Any,
    initial: Any,
    where: Any,
) -> Any:
    """The implementation of a reduction by a ufunc, a function of `array axis initial where`; None
    where the call is not compiled."""
    computed = computed_dtype(function, "reduce", array, dtype, out)
    if computed is None or flag(keepdims) is None:
        return None
    count = _count_of_axes(array, axis)
    if count is None or not _is_initial(initial, array):
        return None
    if isinstance(initial, Complex) and computed.kind != "c":
        return None
    if isinstance(array.dtype, Complex) and computed.kind not in "cb":
        return None
    if count > 1 and not is_reorderable(function):
        raise TypingError(
            f"reduction operation '{function.__name__}' is not reorderable, so at most one axis may"
            " be specified",
            hint="reduce one axis after the other",
        )
    given, masked = not left_out(initial), not is_everywhere(where)
    is_first = function.identity is None or initial is types.none
    if masked:
        _check_mask(function, where, given or not is_first, array.ndim)
    if not left_out(out):
        check_out(function, out, left_over(array, axis, keepdims))
    fits = count <= max(array.ndim, 1)
    told = (computed, count if fits else array.ndim, masked, given, is_first)
    reduced = _reduced(function, array, *told)
    return reduced if fits else _too_many_axes(reduced)


def _too_many_axes(reduced: Any) -> Any:
    """What says that one of more axes than there are is no axis, or there twice."""

    def misfit(array, axis, initial, where):
        require_distinct(tuple_of_axes(array, axis))
        return reduced(array, None, initial, where)

    return private(misfit)


def _register(function: Any) -> None:
    plain = PLAIN.get(function)

    def of_axis(array, axis=0, dtype=None, out=None, keepdims=False, initial=None, where=True):
        return plain(array, axis)

    @ufunc_method(function, "reduce")
    def reduce(array, axis=0, dtype=None, out=None, keepdims=False, initial=None, where=True):  # noqa: PLR0913
        reduced = reduce_by(function, array, axis, dtype, out, keepdims, initial, where)
        if reduced is None:
            return None
        told = [left_out(dtype), left_out(out), not flag(keepdims), left_out(initial)]
        told.append(initial is not types.none)  # which is not the same as nothing
        whole = _count_of_axes(array, axis) == array.ndim and not isinstance(axis, Tuple)
        if plain and is_array(array) and all(told) and is_everywhere(where) and whole:
            return of_axis
        return implementation(reduced, not left_out(out), bool(flag(keepdims)))


def implementation(reduced: Any, into: bool, keeps: bool) -> Any:
    """The function with NumPy's parameters around a reduction."""

    def as_it_is(array, axis=0, dtype=None, out=None, keepdims=False, initial=None, where=True):
        return reduced(array, axis, initial, where)

    def kept(array, axis=0, dtype=None, out=None, keepdims=False, initial=None, where=True):
        return in_shape(reduced(array, axis, initial, where), shape_with_ones(array, axis))

    def stored(array, axis=0, dtype=None, out=None, keepdims=False, initial=None, where=True):
        result = reduced(array, axis, initial, where)
        if keeps:
            store_result(out, in_shape(result, shape_with_ones(array, axis)))
        else:
            store_result(out, np.asarray(result))
        return out

    if into:
        return stored
    return kept if keeps else as_it_is


METHODS = {"reduce": _register}

for _function in UFUNCS:
    _register(_function)
