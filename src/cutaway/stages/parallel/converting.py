"""Turning array expressions into parfors: the work of pass `numpy_to_parfor`."""

from __future__ import annotations

from cutaway.ir import nodes
from cutaway.ir.decisions import DONE, MISSED, Decision
from cutaway.ir.editing import Editor, Rule
from cutaway.ir.elements import ArrayOp
from cutaway.ir.traversal import definitions
from cutaway.stages.arrays.tables import Tables, with_inner
from cutaway.stages.parallel.element_parfors import ElementParfors
from cutaway.stages.unit import CompileUnit

EXPRESSION = Rule(
    "parfor_of_expression",
    "c = an array expression => c = a new array, and a parfor over its elements",
    note="the elements of {0!v} are computed on all cores",
)
REDUCTION = Rule(
    "parfor_of_reduction",
    "s = a reduction => a parfor that combines elements",
    note="{0!v} is combined of what each part of the elements gives",
)
STORE = Rule(
    "parfor_of_store",
    "a[...] = an array expression => a parfor over the elements of a",
    note="the elements of {0!v} are stored on all cores",
)
_OF_CLASS = {
    nodes.ArrayExpr: ("numpy", EXPRESSION, "the array expression"),
    nodes.ArrayReduce: ("reduction", REDUCTION, "the reduction"),
    nodes.ArrayStore: ("setitem", STORE, "the store"),
}


def convert(unit: CompileUnit, editor: Editor) -> None:
    """Turn each op that can be one into a parfor, in the function's own blocks."""
    tables = Tables(unit)
    maker = ElementParfors(unit, tables)
    for block in unit.fn.blocks.values():
        position = 0
        while position < len(block.ops):
            op = block.ops[position]
            position += 1
            if not isinstance(op, ArrayOp):
                continue
            option, rule, what = _OF_CLASS[type(op)]
            if option not in unit.flags.parallel:
                continue
            refused = maker.refusal(op)
            if refused:
                _note(unit, op, what, MISSED, refused)
                continue
            made = maker.of(op)
            editor.replace(block, position - 1, *made)
            position += len(made) - 1
            tables.renew([op], made)
            unit.fn.forget_labels()
            subject = op.target if isinstance(op, nodes.ArrayStore) else op.result
            names = {n for one in made for inner in with_inner(one) for n in definitions(inner)}
            names |= {n for one in made for region in one.REGIONS for n in _arguments(one, region)}
            editor.commit(rule, op.loc, subject, types=names)
            _note(unit, op, what, DONE, "its elements are divided among threads")


def _arguments(op: nodes.Op, region: str) -> tuple[str, ...]:
    arguments: tuple[str, ...] = getattr(op, region).arguments
    return arguments


def _note(unit: CompileUnit, op: ArrayOp, what: str, outcome: str, reason: str) -> None:
    if unit.recording:
        by = "parfor" if outcome == DONE else "numpy_to_parfor"
        unit.note(Decision(f"{what} {op.expr}", outcome, by, reason, op.loc))
