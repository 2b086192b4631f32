"""Places in the source of a program: spans and the lines they name.

Every op of every level carries a `Loc`, so that any line of IR, LLVM or assembly points back
to the user's text.  Lines count from 1, columns from 0 and in characters, as `ast` and
`co_positions()` count them (`co_positions` gives bytes; the frontend converts).
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
    """The call whose place the body of a function took: the function's name, where the call is, and
    whether it is a generator."""

    function: str
    call: Loc
    waits: bool = False


@dataclass(frozen=True, slots=True)
class Loc:
    """A span of source text: from (line, col) up to, not including, (end_line, end_col); `through`
    is what it was inlined through."""

    line: int
    col: int
    end_line: int
    end_col: int
    filename: str
    through: Through | None = None

    @property
    def calls(self) -> tuple[Through, ...]:
        """All that it was inlined through, the innermost first."""
        return () if self.through is None else (self.through, *self.through.call.calls)

    def inlined(self, through: Through) -> Loc:
        """The same place in a body that takes the place of a call."""
        return Loc(self.line, self.col, self.end_line, self.end_col, self.filename, through)

    def __str__(self) -> str:
        return f"{self.line}:{self.col}-{self.end_line}:{self.end_col}"


UNKNOWN = Loc(0, 0, 0, 0, "")


def place_of(thing: Any) -> Loc:
    """The place where a function is defined, or a class by one of its methods; UNKNOWN where that
    is not known."""
    own = vars(thing).values() if isinstance(thing, type) else (thing,)
    codes = (getattr(one, "__code__", None) for one in own)
    code = next((code for code in codes if code is not None), None)
    return UNKNOWN if code is None else head_of(code)


def head_of(code: CodeType) -> Loc:
    """The line with the `def` of a function: its code begins at the first decorator."""
    first = code.co_firstlineno
    if source_line(code.co_filename, first).lstrip().startswith("@"):
        for line in range(first + 1, first + _LONGEST_DECORATION):
            if source_line(code.co_filename, line).lstrip().startswith(("def ", "async def ")):
                return line_of(code.co_filename, line)
    return line_of(code.co_filename, first)


_LONGEST_DECORATION = 20  # lines in front of `def`


def is_ours(thing: Any) -> bool:
    """True if a function or a class is of our own package."""
    return str(getattr(thing, "__module__", "")).partition(".")[0] == "cutaway"


def is_at_top(function: Any) -> bool:
    """True if a function is one of our own package, which its module has by its name."""
    if not isinstance(function, FunctionType) or not is_ours(function):
        return False
    return getattr(sys.modules.get(function.__module__), function.__name__, None) is function


_PACKAGE = os.path.join(os.path.dirname(os.path.dirname(__file__)), "")


def is_our_file(filename: str) -> bool:
    """True if a file is of our own package."""
    return filename.startswith(_PACKAGE)


def line_of(filename: str, line: int) -> Loc:
    """A whole line of a file."""
    return Loc(line, 0, line, 0, filename)


def source_lines(filename: str) -> list[str]:
    """The lines of a file as they were written; none where the source cannot be read."""
    try:
        return linecache.getlines(filename)
    except ValueError:  # a name that no file can have: with a NUL, or half a surrogate pair
        return []


def source_line(filename: str, line: int) -> str:
    """The text of one line without its newline; empty where the source cannot be read."""
    lines = source_lines(filename)
    return lines[line - 1].rstrip("\n") if 0 < line <= len(lines) else ""


def parameter_of(head: Loc, name: str, last: int) -> Loc:
    """The line of a parameter, in a `def` that goes from its head up to a line."""
    word = re.compile(rf"(?<![\w.]){re.escape(name)}\s*(?:[:=,)]|$)")
    for line in range(head.line + 1, last):
        if word.search(source_line(head.filename, line).partition("#")[0]):
            return line_of(head.filename, line)
    return head


def mention_of(loc: Loc, name: str) -> Loc:
    """The part of a span of several lines where a name stands; the span, where it stands on its
    first line or nowhere."""
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
    """The path of a file as a reader knows it: of a notebook's cell its number, `In[3]`."""
    if "ipykernel_" not in filename:
        return filename
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    cells = getattr(getattr(shell, "compile", None), "_filename_map", {})
    return f"In[{cells[filename]}]" if filename in cells else "In[]"


def short_file(filename: str) -> str:
    """The name of a file without its folders; see `shown_file`."""
    return os.path.basename(shown_file(filename))


def span_text(loc: Loc) -> str:
    """The source text that `loc` covers, several lines joined by spaces; where it has no end, the
    rest of its line."""
    text = source_line(loc.filename, loc.line)
    if loc.end_line == loc.line and loc.end_col > loc.col:
        return text[loc.col : loc.end_col]
    lines = [text[loc.col :]]
    lines += [source_line(loc.filename, n) for n in range(loc.line + 1, loc.end_line + 1)]
    if loc.end_line > loc.line:
        lines[-1] = lines[-1][: loc.end_col]
    return " ".join(_without_comment(line).strip() for line in lines).strip()


def _without_comment(line: str) -> str:
    """A line without the comment at its end; left as it is where `#` may be in a string."""
    return line if "'" in line or '"' in line else line.partition("#")[0]


def caret_lines(loc: Loc) -> list[str]:
    """The source line with a line of carets under the span; empty without source."""
    text = source_line(loc.filename, loc.line)
    if not text.strip():
        return []
    if loc.end_line == loc.line and loc.end_col > loc.col:
        return _cut(text, loc.col, loc.end_col - loc.col)
    start = loc.col or len(text) - len(text.lstrip())
    return _cut(text, start, max(1, len(text) - start))


LONGEST_LINE = 160  # characters of a line that are shown


def _cut(text: str, start: int, length: int) -> list[str]:
    """A line with carets, cut to what can be read where it is very long."""
    if len(text) > LONGEST_LINE:
        first = max(0, min(start - 40, len(text) - LONGEST_LINE))
        before, after = "... " * (first > 0), " ..." * (first + LONGEST_LINE < len(text))
        text = before + text[first : first + LONGEST_LINE] + after
        start += len(before) - first
        length = min(length, len(text) - len(after) - start)
    return [text, " " * start + "^" * max(1, length)]
