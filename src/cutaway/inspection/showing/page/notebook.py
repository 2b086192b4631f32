"""The notebook display: the page in a frame, with the data of one object.

The frame is self-contained, so that a saved notebook shows it without a kernel and without a
network. Below it is the same content as text, for viewers that remove frames.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from cutaway.foundation.dataclass import replace
from cutaway.inspection.explaining.typing_steps import TypingSteps
from cutaway.inspection.observers.timings import Timing, Timings
from cutaway.inspection.record.comparing import Diff
from cutaway.inspection.record.making import made_with, part_of
from cutaway.inspection.record.model import FunctionRecord, PassEntry, Plain, RecordData
from cutaway.inspection.record.recorded import Record
from cutaway.inspection.recording.recording import LevelView, PassRecord, Recording
from cutaway.inspection.showing.page.page import page_text
from cutaway.ir.levels import Level

if TYPE_CHECKING:
    from cutaway.stages.unit import CompileUnit

LIFTING = "lift_loops"  # the pass whose nested functions are lifted loops
MOST = 1_000_000  # characters of a compressed frame, 50_000 of them the app


# Notebooks' own styles break the lines of `pre` and choose another font.
_PLAIN = "font-family:monospace;white-space:pre;overflow:auto;max-height:60em"


def framed(page: str, text: str, title: str, height: int = 480) -> str:
    """Put a page into a notebook's frame, followed by its text for viewers without frames."""
    style = f"width:100%;height:{height}px;border:1px solid #8886;border-radius:6px"
    return (
        f'<iframe srcdoc="{html.escape(page)}" title="{html.escape(title)}" style="{style}"'
        ' sandbox="allow-scripts allow-downloads" loading="lazy"></iframe>'
        f"<details><summary>{html.escape(title)}, as text</summary>"
        f'<pre style="{_PLAIN}">{html.escape(text)}</pre></details>'
    )


def shown(thing: object, **options: Plain) -> str | None:
    """Show an object of inspection as HTML; None if it has no page.

    `options` are those of `page_text`.
    """
    text = str(thing)
    match thing:
        case Recording() | Record():
            chosen = {"at": "build_ir", **options}
            record = thing.record if isinstance(thing, Recording) else thing
            source = "\n".join(record.function.source.lines)
            return framed(_fitting(record, chosen), f"{source}\n\n{text}", thing.signature, 520)
        case LevelView():
            data, chosen = _of_level(thing)
            title = f"{thing.unit.name} at level {thing.level}"
            return framed(_page(data, chosen | options), text, title, _height(data, 62))
        case PassRecord():
            data = _of_pass(thing)
            title = f"{thing.name}, {thing.unit_before.name}"
            page = _page(data, {"at": thing.name, "still": True})
            return framed(page, text, title, _height(data, 170))
        case TypingSteps() if thing.unit is not None:
            data = _of_steps(thing.unit, thing)
            chosen = {"at": "infer_types/1", "panel": "types"}
            return framed(_page(data, chosen), text, repr(thing).strip("<>"), _height(data, 190))
        case Timings():
            return _bars(thing)
        case Diff():
            return _marked(thing)
    return None


def _page(data: RecordData, options: dict[str, Plain]) -> str:
    return page_text(data, compact=True, **options)


def _height(data: RecordData, around: int) -> int:
    """The height of a frame in pixels: as many lines as its longest text, between 8 and 30."""
    main = data.functions[0]
    sizes = [len(main.source.lines)]
    for step in main.passes:
        before, after = main.states[step.before], main.states[step.after]
        gone = before.language == after.language and step.before != step.after
        lines = [line.text for line in after.lines if not _UNSEEN.match(line.text)]
        sizes.append(len(lines) + (max(0, len(before.lines) - len(lines)) if gone else 0))
    return around + 19 * min(30, max(8, max(sizes)))


_UNSEEN = re.compile(r"\s*[.#;!]|\s*$|declare |target |source_filename|attributes ")


# --- a compilation ------------------------------------------------------------------------------

Functions = tuple[FunctionRecord, ...]


def _fitting(record: Record, options: dict[str, Plain]) -> str:
    """Return the page of a record, as much as a frame holds; it names the missing parts."""
    functions = _family(record.data.functions, record.position, lambda step: True)
    lacks = functions[0].left_out
    missing: list[str] = []
    text = _page(RecordData(record.data.made_with, functions), options)
    for part, without in _FEWER:
        if len(text) <= MOST:
            break
        fewer = without(functions)
        if fewer != functions:
            missing.append(part)
            notice = _NOTICE.format(MOST / 1e6, ", ".join(missing), functions[0].name)
            functions = (replace(fewer[0], left_out=(*lacks, notice)), *fewer[1:])
            text = _page(RecordData(record.data.made_with, functions), options)
    return text


_NOTICE = (
    "A notebook's frame holds {:g} MB. Left out: {}."
    ' `c.report("{}.html")` writes a page with everything.'
)


def _family(
    functions: Functions, position: int, followed: Callable[[PassEntry], bool]
) -> Functions:
    """Return a function and those compiled during the passes that are followed, renumbered."""
    order, new = [position], {position: 0}
    for number in order:
        for step in functions[number].passes:
            for inner in step.nested if followed(step) else ():
                new[inner] = len(order)
                order.append(inner)
    return tuple(_renumbered(functions[number], new) for number in order)


def _renumbered(function: FunctionRecord, new: Mapping[int, int]) -> FunctionRecord:
    passes = tuple(
        replace(step, nested=tuple(new[k] for k in step.nested if k in new))
        for step in function.passes
    )
    return replace(function, parent=new.get(function.parent, -1), passes=passes)


def _without_callees(functions: Functions) -> Functions:
    """Keep the loops lifted out of a function in object mode: they are parts of the function."""
    return _family(functions, 0, lambda step: step.name == LIFTING)


def _without_llvm_passes(main: FunctionRecord) -> FunctionRecord:
    return _with_states_of_passes(replace(main, llvm=()))


def _with_flows(main: FunctionRecord) -> FunctionRecord:
    positions: dict[int, int] = {}
    states = tuple(
        replace(state, graphs={"cfg": positions.setdefault(state.graphs["cfg"], len(positions))})
        if state.language == "cutaway" and "cfg" in state.graphs
        else replace(state, graphs={})
        for state in main.states
    )
    return replace(main, states=states, graphs=tuple(main.graphs[k] for k in positions))


def _without_graphs(main: FunctionRecord) -> FunctionRecord:
    states = tuple(replace(state, graphs={}) for state in main.states)
    return replace(main, states=states, graphs=())


def _without_rewrites(main: FunctionRecord) -> FunctionRecord:
    """Return the function's record with its rewrites, but without the program after each."""
    passes = tuple(
        replace(step, rewrites=tuple(replace(one, state=-1) for one in step.rewrites))
        for step in main.passes
    )
    return _with_states_of_passes(replace(main, passes=passes))


def _without_steps(main: FunctionRecord) -> FunctionRecord:
    """The function's record without the steps of inference, with only the first values of user
    variables."""
    seen = tuple(
        replace(one, values=one.values[:4])
        for one in main.values.seen
        if not one.name.startswith("$")
    )
    few = replace(main, values=replace(main.values, seen=seen))
    return replace(few, steps=(), explanations={}, remarks=(), types={})


def _without_native(main: FunctionRecord) -> FunctionRecord:
    """Drop LLVM IR and machine code."""
    own = [k for k, state in enumerate(main.states) if state.language not in ("llvm", "gas", "ptx")]
    passes = tuple(step for step in main.passes if {step.before, step.after} <= set(own))
    return _with_states_of_passes(replace(main, passes=passes))


def _each(change: Callable[[FunctionRecord], FunctionRecord]) -> Callable[[Functions], Functions]:
    return lambda functions: tuple(map(change, functions))


# The parts that a frame omits, in this order, until it fits.
_FEWER: tuple[tuple[str, Callable[[Functions], Functions]], ...] = (
    ("the functions that it calls", _without_callees),
    ("the passes within LLVM", _each(_without_llvm_passes)),
    ("graphs other than control flow", _each(_with_flows)),
    ("the program after each single rewrite", _each(_without_rewrites)),
    ("control-flow graphs", _each(_without_graphs)),
    ("the steps of type inference and the values of temporaries", _each(_without_steps)),
    ("LLVM IR and machine code", _each(_without_native)),
    ("its lifted loops", lambda functions: _family(functions, 0, lambda step: False)),
)


def _with_states_of_passes(main: FunctionRecord) -> FunctionRecord:
    """Drop the states that no pass and no rewrite refers to."""
    used = {0}
    for step in main.passes:
        used |= {step.before, step.after, *(one.state for one in step.rewrites)}
    kept = sorted(used - {-1})
    new = {-1: -1} | {old: k for k, old in enumerate(kept)}
    passes = tuple(
        replace(
            step,
            before=new[step.before],
            after=new[step.after],
            rewrites=tuple(replace(one, state=new[one.state]) for one in step.rewrites),
        )
        for step in main.passes
    )
    return replace(main, passes=passes, states=tuple(main.states[k] for k in kept))


# --- a part of one ------------------------------------------------------------------------------


def _part(
    units: Sequence[CompileUnit], steps: TypingSteps | None = None
) -> tuple[FunctionRecord, tuple[int, ...]]:
    stepped = () if steps is None else tuple(one.step for one in steps)
    return part_of(Recording(units[0]), units, stepped)


def _of_level(view: LevelView) -> tuple[RecordData, dict[str, Plain]]:
    main, (last,) = _part([view.unit])
    if view.view.level is Level.source:
        return RecordData(made_with(view.unit), (main,)), {"bare": True}
    entry = PassEntry(view.level, "", "", 0, last, True)
    columns: list[Plain] = ["source", view.level]
    options = {"bare": True, "view": "levels", "columns": columns, "at": view.level}
    return RecordData(made_with(view.unit), (replace(main, passes=(entry,)),)), options


def _of_pass(record: PassRecord) -> RecordData:
    after = record.unit_after
    main, at = _part([record.unit_before, after or record.unit_before])
    step = record.step
    failed = after is None
    entry = PassEntry(step.name, step.stage, step.summary, *at, record.changed, failed)  # type: ignore[call-arg]
    timed = replace(entry, seconds=record.seconds, own_seconds=record.own_seconds)
    return RecordData(made_with(record.unit_before), (replace(main, passes=(timed,)),))


def _of_steps(unit: CompileUnit, steps: TypingSteps) -> RecordData:
    main, (at,) = _part([unit], steps)
    summary = "Infer the type of every variable, one instruction at a time"
    entry = PassEntry("infer_types", "4 types", summary, at, at, True)
    types = {event.variable: str(event.new) for one in steps for event in one.changes}
    return RecordData(made_with(unit), (replace(main, passes=(entry,), types=types),))


# --- times --------------------------------------------------------------------------------------


def _bars(timings: Timings) -> str:
    """Return a table with a bar for each pass, without scripts."""
    rows = timings.folded()
    most = max((row.own_seconds for row in rows), default=0.0) or 1.0
    body = "".join(_bar(row, most) for row in rows)
    caption = f"<caption>{timings.total * 1e3:.2f} ms total; each pass shows its own time</caption>"
    return f"<table>{caption}<tbody>{body}</tbody></table>"


def _bar(row: Timing, most: float) -> str:
    """Return a row of the table: a function has the time of all its passes, and no bar."""
    title = html.escape(row.title)
    left = f"text-align:left;padding-left:{20 * row.level + 4}px"
    if row.kind == "function":
        number = f'<td style="text-align:right"><b>{row.seconds * 1e3:.3f} ms</b></td>'
        return f'<tr><td style="{left}"><b>{title}</b></td>{number}<td></td></tr>'
    faint = ";opacity:0.75" if row.kind == "llvm" else ""
    width = max(1, round(100 * row.own_seconds / most))
    bar = f"width:{width}%;min-width:1px;height:9px;background:#3f8fa8;border-radius:2px"
    return (
        f'<tr><td style="{left}{faint}">{title}</td>'
        f'<td style="text-align:right{faint}">{row.own_seconds * 1e3:.3f} ms</td>'
        f'<td style="width:16em"><div style="{bar}"></div></td></tr>'
    )


# --- differences --------------------------------------------------------------------------------


def _marked(diff: Diff) -> str:
    """Return a diff with colored lines, without scripts; a long one scrolls."""
    head = f"<div><b>{html.escape(diff.title)}</b>: {html.escape(diff.summary)}</div>"
    lines = []
    for line in str(diff).splitlines()[1:]:
        color = _COLORS.get(line[:1])
        text = html.escape(_REPEATED.sub("", line)) or " "
        style = f"display:block;background:{color}" if color else "display:block"
        lines.append(f'<span style="{style}">{text}</span>')
    box = f"{_PLAIN};line-height:1.35;max-height:36em;margin:4px 0"
    return f'{head}<pre style="{box}">{"".join(lines)}</pre>'


# The end of a line of our IR, which repeats its variables.
_REPEATED = re.compile(r"\s+\[('[^']*'(, )?)*\]$")
_COLORS = {"+": "#2ea04333", "-": "#d7373733", ">": "#c98a0033"}
