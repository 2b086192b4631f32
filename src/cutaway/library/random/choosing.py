"""Random permutations and choices: `shuffle`, `permutation` and `choice`."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

import numpy as np

from cutaway.errors import TypingError
from cutaway.extending.bodies import Takes, refuse, static
from cutaway.extending.registry import method, primitive
from cutaway.library.arrays.kit.axes import axis_of
from cutaway.library.arrays.kit.copies import converted
from cutaway.library.arrays.kit.takes import Lines, SizesOrNone
from cutaway.library.arrays.kit.typers import (
    dimensions,
    flag,
    is_array,
    is_constant,
    is_integral,
    is_integral_or_default,
    left_out,
    private,
    said,
)
from cutaway.library.random.by_python import GENERATOR, STATE, made, methods
from cutaway.library.random.drawing import loop_of_source
from cutaway.library.random.integers import places_below
from cutaway.lowering.arrays.loops import loop_parts
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import Value, array_parts, item_size
from cutaway.typing import types
from cutaway.typing.overloads.resolution import REQUIRED, Arguments, Signature
from cutaway.typing.types import Array, GeneratorSource, StateSource, Tuple, Type

L = TypeVar("L", bound=Callable[..., Value])

READ_ONLY = "array is read-only"

Population = Takes(
    "an int, or an array of numbers with an axis or more",
    lambda ty: is_integral(ty) or (is_array(ty) and ty.ndim > 0),
)

Shares = Takes(
    "probabilities in an array or a tuple, or None",
    lambda p: left_out(p) or is_array(p) or isinstance(p, Tuple),
)
KnownAxis = Takes("anything", lambda axis: True, by_value=True)  # it matters in tables only


@static
def is_first(axis: Any) -> bool:
    """True if an axis is known to be the first one."""
    if not is_integral_or_default(axis):
        raise TypingError("`axis` has to be an int")
    return is_constant(axis) and said(axis) == 0


# --- permutations -------------------------------------------------------------------------------


def _rule_for(returns: Callable[[Array], Type | None], arguments: Arguments) -> Signature | None:
    """The rule for arrays without an explicit axis."""
    x, *axis = arguments.types[1:]
    if not Lines.fits(x) or not all(isinstance(one, types.Omitted) for one in axis):
        return None
    result = returns(x)
    return None if result is None else Signature(result, arguments.types)


def _of_rows(name: str, returns: Callable[[Array], Type | None]) -> Callable[[L], L]:
    """Register a lowering for a method of both sources, only one of which takes an axis."""

    def register(lower: L) -> L:
        names, defaults = ("rng", "x", "axis"), (REQUIRED, REQUIRED, 0)
        rule = partial(_rule_for, returns)
        primitive(method(StateSource, name), rule, names[:2], defaults[:2])(lower)
        return primitive(method(GeneratorSource, name), rule, names, defaults)(lower)

    return register


@static
def _lies_together(x: Array) -> bool:
    """True if the rows of an array are contiguous items of a line, or cannot be moved at all."""
    return x.ndim == 1 or x.layout == "C" or x.readonly


@_of_rows("shuffle", lambda x: types.none if _lies_together(x) else None)
def shuffle_rows(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """Emit one call for all items or rows."""
    source, x = args[:2]
    assert isinstance(x.ty, Array)
    if x.ty.readonly:
        build.raise_if("true", ValueError, READ_ONLY)
    count, *sizes = array_parts(x).shape
    for size in sizes:  # nothing is drawn for empty rows
        count = build.select(build.compare("eq", "i64", size, "0"), "i64", "0", count)
    _shuffle(build, source, x, count)
    return Value(types.none, ())


def _shuffle(build: FunctionBuilder, source: Value, x: Value, count: str) -> None:
    assert isinstance(x.ty, Array)
    parts = array_parts(x)
    _, data = loop_of_source(build, source.ty, "place")
    function, _ = loop_parts(build, "numpy.random.filler.shuffle")
    nbytes = str(item_size(x.ty.dtype))
    for size in parts.shape[1:]:
        nbytes = build.binary("mul", "i64", nbytes, size)
    step = parts.strides[0] if x.ty.ndim == 1 else nbytes
    given = f"ptr {data}, ptr {source.parts[0]}, ptr {parts.data}, i64 {count}"
    build.emit(f"call void {function}({given}, i64 {step}, i64 {nbytes})")


@_of_rows("permutation", lambda x: Array(x.dtype, 1, "C") if x.ndim == 1 else None)
def shuffle_copy(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """Emit a copy, and one call for all its items."""
    source, x = args[:2]
    assert isinstance(x.ty, Array) and isinstance(sig.returns, Array)
    count = array_parts(x).shape[0]
    if x.ty.readonly:
        # Empty arrays share no memory, so NumPy makes no copy.
        build.raise_if(build.compare("eq", "i64", count, "0"), ValueError, READ_ONLY)
    out = converted(build, sig.returns, x)
    _shuffle(build, source, out, count)
    return out


@private
def _shuffle_apart(rng, x):
    rows = x.copy()
    rng.shuffle(rows)
    x[...] = rows


@methods(STATE, "shuffle")
def shuffle(rng, x: Lines):
    _shuffle_apart(rng, x)


@methods(GENERATOR, "shuffle")
def shuffle_axis(rng, x: Lines, axis=0):
    if not is_first(axis):
        rng.shuffle(np.swapaxes(x, 0, axis_of(x, axis)))
    elif _lies_together(x):
        rng.shuffle(x)
    else:
        _shuffle_apart(rng, x)


@private
def _order(rng, count):
    order = np.arange(count)
    rng.shuffle(order)
    return order


@private
def _slices_in_order(rng, x, axis):
    place = axis_of(x, axis)
    order, out = _order(rng, x.shape[place]), np.empty(x.shape, x.dtype)
    before, after = np.swapaxes(x, 0, place), np.swapaxes(out, 0, place)
    for k in range(len(order)):
        after[k] = before[order[k]]
    return out


@methods(STATE, "permutation")
def permutation(rng, x: Population):
    return x[_order(rng, len(x))] if isinstance(x, np.ndarray) else _order(rng, x)


@methods(GENERATOR, "permutation")
def permutation_axis(rng, x: Population, axis=0):
    if not isinstance(x, np.ndarray):
        return _order(rng, x)
    if not is_first(axis):
        return _slices_in_order(rng, x, axis)
    return rng.permutation(x) if x.ndim == 1 else x[_order(rng, len(x))]


# --- choices ------------------------------------------------------------------------------------


@static
def _way(a: Any, size: Any, replace: Any, p: Any) -> str:
    """The algorithm of a choice: with replacement, uniform or weighted; else by NumPy."""
    if dimensions(a) > 1 or not flag(replace):
        return "by NumPy"
    if left_out(p):
        return "by NumPy" if size is Tuple(()) else "items" if is_array(a) else "numbers"
    weights = isinstance(p, Array) and p.ndim == 1 and p.dtype is types.float64
    return "by weight" if weights and (left_out(size) or not is_array(a)) else "by NumPy"


# --- with replacement, by probabilities ---------------------------------------------------------

_MARGIN = 1e-8  # tolerance for the sum of probabilities; NumPy's is the square root of epsilon


@private
def _sums(p, count):
    """The cumulative probabilities, and whether the probabilities are invalid. NumPy then supplies
    the error message."""
    sums, total, lost, bad = np.empty(len(p)), 0.0, 0.0, len(p) != count or len(p) == 0
    for k in range(len(p)):
        bad |= not p[k] >= 0.0
        part = p[k] - lost  # Kahan summation, to compare with 1
        more = total + part
        lost = (more - total) - part
        total = more
        sums[k] = p[k] if k == 0 else sums[k - 1] + p[k]
    return sums, bad or not abs(total - 1.0) <= _MARGIN


@private
def _weighted_place(rng, sums):
    x, last = rng.random(), sums[len(sums) - 1]
    low, high = 0, len(sums)
    while low < high:
        middle = (low + high) >> 1
        if x < sums[middle] / last:
            high = middle
        else:
            low = middle + 1
    return low


@private
def _weighted(rng, a, size, p, params):
    """Choices weighted by probabilities; NumPy raises its error for invalid ones."""
    sums, bad = _sums(p, len(a) if isinstance(a, np.ndarray) else a)
    if bad:
        return made(rng, "choice", params, size, a)
    if size is None:
        place = _weighted_place(rng, sums)
        return a[place] if isinstance(a, np.ndarray) else place
    out = np.empty(size, np.int64)
    line = out.ravel()
    for k in range(len(line)):
        line[k] = _weighted_place(rng, sums)
    return out


# --- the methods --------------------------------------------------------------------------------


@methods(STATE, "choice")
def choice(rng, a: Population, size: SizesOrNone = None, replace=True, p: Shares = None):
    way = _way(a, size, replace, p)
    if way == "numbers":
        return places_below(rng, a, size)
    if way == "items":
        return a[places_below(rng, a, size)]
    params = (a, size, replace, p)
    return (
        made(rng, "choice", params, size, a)
        if way == "by NumPy"
        else _weighted(rng, a, size, p, params)
    )


@methods(GENERATOR, "choice")
def choice_axis(
    rng,
    a: Population,
    size: SizesOrNone = None,
    replace=True,
    p: Shares = None,
    axis: KnownAxis = 0,
    shuffle=True,
):
    if axis != 0 and dimensions(a) > 1:
        refuse("`choice` takes items along the first axis alone", "move that axis to the front")
    way = _way(a, size, replace, p)
    if way == "numbers":
        return places_below(rng, a, size)
    if way == "items":
        return a[places_below(rng, a, size)]
    params = (a, size, replace, p, axis, shuffle)
    return (
        made(rng, "choice", params, size, a)
        if way == "by NumPy"
        else _weighted(rng, a, size, p, params)
    )
