"""Texts by their characters, for extensions that make a str: each character is a number, and takes
as many bytes as the widest of the text does, its `kind`."""

from __future__ import annotations

from typing import Any

from llvmlite import ir

from cutaway.extending.lowered import intrinsic
from cutaway.extending.overloads import register_jitable
from cutaway.extending.target_context import TargetContext
from cutaway.typing import types
from cutaway.typing.types import Signature, Type

_I64 = ir.IntType(64)
_WIDTHS = (1, 2, 4)
Written = tuple[Signature, Any] | None


@register_jitable
def codepoint_to_kind(codepoint: int) -> int:
    """Return how many bytes a character takes: 1, 2 or 4.

    Raises ValueError for a number that is not a code point.
    """
    if 0 <= codepoint < 256:
        return 1
    if 256 <= codepoint < 65536:
        return 2
    if 65536 <= codepoint < 1114112:
        return 4
    raise ValueError("a number of a character is between 0 and 0x10ffff")


@intrinsic
def empty_string(typingctx: Any, kind: Type, length: Type, is_ascii: Type) -> Written:
    """Make a new str of characters of a kind, each of which is to be set."""
    if not all(types.is_integral(ty) for ty in (kind, length, is_ascii)):
        return None

    def code(context: TargetContext, builder: ir.IRBuilder, sig: Signature, args: Any) -> ir.Value:
        width, count, _ = args
        text = context.make_helper(builder, types.str_type)
        text.meminfo = context.nrt.meminfo_alloc(builder, builder.mul(width, count))
        text.data = context.nrt.meminfo_data(builder, text.meminfo)
        text.length, text.kind = count, builder.trunc(width, ir.IntType(32))
        return text._getvalue()

    return types.str_type(types.int64, types.int64, types.int64), code


@intrinsic
def set_code_point(typingctx: Any, text: Type, index: Type, codepoint: Type) -> Written:
    """Set a character of a new str, whose kind holds it."""
    if text is not types.str_type or not types.is_integral(codepoint):
        return None

    def code(context: TargetContext, builder: ir.IRBuilder, sig: Signature, args: Any) -> ir.Value:
        held = context.make_helper(builder, types.str_type, args[0])
        for kind, address in _places(builder, held, args[1]):
            builder.store(builder.trunc(args[2], kind), address)
        return context.get_dummy_value()

    return types.none(text, types.int64, types.int64), code


@intrinsic
def get_code_point(typingctx: Any, text: Type, index: Type) -> Written:
    """Return a character of a str as a number."""
    if text is not types.str_type:
        return None

    def code(context: TargetContext, builder: ir.IRBuilder, sig: Signature, args: Any) -> ir.Value:
        held = context.make_helper(builder, types.str_type, args[0])
        found = builder.alloca(_I64)
        builder.store(_I64(0), found)
        for kind, address in _places(builder, held, args[1]):
            builder.store(builder.zext(builder.load(address, typ=kind), _I64), found)
        return builder.load(found, typ=_I64)

    return types.int64(text, types.int64), code


def _places(builder: ir.IRBuilder, text: Any, index: ir.Value) -> Any:
    for width in _WIDTHS:
        kind = ir.IntType(8 * width)
        fits = builder.icmp_signed("==", text.kind, ir.IntType(32)(width))
        with builder.if_then(fits):
            data = builder.bitcast(text.data, kind.as_pointer())
            yield kind, builder.gep(data, [index])
