"""Name the types of a call's arguments by their values alone, with the same names as `typeof` has,
but without loading the types.

Only for the usual kinds of values.  For any other the compiler infers the types, and `type_names`
names them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cutaway.dispatch_c._dispatch import ABSENT

OMITTED = "omitted"
_BY_CLASS = {int: "int64", float: "float64", complex: "complex128", bool: "bool"}
_BY_CLASS |= {type(None): "none", str: "str", range: "range"}
NUMBERS = {
    np.dtype(code): name
    for code, name in zip(
        "?bhilBHILqQefdFD",
        "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 int64 uint64"
        " float16 float32 float64 complex64 complex128".split(),
        strict=True,
    )
}
_SCALARS = {dtype.type: name for dtype, name in NUMBERS.items()}
_ARRAYS = (np.ndarray, np.memmap)
DEEPEST = 10  # levels of nested tuples


def names_of_values(values: tuple[Any, ...]) -> str | None:
    """Return the names of argument types, ABSENT for an omitted one; None for an unusual value."""
    names = [OMITTED if value is ABSENT else _name(value, 0) for value in values]
    return None if None in names else joined(names)


def joined(names: list[str]) -> str:
    """Join the names of several types to one text."""
    return f"({' '.join(names)})"


def array_name(number: str, ndim: int, layout: str, readonly: bool, aligned: bool) -> str:
    """Return the name of an array type."""
    return f"{number}[{ndim}{layout}{'r' * readonly}{'u' * (not aligned)}]"


def _name(value: Any, depth: int) -> str | None:
    cls = type(value)
    name = _BY_CLASS.get(cls) or _SCALARS.get(cls)
    if name is not None:
        return name
    if cls in _ARRAYS:
        number = NUMBERS.get(value.dtype)
        if number is None or not value.dtype.isnative:
            return None
        flags = value.flags
        layout = "C" if flags.c_contiguous else "F" if flags.f_contiguous else "A"
        return array_name(number, value.ndim, layout, not flags.writeable, flags.aligned)
    if cls is tuple and depth < DEEPEST:
        items = [_name(item, depth + 1) for item in value]
        return None if None in items else joined(items)
    return None
