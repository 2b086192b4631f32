"""Kernels of parfors whose iterations reduce a line of an array each.

$a.1 = line of a along 0 at (i)           for a box of iterations at once: along any axis but
$s = arrayreduce(expr=sum(a), ...)        the last, rows are added to the results, so that
store $s in c at (i)                      memory is read in order
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from cutaway.foundation.dataclass import dataclass
from cutaway.ir import nodes
from cutaway.ir.reductions import REDUCTIONS
from cutaway.lowering.arrays.expressions import kernel_of
from cutaway.lowering.arrays.nests import constants_of
from cutaway.lowering.arrays.reductions import Job, along
from cutaway.lowering.arrays.shapes import common_size
from cutaway.lowering.arrays.tracks import Track
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import Value, array_parts
from cutaway.typing.types import Array

if TYPE_CHECKING:
    from cutaway.lowering.function import FunctionLowering


@dataclass(frozen=True, slots=True)
class LinesPlan:
    """The reduction of a parfor, the lines that it reads by name, and the store of its result."""

    op: nodes.Parfor
    lines: Mapping[str, nodes.Line]
    reduction: nodes.ArrayReduce
    store: nodes.Store
    is_line: bool = False

    def emit(
        self,
        build: FunctionBuilder,
        into: FunctionLowering,
        values: Mapping[str, Value],
        box: Sequence[tuple[str, str]],
        first: Sequence[Value],
    ) -> list[Value]:
        """Emit the loops over a box; no values are carried."""
        return _Lines(build, into, self, values).run(box)


def plan_of(into: FunctionLowering, op: nodes.Parfor) -> LinesPlan | None:
    """Return the plan for a parfor; None if its body has any other ops."""
    if len(op.body.blocks) != 1 or op.body.carried:
        return None
    ops = [one for one in op.body.blocks[0].ops[:-1] if not isinstance(one, _ASIDE)]
    lines = {one.result: one for one in ops if isinstance(one, nodes.Line)}
    others = [one for one in ops if not isinstance(one, nodes.Line)]
    match others:
        case [nodes.ArrayReduce(axis=None, keepdims=False) as reduction, nodes.Store() as store]:
            pass
        case _:
            return None
    indices = op.body.indices
    own = tuple(name for name in store.indices if name in indices)
    if store.value != reduction.result or own != indices:
        return None
    arrays = [name for name in reduction.args if isinstance(into.types[name], Array)]
    if not lines or not all(name in lines for name in arrays):
        return None
    fits = (line.indices == indices[len(indices) - len(line.indices) :] for line in lines.values())
    return LinesPlan(op, lines, reduction, store) if all(fits) else None


_ASIDE = (*nodes.LIFETIMES, nodes.Const)


class _Lines:
    """Emits the loops over a box of iterations.  `values` are those of variables from outside."""

    def __init__(
        self,
        build: FunctionBuilder,
        into: FunctionLowering,
        plan: LinesPlan,
        values: Mapping[str, Value],
    ) -> None:
        self.build, self.into, self.plan, self.values = build, into, plan, values
        line = next(iter(plan.lines.values()))
        # In the nest, with the axis of the lines inserted among the others.
        self.axis = line.axis + len(plan.op.stops) - len(line.indices)
        self.sizes = [values[name].parts[0] for name in plan.op.stops]
        self.sizes.insert(self.axis, self._length())

    def run(self, box: Sequence[tuple[str, str]]) -> list[Value]:
        """Emit the loops."""
        build, plan = self.build, self.plan
        kernel, args = kernel_of(self.into, plan.reduction), plan.reduction.args
        constants = constants_of(build, kernel, [self._operand(name) for name in args])
        lows = [low for low, _ in box]
        place = self._place()
        for axis, low in enumerate(lows):
            place = place.moved(build, axis, low)
        lows.insert(self.axis, "0")
        tracks = {k: self._track(name) for k, name in enumerate(args) if name in plan.lines}
        for axis, low in enumerate(lows):
            if axis != self.axis:
                tracks = {k: track.moved(build, axis, low) for k, track in tracks.items()}
        shape = [build.binary("sub", "i64", high, low) for low, high in box]
        shape.insert(self.axis, self.sizes[self.axis])
        kinds = [self.into.types[line.array] for line in plan.lines.values()]
        tables = [ty for ty in kinds if isinstance(ty, Array) and ty.ndim > 1]
        columns = bool(tables) and all(ty.layout == "F" for ty in tables)
        job = Job(build, REDUCTIONS[plan.reduction.function], kernel, constants, place.ty.dtype)
        job.require_elements(tuple(shape), self.axis)
        along(job, tuple(shape), tracks, self.axis, place, columns)
        return []

    def _length(self) -> str:
        size = "1"
        for line in self.plan.lines.values():
            own = array_parts(self.values[line.array]).shape[line.axis]
            size, _ = common_size(self.build, size, own)
        return size

    def _operand(self, name: str) -> Value:
        """Return the value of an operand; for a line only the type matters."""
        return self.values[name] if name in self.values else Value(self.into.types[name], ())

    def _track(self, name: str) -> Track:
        build, value = self.build, self.values[self.plan.lines[name].array]
        assert isinstance(value.ty, Array)
        parts = array_parts(value)
        strides = ["0"] * (len(self.sizes) - value.ty.ndim)
        is_alone = len(self.plan.lines) == 1 and value.ty.ndim == len(self.sizes)
        for size, stride in zip(parts.shape, parts.strides, strict=True):
            if not is_alone:  # its sizes are those of the nest
                single = build.compare("eq", "i64", size, "1")
                stride = build.select(single, "i64", "0", stride)
            strides.append(stride)
        return Track(value.ty, parts.data, tuple(strides))

    def _place(self) -> Track:
        """Return the track over the results along the axes of the nest."""
        value, indices = self.values[self.plan.store.target], self.plan.op.body.indices
        assert isinstance(value.ty, Array)
        parts = array_parts(value)
        pairs = zip(self.plan.store.indices, parts.strides, strict=True)
        strides = tuple(stride for name, stride in pairs if name in indices)
        return Track(value.ty, parts.data, strides)
