"""Compile a function with edits, so that each proposal is tried before it is shown.

All proposals are tried here: types that a variable might have (`why_not`), expressions that might
fuse, loops that might be parallel, and hints of remarks.
"""

from __future__ import annotations

import linecache
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import FunctionType
from typing import Any

from cutaway.errors import CutawayError, PipelineError
from cutaway.foundation.dataclass import dataclass
from cutaway.foundation.options import Flags
from cutaway.inspection.explaining.edits import Edit, edited
from cutaway.inspection.recording.recording import Recording
from cutaway.typing.types import Type


@dataclass(frozen=True, slots=True)
class Trial:
    """A program with edits: its function, and its compilation or the error that refused it."""

    function: FunctionType
    compilation: Recording | None = None
    error: BaseException | None = None


class Trials:
    """Tries edits of one function, up to a limit."""

    def __init__(self, compilation: Recording, most: int) -> None:
        self.compilation = compilation
        self.function: FunctionType = compilation.unit.pyfunc
        self.left = most

    @contextmanager
    def compiled(
        self,
        edits: Sequence[Edit],
        goal: str,
        flags: Flags | None = None,
        names: dict[str, Any] | None = None,
        argtypes: tuple[Type, ...] | None = None,
    ) -> Iterator[Trial | None]:
        """Compile the function with edits up to a level or pass; None if it cannot be tried.

        `names` are additional global variables. The source can be read until the block is left.
        """
        retrace = self.compilation.retrace
        function = self._edited(edits) if self.left > 0 and retrace is not None else None
        if function is None or retrace is None:
            yield None
            return
        self.left -= 1
        for name, value in (names or {}).items():
            function.__globals__[name] = value
        unit = self.compilation.unit
        argtypes = argtypes or unit.argtypes or ()
        try:
            try:
                flags = flags or unit.flags
                made = retrace(function, flags, argtypes, goal, unit.declared_return)
            except (CutawayError, PipelineError) as error:
                yield Trial(function, error=error)
            else:
                yield Trial(function, made if made.error is None else None, made.error)
        finally:
            if function is not self.function:
                linecache.cache.pop(function.__code__.co_filename, None)

    def _edited(self, edits: Sequence[Edit]) -> FunctionType | None:
        """Copy the function with edits of its source."""
        function = edited(self.function, edits)
        if function is None and all(edit.argument is not None for edit in edits):
            return self.function  # without source, with other types
        return function
