"""Operands of calls: arrays of the host and of a GPU, and numbers.

    a, b on the host      ->    copied to the GPU, and the result copied back
    a or b on the GPU     ->    the result stays there

This module writes to a GPU only through the driver's arrays.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from cutaway.cuda.driver import access, reports
from cutaway.cuda.driver.arrays import DeviceArray
from cutaway.cuda.driver.foreign import as_cuda_array, is_cuda_array
from cutaway.cuda.driver.streams import handle_of
from cutaway.cuda.ufuncs.axes import Numbers

Host = np.ndarray[Any, Any]

_WEAK = (int, float, complex)  # Python's numbers adopt the types of arrays (NEP 50)


class Operand:
    """An input, or an array for an output.

    `value` is the user's argument, `array` its array on the host or the GPU; `wanted` is its dtype,
    or the class of a Python number.
    """

    __slots__ = ("array", "is_on_gpu", "value", "wanted")

    def __init__(self, value: Any) -> None:
        self.value = value
        self.array: Host | DeviceArray
        kind = type(value)
        if kind is DeviceArray:
            self.array, self.is_on_gpu = value, True
        elif kind is np.ndarray or kind in _WEAK or not is_cuda_array(value):
            self.array, self.is_on_gpu = np.asarray(value), False
        else:
            self.array, self.is_on_gpu = as_cuda_array(value), True
        self.wanted: Any = kind if kind in _WEAK else self.array.dtype

    @property
    def shape(self) -> Numbers:
        """The sizes."""
        shape: Numbers = self.array.shape
        return shape

    @property
    def is_readonly(self) -> bool:
        """True if it must not be written to."""
        if isinstance(self.array, np.ndarray):
            return not self.array.flags.writeable
        return bool(self.array.is_readonly)

    def number(self, dtype: np.dtype[Any]) -> Any:
        """Return the only element of a host array."""
        if type(self.value) is int and dtype.kind in "iu":
            return dtype.type(self.value)  # which may be too large
        return self.array.astype(dtype).reshape(())[()]

    def staged(self, dtype: np.dtype[Any]) -> Host | DeviceArray:
        """Return the array without gaps: one of the host is converted to a dtype, one on the GPU is
        unchanged."""
        if isinstance(self.array, DeviceArray):
            return self.array
        host = self.array[(*map(_first_of_equal, self.array.strides, self.array.shape), ...)]  # type: ignore[arg-type]
        host = host.astype(dtype, order="K", copy=False)
        return host if _is_dense(host) else np.ascontiguousarray(host)


def _is_dense(host: Host) -> bool:
    return host.flags.c_contiguous or host.flags.f_contiguous


def _first_of_equal(stride: int, size: int) -> slice:
    """Select the first of repeated elements, as of `broadcast_to`, or all."""
    return slice(0, 1) if stride == 0 and size > 1 else slice(None)


def view(array: DeviceArray, shape: Numbers, strides: Numbers) -> DeviceArray:
    """Return the memory of an array with another shape and other strides."""
    if array.shape == shape and array.strides == strides and not array.is_readonly:
        return array
    return DeviceArray(array.address, shape, strides, array.dtype, array.owner)


def overlap(first: DeviceArray, second: DeviceArray) -> bool:
    """True if two arrays on the GPU may share bytes."""
    (start, end), (other_start, other_end) = map(_extent, (first, second))
    return start < other_end and other_start < end


def are_same(first: DeviceArray, second: DeviceArray) -> bool:
    """True if two arrays on the GPU are the same elements in the same order."""
    return (first.address, first.shape, first.strides, first.dtype) == (
        second.address,
        second.shape,
        second.strides,
        second.dtype,
    )


def _extent(array: DeviceArray) -> tuple[int, int]:
    if 0 in array.shape:
        return array.address, array.address
    spans = [(size - 1) * step for size, step in zip(array.shape, array.strides, strict=True)]
    start = array.address + sum(span for span in spans if span < 0)
    end = array.address + sum(span for span in spans if span > 0) + array.dtype.itemsize
    return start, end


def order_of(operands: Sequence[Operand], ndim: int, wanted: str) -> str:
    """Return the order of a new output: that of the inputs which have all of its dimensions."""
    if wanted in "CF":
        return wanted
    full = [one.array for one in operands if len(one.shape) == ndim]
    return "F" if full and all(map(_is_fortran, full)) else "C"


def _is_fortran(array: Host | DeviceArray) -> bool:
    if isinstance(array, np.ndarray):
        return array.flags.f_contiguous and not array.flags.c_contiguous
    return bool(array.order == "F")


def finish(stream: Any) -> None:
    """Wait for queued work, and raise the exceptions of threads."""
    access.driver().stream_synchronize(handle_of(stream))
    reports.raise_first()
