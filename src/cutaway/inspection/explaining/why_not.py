"""Explain why a variable does not have a type, and finds the smallest edits that change it.

    c.why_not("s", "int64")

    `s` is float64, not int64
      because `a[i]` is float64: an element of array(float64, 1d, C) [sums.py:4]
      it would be int64 with
        line 4: s = s + int(a[i])    (then int64 is returned)
        argument `a` of type array(int64, 1d, C)

Every edit that is shown was compiled: nothing failed, and the variable had the wanted type.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cutaway.errors import CutawayError, PipelineError
from cutaway.foundation.dataclass import dataclass
from cutaway.foundation.source import Loc, source_line
from cutaway.inspection.explaining.edits import Edit, edits_of
from cutaway.inspection.explaining.trials import Trials
from cutaway.inspection.explaining.versions import RESULT_NAMES, versions_of
from cutaway.inspection.explaining.why import TypingRun, as_dict, place
from cutaway.inspection.showing.displayed import Displayed
from cutaway.ir import nodes
from cutaway.ir.function import is_temporary
from cutaway.ir.levels import Level
from cutaway.typing import types
from cutaway.typing.errors.explanation import Cause, flattened
from cutaway.typing.errors.wording import RESULT, quoted
from cutaway.typing.types import Type
from cutaway.typing.types.conversions import unify

MOST_TRIED = 30  # compilations
MOST_SHOWN = 6
MOST_LINKS = 20  # links of a chain that edits are derived from


@dataclass(frozen=True, slots=True)
class Fix:
    """Edits that together produce the type: `lines` are the edited source lines by number,
    `arguments` the types of arguments by name, `returns` is the new return type."""

    lines: tuple[tuple[int, str], ...]
    arguments: tuple[tuple[str, Type], ...]
    returns: Type | None

    def __str__(self) -> str:
        parts = [f"line {number}: {text.strip()}" for number, text in self.lines]
        parts += [f"argument `{name}` of type {ty}" for name, ty in self.arguments]
        return ", and ".join(parts)


@dataclass(frozen=True, eq=False)
class WhyNot(Displayed):
    """The explanation of why a variable lacks a type: `forbidden_by` are the links where the
    type exceeds it, `fixes` the edits that were tried and produce it."""

    function: str
    variable: str
    found: Type | None
    wanted: Type
    forbidden_by: tuple[Cause, ...]
    fixes: tuple[Fix, ...]
    returns: Type | None

    def to_dict(self) -> dict[str, Any]:
        """Return the answer as plain data."""
        return {
            "function": self.function,
            "variable": self.variable,
            "type": None if self.found is None else str(self.found),
            "wanted": str(self.wanted),
            "forbidden_by": [as_dict(cause) for cause in self.forbidden_by],
            "fixes": [
                {
                    "lines": dict(fix.lines),
                    "arguments": {name: str(ty) for name, ty in fix.arguments},
                    "returns": None if fix.returns is None else str(fix.returns),
                }
                for fix in self.fixes
            ],
        }

    def lines(self) -> list[str]:
        """Return the text, line by line."""
        what = quoted(self.variable)
        if self.found is self.wanted:
            return [f"{what} is {self.wanted}"]
        has = "has no known type" if self.found is None else f"is {self.found}"
        lines = [f"{what} {has}, not {self.wanted}"]
        for cause in self.forbidden_by:
            where = place(cause.loc)
            lines.append(f"  because {cause}{f' [{where}]' if where else ''}")
        lines.append(
            f"  it would be {self.wanted} with"
            if self.fixes
            else f"  no small edit makes it {self.wanted}"
        )
        for fix in self.fixes:
            changed = fix.returns is not self.returns and fix.returns is not None
            then = f"    (then {fix.returns} is returned)" if changed else ""
            lines.append(f"    {fix}{then}")
        return lines

    def __str__(self) -> str:
        return "\n".join([f"{self.function}:", *(f"  {line}" for line in self.lines())])

    def __repr__(self) -> str:
        return f"<why not {self.wanted}: {self.variable} in {self.function}>"


def why_not(run: TypingRun, name: str, wanted: Type, line: int | None) -> WhyNot:
    """Return the causes that rule out a type for a variable, and edits that produce it.

    Raises PipelineError for an unknown variable.
    """
    root = run.cause(name, line)
    ty = None if root is None else root.type
    what = RESULT if name in RESULT_NAMES else name
    signature = run.compilation.signature
    if ty is wanted and run.error is None:
        return WhyNot(signature, what, ty, wanted, (), (), run.returns)
    roots = _roots(run, name, root, line)
    own = {id(op) for op in run.ops}
    links = [link for cause in roots for _, link in flattened(cause) if isinstance(link, Cause)]
    here = ([link for link in links if id(link.op) in own] or links)[:MOST_LINKS]
    beyond = {link.op: link for link in here if forbids(link, wanted)}
    forbidding = tuple(beyond.values()) or tuple(here[-1:])
    fixes: tuple[Fix, ...] = ()
    if run.retrace is not None:
        fixes = _EditSearch(run, name, line, wanted).fixes(forbidding, here, roots)
    return WhyNot(signature, what, ty, wanted, forbidding, fixes, run.returns)


def _roots(run: TypingRun, name: str, root: Cause | None, line: int | None) -> list[Cause]:
    """The chain in question; without a line, or if its type is unknown, those of all versions of
    the variable."""
    result = [] if root is None else [root]
    if line is None or root is None:
        others = map(run.chains.why, versions_of(run.fn, name))
        result += [cause for cause in others if cause is not None and cause is not root]
    return result


def forbids(link: Cause, wanted: Type) -> bool:
    """True if the type first exceeds the wanted one at this link."""
    if _within(link.type, wanted) or _of_another_kind(link.type, wanted):
        return False
    if isinstance(link.op, nodes.Const) and is_temporary(link.variable):
        return not wanted.fits(link.op.value)
    kind = types.is_number(link.type)
    return all(_within(c.type, wanted) or kind != types.is_number(c.type) for c in link.causes)


def _of_another_kind(ty: Type, wanted: Type) -> bool:
    """True if one is a number and the other is not, so that one leads to the other only in passing:
    the index of a wanted array, an array whose elements are read."""
    may_be_none = isinstance(ty, types.Optional | types.NoneType)
    return not may_be_none and types.is_number(wanted) != types.is_number(ty)


def _within(ty: Type, wanted: Type) -> bool:
    return unify(ty, wanted) is wanted


class _EditSearch:
    """A search for edits, one at a time and then all necessary ones at once."""

    def __init__(self, run: TypingRun, name: str, line: int | None, wanted: Type) -> None:
        self.run = run
        self.name = name
        self.line = line
        self.wanted = wanted
        self.function = run.compilation.unit.pyfunc
        self.trials = Trials(run.compilation, MOST_TRIED)

    def fixes(
        self, forbidding: Sequence[Cause], links: Sequence[Cause], roots: Sequence[Cause]
    ) -> tuple[Fix, ...]:
        """Return the edits that produce the type, the smallest first."""
        space = self.function.__globals__
        by_place: dict[Loc, Fix] = {}
        for edit in edits_of([*forbidding, *links], self.wanted, space):
            fix = None if edit.loc in by_place else self._attempt((edit,))
            if fix is not None:
                by_place[edit.loc] = fix
        beyond = [link for link in links if not _within(link.type, self.wanted)]
        for some in [] if by_place else (forbidding, beyond, roots):
            first = (edits_of([link], self.wanted, space)[:1] for link in some)
            every = tuple(dict.fromkeys(edit for edits in first for edit in edits))
            fix = self._attempt(every) if len(every) > 1 else None
            if fix is not None:
                return (fix,)
        return tuple(dict.fromkeys(by_place.values()))[:MOST_SHOWN]

    def _attempt(self, edits: tuple[Edit, ...]) -> Fix | None:
        if _overlap(edits):
            return None
        argtypes = list(self.run.compilation.unit.argtypes or ())
        for edit in edits:
            if edit.argument is not None and edit.type is not None:
                argtypes[edit.argument] = edit.type
        with self.trials.compiled(edits, Level.llvm.value, argtypes=tuple(argtypes)) as trial:
            if trial is None or trial.compilation is None:
                return None
            try:
                run = TypingRun(trial.compilation, None)
                good = run.type_at(self.name, self.line) is self.wanted
            except (CutawayError, PipelineError):
                return None
            return self._fix(edits, run) if good else None

    def _fix(self, edits: tuple[Edit, ...], run: TypingRun) -> Fix:
        filename = run.fn.filename
        rows = sorted({edit.loc.line for edit in edits if edit.argument is None})
        lines = tuple((row, source_line(filename, row)) for row in rows)
        names = self.run.fn.params
        arguments = tuple(
            (names[edit.argument], edit.type)
            for edit in edits
            if edit.argument is not None and edit.type is not None
        )
        return Fix(lines, arguments, run.returns)


def _overlap(edits: tuple[Edit, ...]) -> bool:
    spans = sorted((e.loc.line, e.loc.col, e.loc.end_col) for e in edits if e.argument is None)
    return any(a[0] == b[0] and b[1] < a[2] for a, b in zip(spans, spans[1:]))
