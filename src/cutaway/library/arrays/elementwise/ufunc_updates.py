"""`np.add.at` and that of the other ufuncs: in-place updates of elements by indices.

Elements are updated one after the other, so a repeated index updates its element repeatedly.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

from cutaway.errors import TypingError
from cutaway.extending.bodies import static
from cutaway.foundation.element_functions import ufunc_half
from cutaway.library.arrays.elementwise.ufunc_methods import (
    UFUNCS,
    CombinableOrNone,
    Combined,
    ufunc_body,
)
from cutaway.library.arrays.kit.dtypes import element_dtype
from cutaway.library.arrays.kit.elements import item
from cutaway.library.arrays.kit.filling import apart
from cutaway.library.arrays.kit.places import checked_place, require_mask
from cutaway.library.arrays.kit.shapes import is_merged, merged, require, shape_of, spread
from cutaway.library.arrays.kit.typers import (
    dimensions,
    element,
    is_array,
    is_integral,
    left_out,
    private,
)
from cutaway.typing import types
from cutaway.typing.types import Array, Boolean, Tuple, Type

_OPERAND = "`at` takes the array, the indices, and an operand where the ufunc has two"
_MISFIT = "array is not broadcastable to correct shape"


@cache
def _loop(function: Any, array: Type, operand: Type | None) -> tuple[np.dtype[Any], ...] | None:
    """The dtypes that a ufunc computes with for elements of an array and of an operand; None if
    that is not compiled. Raises TypingError, in NumPy's words, if NumPy has no such loop."""
    own = types.to_dtype(array)
    given = (own, own) if operand is None else (own, types.to_dtype(operand), own)
    half = ufunc_half(function)
    if half is not None:
        half.gain_loop(given[: half.nin])  # as a call from Python does
    try:
        dtypes = function.resolve_dtypes(given, casting="unsafe")
    except TypeError as error:
        raise TypingError(str(error)) from None
    if _is_dated(dtypes):
        return None if dtypes[-1] != own else tuple(dtypes)
    if any(types.from_dtype(dtype) is None for dtype in dtypes):
        return None
    narrowed = any(dtype.kind == "c" for dtype in dtypes) and own.kind != "c"
    return None if narrowed else tuple(dtypes)


def _is_dated(loop: Sequence[np.dtype[Any]]) -> bool:
    return any(dtype.kind in "mM" for dtype in loop)


# --- one index after the other ----------------------------------------------------------------


@private
def _check_all(indices, size, axis):
    """Check all indices before any element changes, as NumPy does."""
    wrong = False
    for index in indices.flat:
        wrong |= (index < -size) | (index >= size)
    if wrong:
        for index in indices.flat:
            checked_place(index, size, axis)


@private
def _require_fit(b, shape):
    require(_fits(merged(shape_of(b), shape), shape), _MISFIT, ())


@private
def _fits(whole, shape):
    """True if two shapes broadcast to the second one."""
    return len(whole) == len(shape) and whole == shape


@private
def operand_over(b, shape):
    """An operand broadcast to a shape, as a line of elements; numbers unchanged."""
    if not isinstance(b, np.ndarray):
        return b
    if b.ndim == 0:
        return b[()]
    _require_fit(b, shape)
    if b.ndim > len(shape):
        return b.ravel()  # mismatched shapes have raised before
    if b.ndim == 1 and len(shape) == 1:
        return b if b.shape == shape else np.full(shape, b[0])
    return spread(b, shape).ravel()


@private
def _indices_over(index, shape):
    """The indices along one axis, broadcast to a shape, as a line."""
    if isinstance(index, np.ndarray):
        return np.asarray(spread(index, shape)).ravel()
    return np.full(shape, index).ravel()


@private
def _at_line(step, loop, a, indices, b):
    """Update elements of a one-dimensional array by an array of indices."""
    size = a.shape[0]
    _check_all(indices, size, 0)
    operand, line = operand_over(b, indices.shape), indices.ravel()
    for k in range(len(line)):
        index = np.int64(line[k])
        index = index + size if index < 0 else index
        a[index] = step(a[index], item(operand, k), loop)


@private
def _at_table(step, loop, a, indices, b):
    """Update elements of a two-dimensional array by indices along each axis."""
    shape = merged(shape_of(indices[0]), shape_of(indices[1]))
    if not is_merged(shape):
        raise IndexError(
            "shape mismatch: indexing arrays could not be broadcast together with shapes"
            f" {shape_of(indices[0])} {shape_of(indices[1])} "
        )
    rows, columns = _indices_over(indices[0], shape), _indices_over(indices[1], shape)
    _check_all(rows, a.shape[0], 0)
    _check_all(columns, a.shape[1], 1)
    operand = operand_over(b, shape)
    for k in range(len(rows)):
        i, j = np.int64(rows[k]), np.int64(columns[k])
        i = i + a.shape[0] if i < 0 else i
        j = j + a.shape[1] if j < 0 else j
        a[i, j] = step(a[i, j], item(operand, k), loop)


@private
def _at_rows(step, loop, a, indices, b):
    """Update rows of an array by a line of indices."""
    _check_all(indices, a.shape[0], 0)
    if dimensions(b) == 0:
        for index in indices:
            _change(step, loop, a[index], operand_over(b, ()))
        return
    line = operand_over(b, indices.shape + a.shape[1:])
    size = len(line) // max(len(indices), 1)
    for k in range(len(indices)):
        _change(step, loop, a[indices[k]], line[k * size : (k + 1) * size])


@private
def _change(step, loop, row, operand):
    for k in range(row.size):
        row.flat[k] = step(row.flat[k], item(operand, k), loop)


# --- distinct elements ------------------------------------------------------------------------


@private
def _at_part(function, a, indices, b):
    """Update a part selected by slices, in which no element occurs twice."""
    part = a[indices]
    if b is None:
        function(part, out=part, casting="unsafe")
        return
    operand = np.asarray(b)
    _require_fit(operand, part.shape)
    function(part, operand, out=part, casting="unsafe")


@private
def _at_mask(step, loop, a, indices, b):
    """Update the elements that a mask selects."""
    if indices.size:  # NumPy takes an empty mask as no indices
        require_mask(a.shape, indices.shape)
    chosen, elements = np.flatnonzero(indices), a.flat
    operand = operand_over(b, chosen.shape)
    for k in range(len(chosen)):
        elements[chosen[k]] = step(elements[chosen[k]], item(operand, k), loop)


# --- calls ------------------------------------------------------------------------------------


def _is_places(index: Any) -> bool:
    return is_array(index) and is_integral(index.dtype) and not isinstance(index.dtype, Boolean)


def _is_mask(index: Any) -> bool:
    return is_array(index) and isinstance(index.dtype, Boolean)


def _is_plain(index: Any) -> bool:
    return (is_integral(index) and not isinstance(index, Boolean)) or isinstance(index, types.Slice)


@static
def _kind_of(a: Array, indices: Any) -> str:
    """The kind of an index: `line rows mask single element part table`."""
    if _is_places(indices) and (a.ndim == 1 or indices.ndim == 1):
        return "line" if a.ndim == 1 else "rows"
    if _is_mask(indices) and indices.ndim == a.ndim:
        return "mask"
    if isinstance(indices, Tuple) and len(indices.items) == 1:
        return "single"
    items = indices.items if isinstance(indices, Tuple) else (indices,)
    if all(map(_is_plain, items)) and len(items) <= a.ndim:
        single = len(items) == a.ndim and not any(isinstance(one, types.Slice) for one in items)
        return "element" if single else "part"
    if all(_is_places(one) or is_integral(one) for one in items) and len(items) == a.ndim == 2:
        return "table"
    raise TypingError(
        f"elements of {a} are not changed at indices of type {indices}",
        hint="use integers, slices, one array of integers, a mask, or two arrays for a table",
    )


def _register(function: Any) -> None:
    is_binary = function.nin == 2

    @static
    def loop_of(a: Any, b: Any) -> tuple[np.dtype[Any], ...]:
        """The dtypes that the ufunc computes with."""
        if function.nout != 1:
            raise TypingError(
                "Only single output ufuncs supported at this time",
                hint="call the ufunc, and assign its results",
            )
        if is_binary is left_out(b):
            said = (
                "operand needed for ufunc" if is_binary else "operand provided when ufunc is unary"
            )
            raise TypingError(f"second {said}", hint=_OPERAND)
        if a.readonly:
            raise TypingError("output array is read-only", hint="pass a writeable array")
        loop = _loop(function, a.dtype, element(b) if is_binary else None)
        if loop is None:
            raise TypingError(f"`at` of {a} is not compiled", hint="convert the operand first")
        return loop

    @static
    def is_cut(loop: Any, x: Any) -> bool:
        """True if a float result is converted to a stored integer, with C's semantics."""
        return types.to_dtype(x).kind in "iu" and loop.items[-1].value.kind == "f"

    @private
    def step(x, y, loop):
        """The new value of an element, from its old one and the operand."""
        if loop[-1].kind in "mM":
            return function(x, y) if is_binary else function(x)
        first = loop[0].type(x)
        result = function(first, loop[1].type(y)) if is_binary else function(first)
        return np.asarray(result).astype(element_dtype(x))[()] if is_cut(loop, x) else result

    @private
    def change(a, indices, b, loop):
        kind = _kind_of(a, indices)
        if kind == "line":
            _at_line(step, loop, a, indices, b)
        elif kind == "rows":
            _at_rows(step, loop, a, indices, b)
        elif kind == "mask":
            _at_mask(step, loop, a, indices, b)
        elif kind == "single":
            function.at(a, indices[0], b)
        elif kind == "element":
            a[indices] = step(a[indices], operand_over(b, ()), loop)
        elif kind == "part":
            _at_part(function, a, indices, b)
        else:
            _at_table(step, loop, a, indices, b)

    @ufunc_body(function, "at")
    def at(a: Combined, indices, b: CombinableOrNone = None):
        own = apart(indices, a) if isinstance(indices, np.ndarray) else indices
        change(a, own, apart(b, a), loop_of(a, b))


METHODS = {"at": _register}

for _function in UFUNCS:
    _register(_function)
