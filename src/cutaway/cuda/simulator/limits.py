"""Limits of numbers by the hardware: no block has more than 1024 threads, no array 2 ** 47
elements."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cutaway.gpu import words
from cutaway.ir import nodes
from cutaway.ir.nodes import Op
from cutaway.typing.analysis.intervals import Interval
from cutaway.typing.types import Array, Type

MOST_THREADS = 1024  # of a block
MOST_BLOCKS = 2**31 - 1  # along x
LARGEST_SIZE = 2**47  # of an array: addresses have 47 bits

_INDICES = {
    "threadIdx": Interval(0, MOST_THREADS - 1),
    "blockDim": Interval(1, MOST_THREADS),
    "blockIdx": Interval(0, MOST_BLOCKS - 1),
    "gridDim": Interval(1, MOST_BLOCKS),
}
_CALLS = {
    words.grid: Interval(0, MOST_BLOCKS * MOST_THREADS),
    words.gridsize: Interval(1, MOST_BLOCKS * MOST_THREADS),
    words.syncthreads_count: Interval(0, MOST_THREADS),
    words.syncthreads_and: Interval(0, 1),
    words.syncthreads_or: Interval(0, 1),
    words.popc: Interval(0, 64),
    words.clz: Interval(0, 64),
    words.ffs: Interval(0, 64),
    len: Interval(0, LARGEST_SIZE),
}
_PAIRS = frozenset({words.grid, words.gridsize})


def known_limit(
    op: Op, makers: Mapping[str, Op], table: Mapping[str, Type], constants: Mapping[str, Any]
) -> Interval | None:
    """Return the interval of an op's result, if the hardware limits it."""
    match op:
        case nodes.Global(value=words.LaneId()) | nodes.FreeVar(value=words.LaneId()):
            return Interval(0, 31)
        case nodes.GetAttr(value=value, attr="x" | "y" | "z"):
            held = constants.get(value)
            return _INDICES.get(held.name) if isinstance(held, words.Index3) else None
        case nodes.GetAttr(value=value, attr="size" | "ndim" | "itemsize" | "nbytes"):
            return Interval(0, LARGEST_SIZE) if isinstance(table.get(value), Array) else None
        case nodes.Call(func=func):
            return _of_call(func, makers, constants)
        case nodes.StaticGetItem(value=value):
            maker = makers.get(value)
            while isinstance(maker, nodes.Unpack | nodes.Copy):
                maker = makers.get(maker.value)
            if isinstance(maker, nodes.GetAttr) and maker.attr == "shape":
                is_array = isinstance(table.get(maker.value), Array)
                return Interval(0, LARGEST_SIZE) if is_array else None
            if isinstance(maker, nodes.Call):
                found = constants.get(maker.func) or _held(maker.func, makers, constants)
                return _CALLS[found] if _is_word(found, _PAIRS) else None
    return None


def _of_call(func: str, makers: Mapping[str, Op], constants: Mapping[str, Any]) -> Interval | None:
    found = constants.get(func) or _held(func, makers, constants)
    return _CALLS[found] if _is_word(found, _CALLS) else None


def _is_word(value: Any, table: Any) -> bool:
    try:
        return value in table
    except TypeError:
        return False


def _held(name: str, makers: Mapping[str, Op], constants: Mapping[str, Any]) -> Any:
    """Return the attribute of a module or class that a variable holds."""
    maker = makers.get(name)
    if not isinstance(maker, nodes.GetAttr):
        return None
    owner = constants.get(maker.value)
    return None if owner is None else getattr(owner, maker.attr, None)
