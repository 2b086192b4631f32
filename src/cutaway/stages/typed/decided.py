"""What types decide, a part of `infer_types`: branches, and values that are the same for all values
of a type.

    $0.1 = getattr(a, ndim)            $0.1 = const(2)        # of array(float64, 2d, C)
    $0.2 = $0.1 == 1             ->    $0.2 = const(False)
    branch $0.2, 5, 8                  jump 8

Inference has not typed what no branch goes to (`typing/inference/folding.py`); here it is dropped.
So a function may treat arrays of one dimension, or results that are floats, in a way of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from cutaway.ir import decisions, nodes
from cutaway.ir.constants import MISSING
from cutaway.ir.editing import Editor, Rule
from cutaway.ir.folding import is_simple
from cutaway.ir.function import is_temporary
from cutaway.ir.nodes import Op
from cutaway.ir.traversal import definitions, uses, walk
from cutaway.stages.unit import CompileUnit
from cutaway.stages.untyped import prune_branches
from cutaway.typing.errors import wording
from cutaway.typing.inference import statics
from cutaway.typing.inference.questions import known_arguments
from cutaway.typing.inference.solver import Inferred
from cutaway.typing.types import ArrayFlags
from cutaway.typing.values.typeof import typeof_constant

DECIDE_BY_TYPES = Rule(
    "decide_by_types",
    "branch on what types decide => jump",
    note="types decide this condition: {1.target} is next",
)
FOLD_DECIDED = Rule(
    "fold_decided",
    "what types decide => constant",
    note=lambda named, old, new: f"{named(new.result)} is {new.value!r}: the types decide it",
)

KEEP_NUMBER = Rule(
    "keep_number",
    "phi of which one constant is left => a number",
    note="{0!v} is not written as a constant",
)


def prune_decided(unit: CompileUnit, editor: Editor, inferred: Inferred) -> None:
    """Replace the values that types decide by constants, and drop unreachable blocks."""
    _decide_branches(unit, editor, inferred)
    for block in editor.fn.blocks.values():
        for position, op in enumerate(block.ops):
            value = _decided(op, inferred)
            if value is not MISSING:
                constant = _constant(op, value)
                inferred.resolutions.pop(op.id, None)
                editor.replace(block, position, constant)
                editor.commit(FOLD_DECIDED, op.loc, op, constant)


def _decide_branches(unit: CompileUnit, editor: Editor, inferred: Inferred) -> None:
    edges = inferred.reached.edges
    decided = []
    for label, block in editor.fn.blocks.items():
        end = block.terminator
        if isinstance(end, nodes.Branch) and label in inferred.reached.labels:
            taken = {target for target in (end.then, end.orelse) if (label, target) in edges}
            if len(taken) == 1 and end.then != end.orelse:
                decided.append((block, end, nodes.Jump(taken.pop(), loc=end.loc, id=end.id)))
    if not decided:
        return
    if unit.recording:
        makers = {name: op for op in walk(unit.fn) for name in definitions(op)}
        _note_known(unit)
        for _, end, jump in decided:
            since = ", ".join(_causes(end.cond, makers, inferred))
            prune_branches.report_branch(unit, DECIDE_BY_TYPES, end, jump, makers, since)
    for block, end, jump in decided:
        inferred.resolutions.pop(end.id, None)
        editor.unsettle()  # until phis are narrowed
        editor.replace(block, len(block.ops) - 1, jump)
        editor.commit(DECIDE_BY_TYPES, end.loc, end, jump)
    prune_branches.drop_unreachable(editor)
    _keep_numbers(unit, editor, inferred)


def _keep_numbers(unit: CompileUnit, editor: Editor, inferred: Inferred) -> None:
    """Cast a variable that was a phi, of which one constant is left, to its type: a copy of a
    constant is a constant, which would take the type of the other operand."""
    constants = inferred.folding.constants
    for block in editor.fn.blocks.values():
        for position, op in enumerate(block.ops):
            if isinstance(op, nodes.Copy) and op.result not in constants and op.value in constants:
                number = nodes.Cast(op.result, op.value, loc=op.loc, id=op.id)
                editor.replace(block, position, number)
                editor.commit(KEEP_NUMBER, op.loc, op.result)


def _note_known(unit: CompileUnit) -> None:
    """Report the parameters whose values the caller knows."""
    known = known_arguments(unit.fn, unit.argtypes or ())
    for op in walk(unit.fn):
        if isinstance(op, nodes.Arg) and op.result in known:
            shown = wording.shown_constant(known[op.result])
            reason = f"it is a constant of the call: branches are decided for {shown} alone"
            unit.note(
                decisions.Decision(
                    f"`{op.name}`", decisions.DONE, DECIDE_BY_TYPES.name, reason, op.loc
                )
            )


_FOLDED = (nodes.GetAttr, nodes.Binary, nodes.Unary, nodes.Inplace, nodes.Call)


def _decided(op: Op, inferred: Inferred) -> Any:
    """Return the constant that types determine for an op, if it has the type of that constant."""
    if not isinstance(op, _FOLDED) or op.result in inferred.folding.written:
        return MISSING
    value = inferred.folding.constants.get(op.result, MISSING)
    if isinstance(op, nodes.Call) and statics.is_static(inferred.types[op.func].constant):
        return value
    same = type(value) in (bool, int, float) and is_simple(value)
    return value if same and typeof_constant(value) is inferred.types[op.result] else MISSING


def _constant(op: Op, value: Any) -> Op:
    """Return the op with a constant result; one without a literal is named by its class."""
    if value is None or is_simple(value):
        return nodes.Const(op.result, value, loc=op.loc, id=op.id)
    return nodes.Global(op.result, type(value).__name__, value, loc=op.loc, id=op.id)


# The words for an array's flag: set, or not.
_FLAGS = {
    **dict.fromkeys(("c_contiguous", "contiguous"), ("is in C order", "")),
    "f_contiguous": ("is in Fortran order", ""),
    "aligned": ("is aligned", ""),
    "writeable": ("can be written to", "is read-only"),
}


def _causes(name: str, makers: Mapping[str, Op], inferred: Inferred) -> Iterator[str]:
    """Yield the causes of a condition, in words: `a.ndim` is 2, `x` is float64."""
    condition = makers.get(name)
    if condition is None or is_temporary(name) and isinstance(condition, nodes.Copy | nodes.Phi):
        return
    known = inferred.folding.known(inferred.types)
    if isinstance(condition, nodes.GetAttr) and condition.attr in _FLAGS:
        flags, owner = makers.get(condition.value), inferred.types[condition.value]
        if isinstance(flags, nodes.GetAttr) and isinstance(owner, ArrayFlags):
            words = _FLAGS[condition.attr][known.value(condition.result) is False]
            array = makers[flags.value]
            yield f"{wording.quoted(wording.spelled(flags.value, array))} {words}"
            return
    operands = condition.args[:1] if isinstance(condition, nodes.Call) else uses(condition)
    for operand in operands:
        op = makers.get(operand)
        if op is None or isinstance(op, nodes.Const | nodes.Global | nodes.FreeVar):
            continue
        value = known.value(operand)
        is_shown = value is not MISSING and is_simple(value)
        shown = (
            wording.shown_constant(value) if is_shown else wording.short(inferred.types[operand])
        )
        yield f"{wording.quoted(wording.spelled(operand, op))} is {shown}"
