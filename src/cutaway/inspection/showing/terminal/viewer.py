"""Run the viewer on a terminal; without one, print the record as text."""

from __future__ import annotations

import sys
from contextlib import suppress

from rich.console import Console

from cutaway.inspection.record.reading import Reading
from cutaway.inspection.record.recorded import Record
from cutaway.inspection.showing.terminal.frames import frame
from cutaway.inspection.showing.terminal.keys import Keys, can_read
from cutaway.inspection.showing.terminal.model import press, resized, start

_LOOK = 0.2  # seconds between checks of the screen's size


def view(record: Record) -> None:
    """Walk through a record with the keyboard until `q`."""
    if not (sys.stdin.isatty() and sys.stdout.isatty() and can_read(sys.stdin.fileno())):
        print("The viewer needs a terminal; here is the whole record as text:\n")
        print(Reading(record, show_all=True))
        return
    with suppress(KeyboardInterrupt):  # Ctrl-C ends it at any time
        _walk(record, Console(), sys.stdin.fileno())


def _walk(record: Record, console: Console, fd: int) -> None:
    state = start(record, *console.size)
    with Keys(fd) as keys, console.screen() as screen:
        screen.update(frame(state))
        while not state.is_done:
            key = keys.read(_LOOK)
            before = state
            if console.size != (state.width, state.height):
                state = resized(state, *console.size)
            if key is not None:
                state = press(state, key)
            if state is not before:
                screen.update(frame(state))
