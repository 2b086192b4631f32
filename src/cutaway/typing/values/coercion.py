"""Converts a Python value to the one that compiled code would hold: the interpreter does this to
each result once types are known, so that it wraps and rounds where machine code does."""

from __future__ import annotations

from typing import Any

from cutaway.typing.types import Type


def coerce(ty: Type, value: Any) -> Any:
    """Return the value of type `ty` for a Python value.

    Integers wrap to their width, floats round to theirs; arrays, ranges and other values with only
    one form stay as they are.
    """
    return ty.coerced(value)
