"""What can be written as a signature: text, a signature, a tuple of types."""

from __future__ import annotations

from typing import Any

from cutaway.errors import SignatureError
from cutaway.typing import types
from cutaway.typing.overloads.notation import parse_signature
from cutaway.typing.types import Signature, Type


def is_signature(value: Any) -> bool:
    """True for what a decorator takes as a signature."""
    return isinstance(value, str | Signature | tuple)


def normalize_signature(value: Any) -> tuple[tuple[Type, ...], Type | None]:
    """The types of the arguments, and that of the result where it is given.

    Raises TypeError for anything else.
    """
    if isinstance(value, str):
        written = parse_signature(value)
        return written.args, written.returns
    if isinstance(value, Signature):
        return value.args, value.returns
    if isinstance(value, tuple) and all(isinstance(item, Type) for item in value):
        return value, None
    if isinstance(value, types.Type):
        return (value,), None
    raise SignatureError(f"{value!r} is not a signature", hint="for example 'float64(float64)'")
