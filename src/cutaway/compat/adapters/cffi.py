"""Queries of programs before they register functions of cffi: Cutaway supports none."""

from __future__ import annotations

SUPPORTED = False
ffi = None


def is_cffi_func(value: object) -> bool:
    """True for a function of cffi that compiled code may call."""
    return False


def is_ffi_instance(value: object) -> bool:
    """True for an instance of cffi's FFI that compiled code may use."""
    return False
