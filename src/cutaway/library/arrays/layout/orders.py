"""Arrays in a requested shape or order: `resize rollaxis matrix_transpose require asanyarray
asarray_chkfinite`, and `reshape ravel copy flatten` with an order.

The forms without an order are in `methods.py`, which registers first and takes precedence.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cutaway.errors import TypingError
from cutaway.extending.bodies import Takes, body, refuse, static
from cutaway.extending.registry import method
from cutaway.foundation import loading
from cutaway.library.arrays import methods
from cutaway.library.arrays.kit.axes import axis_of
from cutaway.library.arrays.kit.copies import as_wanted, copied, order_of
from cutaway.library.arrays.kit.shapes import inserted, is_in_order, removed, strided
from cutaway.library.arrays.kit.sizes import size_of_all
from cutaway.library.arrays.kit.takes import (
    AnyElements,
    Anything,
    Dtype,
    Elements,
    Flag,
    Integer,
    Operands,
    Order,
    Sizes,
    as_tuple,
    is_several,
    numpy,
)
from cutaway.library.arrays.kit.typers import (
    OPTIONS,
    are_elements,
    is_shape,
    left_out,
    private,
    said,
)
from cutaway.typing.types import Array, Tuple

loading.run(methods)  # registers the forms without an order

FlagOrNone = Takes(
    "a constant bool, or None", lambda copy: left_out(copy) or Flag.fits(copy), by_value=True
)

# --- orders -----------------------------------------------------------------------------------


@private
def _is_fortran(a):
    """True if an array is in Fortran order but not in C order."""
    lies_in_f = is_in_order(a.shape[::-1], a.strides[::-1], a.itemsize)
    return lies_in_f and not is_in_order(a.shape, a.strides, a.itemsize)


@static
def _order_for(a: Array, order: Any) -> str:
    """The order in which elements are read: C, F, or A if it depends on the strides."""
    way = order_of(order, "C")
    if way == "K" and a.ndim > 1 and a.layout == "A":
        raise TypingError("order 'K' is not compiled for this array", hint="write order='C'")
    if way == "F" or (way in ("A", "K") and a.layout == "F"):
        return "F"
    return "A" if way == "A" and a.layout == "A" and a.ndim > 1 else "C"


@private
def _line_in(a, order):
    """All elements as one line, read in an order."""
    way = _order_for(a, order)
    if way == "F" or (way == "A" and _is_fortran(a)):
        return a.T.ravel()
    return a.ravel()


@numpy(np.ravel, "ravel")
def ravel(a: AnyElements, order: Order = "C"):
    return _line_in(a, order) if isinstance(a, np.ndarray) else np.full(1, a)


@body(method(Array, "flatten"), **OPTIONS)
def flatten(a, order: Order = "C"):
    return _line_in(a, order).copy()


@numpy(np.copy)
def copy(a: AnyElements, order: Order = "K", subok: Anything = False):
    return copied(a, order) if isinstance(a, np.ndarray) else np.full((), a)


@body(method(Array, "copy"), **OPTIONS)
def copy_method(a, order: Order = "C"):
    return a.copy() if order is None else copied(a, order)


# --- other shapes -----------------------------------------------------------------------------


@private
def _check_fit(a, shape):
    """Let a reshape in C order raise for a misfit, so that the error quotes the original shape."""
    count, unknown = 1, 0
    for size in shape:
        unknown += size < 0
        count *= 1 if size < 0 else size
    if (unknown == 0 and count != a.size) or (unknown and (count == 0 or a.size % count)):
        a.reshape(shape)


@private
def _shaped_as_it_lies(a, shape):
    """An array reshaped in Fortran order if it is stored so, else in C order."""
    if _is_fortran(a):
        turned = a.T.reshape(shape[::-1]).T
        return strided(turned, turned.shape, turned.strides)
    table = a.reshape(shape)
    return strided(table, table.shape, table.strides)


@private
def _in_shape(a, shape, order):
    """An array reshaped with its elements read in an order."""
    way = _order_for(a, order)
    if way == "A":
        return _shaped_as_it_lies(a, shape)
    if way == "C":
        return a.reshape(shape)
    _check_fit(a, shape)
    return a.T.reshape(shape[::-1]).T


@private
def _reshaped(a, shape, order, copy):
    if order == "K":
        refuse("order 'K' is not permitted for reshaping", "write order='A'")
    if copy is None:
        return _in_shape(a, shape, order)
    if not copy:
        refuse(
            "whether another shape needs a copy depends on the strides of the array",
            "leave `copy` out, or write True",
        )
    return _in_shape(a, shape, order).copy()


@numpy(np.reshape)
def reshape(a: AnyElements, /, shape: Sizes, order: Order = "C", *, copy: FlagOrNone = None):
    if not isinstance(a, np.ndarray):
        return np.full(1, a).reshape(shape)
    return _reshaped(a, as_tuple(shape), order, copy)


_are_sizes = static(is_shape)


@body(method(Array, "reshape"), **OPTIONS)
def reshape_method(a, *shape, order: Order = "C", copy: FlagOrNone = None):
    sizes = tuple(shape[0]) if len(shape) == 1 and is_several(shape[0]) else shape
    if not _are_sizes(sizes):
        refuse("the sizes of a shape are ints")
    return _reshaped(a, sizes, order, copy)


@private
def _cycled(a, shape):
    """A new array filled with the elements of another, cyclically."""
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
def resize(a: AnyElements, new_shape: Sizes):
    return _cycled(a if isinstance(a, np.ndarray) else np.full(1, a), as_tuple(new_shape))


# --- axes -------------------------------------------------------------------------------------


@numpy(np.rollaxis)
def rollaxis(a: Elements, axis: Integer, start: Integer = 0):
    k = axis_of(a, axis)
    place = start + a.ndim if start < 0 else start
    if place < 0 or place > a.ndim:
        raise np.exceptions.AxisError(
            f"'start' arg requires {-a.ndim} <= start < {a.ndim + 1}, but {place} was passed in"
        )
    place -= int(k < place)
    shape = inserted(removed(a.shape, k), place, a.shape[k])
    return strided(a, shape, inserted(removed(a.strides, k), place, a.strides[k]))


@numpy(np.matrix_transpose)
def matrix_transpose(x: Elements, /):
    if x.ndim < 2:
        raise ValueError(f"Input array must be at least 2-dimensional, but it is {x.ndim}")
    return np.swapaxes(x, -1, -2)


# --- requirements -----------------------------------------------------------------------------


Sequence = Takes(
    "an array, a number, or a tuple", lambda a: isinstance(a, Tuple) or are_elements(a)
)


@numpy(np.asanyarray)
def asanyarray(a: Sequence, dtype: Dtype = None, order: Order = None, *, copy: FlagOrNone = None):
    if copy is not None:
        return np.asarray(a, dtype, order, copy=copy)
    if is_several(a):
        return np.asarray(a, dtype) if order is None else np.asarray(a, dtype, order)
    return as_wanted(a, dtype, order)


@numpy(np.asarray_chkfinite)
def asarray_chkfinite(a: Operands, dtype: Dtype = None, order: Order = None):
    out = as_wanted(a, dtype, order)
    if not np.all(np.isfinite(out)):
        raise ValueError("array must not contain infs or NaNs")
    return out


_REQUIREMENTS = {
    **{"C": "C", "C_CONTIGUOUS": "C", "CONTIGUOUS": "C"},
    **{"F": "F", "F_CONTIGUOUS": "F", "FORTRAN": "F"},
    **{"A": "A", "ALIGNED": "A", "W": "W", "WRITEABLE": "W"},
    **{"O": "O", "OWNDATA": "O", "E": "E", "ENSUREARRAY": "E"},
}


def _demands(requirements: Any) -> set[str] | None:
    """The letters of the requirements; None if they are not constant."""
    if left_out(requirements):
        return set()
    given = requirements.items if isinstance(requirements, Tuple) else (requirements,)
    names = [said(one) for one in given]
    # A single text stands for its letters.
    letters = names if isinstance(requirements, Tuple) else list(names[0] or "?")
    flags = {_REQUIREMENTS.get(str(one).upper(), "?") for one in letters}
    return None if "?" in flags else flags


Requirements = Takes("names of flags", lambda argument: _demands(argument) is not None)


@static
def _required_order(requirements: Any) -> str | None:
    wishes = _demands(requirements) or set()
    if wishes >= {"C", "F"}:
        raise TypingError('Cannot specify both "C" and "F" order', hint="choose one of them")
    return "C" if "C" in wishes else "F" if "F" in wishes else None


@static
def _requires_copy(a: Any, requirements: Any) -> bool:
    wishes = _demands(requirements) or set()
    locked = isinstance(a, Array) and (a.readonly or not a.aligned)
    return "O" in wishes or (locked and bool(wishes & {"W", "A"}))


@numpy(np.require)
def require(a: Operands, dtype: Dtype = None, requirements: Requirements = None):
    wanted = as_wanted(a, dtype, _required_order(requirements))
    return np.copy(wanted) if _requires_copy(a, requirements) else wanted
