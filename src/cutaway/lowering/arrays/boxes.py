"""Reductions over a part of a nest, as kernels of parfors make them."""

from __future__ import annotations

from cutaway.ir.reductions import REDUCTIONS
from cutaway.lowering.arrays.kernels import Kernel
from cutaway.lowering.arrays.reductions import Job, along
from cutaway.lowering.arrays.shapes import Shape
from cutaway.lowering.arrays.tracks import Track
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import Value
from cutaway.typing.types import Type


def reduce_box(
    build: FunctionBuilder,
    function: str,
    kernel: Kernel,
    shape: Shape,
    tracks: dict[int, Track],
    constants: dict[int, Value],
    ty: Type,
) -> Value:
    """The reduction of what a kernel gives over a box, as a number of a type."""
    return Job(build, REDUCTIONS[function], kernel, constants, ty).line(shape, tracks)


def reduce_lines(
    build: FunctionBuilder,
    function: str,
    kernel: Kernel,
    box: tuple[Shape, int, bool],
    tracks: dict[int, Track],
    constants: dict[int, Value],
    place: Track,
) -> None:
    """The reductions of what a kernel gives along an axis of a box, stored in a track over the
    other axes; the box is a shape, the axis, and whether operands are in F order."""
    shape, axis, columns = box
    job = Job(build, REDUCTIONS[function], kernel, constants, place.ty.dtype)
    job.require_elements(shape, axis)
    along(job, shape, tracks, axis, place, columns)
