"""The keys of the viewer: `press(state, key)` returns the next state and changes nothing else."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from cutaway.foundation.dataclass import dataclass, replace
from cutaway.inspection.record.biography import variables_of
from cutaway.inspection.record.model import Line, Source
from cutaway.inspection.record.recorded import Record
from cutaway.inspection.showing.terminal.book import WHOLE, Book, Frame, Shown, Stop

NARROW = 90  # columns, below which one pane is shown at a time
SOURCE, PROGRAM, SIDE = "source", "program", "side"
HEAD = 2  # lines above the panes
SIDE_HEIGHT = 9  # lines of the pane below, with its title

HELP = (
    "left, right    the previous, the next pass (or rewrite, or pass of LLVM); also h l",
    "down, enter    into the pass: its rewrites, passes of LLVM, functions that it compiled",
    "up, backspace  back out",
    "j k, PgUp PgDn, Home End   line by line, page by page; < > sideways",
    "tab            the next pane: source, program, the one below",
    "/ text         search all passes; n and N for the next and the previous match",
    "f name         follow a variable through all passes; f alone ends it",
    "d              the changes from the previous step, or from the mark",
    "m              mark this point (again: unmark), for d",
    "t  v  g        types and reasons; values; the control flow as text",
    "a              also stop at passes that change nothing",
    "q              quit",
)


@dataclass(frozen=True, slots=True)
class State:
    """The position in the record and the current display.

    `path` goes from the passes of the function inward. `cursor` is a line of the shown program,
    `source_cursor` one of the source, from 0. `prompt` is `/` or `f` while text is typed.
    """

    book: Book
    path: tuple[Frame, ...] = (Frame(0),)
    focus: str = PROGRAM
    cursor: int = 0
    top: int = 0
    source_cursor: int = 0
    side_top: int = 0
    column: int = 0
    mode: str = "program"
    side: str = ""
    prompt: str = ""
    typed: str = ""
    search: str = ""
    follow: str = ""
    mark: tuple[Frame, ...] = ()
    show_all: bool = False
    message: str = ""
    width: int = 100
    height: int = 30
    is_done: bool = False

    # --- the display ----------------------------------------------------------------------------

    @property
    def frame(self) -> Frame:
        """The current position."""
        return self.path[-1]

    @property
    def stop(self) -> Stop:
        """The current stop."""
        return self.book.stop(self.frame)

    @property
    def here(self) -> tuple[int, int]:
        """The shown function and state."""
        return self.frame.function, self.stop.state

    @property
    def rows(self) -> tuple[Shown, ...]:
        """The lines in the pane of the program."""
        if self.mode == "diff":
            return self.book.difference(self.compared, self.here)
        if self.mode == "graph":
            return self.book.graph(*self.here)
        return self.book.program(*self.here)

    @property
    def compared(self) -> tuple[int, int]:
        """The state that a diff compares with: the mark, or the previous step."""
        if self.mark:
            frame = self.mark[-1]
            return frame.function, self.book.stop(frame).state
        return self.frame.function, self.stop.before

    @property
    def line(self) -> Line | None:
        """The line of the program under the cursor."""
        rows = self.rows
        return rows[self.cursor].line if self.cursor < len(rows) else None

    @property
    def source(self) -> Source:
        """The source of the current function."""
        return self.book.function(self.frame).source

    @property
    def source_line(self) -> int:
        """The current source line, by its number in the file, or 0."""
        if self.focus == SOURCE:
            return self.source.first_line + self.source_cursor
        if self.line is not None and self.line.span[0]:
            return self.line.span[0]
        return self.stop.span[0]

    @property
    def side_rows(self) -> tuple[str, ...]:
        """The lines in the pane below."""
        if self.side == "types":
            return self.book.types(self.frame.function, self.line, self.follow)
        if self.side == "values":
            return self.book.values(self.frame.function, self.line, self.follow)
        return HELP if self.side == "help" else ()

    @property
    def foot(self) -> int:
        """The count of lines below the panes: the description of the step, and the position."""
        return 2 if self.width >= NARROW else 4

    @property
    def side_height(self) -> int:
        """The count of lines of the pane below, with its title."""
        most = max(3, (self.height - HEAD - self.foot) // 2)
        wanted = len(HELP) + 1 if self.side == "help" else SIDE_HEIGHT
        return min(wanted, most) if self.side else 0

    @property
    def pane_height(self) -> int:
        """The count of lines of the panes."""
        return max(1, self.height - HEAD - self.foot - self.side_height)

    @property
    def panes(self) -> tuple[str, ...]:
        """The panes that can have the focus."""
        return (SOURCE, PROGRAM, SIDE) if self.side else (SOURCE, PROGRAM)


def start(record: Record, width: int = 100, height: int = 30) -> State:
    """Create the initial state: before the first pass."""
    book = Book(record)
    state = State(book, (Frame(record.position),), width=width, height=height)
    message = "right: next pass, down: into a pass, ?: all keys"
    return replace(state, message=message)


def press(state: State, key: str) -> State:
    """Return the state after a key."""
    if state.prompt:
        return _type(state, key)
    state = replace(state, message="")
    action = _KEYS.get(key)
    return state if action is None else _in_view(action(state))


def resized(state: State, width: int, height: int) -> State:
    """Return the state on a screen of another size."""
    return _in_view(replace(state, width=width, height=height))


# --- from stop to stop --------------------------------------------------------------------------


def _step(state: State, by: int) -> State:
    stops = state.book.stops(state.frame)
    index = state.frame.index + by
    while not state.show_all and 0 < index < len(stops) and stops[index].is_quiet:
        index += by
    if not 0 <= index < len(stops) or (stops[index].is_quiet and not state.show_all):
        return replace(
            state, message="this is the last step" if by > 0 else "this is the first step"
        )
    return _go(state, (*state.path[:-1], replace(state.frame, index=index)))


def _into(state: State) -> State:
    stop = state.stop
    if stop.entered >= 0:
        return _go(state, (*state.path, Frame(stop.entered)))
    if not stop.count:
        return replace(state, message=f"nothing was recorded inside {stop.title}")
    return _go(state, (*state.path, Frame(state.frame.function, state.frame.index - 1)))


def _out(state: State) -> State:
    if len(state.path) == 1:
        return replace(state, message="this is the outermost function; q quits")
    return _go(state, state.path[:-1])


def _go(state: State, path: tuple[Frame, ...]) -> State:
    """Go to another stop; the cursor stays with the operation, or with the source line."""
    line, number = state.line, state.source_line
    moved = replace(state, path=path, cursor=0, top=0)
    if moved.mode == "graph" and not moved.rows:
        moved = replace(moved, mode="program", message="the record has no graph of this program")
    return replace(moved, cursor=_same_place(moved, line, number))


def _same_place(state: State, line: Line | None, number: int) -> int:
    rows = state.rows
    if state.mode == "diff":
        return next((k for k, row in enumerate(rows) if row.sign in "+->"), 0)
    if state.frame.inside != WHOLE and state.stop.state != state.stop.before:
        changed = state.book.first_change((state.frame.function, state.stop.before), state.here)
        for k, row in enumerate(rows):
            if row.line is changed and changed is not None:
                return k
    if state.stop.span[0]:
        number = state.stop.span[0]
    elif line is not None and line.op:
        for k, row in enumerate(rows):
            if row.line is not None and row.line.op == line.op:
                return k
    if state.follow and (about := state.book.about(*state.here, state.follow)):
        return min(about)
    return _of_source(rows, number)


def _of_source(rows: tuple[Shown, ...], number: int) -> int:
    for k, row in enumerate(rows):
        if number and row.line is not None and row.line.span[0] == number:
            return k
    return 0


# --- lines --------------------------------------------------------------------------------------


def _move(state: State, by: int) -> State:
    if state.focus == SOURCE:
        end = len(state.source.lines) - 1
        cursor = max(0, min(end, state.source_cursor + by))
        moved = replace(state, source_cursor=cursor)
        row = _of_source(moved.rows, moved.source_line)
        return replace(moved, cursor=row or moved.cursor)
    if state.focus == SIDE and state.side:
        end = max(0, len(state.side_rows) - state.side_height + 1)
        return replace(state, side_top=max(0, min(end, state.side_top + by)))
    end = max(0, len(state.rows) - 1)
    return replace(state, cursor=max(0, min(end, state.cursor + by)))


def _in_view(state: State) -> State:
    """Scroll so that the cursor is on the screen."""
    end = max(0, len(state.rows) - 1)
    cursor = min(state.cursor, end)
    height = state.pane_height
    top = min(max(state.top, cursor - height + 1), cursor)
    if abs(top - state.top) > 1:  # a jump: show its surroundings too
        top = cursor - height // 2
    return replace(state, cursor=cursor, top=max(0, min(top, max(0, end + 1 - height))))


def _next_pane(state: State) -> State:
    panes = state.panes
    position = panes.index(state.focus) if state.focus in panes else 0
    focus = panes[(position + 1) % len(panes)]
    if focus == SOURCE and state.source_line:
        line = state.source_line - state.source.first_line
        cursor = max(0, min(len(state.source.lines) - 1, line))
        return replace(state, focus=focus, source_cursor=cursor)
    return replace(state, focus=focus)


# --- the display --------------------------------------------------------------------------------


def _mode(state: State, mode: str) -> State:
    if state.mode == mode:
        on_program = replace(state, mode="program", cursor=0)
        return replace(on_program, cursor=_same_place(on_program, state.line, state.source_line))
    shown = replace(state, mode=mode, cursor=0, top=0, focus=PROGRAM)
    if not shown.rows:
        return replace(state, message="the record has no graph of this program")
    if mode == "diff":
        return replace(shown, cursor=_same_place(shown, None, 0))
    return shown


def _side(state: State, side: str) -> State:
    focus = PROGRAM if state.focus == SIDE else state.focus
    return replace(state, side="" if state.side == side else side, side_top=0, focus=focus)


def _mark(state: State) -> State:
    if state.mark == state.path:
        return replace(state, mark=(), message="mark removed: d compares with the previous step")
    return replace(state, mark=state.path, message=f"marked {state.stop.title}: d compares with it")


def _all(state: State) -> State:
    word = "stops" if not state.show_all else "does not stop"
    message = f"it {word} at passes that change nothing"
    return replace(state, show_all=not state.show_all, message=message)


def _escape(state: State) -> State:
    if state.side:
        return replace(state, side="", focus=PROGRAM if state.focus == SIDE else state.focus)
    if state.mode != "program":
        return _mode(state, state.mode)
    return _out(state)


# --- text that is typed -------------------------------------------------------------------------


def _ask(state: State, prompt: str) -> State:
    return replace(state, prompt=prompt, typed="")


def _type(state: State, key: str) -> State:
    match key:
        case "enter":
            asked = replace(state, prompt="", message="")
            return _in_view(_find(asked) if state.prompt == "/" else _follow(asked))
        case "escape":
            return replace(state, prompt="", typed="")
        case "backspace":
            if not state.typed:
                return replace(state, prompt="")
            return replace(state, typed=state.typed[:-1])
        case "space":
            return replace(state, typed=state.typed + " ")
    return replace(state, typed=state.typed + key) if len(key) == 1 else state


def _find(state: State) -> State:
    if not state.typed:
        return replace(state, search="")
    return _search(replace(state, search=state.typed), 1, from_here=True)


def _search(state: State, by: int, from_here: bool = False) -> State:
    """Go to the next line with the searched text, in this stop or a later one."""
    if not state.search:
        return replace(state, message="nothing to search: press / and enter a text")
    state = state if state.mode == "program" else _mode(state, state.mode)
    for k in _matches(state, state.rows, by, state.cursor if not from_here else state.cursor - by):
        return replace(state, cursor=k, focus=PROGRAM)
    stops = state.book.stops(state.frame)
    last = state.stop.state
    for step in range(1, len(stops) + 1):
        index = (state.frame.index + by * step) % len(stops)
        if stops[index].state == last:
            continue
        last = stops[index].state
        path = (*state.path[:-1], replace(state.frame, index=index))
        there = replace(state, path=path, cursor=0, top=0, focus=PROGRAM)
        rows = there.rows
        for k in _matches(there, rows, by, -1 if by > 0 else len(rows)):
            return replace(there, cursor=k, message=f"found at {stops[index].title}")
    return replace(state, message=f"{state.search!r} was not found")


def _matches(state: State, rows: tuple[Shown, ...], by: int, start: int) -> Iterator[int]:
    text = state.search
    exact = text != text.lower()
    order = range(start + 1, len(rows)) if by > 0 else range(start - 1, -1, -1)
    for k in order:
        shown = rows[k].text
        if text in (shown if exact else shown.lower()):
            yield k


def _follow(state: State) -> State:
    name = state.typed.strip()
    if not name:
        return replace(state, follow="", message="no variable is followed")
    known = variables_of(state.book.function(state.frame))
    if name not in known:
        return replace(state, message=f"no variable {name!r}; variables: {', '.join(known)}")
    following = replace(state, follow=name, message=f"following {name}")
    about = state.book.about(*following.here, name) if following.mode == "program" else ()
    return replace(following, cursor=min(about)) if about else following


Action = Callable[[State], State]

_KEYS: dict[str, Action] = {
    "left": lambda s: _step(s, -1),
    "h": lambda s: _step(s, -1),
    "right": lambda s: _step(s, 1),
    "l": lambda s: _step(s, 1),
    "down": _into,
    "enter": _into,
    "up": _out,
    "backspace": _out,
    "escape": _escape,
    "j": lambda s: _move(s, 1),
    "k": lambda s: _move(s, -1),
    "pagedown": lambda s: _move(s, s.pane_height - 1),
    "space": lambda s: _move(s, s.pane_height - 1),
    "pageup": lambda s: _move(s, 1 - s.pane_height),
    "home": lambda s: _move(s, -1_000_000),
    "end": lambda s: _move(s, 1_000_000),
    ">": lambda s: replace(s, column=s.column + 8),
    "<": lambda s: replace(s, column=max(0, s.column - 8)),
    "tab": _next_pane,
    "/": lambda s: _ask(s, "/"),
    "f": lambda s: _ask(s, "f"),
    "n": lambda s: _search(s, 1),
    "N": lambda s: _search(s, -1),
    "d": lambda s: _mode(s, "diff"),
    "g": lambda s: _mode(s, "graph"),
    "m": _mark,
    "t": lambda s: _side(s, "types"),
    "v": lambda s: _side(s, "values"),
    "?": lambda s: _side(s, "help"),
    "a": _all,
    "q": lambda s: replace(s, is_done=True),
}
KEYS = tuple(_KEYS)
