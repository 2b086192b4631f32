"""Propose cures for each remark, the likeliest first.

A loop may have several obstacles to vectorization: each cure is tried alone, then all together.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence

from cutaway.inspection.hints.cures import Cure, SourceCures, inlined, option
from cutaway.inspection.llvm.remark_words import (
    CALLS,
    CARRIED,
    EXITS,
    HOIST,
    INLINE,
    MEMORY,
    ORDER,
)
from cutaway.inspection.llvm.remarks import Remark
from cutaway.inspection.recording.recording import Recording
from cutaway.ir.function import user_name
from cutaway.typing import types

_OPTION = re.compile(r"^@jit\((\w+)=(.*)\)$")
_NO_ERRORS = " (a division by zero and errors of `math` come out as inf or nan)"
_CALLED = re.compile(r"^`(\w+)` is not inlined")
_GUARD = "guard_read"
_ZEROS = {types.int64: "0", types.float64: "0.0", types.boolean: "False", types.complex128: "0j"}

Cures = tuple[Cure, ...]


class Proposals:
    """Proposes cures for the remarks of one compilation."""

    def __init__(self, compilation: Recording, source: SourceCures | None) -> None:
        self.compilation = compilation
        self.flags = compilation.unit.flags
        self.source = source

    def for_each(self, rows: Sequence[Remark]) -> Iterator[tuple[int, Cures]]:
        """Yield pairs of a remark's number and cures: first those of loops, which matter most."""
        loops: dict[int, list[int]] = {}
        for number, row in enumerate(rows):
            if row.kind == "missed" and row.line and (row.remedy in _OF_LOOPS or _is_mark(row)):
                loops.setdefault(self._loop_of(row), []).append(number)
        for numbers in loops.values():
            for some in _together(self._of_loop([rows[number] for number in numbers])):
                yield from ((number, some) for number in numbers)
        for number, row in enumerate(rows):
            for cure in self._of_row(row):
                yield number, (cure,)

    def _loop_of(self, row: Remark) -> int:
        loop = None if self.source is None else self.source.loop_at(row.line)
        return row.line if loop is None else loop.lineno

    def _of_loop(self, rows: Sequence[Remark]) -> list[Cure]:
        """Return the cures that may vectorize a loop."""
        cures: dict[Cure, None] = {}
        for row in rows:
            does = {one.does for one in row.culprits}
            if row.cure:
                cures.update(dict.fromkeys(self._options(row.cure)))
            if "raises" in does and self.flags.error_model == "python":
                cures[option("error_model", "numpy", _NO_ERRORS)] = None
            if "calls" in does and not self.flags.vector_math:
                cures[option("vector_math", True)] = None
            if row.remedy in (ORDER, CARRIED) and not self.flags.fastmath:
                cures[option("fastmath", True)] = None
            if row.remedy in (MEMORY, EXITS) and self.source is not None:
                cure = self.source.in_a_number(row.line)
                if cure is not None:
                    cures[cure] = None
        return list(cures)

    def _of_row(self, row: Remark) -> Iterator[Cure]:
        """Yield the cures for a remark that is not about vectorization."""
        # A scalar is computed once: another function for it gains nothing.
        is_repeated = row.raw == "numpy_loop" or self._loop_of(row) != row.line
        if row.kind == "done" and row.cure and is_repeated:
            yield from self._options(row.cure)
        if row.kind != "missed" or not row.line:
            return
        if row.remedy == INLINE:
            match = _CALLED.match(row.message)
            if match and self._is_users(match[1]):
                yield inlined(match[1])
        if self.source is None:
            return
        cure = None
        if row.remedy == HOIST:
            cure = self.source.hoisted(row.line, row.column)
        elif row.cure.startswith("assert ") and _is_code(row.cure):
            cure = self.source.statement(row.cure, row.line)
        elif row.raw == _GUARD:
            cure = self._assigned(row)
        if cure is not None:
            yield cure

    def _options(self, cure: str) -> Iterator[Cure]:
        match = _OPTION.match(cure)
        if match is not None:
            name, value = match[1], ast.literal_eval(match[2])
            if not getattr(self.flags, name):
                yield option(name, value)

    def _is_users(self, name: str) -> bool:
        """True for a decorated function of the user's module."""
        return hasattr(self.compilation.unit.pyfunc.__globals__.get(name), "py_func")

    def _assigned(self, row: Remark) -> Cure | None:
        """Propose an initial value for a variable that some path leaves unassigned."""
        name = row.message.partition("`")[2].partition("`")[0]
        known = self.compilation.records[-1].unit_after
        table = known.types if known is not None and known.has("types") else {}
        kinds = {ty for own, ty in table.items() if user_name(own) == name}
        zero = _ZEROS.get(kinds.pop()) if len(kinds) == 1 else None
        if zero is None or self.source is None:
            return None
        return self.source.first(f"{name} = {zero}")


def _together(cures: list[Cure]) -> Iterator[Cures]:
    """Yield the cures of a loop one by one, then all. If it calls a function for each item, that
    call must be replaced first."""
    calls = tuple(cure for cure in cures if cure.options == _POLYNOMIALS)
    others = [cure for cure in cures if cure not in calls]
    if calls:
        yield calls
    yield from ((*calls, cure) for cure in others)
    if len(others) > 1:
        yield (*calls, *others)


_POLYNOMIALS = (("vector_math", True),)
_OF_LOOPS = (ORDER, EXITS, CALLS, CARRIED, MEMORY)


def _is_mark(row: Remark) -> bool:
    return row.raw == "loop_marks"


def _is_code(text: str) -> bool:
    try:
        ast.parse(text)
    except SyntaxError:
        return False
    return True
