"""Kernels of parfors as functions that run whole-array loops over a box of the iteration space."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

from cutaway.ir import nodes
from cutaway.ir.traversal import captured, makers_of
from cutaway.lowering import element_kernels, line_kernels
from cutaway.lowering.build.builder import FunctionCode, local, symbol
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.build.raising import OK
from cutaway.lowering.callee import Callee
from cutaway.lowering.calls import Links
from cutaway.lowering.layout import Value, make_tuple, part_types
from cutaway.lowering.slots import store_slots

if TYPE_CHECKING:
    from cutaway.lowering.function import FunctionLowering


class BoxPlan(Protocol):
    """The way to run a parfor over a box.  With `is_line` the nest is one line of elements."""

    op: nodes.Parfor
    is_line: bool

    def emit(
        self,
        build: FunctionBuilder,
        into: FunctionLowering,
        values: Mapping[str, Value],
        box: Sequence[tuple[str, str]],
        first: Sequence[Value],
    ) -> list[Value]: ...


def plan_of(into: FunctionLowering, op: nodes.Parfor) -> BoxPlan | None:
    """Return the plan for a parfor; None for one whose iterations are run in sequence."""
    return element_kernels.plan_of(into, op) or line_kernels.plan_of(into, op)


def code_of(
    into: FunctionLowering, plan: BoxPlan, kernel: Callee, order: Sequence[str]
) -> FunctionCode:
    """Build the kernel as a function: its parameters are the bounds of a box, the carried values,
    and the variables in `order`."""
    op, near = plan.op, into.build
    assert kernel.table is not None
    build = FunctionBuilder(kernel.symbol, near.function, near.flags, kernel.table)
    build.links = Links(near.links.target, near.links.callee_of, kernel.callees)
    build.code.filename, build.code.first_line = near.code.filename, near.code.first_line
    build.start("entry")
    build.at(op.loc)
    build.loc, build.hint = op.loc, "$box"
    declared, received = list[str](), list[Value]()
    for ty in kernel.argtypes:
        names = [local(f"$p.{len(declared) + k}") for k in range(len(part_types(ty)))]
        declared += [f"{kind} {name}" for kind, name in zip(part_types(ty), names, strict=True)]
        received.append(Value(ty, tuple(names)))
    # The first index of each dimension, and the end of its range.
    count = len(received) - len(op.body.carried) - len(order)
    first = received[count : count + len(op.body.carried)]
    values = dict(zip(order, received[count + len(first) :], strict=True))
    for one in _constants(into, plan):
        values[one.result] = build.constant(into.types[one.result], one.value)
    bounds = [value.parts[0] for value in received[:count]]
    box = list(zip(bounds[::2], bounds[1::2], strict=True))
    last = plan.emit(build, into, values, box, first)
    if last:
        store_slots(build, make_tuple(last), "%ret")
    build.ret(OK)
    build.finish_cleanup(lambda: None)
    head = ", ".join(["ptr noalias %ret", "ptr noalias %exc", *declared])
    near.notes.update(build.notes)
    into.kernels[kernel.symbol] = values, {}
    return build.finish(f"define internal i32 {symbol(kernel.symbol)}({head})")


def _constants(into: FunctionLowering, plan: BoxPlan) -> list[nodes.Const]:
    """Return the constants that a plan uses, which are not passed, and those of its own body."""
    makers = makers_of(into.fn)
    names = dict.fromkeys((*captured(plan.op), *plan.op.stops))
    outer = [one for name in names if isinstance(one := makers.get(name), nodes.Const)]
    inner = [one for one in plan.op.body.blocks[0].ops if isinstance(one, nodes.Const)]
    return outer + inner
