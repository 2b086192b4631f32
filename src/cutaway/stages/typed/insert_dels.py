"""Mark the end of each variable's life (stage 2).

    $0.1 = a + b              $0.1 = a + b
    $0.2 = cast(value=$0.1)   del a
    return $0.2          ->   del b
                              $0.2 = cast(value=$0.1)
                              del $0.1
                              return $0.2

Liveness, made visible.  The SSA pass drops these again: its versions have lives of their own.
"""

from __future__ import annotations

from cutaway.ir import nodes
from cutaway.ir.editing import Editor, Rule
from cutaway.ir.function import is_temporary, user_name
from cutaway.ir.liveness import deaths
from cutaway.ir.nodes import Op
from cutaway.stages.unit import CompileUnit

INSERT_DEL = Rule("insert_del", "the end of a variable's life => del", note="{0}")


def run(unit: CompileUnit) -> None:
    """Insert `del` after last uses and where a branch leaves a variable behind."""
    _insert(unit.editor())


def _insert(editor: Editor) -> None:
    fn = editor.fn
    dying = deaths(fn)
    for label, block in fn.blocks.items():
        first = block.ops[0]
        dead = [
            nodes.Del(name, loc=first.loc, id=fn.new_id()) for name in dying.at_start.get(label, ())
        ]
        ops: list[Op] = []
        for position, op in enumerate(block.ops):
            if not isinstance(op, nodes.Caught):  # a handler begins with it
                ops += dead
                dead = []
            ops.append(op)
            for name in dying.after.get((label, position), ()):
                ops.append(nodes.Del(name, loc=op.loc, id=fn.new_id()))
        editor.insert_each(block, ops, _reason)
    editor.in_regions(_insert)


def _reason(op: Op) -> tuple[Rule, str]:
    assert isinstance(op, nodes.Del)
    shown = "an intermediate value" if is_temporary(op.value) else f"`{user_name(op.value)}`"
    return INSERT_DEL, f"{shown} is not needed any more after this"
