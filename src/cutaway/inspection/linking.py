"""Where each line of a level comes from."""

from __future__ import annotations

from cutaway.dataclass import dataclass
from cutaway.inspection.views import View
from cutaway.ir.function import Function
from cutaway.ir.levels import Level
from cutaway.ir.nodes import Op
from cutaway.ir.traversal import definitions, uses
from cutaway.stages.unit import CompileUnit


@dataclass(frozen=True, slots=True)
class LinkedLine:
    """One line of a level and its place in the source."""

    text: str
    line: int = 0
    column: int = 0
    end_line: int = 0
    end_column: int = 0
    block: str = ""
    op: str = ""
    names: tuple[str, ...] = ()
    inner: str = ""
    defines: tuple[str, ...] = ()


def linked_lines(view: View, unit: CompileUnit) -> tuple[LinkedLine, ...]:
    """The lines of a unit's program, with their places."""
    text = view.text(unit).splitlines()
    if Level.ir <= view.level < Level.llvm:
        return tuple(_of_ir(unit.fn, text))
    return tuple(map(LinkedLine, text))


def _of_ir(fn: Function, text: list[str]) -> list[LinkedLine]:
    found = [LinkedLine(text[0], fn.first_line)]
    rest = iter(text[1:])
    for label, block in fn.blocks.items():
        found.append(LinkedLine(next(rest), block=str(label)))
        found += [_of_op(op, next(rest), str(label)) for op in block.ops]
    found += map(LinkedLine, rest)
    return found


def _of_op(op: Op, text: str, block: str) -> LinkedLine:
    loc = op.loc
    return LinkedLine(
        text,
        loc.line,
        loc.col,
        loc.end_line,
        loc.end_col,
        block,
        str(op.id),
        tuple(uses(op)),
        "",
        tuple(definitions(op)),
    )
