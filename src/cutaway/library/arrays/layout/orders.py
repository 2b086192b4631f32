"""Arrays in a shape or an order that is asked for: `resize rollaxis matrix_transpose require
asanyarray asarray_chkfinite`, and `reshape ravel copy flatten` with an order.

What has no order is in `methods.py`, which is registered before this: it is asked first.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cutaway.errors import TypingError
from cutaway.extending.overloads import overload_method
from cutaway.library.arrays import methods  # noqa: F401  for what it registers
from cutaway.library.arrays.kit.axes import axis_of
from cutaway.library.arrays.kit.ordering import as_wanted, copier, order_of
from cutaway.library.arrays.kit.shapes import inserted, is_in_order, removed, strided
from cutaway.library.arrays.kit.sizes import size_of_all
from cutaway.library.arrays.kit.typers import (
    OPTIONS,
    are_elements,
    flag,
    has_places,
    is_integral,
    is_integral_or_default,
    is_shape,
    left_out,
    numpy,
    private,
    said,
)
from cutaway.typing import types
from cutaway.typing.types import Array, Tuple

# --- orders -----------------------------------------------------------------------------------


@private
def _is_fortran(a):
    """True if an array lies in F order, and not in C order too."""
    lies_in_f = is_in_order(a.shape[::-1], a.strides[::-1], a.itemsize)
    return lies_in_f and not is_in_order(a.shape, a.strides, a.itemsize)


def _line_in(order: str, a: Array) -> Any:
    """The function that gives all elements as one line, in an order."""

    def by_value(a):
        return a.T.ravel() if _is_fortran(a) else a.ravel()

    if order == "K" and a.ndim > 1 and a.layout == "A":
        raise TypingError("order 'K' is not compiled for this array", hint="write order='C'")
    if order == "F" or (order in "AK" and a.layout == "F"):
        return private(lambda a: a.T.ravel())
    return private(by_value if order == "A" and a.layout == "A" else lambda a: a.ravel())


@numpy(np.ravel, by_value=True)
def _ravel(a, order="C"):
    way = order_of(order, "C")
    if not isinstance(a, Array):
        return (lambda a, order="C": np.full(1, a)) if are_elements(a) else None
    if way is None:
        return None
    line = _line_in(way, a)
    return lambda a, order="C": line(a)


@overload_method(Array, "ravel", jit_options=OPTIONS, prefer_literal=True)
def _ravel_method(a, order="C"):
    return _ravel(a, order)


@overload_method(Array, "flatten", jit_options=OPTIONS, prefer_literal=True)
def _flatten(a, order="C"):
    way = order_of(order, "C")
    if way is None:
        return None
    line = _line_in(way, a)
    return lambda a, order="C": line(a).copy()


@numpy(np.copy, by_value=True)
def _copy(a, order="K", subok=False):
    way = order_of(order, "K")
    if not isinstance(a, Array):
        return (lambda a, order="K", subok=False: np.full((), a)) if are_elements(a) else None
    if way is None:
        return None
    copied = copier(way, a)
    return lambda a, order="K", subok=False: copied(a)


@overload_method(Array, "copy", jit_options=OPTIONS, prefer_literal=True)
def _copy_method(a, order="C"):
    way = order_of(order, "C")
    if way is None:
        return None
    copied = copier(way, a)
    return lambda a, order="C": copied(a)


# --- other shapes -----------------------------------------------------------------------------


def _in_shape(order: str, a: Array) -> Any:
    """The function that gives an array a shape, whose elements are taken in an order."""

    def in_f_order(a, shape):
        _check_fit(a, shape)
        return a.T.reshape(shape[::-1]).T

    def by_value(a, shape):
        if _is_fortran(a):
            table = a.T.reshape(shape[::-1]).T
            return strided(table, table.shape, table.strides)
        table = a.reshape(shape)
        return strided(table, table.shape, table.strides)

    fortran = order == "F" or (order == "A" and a.layout == "F")
    asks = order == "A" and a.layout == "A" and a.ndim > 1
    shaped = in_f_order if fortran else by_value if asks else (lambda a, shape: a.reshape(shape))
    return private(shaped)


@private
def _check_fit(a, shape):
    """Let C order complain of a shape that does not fit, in words that have it as it is written."""
    count, unknown = 1, 0
    for size in shape:
        unknown += size < 0
        count *= 1 if size < 0 else size
    if (unknown == 0 and count != a.size) or (unknown and (count == 0 or a.size % count)):
        a.reshape(shape)


def _wants_copy(copy: Any) -> bool | None:
    """True if a copy is asked for; None where none may be made, or it is not known."""
    if left_out(copy):
        return False
    return True if said(copy) else None


def _reshaped(a: Any, shape: Any, order: Any, copy: Any) -> Any:
    way, copies = order_of(order, "C"), _wants_copy(copy)
    if copies is None and not left_out(copy):
        raise TypingError(
            "whether another shape needs a copy depends on the strides of the array",
            hint="leave `copy` out, or write True",
        )
    if not isinstance(a, Array) or way is None or not is_shape(shape):
        return None
    shaped = _in_shape(way, a)
    if not copies:
        return shaped
    return private(lambda a, shape: shaped(a, shape).copy())


def _reshape_number(a, /, shape, order="C", *, copy=None):
    return np.full(1, a).reshape(shape)


@numpy(np.reshape, by_value=True)
def _reshape(a, /, shape, order="C", *, copy=None):
    if not isinstance(a, Array):
        fits = are_elements(a) and (is_shape(shape) or is_integral(shape))
        return _reshape_number if fits else None
    sizes = Tuple((shape,)) if is_integral(shape) else shape
    shaped = _reshaped(a, sizes, order, copy)
    if shaped is None:
        return None
    if is_integral(shape):
        return lambda a, /, shape, order="C", *, copy=None: shaped(a, (shape,))
    return lambda a, /, shape, order="C", *, copy=None: shaped(a, shape)


@overload_method(Array, "reshape", jit_options=OPTIONS, prefer_literal=True)
def _reshape_method(a, *shape, order="C", copy=None):
    sizes = shape[0] if len(shape) == 1 and isinstance(shape[0], Tuple) else Tuple(tuple(shape))
    shaped = _reshaped(a, sizes, order, copy)
    if shaped is None:
        return None
    if sizes is not Tuple(tuple(shape)):
        return lambda a, *shape, order="C", copy=None: shaped(a, shape[0])
    return lambda a, *shape, order="C", copy=None: shaped(a, shape)


@private
def _cycled(a, shape):
    """A new array with the elements of another, again and again."""
    count = 1
    for size in shape:
        if size < 0:
            raise ValueError("all elements of `new_shape` must be non-negative")
        count = size_of_all(count, size)
    line = a.ravel()
    if not len(line):
        return np.zeros(shape, a.dtype)
    out = np.empty(shape, a.dtype)
    flat, start = out.ravel(), 0
    while start < count:
        stop = min(start + len(line), count)
        flat[start:stop] = line[: stop - start]
        start = stop
    return out


@numpy(np.resize)
def _resize(a, new_shape):
    if not has_places(a):
        fits = are_elements(a) and (is_integral(new_shape) or is_shape(new_shape))
        return (lambda a, new_shape: np.resize(np.full(1, a), new_shape)) if fits else None
    if is_integral(new_shape):
        return lambda a, new_shape: _cycled(a, (new_shape,))
    return (lambda a, new_shape: _cycled(a, new_shape)) if is_shape(new_shape) else None


# --- axes -------------------------------------------------------------------------------------


@numpy(np.rollaxis)
def _rollaxis(a, axis, start=0):
    if not isinstance(a, Array) or not is_integral(axis) or not is_integral_or_default(start):
        return None

    def rollaxis(a, axis, start=0):
        k = axis_of(a, axis)
        place = start + a.ndim if start < 0 else start
        if place < 0 or place > a.ndim:
            raise np.exceptions.AxisError(
                f"'start' arg requires {-a.ndim} <= start < {a.ndim + 1}, but {place} was passed in"
            )
        place -= int(k < place)
        shape = inserted(removed(a.shape, k), place, a.shape[k])
        return strided(a, shape, inserted(removed(a.strides, k), place, a.strides[k]))

    return rollaxis


@numpy(np.matrix_transpose)
def _matrix_transpose(x, /):
    if not isinstance(x, Array):
        return None
    message = f"Input array must be at least 2-dimensional, but it is {x.ndim}"

    def misfit(x, /):
        raise ValueError(message)

    return (lambda x, /: np.swapaxes(x, -1, -2)) if x.ndim > 1 else misfit


# --- what an array must be --------------------------------------------------------------------


@numpy(np.asanyarray, by_value=True)
def _asanyarray(a, dtype=None, order=None):
    if isinstance(a, Tuple) and left_out(order):
        return lambda a, dtype=None, order=None: np.asarray(a, dtype)
    wanted = as_wanted(a, dtype, order)
    return None if wanted is None else (lambda a, dtype=None, order=None: wanted(a))


@numpy(np.asanyarray, by_value=True)
def _asanyarray_copied(a, dtype=None, order=None, *, copy=None):
    if left_out(copy):
        return lambda a, dtype=None, order=None, *, copy=None: np.asanyarray(a, dtype, order)
    copies = flag(copy)
    return (
        None
        if copies is None
        else (
            lambda a, dtype=None, order=None, *, copy=None: np.asarray(a, dtype, order, copy=copies)
        )
    )


@numpy(np.asarray_chkfinite, by_value=True)
def _asarray_chkfinite(a, dtype=None, order=None):
    wanted = as_wanted(a, dtype, order)
    if wanted is None:
        return None

    def asarray_chkfinite(a, dtype=None, order=None):
        out = wanted(a)
        if not np.all(np.isfinite(out)):
            raise ValueError("array must not contain infs or NaNs")
        return out

    return asarray_chkfinite


_REQUIREMENTS = {
    **{"C": "C", "C_CONTIGUOUS": "C", "CONTIGUOUS": "C"},
    **{"F": "F", "F_CONTIGUOUS": "F", "FORTRAN": "F"},
    **{"A": "A", "ALIGNED": "A", "W": "W", "WRITEABLE": "W"},
    **{"O": "O", "OWNDATA": "O", "E": "E", "ENSUREARRAY": "E"},
}


def _demands(requirements: Any) -> set[str] | None:
    """What an array must be, by letters; None where it is not known."""
    if left_out(requirements):
        return set()
    given = requirements.items if isinstance(requirements, Tuple) else (requirements,)
    names = [said(one) for one in given]
    # A text alone is its letters.
    letters = names if isinstance(requirements, Tuple) else list(names[0] or "?")
    found = {_REQUIREMENTS.get(str(one).upper(), "?") for one in letters}
    return None if "?" in found else found


@numpy(np.require, by_value=True)
def _require(a, dtype=None, requirements=None):
    wishes = _demands(requirements)
    if wishes is None:
        return None
    if wishes >= {"C", "F"}:
        raise TypingError('Cannot specify both "C" and "F" order', hint="choose one of them")
    order = types.String("C" if "C" in wishes else "F") if wishes & {"C", "F"} else None
    wanted = as_wanted(a, dtype, order)
    if wanted is None:
        return None
    locked = isinstance(a, Array) and (a.readonly or not a.aligned)
    if "O" in wishes or ("W" in wishes and locked) or ("A" in wishes and locked):
        return lambda a, dtype=None, requirements=None: np.copy(wanted(a))
    return lambda a, dtype=None, requirements=None: wanted(a)
