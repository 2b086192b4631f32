"""Arrays compared as a whole, or nearly: `isclose allclose array_equal array_equiv`."""

from __future__ import annotations

from types import FunctionType
from typing import Any

import numpy as np

from cutaway.library.arrays.kit.dtypes import WEAK_INEXACT, element_dtype, promoted
from cutaway.library.arrays.kit.elements import (
    covers,
    is_plain,
    item,
    line_of,
    over,
    result_is_number,
    shape2,
    single,
    whole,
)
from cutaway.library.arrays.kit.lines import line_at, line_count, lines_in
from cutaway.library.arrays.kit.shapes import is_merged, merged, spread
from cutaway.library.arrays.kit.typers import (
    are_alike,
    are_elements,
    are_numbers_or_left_out,
    flag,
    is_array,
    numpy,
    private,
)
from cutaway.typing import types

# --- nearly equal -----------------------------------------------------------------------------


def _closeness(a, b):
    """The function that tests whether two numbers are equal up to a tolerance.

    As in NumPy the second one is made inexact, and a number of Python's stays one: what is
    compared has the type of the difference.
    """
    second = np.dtype(np.result_type(element_dtype(b), 1.0))
    common = promoted(a, WEAK_INEXACT.get(b, second))
    cast, to_inexact, part = common.type, second.type, second.type(0).real.dtype.type
    limit = common.type(0).real.dtype.type

    @private
    def is_close(x, y, rtol, atol, equal_nan):
        first, exact = cast(x), to_inexact(y)
        if first != first or exact != exact:  # noqa: PLR0124
            return bool(equal_nan and first != first and exact != exact)  # noqa: PLR0124
        other, size = cast(exact), abs(exact)
        if first == other:
            return True
        return bool(size != np.inf and abs(first - other) <= limit(part(atol) + part(rtol) * size))

    return is_close


def _fill_of(is_close: FunctionType) -> FunctionType:
    """Tests the elements of two lines, each of which may be one number instead."""

    @private
    def fill(out, x, y, rtol, atol, equal_nan):
        for k in range(len(out)):
            out[k] = is_close(item(x, k), item(y, k), rtol, atol, equal_nan)

    return fill


def _all_of(is_close: FunctionType) -> FunctionType:
    """The same for all at once: without a way out of the loop, which LLVM makes vectors of."""

    @private
    def are_close(x, y, count, rtol, atol, equal_nan):
        close = True
        for k in range(count):
            close &= is_close(item(x, k), item(y, k), rtol, atol, equal_nan)
        return close

    return are_close


@numpy(np.isclose)
def _isclose(a, b, rtol=1e-05, atol=1e-08, equal_nan=False):
    if not are_elements(a, b) or not are_numbers_or_left_out(rtol, atol, equal_nan):
        return None
    is_close, plain = _closeness(a, b), is_plain(a, b)
    fill = _fill_of(is_close)

    def of_numbers(a, b, rtol=1e-05, atol=1e-08, equal_nan=False):
        return is_close(single(a), single(b), rtol, atol, equal_nan)

    def of_arrays(a, b, rtol=1e-05, atol=1e-08, equal_nan=False):
        out = np.empty(shape2(a, b), np.bool_)
        if plain and covers(a, out.shape) and covers(b, out.shape):
            fill(out.ravel(), whole(a), whole(b), rtol, atol, equal_nan)
            return out
        x, y = over(a, out.shape), over(b, out.shape)
        for k in range(line_count(out)):
            fill(line_at(out, k), line_of(x, k), line_of(y, k), rtol, atol, equal_nan)
        return out

    return of_numbers if result_is_number(a, b) else of_arrays


@numpy(np.allclose)
def _allclose(a, b, rtol=1e-05, atol=1e-08, equal_nan=False):
    if not are_elements(a, b) or not are_numbers_or_left_out(rtol, atol, equal_nan):
        return None
    is_close, plain = _closeness(a, b), is_plain(a, b)
    are_close = _all_of(is_close)

    def of_numbers(a, b, rtol=1e-05, atol=1e-08, equal_nan=False):
        return is_close(single(a), single(b), rtol, atol, equal_nan)

    def of_arrays(a, b, rtol=1e-05, atol=1e-08, equal_nan=False):
        shape = shape2(a, b)
        lines = lines_in(shape)
        if plain and covers(a, shape) and covers(b, shape):
            return are_close(whole(a), whole(b), lines * shape[-1], rtol, atol, equal_nan)
        x, y = over(a, shape), over(b, shape)
        for k in range(lines):
            if not are_close(line_of(x, k), line_of(y, k), shape[-1], rtol, atol, equal_nan):
                return False
        return True

    return of_numbers if result_is_number(a, b) else of_arrays


def _are_compared(a1: Any, a2: Any) -> bool:
    """True if two arrays are compared as wholes: they have texts, times or records."""
    if not are_alike(a1, a2) or is_array(a1):
        both = all(isinstance(getattr(one, "dtype", None), types.FixedString) for one in (a1, a2))
        return both and a1.dtype.kind == a2.dtype.kind
    return True


@numpy(np.array_equal)
def _array_equal(a1, a2, equal_nan=False):
    if _are_compared(a1, a2) and flag(equal_nan) is False:
        if a1.ndim != a2.ndim:
            return lambda a1, a2, equal_nan=False: False
        return lambda a1, a2, equal_nan=False: a1.shape == a2.shape and bool(np.all(a1 == a2))
    if not is_array(a1) or not is_array(a2) or not are_numbers_or_left_out(equal_nan):
        return None
    if a1.ndim != a2.ndim:
        return lambda a1, a2, equal_nan=False: False

    cast = _in_common(a1, a2)

    def array_equal(a1, a2, equal_nan=False):
        if a1.shape != a2.shape:
            return False
        for one, other in zip(a1.flat, a2.flat):  # noqa: B905  they are of one length
            x, y = cast(one), cast(other)
            if x != y and not (equal_nan and x != x and y != y):  # noqa: PLR0124
                return False
        return True

    return array_equal


def _in_common(first: Any, second: Any) -> Any:
    """The function that converts elements before they are compared: NumPy compares integers with
    floats as floats, Python exactly."""
    kinds = {element_dtype(first).kind, element_dtype(second).kind}
    mixed = kinds & set("iu") and kinds & set("fc")
    return promoted(first, second).type if mixed else private(lambda x: x)


@numpy(np.array_equiv)
def _array_equiv(a1, a2):
    if not are_elements(a1, a2):
        return None
    cast = _in_common(a1, a2)

    def array_equiv(a1, a2):
        first, second = np.atleast_1d(a1), np.atleast_1d(a2)
        shape = merged(first.shape, second.shape)
        if not is_merged(shape):
            return False
        pairs = zip(spread(first, shape).flat, spread(second, shape).flat)  # noqa: B905
        for x, y in pairs:  # noqa: SIM110  loops are the point
            if cast(x) != cast(y):
                return False
        return True

    return array_equiv
