"""Reduction of large angles by a C function, one at a time.

A call in a loop would prevent vectorization. So this call has vector versions, declared to LLVM:
each tests whether any of its elements is large, which is rare. They are emitted as text into the
module of the function that needs them.
"""

from __future__ import annotations

from collections.abc import Iterator

from cutaway.library.polynomials.formulas import Real
from cutaway.lowering.build.builder import symbol

FAR = 1e6  # this many quarter turns fit in 20 bits
_FUNCTIONS = ("sin", "cos", "tan")
_LANES = (2, 4, 8)
_NAME = "angle.far"


def or_far(name: str, x: Real, near: Real) -> Real:
    """`near`, the result for an angle of moderate size, or C's result for a large one."""
    build = x.build
    build.code.globals[_NAME] = _TEXT
    build.code.versions.update(dict.fromkeys(f"{_NAME}.{lanes}" for lanes in _LANES))
    build.declare("double", "cutaway_math_angle", ["double", "i32"])
    build.declare("double", "llvm.fabs.f64", ["double"])
    args = f"double {x.text}, double {near.text}, i32 {_FUNCTIONS.index(name)}"
    # An attribute of this call, not of the function, which the vector versions call.
    mapping = f'"vector-function-abi-variant"="{_VERSIONS}"'
    return Real(build, build.result(f"call double {symbol(_NAME)}({args}) {mapping}"))


# The vector versions, in the mangling of LLVM's vectorizer: two vectors and a uniform operand.
_VERSIONS = ",".join(f"_ZGV_LLVM_N{lanes}vvu_{_NAME}({_NAME}.{lanes})" for lanes in _LANES)


def _scalar() -> Iterator[str]:
    """The function of one angle, not inlined before LLVM has vectorized the loop around it."""
    yield f"define internal double {symbol(_NAME)}(double %x, double %near, i32 %function)"
    yield "  noinline nounwind willreturn memory(none) {"
    yield "entry:"
    yield "  %size = call double @llvm.fabs.f64(double %x)"
    yield f"  %is_far = fcmp ogt double %size, {FAR:e}"
    yield "  br i1 %is_far, label %far, label %done, !prof !0"
    yield "far:"
    yield "  %whole = call double @cutaway_math_angle(double %x, i32 %function)"
    yield "  br label %done"
    yield "done:"
    yield "  %result = phi double [ %near, %entry ], [ %whole, %far ]"
    yield "  ret double %result"
    yield "}"


def _vector(lanes: int) -> Iterator[str]:
    """The function of several angles."""
    kind = f"<{lanes} x double>"
    name = symbol(f"{_NAME}.{lanes}")
    yield f"define internal {kind} {name}({kind} %x, {kind} %near, i32 %function)"
    yield "  nounwind willreturn memory(none) {"
    yield "entry:"
    yield f"  %bound = insertelement {kind} poison, double {FAR:e}, i64 0"
    zeros = f"<{lanes} x i32> zeroinitializer"
    yield f"  %bounds = shufflevector {kind} %bound, {kind} poison, {zeros}"
    yield f"  %size = call {kind} @llvm.fabs.v{lanes}f64({kind} %x)"
    yield f"  %are_far = fcmp ogt {kind} %size, %bounds"
    yield f"  %is_far = call i1 @llvm.vector.reduce.or.v{lanes}i1(<{lanes} x i1> %are_far)"
    yield "  br i1 %is_far, label %far, label %done, !prof !0"
    yield "far:"
    for k in range(lanes):
        before = f"%r{k - 1}" if k else "%near"
        yield f"  %x{k} = extractelement {kind} %x, i64 {k}"
        yield f"  %n{k} = extractelement {kind} %near, i64 {k}"
        args = f"double %x{k}, double %n{k}, i32 %function"
        yield f"  %w{k} = call double {symbol(_NAME)}({args})"
        yield f"  %r{k} = insertelement {kind} {before}, double %w{k}, i64 {k}"
    yield "  br label %done"
    yield "done:"
    yield f"  %result = phi {kind} [ %near, %entry ], [ %r{lanes - 1}, %far ]"
    yield f"  ret {kind} %result"
    yield "}"


def _lines() -> Iterator[str]:
    for lanes in _LANES:
        kind = f"<{lanes} x double>"
        yield f"declare {kind} @llvm.fabs.v{lanes}f64({kind}) nounwind"
        yield f"declare i1 @llvm.vector.reduce.or.v{lanes}i1(<{lanes} x i1>) nounwind"
    yield from _scalar()
    for lanes in _LANES:
        yield from _vector(lanes)


_TEXT = "\n".join(_lines())
