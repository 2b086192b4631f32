"""Addresses of C functions that other packages export."""

from __future__ import annotations

import ctypes
import importlib

from cutaway.errors import EXTENSION_ERRORS, did_you_mean


def get_cython_function_address(module_name: str, function_name: str) -> int:
    """Return the address of a C function that a Cython module exports, such as
    "scipy.special.cython_special": an int, for ctypes or an intrinsic.

    Raises ExtensionError, which is a ValueError, if the module exports no such function.
    """
    exported = getattr(importlib.import_module(module_name), "__pyx_capi__", None)
    if exported is None:
        raise EXTENSION_ERRORS[ValueError](f"module {module_name} exports no C functions")
    if function_name not in exported:
        raise EXTENSION_ERRORS[ValueError](
            f"module {module_name} exports no C function {function_name!r}",
            hint=did_you_mean(function_name, exported),
        )
    capsule = exported[function_name]
    address: int = _pointer_in(capsule, _name_of(capsule))
    return address


_name_of = ctypes.PYFUNCTYPE(ctypes.c_char_p, ctypes.py_object)(
    ("PyCapsule_GetName", ctypes.pythonapi)
)
_pointer_in = ctypes.PYFUNCTYPE(ctypes.c_size_t, ctypes.py_object, ctypes.c_char_p)(
    ("PyCapsule_GetPointer", ctypes.pythonapi)
)
