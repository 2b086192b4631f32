"""Arrays in code that extensions write with llvmlite.ir."""

from __future__ import annotations

from typing import Any

from cutaway.extending.struct_proxies import ArrayProxy


def populate_array(array: ArrayProxy, **members: Any) -> ArrayProxy:
    """Set the members of an array: `data shape strides itemsize meminfo parent`."""
    return array.populate(**members)
