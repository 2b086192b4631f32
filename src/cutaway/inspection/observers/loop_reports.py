"""Reports on the loops of each function that is compiled with `parallel=True`."""

from __future__ import annotations

from collections.abc import Callable

from cutaway.foundation.dataclass import replace
from cutaway.inspection.observers.parallel_dumps import Write
from cutaway.inspection.observers.reports import Reporter
from cutaway.inspection.recording.recording import Recording


class LoopReporter(Reporter):
    """Writes the text of `f.parallel_diagnostics(level=...)` for each outermost compilation
    (PARALLEL_DIAGNOSTICS)."""

    def __init__(
        self, write: Write, level: int, again: Callable[[], Recording] | None = None
    ) -> None:
        super().__init__("", again=again)
        self.write = write
        self.level = level

    def close(self) -> None:
        """Write the reports."""
        if not self.level:
            return
        for compilation in self._finished():
            if compilation.unit.flags.parallel:
                text = str(replace(compilation.parallel, level=self.level))
                self.write(compilation.unit, "PARALLEL LOOPS", text, "loops.txt")
