"""Methods of ufuncs: `np.add.reduce accumulate reduceat outer at` and those of the others.

NumPy is asked for the dtypes of the loop. `kit/folding.py` combines a line of elements; a reduction
that has its own NumPy function (`np.sum` is `np.add.reduce`) is compiled as that.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from cutaway.errors import TypingError
from cutaway.extending.bodies import Takes, body, refuse, static
from cutaway.foundation.element_functions import ufunc_half
from cutaway.library.arrays.kit.axes import axis_of
from cutaway.library.arrays.kit.dtypes import dtype_of, require_safe_places
from cutaway.library.arrays.kit.folding import accumulate_line, combine_into, fold, takes_elements
from cutaway.library.arrays.kit.lines import (
    is_innermost,
    layers_along,
    line_at,
    line_count,
    lines_along,
)
from cutaway.library.arrays.kit.several_axes import stored
from cutaway.library.arrays.kit.shapes import replaced, strided
from cutaway.library.arrays.kit.takes import Dtype, Integer, is_several
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


_NUMBERS = "convert the array, or ask for another dtype"

Combinable = Takes("a number or a time, or an array of such", lambda ty: is_operand(ty))
CombinableOrNone = Takes(
    "a number or a time, an array of such, or None", lambda ty: left_out(ty) or is_operand(ty)
)
Combined = Takes("an array of numbers or times", lambda ty: is_combined(ty))
CombinedOrNone = Takes(
    "an array of numbers or times, or None", lambda ty: left_out(ty) or is_combined(ty)
)
Indices = Takes(
    "an array or a tuple of integers",
    lambda ty: is_shape(ty) or (is_array(ty) and is_integral(ty.dtype)),
)


def ufunc_body(function: Any, name: str) -> Any:
    """Register a body for a ufunc's method."""
    return body(getattr(function, name), **OPTIONS)


@cache
def combined_dtype(
    function: Any, element: Type, dtype: Type | None = None, out: Type | None = None
) -> np.dtype[Any] | None:
    """The dtype in which a ufunc combines elements of a type, or the `dtype` asked for; None if
    that is not compiled.

    Raises TypingError, in NumPy's words, where NumPy has no loop for them.
    """
    options: dict[str, Any] = {}
    half, own = ufunc_half(function), types.to_dtype(element if dtype is None else dtype)
    if half is not None:
        half.gain_loop((own,) * half.nin)  # as a call from Python does
    if dtype is not None:
        options["signature"] = (types.to_dtype(dtype), None, None)
    given = (None if out is None else types.to_dtype(out), types.to_dtype(element), None)
    try:
        dtypes = function.resolve_dtypes(given, casting="unsafe", reduction=True, **options)
    except TypeError as error:
        raise TypingError(str(error)) from None
    same = len(set(dtypes)) == 1 and types.element_type(dtypes[0]) is not None
    return dtypes[0] if same else None


@static
def method_dtype(function: Any, method: Any, array: Any, dtype: Any, out: Any) -> np.dtype[Any]:
    """The dtype that a ufunc's method computes in; calls that are not compiled are refused."""
    ufunc, name = function.value, method.value
    if ufunc.nin != 2:
        raise TypingError(f"{name} only supported for binary functions", hint=_BINARY)
    if ufunc.nout != 1:
        raise TypingError(
            f"{name} only supported for functions returning a single value", hint=_BINARY
        )
    requested = None if left_out(dtype) else dtype_of(dtype, types.float64)
    computed = None
    if left_out(dtype) or (requested is not None and types.is_number(requested)):
        given = None if left_out(out) else out.dtype
        computed = combined_dtype(ufunc, array.dtype, requested, given)
    if computed is None:
        raise TypingError(f"{name} of {array} is not compiled with these types", hint=_NUMBERS)
    return computed


@private
def of_dtype(a, dtype):
    """The array, or a copy with elements of another dtype."""
    if a.dtype == dtype:
        return a
    return np.not_equal(a, 0) if dtype.kind == "b" else a.astype(dtype)


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

    @ufunc_body(function, "accumulate")
    def accumulate(
        array: Combined, axis: Integer = 0, dtype: Dtype = None, out: CombinedOrNone = None
    ):
        computed = method_dtype(function, "accumulate", array, dtype, out)
        if array.ndim == 0:
            refuse("cannot accumulate on a scalar", _LINE)
        index, result = axis_of(array, axis), np.empty(array.shape, computed)
        a = array if takes_elements(function, array, computed) else of_dtype(array, computed)
        if array.ndim == 1:
            accumulate_line(function, result, a)
        elif array.size:
            accumulate_lines(result, a, index)
        return result if out is None else stored(out, result)


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

    @ufunc_body(function, "reduceat")
    def reduceat(
        array: Combined,
        indices: Indices,
        axis: Integer = 0,
        dtype: Dtype = None,
        out: CombinedOrNone = None,
    ):
        computed = method_dtype(function, "reduceat", array, dtype, out)
        if array.ndim == 0:
            refuse("cannot reduceat on a scalar", _LINE)
        if is_several(indices):
            return function.reduceat(array, np.array(indices), axis, dtype, out)
        if indices.ndim != 1:
            refuse("indices of parts are a line of integers", "indices.ravel()")
        require_safe_places(indices)
        index, starts = axis_of(array, axis), indices.astype(np.int64)
        check_places(starts, array.shape[index])
        result = np.empty(replaced(array.shape, index, len(starts)), computed)
        source = lines_along(of_dtype(array, computed), index)
        target = lines_along(result, index)
        for k in range(line_count(source)):
            reduce_parts(line_at(target, k), line_at(source, k), starts)
        return stored(out, result)


# --- outer ------------------------------------------------------------------------------------


@private
def with_axes(x, ones, zeros):
    """A view of an array, or of a number as an array, with trailing axes of length one."""
    if not isinstance(x, np.ndarray):
        return with_axes(np.asarray(x), ones, zeros)
    return strided(x, x.shape + ones, x.strides + zeros) if len(ones) else x


def _register_outer(function: Any) -> None:
    is_binary = function.nin == 2

    @ufunc_body(function, "outer")
    def outer(  # noqa: PLR0913  NumPy's parameters
        A: Combinable,  # noqa: N803
        B: Combinable,  # noqa: N803
        out=None,
        where=True,
        dtype=None,
        casting=None,
        order=None,
    ):
        if not is_binary:
            refuse("outer product only supported for binary functions", _BINARY)
        columns = with_axes(A, (1,) * dimensions(B), (0,) * dimensions(B))
        if is_everywhere(where):
            if out is None and dtype is None and casting is None and order is None:
                return function(columns, np.asarray(B))
            return function(
                columns, np.asarray(B), out=out, dtype=dtype, casting=casting, order=order
            )
        return function(
            columns, np.asarray(B), out=out, where=where, dtype=dtype, casting=casting, order=order
        )


def is_operand(ty: Any) -> bool:
    """True for numbers, times, and arrays of them."""
    return are_elements(ty) or isinstance(element(ty), types.Dated)


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
