"""Recovers from the source of a comparison what its bytecode does not distinguish.

    if w is not None:      POP_JUMP_IF_NONE        the jump of `if not w is None:`, too
    0 < a < 10             COMPARE_OP, COMPARE_OP  both with the span of the whole chain
    y = not a in b         CONTAINS_OP 1           with the span of `a in b`
    y = not a == b         COMPARE_OP, UNARY_NOT   from 3.13 on both with the span of the `not`

Here each comparison gets the span of exactly the text that it computes.  Without the source
the locations stay as they are.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from typing import TYPE_CHECKING

from cutaway.foundation.dataclass import replace
from cutaway.foundation.patterns import Pattern
from cutaway.foundation.source import Loc, source_line
from cutaway.frontend.versions import COMPARING

if TYPE_CHECKING:
    from cutaway.frontend.bytecode import Instruction

_NEGATED = ast.IsNot | ast.NotIn
_BEFORE = Pattern(r"\bnot\s*\(*\s*$")


def is_written_is_not(loc: Loc) -> bool:
    """True if the comparison with None at a location is written `is not`."""
    comparison = _comparison(loc)
    return comparison is not None and isinstance(comparison.ops[-1], ast.IsNot)


def with_exact_places(instructions: list[Instruction]) -> list[Instruction]:
    """Return the instructions with the exact locations of their comparisons."""
    by_loc: dict[Loc, list[int]] = defaultdict(list)
    for k, instruction in enumerate(instructions):
        if instruction.name in COMPARING:
            by_loc[instruction.loc].append(k)
    moved = list(instructions)
    for loc, positions in by_loc.items():
        node = _expression(loc)
        if isinstance(node, ast.UnaryOp) and isinstance(node.operand, ast.Compare):
            _leave_out_not(moved, positions, loc, node.operand)
        whole = node if isinstance(node, ast.Compare) else None
        if whole is None or len(positions) % len(whole.ops):
            continue
        for count, k in enumerate(positions):  # a loop's test is duplicated at its end
            exact = _exact(moved[k], whole, count % len(whole.ops))
            moved[k] = replace(moved[k], loc=exact)
    return moved


def _leave_out_not(
    moved: list[Instruction], places: list[int], loc: Loc, whole: ast.Compare
) -> None:
    """Exclude a preceding `not` from the span of a comparison."""
    for k in places:
        if len(whole.ops) == 1 and moved[k].name == "COMPARE_OP":
            moved[k] = replace(moved[k], loc=_between(loc, whole.left, whole.comparators[0]))


def _exact(instruction: Instruction, whole: ast.Compare, position: int) -> Loc:
    """Return the location of one comparison of an expression."""
    if len(whole.ops) > 1:
        operands = (whole.left, *whole.comparators)
        return _between(instruction.loc, operands[position], operands[position + 1])
    negated = instruction.name in ("CONTAINS_OP", "IS_OP") and instruction.arg
    if negated and not isinstance(whole.ops[0], _NEGATED):
        return _with_not(instruction.loc)
    return instruction.loc


def _between(loc: Loc, first: ast.expr, last: ast.expr) -> Loc:
    """Return the span from one part of the expression at `loc` to another."""
    return Loc(*_begin(loc, first), *_end(loc, last), loc.filename)


def _begin(loc: Loc, node: ast.expr) -> tuple[int, int]:
    return _there(loc, node.lineno, node.col_offset)


def _end(loc: Loc, node: ast.expr) -> tuple[int, int]:
    return _there(loc, node.end_lineno or node.lineno, node.end_col_offset or node.col_offset)


def _there(loc: Loc, line: int, column: int) -> tuple[int, int]:
    """Convert a position in the text of an expression to the file's line and character column."""
    text = _lines(loc)[line - 1]
    characters = len(text.encode()[:column].decode(errors="ignore"))
    return loc.line + line - 1, characters - 1 + loc.col if line == 1 else characters


def _with_not(loc: Loc) -> Loc:
    """Return the location of a comparison together with the `not` before it."""
    text = source_line(loc.filename, loc.line)
    match = _BEFORE.search(text[: loc.col])
    if match is None or loc.end_line != loc.line:
        return loc
    end = loc.end_col
    for _ in range(match[0].count("(")):
        closed = text.find(")", end)
        end = closed + 1 if closed >= 0 else end
    return Loc(loc.line, match.start(), loc.line, end, loc.filename)


def _comparison(loc: Loc) -> ast.Compare | None:
    """Parse the comparison at a location; None for any other expression, or without source."""
    node = _expression(loc)
    return node if isinstance(node, ast.Compare) else None


def _expression(loc: Loc) -> ast.expr | None:
    """Parse the expression at a location; None without source."""
    try:
        return ast.parse("\n".join(_lines(loc)), mode="eval").body
    except (SyntaxError, ValueError):
        return None


def _lines(loc: Loc) -> list[str]:
    """Return the lines of the text at a location, in parentheses."""
    lines = [source_line(loc.filename, n) for n in range(loc.line, loc.end_line + 1)]
    if not lines:
        return [""]
    lines[-1] = lines[-1][: loc.end_col] + ")"
    lines[0] = "(" + lines[0][loc.col :]
    return lines
