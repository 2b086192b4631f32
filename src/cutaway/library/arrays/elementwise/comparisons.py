"""Comparisons of arrays, exact or with a tolerance: `isclose allclose array_equal array_equiv`."""

from __future__ import annotations

from typing import Any

import numpy as np

from cutaway.extending.bodies import refuse, static
from cutaway.library.arrays.kit.dtypes import WEAK_INEXACT, element_dtype, promoted, real_dtype
from cutaway.library.arrays.kit.elements import (
    covers,
    is_plain,
    item,
    line_of,
    over,
    shape2,
    single,
    whole,
)
from cutaway.library.arrays.kit.lines import line_at, line_count, lines_in
from cutaway.library.arrays.kit.shapes import is_merged, merged, spread
from cutaway.library.arrays.kit.takes import Elements, Operands, RealOrNone, numpy
from cutaway.library.arrays.kit.typers import are_alike, dimensions, is_array, private
from cutaway.typing import types

# --- with a tolerance -------------------------------------------------------------------------


@static
def _second_dtype(b: Any) -> np.dtype[Any]:
    """The dtype of the second number, which NumPy makes inexact."""
    return np.result_type(element_dtype(b), 1.0)


@static
def _common_dtype(a: Any, b: Any) -> np.dtype[Any]:
    """The dtype of the difference; a Python number takes part as a weak one."""
    return promoted(a, WEAK_INEXACT.get(b, _second_dtype(b)))


@private
def _is_close(x, y, dtypes, rtol, atol, equal_nan):
    """True if two numbers are equal within a tolerance; `dtypes` are those of the difference and of
    the second number."""
    common, second = dtypes
    first, exact = common.type(x), second.type(y)
    if first != first or exact != exact:  # noqa: PLR0124
        return bool(equal_nan and first != first and exact != exact)  # noqa: PLR0124
    other, size = common.type(exact), abs(exact)
    if first == other:
        return True
    part, limit = real_dtype(second).type, real_dtype(common).type
    return bool(size != np.inf and abs(first - other) <= limit(part(atol) + part(rtol) * size))


@private
def _fill(out, x, y, dtypes, rtol, atol, equal_nan):
    """Compare two lines element by element; either may be a single number."""
    for k in range(len(out)):
        out[k] = _is_close(item(x, k), item(y, k), dtypes, rtol, atol, equal_nan)


@private
def _are_close(x, y, count, dtypes, rtol, atol, equal_nan):
    """True if all elements are close. The loop has no early exit, so that LLVM can vectorize it."""
    close = True
    for k in range(count):
        close &= _is_close(item(x, k), item(y, k), dtypes, rtol, atol, equal_nan)
    return close


@numpy(np.isclose)
def isclose(
    a: Operands,
    b: Operands,
    rtol: RealOrNone = 1e-05,
    atol: RealOrNone = 1e-08,
    equal_nan: RealOrNone = False,
):
    """Whether numbers are equal up to a tolerance."""
    dtypes = (_common_dtype(a, b), _second_dtype(b))
    if dimensions(a) == 0 and dimensions(b) == 0:
        return _is_close(single(a), single(b), dtypes, rtol, atol, equal_nan)
    out = np.empty(shape2(a, b), np.bool_)
    if is_plain(a, b) and covers(a, out.shape) and covers(b, out.shape):
        _fill(out.ravel(), whole(a), whole(b), dtypes, rtol, atol, equal_nan)
        return out
    x, y = over(a, out.shape), over(b, out.shape)
    for k in range(line_count(out)):
        _fill(line_at(out, k), line_of(x, k), line_of(y, k), dtypes, rtol, atol, equal_nan)
    return out


@numpy(np.allclose)
def allclose(
    a: Operands,
    b: Operands,
    rtol: RealOrNone = 1e-05,
    atol: RealOrNone = 1e-08,
    equal_nan: RealOrNone = False,
):
    """Whether all numbers are equal up to a tolerance."""
    dtypes = (_common_dtype(a, b), _second_dtype(b))
    if dimensions(a) == 0 and dimensions(b) == 0:
        return _is_close(single(a), single(b), dtypes, rtol, atol, equal_nan)
    shape = shape2(a, b)
    lines, size = lines_in(shape), shape[-1]
    if is_plain(a, b) and covers(a, shape) and covers(b, shape):
        return _are_close(whole(a), whole(b), lines * size, dtypes, rtol, atol, equal_nan)
    x, y = over(a, shape), over(b, shape)
    for k in range(lines):
        if not _are_close(line_of(x, k), line_of(y, k), size, dtypes, rtol, atol, equal_nan):
            return False
    return True


# --- exact ------------------------------------------------------------------------------------


@static
def _are_compared(a1: Any, a2: Any) -> bool:
    """True if two arrays of texts, times or records are compared as wholes."""
    if not are_alike(a1, a2) or is_array(a1):
        both = all(isinstance(getattr(one, "dtype", None), types.FixedString) for one in (a1, a2))
        return both and a1.dtype.kind == a2.dtype.kind
    return True


@static
def _compared_dtype(first: Any, second: Any) -> np.dtype[Any] | None:
    """The common dtype that elements are compared in, or None to compare as they are: NumPy
    compares integers with floats as floats, Python exactly."""
    kinds = {element_dtype(first).kind, element_dtype(second).kind}
    return promoted(first, second) if kinds & set("iu") and kinds & set("fc") else None


@private
def _equal(x, y, dtype, equal_nan):
    if dtype is not None:
        return _equal(dtype.type(x), dtype.type(y), None, equal_nan)
    return x == y or (equal_nan and x != x and y != y)  # noqa: PLR0124


@numpy(np.array_equal)
def array_equal(a1: Elements, a2: Elements, equal_nan: RealOrNone = False):
    """Whether two arrays have the same shape and elements."""
    if a1.ndim != a2.ndim:
        return False
    if _are_compared(a1, a2):
        if equal_nan:
            refuse("only arrays of numbers have elements that are not equal to themselves")
        return a1.shape == a2.shape and bool(np.all(a1 == a2))
    if not is_array(a1) or not is_array(a2):
        refuse("elements of these types are not compared")
    if a1.shape != a2.shape:
        return False
    dtype = _compared_dtype(a1, a2)
    for one, other in zip(a1.flat, a2.flat):  # noqa: B905  they are of one length
        if not _equal(one, other, dtype, equal_nan):
            return False
    return True


@numpy(np.array_equiv)
def array_equiv(a1: Operands, a2: Operands):
    """Whether all elements are equal where one array is broadcast to the other."""
    first, second, dtype = np.atleast_1d(a1), np.atleast_1d(a2), _compared_dtype(a1, a2)
    shape = merged(first.shape, second.shape)
    if not is_merged(shape):
        return False
    pairs = zip(spread(first, shape).flat, spread(second, shape).flat)  # noqa: B905
    for x, y in pairs:  # noqa: SIM110  loops are the point
        if not _equal(x, y, dtype, False):
            return False
    return True
