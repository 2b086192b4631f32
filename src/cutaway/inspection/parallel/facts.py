"""Collect the verdict on each loop of a function, as plain data for records.

The loops are those of the source, and those that passes made from operations on whole arrays. The
verdicts are read off the parfors at level `parfor` and the decisions of all passes of the stage.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from cutaway.errors import CutawayError, UnsupportedError
from cutaway.foundation.source import Loc, short_file, source_line, span_text
from cutaway.inspection.parallel.nests import Nests, Plain
from cutaway.inspection.parallel.source import SourceLoop, loops_of
from cutaway.inspection.parallel.tries import Tries, count_of_parfors
from cutaway.inspection.parallel.words import (
    ARRAY,
    FUSED,
    FUSION_RULE,
    INNER,
    ITEMS,
    OFF,
    PARALLEL,
    PRANGE,
    RANGE,
    REFUSED,
    SERIAL,
    USELESS,
    WHILE,
)
from cutaway.inspection.recording.recording import PassRecord, Recording
from cutaway.ir import nodes
from cutaway.ir.decisions import DONE, MISSED, Decision
from cutaway.ir.elements import ArrayOp
from cutaway.ir.levels import Level
from cutaway.ir.traversal import walk, walk_block
from cutaway.stages.unit import CompileUnit

STAGE = "5b"

_SERIAL_KINDS = {
    RANGE: (
        "it goes over `range`, whose iterations run one after the other; only loops over `prange`"
        " are divided",
        "",
    ),
    ITEMS: (
        "it goes over the items of something; only loops over `prange` are divided",
        "count the items: for k in prange(len(items))",
    ),
    WHILE: (
        "how often a `while` loop runs is not known before it ends; only loops over `prange` are"
        " divided",
        "",
    ),
}


def facts_of(compilation: Recording) -> Plain:
    """Return the facts about the loops of a compilation."""
    unit = compilation.unit
    gathered = _Loops(compilation)
    return {
        "function": compilation.signature,
        "file": short_file(unit.pyfunc.__code__.co_filename),
        "options": sorted(unit.flags.parallel),
        "loops": sorted(gathered.rows(), key=lambda row: (row["line"], row["depth"])),
        "fusions": list(gathered.fusions()),
    }


class _Loops:
    """The loops of one function."""

    def __init__(self, compilation: Recording) -> None:
        self.compilation = compilation
        self.options = compilation.unit.flags.parallel
        self.loops = loops_of(compilation.unit.pyfunc)
        self.passes = [one for one in compilation.passes if one.stage.startswith(STAGE)]
        self.unit = _parallel_unit(compilation)
        self.filename = compilation.unit.pyfunc.__code__.co_filename
        self.nests = None if self.unit is None else Nests(self.unit)
        self.outer, self.nested = _parfors(self.unit)

    def rows(self) -> Iterator[Plain]:
        """Yield the rows, in no order."""
        yield from (self._row(loop) for loop in self.loops)
        heads = {line for loop in self.loops for line in range(loop.line, loop.head + 1)}
        known = set()
        for first, second in self._fused():
            if not self._is_head(first, heads) and first not in {op.loc for op in self.outer}:
                known.add(first)
                reason = f"it is run together with the parallel loop of line {second.line}"
                row = self._of_array(first, None)
                yield {**row, "verdict": FUSED, "reason": reason, "into": second.line}
        for op in (*self.outer, *self.nested):
            if op.loc not in known and not self._is_head(op.loc, heads):
                known.add(op.loc)
                yield self._of_array(op.loc, op)
        for loc in self._left():
            if loc not in known:
                known.add(loc)
                yield self._of_array(loc, None)

    def _is_head(self, loc: Loc, heads: set[int]) -> bool:
        return loc.filename == self.filename and loc.line in heads

    def _fused(self) -> Iterator[tuple[Loc, Loc]]:
        """Yield the locations of fused parallel loops, and of the loops that contain them."""
        for _, one in self._fusions():
            if one.verdict == DONE:
                yield one.places[0], one.loc

    def _fusions(self) -> Iterator[tuple[str, Decision]]:
        for record in self.passes:
            found = (one for one in record.decisions if one.rule == FUSION_RULE and one.places)
            yield from ((record.name, one) for one in found)

    def fusions(self) -> Iterator[Plain]:
        """Yield the decisions about pairs of parallel loops, each once."""
        known = set()
        for by, one in self._fusions():
            key = (one.places[0], one.loc, one.verdict, one.reason)
            if key not in known:
                known.add(key)
                yield {
                    "lines": [one.places[0].line, one.loc.line],
                    "sources": [_source(one.places[0]), _source(one.loc)],
                    "verdict": one.verdict,
                    "by": by,
                    "reason": one.reason,
                    "hint": f"write `{one.cure}` before them" if one.cure else "",
                    "assertions": self._assertions(one),
                    "tried": [],
                }

    def _assertions(self, pair: Decision) -> list[str]:
        """Return the assertions that would prove sizes: of the pair, and of arrays read by the
        loops."""
        lines = {pair.places[0].line, pair.loc.line}
        cures = [pair.cure]
        for record in self.passes:
            found = (one for one in record.decisions if one.rule == SIZES_RULE)
            cures += [one.cure for one in found if one.verdict == MISSED and one.loc.line in lines]
        return list(dict.fromkeys(filter(None, cures)))

    def _left(self) -> Iterator[Loc]:
        """Yield the locations of array expressions that are not parfors, and of missed ones."""
        if not self.options or self.unit is None:
            return
        yield from (op.loc for op in walk(self.unit.fn) if isinstance(op, ArrayOp))
        heads = {line for loop in self.loops for line in range(loop.line, loop.head + 1)}
        for record in self.passes:
            for one in record.decisions:
                is_left = one.verdict == MISSED and one.rule not in _BESIDE
                if is_left and one.subject not in _NO_LOOPS and not self._is_head(one.loc, heads):
                    yield one.loc

    # --- loops of the source --------------------------------------------------------------------

    def _row(self, loop: SourceLoop) -> Plain:
        made = [op for op in self.outer if self._belongs(op, loop)]
        row: Plain = {
            "line": loop.line,
            "end": loop.end,
            "depth": len(loop.around),
            "around": list(loop.around),
            "kind": loop.kind,
            "text": loop.text,
            "verdict": SERIAL,
            "by": "",
            "reason": "",
            "hint": "",
            "nest": None,
            "versions": len(made),
            "notes": self._notes(loop.line, loop.end),
            "tried": [],
        }
        if made and self.nests is not None:
            decision = self._decision(DONE, loop.line, loop.head)
            row["verdict"], row["by"] = PARALLEL, self._maker(made[0], decision)
            row["reason"] = "" if decision is None else decision[1].reason
            row["nest"] = self.nests.facts(made[0])
            row["ids"] = [op.id for op in made]
            return row
        return {**row, **self._why_serial(loop)}

    def _belongs(self, op: nodes.Parfor, loop: SourceLoop) -> bool:
        return op.loc.filename == self.filename and loop.line <= op.loc.line <= loop.head

    def _why_serial(self, loop: SourceLoop) -> Plain:
        error = self.compilation.error
        around = [one for one in self.loops if one.line in loop.around]
        outer = next(
            (one for one in around if any(self._belongs(op, one) for op in self.outer)), None
        )
        if outer is not None:
            reason = f"it stands in the parallel loop of line {outer.line}, and is run by whoever"
            return {"verdict": INNER, "reason": f"{reason} runs an iteration of that one"}
        if error is not None:
            return self._failed(loop, error)
        if loop.kind != PRANGE:
            reason, hint = _SERIAL_KINDS[loop.kind]
            return {"reason": reason, "hint": hint}
        missed = self._decision(MISSED, loop.line, loop.head)
        if missed is not None:
            return {"by": missed[0], "reason": missed[1].reason, "hint": missed[1].hint}
        if not self.options:
            reason = "the function is compiled without `parallel=True`, where `prange` is `range`"
            return {"verdict": OFF, "reason": reason, "hint": "write @jit(parallel=True)"}
        if PRANGE not in self.options:
            reason = "the option `parallel` turns loops over `prange` off"
            return {"verdict": OFF, "reason": reason, "hint": 'leave "prange" out of it'}
        if not self.passes:
            return {"reason": "the pipeline has no pass that divides loops"}
        return {"reason": "for arguments of these types the program never comes to it"}

    def _failed(self, loop: SourceLoop, error: BaseException) -> Plain:
        """Say why a loop of a function that does not compile is not parallel."""
        by = self.compilation.passes[-1].name if self.compilation.passes else ""
        if not isinstance(error, CutawayError) or error.loc is None:
            return {"by": by, "reason": f"the function cannot be compiled: {error}"}
        is_its_own = self._is_about(loop, error.loc) and self.compilation.passes[-1] in self.passes
        if isinstance(error, UnsupportedError) and is_its_own:
            where = f" (line {error.loc.line})" if error.loc.line != loop.line else ""
            reason = f"{error.message}{where}"
            return {"verdict": REFUSED, "by": by, "reason": reason, "hint": error.hint}
        reason = f"line {error.loc.line} cannot be compiled: {error.message}"
        return {"by": by, "reason": reason, "hint": error.hint}

    def _is_about(self, loop: SourceLoop, loc: Loc) -> bool:
        """True for an error inside a loop, if no loop over `prange` encloses it."""
        inside = [one for one in self.loops if one.kind == PRANGE and one.has(loc.line)]
        return bool(inside) and inside[0] is loop

    # --- loops over arrays ----------------------------------------------------------------------

    def _of_array(self, loc: Loc, op: nodes.Parfor | None) -> Plain:
        around = [one.line for one in self.loops if one.has(loc.line)]
        row: Plain = {
            "line": loc.line,
            "end": loc.end_line or loc.line,
            "depth": len(around),
            "around": around,
            "kind": ARRAY,
            "text": self._array_text(loc),
            "verdict": SERIAL,
            "by": "",
            "reason": "",
            "hint": "",
            "nest": None,
            "versions": 1,
            "notes": self._notes(loc.line, loc.end_line or loc.line),
            "tried": [],
        }
        if op in self.outer and op is not None and self.nests is not None:
            decision = self._decision(DONE, loc.line, loc.line)
            row["verdict"], row["by"] = PARALLEL, self._maker(op, decision)
            row["reason"] = "" if decision is None else decision[1].reason
            row["nest"], row["ids"] = self.nests.facts(op), [op.id]
            return row
        missed = self._decision(MISSED, loc.line, loc.end_line or loc.line)
        if op is not None:
            row["verdict"] = INNER
            row["reason"] = "it stands in a parallel loop, and is run by whoever runs an iteration"
        elif missed is not None:
            row["by"], row["reason"], row["hint"] = missed[0], missed[1].reason, missed[1].hint
        else:
            row["reason"] = "no pass of the pipeline makes a parallel loop of such an expression"
        return row

    def _array_text(self, loc: Loc) -> str:
        """Return the statement if it is short, else the expression."""
        statement = source_line(loc.filename, loc.line).strip()
        is_whole = loc.line == loc.end_line and 0 < len(statement) <= _LONGEST
        return statement if is_whole else _source(loc)

    # --- decisions of passes --------------------------------------------------------------------

    def _decision(self, verdict: str, first: int, last: int) -> tuple[str, Decision] | None:
        """Return the last decision with this verdict on these lines, and the pass that made it."""
        result = None
        for record in self.passes:
            for one in record.decisions:
                if one.rule in _BESIDE:
                    continue
                is_here = one.loc.filename == self.filename and first <= one.loc.line <= last
                if is_here and one.verdict == verdict:
                    result = record.name, one
        return result

    def _maker(self, op: nodes.Parfor, decision: tuple[str, Decision] | None) -> str:
        """Return the pass that made a parfor."""
        if decision is not None:
            return decision[0]
        return next((one.name for one in self.passes if _has_parfor(one, op.id)), "")

    def _notes(self, first: int, last: int) -> list[Plain]:
        """Return the decisions of loop passes on these lines: fused, hoisted, left in place."""
        known: dict[tuple[int, str], Plain] = {}
        for record in self.compilation.passes:
            for one in record.decisions:
                if one.rule not in _TOLD and record not in self.passes:
                    continue
                if one.loc.filename != self.filename or not first <= one.loc.line <= last:
                    continue
                if record in self.passes and one.rule not in _BESIDE and one.verdict == DONE:
                    continue  # the verdict itself
                text = f"{one.subject}: {one.reason}"
                known[one.loc.line, text] = {
                    "line": one.loc.line,
                    "by": record.name,
                    "verdict": one.verdict,
                    "text": text,
                }
        return list(known.values())


def _source(loc: Loc) -> str:
    return span_text(loc) or source_line(loc.filename, loc.line).strip()


SIZES_RULE = "array_analysis"
_BESIDE = (FUSION_RULE, SIZES_RULE)  # they do not say whether something is a parallel loop
_NO_LOOPS = ("np.empty", "np.empty_like")  # calls that touch no elements
_LONGEST = 60  # characters of a statement
_TOLD = ("fuse", "version_loop", "stack_array")  # rules about whole loops, in passes before 5b


def _parallel_unit(compilation: Recording) -> CompileUnit | None:
    """Return the last program that has parfors as ops."""
    if Level.parfor.value not in compilation.levels:
        return None
    return compilation.at(Level.parfor).unit


def _parfors(unit: CompileUnit | None) -> tuple[list[nodes.Parfor], list[nodes.Parfor]]:
    """Return the outermost parfors, and those inside others."""
    outer: list[nodes.Parfor] = []
    nested: list[nodes.Parfor] = []
    if unit is None:
        return outer, nested
    for op in walk(unit.fn):
        if isinstance(op, nodes.Parfor):
            for block in op.body.blocks:
                nested += [one for one in walk_block(block) if isinstance(one, nodes.Parfor)]
    ids = {one.id for one in nested}
    found = (op for op in walk(unit.fn) if isinstance(op, nodes.Parfor))
    outer += [op for op in found if op.id not in ids]
    return outer, nested


def _has_parfor(record: PassRecord, number: int) -> bool:
    unit = record.unit_after
    return unit is not None and any(
        op.id == number and isinstance(op, nodes.Parfor) for op in walk(unit.fn)
    )


# --- trying edits ---------------------------------------------------------------------------------


def try_loops(
    compilation: Recording, facts: Plain, lines: Callable[[int], bool], seconds: float = 5.0
) -> None:
    """Try edits that would make the loops of some lines parallel, each loop once, and add the
    outcomes to the facts."""
    loops = {loop.line: loop for loop in loops_of(compilation.unit.pyfunc)}
    tries = Tries(compilation, seconds)
    for row in facts["loops"]:
        loop = loops.get(row["line"])
        if loop is None or not lines(row["line"]) or "was_tried" in row or row["kind"] == ARRAY:
            continue
        row["was_tried"] = True
        row["tried"] = [one for one in _tries(row, loop, loops, tries) if one is not None]


def try_fusion(compilation: Recording, pair: Plain, seconds: float = 5.0) -> None:
    """Try, once, the assertion that should fuse two loops; if it does not suffice, all assertions
    on the sizes of the arrays that the loops read."""
    own, every = pair["assertions"][:1], pair["assertions"]
    if not own or not pair["hint"] or "was_tried" in pair:
        return
    pair["was_tried"] = True
    count, tries = count_of_parfors(compilation), Tries(compilation, seconds)
    for some in (own, every) if len(every) > 1 else (own,):
        tried = tries.asserted(pair["lines"][0], "; ".join(some), count)
        pair["tried"] = pair["tried"] if tried is None else [tried]
        if tried is None or tried["verdict"] != USELESS:
            return


def _tries(
    row: Plain, loop: SourceLoop, loops: dict[int, SourceLoop], tries: Tries
) -> Iterator[Any]:
    if row["verdict"] == REFUSED:
        yield tries.serial(loop)
    elif row["verdict"] == INNER:
        outer = loops[row["around"][0]]
        if loop.kind == RANGE and outer.kind == PRANGE:
            yield tries.inner_instead(loop, outer)
    elif row["verdict"] == SERIAL and loop.kind == RANGE:
        yield tries.parallel(loop)
    elif row["verdict"] == OFF:
        yield tries.turned_on(loop)
