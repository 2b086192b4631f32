"""Names for the library's Python functions that are the same in every process.

A function at the top of a module has a name.  An implementation that a typer returns is a nested
function: it is identified by its qualified name, its code, and its free variables.
"""

from __future__ import annotations

from types import BuiltinFunctionType, FunctionType
from weakref import WeakKeyDictionary

import numpy as np

from cutaway.caching.dependencies import UnstableError, dtype_text
from cutaway.caching.digests import digest
from cutaway.caching.type_names import names_of_types
from cutaway.foundation.element_functions import ufunc_half
from cutaway.foundation.source import is_at_top, is_ours
from cutaway.typing.types import Type

_PLAIN = (bool, int, float, complex, str, bytes, type(None), type(Ellipsis))
_NAMED = (type, BuiltinFunctionType, np.ufunc, type(np.sum))
_NAMING: list[FunctionType] = []  # functions that are being named
_KNOWN: WeakKeyDictionary[FunctionType, str] = WeakKeyDictionary()


def name_of(function: FunctionType) -> str:
    """Return the name of a function of our own library; empty where there is none."""
    name = _KNOWN.get(function)
    if name is None:
        try:
            name = _name(function)
        except UnstableError:
            name = ""
        _KNOWN[function] = name
    return name


def _name(function: FunctionType) -> str:
    if not is_ours(function):
        raise UnstableError(f"{function.__qualname__} is not of the library")
    plain = f"{function.__module__}.{function.__qualname__}"
    if is_at_top(function):
        return plain
    if function in _NAMING:
        return plain  # it closes over itself
    code = function.__code__
    try:
        closed = [cell.cell_contents for cell in function.__closure__ or ()]
    except ValueError:  # an inner function, whose cells are passed as arguments
        raise UnstableError(f"{function.__qualname__} closes over variables") from None
    parts = [str(code.co_firstlineno), code.co_code.hex(), _text(function.__defaults__)]
    _NAMING.append(function)
    try:
        return f"{plain}:{digest(' '.join([*parts, *map(_text, closed)]))}"
    finally:
        _NAMING.pop()


def _text(value: object) -> str:
    """Return the text of a value that an implementation closes over.

    Raises UnstableError for one that has a meaning in this process alone.
    """
    match value:
        case Type():
            return names_of_types((value,))
        case tuple():
            return f"({' '.join(map(_text, value))})"
        case np.dtype():
            return dtype_text(value)
        case FunctionType():
            return _name(value)
        case _ if type(value) in _PLAIN:
            return f"{type(value).__name__} {value!r}"
        case np.generic():
            return f"{dtype_text(value.dtype)} {value!r}"
        case BuiltinFunctionType(__self__=np.ufunc() as owner):
            return f"{_text(owner)}.{value.__name__}"
        case _ if isinstance(value, _NAMED) and ufunc_half(value) is None:
            return f"{value.__module__}.{value.__name__}"
    raise UnstableError(f"{value!r} has no name that lasts")
