"""Functions of each element by itself: `maximum minimum isnan isinf isfinite nan_to_num`."""

from __future__ import annotations

import numpy as np

from cutaway.library.arrays.kit.dtypes import promoted
from cutaway.library.arrays.kit.elements import map1, mapped2, result_is_number, single
from cutaway.library.arrays.kit.operations import CHOICES, TESTS, ElementWise
from cutaway.library.arrays.kit.typers import (
    are_elements,
    are_numbers_or_left_out,
    element,
    has_real_elements,
    is_array,
    numpy,
    private,
)
from cutaway.library.math.weak_numbers import fitting
from cutaway.typing import types
from cutaway.typing.types import Complex, Float

# --- the larger and the smaller one -----------------------------------------------------------


def _register_choice(row: ElementWise) -> None:
    of_elements = row.of_elements

    @numpy(row.function)
    def choice(x1, x2):  # type: ignore[no-untyped-def]
        if not has_real_elements(x1, x2):
            return None
        dtype = promoted(x1, x2)
        cast = dtype.type

        @private
        def choose(x, y):  # type: ignore[no-untyped-def]
            return of_elements(cast(x), cast(y))

        chosen = mapped2(choose, dtype, result_is_number(x1, x2))
        return lambda x1, x2: chosen(fitting(x1, dtype), fitting(x2, dtype))


for _row in CHOICES:
    _register_choice(_row)


# --- not a number -----------------------------------------------------------------------------


def _register_test(row: ElementWise) -> None:
    """Of a complex number one part is looked at after the other: both have to be finite."""
    of_part, both = row.of_elements, row.function is np.isfinite

    @private
    def of_complex(x):  # type: ignore[no-untyped-def]
        if both:
            return of_part(x.real) and of_part(x.imag)
        return of_part(x.real) or of_part(x.imag)

    @numpy(row.function)
    def test(x):  # type: ignore[no-untyped-def]
        if not are_elements(x):
            return None
        kernel = of_complex if isinstance(element(x), Complex) else of_part
        if result_is_number(x):
            return lambda x: kernel(single(x))

        def test(x):  # type: ignore[no-untyped-def]
            out = np.empty(x.shape, np.bool_)
            map1(kernel, out, x)
            return out

        return test


for _row in TESTS:
    _register_test(_row)


def _replacing(dtype):  # type: ignore[no-untyped-def]
    """The replacement of a number that is not finite."""
    largest = float(np.finfo(dtype).max)

    @private
    def replacing(x, nan, posinf, neginf):  # type: ignore[no-untyped-def]
        if x != x:  # noqa: PLR0124
            return nan
        if x == np.inf:
            return largest if posinf is None else posinf
        if x == -np.inf:
            return -largest if neginf is None else neginf
        return float(x)

    return replacing


@numpy(np.nan_to_num)
def _nan_to_num(x, copy=True, nan=0.0, posinf=None, neginf=None):  # type: ignore[no-untyped-def]
    numbers = are_numbers_or_left_out(nan, posinf, neginf)
    if not is_array(x) or not isinstance(copy, bool) or not numbers:
        return None
    if x.ndim == 0:  # NumPy gives a number

        def of_single(x, copy=True, nan=0.0, posinf=None, neginf=None):  # type: ignore[no-untyped-def]
            line = np.nan_to_num(x.reshape(1), nan=nan, posinf=posinf, neginf=neginf)
            return line[0]

        return of_single
    if not isinstance(x.dtype, Float | Complex):
        return lambda x, copy=True, nan=0.0, posinf=None, neginf=None: x.copy()
    part = x.dtype.part if isinstance(x.dtype, Complex) else x.dtype
    replacing = _replacing(types.to_dtype(part))

    def of_floats(x, copy=True, nan=0.0, posinf=None, neginf=None):  # type: ignore[no-untyped-def]
        out = x.copy()
        line = out.ravel()
        for k in range(len(line)):
            line[k] = replacing(line[k], nan, posinf, neginf)
        return out

    def of_complex(x, copy=True, nan=0.0, posinf=None, neginf=None):  # type: ignore[no-untyped-def]
        out = x.copy()
        line = out.ravel()
        for k in range(len(line)):
            real = replacing(line[k].real, nan, posinf, neginf)
            line[k] = complex(real, replacing(line[k].imag, nan, posinf, neginf))
        return out

    return of_complex if isinstance(x.dtype, Complex) else of_floats
