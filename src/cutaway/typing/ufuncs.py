"""Selects the loop of a ufunc for operand types, by querying NumPy for its own rules.

    np.add of array(float32) and 2.5           float32, float32 -> float32
    np.add of array(int8) and array(uint8)     int16, int16 -> int16
    np.true_divide of array(int64) and 2       float64, float64 -> float64

A number of type int64, float64 or complex128 counts as a Python number: it is converted to the
type of the arrays beside it, if that is of the same kind (NEP 50).  Elements of arrays, and numbers
of other types, keep theirs.
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
    """The operand and result types of an element-wise operation."""

    inputs: tuple[Type, ...]
    outputs: tuple[Type, ...]


_PYTHON: dict[Type, Any] = {types.int64: int, types.float64: float, types.complex128: complex}


def is_python_number(ty: Type) -> bool:
    """True if numbers of a type are converted to the type of the arrays beside them."""
    return ty in _PYTHON


def element_of(ty: Type) -> Type:
    """Return the element type of an array; a number's own type."""
    return ty.dtype if isinstance(ty, Array) else ty


# The operation that reads an element of a whole array, by an index for each of its axes.
FETCH = "fetch"

# Selecting functions, which are not ufuncs, with the position of the first operand selected from.
_CHOOSING = {"where": 1, "clip": 0}


@cache
def loop_of(function: str, operands: tuple[Type, ...], output: Type | None = None) -> Loop | None:
    """Return the loop of an operation, the `function` of a `nodes.Element`, for arrays and numbers
    of these types; None if one has an unsupported type.  `output` is the element type of the array
    that it writes to.

    Raises TypingError, in NumPy's words, if NumPy has no such loop.
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
    """Return the loop of a ufunc called with `out`, `dtype` and `casting`.  Raises TypingError as
    `loop_of`."""
    if not all(_has_dtype(ty) for ty in (*operands, *filter(None, outputs))):
        return None
    if dtype is None and _compares_integers(name, operands):
        return Loop(tuple(map(element_of, operands)), (types.boolean,))
    inputs = [as_given(ty) for ty in operands]
    if all(ty in _PYTHON for ty in operands):
        inputs = [types.to_dtype(ty) for ty in operands]
    stored = [None if ty is None else types.to_dtype(ty) for ty in outputs]
    signature = None
    if dtype is not None:
        signature = (None,) * len(inputs) + (types.to_dtype(dtype),) * len(stored)
    return _resolved(name, inputs, stored, signature, casting)


@cache
def element_loop(name: str, elements: tuple[Type, ...]) -> Loop | None:
    """Return the loop of an operation on elements of exactly these types; see `nodes.Element`."""
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
        target = types.element_type(np.dtype(rest))
        return None if target is None else Loop(elements, (target,))
    if _compares_integers(stem, elements):
        return Loop(elements, (types.boolean,))
    function: np.ufunc = element_functions.called(stem)
    loop = _resolved(stem, [types.to_dtype(ty) for ty in elements], [None] * function.nout)
    return loop if loop is None or not rest else Loop(loop.inputs, (loop.outputs[int(rest)],))


def conversions(
    name: str, operands: tuple[Type, ...], loop: Loop, forced: bool = False
) -> tuple[str, ...]:
    """Return the conversion of each operand's elements to the loop's input types, as the function
    of a `nodes.Element`; empty if none is needed.  `forced`: the caller has chosen the loop."""
    functions = []
    for operand, target in zip(operands, loop.inputs, strict=True):
        own, function = element_of(operand), ""
        if own is not target and (isinstance(own, types.Dated) or isinstance(target, types.Dated)):
            function = f"as.{target}"
        elif own is not target and not isinstance(operand, Array) and is_python_number(own):
            keeps_bits = name == "where" and np.lib.NumpyVersion(np.__version__) < _WHERE_FITS
            function = f"as.{target}" if keeps_bits else f"python.{target}"
        elif own is not target and (forced or name in _CHOOSING):
            function = f"as.{target}"
        functions.append(function)
    return tuple(functions)


def result_type(element: Type, operands: Sequence[Type]) -> Type:
    """Return the type of an element-wise result: a number if no operand has a dimension.

    NumPy copies the memory order of the operands; here their types determine it.
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
    return types.is_number(element) or isinstance(element, types.Dated)


_COMPARISONS = frozenset("equal not_equal less less_equal greater greater_equal".split())


def _compares_integers(name: str, operands: Sequence[Type]) -> bool:
    """True for a comparison of integers, which is exact for all integer types."""
    integral = (types.is_integral(element_of(ty)) for ty in operands)
    return name in _COMPARISONS and len(operands) == 2 and all(integral)


def as_given(ty: Type) -> Any:
    """Return an operand's dtype, or the Python class of a number that counts as Python's."""
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
        if half is not None:  # a user's ufunc, which may compile a new loop
            dtypes = half.loop_for((*given, *stored), casting, signature)
        else:
            dtypes = function.resolve_dtypes((*given, *stored), casting=casting, **options)
    except TypeError as error:
        raise TypingError(str(error)) from None
    elements = [types.element_type(dtype) for dtype in dtypes]
    if None in elements:
        return None
    return Loop(tuple(elements[: function.nin]), tuple(elements[function.nin :]))


# Before this version NumPy's `where` truncates a number that does not fit to its lowest bits.
_WHERE_FITS = "2.5.0"


def _loop_of_choice(operands: tuple[Type, ...], first: int) -> Loop | None:
    """Return the loop of a selecting function (`where`, `clip`); operands before `first` are
    conditions."""
    if len(operands) != 3 or not all(map(_has_dtype, operands)):
        return None
    # NumPy converts Python numbers to arrays here, so they do not adapt to the other operands.
    dtypes = [one(0) if isinstance(one, type) else one for one in map(as_given, operands[first:])]
    chosen = types.element_type(np.result_type(*dtypes))
    if chosen is None:
        return None
    return Loop((types.boolean,) * first + (chosen,) * (3 - first), (chosen,))
