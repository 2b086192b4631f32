"""Limits a child process by its own processor time.

Other programs slow a child down without making it use more processor time, so a limit in wall
time would stop work on a busy machine that finishes on an idle one.  A child that waits uses
no processor time either: it is stopped after as much wall time without progress.
"""

from __future__ import annotations

import time

_WINDOW = 1.0  # seconds of wall time over which a process without progress counts as waiting
_PROGRESS = 1e-3  # seconds of processor time within a window
_MOST = 30  # upper limit in wall time, as a multiple of `seconds`
_PROCESS_CLOCK = 2  # Linux: CPUCLOCK_SCHED of a process, beside the complement of its id


class Allowance:
    """The processor time that a child process may use, and may spend waiting.

    `seconds` is the limit of each.  Where a child's clock cannot be read, wall time counts instead.
    """

    def __init__(self, child: int, seconds: float) -> None:
        self.seconds = seconds
        self._clock = (~child << 3) | _PROCESS_CLOCK
        self._began = self._looked = time.monotonic()
        self._used = self._waited = 0.0

    def is_spent(self) -> bool:
        """Return whether the child has used its time."""
        now = time.monotonic()
        try:
            used = time.clock_gettime(self._clock)
        except (OSError, OverflowError, AttributeError):
            return now - self._began > self.seconds
        if now - self._looked >= min(_WINDOW, self.seconds):
            if used - self._used < _PROGRESS:
                self._waited += now - self._looked
            self._looked, self._used = now, used
        is_late = now - self._began > _MOST * self.seconds
        return used > self.seconds or self._waited >= self.seconds or is_late
