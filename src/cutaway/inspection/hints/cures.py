"""Edits of a program that may enable a missed optimization; none is shown before it was tried.

statement     an assertion before the outermost loop in which it is invariant
hoisted       an invariant element, read once before the loop
in_a_number   an element that a loop adds to, held in a variable during the loop
option        another option of `@jit`
inlined       the body of a user's function in place of its call
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from types import FunctionType
from typing import Any

from cutaway.foundation.dataclass import dataclass
from cutaway.foundation.source import Loc
from cutaway.inspection.explaining.edits import Edit, parsed

Loop = ast.For | ast.While


@dataclass(frozen=True, slots=True)
class Cure:
    """A proposal: edits of the source, options of `@jit`, or a function to inline. `words` is the
    sentence that users read if it helps."""

    words: str
    edits: tuple[Edit, ...] = ()
    options: tuple[tuple[str, Any], ...] = ()
    inlined: str = ""

    def line_after(self, line: int) -> int:
        """Return the number of a line after the edits, which may insert others."""
        return line + sum(_rows_before(edit, line) for edit in self.edits)


def _rows_before(edit: Edit, line: int) -> int:
    is_above = edit.loc.line < line or (edit.loc.line == line and edit.text.endswith("\n"))
    return edit.text.count("\n") if is_above else 0


def option(name: str, value: object, meaning: str = "") -> Cure:
    """Propose another option of `@jit`."""
    text = f'"{value}"' if isinstance(value, str) else str(value)
    return Cure(f"write @jit({name}={text}){meaning}", options=((name, value),))


def inlined(name: str) -> Cure:
    """Propose to inline a function of the user's module."""
    return Cure(f"write @jit(inline='always') on `{name}`", inlined=name)


class SourceCures:
    """Proposes edits of the source of one function."""

    def __init__(self, lines: list[str], tree: ast.FunctionDef, indent: int, filename: str) -> None:
        self.lines = lines
        self.tree = tree
        self.indent = indent
        self.filename = filename
        self.names = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name)}
        self.loops = [n for n in ast.walk(tree) if isinstance(n, Loop)]

    @classmethod
    def of(cls, function: FunctionType) -> SourceCures | None:
        """Read a function's source; None if it has none, or not only ASCII."""
        source = parsed(function)
        if source is None:
            return None
        lines, tree, indent = source
        if not all(row.isascii() for row in lines[tree.lineno - 1 : tree.end_lineno]):
            return None  # a tree's columns count bytes
        return cls(lines, tree, indent, function.__code__.co_filename)

    def loop_at(self, line: int) -> Loop | None:
        """Return the innermost loop around a line, its own first line included."""
        around = [one for one in self.loops if one.lineno <= line <= (one.end_lineno or 0)]
        return max(around, key=lambda one: one.lineno, default=None)

    # --- statements -----------------------------------------------------------------------------

    def statement(self, text: str, line: int) -> Cure | None:
        """Propose a statement before that of a line, or before the outermost loop around it in
        which its names are invariant; None without such a loop."""
        names = {n.id for n in ast.walk(ast.parse(text)) if isinstance(n, ast.Name)}
        around = sorted(
            (one for one in self.loops if one.lineno < line <= (one.end_lineno or 0)),
            key=lambda one: one.lineno,
        )
        free = [one for one in around if not names & _assigned(one)]
        if around and not free:
            return None
        before = free[0] if free else self._statement_at(line)
        if before is None:
            return None
        return self._put(before, text)

    def first(self, text: str) -> Cure | None:
        """Propose a statement as the function's first, after a docstring."""
        body = self.tree.body
        is_text = isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant)
        if is_text and len(body) == 1:
            return None
        before = body[1] if is_text else body[0]
        return self._put(before, text)

    def _put(self, before: ast.stmt, text: str) -> Cure:
        words = f"put `{text}` in front of line {before.lineno}"
        return Cure(words, (self._before(before, text),))

    def _statement_at(self, line: int) -> ast.stmt | None:
        """Return the innermost statement on a line."""
        statements = [
            node
            for node in ast.walk(self.tree)
            if isinstance(node, ast.stmt)
            and node is not self.tree
            and node.lineno <= line <= (node.end_lineno or 0)
        ]
        return max(statements, key=lambda node: (node.lineno, node.col_offset), default=None)

    # --- elements -------------------------------------------------------------------------------

    def hoisted(self, line: int, column: int) -> Cure | None:
        """Propose to read the element at a position once, before the innermost loop, if that
        changes neither its index nor the array."""
        node = next((n for n in self._subscripts(line) if self._column(n) == column), None)
        loop = self.loop_at(line)
        if node is None or loop is None or line == loop.lineno or not _is_plain(node):
            return None
        text = ast.unparse(node)
        array = ast.unparse(node.value)
        subscripts = (n for n in ast.walk(loop) if isinstance(n, ast.Subscript))
        same = [n for n in subscripts if ast.unparse(n) == text]
        written = {
            ast.unparse(n.value)
            for n in ast.walk(loop)
            if isinstance(n, ast.Subscript) and not isinstance(n.ctx, ast.Load)
        }
        if array in written or _names_in(node) & _assigned(loop):
            return None
        name = self._fresh(text)
        edits = [self._before(loop, f"{name} = {text}"), *(self._instead(n, name) for n in same)]
        words = f"put `{name} = {text}` in front of line {loop.lineno}, and `{name}` in its loop"
        shared = " or ".join(f"`{one}`" for one in sorted(written))
        if shared:
            words += f", if `{array}` does not share memory with {shared}"
        return Cure(words, tuple(edits))

    def in_a_number(self, line: int) -> Cure | None:
        """Propose variables for the elements that the innermost loop at a line adds to."""
        loop = self.loop_at(line)
        if not isinstance(loop, ast.For):
            return None
        changed = _assigned(loop)
        sums = [
            node
            for node in loop.body
            if isinstance(node, ast.AugAssign)
            and isinstance(node.target, ast.Subscript)
            and _is_plain(node.target)
            and not _names_in(node.target) & changed
        ]
        texts = {ast.unparse(node.target): node.target for node in sums}
        others = [n for n in ast.walk(loop) if isinstance(n, ast.Subscript)]
        arrays = {ast.unparse(node.value) for node in texts.values()}
        inside = {id(node.target) for node in sums}
        if not sums or any(ast.unparse(n.value) in arrays and id(n) not in inside for n in others):
            return None
        names = {text: self._fresh(text) for text in texts}
        before = [f"{name} = {text}" for text, name in names.items()]
        after = [f"{text} = {name}" for text, name in names.items()]
        edits = [
            self._before(loop, "; ".join(before)),
            self._after(loop, "; ".join(after)),
            *(self._instead(node.target, names[ast.unparse(node.target)]) for node in sums),
        ]
        shown = " and ".join(f"`{name}`" for name in names.values())
        words = (
            f"put `{'; '.join(before)}` in front of line {loop.lineno}, {shown} in its loop, and"
            f" `{'; '.join(after)}` after it"
        )
        return Cure(words, tuple(edits))

    def _subscripts(self, line: int) -> Iterator[ast.Subscript]:
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Subscript) and node.lineno == line:
                yield node

    def _column(self, node: ast.expr) -> int:
        return node.col_offset + self.indent

    def _fresh(self, text: str) -> str:
        """Return a new name for an element: `pos_i_0` for `pos[i, 0]`."""
        stem = re.sub(r"\W+", "_", text.replace("-", "less ").replace("+", "and ")).strip("_")
        name = stem
        while name in self.names:
            name += "_"
        return name

    # --- edits ----------------------------------------------------------------------------------

    def _before(self, node: ast.stmt, text: str) -> Edit:
        return Edit(self._at(node.lineno, 0, 0), f"{self._margin(node)}{text}\n")

    def _after(self, node: ast.stmt, text: str) -> Edit:
        row = node.end_lineno or node.lineno
        end = len(self.lines[row - 1].rstrip("\n"))
        return Edit(self._at(row, end, end), f"\n{self._margin(node)}{text}")

    def _instead(self, node: ast.expr, text: str) -> Edit:
        last = (node.end_col_offset or 0) + self.indent
        return Edit(self._at(node.lineno, self._column(node), last), text)

    def _margin(self, node: ast.stmt) -> str:
        return " " * (node.col_offset + self.indent)

    def _at(self, line: int, first: int, last: int) -> Loc:
        return Loc(line, first, line, last, self.filename)


def _assigned(node: ast.AST) -> set[str]:
    """Return the names that a statement assigns or deletes."""
    names = (n for n in ast.walk(node) if isinstance(n, ast.Name))
    return {n.id for n in names if isinstance(n.ctx, ast.Store | ast.Del)}


def _names_in(node: ast.AST) -> set[str]:
    return {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}


def _is_plain(node: ast.Subscript) -> bool:
    """True if a subscript is on one line, of a name, with indices of names and constants."""
    parts = ast.walk(node.slice)
    plain = (ast.Name, ast.Constant, ast.BinOp, ast.UnaryOp, ast.Tuple, ast.operator, ast.unaryop)
    is_name = isinstance(node.value, ast.Name)
    one_line = node.lineno == node.end_lineno
    return is_name and one_line and all(isinstance(n, (*plain, ast.expr_context)) for n in parts)
