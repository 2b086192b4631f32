"""The tables of functions that extensions register to unbox and box values (SPEC D7)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

from cutaway.foundation import registrations
from cutaway.lowering.build.patterns import Implementations
from cutaway.typing.types import Type

F = TypeVar("F", bound=Callable[..., Any])
Pattern = Any

UNBOX, BOX = Implementations("unbox"), Implementations("box")


class NativeValue(NamedTuple):
    """The result of unboxing: the LLVM value; an i1 that is true if it failed (an exception is set
    then); and a function that emits code to run after the call, whether or not it succeeded."""

    value: Any
    is_error: Any = None
    cleanup: Callable[[], None] | None = None


def unbox(pattern: Pattern) -> Callable[[F], F]:
    """Register `code(typ, obj, c)`, which returns the NativeValue of a Python object (SPEC D7)."""

    def register(code: F) -> F:
        registrations.register("unbox", code, pattern)
        UNBOX.add((pattern,), code)
        MADE.clear()
        return code

    return register


def box(pattern: Pattern) -> Callable[[F], F]:
    """Register `code(typ, val, c)`, which returns a new Python object, or null if an exception is
    set (SPEC D7).  It takes over the references of the value: `c.box` of a member takes over
    that member's."""

    def register(code: F) -> F:
        registrations.register("box", code, pattern)
        BOX.add((pattern,), code)
        MADE.clear()
        return code

    return register


class Boxing(NamedTuple):
    """The boxing functions of a type for the dispatcher, and the library that keeps them loaded."""

    constant: bytes
    library: object


MADE: dict[Type, Boxing] = {}
