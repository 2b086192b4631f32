"""`np.add.at` and that of the other ufuncs: elements of an array that indices tell.

They are changed one after the other: an element whose index is there twice is changed twice.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

from cutaway.errors import TypingError
from cutaway.extending.overloads import overload
from cutaway.foundation.element_functions import ufunc_half
from cutaway.library.arrays.elementwise.ufunc_methods import (
    UFUNCS,
    is_combined,
    is_operand,
    ufunc_method,
)
from cutaway.library.arrays.kit.elements import item
from cutaway.library.arrays.kit.filling import apart
from cutaway.library.arrays.kit.shapes import is_merged, merged, require, shape_of, spread
from cutaway.library.arrays.kit.typers import (
    OPTIONS,
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
    """The dtypes that a ufunc computes with, for elements of an array and of an operand; None where
    that is not compiled.  Raises TypingError, in NumPy's words, where NumPy has no such loop."""
    own = types.to_dtype(array)
    given = (own, own) if operand is None else (own, types.to_dtype(operand), own)
    half = ufunc_half(function)
    if half is not None:
        half.gain_loop(given[: half.nin])  # as a call in Python does
    try:
        found = function.resolve_dtypes(given, casting="unsafe")
    except TypeError as error:
        raise TypingError(str(error)) from None
    if _is_dated(found):
        return None if found[-1] != own else tuple(found)
    if any(types.from_dtype(dtype) is None for dtype in found):
        return None
    narrowed = any(dtype.kind == "c" for dtype in found) and own.kind != "c"
    return None if narrowed else tuple(found)


def _is_dated(loop: Sequence[np.dtype[Any]]) -> bool:
    return any(dtype.kind in "mM" for dtype in loop)


# --- what is done with an element -------------------------------------------------------------


def _step(function: Any, loop: tuple[np.dtype[Any], ...], stored: np.dtype[Any]) -> Any:
    """What an element becomes, by itself and the operand."""
    if _is_dated(loop):
        return private(
            (lambda x, y: function(x, y)) if function.nin == 2 else lambda x, y: function(x)
        )
    first, *rest = (dtype.type for dtype in loop[: function.nin])
    cuts = stored.kind in "iu" and loop[-1].kind == "f"

    @private
    def fitted(x):
        return np.asarray(x).astype(stored)[()] if cuts else x  # as C converts

    @private
    def of_two(x, y):
        return fitted(function(first(x), second(y)))

    @private
    def of_one(x, y):
        return fitted(function(first(x)))

    if not rest:
        return of_one
    (second,) = rest
    return of_two


@private
def _counted(index, size, axis):
    """An index counted from 0."""
    if not -size <= index < size:
        raise IndexError(f"index {index} is out of bounds for axis {axis} with size {size}")
    return index + size if index < 0 else index


@private
def _check_all(indices, size, axis):
    """NumPy looks at all indices before it changes an element."""
    wrong = False
    for index in indices.flat:
        wrong |= (index < -size) | (index >= size)
    if wrong:
        for index in indices.flat:
            _counted(index, size, axis)


@private
def _require_fit(b, shape):
    require(_fits(merged(shape_of(b), shape), shape), _MISFIT, ())


def _fits(whole, shape):
    """True if what two shapes are broadcast to is the second one."""
    return whole == shape


@overload(_fits, jit_options=OPTIONS)
def _fits_typer(whole, shape):
    same = len(whole.items) == len(shape.items)
    return (lambda whole, shape: whole == shape) if same else (lambda whole, shape: False)


def operand_over(b, shape):
    """The elements of an operand over a shape as a line, or a number as it is."""
    return np.broadcast_to(b, shape).ravel() if np.ndim(b) else b


@overload(operand_over, jit_options=OPTIONS)
def _operand_over(b, shape):
    def of_array(b, shape):
        _require_fit(b, shape)
        return spread_line(b, shape)

    if not isinstance(b, Array):
        return lambda b, shape: b
    return (lambda b, shape: b[()]) if b.ndim == 0 else of_array


def spread_line(b, shape):
    """The elements of an array that fits, over a shape, as a line."""
    return np.broadcast_to(b, shape).ravel()


@overload(spread_line, jit_options=OPTIONS)
def _spread_line(b, shape):
    def of_line(b, shape):
        return b if b.shape == shape else np.full(shape, b[0])

    if b.ndim > len(shape.items):
        return lambda b, shape: b.ravel()  # what did not fit has raised
    return of_line if b.ndim == len(shape.items) == 1 else lambda b, shape: spread(b, shape).ravel()


# --- one place after the other ----------------------------------------------------------------


def _of_line(step: Any) -> Any:
    """Of an array with one axis, by an array of places."""

    def at(a, indices, b=None):
        size = a.shape[0]
        _check_all(indices, size, 0)
        operand, line = operand_over(b, indices.shape), indices.ravel()
        for k in range(len(line)):
            place = np.int64(line[k])
            place = place + size if place < 0 else place
            a[place] = step(a[place], item(operand, k))

    return at


def places_over(index, shape):
    """The places along one axis as a line over a shape."""
    return np.broadcast_to(index, shape).ravel()


@overload(places_over, jit_options=OPTIONS)
def _places_over(index, shape):
    if isinstance(index, Array):
        return lambda index, shape: np.asarray(spread(index, shape)).ravel()
    return lambda index, shape: np.full(shape, index).ravel()


def _of_table(step: Any) -> Any:
    """Of an array with two axes, by places along each."""

    def at(a, indices, b=None):
        shape = merged(shape_of(indices[0]), shape_of(indices[1]))
        if not is_merged(shape):
            raise IndexError(
                "shape mismatch: indexing arrays could not be broadcast together with shapes"
                f" {shape_of(indices[0])} {shape_of(indices[1])} "
            )
        rows, columns = places_over(indices[0], shape), places_over(indices[1], shape)
        _check_all(rows, a.shape[0], 0)
        _check_all(columns, a.shape[1], 1)
        operand = operand_over(b, shape)
        for k in range(len(rows)):
            i, j = np.int64(rows[k]), np.int64(columns[k])
            i = i + a.shape[0] if i < 0 else i
            j = j + a.shape[1] if j < 0 else j
            a[i, j] = step(a[i, j], item(operand, k))

    return at


def _of_rows(function: Any, step: Any) -> Any:
    """Of the rows of an array, by a line of places."""

    @private
    def change(row, operand):
        for k in range(row.size):
            row.flat[k] = step(row.flat[k], item(operand, k))

    def with_number(a, indices, b=None):
        _check_all(indices, a.shape[0], 0)
        for place in indices:
            change(a[place], operand_over(b, ()))

    def with_array(a, indices, b=None):
        _check_all(indices, a.shape[0], 0)
        shape = indices.shape + a.shape[1:]
        line = operand_over(b, shape)
        size = len(line) // max(len(indices), 1)
        for k in range(len(indices)):
            change(a[indices[k]], line[k * size : (k + 1) * size])

    return with_number, with_array


# --- elements that are there once ------------------------------------------------------


def _of_part(function: Any) -> Any:
    """Of a part of an array that is told by slices, and has no element twice."""

    def view(a, indices, b=None):
        part = a[indices]
        operand = np.asarray(b)
        _require_fit(operand, part.shape)
        function(part, operand, out=part, casting="unsafe")

    def view_alone(a, indices, b=None):
        part = a[indices]
        function(part, out=part, casting="unsafe")

    return view_alone if function.nin == 1 else view


@private
def _check_mask(mask, shape):
    for axis in range(len(shape)):
        size, own = shape[axis], mask.shape[axis]
        if size != own:
            raise IndexError(
                f"boolean index did not match indexed array along axis {axis}; size of axis is"
                f" {size} but size of corresponding boolean axis is {own}"
            )


def _of_chosen(step: Any) -> Any:
    """Of the elements that a mask tells."""

    def at(a, indices, b=None):
        if indices.size:  # NumPy takes a mask of no elements for no places
            _check_mask(indices, a.shape)
        places, elements = np.flatnonzero(indices), a.flat
        operand = operand_over(b, places.shape)
        for k in range(len(places)):
            elements[places[k]] = step(elements[places[k]], item(operand, k))

    return at


def _of_element(step: Any) -> Any:
    """Of one element, which is told by integers."""

    def at(a, indices, b=None):
        a[indices] = step(a[indices], operand_over(b, ()))

    return at


# --- calls ------------------------------------------------------------------------------------


def _is_places(index: Any) -> bool:
    return is_array(index) and is_integral(index.dtype) and not isinstance(index.dtype, Boolean)


def _is_mask(index: Any) -> bool:
    return is_array(index) and isinstance(index.dtype, Boolean)


def _is_plain(index: Any) -> bool:
    return (is_integral(index) and not isinstance(index, Boolean)) or isinstance(index, types.Slice)


def _chosen(function: Any, step: Any, a: Array, indices: Any, b: Any) -> Any:
    """The implementation for a kind of index; None for others."""
    if _is_places(indices):
        if a.ndim == 1:
            return _of_line(step)
        number, array = _of_rows(function, step)
        fits = indices.ndim == 1 and a.ndim > 1
        return (array if dimensions(b) else number) if fits else None
    if _is_mask(indices):
        return _of_chosen(step) if indices.ndim == a.ndim else None
    if isinstance(indices, Tuple) and len(indices.items) == 1:
        return lambda a, indices, b=None: function.at(a, indices[0], b)
    items = indices.items if isinstance(indices, Tuple) else (indices,)
    if all(_is_plain(one) for one in items):
        if len(items) > a.ndim:
            return None
        single = len(items) == a.ndim and not any(isinstance(one, types.Slice) for one in items)
        return _of_element(step) if single else _of_part(function)
    of_numbers = all(_is_places(one) or is_integral(one) for one in items)
    return _of_table(step) if of_numbers and len(items) == a.ndim == 2 else None


def _reading_first(chosen: Any, indices: Any) -> Any:
    """The implementation, with an operand and indices that share no memory with the array."""
    change = private(chosen)
    if is_array(indices):
        return lambda a, indices, b=None: change(a, apart(indices, a), apart(b, a))
    return lambda a, indices, b=None: change(a, indices, apart(b, a))


def _register(function: Any) -> None:
    @ufunc_method(function, "at")
    def at(a, indices, b=None):
        if function.nout != 1:
            raise TypingError(
                "Only single output ufuncs supported at this time",
                hint="call the ufunc, and assign its results",
            )
        if function.nin != 2 and not left_out(b):
            raise TypingError("second operand provided when ufunc is unary", hint=_OPERAND)
        if function.nin == 2 and left_out(b):
            raise TypingError("second operand needed for ufunc", hint=_OPERAND)
        if not is_combined(a) or (function.nin == 2 and not is_operand(b)):
            return None
        if a.readonly:
            raise TypingError("output array is read-only", hint="pass a writeable array")
        loop = _loop(function, a.dtype, element(b) if function.nin == 2 else None)
        if loop is None:
            return None
        step = _step(function, loop, types.to_dtype(a.dtype))
        chosen = _chosen(function, step, a, indices, b)
        return chosen if chosen is None else _reading_first(chosen, indices)


METHODS = {"at": _register}

for _function in UFUNCS:
    _register(_function)
