"""Elements of arrays folded in the same runs as in NumPy, for the same bits.

NumPy traverses memory from low to high addresses, the axis with the smallest stride innermost, and
passes runs of elements to a ufunc's loop, which rounds its result: sums of floats are pairwise
within a run, and float16 is computed in float32. Elements that are not one line, or are converted,
go through a buffer.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cutaway.extending.bodies import static
from cutaway.extending.registry import primitive
from cutaway.library.arrays.kit.folding import LOSES_THE_TOTAL, fold, loop_of, ufunc_of
from cutaway.library.arrays.kit.lines import in_memory_order, line_at, line_count
from cutaway.library.arrays.kit.typers import private
from cutaway.lowering.arrays.loops import has_loop
from cutaway.lowering.arrays.reductions import fold_all
from cutaway.lowering.arrays.tracks import Track
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import Value, array_parts
from cutaway.typing import types
from cutaway.typing.overloads.resolution import Arguments, Signature
from cutaway.typing.types import Array

_BUFFER = 8192  # elements that NumPy copies or converts at a time


@static
def _rounds_by_run(function: Any, dtype: Any) -> bool:
    """True if the result depends on the division into runs."""
    is_half = dtype.value == np.float16
    return (function.value is np.add and dtype.value.kind in "fc") or (
        function.value is np.multiply and is_half
    )


@static
def _is_by_numpy(function: Any, a: Array, dtype: Any) -> bool:
    """True if NumPy's own loop folds elements with gaps between them."""
    own = types.to_dtype(a.dtype) == dtype.value
    fits = own and a.aligned and function.value not in LOSES_THE_TOTAL
    return fits and has_loop(loop_of(function.value, a.dtype))


@private
def fold_lines(function, total, a):
    """Fold all elements of an array into a number, line by line in memory order, as NumPy does when
    other results come in between."""
    runs = in_memory_order(a)
    for k in range(line_count(runs)):
        total = fold(function, total, line_at(runs, k))
    return total


@private
def combine_all(function, total, a, dtype):
    """Fold all elements of an array into a number, in memory order."""
    if a.ndim == 1 and a.dtype == dtype:
        return fold(function, total, a)
    if _is_by_numpy(function, a, dtype):
        return fold_by_numpy(function, total, a)
    if not _rounds_by_run(function, dtype):
        return fold_lines(function, total, a)
    runs = in_memory_order(a)
    size, outer = buffer_sizes(runs, a.dtype != dtype)
    return _fold_through(function, total, runs, np.empty(size, dtype), outer)


@private
def buffer_sizes(runs, converts):
    """The buffer's size, and the number of elements after which a new buffer begins: whole inner
    axes share a buffer as far as they fit, but never across the end of the next axis."""
    shape, strides = runs.shape, runs.strides
    core, outer, group, step = 1, 0, 1, 0
    for k in range(runs.ndim - 1, -2, -1):
        if k >= 0:
            if shape[k] == 1:
                continue
            if group == 1:
                group, step = shape[k], strides[k]
                continue
            if strides[k] == group * step:
                group *= shape[k]
                continue
        if outer == 0:
            if core * group <= _BUFFER or (core == 1 and not converts):
                core *= group
            else:
                outer = core * group
        if k >= 0:
            group, step = shape[k], strides[k]
    core = max(core, 1)
    outer = max(core, outer)
    return min(max(_BUFFER // core, 1) * core, outer), outer


@private
def _fold_through(function, total, runs, buffer, outer):
    position, done, limit = 0, 0, len(buffer)
    length = runs.shape[-1]
    for r in range(runs.size // max(length, 1)):
        line = line_at(runs, r)
        k = 0
        while k < length:
            count = min(length - k, limit - position)
            buffer[position : position + count] = line[k : k + count]
            position += count
            k += count
            if position == limit:
                total = fold(function, total, buffer[:position])
                done += position
                position = 0
                limit = min(len(buffer), outer - done % outer)
    return total


def fold_by_numpy(function, total, a):
    """Like `combine_all`, by NumPy's own loop."""
    return function.reduce(a, None, initial=total, dtype=a.dtype)


def _by_numpy_rule(arguments: Arguments) -> Signature | None:
    _, total, a = arguments.types
    return Signature(total, arguments.types) if isinstance(a, Array) else None


@primitive(fold_by_numpy, _by_numpy_rule, any_elements=True)
def lower_fold(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """Emit one runtime call."""
    function, parts = ufunc_of(args[0]), array_parts(args[2])
    assert isinstance(args[2].ty, Array)
    track = Track(args[2].ty, parts.data, parts.strides)
    return fold_all(build, loop_of(function, sig.returns), args[1], parts.shape, track)
