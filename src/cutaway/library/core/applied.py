"""Calls of one library function inside another: `==` in `in`, `+` in `sum`."""

from __future__ import annotations

from typing import Any

from cutaway.extending.registry import CONTEXT
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import Value
from cutaway.typing.overloads.resolution import MISSING, Arguments, Call, Resolution
from cutaway.typing.types import Type


def resolved(function: Any, *args: Type) -> Resolution | None:
    """The resolution of a call with values of these types; None if nothing matches, or the match is
    compiled from Python and has no lowering."""
    result = CONTEXT.resolve(function, Call(Arguments(args, (MISSING,) * len(args))))
    return result if result is not None and result.overload.lower is not None else None


def applied(build: FunctionBuilder, function: Any, *args: Value) -> Any:
    """Emit the call of a `resolved` function; returns a Value, or a pair for `advance`."""
    result = resolved(function, *(arg.ty for arg in args))
    assert result is not None and result.overload.lower is not None
    given = [build.cast(arg, ty) for arg, ty in zip(args, result.signature.args, strict=True)]
    return result.overload.lower(build, result.signature, given)
