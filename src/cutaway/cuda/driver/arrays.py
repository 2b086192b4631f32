"""Arrays and records in the memory of a GPU.

They hold data there between launches, and little more: kernels compute with them. CuPy and PyTorch
have whole libraries, and their arrays are accepted too.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from cutaway.cuda.driver import access, failures, geometry, reports
from cutaway.cuda.driver.geometry import Numbers
from cutaway.cuda.driver.streams import handle_of
from cutaway.driver_c._driver import Data, to_dlpack
from cutaway.errors import CudaError

Host = np.ndarray[Any, Any]
_ADDRESSES = 2**63  # no memory is as large


class _OnDevice(Data):
    """The common base of arrays and records."""

    __slots__ = ()

    @property
    def _itemsize(self) -> int:
        return int(self.dtype.itemsize)

    @property
    def nbytes(self) -> int:
        """The bytes of all elements."""
        return math.prod(self.shape) * self._itemsize

    @property
    def alloc_size(self) -> int:
        """The bytes of the memory block that it holds."""
        return int(getattr(self.owner, "bytes", self.nbytes))

    def bind(self, stream: Any = 0) -> Any:
        """Return the same data, whose copies are queued in a stream."""
        made = self._like(self.address, self.shape, self.strides)
        made.stream = stream
        return made

    def _like(self, address: int, shape: Numbers | None, strides: Numbers) -> Any:
        made = type(self)(address, shape, strides, self.dtype, self.owner, self.is_readonly)
        made.stream = self.stream
        return made

    def _queue(self, stream: Any) -> tuple[int, bool]:
        """Return the handle of the stream for an operation, and whether to wait for its end."""
        chosen = stream if type(stream) is not int or stream else self.stream
        return handle_of(chosen), chosen is None or chosen == 0

    def _read(self, stream: Any) -> np.ndarray[Any, Any]:
        """Read all bytes from the first to the last on the host."""
        low, high = geometry.extent(self.shape, self.strides, self._itemsize)
        raw = np.empty(high - low, np.uint8)
        if raw.size:
            handle, waits = self._queue(stream)
            access.driver().copy_to_host(
                raw.ctypes.data, self.address + low, raw.size, handle, waits
            )
            if waits:
                reports.raise_first()
        return raw

    def _write(self, raw: Host, at: int, stream: Any) -> None:
        if raw.nbytes:
            handle, waits = self._queue(stream)
            access.driver().copy_to_device(
                self.address + at, raw.ctypes.data, raw.nbytes, handle, waits
            )


class DeviceRecord(_OnDevice):
    """A record in the memory of a GPU."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"<record on a GPU: {self.dtype}>"

    def copy_to_host(self, ary: Host | None = None, stream: Any = 0) -> Any:
        """Copy the record to the host; into a 0-dimensional array, if one is passed."""
        found = self._read(stream).view(self.dtype)[0]
        if ary is None:
            return found
        ary[()] = found
        return ary

    def copy_to_device(self, ary: Any, stream: Any = 0) -> None:
        """Copy a record of the host into this one."""
        self._write(np.asarray(ary, self.dtype).reshape(1), 0, stream)


class DeviceArray(_OnDevice):
    """An array in the memory of a GPU."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"<array on a GPU: {self.dtype}, shape {self.shape}>"

    # --- attributes -----------------------------------------------------------------------------

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """The number of elements."""
        return math.prod(self.shape)

    @property
    def itemsize(self) -> int:
        """The bytes of an element."""
        return self._itemsize

    def is_c_contiguous(self) -> bool:
        """True if the elements are contiguous in C order."""
        return geometry.contiguous(self.shape, self.itemsize) == self.strides or (
            bool(self.order == "C")
        )

    def is_f_contiguous(self) -> bool:
        """True if the elements are contiguous in Fortran order."""
        return geometry.contiguous(self.shape, self.itemsize, "F") == self.strides or (
            bool(self.order == "F")
        )

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("len() of unsized object")
        return int(self.shape[0])

    def __bool__(self) -> bool:
        raise CudaError(
            "the elements of an array on a GPU cannot be looked at here",
            hint="a.copy_to_host() brings it to the host",
        )

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        plain = self.is_c_contiguous()
        return {
            "shape": self.shape,
            "strides": None if plain else self.strides,
            "data": (self.address, self.is_readonly),
            "typestr": self.dtype.str,
            "descr": self.dtype.descr,
            "stream": handle_of(self.stream) or None if self.stream else None,
            "version": 3,
        }

    def __dlpack__(
        self,
        *,
        stream: Any = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[int, int] | None = None,
        copy: bool | None = None,
    ) -> object:
        """Return a capsule by which other libraries share the memory."""
        if copy or (dl_device is not None and dl_device != self.__dlpack_device__()):
            raise BufferError("an array on a GPU is handed out as it is, without a copy")
        if self.stream and stream not in (None, -1):
            access.driver().stream_synchronize(handle_of(self.stream))
        versioned = max_version is not None and max_version[0] >= 1
        return to_dlpack(self, access.driver().current_device(), versioned)

    def __dlpack_device__(self) -> tuple[int, int]:
        return 2, int(access.driver().current_device())

    # --- copies -------------------------------------------------------------------------------

    def copy_to_host(self, ary: Host | None = None, stream: Any = 0) -> Host:
        """Copy the array to the host: to a new array, or into the given one. With a stream the copy
        into a given one is only queued."""
        if ary is not None and (ary.shape != self.shape or ary.dtype != self.dtype):
            raise ValueError(
                f"the array on the GPU has the type {self.dtype} and the shape {self.shape},"
                f" and that on the host {ary.dtype} and {ary.shape}"
            )
        if ary is not None and self._fits(ary):
            self._read_into(ary, stream)
            return ary
        found = self._on_host(self._read(stream))
        if self._queue(stream)[1] is False:  # the bytes are read next
            access.driver().stream_synchronize(self._queue(stream)[0])
        if ary is None:
            return found
        ary[...] = found
        return ary

    def _fits(self, ary: Host) -> bool:
        """True if an array of the host is contiguous in the same order."""
        flags = ary.flags
        return (flags.c_contiguous and self.is_c_contiguous()) or (
            bool(flags.f_contiguous) and self.is_f_contiguous()
        )

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Host:
        if copy is False:
            raise ValueError("an array on a GPU is copied to the host")
        found = self.copy_to_host()
        return found if dtype is None else found.astype(dtype)

    def _read_into(self, ary: Host, stream: Any) -> None:
        if not ary.flags.writeable:
            raise ValueError("the array of the host is read-only")
        if ary.nbytes:
            handle, waits = self._queue(stream)
            access.driver().copy_to_host(ary.ctypes.data, self.address, ary.nbytes, handle, waits)
            if waits:
                reports.raise_first()

    def _on_host(self, raw: Host) -> Host:
        """Make an array over copied bytes."""
        low, _ = geometry.extent(self.shape, self.strides, self.itemsize)
        return np.ndarray(self.shape, self.dtype, raw.data, -low, self.strides)

    def copy_to_device(self, ary: Any, stream: Any = 0) -> None:
        """Copy an array of the host, or of the GPU, into this one.

        Raises ValueError for one of another shape or type.
        """
        source = ary if isinstance(ary, DeviceArray) else np.asarray(ary)
        if source.shape != self.shape or source.dtype != self.dtype:
            raise ValueError(
                f"the array on the GPU has the type {self.dtype} and the shape {self.shape},"
                f" and what is copied there {source.dtype} and {source.shape}"
            )
        if isinstance(source, DeviceArray):
            self._take(source, stream)
        elif self.is_c_contiguous() or self.is_f_contiguous():
            order = "C" if self.is_c_contiguous() else "F"
            self._write(np.asarray(source, order=order), 0, stream)  # type: ignore[call-overload]
        else:
            self._merge(source, stream)

    def _take(self, source: DeviceArray, stream: Any) -> None:
        same = source.strides == self.strides
        if same and (self.is_c_contiguous() or self.is_f_contiguous()):
            handle, waits = self._queue(stream)
            if self.nbytes:
                access.driver().copy_on_device(
                    self.address, source.address, self.nbytes, handle, waits
                )
        else:
            self.copy_to_device(source.copy_to_host(), stream)

    def _merge(self, source: Host, stream: Any) -> None:
        """Write strided elements: read the bytes between them, and write these back unchanged."""
        raw = self._read(0)
        if raw.size:
            self._on_host(raw)[...] = source
            self._write(raw, geometry.extent(self.shape, self.strides, self.itemsize)[0], stream)

    # --- views --------------------------------------------------------------------------------

    def __getitem__(self, key: Any) -> Any:
        return self.getitem(key)

    def getitem(self, item: Any, stream: Any = 0) -> Any:
        """Return a view, or the element that integers select, copied to the host."""
        offset, shape, strides = geometry.indexed(self.shape, self.strides, item)
        view = self._like(self.address + offset, shape, strides)
        keys = item if isinstance(item, tuple) else (item,)
        if shape or ... in keys:
            return view
        return view.copy_to_host(stream=stream)[()]

    def __setitem__(self, key: Any, value: Any) -> None:
        self.setitem(key, value)

    def setitem(self, key: Any, value: Any, stream: Any = 0) -> None:
        """Write to a part of the array."""
        offset, shape, strides = geometry.indexed(self.shape, self.strides, key)
        view = self._like(self.address + offset, shape, strides)
        if isinstance(value, DeviceArray) and value.shape != shape:
            value = value.copy_to_host()
        if not isinstance(value, DeviceArray):
            value = np.broadcast_to(np.asarray(value, self.dtype), shape)
        view.copy_to_device(value, stream)

    def __iter__(self) -> Any:
        return (self[k] for k in range(len(self)))

    def reshape(self, *newshape: Any, order: str = "C") -> DeviceArray:
        """Return the same elements in another shape.

        Raises CudaError if they are not contiguous.
        """
        is_one = len(newshape) == 1 and isinstance(newshape[0], tuple | list)
        wanted = tuple(newshape[0]) if is_one else newshape
        sizes = geometry.reshaped(self.shape, wanted)
        if not (self.is_c_contiguous() if order == "C" else self.is_f_contiguous()):
            raise CudaError(
                "an array on a GPU whose elements do not lie side by side cannot be reshaped",
                hint="copy it to the host, reshape it there, and copy it back",
            )
        strides = geometry.contiguous(sizes, self.itemsize, order)
        made: DeviceArray = self._like(self.address, sizes, strides)
        return made

    def ravel(self, order: str = "C", stream: Any = 0) -> DeviceArray:
        """Return the elements in one dimension; copied if they are not contiguous in that order."""
        if self.is_c_contiguous() if order == "C" else self.is_f_contiguous():
            return self.reshape(-1, order=order)
        plain = np.ravel(self.copy_to_host(stream=stream), order=order)  # type: ignore[call-overload]
        return to_device(plain, stream)

    def view(self, dtype: DTypeLike) -> DeviceArray:
        """View the same bytes as elements of another type, in the last dimension."""
        kind = np.dtype(dtype)
        last = self.shape[-1] * self.itemsize if self.shape else self.itemsize
        if not self.is_c_contiguous() or (kind.itemsize and last % kind.itemsize):
            raise CudaError("the bytes of the last dimension are not whole elements of that type")
        shape = (*self.shape[:-1], last // kind.itemsize) if self.shape else ()
        strides = geometry.contiguous(shape, kind.itemsize)
        made = DeviceArray(self.address, shape, strides, kind, self.owner, self.is_readonly)
        made.stream = self.stream
        return made

    def transpose(self, axes: Any = None) -> DeviceArray:
        """Return a view with the axes in another order, by default reversed."""
        order = tuple(range(self.ndim))[::-1] if axes is None else tuple(axes)
        if sorted(order) != list(range(self.ndim)):
            raise ValueError(f"axes {order} are not those of an array of {self.ndim} dimensions")
        shape = tuple(self.shape[axis] for axis in order)
        made: DeviceArray = self._like(
            self.address, shape, tuple(self.strides[axis] for axis in order)
        )
        return made

    @property
    def T(self) -> DeviceArray:
        """The axes reversed."""
        return self.transpose()

    def squeeze(self, axis: Any = None) -> DeviceArray:
        """Return a view without dimensions of size 1."""
        given = range(self.ndim) if axis is None else geometry.axes_of(axis, self.ndim)
        dropped = {k for k in given if axis is not None or self.shape[k] == 1}
        if any(self.shape[k] != 1 for k in dropped):
            raise ValueError("only a dimension of size 1 can be dropped")
        kept = [k for k in range(self.ndim) if k not in dropped]
        made: DeviceArray = self._like(
            self.address,
            tuple(self.shape[k] for k in kept),
            tuple(self.strides[k] for k in kept),
        )
        return made

    def split(self, section: int, stream: Any = 0) -> Any:
        """Return views of `section` elements each of a one-dimensional array."""
        if self.ndim != 1:
            raise CudaError("only an array of one dimension is split")
        return [self[k : k + section] for k in range(0, len(self), section)]


# --- made -------------------------------------------------------------------------------------


def _allocated(shape: Numbers, strides: Numbers, dtype: np.dtype[Any]) -> DeviceArray:
    if dtype.hasobject:
        raise CudaError(
            "an array of Python's objects cannot be copied to a GPU", hint="use a type of numbers"
        )
    low, high = geometry.extent(shape, strides, dtype.itemsize)
    if high == low:
        access.driver().current_device()  # raises the error without a GPU
        return DeviceArray(0, shape, strides, dtype, None)
    if high - low >= _ADDRESSES:
        raise failures.failure("cuMemAlloc", 2, "CUDA_ERROR_OUT_OF_MEMORY", "", None, None, "")
    memory = access.driver().allocate(high - low)
    return DeviceArray(int(memory.handle) - low, shape, strides, dtype, memory)


def device_array(
    shape: Any,
    dtype: DTypeLike = np.float64,
    strides: Any = None,
    order: str = "C",
    stream: Any = 0,
) -> DeviceArray:
    """Allocate an array on the GPU, uninitialized."""
    sizes, kind = geometry.as_shape(shape), np.dtype(dtype)
    steps = geometry.contiguous(sizes, kind.itemsize, order)
    if strides is not None:
        steps = tuple(strides if isinstance(strides, tuple | list) else (strides,))
    made = _allocated(sizes, steps, kind)
    made.stream = stream or None
    return made


def device_array_like(ary: Any, stream: Any = 0) -> DeviceArray:
    """Allocate an array on the GPU of the same shape, type and order."""
    order = "C"
    if isinstance(ary, Data):
        order = "F" if ary.order == "F" else "C"
    elif ary.flags.f_contiguous and not ary.flags.c_contiguous:
        order = "F"
    return device_array(ary.shape, ary.dtype, order=order, stream=stream)


def to_device(obj: Any, stream: Any = 0, copy: bool = True, to: Any = None) -> Any:
    """Copy an array, or a record, of the host to the GPU: into `to`, if given, and without `copy`
    only if necessary."""
    if isinstance(obj, _OnDevice) and to is None:
        if not copy:
            return obj
        made = device_array_like(obj, stream)
        made.copy_to_device(obj, stream)
        return made
    if isinstance(obj, np.void) and obj.dtype.names:
        return _record_to_device(obj, stream)
    array = np.asarray(obj)
    if to is None:
        order = "F" if array.flags.f_contiguous and not array.flags.c_contiguous else "C"
        to = device_array(array.shape, array.dtype, order=order, stream=stream)
    to.copy_to_device(array, stream)
    return to


def _record_to_device(record: np.void, stream: Any) -> DeviceRecord:
    memory = access.driver().allocate(max(record.dtype.itemsize, 1))
    made = DeviceRecord(int(memory.handle), None, (), record.dtype, memory)
    made.stream = stream or None
    made.copy_to_device(record, stream)
    return made
