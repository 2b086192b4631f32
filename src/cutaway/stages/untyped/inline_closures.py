"""Inline the calls of inner functions (stage 3).

    def f(a):
        def twice(x):               x@twice = a
            return x + x      ->    $twice.1 = x@twice + x@twice
        return twice(a)             return $twice.1

An inner function shares variables with the function around it: captured variables are read, or
assigned to, when it is called, as the inlined body does.  Its own variables get its name after an
@, and are unbound again at each call.  Functions that are passed on to other inner functions are
followed; one without a visible call stays, and is a value that carries along the values of its
captured variables.

Compiled functions that were decorated with `inline=` replace their calls as well.
"""

from __future__ import annotations

import inspect
from types import CodeType

from cutaway.errors import UnsupportedError
from cutaway.ir import nodes
from cutaway.ir.editing import Editor, Rule
from cutaway.ir.nodes import replace
from cutaway.ir.traversal import definition_table, walk
from cutaway.stages.unit import CompileUnit
from cutaway.stages.untyped import inlining
from cutaway.stages.untyped.inlined_functions import reads_inlined

LIFT_CAPTURED = Rule(
    "lift_captured",
    "what an inner function closes over => its parameters",
    note="what the function closes over is passed to it",
)
FIND_RECURSION = Rule(
    "find_recursion",
    "an inner function that calls itself => marked as such",
    note="`{0}` means the inner function itself in its own body",
)


def run(unit: CompileUnit) -> None:
    """Inline until no call of an inner function is left."""
    editor = unit.editor()
    if unit.captured is not None:
        _lift(editor, unit.pyfunc.__code__, unit.captured)
    makes_functions = any(isinstance(op, nodes.MakeFunction) for op in walk(unit.fn))
    if not makes_functions and not reads_inlined(unit.fn):
        return
    _find_recursion(editor)
    closures = inlining.Inlining(unit, editor)
    closures.inline_all()
    closures.finish()


def _lift(editor: Editor, code: CodeType, captured: tuple[str, ...]) -> None:
    """Make the captured variables parameters, before `*args`; a variable that is none of them holds
    the function itself."""
    fn = editor.fn
    star = bool(code.co_flags & inspect.CO_VARARGS)
    count = len(fn.params) - star
    editor.set_params(fn.params[:count] + captured + fn.params[count:])
    for block in fn.blocks.values():
        for position, op in enumerate(block.ops):
            match op:
                case nodes.Arg(_, index, _) if index >= count:
                    editor.replace(block, position, replace(op, index=index + len(captured)))
                case nodes.FreeVar(result, name, _) if name in captured:
                    copy = nodes.Copy(result, name, loc=op.loc, id=op.id)
                    editor.replace(block, position, copy)
                case nodes.FreeVar(result, name, _):
                    function = nodes.MakeFunction(
                        result, code.co_name, code, (), (), captured, (name,), loc=op.loc, id=op.id
                    )
                    editor.replace(block, position, function)
    loc = fn.entry.ops[0].loc
    arguments = [
        nodes.Arg(name, count + k, name, loc=loc, id=fn.new_id()) for k, name in enumerate(captured)
    ]
    editor.insert(fn.entry, 0, *arguments)
    editor.commit(LIFT_CAPTURED, loc)


def _find_recursion(editor: Editor) -> None:
    """Mark in each inner function which of its free variables hold itself."""
    table = definition_table(editor.fn)
    for block in editor.fn.blocks.values():
        for position, op in enumerate(block.ops):
            if not isinstance(op, nodes.MakeFunction) or op.itself:
                continue
            own = tuple(
                name
                for name in op.captured
                if all(
                    isinstance(definition, nodes.Copy) and definition.value == op.result
                    for definition in table.get(name, (op,))
                )
            )
            if own:
                if op.defaults:
                    raise UnsupportedError(
                        f"the inner function {op.name}, which calls itself, has defaults",
                        op.loc,
                        "make it a compiled function of its own",
                    )
                rest = tuple(name for name in op.captured if name not in own)
                editor.replace(block, position, replace(op, captured=rest, itself=own))
                editor.commit(FIND_RECURSION, op.loc, op.name)
