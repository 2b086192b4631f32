"""Barriers and fences."""

from __future__ import annotations

from typing import Any

from cutaway.gpu import words
from cutaway.library.gpu.registry import is_truth, word
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import Value
from cutaway.typing import types
from cutaway.typing.overloads.resolution import REQUIRED, Arguments, Signature

NONE = Value(types.none, ())

_FENCES = {
    words.threadfence: "gl",
    words.threadfence_block: "cta",
    words.threadfence_system: "sys",
}


@word(words.syncthreads, "none()")
def syncthreads(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`syncthreads()`."""
    build.call("void", "llvm.nvvm.barrier.cta.sync.aligned.all", [("i32", "0")])
    return NONE


def _truth_rule(arguments: Arguments) -> Signature | None:
    fits = len(arguments) == 1 and is_truth(arguments.types[0])
    return Signature(types.int32, (types.boolean,)) if fits else None


def _reducing(function: Any, how: str, kind: str) -> None:
    @word(function, _truth_rule)
    def lower(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
        name = f"llvm.nvvm.barrier.cta.red.{how}.aligned.all"
        answer = build.call(kind, name, [("i32", "0"), ("i1", args[0].parts[0])])
        wide = answer if kind == "i32" else build.convert("zext", kind, answer, "i32")
        return Value(types.int32, (wide,))


_reducing(words.syncthreads_and, "and", "i1")
_reducing(words.syncthreads_or, "or", "i1")
_reducing(words.syncthreads_count, "popc", "i32")


def _fence(function: Any, scope: str) -> None:
    @word(function, "none()")
    def lower(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
        build.call("void", f"llvm.nvvm.membar.{scope}", [])
        return NONE


for _function, _scope in _FENCES.items():
    _fence(_function, _scope)


def _mask_rule(arguments: Arguments) -> Signature | None:
    fits = len(arguments) == 1 and types.is_integral(arguments.types[0])
    return Signature(types.none, (types.uint32,)) if fits else None


@word(words.syncwarp, _mask_rule, ("mask",), (REQUIRED,))
@word(words.syncwarp, "none()")
def syncwarp(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`syncwarp()`, `syncwarp(mask)`."""
    mask = args[0].parts[0] if args else "-1"
    build.call("void", "llvm.nvvm.bar.warp.sync", [("i32", mask)])
    return NONE


@word(words.nanosleep, _mask_rule, ("ns",), (REQUIRED,))
def nanosleep(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`nanosleep(ns)`."""
    build.call("void", "llvm.nvvm.nanosleep", [("i32", args[0].parts[0])])
    return NONE
