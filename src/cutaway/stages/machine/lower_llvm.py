"""Lower the typed function to LLVM IR (stage 6a).

    $0.1 = a + b  :: int64    ->    %$0.1.3 = add i64 %arg.a, %arg.b

The module, `unit.llvm`, holds this function, all compiled functions that it calls, and the
entry point for the dispatcher.  It is written when it is asked for: a function that is only
called by others never needs one.
"""

from __future__ import annotations

from cutaway.ir import decisions, nodes
from cutaway.ir.function import Function, is_temporary, user_name
from cutaway.ir.graph import graph_of
from cutaway.ir.nodes import Block, Op
from cutaway.ir.regions import FrozenBlock
from cutaway.ir.traversal import definitions, regions, uses, walk, walk_block
from cutaway.lowering import llvm_values, loop_notes
from cutaway.lowering.function import FunctionLowering
from cutaway.stages.unit import CompileUnit
from cutaway.typing import types


def run(unit: CompileUnit) -> None:
    """Lower the function into its callee record."""
    callee = unit.callee
    assert callee is not None
    callee.returns = unit.return_type
    lowering = FunctionLowering(
        unit.fn,
        unit.types,
        unit.resolutions,
        unit.owned,
        callee,
        unit.target,
        unit.services.callee,
        unit.flags,
        None if unit.recording else unit.services.apart(unit),
    )
    callee.code = lowering.run()
    if unit.recording:
        for decision in lowering.build.notes:
            unit.note(decision)
        if not unit.target.machine.triple:  # GPU code does not mark loops
            for decision in loop_notes.notes_of(
                unit.fn, unit.types, lowering.graph, lowering.loop_marks
            ):
                unit.note(decision)
        unit.llvm_values = llvm_values.values_of(lowering)
        for op in walk(unit.fn):
            if op.id in lowering.local:
                unit.note(_on_stack(op, lowering.local[op.id]))
    # The remaining calls are overloads and recursions; a function that suspends is never inlined.
    forced = unit.flags.inline == "always" or unit.flags.forceinline
    if forced and not unit.fn.generator:
        callee.code.header += " alwaysinline"
    repeated = _repeated(unit.fn)
    callee.loops = bool(repeated) or lowering.build.has_nests
    callee.loops_over_arrays = lowering.build.has_nests or any(
        isinstance(op, nodes.GetItem | nodes.SetItem | nodes.StaticGetItem | nodes.IterNext)
        and any(isinstance(unit.types[name], types.Array | types.Iterator) for name in uses(op))
        for block in repeated
        for op in walk_block(block)
    )


def _on_stack(op: Op, nbytes: int) -> decisions.Decision:
    """Return the decision about an array in the function's stack memory."""
    (name,) = definitions(op)
    subject = "a temporary array" if is_temporary(name) else f"`{user_name(name)}`"
    reason = f"its {nbytes} bytes are on the stack: nothing holds it when the function ends"
    return decisions.Decision(subject, decisions.DONE, "stack_array", reason, op.loc)


def _repeated(fn: Function) -> list[Block | FrozenBlock]:
    """Return the blocks of the function's loops, and those of its regions."""
    loops = graph_of(fn).loops().values()
    blocks: list[Block | FrozenBlock] = [fn.blocks[label] for one in loops for label in one.body]
    for op in walk(fn):
        for region in regions(op) if op.REGIONS else ():
            blocks += region.blocks
    return blocks
