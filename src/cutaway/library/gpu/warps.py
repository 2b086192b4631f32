"""Collective operations of a warp's 32 threads: shuffles, votes, matches."""

from __future__ import annotations

from typing import Any

from cutaway.gpu import words
from cutaway.library.gpu.registry import is_truth, register, word
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import Value, part_types
from cutaway.typing import types
from cutaway.typing.overloads.resolution import Arguments, Signature
from cutaway.typing.types import Boolean, Float, Integer, Tuple, Type

_SHUFFLES = {
    words.shfl_sync: ("idx", 31),
    words.shfl_up_sync: ("up", 0),
    words.shfl_down_sync: ("down", 31),
    words.shfl_xor_sync: ("bfly", 31),
}


def _shuffle_rule(arguments: Arguments) -> Signature | None:
    if len(arguments) != 3:
        return None
    mask, value, lane = arguments.types
    integral = types.is_integral(mask) and types.is_integral(lane)
    if not integral or not types.is_number(value):
        return None
    return Signature(value, (types.uint32, value, types.int32))


def _shuffled(function: Any, mode: str, clamp: int) -> None:
    @word(function, _shuffle_rule)
    def lower(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
        mask, value, lane = args

        def moved(part: str) -> str:
            operands = [("i32", mask.parts[0]), ("i32", part), ("i32", lane.parts[0])]
            name = f"llvm.nvvm.shfl.sync.{mode}.i32"
            return build.call("i32", name, [*operands, ("i32", str(clamp))])

        parts = [
            _by_words(build, kind, part, moved)
            for kind, part in zip(part_types(value.ty), value.parts, strict=True)
        ]
        return Value(value.ty, tuple(parts))


def _by_words(build: FunctionBuilder, kind: str, part: str, moved: Any) -> str:
    """Move a value of any type in words of 32 bits."""
    bits = _bits(kind)
    whole = part if kind.startswith("i") else build.convert("bitcast", kind, part, f"i{bits}")
    if bits < 32:
        narrow = build.convert(
            "trunc", "i32", moved(build.convert("zext", f"i{bits}", whole, "i32")), f"i{bits}"
        )
        whole = narrow
    elif bits == 32:
        whole = moved(whole)
    else:
        low = build.convert("trunc", "i64", whole, "i32")
        high = build.convert("trunc", "i64", build.binary("lshr", "i64", whole, "32"), "i32")
        low = build.convert("zext", "i32", moved(low), "i64")
        high = build.convert("zext", "i32", moved(high), "i64")
        whole = build.binary("or", "i64", build.binary("shl", "i64", high, "32"), low)
    return whole if kind.startswith("i") else build.convert("bitcast", f"i{bits}", whole, kind)


def _bits(kind: str) -> int:
    widths = {"half": 16, "float": 32, "double": 64}
    return widths[kind] if kind in widths else int(kind[1:])


for _function, (_mode, _clamp) in _SHUFFLES.items():
    _shuffled(_function, _mode, _clamp)


# --- votes ------------------------------------------------------------------------------------


def _vote_rule(result: Type) -> Any:
    def rule(arguments: Arguments) -> Signature | None:
        fits = len(arguments) == 2 and types.is_integral(arguments.types[0])
        if not fits or not is_truth(arguments.types[1]):
            return None
        return Signature(result, (types.uint32, types.boolean))

    return rule


def _vote(function: Any, mode: str, result: Type) -> None:
    @word(function, _vote_rule(result))
    def lower(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
        operands = [("i32", args[0].parts[0]), ("i1", args[1].parts[0])]
        kind = part_types(result)[0]
        return Value(result, (build.call(kind, f"llvm.nvvm.vote.{mode}.sync", operands),))


_vote(words.all_sync, "all", types.boolean)
_vote(words.any_sync, "any", types.boolean)
_vote(words.eq_sync, "uni", types.boolean)
_vote(words.ballot_sync, "ballot", types.uint32)


# --- matches ----------------------------------------------------------------------------------


def _match_rule(result: Type) -> Any:
    def rule(arguments: Arguments) -> Signature | None:
        if len(arguments) != 2 or not types.is_integral(arguments.types[0]):
            return None
        value = arguments.types[1]
        fits = isinstance(value, Integer | Boolean | Float)
        return Signature(result, (types.uint32, value)) if fits else None

    return rule


def _matched(build: FunctionBuilder, value: Value) -> tuple[str, str]:
    """The bits of a value as an integer of 32 or 64 bits."""
    kind = part_types(value.ty)[0]
    bits, part = _bits(kind), value.parts[0]
    if not kind.startswith("i"):
        part = build.convert("bitcast", kind, part, f"i{bits}")
    wide = "i64" if bits == 64 else "i32"
    return wide, part if f"i{bits}" == wide else build.convert("zext", f"i{bits}", part, wide)


@word(words.match_any_sync, _match_rule(types.uint32))
def match_any_sync(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`match_any_sync(mask, value)`."""
    kind, part = _matched(build, args[1])
    operands = [("i32", args[0].parts[0]), (kind, part)]
    return Value(types.uint32, (build.call("i32", f"llvm.nvvm.match.any.sync.{kind}", operands),))


@word(words.match_all_sync, _match_rule(Tuple((types.uint32, types.boolean))))
def match_all_sync(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`match_all_sync(mask, value)`."""
    kind, part = _matched(build, args[1])
    operands = [("i32", args[0].parts[0]), (kind, part)]
    pair = build.call("{ i32, i1 }", f"llvm.nvvm.match.all.sync.{kind}p", operands)
    parts = [build.result(f"extractvalue {{ i32, i1 }} {pair}, {k}") for k in range(2)]
    return Value(sig.returns, tuple(parts))


# --- lanes ------------------------------------------------------------------------------------


@word(words.activemask, "uint32()")
def activemask(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`activemask()`."""
    return Value(types.uint32, (build.call("i32", "llvm.nvvm.activemask", []),))


@word(words.lanemask_lt, "uint32()")
def lanemask_lt(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`lanemask_lt()`."""
    return Value(types.uint32, (register(build, "lanemask.lt"),))
