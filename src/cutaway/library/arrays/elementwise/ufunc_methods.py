"""Methods of ufuncs: `np.add.reduce accumulate reduceat outer at` and those of the others.

What a method computes with is asked of NumPy.  A line of elements is combined by `kit/folding.py`;
reductions that have a function of their own in NumPy (`np.sum` is `np.add.reduce`) are done by it.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from cutaway.errors import TypingError
from cutaway.extending.overloads import overload
from cutaway.foundation.element_functions import ufunc_half
from cutaway.library.arrays.kit.axes import axis_of
from cutaway.library.arrays.kit.dtypes import dtype_of, require_safe_places
from cutaway.library.arrays.kit.folding import accumulate_line, combine_into, fold
from cutaway.library.arrays.kit.lines import (
    is_innermost,
    layers_along,
    line_at,
    line_count,
    lines_along,
)
from cutaway.library.arrays.kit.several_axes import check_out, store_result
from cutaway.library.arrays.kit.shapes import replaced, strided
from cutaway.library.arrays.kit.typers import (
    OPTIONS,
    are_elements,
    dimensions,
    element,
    is_array,
    is_everywhere,
    is_integral,
    is_shape,
    left_out,
    private,
)
from cutaway.typing import types
from cutaway.typing.types import Array, Type

UFUNCS = list(
    dict.fromkeys(
        function
        for function in vars(np).values()
        if isinstance(function, np.ufunc) and function.signature is None
    )
)


_LINE = "np.atleast_1d(a) has an axis"
_BINARY = "it is a method of np.add and of other ufuncs of two operands and one result"


def ufunc_method(function: Any, name: str) -> Any:
    return overload(getattr(function, name), jit_options=OPTIONS)


@cache
def combined_dtype(
    function: Any, element: Type, dtype: Type | None = None, out: Type | None = None
) -> np.dtype[Any] | None:
    """The dtype in which a ufunc combines elements of a type with one another, where another may be
    asked for; None where that is not compiled.

    Raises TypingError, in NumPy's words, where NumPy has no loop for them.
    """
    options: dict[str, Any] = {}
    half, own = ufunc_half(function), types.to_dtype(element if dtype is None else dtype)
    if half is not None:
        half.gain_loop((own,) * half.nin)  # as a call in Python does
    if dtype is not None:
        options["signature"] = (types.to_dtype(dtype), None, None)
    given = (None if out is None else types.to_dtype(out), types.to_dtype(element), None)
    try:
        found = function.resolve_dtypes(given, casting="unsafe", reduction=True, **options)
    except TypeError as error:
        raise TypingError(str(error)) from None
    same = len(set(found)) == 1 and types.element_type(found[0]) is not None
    return found[0] if same else None


def computed_dtype(
    function: Any, method: str, array: Any, dtype: Any, out: Any = None
) -> np.dtype[Any] | None:
    """The dtype that a method computes with; None where the call is not compiled."""
    if function.nin != 2:
        raise TypingError(f"{method} only supported for binary functions", hint=_BINARY)
    if function.nout != 1:
        raise TypingError(
            f"{method} only supported for functions returning a single value", hint=_BINARY
        )
    if not is_combined(array) or not (left_out(out) or is_combined(out)):
        return None
    wanted = None
    if not left_out(dtype):
        wanted = dtype_of(dtype, types.float64)
        if wanted is None or not types.is_number(wanted):
            return None
    return combined_dtype(function, array.dtype, wanted, None if left_out(out) else out.dtype)


def of_dtype(a, dtype):
    """The array, or one of the same shape with its elements as another dtype."""
    return a.astype(dtype)


@overload(of_dtype, jit_options=OPTIONS)
def _of_dtype(a, dtype):
    if dtype.value == types.to_dtype(a.dtype):
        return lambda a, dtype: a
    if dtype.value.kind == "b":
        return lambda a, dtype: np.not_equal(a, 0)
    return lambda a, dtype: a.astype(dtype)


# --- accumulate -------------------------------------------------------------------------------


def _register_accumulate(function: Any) -> None:
    @private
    def accumulate_lines(out, a, axis):
        if is_innermost(a, axis):
            source, target = lines_along(a, axis), lines_along(out, axis)
            for k in range(line_count(source)):
                accumulate_line(function, line_at(target, k), line_at(source, k))
            return
        layers, results = layers_along(a, axis), layers_along(out, axis)
        for k in range(len(layers)):
            if k == 0:
                results[0] = layers[0]
            else:
                combine_into(function, results[k], results[k - 1], layers[k])

    @ufunc_method(function, "accumulate")
    def accumulate(array, axis=0, dtype=None, out=None):
        computed = computed_dtype(function, "accumulate", array, dtype, out)
        if computed is None or not is_axis(axis):
            return None
        if array.ndim == 0:
            raise TypingError("cannot accumulate on a scalar", hint=_LINE)
        if not left_out(out):
            check_out(function, out, array.ndim)

        def of_line(array, axis=0, dtype=None, out=None):
            axis_of(array, axis)
            result = np.empty(array.shape, computed)
            accumulate_line(function, result, of_dtype(array, computed))
            return result

        def of_lines(array, axis=0, dtype=None, out=None):
            place = axis_of(array, axis)
            result = np.empty(array.shape, computed)
            if array.size:
                accumulate_lines(result, of_dtype(array, computed), place)
            return result

        def stored(array, axis=0, dtype=None, out=None):
            result = function.accumulate(array, axis, computed)
            store_result(out, result)
            return out

        if not left_out(out):
            return stored
        return of_line if array.ndim == 1 else of_lines


def is_axis(axis: Any) -> bool:
    if isinstance(axis, Type) and not isinstance(axis, types.Omitted) and not is_integral(axis):
        raise TypingError(f"an axis is an integer, not {axis}", hint="use int(...)")
    return True


# --- reduceat ---------------------------------------------------------------------------------


def _register_reduceat(function: Any) -> None:
    name = function.__name__

    @private
    def reduce_parts(out, line, places):
        count = len(places)
        for k in range(count):
            start = places[k]
            stop = places[k + 1] if k + 1 < count else len(line)
            total = line[start]
            out[k] = fold(function, total, line[start + 1 : stop]) if stop > start + 1 else total

    @private
    def check_places(places, size):
        for place in places:
            if not 0 <= place < size:
                raise IndexError(f"index {place} out-of-bounds in {name}.reduceat [0, {size})")

    @ufunc_method(function, "reduceat")
    def reduceat(array, indices, axis=0, dtype=None, out=None):
        computed = computed_dtype(function, "reduceat", array, dtype, out)
        if computed is None or not is_axis(axis):
            return None
        if array.ndim == 0:
            raise TypingError("cannot reduceat on a scalar", hint=_LINE)
        if is_shape(indices):
            return lambda array, indices, axis=0, dtype=None, out=None: function.reduceat(
                array, np.array(indices), axis, dtype, out
            )
        if not is_array(indices) or not is_integral(indices.dtype) or indices.ndim != 1:
            return None
        require_safe_places(indices)
        if not left_out(out):
            check_out(function, out, array.ndim)

        def of_lines(array, indices, axis=0, dtype=None, out=None):
            place = axis_of(array, axis)
            places = indices.astype(np.int64)
            check_places(places, array.shape[place])
            result = np.empty(replaced(array.shape, place, len(places)), computed)
            source = lines_along(of_dtype(array, computed), place)
            target = lines_along(result, place)
            for k in range(line_count(source)):
                reduce_parts(line_at(target, k), line_at(source, k), places)
            return result

        def stored(array, indices, axis=0, dtype=None, out=None):
            store_result(out, function.reduceat(array, indices, axis, computed))
            return out

        return of_lines if left_out(out) else stored


# --- outer ------------------------------------------------------------------------------------


def with_axes(x, ones, zeros):
    """A view of an array with more axes of one element behind the others."""
    x = np.asarray(x)
    return strided(x, x.shape + ones, x.strides + zeros)


@overload(with_axes, jit_options=OPTIONS)
def _with_axes(x, ones, zeros):
    if not isinstance(x, Array):
        return lambda x, ones, zeros: with_axes(np.asarray(x), ones, zeros)
    if not ones.items:
        return lambda x, ones, zeros: x
    return lambda x, ones, zeros: strided(x, x.shape + ones, x.strides + zeros)


def _register_outer(function: Any) -> None:
    @ufunc_method(function, "outer")
    def outer(A, B, out=None, where=True, dtype=None, casting=None, order=None):  # noqa: N803, PLR0913  NumPy's names
        if function.nin != 2:
            raise TypingError("outer product only supported for binary functions", hint=_BINARY)
        if not all(map(is_operand, (A, B))):
            return None
        ones, zeros = (1,) * dimensions(B), (0,) * dimensions(B)
        plain = all(map(left_out, (out, dtype, casting, order)))

        def outer(A, B, out=None, where=True, dtype=None, casting=None, order=None):  # noqa: N803, PLR0913
            return function(with_axes(A, ones, zeros), np.asarray(B))

        def told(A, B, out=None, where=True, dtype=None, casting=None, order=None):  # noqa: N803, PLR0913
            return function(
                with_axes(A, ones, zeros),
                np.asarray(B),
                out=out,
                dtype=dtype,
                casting=casting,
                order=order,
            )

        def masked(A, B, out=None, where=True, dtype=None, casting=None, order=None):  # noqa: N803, PLR0913
            return function(
                with_axes(A, ones, zeros),
                np.asarray(B),
                out=out,
                where=where,
                dtype=dtype,
                casting=casting,
                order=order,
            )

        if not is_everywhere(where):
            return masked
        return outer if plain else told


def is_operand(ty: Any) -> bool:
    """True for a number or time, and for arrays of them."""
    return are_elements(ty) or isinstance(element(ty), types.DateTime | types.TimeDelta)


def is_combined(array: Any) -> bool:
    """True for an array of numbers or times."""
    return isinstance(array, Array) and is_operand(array)


METHODS = {
    "accumulate": _register_accumulate,
    "reduceat": _register_reduceat,
    "outer": _register_outer,
}


for _function in UFUNCS:
    for _register in METHODS.values():
        _register(_function)
