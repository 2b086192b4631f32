"""Reductions of arrays: `sum prod min max any all argmin argmax`, and those that ignore NaN:
`nansum nanprod nanmin nanmax nanargmin nanargmax`.

Most calls are compiled as loops, without an implementation (`kit/reducing.py`). The others call a
ufunc's `reduce`, which takes all arguments (`elementwise/ufunc_reductions.py`), or search a
position here. As in NumPy, a sum replaces NaN by zero, and a minimum is that of `fmin`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cutaway.extending.bodies import refuse, static
from cutaway.extending.registry import primitive
from cutaway.ir.reductions import REDUCTIONS
from cutaway.library.arrays.kit.axes import axis_of, require_any_axis
from cutaway.library.arrays.kit.dtypes import element_dtype
from cutaway.library.arrays.kit.lines import line_at, lines_along
from cutaway.library.arrays.kit.order import at_least, at_most
from cutaway.library.arrays.kit.reducing import reduces
from cutaway.library.arrays.kit.several_axes import (
    in_shape,
    line_of_single,
    shape_with_ones,
    stored,
    without_nan,
)
from cutaway.library.arrays.kit.takes import (
    Axes,
    Axis,
    Dtype,
    Flag,
    Mask,
    NumberOrNone,
    Numbers,
    Output,
    numpy,
)
from cutaway.library.arrays.kit.typers import is_complex, is_in_rows, private
from cutaway.lowering.arrays.loops import has_loop, loop_parts
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import Value, array_parts
from cutaway.typing import types
from cutaway.typing.overloads.resolution import Arguments, Signature
from cutaway.typing.types import Array

# --- by ufuncs --------------------------------------------------------------------------------


def _register_total(function: Any, reduce: Any, neutral: int | None, *methods: str) -> None:
    skips = neutral is not None

    @numpy(function, *methods)
    def total(
        a: Numbers,
        axis: Axes = None,
        dtype: Dtype = None,
        out: Output = None,
        keepdims: Flag = False,
        initial: NumberOrNone = None,
        where: Mask = True,
    ):
        numbers = without_nan(a, neutral) if skips else a
        if initial is None:
            return reduce(numbers, axis, dtype, out, keepdims, where=where)
        return reduce(numbers, axis, dtype, out, keepdims, initial, where)


def _register_extreme(
    function: Any, reduce: Any, *methods: str, also: tuple[Any, ...] = ()
) -> None:
    @numpy(function, *methods, also=also)
    def extreme(
        a: Numbers,
        axis: Axes = None,
        out: Output = None,
        keepdims: Flag = False,
        initial: NumberOrNone = None,
        where: Mask = True,
    ):
        if initial is None:
            return reduce(a, axis, None, out, keepdims, where=where)
        return reduce(a, axis, None, out, keepdims, initial, where)


def _register_truth(function: Any, reduce: Any, *methods: str) -> None:
    @numpy(function, *methods)
    def truth(
        a: Numbers,
        axis: Axes = None,
        out: Output = None,
        keepdims: Flag = False,
        where: Mask = True,
    ):
        return reduce(a, axis, None, out, keepdims, where=where)


def _register() -> None:
    also = {"min": (np.amin,), "max": (np.amax,)}
    for row in REDUCTIONS.values():
        name, function, reduce = row.name, getattr(np, row.name), getattr(np, row.ufunc).reduce
        others = also.get(name, ())
        if row.gives not in ("mean", "count"):
            reduces(name, function, *others)  # registered first: these calls need no implementation
        if row.gives == "total":
            _register_total(function, reduce, None, name)
            _register_total(getattr(np, f"nan{name}"), reduce, row.identity)
        elif row.gives == "element":
            _register_extreme(function, reduce, name, also=others)
            _register_extreme(getattr(np, f"nan{name}"), getattr(np, f"f{name}").reduce)
        elif row.gives == "truth":
            _register_truth(function, reduce, name)


_register()

# --- positions --------------------------------------------------------------------------------


def place_of_largest(line):
    """The position of the first of the largest elements of a non-empty line."""
    return np.argmax(line)


def place_of_smallest(line):
    """The position of the first of the smallest elements of a non-empty line."""
    return np.argmin(line)


def _place_rule(arguments: Arguments) -> Signature | None:
    (line,) = arguments.types
    return Signature(types.int64, (line,)) if isinstance(line, Array) and line.ndim == 1 else None


def _loop_of(function: str, a: Array) -> str:
    return f"numpy.dtype.{function}.{types.to_dtype(a.dtype).char}"


@static
def _is_by_numpy(a: Array) -> bool:
    """True if NumPy finds the position in such arrays; one-dimensional ones are copied for it."""
    lies = a.is_c_contig or a.ndim == 1
    return lies and a.aligned and types.is_number(a.dtype) and has_loop(_loop_of("argmax", a))


def _register_place(function: Any, by_numpy: Any, is_no_better: Any, worst: float) -> None:
    name = function.__name__
    empty = f"attempt to get {name} of an empty sequence"

    @primitive(by_numpy, _place_rule)
    def lower(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
        line = args[0]
        assert isinstance(line.ty, Array)
        parts = array_parts(line)
        address, data = loop_parts(build, _loop_of(name, line.ty))
        out = build.alloca("i64")
        operands = f"ptr {parts.data}, i64 {parts.shape[0]}, ptr {out}, ptr {data}"
        build.result(f"call i32 {address}({operands})")
        return Value(types.int64, (build.load("i64", out, 8),))

    @private
    def place(a):
        if a.size == 0:
            raise ValueError(empty)
        if _is_by_numpy(a):
            return by_numpy(np.ascontiguousarray(a.ravel()))
        best, place, k = a.flat[0], 0, 0
        if best != best:  # noqa: PLR0124
            return 0
        for element in a.flat:
            if not is_no_better(element, best):  # a better element, or NaN
                best, place = element, k
                if best != best:  # noqa: PLR0124
                    break
            k += 1
        return place

    @private
    def along(a, axis):
        index = axis_of(a, axis)
        if is_in_rows(a) and index == a.ndim - 1 and a.size:
            out = np.empty(a.shape[:-1], np.int64)
            for k in range(out.size):
                out.flat[k] = place(line_at(a, k))  # a row is known to be contiguous
            return out
        lines = lines_along(a, index)
        if lines.shape[-1] == 0 and a.size == 0:
            raise ValueError(empty)
        out = np.empty(lines.shape[:-1], np.int64)
        for k in range(out.size):
            out.flat[k] = place(line_at(lines, k))
        return out

    @private
    def places(a, axis: Axis, keepdims: Flag):
        if keepdims:
            return in_shape(places(a, axis, False), shape_with_ones(a, axis))
        if axis is None:
            return place(a)
        if a.ndim < 2:
            require_any_axis(a, axis)  # the only axis, or that of a single number
            return place(a)
        return along(a, axis)

    @numpy(function, name)
    def place_of(a: Numbers, axis: Axis = None, out: Output = None, keepdims: Flag = False):
        if out is not None and element_dtype(out) != np.int64:
            refuse("an output for indices has the dtype int64")
        if a.ndim == 0 and axis is not None:  # NumPy treats it as a line
            return stored(out, function(a.reshape(1), axis))
        return stored(out, places(a, axis, keepdims))

    _register_place_of_number(getattr(np, f"nan{name}"), places, worst)


def _register_place_of_number(function: Any, places: Any, worst: float) -> None:
    @private
    def places_of_numbers(a, axis: Axis, keepdims: Flag):
        if a.dtype.kind != "f":
            return places(a, axis, keepdims)
        gaps = np.isnan(a)
        if axis is None:
            if a.size and np.all(gaps):
                raise ValueError("All-NaN slice encountered")
        elif a.shape[axis_of(a, axis)] and np.any(np.asarray(np.all(gaps, axis))):
            raise ValueError("All-NaN slice encountered")
        return places(np.where(gaps, a.dtype.type(worst), a), axis, keepdims)

    @numpy(function)
    def place_of_number(a: Numbers, axis: Axis = None, out: Output = None, keepdims: Flag = False):
        if is_complex(a):
            refuse("the places of complex numbers among NaN are not compiled")
        if a.ndim == 0:
            return stored(out, function(line_of_single(a, axis)))
        return stored(out, places_of_numbers(a, axis, keepdims))


_register_place(np.argmin, place_of_smallest, at_least, np.inf)
_register_place(np.argmax, place_of_largest, at_most, -np.inf)
