"""Functions of each element by itself that are no ufuncs: `nan_to_num round around`."""

from __future__ import annotations

import numpy as np

from cutaway.extending.registry import CONTEXT, method
from cutaway.library.arrays.kit.elements import single
from cutaway.library.arrays.kit.lines import line_at, line_count
from cutaway.library.arrays.kit.storing import stored, takes
from cutaway.library.arrays.kit.typers import (
    are_elements,
    are_numbers_or_left_out,
    dimensions,
    flag,
    is_array,
    is_integral_or_default,
    numpy,
    private,
)
from cutaway.library.elements.calls import elements_of, new_array, rule_of
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import Value
from cutaway.typing import types
from cutaway.typing.overloads.resolution import REQUIRED, Arguments, Overload, Signature
from cutaway.typing.types import Array, Complex, Float, Integer


def _replacing(dtype):
    """The replacement of a number that is not finite."""
    largest = float(np.finfo(dtype).max)

    @private
    def replacing(x, nan, posinf, neginf):
        if x != x:  # noqa: PLR0124
            return nan
        if x == np.inf:
            return largest if posinf is None else posinf
        if x == -np.inf:
            return -largest if neginf is None else neginf
        return float(x)

    return replacing


@numpy(np.nan_to_num, by_value=True)
def _nan_to_num(x, copy=True, nan=0.0, posinf=None, neginf=None):
    copies = flag(copy)
    if not are_elements(x) or not are_numbers_or_left_out(nan, posinf, neginf):
        return None
    if copies is None or (not copies and isinstance(x, Array) and x.readonly):
        return None
    if not dimensions(x):  # NumPy gives a number

        def of_single(x, copy=True, nan=0.0, posinf=None, neginf=None):
            line = np.full(1, single(x))
            return np.nan_to_num(line, nan=nan, posinf=posinf, neginf=neginf)[0]

        return of_single
    start = private((lambda x: x.copy()) if copies else (lambda x: x))
    if not isinstance(x.dtype, Float | Complex):
        return lambda x, copy=True, nan=0.0, posinf=None, neginf=None: start(x)
    part = x.dtype.part if isinstance(x.dtype, Complex) else x.dtype
    replacing = _replacing(types.to_dtype(part))

    @private
    def finite(x, nan, posinf, neginf):
        return replacing(x, nan, posinf, neginf)

    @private
    def finite_parts(x, nan, posinf, neginf):
        real = replacing(x.real, nan, posinf, neginf)
        return complex(real, replacing(x.imag, nan, posinf, neginf))

    change = finite_parts if isinstance(x.dtype, Complex) else finite

    def of_lines(x, copy=True, nan=0.0, posinf=None, neginf=None):
        out = start(x)
        for k in range(line_count(out)):
            line = line_at(out, k)
            for n in range(len(line)):
                line[n] = change(line[n], nan, posinf, neginf)
        return out

    def of_line(x, copy=True, nan=0.0, posinf=None, neginf=None):
        out = start(x)
        line = out.ravel()
        for n in range(len(line)):
            line[n] = change(line[n], nan, posinf, neginf)
        return out

    return of_line if copies or x.layout == "C" else of_lines


# --- rounding ---------------------------------------------------------------------------------


def _round_rule(arguments: Arguments) -> Signature | None:
    """Of floats in arrays, to integers: that is `rint`."""
    a, decimals = arguments.types[0], arguments.constants[1]
    if type(decimals) is not int or decimals != 0:
        return None
    if not isinstance(a, Array) or not a.ndim or not isinstance(a.dtype, Float):
        return None
    found = rule_of("rint")(Arguments(arguments.types[:1], arguments.constants[:1]))
    return None if found is None else Signature(found.returns, arguments.types)


def _lower_round(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    of_array = Signature(sig.returns, sig.args[:1])
    return new_array(build, "rint", of_array, sig.returns, args[:1])


for _key in (np.round, np.around, method(Array, "round")):
    CONTEXT.add(
        _key,
        Overload(
            *(_round_rule, (), _lower_round),
            *(("a", "decimals"), (REQUIRED, 0)),
            elements=elements_of("rint", 1),
        ),
    )


@private
def _power_of_ten(count):
    """As NumPy computes it: products of tens, of more than eight one after the other."""
    power = 1.0
    for _ in range(min(count, 400)):  # then it is infinite
        power *= 10.0
    return power


@private
def _require_int(decimals):
    """Raise OverflowError for a number that is none of C's ints."""
    if decimals > 2**31 - 1:
        raise OverflowError("signed integer is greater than maximum")
    if decimals < -(2**31):
        raise OverflowError("signed integer is less than minimum")


@private
def _rounded(x, decimals):
    """Floats, or one of them, rounded to so many decimals."""
    if decimals > 0:
        power = _power_of_ten(decimals)
        return np.rint(x * power) / power
    if decimals < 0:
        power = _power_of_ten(-decimals)
        return np.rint(x / power) * power
    return np.rint(x)


@numpy(np.around, "round")
@numpy(np.round)
def _round(a, decimals=0):
    ty = a.dtype if is_array(a) else a
    if not is_integral_or_default(decimals) or not isinstance(ty, Float | Integer):
        return None
    cast = types.to_dtype(ty).type

    def of_float(a, decimals=0):
        _require_int(decimals)
        return cast(_rounded(single(a), decimals))

    def of_integer(a, decimals=0):
        x = single(a)
        _require_int(decimals)
        if decimals >= 0:
            return x
        return _rounded(np.full(1, float(x)), decimals).astype(cast)[0]  # which may be NaN

    def of_floats(a, decimals=0):
        _require_int(decimals)
        return _rounded(a, decimals)

    def of_integers(a, decimals=0):
        _require_int(decimals)
        if decimals >= 0:
            return np.copy(a)
        return _rounded(a.astype(np.float64), decimals).astype(cast)

    if not is_array(a) or a.ndim == 0:
        return of_float if isinstance(ty, Float) else of_integer
    return of_integers if isinstance(ty, Integer) else of_floats


@numpy(np.around, "round")
@numpy(np.round)
def _round_parts(a, decimals=0):
    if not is_array(a) or not isinstance(a.dtype, Complex) or not is_integral_or_default(decimals):
        return None
    is_point = a.ndim == 0

    def of_parts(a, decimals=0):
        out = np.empty(a.shape, a.dtype)
        out.real[...] = np.round(a.real, decimals)
        out.imag[...] = np.round(a.imag, decimals)
        return out[()] if is_point else out

    return of_parts


@numpy(np.around, "round")
@numpy(np.round)
def _round_into(a, decimals=0, out=None):
    if not is_array(a) or not is_integral_or_default(decimals):
        return None

    def kept(a, decimals=0, out=None):
        return stored(out, np.asarray(np.round(a, decimals)))

    # Into another dtype NumPy rounds in that one.
    fits = takes(out, types.to_dtype(a.dtype)) and out.dtype is a.dtype
    return kept if fits else None
