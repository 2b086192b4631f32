"""Arrays on a GPU that belong to other libraries: `__cuda_array_interface__`, and DLPack."""

from __future__ import annotations

from typing import Any

import numpy as np

from cutaway.cuda.driver import access, geometry
from cutaway.cuda.driver.arrays import DeviceArray
from cutaway.cuda.driver.streams import LEGACY_DEFAULT
from cutaway.driver_c._driver import describe_dlpack
from cutaway.errors import CudaError

_ON_GPU = frozenset({2, 13})  # DLPack's kinds of devices: CUDA, and its managed memory


def is_cuda_array(obj: Any) -> bool:
    """True for an array on a GPU of this or another library."""
    return hasattr(obj, "__cuda_array_interface__") or is_dlpack_array(obj)


def is_dlpack_array(obj: Any) -> bool:
    """True for an object that DLPack exports from the memory of a GPU."""
    device = getattr(obj, "__dlpack_device__", None)
    return device is not None and hasattr(obj, "__dlpack__") and int(device()[0]) in _ON_GPU


def as_cuda_array(obj: Any, sync: bool = True) -> DeviceArray:
    """Wrap an array of another library, sharing its memory; with `sync` wait for that library's
    queued work.

    Raises TypeError for anything but an array on a GPU.
    """
    interface = getattr(obj, "__cuda_array_interface__", None)
    if interface is not None:
        return from_cuda_array_interface(interface, obj, sync)
    if is_dlpack_array(obj):
        return _from_dlpack(obj)
    raise TypeError(f"{type(obj).__name__} is no array on a GPU")


def from_cuda_array_interface(desc: Any, owner: Any = None, sync: bool = True) -> DeviceArray:
    """Make an array from its description."""
    if desc.get("mask") is not None:
        raise CudaError("arrays with a mask are not supported")
    dtype = np.dtype(desc["typestr"])
    if dtype.kind == "V" and desc.get("descr") not in (None, [("", desc["typestr"])]):
        dtype = np.dtype(desc["descr"])
    shape = tuple(desc["shape"])
    strides = desc.get("strides")
    steps = geometry.contiguous(shape, dtype.itemsize) if strides is None else tuple(strides)
    address, is_readonly = desc["data"]
    stream = desc.get("stream")
    if sync and stream is not None and stream != LEGACY_DEFAULT:
        access.driver().stream_synchronize(int(stream))
    return DeviceArray(int(address or 0), shape, steps, dtype, owner, bool(is_readonly))


def _from_dlpack(obj: Any) -> DeviceArray:
    try:
        capsule = obj.__dlpack__(stream=LEGACY_DEFAULT, max_version=(1, 1))
    except TypeError:  # a library without versioned DLPack
        capsule = obj.__dlpack__(stream=LEGACY_DEFAULT)
    address, shape, strides, letter, is_readonly = describe_dlpack(capsule)
    dtype = np.dtype(letter)
    return DeviceArray(address, shape, strides, dtype, (obj, capsule), is_readonly)
