"""Python text that is being written, with the place in the source that each line is of."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from cutaway.foundation.source import UNKNOWN, Loc

Mark = tuple[int, int]


class Text:
    """Lines of Python, each with a place."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.places: list[Loc] = []
        self.depth = 0
        self.place = UNKNOWN

    def at(self, loc: Loc) -> None:
        """What follows is of a place in the source."""
        if loc.line:
            self.place = loc

    def line(self, text: str) -> None:
        """One more line."""
        self.lines.append("    " * self.depth + text)
        self.places.append(self.place)

    def leave(self, word: str) -> None:
        """`break` or `continue`, unless the line before leaves."""
        last = self.lines[-1] if self.lines else ""
        text = last.lstrip()
        at_this_depth = len(last) - len(text) == 4 * self.depth
        if not (at_this_depth and text.startswith(("break", "continue", "return", "raise "))):
            self.line(word)

    def mark(self) -> Mark:
        """A place to come back to."""
        return len(self.lines), self.depth

    def back_to(self, mark: Mark) -> None:
        """Forget what was written since."""
        count, self.depth = mark
        del self.lines[count:], self.places[count:]

    @contextmanager
    def indented(self) -> Iterator[Inner]:
        """Lines of a suite; `pass` where there are none."""
        self.depth += 1
        inner = Inner()
        start = len(self.lines)
        yield inner
        if len(self.lines) == start:
            inner.is_empty = True
            self.line("pass")
        self.depth -= 1


class Inner:
    """What is known of a suite at its end."""

    is_empty = False
