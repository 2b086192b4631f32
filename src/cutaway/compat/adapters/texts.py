"""Types and signatures in Numba's words, for programs that show or compare them."""

from __future__ import annotations

from collections.abc import Callable
from types import MappingProxyType
from typing import Any

from cutaway.typing import types
from cutaway.typing.types import Signature, Type
from cutaway.typing.types.buffers import Buffer
from cutaway.typing.types.enums import EnumMember, IntEnumMember
from cutaway.typing.values.typeof import typeof


def _array(ty: Any) -> str:
    kinds = "unaligned " * (not ty.aligned) + "readonly " * ty.readonly
    return f"{kinds}array({ty.dtype}, {ty.ndim}d, {ty.layout})"


def _buffer(ty: Any) -> str:
    array, name = ty.array, ty.cls.__name__
    return f"{'readonly ' * ty.readonly}{name}({array.dtype}, {array.ndim}d, {array.layout})"


def _enum(ty: Any) -> str:
    kind = "IntEnum" if isinstance(ty, IntEnumMember) else "Enum"
    return f"{kind}<{typeof(next(iter(ty.cls)).value)}>({ty.cls.__name__})"


def _tuple(ty: Any) -> str:
    if ty.items and all(item is ty.items[0] for item in ty.items):
        return f"UniTuple({ty.items[0]} x {len(ty.items)})"
    return f"Tuple({', '.join(map(str, ty.items))})"


def _named_tuple(ty: Any) -> str:
    inside = _tuple(ty).partition("(")[2]
    return f"{ty.cls.__name__}({inside}"


def _slice(ty: Any) -> str:
    return "slice<a:b>" if ty.step is types.none else "slice<a:b:c>"


def _signature(sig: Any) -> str:
    args = ", ".join(map(str, sig.args))
    return f"({args}{',' * (len(sig.args) == 1)}) -> {sig.returns}"


# By class; the class that a program derives is written in the program's way.
_WRITTEN: MappingProxyType[type, Callable[[Any], str]] = MappingProxyType(
    {
        Signature: _signature,
        types.Array: _array,
        Buffer: _buffer,
        types.MixedTuple: _tuple,
        types.UniTuple: _tuple,
        types.MixedNamedTuple: _named_tuple,
        types.NamedUniTuple: _named_tuple,
        types.Optional: lambda ty: f"OptionalType({ty.inner})",
        types.Slice: _slice,
        types.EllipsisType: lambda ty: "...",
        type(types.str_type): lambda ty: "unicode_type",
        types.String: lambda ty: f"Literal[{type(ty.value).__name__}]({ty.value})",
        EnumMember: _enum,
        IntEnumMember: _enum,
        types.DType: lambda ty: f"dtype({_named(ty.dtype, ty.name)})",
        types.Class: lambda ty: f"class({_named(ty.instance_type, ty.value)})",
    }
)


def _named(ty: Type | None, otherwise: object) -> object:
    return otherwise if ty is None else ty


def reference_text(thing: object) -> str | None:
    """Return the text of a type or a signature in Numba's words; None where ours is the same."""
    write = _WRITTEN.get(type(thing))
    return None if write is None else write(thing)
