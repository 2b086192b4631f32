"""Find edits of the source that let an array expression fuse; each is tried before it is shown.

A temporary is written out where it is used, a slice of it becomes slices of its operands, or a
statement that writes to an array moves behind the use. An edit counts if the program then makes
fewer arrays, and if Python computes the same with it on the arguments of the trace.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from types import FunctionType
from typing import Any

from cutaway.foundation.dataclass import dataclass
from cutaway.foundation.sandbox import in_child
from cutaway.foundation.source import Loc
from cutaway.inspection.explaining.edits import Edit, parsed
from cutaway.inspection.explaining.fusion import Plain
from cutaway.inspection.explaining.trials import Trials
from cutaway.inspection.recording.recording import Recording
from cutaway.inspection.witness.outcomes import compare, perform
from cutaway.ir import nodes
from cutaway.ir.function import is_temporary, user_name
from cutaway.ir.nodes import Op
from cutaway.ir.traversal import walk
from cutaway.stages.arrays.decisions import FUSED
from cutaway.stages.unit import CompileUnit
from cutaway.typing.types import Array

MOST_TRIED = 6  # compilations of one function: a record waits for them
_MOST_USES = 4  # most uses at which an expression is written out
_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class CandidateEdit:
    """New texts of lines, by number, and a description of the edit."""

    words: str
    lines: tuple[tuple[int, str], ...]


class FusionTries:
    """Tries edits of one function."""

    def __init__(self, compilation: Recording) -> None:
        self.compilation = compilation
        self.trials = Trials(compilation, MOST_TRIED)
        self.function = self.trials.function
        self.source = _Source.of(self.function)
        fused = next(one for one in compilation.records if one.name == FUSED)
        self.arrays = 0 if fused.unit_after is None else _arrays(fused.unit_after)
        self.known: dict[CandidateEdit, bool] = {}

    def __call__(self, op: Op, between: tuple[Loc, ...]) -> list[Plain]:
        """Return the edits that let an expression fuse."""
        if self.source is None or self.compilation.retrace is None:
            return []
        helpful = [one for one in self.source.candidates(op, between) if self._helps(one)]
        return [{"text": one.words, "lines": [list(row) for row in one.lines]} for one in helpful]

    def _helps(self, candidate: CandidateEdit) -> bool:
        if candidate not in self.known:
            self.known[candidate] = self._tried(candidate)
        return self.known[candidate]

    def _tried(self, candidate: CandidateEdit) -> bool:
        assert self.source is not None
        rows, filename = self.source.lines, self.function.__code__.co_filename
        edits = [
            Edit(Loc(k, 0, k, len(rows[k - 1].rstrip("\n")), filename), text)
            for k, text in candidate.lines
        ]
        with self.trials.compiled(edits, FUSED) as trial:
            if trial is None or trial.compilation is None:
                return False
            after = trial.compilation.records[-1].unit_after
            fuses = after is not None and _arrays(after) < self.arrays
            return fuses and self._does_the_same(trial.function)

    def _does_the_same(self, function: FunctionType) -> bool:
        """True if Python computes the same with the arguments of the trace; False without any,
        since moving a statement over a write is then not known to be right."""
        args = self.compilation.arguments
        if args is None:
            return False
        original = self.function

        def same() -> bool:
            return compare(perform(original, args), perform(function, args)) is None

        return in_child(same, _SECONDS).value is True


def _arrays(unit: CompileUnit) -> int:
    """Count the arrays that a program's expressions make."""
    made = (op for op in walk(unit.fn) if isinstance(op, nodes.ArrayExpr))
    return sum(isinstance(unit.types[op.result], Array) for op in made)


# --- candidates ---------------------------------------------------------------------------------


class _Source:
    """The source of a function, as lines and as a tree with the file's line numbers."""

    def __init__(self, lines: list[str], tree: ast.FunctionDef, indent: int) -> None:
        self.lines = lines
        self.tree = tree
        self.indent = indent
        self.suites = [
            suite
            for node in ast.walk(tree)
            for suite in (getattr(node, name, None) for name in ("body", "orelse", "finalbody"))
            if isinstance(suite, list)
        ]

    @classmethod
    def of(cls, function: Any) -> _Source | None:
        """Read the source of a function; None if it has none, or is not a `def`."""
        source = parsed(function)
        if source is None or not all(map(str.isascii, _lines_of(*source))):
            return None
        return cls(*source)

    def candidates(self, op: Op, between: tuple[Loc, ...]) -> Iterator[CandidateEdit]:
        """Yield the edits worth trying for an expression that did not fuse."""
        if between and between[0].line < between[1].line:
            yield from self._moved(between[0].line, between[1].line)
            return
        name = getattr(op, "result", "")
        if name and not is_temporary(name):
            yield from self._written_out(user_name(name), op.loc.line)

    # --- a temporary, written out ---------------------------------------------------------------

    def _written_out(self, name: str, line: int) -> Iterator[CandidateEdit]:
        """Write the expression out in place of the variable, whose assignment becomes `pass`."""
        made = self._assignment(name, line)
        stores = [n for n in self._names(name) if isinstance(n.ctx, ast.Store)]
        loads = [n for n in self._names(name) if isinstance(n.ctx, ast.Load)]
        if made is None or len(stores) != 1 or not 1 <= len(loads) <= _MOST_USES:
            return
        if any(self._loops(load.lineno) - self._loops(line) for load in loads):
            return
        value = ast.unparse(made.value)
        new = {id(load): f"({value})" for load in loads}
        parts = {id(n.value): n for n in ast.walk(self.tree) if isinstance(n, ast.Subscript)}
        sliced = {load: self._sliced(made.value, parts.get(id(load))) for load in loads}
        places: dict[ast.expr, str] = {load: new[id(load)] for load in loads}
        if all(sliced.values()):
            places = {parts[id(load)]: text or "" for load, text in sliced.items()}
        times = f", which computes it {len(loads)} times" if len(loads) > 1 else ""
        lines = self._replaced(made, places)
        if lines is not None:
            shown = "; ".join(f"line {k}: {text.strip()}" for k, text in lines if k != line)
            yield CandidateEdit(f"without line {line}, and {shown}{times}", lines)

    def _sliced(self, value: ast.expr, part: ast.Subscript | None) -> str | None:
        """Index each array of an expression as the whole is indexed; None if it is not. Which names
        are arrays is not known here: the edit is tried in Python."""
        if part is None:
            return None
        index = ast.unparse(part.slice).removeprefix("(").removesuffix(")")
        text = ast.unparse(value)
        everything = list(ast.walk(ast.parse(text, mode="eval").body))
        whole = {id(n.func) for n in everything if isinstance(n, ast.Call)}
        whole |= {id(n.value) for n in everything if isinstance(n, ast.Attribute | ast.Subscript)}
        arrays = [n for n in everything if isinstance(n, ast.Name | ast.Subscript)]
        ends = {n.end_col_offset or 0 for n in arrays if id(n) not in whole}
        for end in sorted(ends, reverse=True):
            text = f"{text[:end]}[{index}]{text[end:]}"
        return f"({text})"

    def _assignment(self, name: str, line: int) -> ast.Assign | None:
        for suite in self.suites:
            for node in suite:
                if isinstance(node, ast.Assign) and node.lineno == node.end_lineno == line:
                    (target,) = node.targets if len(node.targets) == 1 else (None,)
                    if isinstance(target, ast.Name) and target.id == name:
                        return node
        return None

    def _names(self, name: str) -> list[ast.Name]:
        return [n for n in ast.walk(self.tree) if isinstance(n, ast.Name) and n.id == name]

    def _loops(self, line: int) -> set[int]:
        """Return the loops around a line, by their first lines."""
        loops = (n for n in ast.walk(self.tree) if isinstance(n, ast.For | ast.While))
        return {n.lineno for n in loops if n.lineno < line <= (n.end_lineno or 0)}

    def _replaced(
        self, made: ast.Assign, places: dict[ast.expr, str]
    ) -> tuple[tuple[int, str], ...] | None:
        texts = {made.lineno: f"{' ' * (made.col_offset + self.indent)}pass"}
        for node in sorted(places, key=lambda n: (n.lineno, n.col_offset), reverse=True):
            if node.lineno != node.end_lineno or node.lineno == made.lineno:
                return None
            text = texts.get(node.lineno, self.lines[node.lineno - 1].rstrip("\n"))
            first, last = node.col_offset + self.indent, (node.end_col_offset or 0) + self.indent
            texts[node.lineno] = text[:first] + _bare(text, first, last, places[node]) + text[last:]
        return tuple(sorted(texts.items()))

    # --- statements in another order ------------------------------------------------------------

    def _moved(self, first: int, second: int) -> Iterator[CandidateEdit]:
        """Move the statements from the write on that the use does not need behind the use."""
        for suite in self.suites:
            places = [k for k, node in enumerate(suite) if _is_at(node, first)]
            ends = [k for k, node in enumerate(suite) if _is_at(node, second)]
            if places and ends and places[0] < ends[0]:
                some = suite[places[0] : ends[0] + 1]
                if all(isinstance(node, ast.Assign | ast.AugAssign | ast.Expr) for node in some):
                    yield from self._behind(some)
                return

    def _behind(self, some: list[ast.stmt]) -> Iterator[CandidateEdit]:
        *others, use = some
        needed = {n.id for n in ast.walk(use) if isinstance(n, ast.Name)}
        before = []
        for node in reversed(others):
            names = [n for n in ast.walk(node) if isinstance(n, ast.Name)]
            if needed & {n.id for n in names if isinstance(n.ctx, ast.Store)}:
                needed |= {n.id for n in names}
                before.insert(0, node)
        later = [node for node in others if node not in before]
        order = [*before, use, *later]
        texts = [text for node in order for text in self._text(node)]
        rows = [k for node in some for k in range(node.lineno, (node.end_lineno or 0) + 1)]
        if not later or rows != list(range(rows[0], rows[0] + len(texts))):
            return  # comments stand between, and where they belong is not known
        moved = " and ".join(f"line {node.lineno}" for node in later)
        new = tuple(
            (k, text)
            for k, text in zip(rows, texts, strict=True)
            if text != self.lines[k - 1].rstrip("\n")
        )
        yield CandidateEdit(f"{moved} behind line {use.lineno}", new)

    def _text(self, node: ast.stmt) -> list[str]:
        rows = self.lines[node.lineno - 1 : node.end_lineno]
        return [row.rstrip("\n") for row in rows]


def _lines_of(lines: list[str], tree: ast.FunctionDef, _: int) -> list[str]:
    """Return the lines of a function."""
    return lines[tree.lineno - 1 : tree.end_lineno]


def _is_at(node: ast.stmt, line: int) -> bool:
    return node.lineno <= line <= (node.end_lineno or node.lineno)


def _bare(text: str, first: int, last: int, value: str) -> str:
    """Return an expression without its brackets where others stand around it already."""
    before, after = text[:first].rstrip()[-1:], text[last:].lstrip()[:1]
    alone = (before in "(,=" and before) and (after in "),")
    return value[1:-1] if alone else value
