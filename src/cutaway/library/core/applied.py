"""One function of the library used inside of another: `==` in `in`, `+` in `sum`."""

from __future__ import annotations

from typing import Any

from cutaway.extending.registry import CONTEXT
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import Value
from cutaway.typing.overloads.resolution import MISSING, Arguments, Call, Resolution
from cutaway.typing.types import Type


def resolved(function: Any, *args: Type) -> Resolution | None:  # Any: a function of any kind
    """What a function does with values of these types; None where nothing fits, or where it is
    compiled from Python and has no lowering of its own."""
    found = CONTEXT.resolve(function, Call(Arguments(args, (MISSING,) * len(args))))
    return found if found is not None and found.overload.lower is not None else None


def applied(build: FunctionBuilder, function: Any, *args: Value) -> Any:
    """The function's result: a Value, or a pair for `advance`.  It must be `resolved`."""
    found = resolved(function, *(arg.ty for arg in args))
    assert found is not None and found.overload.lower is not None
    given = [build.cast(arg, ty) for arg, ty in zip(args, found.signature.args, strict=True)]
    return found.overload.lower(build, found.signature, given)
