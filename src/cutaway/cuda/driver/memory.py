"""Host memory that a GPU copies quickly, or accesses directly."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from cutaway.cuda.driver import access
from cutaway.cuda.driver.geometry import as_shape
from cutaway.errors import CudaError

_PORTABLE, _MAPPED, _WRITE_COMBINED = 1, 2, 4


class Held(np.ndarray[Any, Any]):
    """An array in host memory that the driver allocated, and that it owns."""

    memory: Any = None
    is_mapped = False

    def __array_finalize__(self, source: object) -> None:
        if isinstance(source, Held):
            self.memory, self.is_mapped = source.memory, source.is_mapped

    @property
    def device_address(self) -> int:
        """The address of the first element on a GPU."""
        start = int(self.memory.handle)
        return int(access.driver().device_address(self.memory)) + self.ctypes.data - start


def _held(shape: Any, dtype: DTypeLike, order: str, flags: int) -> Held:
    sizes, kind = as_shape(shape), np.dtype(dtype)
    if kind.hasobject:
        raise CudaError("an array of Python's objects cannot be read by a GPU")
    count = max(int(np.prod(sizes)) * kind.itemsize, 1)
    memory = access.driver().allocate_host(count, flags)
    block: Any = (ctypes.c_char * count).from_address(int(memory.handle))
    block.memory = memory  # owned by all arrays in it, of any class
    whole = np.frombuffer(block, np.uint8)[: int(np.prod(sizes)) * kind.itemsize]
    array = whole.view(kind).reshape(sizes, order=order).view(Held)  # type: ignore[call-overload]
    array.memory, array.is_mapped = memory, bool(flags & _MAPPED)
    return array  # a view of that class


def pinned_array(
    shape: Any, dtype: DTypeLike = np.float64, strides: None = None, order: str = "C"
) -> Held:
    """Allocate a pinned array, which is copied to and from a GPU without staging."""
    _check_strides(strides)
    return _held(shape, dtype, order, _PORTABLE)


def pinned_array_like(ary: np.ndarray[Any, Any]) -> Held:
    """Allocate a pinned array of the same shape and type."""
    return pinned_array(ary.shape, ary.dtype, order=_order_of(ary))


def mapped_array(
    shape: Any,
    dtype: DTypeLike = np.float64,
    strides: None = None,
    order: str = "C",
    stream: Any = 0,
    portable: bool = False,
    wc: bool = False,
) -> Held:
    """Allocate an array of the host that kernels read and write in place, without copies."""
    _check_strides(strides)
    flags = _MAPPED | (_PORTABLE if portable else 0) | (_WRITE_COMBINED if wc else 0)
    return _held(shape, dtype, order, flags)


def mapped_array_like(
    ary: np.ndarray[Any, Any], stream: Any = 0, portable: bool = False, wc: bool = False
) -> Held:
    """Allocate a mapped array of the same shape and type."""
    return mapped_array(ary.shape, ary.dtype, None, _order_of(ary), stream, portable, wc)


def _check_strides(strides: Any) -> None:
    if strides is not None:
        raise CudaError("such an array has no strides of its own", hint="take a view of one")


def _order_of(array: np.ndarray[Any, Any]) -> str:
    return "F" if array.flags.f_contiguous and not array.flags.c_contiguous else "C"


@contextmanager
def pinned(*arylist: np.ndarray[Any, Any]) -> Iterator[None]:
    """Pin the memory of arrays during a `with` block, for faster copies."""
    with ExitStack() as stack:
        for array in arylist:
            if not (array.flags.c_contiguous or array.flags.f_contiguous):
                raise CudaError("only an array whose elements lie side by side can be pinned")
            if array.nbytes:
                held = access.driver().register_host(array.ctypes.data, array.nbytes, _PORTABLE)
                stack.callback(held.release)
        yield
