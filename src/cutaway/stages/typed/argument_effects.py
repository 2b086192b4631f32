"""Find the lists, dicts and sets among the arguments that a function may change (stage 5a).

    def count(words, counts):          `words` is not changed, `counts` may be:
        for word in words:             after a call from Python the items of `counts` are
            counts[word] += 1          written back, and `words` is left alone

The others are neither compared nor written back after a call from Python.  Callers of the function
that are compiled know it, too.
"""

from __future__ import annotations

from collections.abc import Iterable

from cutaway.ir import nodes
from cutaway.ir.editing import Rule
from cutaway.ir.nodes import replace
from cutaway.stages.unit import CompileUnit
from cutaway.typing.analysis.changing import changed_arguments, leads_to_container
from cutaway.typing.inference.resolutions import CompiledCall

MARK_ARGUMENT = Rule(
    "mark_argument",
    "a container that is passed => a word: changed or unchanged",
    note=lambda named, op: (
        f"{named(op.result)} is written back after a call from Python"
        if op.effect == ("changed",)
        else f"no op changes {named(op.result)}: nothing is written back"
    ),
)


def run(unit: CompileUnit) -> None:
    """Note which arguments may be changed in the function's record."""
    if unit.fn.generator or unit.callee is None:
        return  # a generator works on its arguments after the call
    changes = changed_arguments(
        unit.fn, unit.types, unit.resolutions, lambda made, op: _changed_by(unit, made, op)
    )
    unit.callee.changes = changes
    editor, entry = unit.editor(), unit.fn.entry
    for position, op in enumerate(entry.ops):
        if isinstance(op, nodes.Arg) and leads_to_container(unit.types[op.result]):
            marked = replace(op, effect=("changed" if op.index in changes else "unchanged",))
            editor.replace(entry, position, marked)
            editor.commit(MARK_ARGUMENT, op.loc, marked)


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
