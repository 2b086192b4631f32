"""Element-wise functions that are not ufuncs: `nan_to_num round around`."""

from __future__ import annotations

from typing import Any

import numpy as np

from cutaway.errors import TypingError
from cutaway.extending.bodies import refuse, static
from cutaway.extending.registry import CONTEXT, method
from cutaway.library.arrays.kit.dtypes import element_dtype
from cutaway.library.arrays.kit.elements import single
from cutaway.library.arrays.kit.filling import stored
from cutaway.library.arrays.kit.lines import line_at, line_count
from cutaway.library.arrays.kit.takes import Flag, Integer, Operands, Output, RealOrNone, numpy
from cutaway.library.arrays.kit.typers import dimensions, element, is_complex, is_in_rows, private
from cutaway.library.elements.kernels import elements_of, new_array, rule_of
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import Value
from cutaway.typing import types
from cutaway.typing.overloads.resolution import REQUIRED, Arguments, Overload, Signature
from cutaway.typing.types import Array, Float


@private
def _finite(x, largest, nan, posinf, neginf):
    """A real number, or the replacement of a non-finite one."""
    if x != x:  # noqa: PLR0124
        return nan
    if x == np.inf:
        return largest if posinf is None else posinf
    if x == -np.inf:
        return -largest if neginf is None else neginf
    return float(x)


@private
def _replaced(x, largest, nan, posinf, neginf):
    if not is_complex(x):
        return _finite(x, largest, nan, posinf, neginf)
    real = _finite(x.real, largest, nan, posinf, neginf)
    return complex(real, _finite(x.imag, largest, nan, posinf, neginf))


@static
def _largest(x: Any) -> float:
    """The largest finite number of the elements' type, or of the type of their parts."""
    return float(np.finfo(element_dtype(x)).max)


@numpy(np.nan_to_num)
def nan_to_num(
    x: Operands,
    copy: Flag = True,
    nan: RealOrNone = 0.0,
    posinf: RealOrNone = None,
    neginf: RealOrNone = None,
):
    """The numbers with non-finite ones replaced."""
    if not dimensions(x):  # for a number NumPy returns a number
        line = np.full(1, single(x))
        return np.nan_to_num(line, nan=nan, posinf=posinf, neginf=neginf)[0]
    if not copy and not x.flags.writeable:
        refuse("the array is read-only", "leave out `copy=False`")
    out = x.copy() if copy else x
    if x.dtype.kind not in "fc":
        return out
    largest = _largest(x)
    if copy or is_in_rows(x):
        line = out.ravel()
        for n in range(len(line)):
            line[n] = _replaced(line[n], largest, nan, posinf, neginf)
        return out
    for k in range(line_count(out)):
        line = line_at(out, k)
        for n in range(len(line)):
            line[n] = _replaced(line[n], largest, nan, posinf, neginf)
    return out


# --- rounding ---------------------------------------------------------------------------------


def _round_rule(arguments: Arguments) -> Signature | None:
    """The rule for arrays of floats rounded to integers, which is `rint`."""
    a, decimals = arguments.types[0], arguments.constants[1]
    if type(decimals) is not int or decimals != 0:
        return None
    if not isinstance(a, Array) or not a.ndim or not isinstance(a.dtype, Float):
        return None
    signature = rule_of("rint")(Arguments(arguments.types[:1], arguments.constants[:1]))
    return None if signature is None else Signature(signature.returns, arguments.types)


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
    """A power of ten as NumPy computes it, a product of tens."""
    power = 1.0
    for _ in range(min(count, 400)):  # beyond, the power is infinite
        power *= 10.0
    return power


@private
def _require_int(decimals):
    """Raise OverflowError for a number outside C's int."""
    if decimals > 2**31 - 1:
        raise OverflowError("signed integer is greater than maximum")
    if decimals < -(2**31):
        raise OverflowError("signed integer is less than minimum")


@private
def _rounded(x, decimals):
    """A float, or floats, rounded to `decimals`."""
    if decimals > 0:
        power = _power_of_ten(decimals)
        return np.rint(x * power) / power
    if decimals < 0:
        power = _power_of_ten(-decimals)
        return np.rint(x / power) * power
    return np.rint(x)


@static
def _rounds_integers(a: Any) -> bool:
    return types.is_integral(element(a))


@numpy(np.round, "round", also=(np.around,))
def rounded(a: Operands, decimals: Integer = 0, out: Output = None):
    """Each number rounded to `decimals`, halves to even."""
    if element_dtype(a).kind == "b":
        refuse("bools are not rounded", "convert them to numbers")
    if out is not None:
        check_stored(out, a)
        return stored(out, np.asarray(np.round(a, decimals)))
    _require_int(decimals)
    if is_complex(a):
        if not isinstance(a, np.ndarray):
            refuse("a complex number is not rounded", "round its parts")
        parts = np.empty(a.shape, a.dtype)
        parts.real[...] = np.round(a.real, decimals)
        parts.imag[...] = np.round(a.imag, decimals)
        return parts if a.ndim else parts[()]
    cast = element_dtype(a).type
    if not dimensions(a):
        x = single(a)
        if not _rounds_integers(a):
            return cast(_rounded(x, decimals))
        if decimals >= 0:
            return x
        return _rounded(np.full(1, float(x)), decimals).astype(cast)[0]  # the result may be NaN
    if not _rounds_integers(a):
        return _rounded(a, decimals)
    if decimals >= 0:
        return np.copy(a)
    return _rounded(a.astype(np.float64), decimals).astype(cast)


@static
def check_stored(out: Any, a: Any) -> None:
    """Refuse an output of another dtype, since NumPy would round in that dtype."""
    if out.dtype is not element(a):
        raise TypingError("an output must have the dtype of the numbers", hint="convert them first")
