"""Compiling for the arguments of a call, with passes and observers that a test chooses."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from cutaway import api
from cutaway.dispatch import binding
from cutaway.typing.inference.literals import OtherTypesNeeded

Compiled = TypeVar("Compiled")


def for_call(
    function: Any, arguments: tuple[Any, ...], compiled: Callable[[Any, Any], Compiled]
) -> Compiled:
    """Return `compiled(half, argument types)`, which compiles for the types that a dispatcher would
    choose: it is called again where a function needs others, as for empty lists that it fills."""
    half = api.half_of(function)
    plain = binding.call_types(half, arguments)
    while True:
        try:
            return compiled(half, binding.specialized_types(half, plain, arguments))
        except OtherTypesNeeded as error:
            binding.note_needed(half, plain, arguments, error)
