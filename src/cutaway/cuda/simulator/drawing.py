"""The report of a simulated launch, drawn with rich."""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from cutaway.cuda.simulator.report import Access, Race, Remark, SimulationReport, shown_index
from cutaway.foundation.source import short_file, source_line


def drawn(report: SimulationReport) -> RenderableType:
    """Draw the whole report: counts, each race in a frame, remarks as a table."""
    parts: list[RenderableType] = [Text(report.headline, "bold red" if report else "bold")]
    parts += [_race(race) for race in report.shown_races]
    parts += [Text(report.more_races)] if report.more_races else []
    if report.remarks:
        parts.append(_remarks(report.remarks))
    return Group(*parts)


def _race(race: Race) -> RenderableType:
    rows = Table.grid(padding=(0, 2))
    for access in race.accesses:
        rows.add_row(*_access(access))
    body = Group(rows, Text(f"hint: {race.hint}", "italic"))
    return Panel(body, title=Text(race.lines[0], "red"), title_align="left", expand=False)


def _access(access: Access) -> tuple[Text, Text, Text, Text]:
    thread, block = shown_index(access.thread), shown_index(access.block)
    loc = access.loc
    text = source_line(loc.filename, loc.line)
    code = Text(text.strip())
    first = len(text) - len(text.lstrip())
    if loc.end_line == loc.line and loc.end_col > loc.col:
        code.stylize("bold underline", loc.col - first, loc.end_col - first)
    return (
        Text(f"thread {thread} of block {block}"),
        Text(access.verb, "bold"),
        Text(f"{short_file(loc.filename)}:{loc.line}", "dim"),
        code,
    )


def _remarks(remarks: tuple[Remark, ...]) -> RenderableType:
    table = Table(box=None, padding=(0, 2), title="access patterns", title_justify="left")
    for name in ("line", "array", "remark", "source"):
        table.add_column(name)
    for one in remarks:
        source = source_line(one.loc.filename, one.loc.line).strip()
        table.add_row(str(one.loc.line), one.name, Text(one.what), Text(source, "dim"))
    return table
