"""Copy the arguments of launches to the GPU and back: arrays and records of the host.

Each host array among the arguments is copied there before the launch, and back after it, unless it
is read-only. `cuda.In` and `cuda.Out` omit one of the two copies; an array that stays on the GPU,
`cuda.to_device(...)`, is not copied at all.
"""

from __future__ import annotations

import array
from typing import Any

import numpy as np

from cutaway.cuda.driver import access, reports
from cutaway.cuda.driver.arrays import DeviceArray, DeviceRecord, device_array, to_device
from cutaway.cuda.driver.foreign import as_cuda_array, is_cuda_array
from cutaway.cuda.driver.memory import Held
from cutaway.driver_c import _driver
from cutaway.errors import CudaError

Data = DeviceArray | DeviceRecord
# A transferred argument: data on the GPU with whether to copy it back, or another value.
Arrived = tuple[Data, bool] | Any
_BUFFERS = (bytearray, memoryview, array.array)
_TENSOR = ("__cuda_array_interface__", "__dlpack__")


class Way:
    """An array of the host with the direction of its copies."""

    __slots__ = ("value",)
    goes, returns = True, True

    def __init__(self, value: Any) -> None:
        self.value = value

    def __repr__(self) -> str:
        return f"cuda.{type(self).__name__}({self.value!r})"


class In(Way):
    """An array that a kernel only reads: it is not copied back."""

    returns = False


class Out(Way):
    """An array that a kernel fills: it is not copied to the GPU."""

    goes = False


class InOut(Way):
    """An array that is copied to the GPU and back, as by default."""


def is_usual(cls: type) -> bool:
    """True if values of a class are passed to the dispatcher unchanged."""
    if issubclass(cls, (np.ndarray, np.void, Way, *_BUFFERS)):
        return False
    return not any(hasattr(cls, name) for name in _TENSOR)


def arrive(value: Any, stream: int) -> Arrived:
    """Transfer an argument for the dispatcher.

    Raises CudaError for an argument that cannot be copied to a GPU.
    """
    goes = returns = True
    if isinstance(value, Way):
        goes, returns, value = value.goes, value.returns, value.value
    if isinstance(value, DeviceArray | DeviceRecord):
        return value, False
    if isinstance(value, np.void):
        return to_device(value, stream), returns
    if isinstance(value, Held) and value.is_mapped:
        data = DeviceArray(value.device_address, value.shape, value.strides, value.dtype, value)
        return data, False
    if isinstance(value, _BUFFERS):
        value = np.asarray(value)
    if not isinstance(value, np.ndarray):
        if is_cuda_array(value):
            return as_cuda_array(value), False
        if not hasattr(value, "__dlpack__"):
            return value
        value = np.from_dlpack(value)  # in the memory of the host
    return _copied(value, goes, stream), returns and value.flags.writeable


def _copied(host: np.ndarray[Any, Any], goes: bool, stream: int) -> DeviceArray:
    """Make an array on the GPU for one of the host, contiguous in the same order."""
    order = "F" if host.flags.f_contiguous and not host.flags.c_contiguous else "C"
    data = device_array(host.shape, host.dtype, order=order)
    if goes:
        data.copy_to_device(host, stream)
    if not host.flags.writeable:
        data = DeviceArray(data.address, data.shape, data.strides, data.dtype, data.owner, True)
    return data


def depart(copied: list[tuple[Any, Data, bool]], stream: int) -> None:
    """Copy back the arguments that a launch may have changed."""
    access.driver().stream_synchronize(stream)
    for value, data, returns in copied:
        if not returns or not data.nbytes:
            continue
        host = value.value if isinstance(value, Way) else value
        if isinstance(host, np.void):
            _copy_record(host, data)
        elif isinstance(data, DeviceArray):
            _copy_back(host, data)
    reports.raise_first()


def _copy_back(host: Any, data: DeviceArray) -> None:
    if not isinstance(host, np.ndarray):
        host = np.asarray(host) if isinstance(host, _BUFFERS) else np.from_dlpack(host)
    data.copy_to_host(np.asarray(host))


def _copy_record(host: np.void, data: Data) -> None:
    if not host.flags.writeable:
        return
    found = data.copy_to_host()
    for name in host.dtype.names or ():
        host[name] = found[name]


def on_host(value: Any) -> Any:
    """Convert an argument for the simulator, whose GPU memory is on the host."""
    if isinstance(value, Way):
        value = value.value
    if isinstance(value, DeviceArray | DeviceRecord):
        if value.owner is None:  # no memory is needed for no elements
            return np.empty(value.shape, value.dtype)
        return value.owner.array_of(value)
    if isinstance(value, Held):
        return np.asarray(value)
    if isinstance(value, tuple):
        return tuple.__new__(type(value), map(on_host, value))
    return value


def refuse(kind: str, name: str, where: str) -> CudaError:
    """Return the error for an argument whose memory a GPU cannot read."""
    return CudaError(
        f"argument {where!r} of {name} is {kind}, which a GPU cannot read",
        hint="pass numbers, tuples of them, records, or arrays",
    )


_driver.set_argument_hooks(arrive, depart, is_usual)
_driver.set_look_hook(reports.look)
