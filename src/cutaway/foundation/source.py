"""Locations in the source of a program, and the text of their lines.

Every op of every level carries a `Loc`, so that any line of IR, LLVM or assembly points back
to the user's text.  Lines count from 1, columns from 0 and in characters, as `ast` and
`co_positions()` count them (`co_positions` counts bytes; the frontend converts).
"""

from __future__ import annotations

import linecache
import os
import re
import sys
from types import CodeType, FunctionType
from typing import Any

from cutaway.foundation.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Through:
    """The call at which a function was inlined: the function's name, the location of the call, and
    whether the function is a generator."""

    function: str
    call: Loc
    waits: bool = False


@dataclass(frozen=True, slots=True)
class Loc:
    """A span of source text: from (line, col) up to, not including, (end_line, end_col); `through`
    is the innermost call at which it was inlined."""

    line: int
    col: int
    end_line: int
    end_col: int
    filename: str
    through: Through | None = None

    @property
    def calls(self) -> tuple[Through, ...]:
        """The calls at which it was inlined, the innermost first."""
        return () if self.through is None else (self.through, *self.through.call.calls)

    def inlined(self, through: Through) -> Loc:
        """Return the same span in a body that is inlined at a call."""
        cls = type(self)
        return cls(self.line, self.col, self.end_line, self.end_col, self.filename, through)

    def __str__(self) -> str:
        return f"{self.line}:{self.col}-{self.end_line}:{self.end_col}"


class CallSite(Loc):
    """The span of a call, for the ops of a body that replaces it, which have no source here."""

    __slots__ = ()

    @classmethod
    def of(cls, loc: Loc) -> CallSite:
        """Return the same span."""
        return cls(loc.line, loc.col, loc.end_line, loc.end_col, loc.filename, loc.through)


UNKNOWN = Loc(0, 0, 0, 0, "")


def place_of(thing: Any) -> Loc:
    """Return the location of a function's definition, or that of a class's first method; UNKNOWN
    for anything else."""
    own = vars(thing).values() if isinstance(thing, type) else (thing,)
    codes = (getattr(one, "__code__", None) for one in own)
    code = next((code for code in codes if code is not None), None)
    return UNKNOWN if code is None else head_of(code)


def head_of(code: CodeType) -> Loc:
    """Return the line of a function's `def`, which decorators may precede."""
    first = code.co_firstlineno
    if source_line(code.co_filename, first).lstrip().startswith("@"):
        for line in range(first + 1, first + _LONGEST_DECORATION):
            if source_line(code.co_filename, line).lstrip().startswith(("def ", "async def ")):
                return line_of(code.co_filename, line)
    return line_of(code.co_filename, first)


_LONGEST_DECORATION = 20  # lines of decorators that are searched for `def`


def is_ours(thing: Any) -> bool:
    """True if a function or a class belongs to this package."""
    return str(getattr(thing, "__module__", "")).partition(".")[0] == "cutaway"


def is_at_top(function: Any) -> bool:
    """True if a function belongs to this package and is a global of its module by its name."""
    if not isinstance(function, FunctionType) or not is_ours(function):
        return False
    return getattr(sys.modules.get(function.__module__), function.__name__, None) is function


_PACKAGE = os.path.join(os.path.dirname(os.path.dirname(__file__)), "")


def is_our_file(filename: str) -> bool:
    """True if a file belongs to this package."""
    return filename.startswith(_PACKAGE)


def line_of(filename: str, line: int) -> Loc:
    """Return the location of a whole line."""
    return Loc(line, 0, line, 0, filename)


def source_lines(filename: str) -> list[str]:
    """Return the lines of a file with their newlines; an empty list if it cannot be read."""
    try:
        return linecache.getlines(filename)
    except ValueError:  # a name that no file can have: with a NUL, or half a surrogate pair
        return []


def source_line(filename: str, line: int) -> str:
    """Return one line without its newline; the empty text if the source cannot be read."""
    lines = source_lines(filename)
    return lines[line - 1].rstrip("\n") if 0 < line <= len(lines) else ""


def parameter_of(head: Loc, name: str, last: int) -> Loc:
    """Return the line of a parameter, in a `def` from `head` up to the line `last`; else `head`."""
    for line in range(head.line + 1, last):
        text = source_line(head.filename, line).partition("#")[0]
        if name in text and re.search(rf"(?<![\w.]){re.escape(name)}\s*(?:[:=,)]|$)", text):
            return line_of(head.filename, line)
    return head


def mention_of(loc: Loc, name: str) -> Loc:
    """Return the location of a name in a span of several lines; the span itself, if the name is on
    its first line or absent."""
    if loc.end_line <= loc.line:
        return loc
    word = re.compile(rf"(?<![\w.]){re.escape(name)}(?!\w)")
    for line in range(loc.line, loc.end_line + 1):
        text = source_line(loc.filename, line)
        first = loc.col if line == loc.line else 0
        last = loc.end_col if line == loc.end_line else len(text)
        if match := word.search(text, first, last):
            return (
                loc
                if line == loc.line
                else Loc(line, match.start(), line, match.end(), loc.filename)
            )
    return loc


def shown_file(filename: str) -> str:
    """Return the path of a file for messages; for a notebook's cell its number, `In[3]`."""
    if "ipykernel_" not in filename:
        return filename
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    cells = getattr(getattr(shell, "compile", None), "_filename_map", {})
    return f"In[{cells[filename]}]" if filename in cells else "In[]"


def short_file(filename: str) -> str:
    """Return the name of a file without its folders; see `shown_file`."""
    return os.path.basename(shown_file(filename))


def span_text(loc: Loc) -> str:
    """Return the source text that `loc` covers, several lines joined by spaces; if it has no end,
    the rest of its line."""
    text = source_line(loc.filename, loc.line)
    if loc.end_line == loc.line and loc.end_col > loc.col:
        return text[loc.col : loc.end_col]
    lines = [text[loc.col :]]
    lines += [source_line(loc.filename, n) for n in range(loc.line + 1, loc.end_line + 1)]
    if loc.end_line > loc.line:
        lines[-1] = lines[-1][: loc.end_col]
    return " ".join(_without_comment(line).strip() for line in lines).strip()


def _without_comment(line: str) -> str:
    """Strip the comment of a line, unless the line has a string, in which `#` may be."""
    return line if "'" in line or '"' in line else line.partition("#")[0]


def caret_lines(loc: Loc) -> list[str]:
    """Return the source line and a line of carets under the span; an empty list without source."""
    text = source_line(loc.filename, loc.line)
    if not text.strip():
        return []
    if loc.end_line == loc.line and loc.end_col > loc.col:
        return _cut(text, loc.col, loc.end_col - loc.col)
    start = loc.col or len(text) - len(text.lstrip())
    return _cut(text, start, max(1, len(text) - start))


LONGEST_LINE = 160  # characters of a line that are shown


def _cut(text: str, start: int, length: int) -> list[str]:
    """Return a line and its carets, cut to `LONGEST_LINE` characters around them."""
    if len(text) > LONGEST_LINE:
        first = max(0, min(start - 40, len(text) - LONGEST_LINE))
        before, after = "... " * (first > 0), " ..." * (first + LONGEST_LINE < len(text))
        text = before + text[first : first + LONGEST_LINE] + after
        start += len(before) - first
        length = min(length, len(text) - len(after) - start)
    return [text, " " * start + "^" * max(1, length)]
