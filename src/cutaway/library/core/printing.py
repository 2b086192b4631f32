"""`print`, which Python does: to `sys.stdout` as it is then."""

from __future__ import annotations

from cutaway.extending.registry import CONTEXT
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import Value
from cutaway.typing import types
from cutaway.typing.overloads.resolution import Arguments, Overload, Signature


def _rule(arguments: Arguments) -> Signature | None:
    fits = all(ty.can_be_written for ty in arguments.types)
    return Signature(types.none, arguments.types) if fits else None


def _print(*values: object) -> None:
    *items, sep, end, flush = values
    print(*items, sep=sep, end=end, flush=flush)  # type: ignore[call-overload]


def printed(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`print(...)`."""
    build.call_python(_print, args)
    return Value(types.none, ())


_NAMED = (("sep", " "), ("end", "\n"), ("flush", False))
CONTEXT.add(print, Overload(_rule, (), printed, named=_NAMED))
