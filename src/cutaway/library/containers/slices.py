"""Slices as values: `slice(...)`, their bounds, `indices`."""

from __future__ import annotations

from cutaway.extending.overloads import overload_method, register_jitable
from cutaway.extending.registry import attribute, primitive
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import Value, slice_bounds
from cutaway.typing import types
from cutaway.typing.overloads.resolution import Arguments, Signature
from cutaway.typing.types import Slice, Span, Type

_BOUNDS = ("start", "stop", "step")


def _slice_rule(arguments: Arguments) -> Signature | None:
    args = arguments.types
    if not 1 <= len(args) <= 3:
        return None
    bounds = tuple(bound for ty in args if (bound := types.slice_bound(ty)) is not None)
    if len(bounds) != len(args):
        return None
    parts = (types.none, *bounds) if len(bounds) == 1 else bounds
    return Signature(Slice(*parts, *[types.none] * (3 - len(parts))), bounds)


@primitive(slice, _slice_rule)
def make_slice(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`slice(stop)`, `slice(start, stop)`, `slice(start, stop, step)`."""
    return Value(sig.returns, tuple(part for arg in args for part in arg.parts))


def _register_bound(name: str) -> None:
    def rule(ty: Span) -> Type:
        result: Type = getattr(ty, name)
        return result

    @attribute(Span, name, rule)
    def bound(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
        return slice_bounds(args[0])[_BOUNDS.index(name)]


for _name in _BOUNDS:
    _register_bound(_name)


@overload_method(Slice, "indices")
def _indices(s, length):
    return _indices_in if types.is_integral(length) else None


def _indices_in(s, length):
    if length < 0:
        raise ValueError("length should not be negative")
    step = 1 if s.step is None else s.step
    if step == 0:
        raise ValueError("slice step cannot be zero")
    lower, upper = (0, length) if step > 0 else (-1, length - 1)
    start = _clamped(s.start, length, lower, upper, lower if step > 0 else upper)
    stop = _clamped(s.stop, length, lower, upper, upper if step > 0 else lower)
    return start, stop, step


@register_jitable
def _clamped(bound, length, lower, upper, default):
    if bound is None:
        return default
    if bound < 0:
        return max(bound + length, lower)
    return min(bound, upper)
