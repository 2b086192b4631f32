"""Selection at positions, and where conditions hold: `take compress extract choose` and others."""

from __future__ import annotations

from typing import Any

import numpy as np

from cutaway.errors import TypingError
from cutaway.extending.bodies import Takes, static
from cutaway.extending.registry import primitive
from cutaway.library.arrays.indexing import gathering
from cutaway.library.arrays.kit.axes import axis_of
from cutaway.library.arrays.kit.dtypes import element_dtype, require_safe_places
from cutaway.library.arrays.kit.lines import line_at, line_count, lines_along
from cutaway.library.arrays.kit.places import checked_place
from cutaway.library.arrays.kit.shapes import (
    NO_COMMON_SHAPE,
    count_of,
    is_merged,
    joint_shape,
    merged,
    replaced,
    require,
    shape_of,
    spread,
)
from cutaway.library.arrays.kit.takes import (
    Elements,
    Indices,
    IntegerOrNone,
    Mode,
    Numbers,
    Operands,
    Output,
    Places,
    Target,
    numpy,
)
from cutaway.library.arrays.kit.typers import are_elements, is_array, private
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import Value
from cutaway.typing import types
from cutaway.typing.overloads.resolution import Arguments, Signature
from cutaway.typing.types import Array, Tuple

# --- modes ------------------------------------------------------------------------------------


def _is_choices(argument: Any) -> bool:
    several = isinstance(argument, Tuple) and are_elements(*argument.items)
    return several or (is_array(argument) and argument.ndim > 0)


Choices = Takes("arrays and numbers, or an array", _is_choices)


@private
def require_mode(mode):
    """Raise ValueError for an unknown mode."""
    if mode != "raise" and mode != "wrap" and mode != "clip":
        raise ValueError(f"clipmode must be one of 'clip', 'raise', or 'wrap' (got {mode!r})")


@private
def placed(k, size, mode):
    """A position brought into range by the mode; unchanged for `raise`."""
    if mode == "wrap":
        return k % size if size > 0 else k
    if mode == "clip":
        return max(min(k, size - 1), 0)
    return k


@private
def within(places, size, mode):
    """A position, or an array of them, brought into range by the mode."""
    if not isinstance(places, np.ndarray):
        return placed(int(places), size, mode)
    out = places.astype(np.int64)
    if mode == "wrap" and size > 0:
        out %= size
    elif mode == "clip":
        np.minimum(out, size - 1, out)
        np.maximum(out, 0, out)
    return out


# --- take -------------------------------------------------------------------------------------


def taken(a, indices, axis, checked):
    """The elements at indices of an axis counted from 0; without `checked`, indices are ignored."""
    if not checked:
        indices = indices * 0
        a = np.zeros(replaced(a.shape, axis, 1), a.dtype)
    return np.take(a, indices, axis)


def _taken_rule(arguments: Arguments) -> Signature | None:
    array, indices, axis, checked = arguments.types
    if not isinstance(array, Array) or array.ndim == 0:
        return None
    places = indices.ndim if isinstance(indices, Array) else 0
    ndim = array.ndim - 1 + places
    result = array.element if ndim == 0 else Array(array.dtype, ndim, "C")
    return Signature(result, (array, indices, types.int64, types.boolean))


@primitive(taken, _taken_rule, any_elements=True)
def take_places(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """Gather the elements in the runtime."""
    return gathering.take(build, sig, args)


@private
def require_elements(size, count):
    """Raise IndexError if `count` elements are to be taken from none."""
    if size == 0 and count > 0:
        raise IndexError("cannot do a non-empty take from an empty axes.")


@private
def _outer_count(a, axis):
    """The number of positions before an axis: if 0, NumPy checks no index."""
    count = 1
    for k in range(axis):
        count *= a.shape[k]
    return count


@private
def _other_count(a, axis):
    """The number of positions along the other axes."""
    count = 1
    for k in range(a.ndim):
        if k != axis:
            count *= a.shape[k]
    return count


@static
def _require_kind(out, array):
    """Refuse an output that cannot hold elements of the array."""
    if out.readonly:
        raise TypingError("output array is read-only", hint="pass a writeable array")
    numbers = types.is_number(out.dtype) and types.is_number(array.dtype)
    fits = numbers and np.can_cast(element_dtype(array), element_dtype(out), "same_kind")
    if out.dtype is not array.dtype and not fits:
        raise TypingError(
            f"elements of type {array.dtype} cannot be stored as {out.dtype}",
            hint="pass an output of the array's dtype",
        )


@numpy(np.take, "take")
def take(
    a: Elements,
    indices: Places,
    axis: IntegerOrNone = None,
    out: Target = None,
    mode: Mode = "raise",
):
    """The elements, or parts along an axis, at indices."""
    if out is not None:
        _require_kind(out, a)
        result = np.asarray(np.take(a, indices, axis, None, mode))
        if out.ndim != result.ndim or out.shape != result.shape:
            raise ValueError("output array does not match result of ndarray.take")
        out[...] = result
        return out
    require_mode(mode)
    count = indices.size if isinstance(indices, np.ndarray) else 1
    if axis is None:
        require_elements(a.size, count)
        return taken(a.ravel(), within(indices, a.size, mode), 0, True)
    table = a if a.ndim else a.reshape(1)  # NumPy treats it as a line
    k = axis_of(table, axis)
    size = table.shape[k]
    require_elements(size, count * _other_count(table, k))
    return taken(table, within(indices, size, mode), k, _outer_count(table, k) > 0)


# --- where conditions hold --------------------------------------------------------------------


@numpy(np.extract)
def extract(condition: Numbers, arr: Elements):
    """The elements where a condition holds."""
    return np.take(arr.ravel(), np.flatnonzero(condition))


@numpy(np.compress)
def compress(condition: Numbers, a: Elements, axis: IntegerOrNone = None, out: Target = None):
    """The parts along an axis for which a condition holds."""
    if condition.ndim != 1:
        raise ValueError("condition must be a 1-d array")
    return np.take(a, np.flatnonzero(condition), axis, out)


# --- along an axis ----------------------------------------------------------------------------

NO_LINE = "when axis=None, `indices` must have a single dimension."
OTHER_AXES = "`indices` and `arr` must have the same number of dimensions"


@private
def _take_line(out, line, places, axis):
    for k in range(len(places)):
        out[k] = line[checked_place(places[k], len(line), axis)]


@private
def shape_of_lines(a, indices, k):
    """The shape that an array and indices broadcast to, with length one along the indexed axis."""
    shape = merged(replaced(a.shape, k, 1), replaced(indices.shape, k, 1))
    if not is_merged(shape):
        raise IndexError("shape mismatch: indexing arrays could not be broadcast together")
    return shape


@numpy(np.take_along_axis)
def take_along_axis(arr: Numbers, indices: Indices, axis: IntegerOrNone = -1):
    """The elements at indices; each line along an axis has its own indices."""
    if axis is None:
        if indices.ndim != 1:
            raise ValueError(NO_LINE)
        return arr.ravel()[indices]
    k = axis_of(arr, axis)
    if arr.ndim != indices.ndim:
        raise ValueError(OTHER_AXES)
    shape = shape_of_lines(arr, indices, k)
    out = np.empty(replaced(shape, k, indices.shape[k]), arr.dtype)
    target = lines_along(out, k)
    source = lines_along(spread(arr, replaced(shape, k, arr.shape[k])), k)
    places = lines_along(spread(indices, out.shape), k)
    for n in range(line_count(target)):
        _take_line(line_at(target, n), line_at(source, n), line_at(places, n), k)
    return out


# --- choose -----------------------------------------------------------------------------------


@private
def _picked(a, choices):
    """The elements of several arrays that the numbers in `a` select; larger ones the last array."""
    if len(choices) <= 2:
        return np.where(a == 0, choices[0], choices[-1])
    return np.where(a == len(choices) - 1, choices[-1], _picked(a, choices[:-1]))


@private
def _require_choices(a, count, mode):
    """Raise ValueError for a number without a choice, unless the mode brings it into range."""
    if mode == "raise":
        for k in a.flat:
            if k < 0 or k >= count:
                raise ValueError("invalid entry in choice array")


@private
def _kept(out, found):
    """The result, stored in `out` if that is passed; a single element becomes a number."""
    if out is None:
        return found if found.ndim else found[()]
    if out.ndim != found.ndim or out.shape != found.shape:
        raise TypeError("choose: invalid shape for output array.")
    out[...] = found
    return out


@private
def _spread_choices(choices, shape):
    """The choices broadcast to a shape, each as a line."""
    table = np.empty((len(choices), count_of(shape)), choices.dtype)
    for k in range(len(choices)):
        table[k] = spread(choices[k], shape).ravel()
    return table


@numpy(np.choose, "choose")
def choose(a: Operands, choices: Choices, out: Output = None, mode: Mode = "raise"):
    """The elements of several arrays that an array of numbers selects."""
    require_safe_places(a)
    require_mode(mode)
    count = len(choices)
    if count == 0:
        raise ValueError("0-length sequence.")
    if isinstance(choices, tuple):
        places = spread(np.asarray(a), joint_shape((*choices, a)))
        _require_choices(places, count, mode)
        return _kept(out, _picked(within(places, count, mode), choices))
    if choices.ndim == 1:
        numbers = np.asarray(a)
        _require_choices(numbers, count, mode)
        return _kept(out, np.asarray(choices[within(numbers, count, mode)]))
    shape = merged(choices.shape[1:], shape_of(a))
    shapes = (0, choices.shape[1:], count, shape_of(a))
    require(is_merged(shape), NO_COMMON_SHAPE, shapes, True)
    wanted = spread(np.asarray(a), shape)
    _require_choices(wanted, count, mode)
    found = np.empty(shape, choices.dtype)
    order, lines = within(wanted, count, mode).ravel(), found.ravel()
    table = _spread_choices(choices, shape)
    for k in range(len(lines)):
        lines[k] = table[order[k], k]
    return _kept(out, found)
