"""The GPU's registry of overloads: the whole library, and the words of kernels."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from cutaway.extending.registry import CONTEXT, attribute, primitive
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.typing import types
from cutaway.typing.overloads.derived import DerivedContext
from cutaway.typing.overloads.resolution import MISSING, Arguments, Rule, Signature
from cutaway.typing.types import Type

GPU = DerivedContext(CONTEXT)
GPU.runs_python = False

word = partial(primitive, context=GPU)
word_attribute = partial(attribute, context=GPU)


def register(build: FunctionBuilder, name: str) -> str:
    """The value of a special register, an i32."""
    return build.once_called("i32", f"llvm.nvvm.read.ptx.sreg.{name}")


def constant_of(arguments: Arguments, place: int) -> Any:
    """The value of a constant argument; MISSING for others."""
    return arguments.constants[place] if place < len(arguments.constants) else MISSING


def integers(result: Type, count: int, wanted: Type = types.int32) -> Rule:
    """A rule for `count` integers converted to one type."""

    def rule(arguments: Arguments) -> Signature | None:
        fits = len(arguments) == count and all(map(is_truth, arguments.types))
        return Signature(result, (wanted,) * count) if fits else None

    return rule


def is_truth(ty: Type) -> bool:
    """True for integers and bools."""
    return types.is_integral(ty) or ty is types.boolean


Lowered = Callable[[FunctionBuilder, Signature, Sequence[Any]], Any]
