"""Features of the processor that code is generated for."""

from __future__ import annotations

from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.targets.cpu.engine import host


def has_feature(build: FunctionBuilder, feature: str) -> bool:
    """True if the processor has a feature, by LLVM's name for it: "fma", "avx512f"."""
    machine = build.links.target.machine.whole(host()[1])
    features = machine.features.split(",")
    return f"+{feature}" in features and f"-{feature}" not in features


def fuses(build: FunctionBuilder) -> bool:
    """True if the processor has a fused multiply-add, with one rounding."""
    triple = build.links.target.machine.triple or host()[0]
    return not triple.startswith("x86") or has_feature(build, "fma")
