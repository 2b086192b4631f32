"""The parameters of a named tuple's class, and its fields."""

from __future__ import annotations

from typing import Any

from cutaway.errors import TypingError
from cutaway.foundation.source import Loc
from cutaway.typing.overloads.parameters import Parameters
from cutaway.typing.overloads.resolution import REQUIRED, Call
from cutaway.typing.types import NamedTuple, Type
from cutaway.typing.values.typeof import typeof_constant


def fields_of(cls: Any) -> Parameters:
    """Return the parameters of a call of a named tuple's class."""
    defaults = tuple(cls._field_defaults.get(name, REQUIRED) for name in cls._fields)
    return Parameters(cls.__name__, tuple(cls._fields), defaults)


def field_of(owner: Type, name: str) -> int | None:
    """Return the position of a field of a named tuple; None for other types and names."""
    return owner.field(name) if isinstance(owner, NamedTuple) else None


def made_by_call(cls: Any, call: Call, loc: Loc) -> Type:
    """Return the type of the named tuple that a call of its class creates.

    Raises TypingError if the call does not fit the fields.
    """
    parameters = fields_of(cls)
    layout = parameters.lay_out(call)
    if layout is None:
        raise parameters.misfit(call.positional, call.keywords, loc)
    items: list[Type] = []
    for k, default in zip(layout, parameters.defaults, strict=True):
        assert not isinstance(k, tuple)
        item = typeof_constant(default) if k is None else call.arguments.types[k]
        if item is None:
            raise TypingError(f"the default {default!r} has no type in compiled code", loc)
        items.append(item)
    return NamedTuple(tuple(items), cls)
