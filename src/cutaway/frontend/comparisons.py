"""Reads from the source of a comparison what its bytecode does not tell.

    if w is not None:      POP_JUMP_IF_NONE        the jump of `if not w is None:`, too
    0 < a < 10             COMPARE_OP, COMPARE_OP  both with the span of the whole chain
    y = not a in b         CONTAINS_OP 1           with the span of `a in b`
    y = not a == b         COMPARE_OP, UNARY_NOT   from 3.13 on both with the span of the `not`

Here each comparison gets the span of the text that means what it computes.  Without the source
they stay as they are.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING

from cutaway.foundation.dataclass import replace
from cutaway.foundation.patterns import Pattern
from cutaway.foundation.source import Loc, source_line

if TYPE_CHECKING:
    from cutaway.frontend.bytecode import Instruction

NONE_JUMPS = frozenset({"POP_JUMP_IF_NONE", "POP_JUMP_IF_NOT_NONE"})
_COMPARING = NONE_JUMPS | {"COMPARE_OP", "CONTAINS_OP", "IS_OP"}
_NEGATED = ast.IsNot | ast.NotIn
_BEFORE = Pattern(r"\bnot\s*\(*\s*$")


def is_written_is_not(loc: Loc) -> bool:
    """True if the comparison with None at a place is written `is not`."""
    comparison = _comparison(loc)
    return comparison is not None and isinstance(comparison.ops[-1], ast.IsNot)


def with_exact_places(instructions: Sequence[Instruction]) -> tuple[Instruction, ...]:
    """Instructions with the places of their comparisons made exact."""
    by_place: dict[Loc, list[int]] = defaultdict(list)
    for k, instruction in enumerate(instructions):
        if instruction.name in _COMPARING:
            by_place[instruction.loc].append(k)
    moved = list(instructions)
    for loc, places in by_place.items():
        node = _expression(loc)
        if isinstance(node, ast.UnaryOp) and isinstance(node.operand, ast.Compare):
            _leave_out_not(moved, places, loc, node.operand)
        whole = node if isinstance(node, ast.Compare) else None
        if whole is None or len(places) % len(whole.ops):
            continue
        for count, k in enumerate(places):  # the test of a loop is there once more at its end
            exact = _exact(moved[k], whole, count % len(whole.ops))
            moved[k] = replace(moved[k], loc=exact)
    return tuple(moved)


def _leave_out_not(
    moved: list[Instruction], places: list[int], loc: Loc, whole: ast.Compare
) -> None:
    """Give a comparison that has the span of the `not` in front of it a span of its own."""
    for k in places:
        if len(whole.ops) == 1 and moved[k].name == "COMPARE_OP":
            moved[k] = replace(moved[k], loc=_between(loc, whole.left, whole.comparators[0]))


def _exact(instruction: Instruction, whole: ast.Compare, position: int) -> Loc:
    """The place of one comparison of those in an expression."""
    if len(whole.ops) > 1:
        operands = (whole.left, *whole.comparators)
        return _between(instruction.loc, operands[position], operands[position + 1])
    negated = instruction.name in ("CONTAINS_OP", "IS_OP") and instruction.arg
    if negated and not isinstance(whole.ops[0], _NEGATED):
        return _with_not(instruction.loc)
    return instruction.loc


def _between(loc: Loc, first: ast.expr, last: ast.expr) -> Loc:
    """The place from one part of the expression at `loc` to another."""
    return Loc(*_begin(loc, first), *_end(loc, last), loc.filename)


def _begin(loc: Loc, node: ast.expr) -> tuple[int, int]:
    return _there(loc, node.lineno, node.col_offset)


def _end(loc: Loc, node: ast.expr) -> tuple[int, int]:
    return _there(loc, node.end_lineno or node.lineno, node.end_col_offset or node.col_offset)


def _there(loc: Loc, line: int, column: int) -> tuple[int, int]:
    """A place in the text of an expression, in its file; columns in characters."""
    text = _lines(loc)[line - 1]
    characters = len(text.encode()[:column].decode(errors="ignore"))
    return loc.line + line - 1, characters - 1 + loc.col if line == 1 else characters


def _with_not(loc: Loc) -> Loc:
    """The place of a comparison together with the `not` in front of it."""
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
    """The comparison that is written at a place; None where something else is, or no source."""
    node = _expression(loc)
    return node if isinstance(node, ast.Compare) else None


def _expression(loc: Loc) -> ast.expr | None:
    """The expression that is written at a place; None where there is no source."""
    try:
        return ast.parse("\n".join(_lines(loc)), mode="eval").body
    except (SyntaxError, ValueError):
        return None


def _lines(loc: Loc) -> list[str]:
    """The text at a place in parentheses, by lines."""
    lines = [source_line(loc.filename, n) for n in range(loc.line, loc.end_line + 1)]
    if not lines:
        return [""]
    lines[-1] = lines[-1][: loc.end_col] + ")"
    lines[0] = "(" + lines[0][loc.col :]
    return lines
