"""Draw with rich in a terminal, as HTML, and as graphs: the only module that loads all of these.

`drawn` accepts any object that `inspection` shows; a table maps classes to drawing functions.
"""

from __future__ import annotations

import difflib
import io
from typing import Any

from rich.console import Console, Group, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text
from rich.tree import Tree

from cutaway.drawing.drawing import Drawing
from cutaway.drawing.model import Graph
from cutaway.inspection.editing.edited import EditedFunction
from cutaway.inspection.editing.editing import EditedView, TextDiff
from cutaway.inspection.explaining.calls import DispatchExplanation, Specializations
from cutaway.inspection.explaining.fusion import Fusion
from cutaway.inspection.explaining.lifting import LiftedLoops, LoopRuns
from cutaway.inspection.explaining.resolved import ResolvedOps
from cutaway.inspection.explaining.typing_steps import TypingStep, TypingSteps, TypingWalk
from cutaway.inspection.explaining.why import CallExplanation, Explanation, place
from cutaway.inspection.explaining.why_not import WhyNot
from cutaway.inspection.graphs.calls import compiled_calls
from cutaway.inspection.graphs.kinds import graph_of
from cutaway.inspection.graphs.network import type_network
from cutaway.inspection.linking.cost import RARE, Costs
from cutaway.inspection.llvm.history import LlvmHistory
from cutaway.inspection.llvm.remarks import Remarks
from cutaway.inspection.observers.timings import Timings
from cutaway.inspection.parallel.answers import Answer, ParallelLoops
from cutaway.inspection.parallel.iterations import Iterations
from cutaway.inspection.record.making import failure_of
from cutaway.inspection.record.retold import Retold
from cutaway.inspection.record.summaries import failure_text
from cutaway.inspection.recording.facts import fact_line
from cutaway.inspection.recording.recording import LevelView, PassRecord, Recording, view_of
from cutaway.inspection.recording.stepper import Stepper
from cutaway.inspection.showing import tables as recorded
from cutaway.inspection.showing.everyday import CodeGraph
from cutaway.inspection.showing.painting import code, panel
from cutaway.inspection.witness.bisection import Bisection
from cutaway.inspection.witness.witness import Witness
from cutaway.ir.printer import op_text
from cutaway.ir.rewriting import RewriteRecord

__all__ = [
    "as_html",
    "code",
    "compiled_calls",
    "diff",
    "drawing",
    "drawn",
    "graph_of",
    "type_network",
]


def diff(before: str, after: str) -> RenderableType:
    """Draw the changes from one text to the other, line by line."""
    lines = difflib.unified_diff(before.splitlines(), after.splitlines(), lineterm="", n=2)
    painted = Text(overflow="fold")
    for line in list(lines)[2:]:
        style = {"+": "green", "-": "red", "@": "cyan"}.get(line[:1], "")
        painted.append(line + "\n", style)
    return painted


def drawing(graph: Graph, layout: str = "auto") -> Drawing:
    """Wrap a graph for drawing."""
    return Drawing(graph, layout)


def _level(view: LevelView) -> RenderableType:
    return panel(f"{view.unit.name} at level {view.level}", view.text, view.view.language)


def _pass(record: PassRecord) -> RenderableType:
    parts: list[RenderableType] = [Text(str(record), style="bold")]
    parts += [Text(f"  {fact_line(fact)}") for fact in record.rewrites]
    if record.unit_after is None:
        parts.append(Text("failed", style="red"))
    elif record.unit_before.level is not record.unit_after.level:
        parts.append(_level(LevelView(view_of(record.unit_after), record.unit_after)))
    elif record.changed:
        parts.append(diff(record.before, record.after))
    return Group(*parts)


def _compilation(compilation: Recording) -> RenderableType:
    return recorded.passes(
        compilation.signature,
        [_pass_row(record) for record in compilation.passes],
        "" if compilation.error is None else failure_text(failure_of(compilation.error)),
        compilation.edits,
    )


def _pass_row(record: PassRecord) -> recorded.PassRow:
    unit = record.unit_after
    rewrites = sum(isinstance(fact, RewriteRecord) for fact in record.rewrites)
    level = "" if unit is None else unit.level.value
    return record.name, record.stage, level, record.changed, rewrites, record.own_seconds


def _timings(timings: Timings) -> RenderableType:
    table = Table(title=f"{timings.total * 1e3:.2f} ms total", title_justify="left")
    table.add_column("function and pass", no_wrap=True)
    for heading in ("own ms", "total", "share"):
        table.add_column(heading, justify="right")
    total = timings.total or 1.0
    for branch, row in timings.folded().tree():
        hidden = row.kind == "function" and not row.own_seconds
        table.add_row(
            Text.assemble((branch, "dim"), (row.title, _TIMED.get(row.kind, ""))),
            "" if hidden else f"{row.own_seconds * 1e3:.3f}",
            f"{row.seconds * 1e3:.3f}",
            "" if hidden else f"{row.own_seconds / total:.1%}",
        )
    return table


_TIMED = {"function": "bold", "llvm": "dim"}  # the styles of kinds of rows


def _stepper(stepper: Stepper) -> RenderableType:
    return Group(Text(str(stepper)), _level(stepper.current))


def _explanation(shown: DispatchExplanation) -> RenderableType:
    arguments = Table(
        title=f"{shown.function}: {shown.outcome}, {shown.road}", title_justify="left"
    )
    for heading in ("argument", "fingerprint", "found by", "code", "type"):
        arguments.add_column(heading)
    for a in shown.arguments:
        arguments.add_row(a.name, Text(a.fingerprint), a.found_by, str(a.code), Text(str(a.type)))
    table = Table(title=f"specializations of {shown.function}", title_justify="left")
    for heading in ("", "signature", "conversions", "why not"):
        table.add_column(heading)
    for c in shown.candidates:
        kinds = Text(" ").join(Text(k.name.lower(), _KINDS[k.name]) for k in c.kinds)
        mark = "->" if c.argtypes == shown.chosen else ""
        table.add_row(mark, Text(f"({', '.join(map(str, c.argtypes))})"), kinds, Text(c.reason))
    parts: list[RenderableType] = [arguments, table] if shown.candidates else [arguments]
    if shown.nearest is not None and shown.differences:
        nearest = ", ".join(map(str, shown.nearest))
        parts.append(Text(f"nearest: ({nearest}): {'; '.join(shown.differences)}", "yellow"))
    return Group(*parts)


_KINDS = {
    "EXACT": "green",
    "PROMOTION": "green",
    "SAFE": "yellow",
    "UNSAFE": "red",
    "NONE": "bold red",
}


def _specializations(shown: Specializations) -> RenderableType:
    table = Table(title=shown.function, title_justify="left")
    for heading in ("signature", "returns"):
        table.add_column(heading)
    for heading in ("calls", "guards", "codes", "conversion", "resolution", "compile ms"):
        table.add_column(heading, justify="right")
    for r in shown:
        counts = (r.calls, *r.hits.values())
        by_hand = ", installed by hand" if r.installed else ""
        signature = Text(f"({', '.join(map(str, r.signature))}){by_hand}")
        milliseconds = f"{r.compile_seconds * 1e3:.1f}"
        table.add_row(signature, Text(str(r.returns)), *map(str, counts), milliseconds)
    return table


def _why(shown: Explanation | Retold) -> RenderableType:
    whole = Tree(Text(shown.function, "bold"), hide_root=True)
    branches = [whole]
    for depth, sentence, where in shown.lines():
        del branches[depth + 1 :]
        branches.append(branches[-1].add(_link(sentence, where)))
    return Group(Text(shown.function, "bold"), whole)


def _link(sentence: str, where: str) -> Text:
    text = Text(sentence)
    text.highlight_regex(r"`[^`]*`", "green")
    text.highlight_regex(r" is [^:]*(?=:)", "yellow")
    return text.append(f"  {where}", "dim") if where else text


def _why_not(shown: WhyNot) -> RenderableType:
    text = Text("\n".join(shown.lines()))
    text.highlight_regex(r"`[^`]*`", "green")
    text.highlight_regex(r"line \d+: .*|argument `.*", "cyan")
    return Group(Text(shown.function, "bold"), text)


def _fusion(shown: Fusion) -> RenderableType:
    text = Text("\n".join(str(shown).splitlines()[1:]))
    text.highlight_regex(r"`[^`]*`", "green")
    text.highlight_regex(r"\[[^\]\s]*:\d+\]$", "cyan")
    return Group(Text(shown.function, "bold"), text)


def _lifted(shown: LoopRuns | LiftedLoops) -> RenderableType:
    text = Text(str(shown))
    text.highlight_regex(r"(?m)^the loop at line \d+", "bold")
    text.highlight_regex(r"`[^`]*`", "green")
    text.highlight_regex(r"(?m)\[[^\]\s]*:\d+\]$", "cyan")
    return text


def _parallel(shown: Answer) -> RenderableType:
    text = Text("\n".join(str(shown).splitlines()[1:]))
    text.highlight_regex(r"`[^`]*`", "green")
    text.highlight_regex(r"(?m)\[[^\]\s]*:\d+\]$", "cyan")
    text.highlight_regex(r"(?m)^ *tried: .*$", "yellow")
    return Group(Text(shown.function, "bold"), text)


def _parallel_loops(shown: ParallelLoops) -> RenderableType:
    table = Table(title=Text(f"{shown.function}: {shown.summary}"), title_justify="left")
    table.add_column("line", justify="right")
    table.add_column("loop")
    table.add_column("what became of it", no_wrap=True)
    for depth, where, sentence, verdict in shown.lines():
        text = Text("    " * depth + sentence, "" if where else "dim", overflow="fold")
        color = "green" if verdict.startswith("parallel") else "yellow"
        table.add_row(where, text, Text(verdict, color if "within" not in verdict else "dim"))
    return table


def _iterations(shown: Iterations) -> RenderableType:
    looks = {"head": "bold", "note": "dim", "loop": "green", "places": "", "time": "cyan"}
    lines = zip(str(shown).splitlines(), shown.lines(), strict=True)
    drawn = [Text(text, looks[kind], no_wrap=True, overflow="fold") for text, (kind, _) in lines]
    return Group(*drawn)


def _call_sites(shown: CallExplanation) -> RenderableType:
    tables: list[RenderableType] = [Text(shown.function, "bold")]
    for site in shown.sites:
        table = Table(title=Text(f"{site}  {place(site.loc)}"), title_justify="left")
        for heading in ("", "candidate", "conversions", "why not"):
            table.add_column(heading)
        for c in site.candidates:
            kinds = Text(" ").join(Text(k.name.lower(), _KINDS[k.name]) for k in c.kinds)
            table.add_row("->" if c.is_chosen else "", Text(c.signature), kinds, Text(c.reason))
        tables.append(table)
    return Group(*tables)


def _resolved(shown: ResolvedOps) -> RenderableType:
    table = Table(title=Text(shown.function, "bold"), title_justify="left")
    for heading in ("line", "operation", "chosen", "gives"):
        table.add_column(heading, justify="right" if heading == "line" else "left")
    for row in shown:
        line = str(row.line or "")
        table.add_row(line, *map(Text, (row.source, row.chosen, row.gives)))
    return table


def _typing_step(step: TypingStep) -> RenderableType:
    return code(str(step), "cutaway")


def _typing_steps(steps: TypingSteps) -> RenderableType:
    table = Table(title=repr(steps), title_justify="left")
    for heading in ("", "constraint", "variable", "before", "after"):
        table.add_column(heading)
    for step in steps:
        for event in step.changes:
            old = "" if event.old is None else str(event.old)
            row = (op_text(step.op), event.variable, old, str(event.new))
            table.add_row(str(step.number), *map(Text, row))
    return table


def _typing_walk(walk: TypingWalk) -> RenderableType:
    return code(str(walk), "cutaway")


def _llvm_history(shown: LlvmHistory) -> RenderableType:
    if shown.error and not shown.passes:
        return Text(str(shown), "red")
    table = Table(title=repr(shown), title_justify="left")
    table.add_column("", justify="right")
    for heading in ("pass", "on", "removed", "added", "what it does"):
        table.add_column(heading, justify="right" if heading in ("removed", "added") else "left")
    for step in shown:
        lines = (f"-{step.removed}", f"+{step.added}") if step.changed else ("", "")
        table.add_row(
            str(step.number),
            step.name,
            Text(step.target),
            *(Text(text, color) for text, color in zip(lines, ("red", "green"), strict=True)),
            Text(step.summary, "dim"),
        )
    idle = sum(shown.unchanged.values())
    below = [Text(f"{idle} more pass runs changed nothing", "dim")]
    if shown.error:
        below.append(Text(f"incomplete: {shown.error}", "red"))
    return Group(table, *below)


_VERDICTS = {"done": "green", "missed": "yellow", "note": "dim"}


def _remarks(shown: Remarks) -> RenderableType:
    table = Table(title=repr(shown).strip("<>"), title_justify="left")
    for heading in ("line", "", "pass", "remark"):
        table.add_column(heading, justify="right" if heading == "line" else "left")
    for row in shown:
        text = Text(row.message + (f" ({row.count} times)" if row.count > 1 else ""))
        if row.inner:
            text.append(f"  {row.inner}", "dim")
        if row.hint:
            text.append(f"\n{row.hint}", "cyan")
        kind = Text(row.kind, _VERDICTS.get(row.kind, ""))
        table.add_row(str(row.line or ""), kind, row.pass_name, text)
    return Group(table, Text(shown.error, "red")) if shown.error else table


def _costs(shown: Costs) -> RenderableType:
    table = Table(title=shown.function, title_justify="left")
    has_rare = any(row.rare for row in shown)
    for heading in ("line", "ops", "LLVM", shown.code, "bytes", *["rare"] * has_rare):
        table.add_column(heading, justify="right")
    table.add_column("vectors")
    table.add_column("source")
    for row in shown:
        counts = (row.line, row.ops, row.llvm, row.machine, row.bytes, *[row.rare] * has_rare)
        numbers = (str(number or "") for number in counts)
        table.add_row(*numbers, Text(row.vectors, "green"), Text(row.source))
    return Group(table, Text(RARE, "dim")) if has_rare else table


def _edited_function(shown: EditedFunction) -> RenderableType:
    return Group(Text(str(shown)), _compilation(shown.compilation))


def _text_diff(shown: TextDiff) -> RenderableType:
    return Group(Text(shown.title, "bold"), diff(shown.before, shown.after))


def _code_graph(shown: CodeGraph) -> RenderableType:
    return Panel(code(shown.text, shown.language), title=shown.graph.title, title_align="left")


_MARKS = {
    "equal": "green",
    "equal value": "green",
    "declared difference": "yellow",
    "different": "bold red",
    "not run": "dim",
}


def _witness(shown: Witness) -> RenderableType:
    table = Table(title=Text(f"{shown.head}: Python {shown.python}"), title_justify="left")
    for heading in ("pass", "level", "mark", "where it differs from Python"):
        table.add_column(heading, overflow="fold")
    table.add_column("ms", justify="right")
    for row, words in zip(shown, shown.news, strict=True):
        mark = Text(row.described, _MARKS[row.mark.value])
        table.add_row(row.name, row.level, mark, Text(words), f"{row.seconds * 1e3:.1f}")
    legend = [
        Text.assemble((mark, _MARKS[mark]), f": {meaning}")
        for mark, meaning in shown.legend.items()
    ]
    return Group(table, *legend, Text(shown.summary, "green" if shown.ok else "bold red"))


def _bisection(shown: Bisection) -> RenderableType:
    text = Text("\n".join(shown.lines()))
    text.highlight_regex(r"(?m)^  [a-z ]{11} ", "cyan")
    text.highlight_regex(r"`[^`]*`", "green")
    text.highlight_regex(r"wrong from pass \w+", "bold red")
    return text


_DRAW = {
    **recorded.DRAW,
    LlvmHistory: _llvm_history,
    Remarks: _remarks,
    Costs: _costs,
    CodeGraph: _code_graph,
    EditedView: _level,
    EditedFunction: _edited_function,
    TextDiff: _text_diff,
    Bisection: _bisection,
    Witness: _witness,
    Explanation: _why,
    Retold: _why,
    WhyNot: _why_not,
    Fusion: _fusion,
    LoopRuns: _lifted,
    LiftedLoops: _lifted,
    Answer: _parallel,
    ParallelLoops: _parallel_loops,
    Iterations: _iterations,
    CallExplanation: _call_sites,
    ResolvedOps: _resolved,
    TypingStep: _typing_step,
    TypingSteps: _typing_steps,
    TypingWalk: _typing_walk,
    DispatchExplanation: _explanation,
    Specializations: _specializations,
    LevelView: _level,
    PassRecord: _pass,
    Recording: _compilation,
    Timings: _timings,
    Stepper: _stepper,
}


def drawn(shown: Any) -> RenderableType:
    """Return the rich renderable of an object of `inspection`, or of one that draws itself."""
    draw = next((_DRAW[cls] for cls in type(shown).__mro__ if cls in _DRAW), None)
    found: RenderableType = shown.__rich__() if draw is None else draw(shown)
    return found


def as_html(shown: Any) -> str:
    """Draw an object as HTML, with its colors and no external resources."""
    console = Console(
        record=True,
        width=112,
        file=io.StringIO(),
        force_terminal=True,
        force_jupyter=False,  # which would show it at once, beside the result
        legacy_windows=False,
    )
    console.print(drawn(shown))
    return console.export_html(inline_styles=True, code_format=_HTML)


# Notebooks break the lines of `pre` unless styled otherwise; a long one scrolls.
_PRE = "font-family:monospace;line-height:1.2;white-space:pre;overflow:auto;max-height:48em"
_HTML = (
    f'<pre style="{_PRE}">'
    '<code style="font-family:inherit;white-space:inherit">{code}</code></pre>'
)
