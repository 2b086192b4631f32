"""A library of tensors that hands them out by DLPack's exchange of C, as PyTorch and CuPy do."""

from __future__ import annotations

import ctypes
from ctypes import POINTER, c_char_p, c_int, c_int32, c_int64, c_uint64, c_void_p


class DLTensor(ctypes.Structure):
    _fields_ = (
        ("data", c_void_p),
        ("device_type", c_int32),
        ("device_id", c_int32),
        ("ndim", c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", POINTER(c_int64)),
        ("strides", POINTER(c_int64)),
        ("byte_offset", c_uint64),
    )


class Table(ctypes.Structure):
    _fields_ = (
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("previous", c_void_p),
        ("allocate", c_void_p),
        ("managed_from_object", c_void_p),
        ("object_from_managed", c_void_p),
        ("tensor_from_object", ctypes.PYFUNCTYPE(c_int, ctypes.py_object, POINTER(DLTensor))),
        ("current_stream", ctypes.PYFUNCTYPE(c_int, c_int32, c_int32, POINTER(c_void_p))),
    )


_STREAM = [0]


def _fill(tensor, into):
    if tensor.fails:
        return -1
    ctypes.memmove(into, ctypes.byref(tensor.dl), ctypes.sizeof(DLTensor))
    _STREAM[0] = tensor.stream
    return 0


def _stream(device_type, device, into):
    into[0] = _STREAM[0]
    return 0


_types = dict(Table._fields_)
TABLE = Table(
    major=1,
    minor=3,
    tensor_from_object=_types["tensor_from_object"](_fill),
    current_stream=_types["current_stream"](_stream),
)
# What a later version of DLPack would hand out: it leads to the one that is known.
LATER = Table(major=2, previous=ctypes.addressof(TABLE))
_new_capsule = ctypes.pythonapi.PyCapsule_New
_new_capsule.restype = ctypes.py_object
_new_capsule.argtypes = (c_void_p, c_char_p, c_void_p)
_NAME = ctypes.create_string_buffer(b"dlpack_exchange_api")  # capsules do not copy it


class Tensor:
    """A tensor at an address: its shape, strides in elements or None, and DLPack's type."""

    __dlpack_c_exchange_api__ = _new_capsule(
        ctypes.addressof(LATER), ctypes.cast(_NAME, c_char_p), None
    )

    def __init__(
        self, address, shape, strides, kind, *, device=2, stream=0, host=None, fails=False
    ):
        self.shape = (c_int64 * len(shape))(*shape)
        self.strides = strides and (c_int64 * len(strides))(*strides)
        self.stream, self.host, self.fails = stream, host, fails
        self.dl = DLTensor(address, device, 0, len(shape), *kind, 1)
        self.dl.shape = self.shape
        if strides:
            self.dl.strides = self.strides

    def __dlpack__(self, **options):
        return self.host.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.dl.device_type, 0
