"""The representations of types that extensions define (SPEC D3).

Such a type is *represented* by another one: a tuple of its members' types, or a machine value. Code
that lays out values uses the representation of a type that it does not know, so that an extension's
value is taken apart, counted and passed like the library's own.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from cutaway.errors import ExtensionError
from cutaway.foundation.source import place_of
from cutaway.typing.types import Type
from cutaway.typing.types.primitives import Members, Word
from cutaway.typing.types.structure import represented

MACHINE_TYPES = ("i1", "i8", "i16", "i32", "i64", "half", "float", "double", "ptr")

# For a class of types whose values have members, the function that returns their names and types.
MEMBERS: dict[type[Type], Callable[[Type], tuple[tuple[str, Type], ...]]] = {}


class MachineType(Type):
    """A value of an LLVM type: one of MACHINE_TYPES; a pointer may be `shown` to extensions with
    the type of its target."""

    __slots__ = ("llvm", "shown")
    arity = 2
    trailing = ("",)

    def __init__(self, llvm: str, shown: str = "") -> None:
        self.llvm = llvm
        self.shown = shown
        self.name = f"machine({shown or llvm})"

    def members(self) -> Members:
        return (("value", Word(self.llvm)),)


@cache
def representation(ty: Type) -> Type:
    """Return the type that represents an extension's.

    Raises ExtensionError if no data model is registered for it.
    """
    model = represented(ty)
    if model is None:
        raise no_model(ty)
    return model


def no_model(ty: Type) -> ExtensionError:
    """Return the error for a type without a data model."""
    return ExtensionError(
        f"type {ty} has no data model",
        place_of(type(ty)),
        f"register one: @register_model({type(ty).__name__})",
    )
