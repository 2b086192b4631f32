"""The forms of a signature: text, a signature, a tuple of types."""

from __future__ import annotations

from typing import Any

from cutaway.typing.overloads.notation import written_signature
from cutaway.typing.types import Signature, Type


def is_signature(value: Any) -> bool:
    """True for an object that a decorator accepts as a signature."""
    return isinstance(value, str | Signature | tuple)


def normalize_signature(value: Any) -> tuple[tuple[Type, ...], Type | None]:
    """Return the types of the arguments, and that of the result or None.

    Raises SignatureError, which is a TypeError, for anything else.
    """
    written = written_signature(value)
    return written.args, written.returns
