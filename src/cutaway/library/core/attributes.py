"""`hasattr`, and `getattr` with a default: known at compile time."""

from __future__ import annotations

from cutaway.extending.overloads import overload
from cutaway.extending.registry import CONTEXT, primitive
from cutaway.library.math.numbers import boolean
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import Value
from cutaway.typing import types
from cutaway.typing.inference.resolving import has_attribute
from cutaway.typing.overloads.resolution import Arguments, Signature
from cutaway.typing.types import Type


def _has(owner: Type, name: Type) -> bool | None:
    """True if values of a type have an attribute; None if the name is not constant."""
    is_constant = isinstance(name, types.String) and isinstance(name.value, str)
    return has_attribute(owner, name.value, CONTEXT) if is_constant else None


def _hasattr_rule(arguments: Arguments) -> Signature | None:
    if len(arguments) != 2 or _has(*arguments.types) is None:
        return None
    return Signature(types.boolean, arguments.types)


@primitive(hasattr, _hasattr_rule, any_elements=True)
def _lower_hasattr(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    return boolean("true" if _has(*sig.args) else "false")


@overload(getattr)
def _getattr(owner, name, default):
    has = _has(owner, name)
    if has is None:
        return None
    if not has:
        return lambda owner, name, default: default
    text = name.value
    return lambda owner, name, default: getattr(owner, text)
