"""Draw a state of the viewer with rich, exactly as large as the screen."""

from __future__ import annotations

import re
from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from cutaway.inspection.showing.painting import own_ir
from cutaway.inspection.showing.tables import STYLES, line_style
from cutaway.inspection.showing.terminal.book import WHOLE, Shown
from cutaway.inspection.showing.terminal.model import NARROW, PROGRAM, SIDE, SOURCE, State
from cutaway.ir.function import user_name

_BAR = "reverse"
_HERE = "bold reverse"
_LINE = "bold on grey23"  # without colors, only the gutter marks the cursor
_FOLLOWED = "bold black on green"
_FOUND = "bold black on yellow"
_GUTTER = 6  # columns
_MOST_SOURCE = 60  # columns
_NAME = re.compile(r"[A-Za-z_][\w.@]*")
_TAB = 8


def frame(state: State) -> Text:
    """Draw the whole screen."""
    panes = _panes(state)
    lines = [_title(state), _strip(state), *panes]
    if state.side:
        lines += _below(state)
    lines += [*_folded(_words(state), state), _status(state)]
    fitted = [_fit(line, state.width) for line in lines[: state.height]]
    return Text("\n", no_wrap=True, overflow="crop", end="").join(fitted)


def _fit(line: Text, width: int) -> Text:
    """Cut or pad a line to a width."""
    line = line.copy()
    line.expand_tabs(_TAB)
    line.truncate(max(0, width), overflow="ellipsis", pad=True)
    return line


# --- above --------------------------------------------------------------------------------------


def _title(state: State) -> Text:
    names = [state.book.function(state.path[0]).signature]
    for outer, inner in zip(state.path, state.path[1:]):
        stop = state.book.stop(outer)
        names.append(stop.title if inner.inside != WHOLE else state.book.function(inner).signature)
    level = state.book.point(*state.here).level
    return Text(f" [{level}] {' > '.join(names)}", _BAR)


def _strip(state: State) -> Text:
    """Draw the stops in a row, with the current one in the middle."""
    stops = state.book.stops(state.frame)
    marked = state.mark[-1] if state.mark and state.mark[:-1] == state.path[:-1] else None
    text, middle = Text(no_wrap=True), 0
    for index, stop in enumerate(stops):
        if index == state.frame.index:
            middle = len(text) + len(stop.title) // 2
        elif stop.is_quiet and not state.show_all:
            continue
        style = _HERE if index == state.frame.index else "dim" if stop.is_quiet else ""
        is_marked = marked is not None and marked.index == index
        text.append(f" {'*' if is_marked else ''}{stop.title}{'+' if stop.count else ''} ", style)
    start = max(0, min(middle - state.width // 2, len(text) - state.width))
    return text[start : start + state.width] if len(text) > state.width else text


# --- the panes ----------------------------------------------------------------------------------


def _panes(state: State) -> list[Text]:
    if state.width < NARROW:
        shown = _source if state.focus == SOURCE else _program
        return shown(state, state.width)
    widest = max((len(line) for line in state.source.lines), default=0) + 8
    left = max(24, min(widest, _MOST_SOURCE, state.width // 2 - 2))
    edge = Text(" | ", "dim")
    source, program = _source(state, left), _program(state, state.width - left - 3)
    return [Text.assemble(_fit(a, left), edge, b) for a, b in zip(source, program)]


def _source(state: State, width: int) -> list[Text]:
    source = state.source
    here = state.source_line - source.first_line
    height = state.pane_height
    top = max(0, min(here - height // 2, len(source.lines) - height))
    lines = []
    for k in range(top, top + height):
        if k >= len(source.lines):
            lines.append(Text())
            continue
        number = source.first_line + k
        gutter = _gutter(number, k == here, state.focus == SOURCE)
        line = Text.assemble(gutter, source.lines[k])
        if k == here:
            line = _fit(line, width)
            line.stylize(_LINE, len(gutter))
            _underline(line, state, k)
        if state.follow:
            _highlight(line, state.follow)
        lines.append(line)
    return lines


def _gutter(number: int, is_here: bool, has_focus: bool, is_guess: bool = False) -> Text:
    """Draw the number of a source line, in its color, with a mark at the cursor; `~36` is a guess,
    about line 36."""
    text = f"{'>' if is_here else ' '}{f'~{number}' if is_guess else number or '':>4} "
    style = "dim" if is_guess else line_style(number)
    return Text(text, f"bold reverse {style}" if is_here and has_focus else style)


def _underline(line: Text, state: State, position: int) -> None:
    """Underline the part of the source line that the operation under the cursor comes from."""
    origin = state.line
    if origin is None or state.focus == SOURCE:
        return
    first, start, last, end = origin.span
    if first == last == state.source.first_line + position and end > start:
        line.stylize("bold underline", start + 6, end + 6)


def _program(state: State, width: int) -> list[Text]:
    rows = state.rows
    language = state.book.point(*state.here).language
    height = state.pane_height
    linked = state.source_line if state.focus == SOURCE else 0
    about = frozenset[int]()
    if state.follow and state.mode == "program":
        about = state.book.about(*state.here, state.follow)
    lines = []
    for k in range(state.top, state.top + height):
        if k >= len(rows):
            lines.append(Text("~", "dim") if k == len(rows) else Text())
            continue
        is_here = k == state.cursor and state.focus != SOURCE
        line = _row(rows[k], language, state, is_here)
        origin = rows[k].line
        if is_here or (linked and origin is not None and origin.span[0] == linked):
            line = _fit(line, width)
            line.stylize(_LINE, _GUTTER)
        if state.follow and (k in about or state.mode == "diff"):
            _highlight(line, state.follow)
        if state.search:
            line.highlight_regex(f"(?i){re.escape(state.search)}", _FOUND)
        lines.append(line)
    return lines


def _row(row: Shown, language: str, state: State, is_here: bool) -> Text:
    number = row.line.span[0] if row.line is not None else 0
    is_guess = row.line is not None and row.line.near
    gutter = _gutter(number, is_here, state.focus == PROGRAM, is_guess)
    text = row.text.expandtabs(_TAB)[state.column :]
    style = STYLES.get(row.sign)
    if style is None and language == "cutaway":
        return Text.assemble(gutter, f"{row.sign} ", own_ir(text))
    return Text.assemble(gutter, (f"{row.sign} {text}", style or ""))


def _highlight(line: Text, name: str) -> None:
    """Highlight the names of a variable and its versions: `s`, `s.2`, `%s.2.14`."""
    for match in _NAME.finditer(line.plain):
        if user_name(match[0].removeprefix("arg.")) == name:
            line.stylize(_FOLLOWED, *match.span())


# --- below --------------------------------------------------------------------------------------


def _below(state: State) -> list[Text]:
    rows: Sequence[str] = state.side_rows
    titles = {"types": "types, and why", "values": "values", "help": "keys"}
    more = len(rows) - state.side_top - state.side_height + 1
    below = f"  ({more} more: tab, j)" if more > 0 else ""
    style = _HERE if state.focus == SIDE else _BAR
    lines = [_fit(Text(f" {titles[state.side]}{below}"), state.width)]
    lines[0].stylize(style)
    shown = rows[state.side_top : state.side_top + state.side_height - 1]
    lines += [Text(f" {row}") for row in shown]
    return lines + [Text()] * (state.side_height - len(lines))


def _folded(words: Text, state: State) -> list[Text]:
    """Wrap the words to the lines that are available."""
    count = state.foot - 1
    if count == 1:
        return [words]
    lines = list(words.wrap(Console(width=state.width), state.width))[:count]
    return lines + [Text()] * (count - len(lines))


def _words(state: State) -> Text:
    stop = state.stop
    if state.mode == "diff":
        diff = state.book.diff(state.compared, state.here)
        against = "the mark" if state.mark else "the previous step"
        return Text(f"{stop.title} against {against}: {diff.summary}", "bold")
    return Text(state.book.words(state.frame), "bold")


def _status(state: State) -> Text:
    if state.prompt:
        asked = {"/": "/", "f": "follow: "}[state.prompt]
        return Text(f"{asked}{state.typed}_", _BAR)
    stops = state.book.stops(state.frame)
    inside = f", down: {state.stop.count} inside" if state.stop.count else ""
    where = f"{state.frame.index + 1}/{len(stops)}{inside}"
    lines = f"line {state.cursor + 1}/{len(state.rows)}"
    following = f", following {state.follow}" if state.follow else ""
    shown = f", {state.mode}" if state.mode != "program" else ""
    message = f"  {state.message}" if state.message else "  ? keys, q quit"
    bar = f" {where}  {lines}{shown}{following} "
    return Text.assemble((bar, _BAR), (message, "bold yellow"))
