"""Number instructions that only GPUs have."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cutaway.gpu import bfloat16, words
from cutaway.library.gpu.registry import is_truth, word
from cutaway.library.math.numbers import Instructions
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import Value, float_type, part_types
from cutaway.typing import types
from cutaway.typing.overloads.resolution import Arguments, Signature
from cutaway.typing.types import Float, Integer, Tuple, Type
from cutaway.typing.types.conversions import unify


def _machine_integer(ty: Type) -> Type | None:
    """The type in which bits are counted: 32 or 64 bits."""
    if not isinstance(ty, Integer):
        return None
    if ty.bits >= 32:
        return ty
    return types.int32 if ty.signed else types.uint32


def _bits_rule(result: Type | None) -> object:
    def rule(arguments: Arguments) -> Signature | None:
        ty = _machine_integer(arguments.types[0]) if len(arguments) == 1 else None
        return None if ty is None else Signature(result or ty, (ty,))

    return rule


def _popc(n: Instructions, x: str) -> str:
    return n.call("ctpop", x)


def _clz(n: Instructions, x: str) -> str:
    return n.call("ctlz", x)  # all bits for 0


def _ffs(n: Instructions, x: str) -> str:
    # Counted from 1; 0 if no bit is set.
    return n.select(n.compare("eq", x), "0", n("add", n.call("cttz", x), "1"))


def _brev(n: Instructions, x: str) -> str:
    return n.call("bitreverse", x)


def _register_bits(function: Any, result: Type | None, emit: Callable[..., str]) -> None:
    @word(function, _bits_rule(result))
    def lower(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
        part = emit(Instructions(build, sig.args[0]), args[0].parts[0])
        return build.cast(Value(sig.args[0], (part,)), sig.returns)

    lower.__name__ = function.__name__


_register_bits(words.popc, types.int32, _popc)
_register_bits(words.clz, types.int32, _clz)
_register_bits(words.ffs, types.int32, _ffs)
_register_bits(words.brev, None, _brev)


# --- floats -----------------------------------------------------------------------------------


def _float_of(given: tuple[Type, ...]) -> Type | None:
    """The float type that numbers are computed in: float32 or float64."""
    if not given or not all(map(types.is_real, given)):
        return None
    ty = given[0]
    for other in given[1:]:
        ty = unify(ty, other) or types.float64
    return types.float32 if ty in (types.float16, types.float32) else types.float64


def _float_rule(count: int, results: int = 1) -> object:
    def rule(arguments: Arguments) -> Signature | None:
        ty = _float_of(arguments.types) if len(arguments) == count else None
        if ty is None:
            return None
        return Signature(ty if results == 1 else Tuple((ty,) * results), (ty,) * count)

    return rule


def _c_function(build: FunctionBuilder, name: str, value: Value) -> str:
    assert isinstance(value.ty, Float)
    kind = float_type(value.ty)
    suffix = "" if kind == "double" else "f"
    return build.call(kind, f"{name}{suffix}", [(kind, value.parts[0])])


@word(words.fma, _float_rule(3))
def fma(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`fma(a, b, c)`."""
    assert isinstance(sig.returns, Float)
    result = build.math("fma", sig.returns, *(value.parts[0] for value in args))
    return Value(sig.returns, (result,))


@word(words.cbrt, _float_rule(1))
def cbrt(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`cbrt(x)`."""
    return Value(sig.returns, (_c_function(build, "cbrt", args[0]),))


@word(words.rsqrt, _float_rule(1))
def rsqrt(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`rsqrt(x)`: one instruction, within 2 units in the last place."""
    suffix = "d" if sig.returns is types.float64 else "f"
    kind = part_types(sig.returns)[0]
    name = f"llvm.nvvm.rsqrt.approx.{suffix}"
    return Value(sig.returns, (build.call(kind, name, [(kind, args[0].parts[0])]),))


@word(words.sincos, _float_rule(1, results=2))
def sincos(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`sincos(x)`."""
    parts = [_c_function(build, name, args[0]) for name in ("sin", "cos")]
    return Value(sig.returns, tuple(parts))


def _choice_rule(arguments: Arguments) -> Signature | None:
    if len(arguments) != 3 or not is_truth(arguments.types[0]):
        return None
    ty = unify(*arguments.types[1:])
    number = ty is not None and types.is_number(ty)
    return Signature(ty, (types.boolean, ty, ty)) if ty is not None and number else None


@word(words.selp, _choice_rule)
def selp(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`selp(c, a, b)`."""
    (cond,), then, orelse = (arg.parts for arg in args)
    n = Instructions(build, sig.returns)
    return Value(
        sig.returns, tuple(n.select(cond, a, b) for a, b in zip(then, orelse, strict=True))
    )


# --- bfloat16 ---------------------------------------------------------------------------------


def _narrowed_rule(arguments: Arguments) -> Signature | None:
    fits = len(arguments) == 1 and types.is_real(arguments.types[0])
    return Signature(types.uint16, (types.float32,)) if fits else None


@word(bfloat16.float32_to_bf16, _narrowed_rule)
def float32_to_bf16(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`float32_to_bf16(x)`: one instruction from compute capability 8.0 on."""
    narrow = build.convert("fptrunc", "float", args[0].parts[0], "bfloat")
    return Value(types.uint16, (build.convert("bitcast", "bfloat", narrow, "i16"),))


def _widened_rule(arguments: Arguments) -> Signature | None:
    fits = len(arguments) == 1 and arguments.types[0] is types.uint16
    return Signature(types.float32, arguments.types) if fits else None


@word(bfloat16.bf16_to_float32, _widened_rule)
def bf16_to_float32(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`bf16_to_float32(bits)`."""
    wide = build.convert("zext", "i16", args[0].parts[0], "i32")
    moved = build.binary("shl", "i32", wide, "16")
    return Value(types.float32, (build.convert("bitcast", "i32", moved, "float"),))
