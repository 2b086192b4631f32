"""Arrays compared as a whole, and functions given by points and by coefficients:
`isclose allclose array_equal interp polyval`."""

from __future__ import annotations

from typing import Any

import numpy as np

from cutaway.library.arrays.kit.dtypes import WEAK_INEXACT, element_dtype, joint, promoted
from cutaway.library.arrays.kit.elements import map2, result_is_number, shape2, single
from cutaway.library.arrays.kit.typers import (
    are_elements,
    element,
    is_array,
    is_left_out_or,
    left_out,
    numpy,
    private,
)
from cutaway.library.arrays.searching import place_from_right
from cutaway.typing import types

# --- nearly equal -----------------------------------------------------------------------------


def _closeness(a, b):  # type: ignore[no-untyped-def]
    """What tells whether two numbers are equal but for a tolerance.

    As in NumPy the second one is made inexact, and a number of Python's stays one: what is
    compared has the type of the difference.
    """
    second = np.dtype(np.result_type(element_dtype(b), 1.0))
    common = promoted(a, WEAK_INEXACT.get(b, second))
    cast, to_inexact, part = common.type, second.type, second.type(0).real.dtype.type
    limit = common.type(0).real.dtype.type

    @private
    def is_close(x, y, rtol, atol, equal_nan):  # type: ignore[no-untyped-def]
        first, exact = cast(x), to_inexact(y)
        if first != first or exact != exact:  # noqa: PLR0124
            return bool(equal_nan and first != first and exact != exact)  # noqa: PLR0124
        other, size = cast(exact), abs(exact)
        if first == other:
            return True
        return bool(size != np.inf and abs(first - other) <= limit(part(atol) + part(rtol) * size))

    return is_close


def _are_tolerances(*given):  # type: ignore[no-untyped-def]
    return all(is_left_out_or(types.is_real, one) for one in given)


@numpy(np.isclose)
def _isclose(a, b, rtol=1e-05, atol=1e-08, equal_nan=False):  # type: ignore[no-untyped-def]
    if not are_elements(a, b) or not _are_tolerances(rtol, atol, equal_nan):
        return None
    is_close = _closeness(a, b)

    def of_numbers(a, b, rtol=1e-05, atol=1e-08, equal_nan=False):  # type: ignore[no-untyped-def]
        return is_close(single(a), single(b), rtol, atol, equal_nan)

    def of_arrays(a, b, rtol=1e-05, atol=1e-08, equal_nan=False):  # type: ignore[no-untyped-def]

        def near(x, y):  # type: ignore[no-untyped-def]
            return is_close(x, y, rtol, atol, equal_nan)

        out = np.empty(shape2(a, b), np.bool_)
        map2(near, out, a, b)
        return out

    return of_numbers if result_is_number(a, b) else of_arrays


@numpy(np.allclose)
def _allclose(a, b, rtol=1e-05, atol=1e-08, equal_nan=False):  # type: ignore[no-untyped-def]
    if not are_elements(a, b) or not _are_tolerances(rtol, atol, equal_nan):
        return None
    if result_is_number(a, b):
        return lambda a, b, rtol=1e-05, atol=1e-08, equal_nan=False: np.isclose(
            a, b, rtol, atol, equal_nan
        )
    return lambda a, b, rtol=1e-05, atol=1e-08, equal_nan=False: np.all(
        np.isclose(a, b, rtol, atol, equal_nan)
    )


def _register_equality(function: Any) -> None:  # Any: a function of NumPy
    @numpy(function)
    def array_equal(a1, a2, equal_nan=False):  # type: ignore[no-untyped-def]
        if not is_array(a1) or not is_array(a2) or not _are_tolerances(equal_nan):
            return None
        if a1.ndim != a2.ndim:
            return lambda a1, a2, equal_nan=False: False

        def array_equal(a1, a2, equal_nan=False):  # type: ignore[no-untyped-def]
            if a1.shape != a2.shape:
                return False
            for x, y in zip(a1.flat, a2.flat):  # noqa: B905  they are of one length
                if x != y and not (equal_nan and x != x and y != y):  # noqa: PLR0124
                    return False
            return True

        return array_equal


_register_equality(np.array_equal)


# --- functions given by points and by coefficients --------------------------------------------


@private
def _interpolated(x, xp, fp, left, right):  # type: ignore[no-untyped-def]
    last = len(xp) - 1
    if x != x:  # noqa: PLR0124
        return x
    if x < xp[0]:
        return left
    if x > xp[last]:
        return right
    k = place_from_right(xp, x, float) - 1
    low = float(fp[k])
    if k == last or float(xp[k]) == x:
        return low
    slope = (fp[k + 1] - low) / (xp[k + 1] - xp[k])
    found = slope * (x - xp[k]) + low
    if found != found:  # noqa: PLR0124
        found = slope * (x - xp[k + 1]) + fp[k + 1]
        if found != found and fp[k] == fp[k + 1]:  # noqa: PLR0124
            found = low
    return found


@private
def _check_points(xp, fp):  # type: ignore[no-untyped-def]
    if len(xp) == 0:
        raise ValueError("array of sample points is empty")
    if len(xp) != len(fp):
        raise ValueError("fp and xp are not of the same length.")


def _are_lines(*given):  # type: ignore[no-untyped-def]
    return all(is_array(a) and a.ndim == 1 and types.is_real(a.dtype) for a in given)


@numpy(np.interp)
def _interp(x, xp, fp, left=None, right=None):  # type: ignore[no-untyped-def]
    if not are_elements(x) or not types.is_real(element(x)) or not _are_lines(xp, fp):
        return None
    if not _are_tolerances(left, right):
        return None
    no_left, no_right = left_out(left), left_out(right)

    @private
    def left_of(fp, left):  # type: ignore[no-untyped-def]
        return float(fp[0]) if no_left else float(left)

    @private
    def right_of(fp, right):  # type: ignore[no-untyped-def]
        return float(fp[len(fp) - 1]) if no_right else float(right)

    def of_number(x, xp, fp, left=None, right=None):  # type: ignore[no-untyped-def]
        _check_points(xp, fp)
        return _interpolated(float(single(x)), xp, fp, left_of(fp, left), right_of(fp, right))

    def of_array(x, xp, fp, left=None, right=None):  # type: ignore[no-untyped-def]
        _check_points(xp, fp)
        first, last = left_of(fp, left), right_of(fp, right)
        out = np.empty(x.shape)
        line, k = out.ravel(), 0
        for one in x.flat:
            line[k] = _interpolated(float(one), xp, fp, first, last)
            k += 1
        return out

    return of_number if result_is_number(x) else of_array


@numpy(np.polyval)
def _polyval(p, x):  # type: ignore[no-untyped-def]
    if not is_array(p) or p.ndim != 1 or not are_elements(x):
        return None
    dtype = joint(p, x)
    zero, cast = dtype.type(0), dtype.type
    if dtype.kind == "b":
        return None

    @private
    def value_at(p, x):  # type: ignore[no-untyped-def]
        total = zero
        for c in p:
            total = cast(total * x + c)
        return total

    def of_array(p, x):  # type: ignore[no-untyped-def]
        out = np.empty(x.shape, dtype)
        line, k = out.ravel(), 0
        for one in x.flat:
            line[k] = value_at(p, cast(one))
            k += 1
        return out

    return (lambda p, x: value_at(p, cast(single(x)))) if result_is_number(x) else of_array
