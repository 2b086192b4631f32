"""What records show, drawn with rich: the one projection that a live compilation is drawn from
too."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from difflib import SequenceMatcher
from typing import Any

from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.table import Table
from rich.text import Text

from cutaway.inspection.biography import Biography
from cutaway.inspection.comparing import Diff, Row, bare, signed
from cutaway.inspection.comparison import Comparison, Difference
from cutaway.inspection.painting import panel
from cutaway.inspection.points import Point
from cutaway.inspection.recorded import Decisions, Record, RecordedPass, RecordedValues
from cutaway.inspection.retold import RetoldSteps
from cutaway.inspection.summaries import failure_text

WIDE = 110  # columns, from where on two programs fit beside each other
STYLES = {"-": "red", "+": "green", ">": "blue", "@": "cyan"}
_WORDS = re.compile(r"\s+|\w+|\W")


def table(title: str, *headings: str, right: Sequence[str] = ()) -> Table:
    """An empty table; the columns of `right` are numbers."""
    made = Table(title=Text(title, "bold"), title_justify="left")
    for heading in headings:
        made.add_column(heading, justify="right" if heading in right else "left", overflow="fold")
    return made


def record(shown: Record) -> RenderableType:
    """A compilation: a row for each pass."""
    headings = ("pass", "stage", "level", "changed", "rewrites", "ms")
    made = table(shown.signature, *headings, right=("rewrites", "ms"))
    for one in shown.passes:
        made.add_row(
            one.name,
            one.stage,
            Text("failed", "red") if one.failed else one.level,
            "yes" if one.changed else "",
            str(len(one.rewrites) or ""),
            f"{one.own_seconds * 1e3:.2f}",
        )
    if shown.error is None:
        return made
    return Group(made, Text(failure_text(shown.error), "red"))


def recorded_pass(shown: RecordedPass) -> RenderableType:
    """A pass: what it reported, and what it changed."""
    parts: list[RenderableType] = [Text(str(shown), "bold")]
    for number, one in enumerate(shown.rewrites, 1):
        note = f": {one.note}" if one.note else ""
        where = f"  [line {one.span[0]}]" if one.span[0] else ""
        parts.append(Text(f"  {number:>3} {one.rule}{note}{where}"))
    if shown.decisions:
        parts.append(decisions(shown.decisions))
    before, after = shown.points
    if shown.failed:
        parts.append(Text("failed", "red"))
    elif before.language != after.language:
        parts.append(point(after))
    elif shown.changed:
        parts.append(DrawnDiff(shown.diff()))
    return Group(*parts)


def point(shown: Point) -> RenderableType:
    """A program at a moment."""
    return panel(shown.heading, shown.text, shown.language)


# --- differences --------------------------------------------------------------------------------


class DrawnDiff:
    """A diff: side by side where that fits, else one line below the other."""

    def __init__(self, shown: Diff) -> None:
        self.shown = shown

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        shown = self.shown
        yield Text(shown.title, "bold") + Text(f": {shown.summary}")
        if shown.same:
            return
        if options.max_width >= WIDE and shown.before.language == shown.after.language:
            yield beside(shown)
        else:
            yield below(shown)


def beside(shown: Diff) -> Table:
    """The two programs side by side, without what is the same far around."""
    made = Table.grid(expand=True, padding=(0, 1))
    made.add_column(ratio=1, overflow="fold")
    made.add_column(ratio=1, overflow="fold")
    language = shown.after.language
    for skipped, rows in shown.hunks():
        if skipped:
            made.add_row(Text(f"... {skipped} lines as before", "cyan"), "")
        for row in rows:
            made.add_row(*_two(row, language))
    return made


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
        case "changed":
            left, right = marked(old, new)
            return Text("- ", STYLES["-"]) + left, Text("+ ", STYLES["+"]) + right
    return Text(f"  {old}"), Text(f"  {new}")


def below(shown: Diff) -> Text:
    """One line below the other."""
    text = Text(overflow="fold")
    language = shown.after.language
    for skipped, rows in shown.hunks():
        if skipped:
            text.append(f"... {skipped} lines as before\n", STYLES["@"])
        for row in rows:
            for sign, line in signed(row):
                text.append(f"{sign} {bare(line, language)}".rstrip() + "\n", STYLES.get(sign, ""))
    text.right_crop(1)
    return text


def marked(old: str, new: str) -> tuple[Text, Text]:
    """Two lines with the words marked that differ."""
    a, b = _WORDS.findall(old), _WORDS.findall(new)
    left, right = Text(style=STYLES["-"]), Text(style=STYLES["+"])
    for tag, i1, i2, j1, j2 in SequenceMatcher(None, a, b, autojunk=False).get_opcodes():
        strong = "" if tag == "equal" else "bold reverse"
        left.append("".join(a[i1:i2]), strong)
        right.append("".join(b[j1:j2]), strong)
    return left, right


def comparison(shown: Comparison) -> RenderableType:
    """Two compilations: a table for each kind of difference."""
    left, right = shown.left.signature, shown.right.signature
    parts: list[RenderableType] = [Text(f"{left} | {right}", "bold")]
    for title, rows in shown.sections():
        if rows:
            parts.append(_differences(title, rows))
    levels = table("levels", "level", "difference")
    for level, words in shown.levels():
        levels.add_row(level, Text(words, "dim" if words == "nothing differs" else ""))
    return Group(*parts, levels)


def _differences(title: str, rows: Sequence[Difference]) -> Table:
    made = table(title, "", "left", "right", *([""] if any(row.note for row in rows) else []))
    for row in rows:
        cells = [row.subject, Text(row.left or "-"), Text(row.right or "-")]
        if len(made.columns) > 3:
            cells.append(Text(row.note, "yellow"))
        made.add_row(*cells)
    return made


# --- values, decisions, types -------------------------------------------------------------------


def biography(shown: Biography) -> RenderableType:
    """The life of a variable."""
    made = table(f"{shown.name} of {shown.function}", "when", "what")
    last = ""
    for when, what in shown.rows():
        made.add_row("" if when == last else when, Text(what))
        last = when
    return made


def values(shown: RecordedValues) -> RenderableType:
    """The values seen."""
    title = f"{shown.function.signature}: {shown.outcome or shown.function.values.note}"
    made = table(title, "value of", "where", "times", "values", right=("times",))
    for row in shown.rows():
        made.add_row(*map(Text, row))
    return made


def decisions(shown: Decisions) -> RenderableType:
    """Decisions and their reasons."""
    made = table(shown.function.signature, "line", "by", "subject", "verdict", "reason", "hint")
    for one in shown:
        style = "green" if one.verdict == "done" else "yellow"
        line = str(one.span[0] or "")
        verdict = Text(one.verdict, style)
        made.add_row(line, one.by, Text(one.subject), verdict, Text(one.reason), Text(one.hint))
    return made


def steps(shown: RetoldSteps) -> RenderableType:
    """Type inference, step by step."""
    made = table(repr(shown), "", "constraint", "variable", "before", "after")
    for step in shown:
        for change in step.changes:
            row = (step.constraint, change.variable, change.old, change.new)
            made.add_row(str(step.number), *map(Text, row))
    return made


DRAW: dict[type, Callable[[Any], RenderableType]] = {  # Any: the class of the key
    Record: record,
    RecordedPass: recorded_pass,
    Point: point,
    Diff: DrawnDiff,
    Comparison: comparison,
    Biography: biography,
    RecordedValues: values,
    Decisions: decisions,
    RetoldSteps: steps,
}
