"""The loops in the source of a function, with their iterables."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator
from types import FunctionType
from typing import Any

from cutaway.foundation.dataclass import dataclass
from cutaway.foundation.loops import prange
from cutaway.foundation.source import Loc, source_line
from cutaway.inspection.explaining.edits import parsed
from cutaway.inspection.parallel.words import ITEMS, PRANGE, RANGE, WHILE


@dataclass(frozen=True, slots=True)
class SourceLoop:
    """One loop of the source.

    `kind` is that of its iterable: `prange`, `range`, the `items` of something, or none (`while`).
    `text` is its first line, `head` the last line of its iterable or condition, `end` its own last
    line. `around` are the first lines of the enclosing loops, from the outside. `called` is the
    location of the name `range` or `prange`, `targets` are the names of its loop variables.
    """

    line: int
    head: int
    end: int
    kind: str
    text: str
    around: tuple[int, ...]
    called: Loc | None = None
    targets: tuple[str, ...] = ()

    def has(self, line: int) -> bool:
        """True for a line of the loop."""
        return self.line <= line <= self.end


def loops_of(function: FunctionType) -> tuple[SourceLoop, ...]:
    """Return the loops of a function in the order of their lines; none without source."""
    source = parsed(function)
    if source is None:
        return ()
    _, tree, indent = source
    loops = _loops(tree, function, indent, ())
    return tuple(sorted(loops, key=lambda loop: (loop.line, len(loop.around))))


def _loops(
    tree: ast.AST, function: FunctionType, indent: int, around: tuple[int, ...]
) -> Iterator[SourceLoop]:
    # Recursion is safe: Python's own parser limits the nesting of source.
    for node in ast.iter_child_nodes(tree):
        inside = around
        if isinstance(node, ast.For | ast.While):
            yield _loop(node, function, indent, around)
            inside = (*around, node.lineno)
        yield from _loops(node, function, indent, inside)


def _loop(
    node: ast.For | ast.While, function: FunctionType, indent: int, around: tuple[int, ...]
) -> SourceLoop:
    filename = function.__code__.co_filename
    kind, called = WHILE, None
    if isinstance(node, ast.For):
        kind = ITEMS
        value = _called(node.iter, function)
        if value in (range, prange):
            assert isinstance(node.iter, ast.Call)
            kind, name = PRANGE if value is prange else RANGE, node.iter.func
            first, last = name.col_offset + indent, (name.end_col_offset or 0) + indent
            if source_line(filename, name.lineno)[:last].isascii():  # where bytes are characters
                called = Loc(name.lineno, first, name.end_lineno or 0, last, filename)
    over = node.iter if isinstance(node, ast.For) else node.test
    head, end = over.end_lineno or node.lineno, node.end_lineno or node.lineno
    text = source_line(filename, node.lineno).strip()
    target = ast.walk(node.target) if isinstance(node, ast.For) else ()
    targets = tuple(one.id for one in target if isinstance(one, ast.Name))
    return SourceLoop(node.lineno, head, end, kind, text, around, called, targets)


def _called(node: ast.expr, function: FunctionType) -> Any:
    """The called value; None if there is none, or it is not known before the program runs."""
    if not isinstance(node, ast.Call):
        return None
    name = node.func
    if isinstance(name, ast.Attribute) and isinstance(name.value, ast.Name):
        module = _named(name.value.id, function)
        return getattr(module, name.attr, None) if isinstance(module, type(ast)) else None
    return _named(name.id, function) if isinstance(name, ast.Name) else None


def _named(name: str, function: FunctionType) -> Any:
    code = function.__code__
    if name in code.co_varnames:
        return None
    if name in code.co_freevars and function.__closure__ is not None:
        cell = function.__closure__[code.co_freevars.index(name)]
        try:
            return cell.cell_contents
        except ValueError:  # the cell is empty so far
            return None
    return function.__globals__.get(name, vars(builtins).get(name))
