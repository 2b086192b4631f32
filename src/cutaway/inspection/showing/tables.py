"""Draw records with rich; live compilations are drawn from their records too."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from difflib import SequenceMatcher
from typing import Any

from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.table import Table
from rich.text import Text

from cutaway.inspection.record.biography import Biography
from cutaway.inspection.record.code_beside import CodeBeside
from cutaway.inspection.record.comparing import Diff, Row, as_before, bare, only_typed, signed
from cutaway.inspection.record.comparison import Comparison, Difference
from cutaway.inspection.record.points import Point
from cutaway.inspection.record.reading import Reading
from cutaway.inspection.record.recorded import Decisions, Record, RecordedPass, RecordedValues
from cutaway.inspection.record.retold import RetoldSteps
from cutaway.inspection.record.summaries import failure_text
from cutaway.inspection.showing.painting import own_ir, panel

WIDE = 110  # columns, from which two programs fit side by side
TABLE_WIDTH = 76  # columns that the table of passes needs
SOURCE_WIDTH = 50
_LINES = ("cyan", "yellow", "green", "magenta", "blue")
STYLES = {"-": "red", "+": "green", ">": "blue", "@": "cyan"}
_WORDS = re.compile(r"\s+|\w+|\W")


def table(title: str, *headings: str, right: Sequence[str] = ()) -> Table:
    """Make an empty table; the columns of `right` are numbers."""
    result = Table(title=Text(title, "bold"), title_justify="left")
    for heading in headings:
        result.add_column(heading, justify="right" if heading in right else "left", overflow="fold")
    return result


# A row of a compilation: the pass, its stage, the level after it ("" if it failed), whether it
# changed something, the number of its rewrites, and its own seconds.
PassRow = tuple[str, str, str, bool, int, float]


def passes(
    signature: str, rows: Sequence[PassRow], failure: str, notes: Sequence[object] = ()
) -> RenderableType:
    """Draw a compilation: a row for each pass, and general notes below."""
    drawn = DrawnPasses(signature, rows)
    below = [Text(str(note), "yellow") for note in notes]
    if failure:
        below.append(Text(failure, "red"))
    return Group(drawn, *below) if below else drawn


class DrawnPasses:
    """The rows as a table, or, in narrow terminals, as a line for each pass."""

    def __init__(self, signature: str, rows: Sequence[PassRow]) -> None:
        self.signature = signature
        self.rows = rows

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        if options.max_width >= TABLE_WIDTH:
            yield self._table()
            return
        yield Text(self.signature, "bold", overflow="fold")
        for name, _, level, is_changed, _, seconds in self.rows:
            words = "changed, " if is_changed else ""
            line = Text(f"{name}: {words}{seconds * 1e3:.2f} ms", "" if is_changed else "dim")
            yield line if level else Text(f"{name}: failed", "red")

    def _table(self) -> Table:
        headings = ("pass", "stage", "level", "changed", "rewrites", "ms")
        result = table(self.signature, *headings, right=("rewrites", "ms"))
        for name, stage, level, is_changed, rewrites, seconds in self.rows:
            result.add_row(
                name,
                stage,
                level or Text("failed", "red"),
                "yes" if is_changed else "",
                str(rewrites or ""),
                f"{seconds * 1e3:.2f}",
            )
        return result


def record(shown: Record) -> RenderableType:
    """Draw a record."""
    rows = [
        (one.name, one.stage, one.level, one.changed, len(one.rewrites), one.own_seconds)
        for one in shown.passes
    ]
    failure = "" if shown.error is None else failure_text(shown.error)
    return passes(shown.signature, rows, failure)


def recorded_pass(shown: RecordedPass) -> RenderableType:
    """Draw a pass: its reports and its changes."""
    parts: list[RenderableType] = [Text(str(shown), "bold")]
    for number, one in enumerate(shown.rewrites, 1):
        note = f": {one.note}" if one.note else ""
        where = f"  [line {one.span[0]}]" if one.span[0] else ""
        parts.append(Text(f"  {number:>3} {one.rule}{note}{where}"))
    if shown.decisions:
        parts.append(decisions(shown.decisions))
    if shown.failed:
        parts.append(Text("failed", "red"))
    elif shown.diff().translates:
        parts.append(DrawnPoint(shown.points[1]))
    elif shown.changed:
        parts.append(DrawnDiff(shown.diff()))
    return Group(*parts)


class DrawnPoint:
    """A program at a point: beside its source if that is known and fits."""

    def __init__(self, shown: Point) -> None:
        self.shown = shown

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        shown = self.shown
        linked = any(line.span[0] for line in shown.lines) and shown.language != "python"
        if options.max_width >= WIDE and linked:
            yield Text(shown.heading, "bold")
            yield beside_source(shown)
        else:
            yield panel(shown.heading, shown.text, shown.language)


def beside_source(shown: Point) -> Table:
    """Draw each line of a program beside its source line, in the color of that line; each source
    line is written once per run of its lines."""
    source = shown.function.source
    result = Table.grid(padding=(0, 1))
    result.add_column(justify="right")
    result.add_column(max_width=SOURCE_WIDTH, overflow="fold")
    result.add_column()
    result.add_column(overflow="fold")
    last = 0
    for line in shown.lines:
        number = line.span[0]
        style = line_style(number)
        text = ""
        if number and number != last and 0 <= number - source.first_line < len(source.lines):
            text = source.lines[number - source.first_line]
        result.add_row(
            Text(str(number) if text else "", style),
            Text(text, style),
            Text("|", style if number else "dim"),
            painted(bare(line.text, shown.language), shown.language),
        )
        last = number or last
    return result


def line_style(number: int) -> str:
    """Return the color of a source line."""
    return _LINES[number % len(_LINES)] if number else "dim"


def painted(text: str, language: str) -> Text:
    """Color a line of a program."""
    return own_ir(text) if language == "cutaway" else Text(text, overflow="fold")


def reading(shown: Reading) -> RenderableType:
    """Draw a compilation in full: the table of its passes, and the changes of each."""
    parts: list[RenderableType] = [record(shown.record)]
    for chapter in shown.chapters():
        style = "dim" if chapter.words == "changed nothing" else "bold"
        words = f": {chapter.words}", "dim" if style == "dim" else ""
        parts.append(Text.assemble((f"\n{chapter.names}", style), words))
        if chapter.is_shown:
            parts.append(DrawnDiff(chapter.passes[0].diff(), has_title=False))
    return Group(*parts)


# --- differences --------------------------------------------------------------------------------


class DrawnDiff:
    """A diff: side by side if that fits, else as one column."""

    def __init__(self, shown: Diff, has_title: bool = True) -> None:
        self.shown = shown
        self.has_title = has_title

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        shown = self.shown
        if self.has_title:
            yield Text.assemble((shown.title, "bold"), f": {shown.summary}")
        if shown.same:
            return
        if options.max_width >= WIDE and not shown.translates:
            yield beside(shown)
        else:
            yield below(shown)


def beside(shown: Diff) -> Table:
    """Draw the two programs side by side, without distant equal lines."""
    result = Table.grid(expand=True, padding=(0, 1))
    result.add_column(ratio=1, overflow="fold")
    result.add_column(ratio=1, overflow="fold")
    language = shown.after.language
    for skipped, rows in shown.hunks():
        if skipped:
            result.add_row(Text(f"... {as_before(skipped)}", "cyan"), "")
        for row in rows:
            result.add_row(*_two(row, language))
    return result


def _two(row: Row, language: str) -> tuple[Text, Text]:
    old = "" if row.old is None else bare(row.old.text, language)
    new = "" if row.new is None else bare(row.new.text, language)
    match row.kind:
        case "removed":
            return Text(f"- {old}", STYLES["-"]), Text()
        case "added":
            return Text(), Text(f"+ {new}", STYLES["+"])
        case "moved":
            return Text(), Text(f"> {new}", STYLES[">"])
        case "changed" if only_typed(row):
            return Text(f"  {old}"), Text.assemble("  ", old, (new.removeprefix(old), "yellow"))
        case "changed":
            left, right = marked(old, new)
            return Text.assemble("- ", left, style=STYLES["-"]), Text.assemble(
                "+ ", right, style=STYLES["+"]
            )
    return Text(f"  {old}"), Text(f"  {new}")


def below(shown: Diff) -> Text:
    """Draw a diff as one column."""
    text = Text(overflow="fold")
    language = shown.after.language
    for skipped, rows in shown.hunks():
        if skipped:
            text.append(f"... {as_before(skipped)}\n", STYLES["@"])
        for row in rows:
            for sign, line in signed(row):
                text.append(f"{sign} {bare(line, language)}".rstrip() + "\n", STYLES.get(sign, ""))
    text.right_crop(1)
    return text


def marked(old: str, new: str) -> tuple[Text, Text]:
    """Mark the words of two lines that differ."""
    a, b = _WORDS.findall(old), _WORDS.findall(new)
    left, right = Text(style=STYLES["-"]), Text(style=STYLES["+"])
    for tag, i1, i2, j1, j2 in SequenceMatcher(None, a, b, autojunk=False).get_opcodes():
        strong = "" if tag == "equal" else "bold underline"
        left.append("".join(a[i1:i2]), strong)
        right.append("".join(b[j1:j2]), strong)
    return left, right


def comparison(shown: Comparison) -> RenderableType:
    """Draw two compilations: a table for each kind of difference."""
    left, right = shown.left.signature, shown.right.signature
    parts: list[RenderableType] = [Text(f"{left} | {right}", "bold")]
    for title, rows in shown.sections():
        if rows:
            parts.append(_differences(title, rows))
    levels = table("levels", "level", "difference")
    for level, words in shown.levels():
        levels.add_row(level, Text(words, "dim" if words == "nothing differs" else ""))
    return Group(*parts, levels)


def code_of_both(shown: CodeBeside) -> RenderableType:
    """Draw the code of two compilations: their instructions below each source line."""
    result = table("", "line", shown.left, shown.right)
    for row in shown:
        style = line_style(row.line)
        source = Text(row.source, style)
        result.add_row(Text(str(row.line or ""), style), source, "")
        result.add_row("", Text("\n".join(row.left)), Text("\n".join(row.right)), end_section=True)
    return result


def _differences(title: str, rows: Sequence[Difference]) -> Table:
    result = table(title, "", "left", "right", *([""] if any(row.note for row in rows) else []))
    for row in rows:
        cells = [row.subject, Text(row.left or "-"), Text(row.right or "-")]
        if len(result.columns) > 3:
            cells.append(Text(row.note, "yellow"))
        result.add_row(*cells)
    return result


# --- values, decisions, types -------------------------------------------------------------------


def biography(shown: Biography) -> RenderableType:
    """Draw the life of a variable."""
    result = table(f"{shown.name} of {shown.function}", "when", "what")
    last = ""
    for when, what in shown.rows():
        result.add_row("" if when == last else when, Text(what))
        last = when
    return result


def values(shown: RecordedValues) -> RenderableType:
    """Draw the observed values."""
    title = f"{shown.function.signature}: {shown.outcome or shown.function.values.note}"
    result = table(title, "value of", "where", "times", "values", right=("times",))
    for row in shown.rows():
        result.add_row(*map(Text, row))
    return result


def decisions(shown: Decisions) -> RenderableType:
    """Draw decisions and their reasons."""
    result = table(shown.function.signature, "line", "by", "subject", "verdict", "reason", "hint")
    for one in shown:
        style = "green" if one.verdict == "done" else "yellow"
        line = str(one.span[0] or "")
        verdict = Text(one.verdict, style)
        result.add_row(line, one.by, Text(one.subject), verdict, Text(one.reason), Text(one.hint))
    return result


def steps(shown: RetoldSteps) -> RenderableType:
    """Draw type inference, step by step."""
    result = table(repr(shown), "", "constraint", "variable", "before", "after")
    for step in shown:
        for change in step.changes:
            row = (step.constraint, change.variable, change.old, change.new)
            result.add_row(str(step.number), *map(Text, row))
    return result


DRAW: dict[type, Callable[[Any], RenderableType]] = {
    Record: record,
    RecordedPass: recorded_pass,
    Point: DrawnPoint,
    Reading: reading,
    Diff: DrawnDiff,
    Comparison: comparison,
    CodeBeside: code_of_both,
    Biography: biography,
    RecordedValues: values,
    Decisions: decisions,
    RetoldSteps: steps,
}
