"""Read keys from a terminal: special keys by name, others as their characters."""

from __future__ import annotations

import codecs
import os
import select
from types import TracebackType
from typing import Any

try:
    import termios
    import tty
except ImportError:  # Windows has none, see `can_read`
    termios = None

ESCAPE = "\x1b"
_LOCAL_MODES = 3  # their index in the list of termios
_AFTER_ESCAPE = 0.05  # seconds in which the rest of a special key arrives

_SEQUENCES = {
    "[A": "up",
    "[B": "down",
    "[C": "right",
    "[D": "left",
    "[H": "home",
    "[F": "end",
    "[1~": "home",
    "[4~": "end",
    "[5~": "pageup",
    "[6~": "pagedown",
    "[7~": "home",
    "[8~": "end",
    "[Z": "tab",
}
# Terminals in application mode send O instead of [.
_SEQUENCES |= {"O" + rest[1:]: name for rest, name in _SEQUENCES.items() if rest[1:].isalpha()}
_PLAIN = {
    "\r": "enter",
    "\n": "enter",
    "\t": "tab",
    "\x7f": "backspace",
    "\x08": "backspace",
    " ": "space",
    "\x03": "q",
    "\x04": "q",
}


def can_read(fd: int) -> bool:
    """True if single keys can be read: the file is a terminal, on a system with termios."""
    return termios is not None and os.isatty(fd)


class Keys:
    """A context in which keys are read; leaving it restores the terminal."""

    def __init__(self, fd: int) -> None:
        self.fd = fd
        self.waiting = ""
        self.is_over = False
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._before: list[Any] = []

    def __enter__(self) -> Keys:
        self._before = termios.tcgetattr(self.fd)
        tty.setcbreak(self.fd, termios.TCSADRAIN)  # typed input is not lost
        mode = termios.tcgetattr(self.fd)
        mode[_LOCAL_MODES] &= ~termios.ISIG  # Ctrl-C is a key: an interrupt could come anywhere
        termios.tcsetattr(self.fd, termios.TCSADRAIN, mode)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        termios.tcsetattr(self.fd, termios.TCSADRAIN, self._before)

    def read(self, seconds: float) -> str | None:
        """Return the next key; None after the timeout, `q` at the end of input."""
        if not self.waiting:
            self._more(seconds)
        if self.waiting == ESCAPE:
            self._more(_AFTER_ESCAPE)
        if not self.waiting:
            return "q" if self.is_over else None
        key, self.waiting = split(self.waiting)
        return key

    def _more(self, seconds: float) -> None:
        """Wait for input and append it."""
        if not select.select([self.fd], [], [], seconds)[0]:
            return
        try:
            content = os.read(self.fd, 1024)
        except OSError:  # the terminal is gone
            content = b""
        self.is_over = not content
        self.waiting += self._decoder.decode(content)


def split(text: str) -> tuple[str, str]:
    """Split the first key off the input."""
    first, rest = text[0], text[1:]
    if first != ESCAPE:
        return _PLAIN.get(first, first), rest
    for sequence, name in _SEQUENCES.items():
        if rest.startswith(sequence):
            return name, rest[len(sequence) :]
    if rest[:1] not in ("[", "O"):
        return "escape", rest
    # An unknown special key: it ends in a letter or ~.
    end = next((k for k, c in enumerate(rest[1:], 2) if c.isalpha() or c == "~"), len(rest))
    return "", rest[end:]
