"""Find the lists, dicts and sets among the arguments that a function may change (stage 5a).

    def count(words, counts):          `words` is not changed, `counts` may be:
        for word in words:             after a call from Python the items of `counts` are
            counts[word] += 1          written back, and `words` is left alone

The others are neither compared nor written back after a call from Python.  Callers of the function
that are compiled know it, too.
"""

from __future__ import annotations

from collections.abc import Iterable

from cutaway.ir import decisions, nodes
from cutaway.stages.unit import CompileUnit
from cutaway.typing.analysis.changing import changed_arguments, leads_to_container
from cutaway.typing.inference.resolutions import CompiledCall


def run(unit: CompileUnit) -> None:
    """Note which arguments may be changed in the function's record."""
    if unit.fn.generator or unit.callee is None:
        return  # a generator works on its arguments after the call
    changes = changed_arguments(
        unit.fn, unit.types, unit.resolutions, lambda made, op: _changed_by(unit, made, op)
    )
    unit.callee.changes = changes
    if unit.recording:
        for op in unit.fn.entry.ops:
            if isinstance(op, nodes.Arg) and leads_to_container(unit.types[op.result]):
                unit.note(_decision(op, op.index in changes))


def _changed_by(unit: CompileUnit, made: CompiledCall, op: nodes.Call) -> Iterable[int] | None:
    """Return the positions in a call of the arguments that a compiled function may change."""
    if made.carried or op.star is not None or unit.services is None:
        return None
    callee = unit.services.callee(made.function, made.call, op.loc, True)
    layout = None if callee.parameters is None else callee.parameters.lay_out(made.call)
    if callee.changes is None or layout is None:
        return None
    places = [layout[k] for k in sorted(callee.changes) if k < len(layout)]
    if any(isinstance(place, tuple) for place in places) or len(layout) != len(callee.argtypes):
        return None
    return [place for place in places if isinstance(place, int)]


def _decision(op: nodes.Arg, is_changed: bool) -> decisions.Decision:
    reason = (
        "what a call from Python changes is written back after it"
        if is_changed
        else "no op changes it, so that nothing is written back after a call from Python"
    )
    verdict = decisions.MISSED if is_changed else decisions.DONE
    return decisions.Decision(f"`{op.name}`", verdict, "argument_effects", reason, op.loc)
