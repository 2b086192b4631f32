"""A command on a terminal of its own: keys are sent, what is on the screen is read."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time

_ESCAPES = re.compile(r"\x1b(\[[0-9;?]*[A-Za-z]|\][^\x07]*\x07|[()][A-Z0-9]|[=>])")
LONGEST = 30.0  # seconds that something may take to appear


def _own_terminal() -> None:
    """Make the terminal the one that Ctrl-C and a lost line are told through."""
    os.setsid()
    signal.signal(signal.SIGHUP, signal.SIG_DFL)  # `nohup` hands on that it is ignored
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


class Screen:
    """`python -m cutaway` with arguments, on a terminal of so many columns and lines."""

    def __init__(self, *arguments: str, columns: int = 100, lines: int = 30, **more: str) -> None:
        self.parent, child = pty.openpty()
        self.resize(columns, lines)
        environment = {k: v for k, v in os.environ.items() if k not in ("COLUMNS", "LINES")}
        environment |= {"TERM": "xterm-256color", **more}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "cutaway", *arguments],
            stdin=child, stdout=child, stderr=child, env=environment, close_fds=True,
            preexec_fn=_own_terminal,
        )  # fmt: skip
        os.close(child)
        self.seen = ""

    def end(self) -> None:
        """End the command, however it stands."""
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()

    def resize(self, columns: int, lines: int) -> None:
        """Give the terminal another size."""
        size = struct.pack("HHHH", lines, columns, 0, 0)
        fcntl.ioctl(self.parent, termios.TIOCSWINSZ, size)

    def press(self, keys: str) -> None:
        """Send keys, as a terminal does."""
        self.seen = ""
        os.write(self.parent, keys.encode())

    def wait_for(self, text: str) -> str:
        """What is written until a text is there; all that came since the last keys."""
        end = time.monotonic() + LONGEST
        while text not in self.plain:
            left = end - time.monotonic()
            assert left > 0 and self._read(left), f"{text!r} never came, but\n{self.plain[-3000:]}"
        return self.plain

    def finish(self) -> tuple[int, str]:
        """The status of the command and all that it wrote."""
        while self._read(LONGEST):
            pass
        status = self.process.wait(LONGEST)
        os.close(self.parent)
        return status, self.plain

    @property
    def plain(self) -> str:
        """What was written, without colors and moves."""
        return _ESCAPES.sub("", self.seen).replace("\r", "")

    def _read(self, seconds: float) -> bool:
        if not select.select([self.parent], [], [], seconds)[0]:
            return False
        try:
            content = os.read(self.parent, 65536)
        except OSError:  # the command has ended
            return False
        self.seen += content.decode(errors="replace")
        return bool(content)
