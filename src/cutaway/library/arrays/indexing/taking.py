"""Elements at positions, and where conditions hold: `take compress extract choose` and others."""

from __future__ import annotations

from typing import Any

import numpy as np

from cutaway.extending.overloads import overload
from cutaway.extending.registry import primitive
from cutaway.library.arrays.indexing import gathering
from cutaway.library.arrays.kit.axes import axis_of
from cutaway.library.arrays.kit.dtypes import require_safe_places
from cutaway.library.arrays.kit.lines import line_at, line_count, lines_along
from cutaway.library.arrays.kit.places import checked_place
from cutaway.library.arrays.kit.shapes import (
    NO_COMMON_SHAPE,
    is_merged,
    joint_shape,
    merged,
    replaced,
    require,
    shape_of,
    spread,
)
from cutaway.library.arrays.kit.typers import (
    OPTIONS,
    are_elements,
    is_array,
    is_integral,
    is_left_out_or,
    left_out,
    numpy,
    private,
)
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import Value
from cutaway.typing import types
from cutaway.typing.overloads.resolution import Arguments, Signature
from cutaway.typing.types import Array, Boolean, Integer, Tuple

# --- modes ------------------------------------------------------------------------------------


def is_mode(mode: Any) -> bool:
    """True for text that may be `raise`, `wrap` or `clip`."""
    return isinstance(mode, str | types.String | types.Choice | types.Str | types.Omitted)


@private
def require_mode(mode):
    """Raise ValueError for what is none of NumPy's modes."""
    if mode != "raise" and mode != "wrap" and mode != "clip":
        raise ValueError(f"clipmode must be one of 'clip', 'raise', or 'wrap' (got {mode!r})")


@private
def placed(k, size, mode):
    """A position as the mode has it; as it is for `raise`."""
    if mode == "wrap":
        return k % size if size > 0 else k
    if mode == "clip":
        return max(min(k, size - 1), 0)
    return k


def within(places, size, mode):
    """Positions, one or an array of them, as the mode has them."""
    if mode == "raise":
        return places
    return places % size if mode == "wrap" else np.clip(places, 0, max(size - 1, 0))


@overload(within, jit_options=OPTIONS)
def _within(places, size, mode):
    if not isinstance(places, Array):
        return lambda places, size, mode: placed(int(places), size, mode)

    def of_array(places, size, mode):
        out = places.astype(np.int64)
        if mode == "wrap" and size > 0:
            out %= size
        elif mode == "clip":
            np.minimum(out, size - 1, out)
            np.maximum(out, 0, out)
        return out

    return of_array


# --- take -------------------------------------------------------------------------------------


def taken(a, indices, axis, checked):
    """What lies at indices of an axis, which is counted from 0; no index is looked at where not
    `checked`."""
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
    """The runtime goes through the places."""
    return gathering.take(build, sig, args)


@private
def require_elements(size, count):
    """Raise IndexError where `count` elements are to be taken of none."""
    if size == 0 and count > 0:
        raise IndexError("cannot do a non-empty take from an empty axes.")


@private
def _outer_count(a, axis):
    """The number of places before an axis: if there are none, NumPy looks at no index."""
    count = 1
    for k in range(axis):
        count *= a.shape[k]
    return count


@private
def _other_count(a, axis):
    """The number of places on the other axes."""
    count = 1
    for k in range(a.ndim):
        if k != axis:
            count *= a.shape[k]
    return count


def _count_of(indices):
    return np.size(indices)


@overload(_count_of, jit_options=OPTIONS)
def _count_of_typer(indices):
    return (lambda indices: indices.size) if isinstance(indices, Array) else (lambda indices: 1)


@numpy(np.take, "take")
def _take(a, indices, axis=None, out=None, mode="raise"):
    many = isinstance(indices, Array) and is_integral(indices.dtype)
    if not isinstance(a, Array) or not (is_integral(indices) or many) or not is_mode(mode):
        return None
    if not is_left_out_or(types.is_integral, axis):
        return None
    if not left_out(out):
        if not _can_hold(out, a):
            return None
        places = indices.ndim if many else 0
        ndim = places if left_out(axis) else a.ndim - 1 + places
        return _take_into if out.ndim == ndim else _refuse_output
    if isinstance(indices, Boolean) or (many and indices.dtype is types.boolean):
        return lambda a, indices, axis=None, out=None, mode="raise": np.take(
            a, _as_integers(indices), axis, None, mode
        )
    if a.ndim == 0 and not left_out(axis):  # NumPy takes it for a line
        return lambda a, indices, axis=None, out=None, mode="raise": np.take(
            a.reshape(1), indices, axis, None, mode
        )

    def of_all(a, indices, axis=None, out=None, mode="raise"):
        require_mode(mode)
        require_elements(a.size, _count_of(indices))
        return taken(a.ravel(), within(indices, a.size, mode), 0, True)

    def of_lines(a, indices, axis=None, out=None, mode="raise"):
        require_mode(mode)
        k = axis_of(a, axis)
        size = a.shape[k]
        require_elements(size, _count_of(indices) * _other_count(a, k))
        return taken(a, within(indices, size, mode), k, _outer_count(a, k) > 0)

    return of_all if left_out(axis) else of_lines


def _as_integers(indices):
    return np.asarray(indices).astype(np.int64)


@overload(_as_integers, jit_options=OPTIONS)
def _as_integers_typer(indices):
    if isinstance(indices, Array):
        return lambda indices: indices.astype(np.int64)
    return lambda indices: int(indices)


def _can_hold(out: Any, array: Array) -> bool:
    """True if elements of an array can be stored in an output."""
    if not isinstance(out, Array) or out.readonly:
        return False
    if out.dtype is array.dtype:
        return True
    numbers = types.is_number(out.dtype) and types.is_number(array.dtype)
    return numbers and np.can_cast(
        types.to_dtype(array.dtype), types.to_dtype(out.dtype), "same_kind"
    )


def _refuse_output(a, indices, axis=None, out=None, mode="raise"):
    raise ValueError("output array does not match result of ndarray.take")


def _take_into(a, indices, axis=None, out=None, mode="raise"):
    result = np.take(a, indices, axis, None, mode)
    if out.shape != result.shape:
        raise ValueError("output array does not match result of ndarray.take")
    out[...] = result
    return out


# --- where conditions hold --------------------------------------------------------------------


@numpy(np.extract)
def _extract(condition, arr):
    fits = is_array(condition) and isinstance(arr, Array)
    return (
        (lambda condition, arr: np.take(arr.ravel(), np.flatnonzero(condition))) if fits else None
    )


@numpy(np.compress)
def _compress(condition, a, axis=None, out=None):
    if not is_array(condition) or not isinstance(a, Array):
        return None
    if condition.ndim != 1:
        return _refuse_condition
    return lambda condition, a, axis=None, out=None: np.take(
        a, np.flatnonzero(condition), axis, out
    )


def _refuse_condition(condition, a, axis=None, out=None):
    raise ValueError("condition must be a 1-d array")


# --- along an axis ----------------------------------------------------------------------------


@private
def _take_line(out, line, places, axis):
    for k in range(len(places)):
        out[k] = line[checked_place(places[k], len(line), axis)]


def wrong_axes(array: Array, indices: Array, axis: Any) -> str:
    """What NumPy says of indices that have other axes than an array; empty where they fit."""
    if left_out(axis):
        fits = indices.ndim == 1
        return "" if fits else "when axis=None, `indices` must have a single dimension."
    if array.ndim != indices.ndim:
        return "`indices` and `arr` must have the same number of dimensions"
    return ""


@numpy(np.take_along_axis)
def _take_along_axis(arr, indices, axis=-1):
    fits = is_array(arr) and is_array(indices) and isinstance(indices.dtype, Integer)
    if not fits or not is_left_out_or(types.is_integral, axis):
        return None

    def of_all(arr, indices, axis=-1):
        return arr.ravel()[indices]

    def of_lines(arr, indices, axis=-1):
        k = axis_of(arr, axis)
        shape = merged(replaced(arr.shape, k, 1), replaced(indices.shape, k, 1))
        if not is_merged(shape):
            raise IndexError("shape mismatch: indexing arrays could not be broadcast together")
        out = np.empty(replaced(shape, k, indices.shape[k]), arr.dtype)
        target = lines_along(out, k)
        source = lines_along(spread(arr, replaced(shape, k, arr.shape[k])), k)
        places = lines_along(spread(indices, out.shape), k)
        for n in range(line_count(target)):
            _take_line(line_at(target, n), line_at(source, n), line_at(places, n), k)
        return out

    wrong = wrong_axes(arr, indices, axis)

    def refuse_flat(arr, indices, axis=-1):
        raise ValueError(wrong)

    def refuse_lines(arr, indices, axis=-1):
        axis_of(arr, axis)
        raise ValueError(wrong)

    if wrong:
        return refuse_flat if left_out(axis) else refuse_lines
    return of_all if left_out(axis) else of_lines


# --- choose -----------------------------------------------------------------------------------


def _picked(a, choices):
    """Of some arrays the elements that the numbers of `a` tell; the last one for all above."""
    return np.choose(np.minimum(a, len(choices) - 1), choices)


@overload(_picked, jit_options=OPTIONS)
def _picked_typer(a, choices):
    if len(choices.items) <= 2:
        return lambda a, choices: np.where(a == 0, choices[0], choices[-1])

    def picked(a, choices):
        return np.where(a == len(choices) - 1, choices[-1], _picked(a, choices[:-1]))

    return picked


@private
def _require_choices(a, count, mode):
    """Raise ValueError where a number tells of no choice, and NumPy asks for one."""
    if mode == "raise":
        for k in a.flat:
            if k < 0 or k >= count:
                raise ValueError("invalid entry in choice array")


@private
def _require_any(choices, mode):
    require_mode(mode)
    if len(choices) == 0:
        raise ValueError("0-length sequence.")


_OTHER_SHAPE = "choose: invalid shape for output array."


def _kept(out, found):
    """What was found: in `out` where that is given, and one element as a number."""
    if out is None:
        return found[()]
    if out.shape != found.shape:
        raise TypeError(_OTHER_SHAPE)
    out[...] = found
    return out


@overload(_kept, jit_options=OPTIONS)
def _kept_typer(out, found):
    if left_out(out):
        return (lambda out, found: found) if found.ndim else (lambda out, found: found[()])

    def into(out, found):
        if out.shape != found.shape:
            raise TypeError(_OTHER_SHAPE)
        out[...] = found
        return out

    def misfit(out, found):
        raise TypeError(_OTHER_SHAPE)

    return into if out.ndim == found.ndim else misfit


@numpy(np.choose, "choose")
def _choose(a, choices, out=None, mode="raise"):
    if not are_elements(a) or not is_mode(mode) or not (left_out(out) or is_array(out)):
        return None
    require_safe_places(a)
    if isinstance(choices, Tuple):
        if not are_elements(*choices.items):
            return None

        def of_several(a, choices, out=None, mode="raise"):
            require_mode(mode)
            count, places = len(choices), spread(np.asarray(a), joint_shape((*choices, a)))
            _require_choices(places, count, mode)
            return _kept(out, _picked(within(places, count, mode), choices))

        def of_none(a, choices, out=None, mode="raise"):
            _require_any(choices, mode)

        return of_several if choices.items else of_none
    if not is_array(choices) or choices.ndim == 0:
        return None

    def of_numbers(a, choices, out=None, mode="raise"):
        _require_any(choices, mode)
        places, count = np.asarray(a), len(choices)
        _require_choices(places, count, mode)
        return _kept(out, np.asarray(choices[within(places, count, mode)]))

    def of_array(a, choices, out=None, mode="raise"):
        _require_any(choices, mode)
        count, shape = len(choices), merged(choices.shape[1:], shape_of(a))
        shapes = (0, choices.shape[1:], count, shape_of(a))
        require(is_merged(shape), NO_COMMON_SHAPE, shapes, True)
        wanted = spread(np.asarray(a), shape)
        _require_choices(wanted, count, mode)
        found = np.empty(shape, choices.dtype)
        places, lines = within(wanted, count, mode).ravel(), found.ravel()
        table = spread_choices(choices, shape)
        for k in range(len(lines)):
            lines[k] = table[places[k], k]
        return _kept(out, found)

    return of_numbers if choices.ndim == 1 else of_array


def spread_choices(choices, shape):
    """The choices, each with the elements of an array of a shape as a line."""
    count = len(choices)
    table = np.empty((count, int(np.prod(np.array(shape)))), choices.dtype)
    for k in range(count):
        table[k] = spread(choices[k], shape).ravel()
    return table


@overload(spread_choices, jit_options=OPTIONS)
def _spread_choices(choices, shape):
    def table_of(choices, shape):
        count = 1
        for size in shape:
            count *= size
        table = np.empty((len(choices), count), choices.dtype)
        for k in range(len(choices)):
            table[k] = spread(choices[k], shape).ravel()
        return table

    return table_of
