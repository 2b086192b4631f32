"""A compilation as continuous text: its summary, then the changes of each pass.

Passes that changed nothing are folded into one line, and so is a change of language: the
program at a level is shown by `--level`.
"""

from __future__ import annotations

from collections.abc import Iterator

from cutaway.foundation.dataclass import dataclass
from cutaway.inspection.record.recorded import Record, RecordedPass
from cutaway.inspection.showing.displayed import Displayed

LONG = 60  # rows of a diff, above which it is shown only on request


@dataclass(frozen=True, slots=True)
class Chapter:
    """A pass and its changes in words, or several that changed nothing; `is_shown`: its diff."""

    passes: tuple[RecordedPass, ...]
    words: str
    is_shown: bool = False

    @property
    def names(self) -> str:
        """The names of the passes."""
        return ", ".join(one.name for one in self.passes)


@dataclass(frozen=True, eq=False)
class Reading(Displayed):
    """A record pass by pass; with `show_all`, no pass is folded and no diff omitted."""

    record: Record
    show_all: bool = False

    def chapters(self) -> Iterator[Chapter]:
        """Yield the chapters, in order."""
        quiet: list[RecordedPass] = []
        for one in self.record.passes:
            if not (one.changed or one.failed or self.show_all):
                quiet.append(one)
                continue
            if quiet:
                yield _folded(quiet)
                quiet = []
            yield self._chapter(one)
        if quiet:
            yield _folded(quiet)

    def _chapter(self, one: RecordedPass) -> Chapter:
        if one.failed:
            return Chapter((one,), "failed")
        if not one.changed:
            return Chapter((one,), "changed nothing")
        words = one.diff().summary
        if one.diff().translates:
            return Chapter((one,), f"{words}; `--level {one.level}` shows them")
        if len(one.diff().changes) > LONG and not self.show_all:
            return Chapter((one,), f"{words}; `--pass {one.name}` shows them")
        return Chapter((one,), words, True)

    def __str__(self) -> str:
        lines = [str(self.record)]
        for chapter in self.chapters():
            lines.append("")
            lines.append(f"{chapter.names}: {chapter.words}")
            if chapter.is_shown:
                lines += str(chapter.passes[0].diff()).splitlines()[1:]
        return "\n".join(lines)


def _folded(passes: list[RecordedPass]) -> Chapter:
    return Chapter(tuple(passes), "changed nothing")
