"""Copies of arrays, in another type or order, and arrays that are copied where they have to be."""

from __future__ import annotations

from cutaway.library.elements.kernels import KernelMaker
from cutaway.lowering.arrays import nests
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import Value, array_parts
from cutaway.typing.types import Array


def converted(build: FunctionBuilder, ty: Array, value: Value) -> Value:
    """A new array of the same elements, in another type and order."""
    own = value.ty
    assert isinstance(own, Array)
    maker = KernelMaker(build, [own])
    kernel = maker.made(0 if own.dtype is ty.dtype else maker.step(f"as.{ty.dtype}", 0))
    return nests.compute(build, kernel, [value], ty)


def itself_or_copy(
    build: FunctionBuilder, value: Value, is_kept: str, ty: Array
) -> tuple[str, str]:
    """The owner and the first element of an array itself, where an i1 is true, or of a copy."""
    same, copy, done = map(build.new_label, ("same", "copy", "either"))
    build.branch(is_kept, same, copy)
    build.start(same)
    own = array_parts(value)
    build.call("void", "cutaway_incref", [("ptr", own.owner)])
    build.jump(done)
    build.start(copy)
    new = array_parts(converted(build, ty, value))
    last = build.block
    build.jump(done)
    build.start(done)
    owner = build.phi("ptr", [(own.owner, same), (new.owner, last)])
    return owner, build.phi("ptr", [(own.data, same), (new.data, last)])
