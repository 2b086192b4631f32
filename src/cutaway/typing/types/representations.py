"""Which types stand for those that extensions define: what their values are made of (SPEC D3)."""

from __future__ import annotations

from collections.abc import Callable

from cutaway.typing.types import Type

# For a class of types, what gives the representation of one of them.
REPRESENTATIONS: dict[type[Type], Callable[[Type], Type]] = {}


def represented(ty: Type) -> Type | None:
    """The type that stands for an extension's; None for any other type.

    Raises ExtensionError where the data model of an extension fails.
    """
    if not REPRESENTATIONS:
        return None
    for cls in type(ty).__mro__:
        if cls in REPRESENTATIONS:
            return REPRESENTATIONS[cls](ty)
    return None
