"""The content of the terminal viewer: the stops of a record, and their lines."""

from __future__ import annotations

from collections.abc import Iterator

from cutaway.foundation.dataclass import dataclass, field
from cutaway.inspection.record.biography import is_about
from cutaway.inspection.record.comparing import (
    ADDED,
    CHANGED,
    KEPT,
    MOVED,
    REMOVED,
    Diff,
    as_before,
    bare,
)
from cutaway.inspection.record.model import (
    NOWHERE,
    FunctionRecord,
    Line,
    LlvmStep,
    PassEntry,
    Plain,
    Rewrite,
    Span,
)
from cutaway.inspection.record.points import Point
from cutaway.inspection.record.recorded import Record, values_text

WHOLE = -1  # instead of the position of a pass: all passes of a function


@dataclass(frozen=True, slots=True)
class Frame:
    """A position: a stop among the passes of a function, or inside one pass."""

    function: int
    inside: int = WHOLE
    index: int = 0


@dataclass(frozen=True, slots=True)
class Stop:
    """One position in a record: an event, and the states before and after it.

    `about` is the part of the record that describes it, None for the source.  `entered` is a
    function whose passes are inside it, `count` the number of stops inside.
    """

    title: str
    state: int
    before: int
    about: PassEntry | Rewrite | LlvmStep | None = None
    is_quiet: bool = False
    span: Span = NOWHERE
    entered: int = -1
    count: int = 0


@dataclass(frozen=True, slots=True)
class Shown:
    """A line on the screen: `sign` as in a diff, `line` the record's line, if it has one."""

    text: str
    sign: str = " "
    line: Line | None = None


_SIGNS = {KEPT: " ", ADDED: "+", REMOVED: "-", MOVED: ">"}


@dataclass(eq=False)
class Book:
    """A record, with cached stops and diffs."""

    record: Record
    _stops: dict[tuple[int, int], tuple[Stop, ...]] = field(default_factory=dict)
    _diffs: dict[tuple[int, int, int, int], Diff] = field(default_factory=dict)

    def function(self, frame: Frame) -> FunctionRecord:
        """Return the current function."""
        return self.record.data.functions[frame.function]

    def stops(self, frame: Frame) -> tuple[Stop, ...]:
        """Return the stops at the current level of nesting."""
        key = (frame.function, frame.inside)
        if key not in self._stops:
            stops = self._passes(frame) if frame.inside == WHOLE else self._inside(frame)
            self._stops[key] = tuple(stops)
        return self._stops[key]

    def stop(self, frame: Frame) -> Stop:
        """Return the current stop."""
        return self.stops(frame)[frame.index]

    def point(self, function: int, state: int) -> Point:
        """Return the program in a state."""
        data = self.record.data.functions[function]
        return Point(data, state, data.states[state].title or data.states[state].level)

    def diff(self, before: tuple[int, int], after: tuple[int, int]) -> Diff:
        """Return the differences between two states, each of a function."""
        key = (*before, *after)
        if key not in self._diffs:
            a, b = self.point(*before), self.point(*after)
            self._diffs[key] = Diff(a, b, by_id=before[0] == after[0])
        return self._diffs[key]

    # --- stops ----------------------------------------------------------------------------------

    def _passes(self, frame: Frame) -> Iterator[Stop]:
        function = self.function(frame)
        first = function.passes[0].before if function.passes else 0
        yield Stop("source", first, first)
        for entry in function.passes:
            llvm = function.llvm if _optimizes(function, entry) else ()
            count = len(entry.rewrites) + len(entry.nested) + len(llvm)
            is_quiet = not (entry.changed or entry.failed or count)
            yield Stop(entry.name, entry.after, entry.before, entry, is_quiet, count=count)

    def _inside(self, frame: Frame) -> Iterator[Stop]:
        function = self.function(frame)
        entry = function.passes[frame.inside]
        before = entry.before
        for rewrite in entry.rewrites:
            state = before if rewrite.state < 0 else rewrite.state
            yield Stop(rewrite.rule, state, before, rewrite, span=rewrite.span)
            before = state
        for step in function.llvm if _optimizes(function, entry) else ():
            yield Stop(step.name, step.state, before, step)
            before = step.state
        for inner in entry.nested:
            name = self.record.data.functions[inner].name
            yield Stop(name, entry.before, entry.before, entered=inner, count=1)

    def words(self, frame: Frame) -> str:
        """Return the description of a stop, in words."""
        stop = self.stop(frame)
        if stop.entered >= 0:
            signature = self.record.data.functions[stop.entered].signature
            return f"{signature} was compiled here; press down to enter it"
        effect = self.diff((frame.function, stop.before), (frame.function, stop.state)).summary
        match stop.about:
            case PassEntry() as entry:
                return self._pass_words(frame, entry, effect)
            case Rewrite() as rewrite:
                origin = f" ({rewrite.origin})" if rewrite.origin else ""
                return f"{rewrite.rule}: {rewrite.note or effect}{origin}"
            case LlvmStep() as step:
                what = f", which {step.summary}" if step.summary else ""
                return f"LLVM's {step.name}{what}, on {step.target}: {effect}"
        function = self.function(frame)
        return ". ".join([f"the source of {function.signature}", *function.left_out])

    def _pass_words(self, frame: Frame, entry: PassEntry, effect: str) -> str:
        what = f"{entry.name}: {entry.summary}" if entry.summary else entry.name
        if entry.failed:
            error = self.function(frame).error
            return f"{what}. It failed: {error.message if error else ''}"
        said = f"{what}. {effect if entry.changed else 'Nothing changed'}."
        lacks = self.function(frame).left_out if _optimizes(self.function(frame), entry) else ()
        return " ".join([said, *lacks])

    def first_change(self, before: tuple[int, int], after: tuple[int, int]) -> Line | None:
        """Return the first line that differs."""
        rows = self.diff(before, after).changes
        return next((row.new for row in rows if row.new is not None), None)

    # --- lines ----------------------------------------------------------------------------------

    def program(self, function: int, state: int) -> tuple[Shown, ...]:
        """Return the lines of a state."""
        data = self.record.data.functions[function].states[state]
        return tuple(Shown(bare(line.text, data.language), " ", line) for line in data.lines)

    def difference(self, before: tuple[int, int], after: tuple[int, int]) -> tuple[Shown, ...]:
        """Return the lines of a comparison."""
        diff = self.diff(before, after)
        language = diff.after.language
        shown: list[Shown] = []
        for skipped, rows in diff.hunks():
            if skipped:
                shown.append(Shown(f"... {as_before(skipped)}", "@"))
            for row in rows:
                if row.kind == CHANGED:
                    assert row.old is not None
                    shown.append(Shown(bare(row.old.text, language), "-", row.old))
                sign = _SIGNS.get(row.kind, "+")
                shown.append(Shown(bare(row.line.text, language), sign, row.line))
        return tuple(shown) or (Shown("nothing differs", "@"),)

    def graph(self, function: int, state: int, kind: str = "cfg") -> tuple[Shown, ...]:
        """Return a graph as text: each node with the nodes that it leads to."""
        data = self.record.data.functions[function]
        position = data.states[state].graphs.get(kind)
        if position is None:
            return ()
        return tuple(_graph_lines(data.graphs[position]))

    def about(self, function: int, state: int, name: str) -> frozenset[int]:
        """Return the lines of a state that mention a user variable, by position."""
        data = self.record.data.functions[function].states[state]
        return frozenset(
            k for k, line in enumerate(data.lines) if is_about(line, name, data.language)
        )

    # --- facts about a line ---------------------------------------------------------------------

    def types(self, function: int, line: Line | None, name: str) -> tuple[str, ...]:
        """Return the types of the values in a line, and why a variable has its type."""
        data = self.record.data.functions[function]
        names = () if line is None else tuple(dict.fromkeys((*line.defines, *line.mentions)))
        rows = [f"{n} :: {data.types[n]}" for n in names if n in data.types]
        asked = name or next((n for n in map(_user, names) if n in data.explanations), "")
        if asked in data.explanations:
            explanation = Record(self.record.data, function).why(asked)
            rows += [f"{'  ' * depth}{text}  {where}" for depth, text, where in explanation.lines()]
        return tuple(rows) or ("no types are known here",)

    def values(self, function: int, line: Line | None, name: str) -> tuple[str, ...]:
        """Return the values of a line's operation, or of a variable."""
        values = self.record.data.functions[function].values
        op = "" if line is None else line.op
        rows = [s for s in values.seen if (s.name == name if name else op and s.op == op)]
        if not rows and line is not None and line.span[0]:
            rows = [s for s in values.seen if s.span[0] == line.span[0]]
        lines = [f"{s.name}  {s.count}x  {values_text(s)}" for s in rows]
        return (*lines, values.outcome or values.note or "it was not run")


def _optimizes(function: FunctionRecord, entry: PassEntry) -> bool:
    """True if LLVM's passes belong to one of our passes."""
    return [function.states[k].level for k in (entry.before, entry.after)] == ["llvm", "llvm_opt"]


def _user(name: str) -> str:
    return name.partition(".")[0]


def _graph_lines(graph: dict[str, Plain]) -> Iterator[Shown]:
    titles = {str(node["id"]): str(node.get("title", node["id"])) for node in graph["nodes"]}
    order = {name: position for position, name in enumerate(titles)}
    for node in graph["nodes"]:
        yield Shown(f"[{node.get('title', node['id'])}]", "@")
        for text in node.get("lines", ()):
            yield Shown(f"    {text}")
        for edge in graph["edges"]:
            if str(edge["source"]) == str(node["id"]):
                target = str(edge["target"])
                back = order.get(target, 0) <= order[str(node["id"])]
                mark = f" {edge['mark']}" if edge.get("mark") else ""
                arrow = "^--" if back else "-->"
                yield Shown(f"    {arrow}{mark} {titles.get(target, target)}", ">")
