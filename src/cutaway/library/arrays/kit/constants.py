"""Typers that receive the values of constant arguments."""

from __future__ import annotations

from typing import Any, NamedTuple

from cutaway.extending.registry import CONTEXT
from cutaway.library.arrays.kit.typers import private
from cutaway.typing import types
from cutaway.typing.overloads.context import call_key
from cutaway.typing.overloads.resolution import MISSING, REQUIRED, Call, Overload, lay_out


class ConstantArgument(NamedTuple):
    """A constant argument: its type and its value."""

    ty: Any
    value: Any


def numpy_of_constants(function: Any, *parameters: str, **defaults: Any) -> Any:
    """Register a typer for a NumPy function; it receives argument types, and `ConstantArgument` for
    constants."""

    def register(typer: Any) -> Any:
        implementations: dict[Any, Any] = {}

        def template(call: Call) -> Any:
            key = call_key(call)
            if key not in implementations:
                implementations[key] = _implementation(typer, lay_out(overload, call))
            return implementations[key]

        template.__name__ = function.__name__
        template.typer = typer
        overload = Overload(None, (), None, names, values, any_elements=True, template=template)
        CONTEXT.add(function, overload)
        return typer

    names = (*parameters, *defaults)
    values = (*[REQUIRED] * len(parameters), *defaults.values())
    return register


def _implementation(typer: Any, found: Any) -> Any:
    if found is None:
        return None
    implementation = typer(*map(_known, found[0].types, found[0].constants))
    return None if implementation is None else private(implementation)


def _known(ty: Any, constant: Any) -> Any:
    if isinstance(ty, types.Omitted):
        return ConstantArgument(ty, ty.value)
    if ty is types.none:
        return ConstantArgument(ty, None)
    if isinstance(ty, types.String):
        return ConstantArgument(ty, ty.value)
    if isinstance(ty, types.Literal):
        return ConstantArgument(ty, ty.literal_value)
    if constant is MISSING or isinstance(ty, types.Array):
        return ty
    return ConstantArgument(ty, constant)
