"""A Python value as compiled code would hold it: what the interpreter does to each result once
types are known, so that it wraps and rounds where machine code does."""

from __future__ import annotations

from typing import Any

from cutaway.typing.types import Type


def coerce(ty: Type, value: Any) -> Any:
    """The value of type `ty` that stands for a Python value.

    Integers wrap to their width, floats round to theirs; arrays, ranges and what else has no
    other form stay as they are.
    """
    return ty.coerced(value)
