"""Copies of arguments that keep the relations between them.

Arrays that overlap, or are views of one array, overlap in the same way in the copies; strides,
alignment and the read-only flag are kept.  An object passed twice is one object in the copies too.
"""

from __future__ import annotations

import array
import copy
import sys
from collections import deque
from collections.abc import Iterator
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any

import numpy as np

from cutaway.typing.types import Type
from cutaway.typing.types.interning import BY_CLASS
from cutaway.typing.values.typeof import type_of

MOST_BYTES = 256 << 20  # of copies recorded with a trace
_ALIGNMENT = 64  # alignment to which copies' addresses match the originals'
_KEPT = (type, FunctionType, BuiltinFunctionType, ModuleType, np.dtype, np.ufunc)
_CONTAINERS = list | dict | set | frozenset | deque
NdArray = np.ndarray[Any, Any]


def kept(args: tuple[Any, ...]) -> tuple[tuple[Any, ...] | None, str]:
    """Copy arguments to record them; return None and a sentence if they are too large."""
    size = sum(map(_size, args)) + sum(_span(group) for group in _groups(list(_distinct(args))))
    if size <= MOST_BYTES:
        return fresh(args), ""
    said = f"the arguments take {size >> 20} MiB: more than {MOST_BYTES >> 20} MiB are not"
    return None, f"{said} copied, so no values are recorded; pass arguments to witness and bisect"


def _distinct(args: tuple[Any, ...]) -> Iterator[NdArray]:
    yield from {id(ndarray): ndarray for ndarray in arrays_in(args)}.values()


def _size(value: Any) -> int:
    """Estimate the bytes of a copy, without NumPy arrays."""
    inside = _inside(value)
    if inside is not None:
        return sum(map(_size, inside[1]))
    match value:
        case tuple():
            return sum(map(_size, value))
        case bytearray() | list() | dict() | set() | frozenset() | deque():
            return sys.getsizeof(value)
        case memoryview():
            return value.nbytes
        case array.array():
            return len(value) * value.itemsize
    return 0


def fresh(args: tuple[Any, ...]) -> tuple[Any, ...]:
    """Copy arguments."""
    done: dict[int, Any] = {}
    for group in _groups(list(_distinct(args))):
        done.update(_copied(group))
    return tuple(_copy(value, done) for value in args)


def arrays_in(value: Any) -> Iterator[NdArray]:
    """Yield the arrays in a value, including those in tuples."""
    if isinstance(value, np.ndarray):
        yield value
    elif isinstance(value, tuple):
        for item in value:
            yield from arrays_in(item)
    else:
        inside = _inside(value)
        for item in inside[1] if inside is not None else ():
            yield from arrays_in(item)


def _inside(value: Any) -> tuple[Type, tuple[Any, ...]] | None:
    """The type of an object that compiled code unpacks, and its parts; None for any other."""
    cls = BY_CLASS.get(id(type(value)))
    if cls is None or cls.crossing is not Type.crossing:
        return None
    ty = type_of(value)
    parts = None if ty is None else ty.taken_apart(value)
    return None if ty is None or parts is None else (ty, parts)


def _copy(value: Any, done: dict[int, Any]) -> Any:
    if id(value) in done:
        return done[id(value)]
    if isinstance(value, tuple):
        items = [_copy(item, done) for item in value]
        result = type(value)(*items) if hasattr(value, "_fields") else tuple(items)
        return result if type(value) is tuple or hasattr(value, "_fields") else value
    inside = _inside(value)
    if inside is not None:
        result = inside[0].put_together([_copy(part, done) for part in inside[1]])
    elif isinstance(value, memoryview):
        result = _buffer(value)
    elif isinstance(value, bytearray | array.array | np.void | _CONTAINERS):
        result = copy.deepcopy(value)
    elif isinstance(value, _KEPT) or hasattr(value, "py_func"):
        result = value
    else:
        result = _deep(value)
    done[id(value)] = result
    return result


def _deep(value: Any) -> Any:
    try:
        return copy.deepcopy(value)
    except Exception:  # a user's class may raise anything; then it is shared
        return value


def _buffer(value: memoryview) -> memoryview:
    if not value.c_contiguous:
        return value
    data: bytes | bytearray = value.tobytes() if value.readonly else bytearray(value.tobytes())
    return memoryview(data).cast("B").cast(value.format, value.shape)


# --- arrays that share memory -------------------------------------------------------------------


def _groups(arrays: list[NdArray]) -> Iterator[list[NdArray]]:
    """Group arrays that overlap, or are views of one array."""
    left = [ndarray for ndarray in arrays if ndarray.dtype != object]
    while left:
        group, owners = [left.pop()], set[int]()
        lowest, highest = bounds(group[0])
        grows = True
        while grows:
            owners |= {_owner(ndarray) for ndarray in group}
            near = [a for a in left if _owner(a) in owners or _meets(a, lowest, highest)]
            group += near
            left = [a for a in left if not any(a is b for b in near)]
            lowest = min([lowest, *(bounds(a)[0] for a in near)])
            highest = max([highest, *(bounds(a)[1] for a in near)])
            grows = bool(near)
        yield group


def _meets(ndarray: NdArray, lowest: int, highest: int) -> bool:
    low, high = bounds(ndarray)
    return low < highest and lowest < high


def bounds(ndarray: NdArray) -> tuple[int, int]:
    """Return the range of addresses of an array."""
    low = high = ndarray.__array_interface__["data"][0]
    if ndarray.size == 0:
        return low, low
    for length, stride in zip(ndarray.shape, ndarray.strides, strict=True):
        low += min(stride * (length - 1), 0)
        high += max(stride * (length - 1), 0)
    return low, high + ndarray.itemsize


def _owner(ndarray: NdArray) -> int:
    """Return the identity of the array that owns the memory of an array."""
    while isinstance(ndarray.base, np.ndarray):
        ndarray = ndarray.base
    return id(ndarray)


def _span(group: list[NdArray]) -> int:
    """Return the bytes between the lowest and the highest item."""
    return max(bounds(ndarray)[1] for ndarray in group) - min(
        bounds(ndarray)[0] for ndarray in group
    )


def _copied(group: list[NdArray]) -> Iterator[tuple[int, NdArray]]:
    low, size = min(bounds(ndarray)[0] for ndarray in group), _span(group)
    memory = np.empty(size + _ALIGNMENT, np.uint8)
    memory = memory[(low - memory.__array_interface__["data"][0]) % _ALIGNMENT :][:size]
    for ndarray in group:  # only their elements: the gaps may belong to others
        view = _view(memory, ndarray, low)
        np.copyto(view.view(_bytes(view)), ndarray.view(_bytes(ndarray)))
    for ndarray in group:
        view = _view(memory, ndarray, low)
        view.flags.writeable = ndarray.flags.writeable
        yield id(ndarray), view


def _view(memory: NdArray, ndarray: NdArray, low: int) -> NdArray:
    offset = ndarray.__array_interface__["data"][0] - low
    if ndarray.size == 0:
        offset = 0
    return np.ndarray(ndarray.shape, ndarray.dtype, memory, offset, ndarray.strides)


def _bytes(ndarray: NdArray) -> np.dtype[Any]:
    """Return a dtype under which elements are copied bit for bit, NaNs included."""
    return np.dtype((np.void, ndarray.itemsize))
