"""Explain the type of a variable in source terms: `c.why("s", line=4)`, `c.why_call(line=4)`.

    `s` is float64: `+` of int64 and float64 [sums.py:4]
      `s` is int64: a constant [sums.py:2]
      `a[i]` is float64: an element of array(float64, 1d, C) [sums.py:4]
        `a` is array(float64, 1d, C): argument 1 of f [sums.py:1]

`typing/errors/explanation.py` builds the chains from a recorded run of inference; this module
requests them, follows them into the user functions that are called, and shows them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

from cutaway.errors import CompileError, CutawayError, PipelineError
from cutaway.foundation.dataclass import dataclass
from cutaway.foundation.lazy import cached_property
from cutaway.foundation.options import Flags
from cutaway.foundation.source import Loc, short_file
from cutaway.inspection.explaining.versions import RESULT_NAMES, versions_at, versions_of
from cutaway.inspection.showing.displayed import Displayed
from cutaway.ir import nodes
from cutaway.ir.function import Function
from cutaway.ir.nodes import Op
from cutaway.ir.traversal import uses, walk
from cutaway.typing import types
from cutaway.typing.errors.explanation import Cause, Chains, flattened, meeting, union_of
from cutaway.typing.errors.wording import RESULT, quoted, source_of
from cutaway.typing.inference.callees import kind_of
from cutaway.typing.inference.events import RETURN, TypeEvent
from cutaway.typing.inference.questions import (
    Question,
    call_arguments,
    constants_of,
    question_of,
)
from cutaway.typing.inference.resolutions import (
    Chosen,
    CompiledCall,
    OneOf,
    Resolutions,
    Resolved,
)
from cutaway.typing.overloads.candidates import Site, Tried, tried, tried_of_callee
from cutaway.typing.overloads.context import TypingContext
from cutaway.typing.overloads.parameters import called_types
from cutaway.typing.overloads.resolution import Call
from cutaway.typing.types import Type

if TYPE_CHECKING:
    from cutaway.inspection.recording.recording import Recording

# Compiles a function again for argument types up to a pass or level, recorded and without
# simplification, with a declared return type.
Retrace = Callable[[Any, Flags, tuple[Type, ...], str, Type | None], "Recording"]

DEEPEST_CALLS = 8  # most calls that a chain is followed into


def place(loc: Loc) -> str:
    """Format a location as `file.py:4`; empty if it is unknown."""
    return f"{short_file(loc.filename)}:{loc.line}" if loc.line else ""


@dataclass(frozen=True, eq=False)
class Explanation(Displayed):
    """The explanation of a variable's types: a tree of causes for each requested version.

    `str` formats it as text, `to_dict` as plain data with source spans. `error` is the error that
    ended the compilation, or None.
    """

    function: str
    variable: str
    causes: tuple[Cause, ...]
    error: BaseException | None = None

    @property
    def type(self) -> Type:
        """The explained type; of several versions, that of the last."""
        return self.causes[-1].type

    def lines(self) -> Iterator[tuple[int, str, str]]:
        """Depth, sentence and location of each line of the text."""
        for root in self.causes:
            for depth, link in flattened(root):
                yield depth, str(link), "" if isinstance(link, str) else place(link.loc)

    def to_dict(self) -> dict[str, Any]:
        """Return the tree as plain data: what, type, rule, source, span and causes of each link."""
        error = getattr(self.error, "message", self.error)
        return {
            "function": self.function,
            "variable": self.variable,
            "causes": [as_dict(cause) for cause in self.causes],
            "error": None if error is None else str(error),
        }

    def __str__(self) -> str:
        error = getattr(self.error, "message", self.error)
        return explanation_text(self.function, self.lines(), error)

    def __repr__(self) -> str:
        return f"<why {quoted(self.variable)} is {self.type} in {self.function}>"


def explanation_text(
    function: str, lines: Iterable[tuple[int, str, str]], error: object = None
) -> str:
    """Format an explanation: its lines indented, each with its location."""
    text = [f"{function}:"]
    for depth, sentence, where in lines:
        text.append(f"{'  ' * (depth + 1)}{sentence}{f' [{where}]' if where else ''}")
    if error is not None:
        text.append(f"  it does not compile: {error}")
    return "\n".join(text)


def as_dict(root: Cause) -> dict[str, Any]:
    """Convert a tree to nested dicts; a cause that was met before becomes a reference."""
    top: dict[str, Any] = {}
    stack: list[list[dict[str, Any]]] = [top.setdefault("causes", [])]
    for depth, link in flattened(root):
        row: dict[str, Any] = {"see": link} if isinstance(link, str) else _link(link)
        del stack[depth + 1 :]
        stack[depth].append(row)
        stack.append(row.setdefault("causes", []))
    result: dict[str, Any] = top["causes"][0]
    return result


def _link(cause: Cause) -> dict[str, Any]:
    return {
        "what": cause.what,
        "type": str(cause.type),
        "rule": cause.rule,
        "remark": cause.remark,
        "source": source_of(cause.op),
        "span": span(cause.loc),
    }


def span(loc: Loc) -> dict[str, Any]:
    """Return a source span as plain data."""
    return {
        "file": loc.filename,
        "line": loc.line,
        "column": loc.col,
        "end_line": loc.end_line,
        "end_column": loc.end_col,
    }


@dataclass(frozen=True, eq=False)
class CallExplanation(Displayed):
    """The callee of each call site, and the reasons why the other candidates were rejected."""

    function: str
    sites: tuple[Site, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the sites and their candidates as plain data."""
        return {"function": self.function, "sites": [_site_as_dict(site) for site in self.sites]}

    def __str__(self) -> str:
        lines = [f"{self.function}:"]
        for site in self.sites:
            lines.append(f"  {site} [{place(site.loc)}]")
            lines += [f"    {candidate}" for candidate in site.candidates]
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"<{len(self.sites)} call sites in {self.function}>"


def _site_as_dict(site: Site) -> dict[str, Any]:
    return {
        "source": site.source,
        "span": span(site.loc),
        "function": site.function,
        "arguments": list(map(str, site.given)),
        "returns": None if site.returns is None else str(site.returns),
        "candidates": [
            {
                "signature": candidate.signature,
                "conversions": [kind.name.lower() for kind in candidate.kinds],
                "reason": candidate.reason,
                "chosen": candidate.is_chosen,
            }
            for candidate in site.candidates
        ],
    }


class TypingRun:
    """A recorded run of inference that answers questions; `compilation` holds its record."""

    def __init__(self, compilation: Recording, retrace: Retrace | None, depth: int = 0) -> None:
        record = next((r for r in compilation.passes if r.name == "infer_types"), None)
        if record is None:
            raise compilation.error or PipelineError(
                "no types were inferred", hint="use a pipeline that contains infer_types"
            )
        self.compilation = compilation
        self.retrace = retrace
        self.depth = depth
        self.fn: Function = record.unit_before.fn
        self.ops = list(walk(self.fn))
        self.events = [fact for fact in record.rewrites if isinstance(fact, TypeEvent)]
        after = record.unit_after
        self.resolutions: Resolutions = {} if after is None else after.resolutions
        self.nested = record.nested
        self.error = compilation.error

    @cached_property
    def chains(self) -> Chains:
        """The causes of all types."""
        inside = self._inside if self.depth < DEEPEST_CALLS else None
        return Chains(self.compilation.name, self.ops, self.events, inside)

    def cause(self, name: str, line: int | None) -> Cause | None:
        """Return the cause of a variable's type in a line; without a line, of all its versions
        together.  None if it has no type."""
        asked = versions_of(self.fn, name) if line is None else versions_at(self.fn, name, line)
        causes = [cause for v in asked if (cause := self.chains.why(v)) is not None]
        whole = union_of(cause.type for cause in causes) if causes else None
        partly = self.error is not None and len(causes) < len(asked)
        if whole is None or partly:
            return None
        last = [cause for cause in reversed(causes) if cause.type is whole]
        return last[0] if last else meeting(causes, whole)

    def type_at(self, name: str, line: int | None) -> Type | None:
        """Return the type of a variable in a line, None if it has none."""
        cause = self.cause(name, line)
        return None if cause is None else cause.type

    def why(self, name: str, line: int | None) -> Explanation:
        """Explain a variable: in a line, or all its versions."""
        one = None if line is None else self.cause(name, line)
        asked = versions_of(self.fn, name) if line is None else versions_at(self.fn, name, line)
        explained = [one] if one is not None else list(filter(None, map(self.chains.why, asked)))
        if not explained:
            what = RESULT if name in RESULT_NAMES else repr(name)
            raise self.error or PipelineError(
                f"{what} has no type", hint="no path through the function assigns it"
            )
        different = {(cause.type, cause.op): cause for cause in reversed(explained)}
        causes = tuple(reversed(different.values()))
        return Explanation(self.compilation.signature, causes[-1].what, causes, self.error)

    @property
    def returns(self) -> Type | None:
        """The return type of the function, as far as it is known."""
        return self.chains.type_of(RETURN)

    def result(self) -> Cause | None:
        """Return the cause of the return type."""
        return self.chains.why(RETURN)

    # --- functions that are called --------------------------------------------------------------

    def _inside(self, op: nodes.Call, table: dict[str, Type], returns: Type) -> Cause | None:
        """Return the cause of the return type of a called user function."""
        target = table.get(op.func)  # missing if the type of a container that it reads was widened
        if target is None or kind_of(target).parameters(target) is None:  # not compiled by itself
            return None
        compilation = self._compiled(op, target, table, returns)
        if compilation is None:
            return None
        run = TypingRun(compilation, self.retrace, self.depth + 1)
        return run.result()

    def _compiled(
        self, op: nodes.Call, target: Type, table: dict[str, Type], returns: Type
    ) -> Recording | None:
        if isinstance(target, types.Closure):
            return self._recorded_here(target.code.value, returns)
        assert isinstance(target, types.Dispatcher)
        half = target.value.half
        if half.py_func is self.compilation.unit.pyfunc:
            return None  # recursive: its result is the one to explain
        if self.retrace is None:
            return self._recorded_here(half.py_func.__code__, returns)
        try:
            resolved = self.resolutions.get(op.id)
            if isinstance(resolved, CompiledCall):
                call = resolved.call
            else:
                call = call_arguments(op, table, constants_of(self.fn))
            argtypes = called_types(half, call, op.loc)
            recording = self.retrace(target.value, half.flags, argtypes, "infer_types", None)
        except CutawayError:
            return None
        return recording if recording.error is None else None

    def _recorded_here(self, code: Any, returns: Type) -> Recording | None:
        for compilation in self.nested:
            unit = compilation.unit
            if unit.pyfunc.__code__ is code and compilation.error is None:
                return compilation
        return None

    # --- call sites -----------------------------------------------------------------------------

    def sites(self, line: int | None) -> CallExplanation:
        """Return the call sites of a line, or all; operators are calls too."""
        asked = [op for op in self.ops if line is None or op.loc.line == line]
        sites = tuple(site for op in asked if (site := self._site(op)) is not None)
        if not sites:
            where = "" if line is None else f" in line {line}"
            raise PipelineError(f"nothing is called{where} of {self.compilation.name}")
        return CallExplanation(self.compilation.signature, sites)

    @property
    def _context(self) -> TypingContext:
        return self.compilation.unit.target.registry

    @cached_property
    def _table(self) -> dict[str, Type]:
        return {event.variable: event.new for event in self.events}

    @cached_property
    def _constants(self) -> dict[str, Any]:
        result = constants_of(self.fn)
        for name, ty in self._table.items():
            if isinstance(ty, types.Constant):
                result.setdefault(name, ty.value)
        return result

    def _site(self, op: Op) -> Site | None:
        table = self._table
        if any(name not in table for name in uses(op)) or not op.loc.line:
            return None
        if isinstance(op, nodes.Call):
            return self._call_site(op)
        if not isinstance(op, _SHOWN):
            return None
        resolved = self.resolutions.get(op.id)
        if isinstance(resolved, Chosen):
            question: Question | None = resolved.question
        else:
            question = question_of(op, table, self._constants)
        assert question is not None, "these ops always ask one"
        returns = types.none if isinstance(op, nodes.SetItem) else table.get(op.result)
        candidates = self._tried(question, resolved)
        if isinstance(op, nodes.SetItem) and not any(c.is_chosen for c in candidates):
            returns = None
        name = _WORDS.get(type(op)) or op.op.symbol
        argtypes = question.call.arguments.types
        return Site(source_of(op), op.loc, name, argtypes, returns, candidates)

    def _call_site(self, op: nodes.Call) -> Site:
        table, target = self._table, self._table[op.func]
        returns = table.get(op.result)
        call = call_arguments(op, table, self._constants)
        candidates = self._candidates(op, target, call, self.resolutions.get(op.id))
        name, argtypes = kind_of(target).name(target), call.arguments.types
        return Site(source_of(op), op.loc, name, argtypes, returns, candidates)

    def _candidates(
        self, op: nodes.Call, target: Type, call: Call, resolved: Resolved | None
    ) -> tuple[Tried, ...]:
        kind = kind_of(target)
        several = kind.alternatives(target)
        if several != (target,):
            each = resolved.functions if isinstance(resolved, OneOf) else (None,) * len(several)
            pairs = zip(several, each, strict=True)
            return tuple(t for one, own in pairs for t in self._candidates(op, one, call, own))
        parameters = kind.parameters(target)
        if parameters is not None:
            return (tried_of_callee(parameters, call, self._table.get(op.result)),)
        if isinstance(resolved, Chosen):
            return self._tried(resolved.question, resolved)
        question = kind.question(op, target, call, self._context)
        return () if question is None else self._tried(question, None)

    def _tried(self, question: Question, resolved: Resolved | None) -> tuple[Tried, ...]:
        """Return the candidates for a question, with the one that inference chose."""
        chosen = resolved.resolution if isinstance(resolved, Chosen) else None
        return tuple(tried(self._context, question.function, question.call, chosen))


# The operations that are call sites besides calls.
_SHOWN = nodes.Unary | nodes.Binary | nodes.Inplace | nodes.GetItem | nodes.SetItem
_WORDS: dict[type[Op], str] = {nodes.GetItem: "getitem", nodes.SetItem: "setitem"}


def run_of(compilation: Recording, retrace: Retrace | None) -> TypingRun:
    """Return the run of inference that answers questions about a compilation.

    Inference is run again without simplification, which keeps all of the user's variables; where
    that is impossible (an inner function, a fragment) the record itself is used.
    """
    unit = compilation.unit
    if retrace is None or unit.captured is not None or unit.argtypes is None:
        return TypingRun(compilation, retrace)
    try:
        returns = unit.declared_return
        recording = retrace(unit.pyfunc, unit.flags, unit.argtypes, "infer_types", returns)
        return TypingRun(recording, retrace)
    except CompileError:
        return TypingRun(compilation, retrace)
