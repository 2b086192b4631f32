"""The source locations of a function and its parameters, which bytecode does not contain."""

from __future__ import annotations

import ast
import inspect
from functools import lru_cache
from types import CodeType

from cutaway.foundation.dataclass import dataclass
from cutaway.foundation.source import UNKNOWN, Loc, source_lines


@dataclass(frozen=True, slots=True)
class DefinitionPlaces:
    """The spans of `def f(...)` or `lambda ...`, and of its parameters by name."""

    head: Loc
    parameters: dict[str, Loc]


def definition_places(code: CodeType) -> DefinitionPlaces:
    """Read the locations from the source; without it, all are unknown."""
    return _read(code, code.co_filename)  # equal code may stand in two files


@lru_cache(maxsize=4)  # each level's program asks again
def _read(code: CodeType, filename: str) -> DefinitionPlaces:
    lines = source_lines(filename)
    # The block alone first: a file may be long.  A lambda may begin in the middle of a statement.
    definition = _definitions(_block(lines, code), code) or _definitions(lines, code)
    if len(definition) != 1:  # two lambdas on one line look alike
        return DefinitionPlaces(UNKNOWN, {})
    node = definition[0]
    assert isinstance(node, _FUNCTIONS)
    arguments = (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)
    every = [*arguments, *(arg for arg in (node.args.vararg, node.args.kwarg) if arg)]
    spans = {arg.arg: _span(arg, lines, filename) for arg in every}
    begins = _span(node, lines, filename)
    first = node.body if isinstance(node, ast.Lambda) else node.body[0]
    inside = max(spans.values(), key=lambda loc: (loc.end_line, loc.end_col), default=begins)
    if first.lineno == begins.line:
        end = (begins.line, _characters(lines, first.lineno, first.col_offset))
    elif inside is not begins and inside.end_line > begins.line:
        end = (inside.end_line, inside.end_col)
    else:
        end = (begins.line, len(lines[begins.line - 1].rstrip()))
    head = Loc(begins.line, begins.col, *end, filename)
    return DefinitionPlaces(head, spans)


def _block(lines: list[str], code: CodeType) -> list[str]:
    """A file with nothing but the function, at its own lines, under `if 1:` if it is indented."""
    if code.co_name == "<lambda>":
        return []
    first = code.co_firstlineno - 1
    try:
        block = inspect.getblock(lines[first:])
    except (SyntaxError, IndexError):
        return []
    if first and block and block[0][:1].isspace():
        return ["\n"] * (first - 1) + ["if 1:\n", *block]
    return ["\n"] * first + block


def _definitions(lines: list[str], code: CodeType) -> list[ast.AST]:
    try:
        tree = ast.parse("".join(lines))
    except (SyntaxError, ValueError, RecursionError):
        return []
    return [node for node in ast.walk(tree) if _is_definition(node, code)]


_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


def _is_definition(node: ast.AST, code: CodeType) -> bool:
    if isinstance(node, ast.Lambda):
        return code.co_name == "<lambda>" and node.lineno == code.co_firstlineno
    if not isinstance(node, ast.FunctionDef) or node.name != code.co_name:
        return False
    return code.co_firstlineno == min([node.lineno, *(d.lineno for d in node.decorator_list)])


def _span(node: ast.arg | ast.stmt | ast.expr, lines: list[str], filename: str) -> Loc:
    last, end = node.end_lineno or node.lineno, node.end_col_offset or node.col_offset
    return Loc(
        node.lineno,
        _characters(lines, node.lineno, node.col_offset),
        last,
        _characters(lines, last, end),
        filename,
    )


def _characters(lines: list[str], line: int, offset: int) -> int:
    """Convert a column of `ast`, which counts bytes, to characters."""
    return len(lines[line - 1].encode()[:offset].decode(errors="replace"))
