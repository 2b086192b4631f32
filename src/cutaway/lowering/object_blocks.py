"""Lower the run of a block as Python: store values in slots, call the runtime, and load values from
slots.

    $7 = run_objects(<block at line 2>, args=(a))

    ->   store the slots of a; add a reference to its memory, which the call takes over
         %$7.4 = call i32 @cutaway_run_block(ptr @f$1.block0, ptr %inputs, ptr %outputs, ptr null)
         load the slots of the outputs, whose memory has a reference for the variable
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from cutaway.ir import nodes
from cutaway.ir.object_blocks import ObjectBlock
from cutaway.lowering.build import raising
from cutaway.lowering.build.builder import FIRST_COLD, symbol
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.build.raising import traceback_at
from cutaway.lowering.layout import Value, slot_types
from cutaway.lowering.slots import load_slots, store_slots
from cutaway.typing.types import Tuple

if TYPE_CHECKING:
    from cutaway.lowering.function import FunctionLowering


def run(into: FunctionLowering, op: nodes.RunObjects) -> Value:
    """Run the block; returns its outputs as a tuple."""
    build, block = into.build, op.block
    assert isinstance(block, ObjectBlock)
    assert block.code is not None, "the services of the unit have compiled it"
    into.callee.unstable = "a block of it runs as Python, and refers to objects of this process"
    values = [build.cast(into.values[name], into.types[name].returned()) for name in op.args]
    failed = _Failure(block, build)
    name = build.table.add_block(block.code.make(tuple(value.ty for value in values), failed))
    build.code.globals[name] = f"{symbol(name)} = external global i8"
    inputs = build.alloca("i64", max(1, sum(len(slot_types(value.ty)) for value in values)))
    place = 0
    for value in values:
        into.count_in("cutaway_incref", value)
        store_slots(build, value, build.offset(inputs, str(place)))
        place += 8 * len(slot_types(value.ty))
    result = Tuple(block.types)
    outputs = build.alloca("i64", max(1, len(slot_types(result))))
    handled = into.handlers.innermost() if into.handlers is not None else "null"
    operands = [("ptr", symbol(name)), ("ptr", inputs), ("ptr", outputs), ("ptr", handled)]
    status = build.call("i32", "cutaway_run_block", operands)
    bad, good = build.new_label("failed"), build.new_label("ok")
    build.branch(build.compare("ne", "i32", status, raising.OK), bad, good, FIRST_COLD)
    build.start(bad)
    build.leave(status)  # the traceback contains the lines of the block already
    build.start(good)
    return load_slots(build, result, outputs)


class _Failure:
    """Makes the exception for an output that differs from its declaration, with the line of the
    `with` in its traceback."""

    def __init__(self, block: ObjectBlock, build: FunctionBuilder) -> None:
        self.block = block
        self.function = build.function

    def __call__(
        self,
        place: int,
        *given: object,  # a value and its error; empty if there is none
    ) -> BaseException:
        if not given:
            raised: BaseException = self.block.missing(place)
        else:
            value, error = given
            assert error is None or isinstance(error, BaseException)
            raised = self.block.misfit(place, value, error)
        return raised.with_traceback(
            traceback_at(self.block.loc, self.function, raised.__traceback__)
        )
