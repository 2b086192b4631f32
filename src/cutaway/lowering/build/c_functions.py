"""C functions of the user's as symbols of the code that calls them, or passes them on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cutaway.foundation.foreign import is_a
from cutaway.lowering.build.builder import Builder, FunctionCode, symbol
from cutaway.runtime.c_functions import HeldFunction, hold


def c_function(
    build: Builder,
    function: Any,
    address: int,
    shown: str,
    kinds: tuple[str, Sequence[str]] | None = None,
) -> str:
    """The symbol of a function, which stays as long as there is code that has its address.

    `shown` is its name for readers; `kinds` are the LLVM types of its result and its parameters,
    where it is called.
    """
    known = (held for held in build.code.frozen.values() if is_a(held, HeldFunction))
    found = next((held for held in known if held.function is function), None)
    if found is None:
        found = hold(function, address, shown)
        build.code.frozen[found.name] = found
    name = symbol(found.name)
    if kinds is not None:
        build.code.globals[found.name] = (
            f"declare {kinds[0]} {name}({', '.join(kinds[1])}) nounwind"
        )
    else:
        build.code.globals.setdefault(found.name, f"declare void {name}() nounwind")
    return name


def held_object(code: FunctionCode, value: object) -> str:
    """The name of the address of a Python object, which stays as long as there is this code."""
    held = hold(value, id(value), "object")
    code.frozen[held.name] = held
    return held.name
