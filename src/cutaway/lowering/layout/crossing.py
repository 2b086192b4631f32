"""Descriptors: how values of each type cross between Python and compiled code."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np

from cutaway.errors import (
    CutawayError,
    ExtensionError,
    InternalError,
    TypingError,
    UnsupportedError,
)
from cutaway.foundation.source import place_of
from cutaway.lowering.layout.parts import is_extension, slot_types
from cutaway.typing import types
from cutaway.typing.types import Type, kinds


def _number_of(value: object, constants: list[object]) -> int:
    """Return the index of an object among a specialization's constants, which fits in a byte."""
    for place, known in enumerate(constants):
        if known is value:
            return place
    if len(constants) > 255:
        raise TypingError("at most 256 different constants can be passed to or from Python")
    constants.append(value)
    return len(constants) - 1


class _Boxing(Protocol):
    constant: bytes
    library: object


# Functions that return the generated boxing or unboxing code of a type; None for other types.
BOXED: list[Callable[[Type, bool], _Boxing | None]] = []


def descriptor(
    ty: Type, constants: list[object], result: bool = False, changed: bool = True
) -> bytes:
    """Return the type in the dispatcher's descriptor language (runtime header); the objects it
    needs are appended to `constants`.  An extension may define another descriptor for a `result`;
    an argument that is not `changed` is not written back.

    Raises InternalError for a type whose values cannot cross the boundary.
    """
    for boxed in BOXED:
        boxing = boxed(ty, result)
        if boxing is not None:
            count = len(slot_types(ty))
            number = _number_of_boxing(boxing, constants)
            return b"Z" + bytes([number, count & 255, count >> 8])
    text = ty.crossing(Crossing(constants, result, changed))
    if text is None:
        raise _refusal(ty, result)
    return text


def _number_of_boxing(boxing: _Boxing, constants: list[object]) -> int:
    """Return the index of the generated boxing code, before the library that keeps it loaded."""
    for place, known in enumerate(constants):
        if known is boxing.constant:
            return place
    number = _number_of(boxing.constant, constants)
    _number_of(boxing.library, constants)
    return number


class Crossing:
    """The writer of descriptors that types receive (`primitives.Crossing`)."""

    def __init__(self, constants: list[object], result: bool, changed: bool = True) -> None:
        self._constants = constants
        self._result = result
        self.changed = changed

    def constant(self, value: object) -> bytes:
        """Return the index of an object among the constants."""
        return bytes([_number_of(value, self._constants)])

    def dtype(self, ty: Type) -> bytes:
        """Return the index of a dtype among the constants; user objects are not shared, since their
        field names can be changed in place."""
        known = (const for const in self._constants if isinstance(const, np.dtype))
        same = (const for const in known if types.element_type(const) is ty)
        return self.constant(next(same, None) or types.to_dtype(ty))

    def items(self, items: Sequence[Type]) -> bytes:
        """Return the descriptors of several types."""
        return b"".join(self._item(item) for item in items)

    def _item(self, item: Type) -> bytes:
        return descriptor(item, self._constants, self._result, self.changed)


def _refusal(ty: Type, result: bool) -> CutawayError:
    """Return the error for a type whose values cannot cross."""
    if is_extension(ty):
        return ExtensionError(
            f"a value of type {ty} cannot be passed {'to' if result else 'from'} Python",
            place_of(type(ty)),
            f"register one: @{'box' if result else 'unbox'}({type(ty).__name__})",
        )
    if isinstance(ty, kinds.RawPointer | kinds.MemInfoPointer):
        return UnsupportedError(
            f"a value of type {ty} cannot be passed {'to' if result else 'from'} Python",
            hint="pass the address as an integer",
        )
    return InternalError(f"a value of type {ty} cannot be passed to or from Python")
