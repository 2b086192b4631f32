"""The user's C functions as symbols of the code that calls them, or passes them on."""

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
    """Return the symbol of a function, which is kept alive as long as code holds its address.

    `shown` is its name for readers; `kinds` are the LLVM types of its result and its parameters, if
    it is called.
    """
    held_functions = (held for held in build.code.frozen.values() if is_a(held, HeldFunction))
    held = next((held for held in held_functions if held.function is function), None)
    if held is None:
        held = hold(function, address, shown)
        build.code.frozen[held.name] = held
    name = symbol(held.name)
    if kinds is not None:
        build.code.globals[held.name] = f"declare {kinds[0]} {name}({', '.join(kinds[1])}) nounwind"
    else:
        build.code.globals.setdefault(held.name, f"declare void {name}() nounwind")
    return name


def held_object(code: FunctionCode, value: object) -> str:
    """Return the symbol of a Python object's address, which is kept alive as long as this code."""
    held = hold(value, id(value), "object")
    code.frozen[held.name] = held
    return held.name
