"""Make the record of a compilation from its recording."""

from __future__ import annotations

import platform
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import cutaway
from cutaway.errors import CutawayError, PipelineError
from cutaway.foundation.dataclass import replace
from cutaway.foundation.lazy import cached_property
from cutaway.foundation.source import short_file
from cutaway.inspection.linking.lines import LinkedLine, unit_lines
from cutaway.inspection.llvm.following import Followed, followed
from cutaway.inspection.parallel.iterations import region_title, region_words
from cutaway.inspection.record import llvm, model
from cutaway.inspection.record.graphs import graphs_of
from cutaway.inspection.record.lives import ValueFacts, lives_of
from cutaway.inspection.record.model import Line, Plain, State, span_of
from cutaway.inspection.record.values import value_text, values_of
from cutaway.inspection.recording.memory import PassMemory
from cutaway.inspection.views import VIEWS, source_text
from cutaway.ir import nodes
from cutaway.ir.function import is_temporary, user_name
from cutaway.ir.levels import Level
from cutaway.ir.printer import op_text
from cutaway.ir.rewriting import RewriteRecord, rewritten
from cutaway.ir.traversal import definitions, walk
from cutaway.lowering.llvm_values import LlvmPart
from cutaway.stages.unit import CompileUnit
from cutaway.targets.cpu.engine import host
from cutaway.targets.cpu.optimization import HOST
from cutaway.typing.inference.events import TypeEvent
from cutaway.typing.inference.steps import Step, steps_of
from cutaway.typing.overloads.parameters import parameters_of

if TYPE_CHECKING:
    from cutaway.inspection.recording.recording import PassRecord, Recording

# Prefixes of the identities of operations: those of our own IR are numbers.
_MARKS = {"cutaway": "", "bytecode": "@"}
_TRY_SECONDS = 1.0  # for each edit that may help a loop, in the interpreter
_SECONDS = 3.0  # for a run that records threads
_FOR_THREADS = "it is a kernel, whose values depend on the thread that runs it"
_FOR_TYPES = "the compilation was traced for types, not for values"


def record_of(compilation: Recording) -> model.RecordData:
    """Convert a compilation to a record, as plain data."""
    family = list(_family(compilation, -1))
    numbers = {id(one): number for number, (one, _) in enumerate(family)}
    symbols = _Symbols()
    functions = tuple(_Function(one, parent, numbers, symbols).made() for one, parent in family)
    times = tuple(
        model.Timed(row.name, row.function, row.depth, row.kind, row.seconds, row.own_seconds)
        for row in compilation.timings
    )
    return model.RecordData(made_with(compilation.unit), functions, times)


def part_of(
    compilation: Recording, units: Sequence[CompileUnit], steps: Sequence[Step] = ()
) -> tuple[model.FunctionRecord, tuple[int, ...]]:
    """Make a function's record with only the source and the given states; return it with the
    position of each unit's state."""
    maker = _Function(compilation, -1, {}, _Symbols())
    source = compilation.unit.copy()
    source.level = Level.source
    positions = tuple(maker.state(unit) for unit in (source, *units))
    return maker.bare(tuple(map(_step, steps))), positions[1:]


def _family(compilation: Recording, parent: int) -> Iterator[tuple[Recording, int]]:
    """Yield a compilation and those inside it, each with the position of its parent."""
    waiting = [(compilation, parent)]
    position = 0
    while waiting:
        one, parent = waiting.pop(0)
        yield one, parent
        waiting += [(inner, position) for record in one.passes for inner in record.nested]
        position += 1


def made_with(unit: CompileUnit) -> dict[str, str]:
    """Return the versions, the machine, and the processor that the code is for."""
    cpu = HOST if unit.callee is None else unit.callee.cpu
    return {
        "cutaway": cutaway.__version__,
        "python": platform.python_version(),
        "target": unit.target.name,
        "machine": platform.machine(),
        "system": platform.system(),
        "processor": cpu.whole(host()[1]).name,
        "features": cpu.features,
    }


class _Symbols:
    """Renumbers LLVM functions, whose names end in a number that counts all compilations of the
    process, so that equal programs have equal records."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}
        self.known: dict[str, str] = {}  # by the original line: states share most lines

    def renamed(self, text: str) -> str:
        """Renumber the names in a line."""
        if "$" not in text:
            return text
        if text not in self.known:
            self.known[text] = _PADDING.sub("  ; preds", _SYMBOL.sub(self._new, text))
        return self.known[text]

    def _new(self, match: re.Match[str]) -> str:
        number = self.numbers.setdefault(match[2], len(self.numbers) + 1)
        return f"{match[1]}${'x' * (match[2][0] == 'x')}{number}"


_PADDING = re.compile(r" {2,}; preds")  # as long as the name before it is short
_LETTER = r"(?:\w|\\[0-9A-Fa-f]{2,3})"  # in quotes, a non-ASCII letter is a code
_SYMBOL = re.compile(rf"(?<![\w.$%>\\])(<\w+>|(?!\d){_LETTER}+)\$(x?\d+)\b")


class _Function:
    """Builds the record of one function."""

    def __init__(
        self, compilation: Recording, parent: int, numbers: dict[int, int], symbols: _Symbols
    ) -> None:
        self.compilation = compilation
        self.parent = parent
        self.numbers = numbers
        self.symbols = symbols
        self.states: list[State] = []
        self.known: dict[object, int] = {}
        self.lines: dict[Line, Line] = {}  # unique lines, which states share
        self.renamed: dict[Line, Line] = {}
        self.units: dict[int, CompileUnit] = {}  # after the passes, by state

    @cached_property
    def hints(self) -> dict[tuple[str, str, int], str]:
        """The hints that help, by pass, sentence and line of the missed optimization."""
        if self.parent >= 0 or Level.llvm.value not in self.compilation.levels:
            return {}
        remarks = self.compilation.remarks
        return {
            (row.pass_name, row.message, row.line): remarks.words_of(number)
            for number, row in enumerate(remarks)
        }

    def made(self) -> model.FunctionRecord:
        compilation = self.compilation
        first = self.state(compilation.unit)
        passes = tuple(self._pass(record, first) for record in compilation.passes)
        of_llvm = self._of_llvm() if self.parent < 0 else {}
        new = self.symbols.renamed
        graphs, by_state = graphs_of(self.units, new) if self.parent < 0 else ((), {})
        states = tuple(
            replace(state, graphs=by_state[k]) if k in by_state else state
            for k, state in enumerate(self.states)
        )
        last = self._last_typed()
        types = {} if last is None else {n: str(t) for n, t in sorted(last.types.items())}
        outermost = self.parent < 0
        record = model.FunctionRecord(
            name=compilation.name,
            signature=compilation.signature,
            parent=self.parent,
            arguments=self._arguments(),
            returns=str(last.return_type) if last is not None else "",
            options=str(compilation.unit.flags),
            pipeline=tuple(record.name for record in compilation.passes),
            source=self._source(),
            states=states,
            graphs=graphs,
            passes=passes,
            error=None if compilation.error is None else failure_of(compilation.error),
            steps=tuple(self._steps()),
            types=types,
            explanations=self._explanations() if outermost else {},
            calls=self._calls() if outermost else None,
            fusion=self.compilation.fusion if outermost else None,
            parallel=self._parallel() if outermost else None,
            threads=self._threads() if outermost else None,
            values=self._values() if outermost else model.Values(),
            **of_llvm,
        )
        kept = self._values_kept()
        left_out = tuple(self._left_out(kept.followed))
        return replace(record, lives=lives_of(record, kept), left_out=left_out)

    def _left_out(self, following: Followed) -> Iterator[str]:
        """Yield a sentence for each part that could not be recorded, with the reason."""
        if self.parent < 0 and Level.llvm.value in self.compilation.levels:
            history = self.compilation.llvm_history
            if history.error:
                number = len(history.passes)
                yield f"The passes within LLVM end after number {number}: {history.error}."
        if following.error:
            yield f"Variables could not be followed through LLVM: the attempt {following.error}."

    def _values_kept(self) -> ValueFacts:
        """The lowered form and LLVM's location of each variable; LLVM reports only the user's."""
        units = [r.unit_after for r in self.compilation.passes if r.unit_after is not None]
        lowered = next((u for u in units if u.level is Level.llvm), None)
        if lowered is None or self.parent >= 0:
            if lowered is None:
                return ValueFacts()
            return ValueFacts(self._parts(lowered.llvm_values), joined=_joined(lowered))
        wanted = {n: p for n, p in lowered.llvm_values.items() if not is_temporary(n)}
        if lowered.target.launched:  # kernel arguments have no owners
            wanted = {n: _without_owners(parts) for n, parts in wanted.items()}
        last = units[-1]
        following = followed(last, wanted) if Level.llvm_opt.leads_to(last.level) else Followed()
        parts = self._parts(lowered.llvm_values)
        return ValueFacts(parts, self._followed(following), _joined(lowered))

    def _parts(self, values: Mapping[str, Sequence[LlvmPart]]) -> dict[str, tuple[LlvmPart, ...]]:
        new = self.symbols.renamed
        return {
            name: tuple(replace(part, text=new(part.text)) for part in parts)
            for name, parts in values.items()
        }

    def _followed(self, following: Followed) -> Followed:
        new = self.symbols.renamed
        values = {
            name: tuple(replace(held, text=new(held.text)) for held in parts)
            for name, parts in following.values.items()
        }
        return replace(following, values=values)

    def bare(self, steps: tuple[model.TypeStep, ...]) -> model.FunctionRecord:
        """Make a record with the given states and type steps, without passes."""
        return model.FunctionRecord(
            name=self.compilation.name,
            signature=self.compilation.signature,
            parent=self.parent,
            arguments=self._arguments(),
            returns="",
            options="",
            pipeline=(),
            source=self._source(),
            states=tuple(self.states),
            passes=(),
            steps=steps,
        )

    # --- states ---------------------------------------------------------------------------------

    def state(self, unit: CompileUnit, title: str = "", whole: bool = True) -> int:
        """Return the position of a unit's state, which is added unless it is known."""
        return self._kept(unit.level, self._lines_of(unit), title, whole)

    def _lines_of(self, unit: CompileUnit) -> tuple[Line, ...]:
        mark = _MARKS.get(unit.level.language, "%")
        # PTX numbers its own symbols
        new = str if unit.level is Level.ptx else self.symbols.renamed
        return tuple(self._line(linked, mark, new) for linked in unit_lines(unit))

    def _kept(self, level: Level, lines: tuple[Line, ...], title: str, whole: bool = True) -> int:
        """Return the position of a state, which is added unless it is known."""
        key = (level, *map(id, lines))
        if key not in self.known:
            self.known[key] = len(self.states)
            self.states.append(State(level.value, level.language, lines, title, whole))
        return self.known[key]

    def _once(self, line: Line) -> Line:
        return self.lines.setdefault(line, line)

    def _line(self, linked: LinkedLine, mark: str, renamed: Callable[[str], str]) -> Line:
        span = (linked.line, linked.column, linked.end_line, linked.end_column)
        line = Line(
            renamed(linked.text),
            span if linked.line else model.NOWHERE,
            renamed(linked.block),
            f"{mark}{renamed(linked.op)}" if linked.op else "",
            (linked.variable,) if linked.variable else (),
            tuple(map(renamed, linked.names)),
            linked.inner,
            linked.near,
            linked.rare,
        )
        return self._once(line)

    # --- passes ---------------------------------------------------------------------------------

    def _pass(self, record: PassRecord, first: int) -> model.PassEntry:
        before = self.state(record.unit_before) if record.unit_before else first
        rewrites = tuple(self._rewrites(record))
        failed = record.unit_after is None
        after = before if record.unit_after is None else self._behind(record.unit_after, record)
        broken = () if record.unit_after is None else _broken(record.unit_after)
        return model.PassEntry(
            record.name,
            record.stage,
            record.step.summary,
            before,
            after,
            record.changed,
            failed,
            record.seconds,
            record.own_seconds,
            *_memory(record.memory),
            broken,
            rewrites,
            tuple(self._decisions(record)),
            tuple(self.numbers[id(inner)] for inner in record.nested),
        )

    def _behind(self, unit: CompileUnit, record: PassRecord) -> int:
        """Return the position of the state after a pass."""
        state = self.state(unit, record.name)
        self.units[state] = unit
        return state

    def _rewrites(self, record: PassRecord) -> Iterator[model.Rewrite]:
        """Yield the rewrites of a pass, each with the state after it."""
        rewrites = [fact for fact in record.rewrites if isinstance(fact, RewriteRecord)]
        if not rewrites:
            return
        unit = record.unit_before
        lines = self._lines_of(unit)
        for fact in rewrites:
            unit = _rewritten(unit, fact)
            lines = self._lines_behind(unit, fact, lines)
            state = self._kept(unit.level, lines, fact.rule, fact.whole)
            yield model.Rewrite(
                fact.rule, fact.note, span_of(fact.loc), fact.origin, state, fact.whole
            )

    def _lines_behind(
        self, unit: CompileUnit, fact: RewriteRecord, before: tuple[Line, ...]
    ) -> tuple[Line, ...]:
        """Return the lines after a rewrite: only changed blocks are formatted again."""
        if fact.types or fact.params is not None:
            return self._lines_of(unit)
        part = unit.copy()
        changed = {change.label for change in fact.changes if change.after is not None}
        part.fn.blocks = {k: b for k, b in unit.fn.blocks.items() if k in changed}
        blocks = {**_by_block(before), **_by_block(self._lines_of(part))}
        header = blocks.pop("", ())
        return (*header, *(line for k in unit.fn.blocks for line in blocks[str(k)]))

    def _decisions(self, record: PassRecord) -> Iterator[model.Decision]:
        for fact in record.decisions:
            where = span_of(fact.loc)
            hint = self.hints.get((record.name, f"{fact.subject}: {fact.reason}", where[0]), "")
            yield model.Decision(fact.rule, fact.subject, fact.verdict, fact.reason, where, hint)

    # --- types ----------------------------------------------------------------------------------

    def _last_typed(self) -> CompileUnit | None:
        units = [r.unit_after for r in self.compilation.passes if r.unit_after is not None]
        return next((unit for unit in reversed(units) if unit.has("types")), None)

    def _steps(self) -> Iterator[model.TypeStep]:
        for record in self.compilation.passes:
            events = [fact for fact in record.rewrites if isinstance(fact, TypeEvent)]
            yield from map(_step, steps_of(events))

    def _variables(self) -> list[str]:
        """Return the names of the user's variables, in the order of their definitions."""
        for record in self.compilation.passes:
            unit = record.unit_after
            if unit is not None and Level.ir.leads_to(unit.level):
                names = [name for op in walk(unit.fn) for name in definitions(op)]
                return list(dict.fromkeys(user_name(n) for n in names if not is_temporary(n)))
        return []

    def _explanations(self) -> dict[str, Plain]:
        result: dict[str, Plain] = {}
        for name in ["", *self._variables()]:
            try:
                result[name] = self.compilation.why(name).to_dict()
            except CutawayError:  # it has no type: it was never reached
                continue
        return result

    def _calls(self) -> Plain:
        try:
            return self.compilation.why_call().to_dict()
        except CutawayError:
            return None

    def _parallel(self) -> Plain:
        """Return the verdicts on loops and the tried edits, if the function has parallel loops."""
        if not self.compilation.unit.flags.parallel:
            return None
        facts = self.compilation.tried_loops(_TRY_SECONDS)
        return facts if facts["loops"] else None

    def _threads(self) -> Plain:
        """Return the threads of parallel loops, if there are any and arguments to run them."""
        compilation = self.compilation
        is_wanted = compilation.unit.flags.parallel and compilation.arguments is not None
        if not is_wanted or Level.asm.value not in compilation.levels:
            return None
        try:
            seen = compilation.iterations(seconds=_SECONDS)
        except PipelineError:  # it takes too long, or ends its process
            return None
        return {**seen.facts, "regions": [_drawn(one) for one in seen.shown]}

    # --- LLVM -----------------------------------------------------------------------------------

    def _of_llvm(self) -> dict[str, Plain]:
        """LLVM's passes, remarks and costs, as far as compilation got."""
        reached = self.compilation.levels
        result: dict[str, Plain] = {}
        if Level.llvm.value in reached:
            new = self.symbols.renamed
            result["llvm"] = tuple(
                replace(step, target=new(step.target))
                for step in llvm.llvm_steps(self.compilation, self._keep_llvm)
            )
            result["remarks"] = tuple(
                replace(row, subject=new(row.subject), reason=new(row.reason))
                for row in llvm.remarks_of(self.compilation)
            )
        if Level.asm.value in reached or Level.ptx.value in reached:
            result["cost"] = tuple(llvm.costs_of(self.compilation))
        return result

    def _keep_llvm(self, lines: tuple[Line, ...], title: str) -> int:
        known = self.renamed
        for line in lines:
            if line not in known:
                known[line] = self._once(self._renamed(line))
        renamed = tuple(known[line] for line in lines)
        return self._kept(Level.llvm, renamed, title)

    def _renamed(self, line: Line) -> Line:
        new = self.symbols.renamed
        mentions = tuple(map(new, line.mentions))
        text, block, op = new(line.text), new(line.block), new(line.op)
        return replace(line, text=text, block=block, op=op, mentions=mentions)

    # --- the rest -------------------------------------------------------------------------------

    def _arguments(self) -> tuple[model.Argument, ...]:
        unit = self.compilation.unit
        parameters = parameters_of(unit.pyfunc)
        texts = [""] * len(parameters.names)
        if self.compilation.arguments is not None:
            texts = [value_text(value) for value in parameters.bind(self.compilation.arguments)]
        return tuple(
            model.Argument(name, str(ty), text)
            for name, ty, text in zip(parameters.names, unit.argtypes or (), texts)
        )

    def _source(self) -> model.Source:
        unit = self.compilation.unit
        code = unit.pyfunc.__code__
        file = short_file(code.co_filename)
        return model.Source(file, code.co_firstlineno, tuple(source_text(unit).splitlines()))

    def _values(self) -> model.Values:
        args = self.compilation.arguments
        if self.compilation.unit.target.launched:
            return model.Values(note=_FOR_THREADS)
        if args is None:
            return model.Values(note=self.compilation.not_kept or _FOR_TYPES)
        units = [r.unit_after for r in self.compilation.passes if r.unit_after is not None]
        plain = [u for u in units if u.level.is_ir and u.level.comes_before(Level.typed)][:1]
        typed = [u for u in units if u.level.is_ir and Level.typed.leads_to(u.level)][-1:]
        return values_of((*plain, *typed), args)


def _without_owners(parts: Sequence[LlvmPart]) -> tuple[LlvmPart, ...]:
    return tuple(part for part in parts if not part.label.endswith(".owner"))


def _joined(unit: CompileUnit) -> dict[str, str]:
    """Map the results of parallel loops to the variables that they reduce."""
    loops = [op for op in walk(unit.fn) if isinstance(op, nodes.Parfor)] if unit.has("fn") else []
    return {
        result: name
        for op in loops
        for result, name in zip(op.results, op.body.carried, strict=False)
        if not is_temporary(name)
    }


def _drawn(region: Plain) -> Plain:
    """Add the displayed words to a region."""
    return {**region, "title": region_title(region), "words": region_words(region)}


def _memory(memory: PassMemory | None) -> tuple[int, int, int]:
    if memory is None:
        return 0, -1, -1
    counted = (memory.bytes, memory.peak)
    return memory.objects, *(-1 if number is None else number for number in counted)


def _rewritten(unit: CompileUnit, fact: RewriteRecord) -> CompileUnit:
    """Return the unit after a rewrite."""
    unit = unit.copy()
    unit.fn = rewritten(unit.fn, fact)
    if unit.has("types"):
        unit.types.update(fact.types)
        unit.forget_resolutions()
    return unit


def _by_block(lines: tuple[Line, ...]) -> dict[str, tuple[Line, ...]]:
    """Group lines by block of the function; those before the first block under ""."""
    by_block: dict[str, list[Line]] = {}
    block = ""
    for line in lines:
        if line.text.startswith("label "):
            block = line.block
        by_block.setdefault(block, []).append(line)
    return {block: tuple(own) for block, own in by_block.items()}


def _broken(unit: CompileUnit) -> tuple[str, ...]:
    verify = VIEWS[unit.level].verify
    return () if verify is None else verify(unit)


def _step(step: Step) -> model.TypeStep:
    changes = tuple(
        model.TypeChange(
            event.variable,
            "" if is_temporary(event.variable) else user_name(event.variable),
            "" if event.old is None else str(event.old),
            str(event.new),
            tuple((name, str(ty)) for name, ty in event.causes),
        )
        for event in step.events
    )
    return model.TypeStep(step.number, op_text(step.op), span_of(step.op.loc), changes)


def failure_of(error: BaseException) -> model.Failure:
    """Return the error that ended a compilation, as plain data."""
    if not isinstance(error, CutawayError):
        return model.Failure(type(error).__name__, str(error), model.NOWHERE, "")
    where = span_of(error.loc) if error.loc is not None else model.NOWHERE
    notes = tuple(map(str, error.notes))
    return model.Failure(type(error).__name__, error.message, where, error.hint, notes)
