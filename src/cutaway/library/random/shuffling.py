"""Random orders: `shuffle` and `permutation`."""

from __future__ import annotations

from typing import Any

import numpy as np

from cutaway.extending.registry import primitive
from cutaway.library.arrays.kit.axes import axis_of
from cutaway.library.arrays.kit.typers import is_array, is_integral, private
from cutaway.library.random.drawing import draw, source_name
from cutaway.library.random.kit import GENERATOR, STATE, methods
from cutaway.lowering.arrays.loops import loop_parts
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import Value, array_parts, item_size
from cutaway.typing import types
from cutaway.typing.overloads.resolution import Arguments, Signature
from cutaway.typing.types import Array, RandomSource, Type


def shuffle_line(rng, x):
    """Bring the items of a line into a random order."""
    rng.shuffle(x)


def _line_rule(arguments: Arguments) -> Signature | None:
    source, line = arguments.types
    fits = isinstance(source, RandomSource) and is_array(line) and line.ndim == 1
    return Signature(types.none, arguments.types) if fits else None


@primitive(shuffle_line, _line_rule)
def shuffle_items(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """One call for all items."""
    source, line = args
    assert isinstance(source.ty, RandomSource) and isinstance(line.ty, Array)
    parts = array_parts(line)
    _, data = loop_parts(build, source_name(source.ty, "place"))
    function, _ = loop_parts(build, "numpy.random.filler.shuffle")
    given = f"ptr {data}, ptr {source.parts[0]}, ptr {parts.data}, i64 {parts.shape[0]}"
    size = item_size(line.ty.dtype)
    build.emit(f"call void {function}({given}, i64 {parts.strides[0]}, i64 {size})")
    return Value(types.none, ())


@private
def _shuffle_rows(rng, x):
    for k in range(len(x) - 1 if x.size else 0, 0, -1):
        other = draw(rng, "place", (k,))
        if other != k:
            row = x[other].copy()
            x[other] = x[k]
            x[k] = row


def _shuffler(x: Any) -> Any:
    return shuffle_line if x.ndim == 1 else _shuffle_rows


@private
def _refuse_read_only(rng, x):
    raise ValueError("array is read-only")


def _is_line_up(x: Any) -> bool:
    return is_array(x) and x.ndim > 0


def _shuffle_typer(rng, x):
    """What shuffles an array along its first axis; None for what is none."""
    if not _is_line_up(x):
        return None
    return _refuse_read_only if x.readonly else _shuffler(x)


@methods(STATE, "shuffle")
def _shuffle(rng, x):
    work = _shuffle_typer(rng, x)
    return None if work is None else lambda rng, x: work(rng, x)


@methods(GENERATOR, "shuffle")
def _shuffle_axis(rng, x, axis=0):
    work = _shuffle_typer(rng, x)
    if work is None:
        return None

    def along(rng, x, axis=0):
        work(rng, np.swapaxes(x, 0, axis_of(x, axis)))

    def first(rng, x, axis=0):
        work(rng, x)

    return first if is_first(axis) else along


def is_first(axis: Any) -> bool:
    """True if an axis is known to be the first one."""
    if isinstance(axis, types.Omitted | types.Literal):
        axis = axis.value if isinstance(axis, types.Omitted) else axis.literal_value
    return not isinstance(axis, Type) and axis == 0


# --- new arrays ---------------------------------------------------------------------------------


@private
def _of_count(rng, x, axis):
    order = np.arange(x)
    shuffle_line(rng, order)
    return order


@private
def _of_line(rng, x, axis):
    out = x.copy()
    shuffle_line(rng, out)
    return out


@private
def _of_read_only_line(rng, x, axis):
    if not len(x):  # which shares no memory with itself, so that NumPy makes no copy
        raise ValueError("array is read-only")
    return _of_line(rng, x, axis)


@private
def _of_rows(rng, x, axis):
    order = _of_count(rng, len(x), 0)
    out = np.empty(x.shape, x.dtype)
    for k in range(len(order)):
        out[k] = x[order[k]]
    return out


@private
def _of_slices(rng, x, axis):
    place = axis_of(x, axis)
    order = _of_count(rng, x.shape[place], 0)
    out = np.empty(x.shape, x.dtype)
    before, after = np.swapaxes(x, 0, place), np.swapaxes(out, 0, place)
    for k in range(len(order)):
        after[k] = before[order[k]]
    return out


def _permuter(x: Any, axis: Any) -> Any:
    if is_integral(x):
        return _of_count
    if not _is_line_up(x):
        return None
    if x.ndim == 1 and is_first(axis):
        return _of_read_only_line if x.readonly else _of_line
    return _of_rows if is_first(axis) else _of_slices


@methods(STATE, "permutation")
def _permutation(rng, x):
    make = _permuter(x, 0)
    return None if make is None else lambda rng, x: make(rng, x, 0)


@methods(GENERATOR, "permutation")
def _permutation_axis(rng, x, axis=0):
    make = _permuter(x, axis)
    return None if make is None else lambda rng, x, axis=0: make(rng, x, axis)
