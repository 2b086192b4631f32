"""Python text that is being written, with the source location of each line."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from cutaway.foundation.source import UNKNOWN, Loc

Mark = tuple[int, int]


class Text:
    """Lines of Python, each with a location."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.places: list[Loc] = []
        self.depth = 0
        self.place = UNKNOWN

    def at(self, loc: Loc) -> None:
        """Set the source location of the following lines."""
        if loc.line:
            self.place = loc

    def line(self, text: str) -> None:
        """Add a line."""
        self.lines.append("    " * self.depth + text)
        self.places.append(self.place)

    def leave(self, word: str) -> None:
        """Write `break` or `continue`, unless the line before jumps."""
        last = self.lines[-1] if self.lines else ""
        text = last.lstrip()
        at_this_depth = len(last) - len(text) == 4 * self.depth
        if not (at_this_depth and text.startswith(("break", "continue", "return", "raise "))):
            self.line(word)

    def mark(self) -> Mark:
        """Return a mark to go back to."""
        return len(self.lines), self.depth

    def back_to(self, mark: Mark) -> None:
        """Drop the lines since a mark."""
        count, self.depth = mark
        del self.lines[count:], self.places[count:]

    @contextmanager
    def indented(self) -> Iterator[Inner]:
        """Indent the lines of a suite; writes `pass` if it is empty."""
        self.depth += 1
        inner = Inner()
        start = len(self.lines)
        yield inner
        if len(self.lines) == start:
            inner.is_empty = True
            self.line("pass")
        self.depth -= 1


class Inner:
    """The properties of a suite at its end."""

    is_empty = False
