"""Which loop of a ufunc computes with which types: NumPy's own rules, asked of NumPy.

    np.add of array(float32) and 2.5           float32, float32 -> float32
    np.add of array(int8) and array(uint8)     int16, int16 -> int16
    np.true_divide of array(int64) and 2       float64, float64 -> float64

A number that a program computes with is Python's where it is an int64, a float64 or a complex128:
it takes on the type of the arrays beside it, as far as it is of their kind (NEP 50).  Elements of
arrays, and numbers of other types, keep theirs.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

from cutaway.errors import TypingError
from cutaway.foundation import element_functions
from cutaway.foundation.dataclass import dataclass
from cutaway.typing import types
from cutaway.typing.types import Array, Type


@dataclass(frozen=True, slots=True)
class Loop:
    """The types in which an operation on elements is computed."""

    inputs: tuple[Type, ...]
    outputs: tuple[Type, ...]


_PYTHON: dict[Type, Any] = {types.int64: int, types.float64: float, types.complex128: complex}


def is_python_number(ty: Type) -> bool:
    """True if numbers of a type take on the type of the arrays beside them."""
    return ty in _PYTHON


def element_of(ty: Type) -> Type:
    """The type of the elements of an array, or of the number itself."""
    return ty.dtype if isinstance(ty, Array) else ty


# The operation that reads an element of a whole array, by an index for each of its axes.
FETCH = "fetch"

# What is no ufunc, but chooses among its operands' elements, from the operand of this place on.
_CHOOSING = {"where": 1, "clip": 0}


@cache
def loop_of(function: str, operands: tuple[Type, ...], output: Type | None = None) -> Loop | None:
    """The loop of an operation, the `function` of a `nodes.Element`, for arrays and numbers of
    these types; None where one is of a type that is not compiled.  `output` is the type of the
    elements that it writes to.

    Raises TypingError, in NumPy's words, where NumPy has no such loop.
    """
    name = function.partition(".")[0]
    if name == "as":
        return element_loop(function, tuple(map(element_of, operands)))
    if name in _CHOOSING:
        return _loop_of_choice(operands, _CHOOSING[name])
    called: np.ufunc = element_functions.called(name)
    outputs = (output, *[None] * (called.nout - 1))
    return loop_with(name, operands, outputs, None, "same_kind")


@cache
def loop_with(
    name: str,
    operands: tuple[Type, ...],
    outputs: tuple[Type | None, ...],
    dtype: Type | None,
    casting: str,
) -> Loop | None:
    """The loop of a ufunc that is told what to store in, what to compute with, and what may be
    converted to what.  Raises TypingError as `loop_of`."""
    if not all(_has_dtype(ty) for ty in (*operands, *filter(None, outputs))):
        return None
    if dtype is None and _compares_integers(name, operands):
        return Loop(tuple(map(element_of, operands)), (types.boolean,))
    given = [as_given(ty) for ty in operands]
    if all(ty in _PYTHON for ty in operands):
        given = [types.to_dtype(ty) for ty in operands]
    stored = [None if ty is None else types.to_dtype(ty) for ty in outputs]
    signature = None
    if dtype is not None:
        signature = (None,) * len(given) + (types.to_dtype(dtype),) * len(stored)
    return _resolved(name, given, stored, signature, casting)


@cache
def element_loop(name: str, elements: tuple[Type, ...]) -> Loop | None:
    """The loop of an operation on elements of exactly these types; see `nodes.Element`."""
    if not all(map(_has_dtype, elements)):
        return None
    if name == FETCH:
        return Loop(elements, (element_of(elements[0]),))
    stem, _, rest = name.partition(".")
    if stem in _CHOOSING:
        first = _CHOOSING[stem]
        conditions = (types.boolean,) * first
        return Loop((*conditions, *elements[first:]), elements[first : first + 1])
    if stem in ("as", "python"):
        wanted = types.element_type(np.dtype(rest))
        return None if wanted is None else Loop(elements, (wanted,))
    if _compares_integers(stem, elements):
        return Loop(elements, (types.boolean,))
    function: np.ufunc = element_functions.called(stem)
    loop = _resolved(stem, [types.to_dtype(ty) for ty in elements], [None] * function.nout)
    return loop if loop is None or not rest else Loop(loop.inputs, (loop.outputs[int(rest)],))


def conversions(
    name: str, operands: tuple[Type, ...], loop: Loop, forced: bool = False
) -> tuple[str, ...]:
    """What is done to each operand's elements first, as the function of a `nodes.Element`; empty
    where the loop takes them as they are.  `forced`: the loop does not follow from them."""
    functions = []
    for operand, wanted in zip(operands, loop.inputs, strict=True):
        own, function = element_of(operand), ""
        if own is not wanted and (_is_dated(own) or _is_dated(wanted)):
            function = f"as.{wanted}"
        elif own is not wanted and not isinstance(operand, Array) and is_python_number(own):
            keeps_bits = name == "where" and not _WHERE_FITS
            function = f"as.{wanted}" if keeps_bits else f"python.{wanted}"
        elif own is not wanted and (forced or name in _CHOOSING):
            function = f"as.{wanted}"
        functions.append(function)
    return tuple(functions)


def result_type(element: Type, operands: Sequence[Type]) -> Type:
    """The type of an element-wise result: a number where no operand has a dimension.

    NumPy takes over the order of the operands in memory; here that follows from their types.
    """
    arrays = [ty for ty in operands if isinstance(ty, Array)]
    ndim = max((ty.ndim for ty in arrays), default=0)
    if ndim == 0:
        return element
    tables = [ty for ty in arrays if ty.ndim > 1]
    columns = ndim > 1 and tables and all(ty.layout == "F" for ty in tables)
    return Array(element, ndim, "F" if columns else "C")


def _has_dtype(ty: Type) -> bool:
    element = element_of(ty)
    return types.is_number(element) or _is_dated(element)


def _is_dated(ty: Type) -> bool:
    return isinstance(ty, types.DateTime | types.TimeDelta)


_COMPARISONS = frozenset("equal not_equal less less_equal greater greater_equal".split())


def _compares_integers(name: str, operands: Sequence[Type]) -> bool:
    """True for a comparison of integers, which is exact whatever their types."""
    integral = (types.is_integral(element_of(ty)) for ty in operands)
    return name in _COMPARISONS and len(operands) == 2 and all(integral)


def as_given(ty: Type) -> Any:
    """An operand's dtype, or the class of a number of Python's."""
    if isinstance(ty, Array):
        return types.to_dtype(ty.dtype)
    return _PYTHON.get(ty) or types.to_dtype(ty)


def _resolved(
    name: str,
    given: list[Any],
    stored: list[Any],
    signature: Any = None,
    casting: str = "same_kind",
) -> Loop | None:
    function: np.ufunc = element_functions.called(name)
    if len(given) != function.nin:
        return None
    half = element_functions.ufunc_half_named(name)
    options = {} if signature is None else {"signature": signature}
    try:
        if half is not None:  # a user's function, which may gain a loop
            dtypes = half.loop_for((*given, *stored), casting, signature)
        else:
            dtypes = function.resolve_dtypes((*given, *stored), casting=casting, **options)
    except TypeError as error:
        raise TypingError(str(error)) from None
    found = [types.element_type(dtype) for dtype in dtypes]
    if None in found:
        return None
    return Loop(tuple(found[: function.nin]), tuple(found[function.nin :]))


# Until 2.5 NumPy's `where` keeps the lowest bits of a number that does not fit.
_WHERE_FITS = np.lib.NumpyVersion(np.__version__) >= "2.5.0"


def _loop_of_choice(operands: tuple[Type, ...], first: int) -> Loop | None:
    """The loop of what gives one of the elements of three operands, from a place on; what stands
    before them are conditions."""
    if len(operands) != 3 or not all(map(_has_dtype, operands)):
        return None
    # Of numbers alone NumPy makes arrays first.
    given = [one(0) if isinstance(one, type) else one for one in map(as_given, operands[first:])]
    chosen = types.element_type(np.result_type(*given))
    if chosen is None:
        return None
    return Loop((types.boolean,) * first + (chosen,) * (3 - first), (chosen,))
